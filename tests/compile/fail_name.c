/* A name made at run time is for STAVE_SCOPE_NAMED.
 * expect: expected '}' */
#include <stave/stave.h>

void probe(const char *name);

void probe(const char *name)
{
    STAVE_SCOPE(name);
}
