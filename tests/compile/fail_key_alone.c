/* Attributes belong into a probe.
 * expect gcc: 'stave__target' undeclared
 * expect clang: undeclared identifier 'stave__target' */
#include <stave/stave.h>

void probe(int i);

void probe(int i)
{
    STAVE_KV("i", i);
}
