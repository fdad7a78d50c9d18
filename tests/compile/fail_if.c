/* expect: expected expression */
#include <stave/stave.h>

void probe(int i);

void probe(int i)
{
    if (i > 0)
        STAVE_SCOPE("scope");
}
