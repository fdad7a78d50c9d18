/* expect gcc: declared in inline function 'probe' which is not static
 * expect clang: non-constant static local variable in inline function */
#include <stave/stave.h>

inline int probe(int i);

inline int probe(int i)
{
    STAVE_SCOPE("scope");
    return i;
}
