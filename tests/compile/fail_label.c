/* expect gcc: a label can only be part of a statement
 * expect clang: expected expression */
#include <stave/stave.h>

void probe(int i);

void probe(int i)
{
    switch (i) {
    default:
        STAVE_SCOPE("scope");
    }
}
