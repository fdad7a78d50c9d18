// expect: expected '}'
#include <stave/stave.h>

void probe(const char *name);

void probe(const char *name)
{
    STAVE_SCOPE(name);
}
