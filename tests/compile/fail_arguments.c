/* expect: STAVE__ARGUMENTS_more_than_16 */
#include <stave/stave.h>

void probe(int a);

void probe(int a)
{
    STAVE_FUNCTION(a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a);
}
