// expect: a probe takes numbers of up to 64 bits
#include <stave/stave.h>

__extension__ typedef __int128 wide;
void probe(wide value);

void probe(wide value)
{
    STAVE_SCOPE("scope", STAVE_KV("value", value));
}
