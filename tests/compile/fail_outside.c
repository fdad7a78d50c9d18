/* expect gcc: allowed only inside a function
 * expect clang: not allowed at file scope */
#include <stave/stave.h>

STAVE_SCOPE("scope");
