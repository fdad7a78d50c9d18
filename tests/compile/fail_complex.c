/* expect: incompatible type */
#include <stave/stave.h>

void probe(float _Complex value);

void probe(float _Complex value)
{
    STAVE_SCOPE("scope", STAVE_KV("value", value));
}
