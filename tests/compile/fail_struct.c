/* expect gcc: type mismatch in conditional expression
 * expect clang: 'struct point' */
#include <stave/stave.h>

struct point {
    int x, y;
};
void probe(struct point value);

void probe(struct point value)
{
    STAVE_SCOPE("scope", STAVE_KV("value", value));
}
