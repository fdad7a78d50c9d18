// expect: a probe takes numbers of up to 64 bits
#include <stave/stave.h>

void probe(long double value);

void probe(long double value)
{
    STAVE_SCOPE("scope", STAVE_KV("value", value));
}
