/* A probe between two cases, without a block of its own.
 * options gcc: -Wjump-misses-init
 * expect gcc: switch jumps over variable initialization
 * expect clang: cannot jump from switch statement to this case label */
#include <stave/stave.h>

void work(int i);
void probe(int i);

void probe(int i)
{
    switch (i) {
    case 0:
        work(i);
        STAVE_SCOPE("scope");
        break;
    default:
        work(0);
    }
}
