/* A goto past a probe: gcc says so when it is asked.
 * options gcc: -Wjump-misses-init
 * expect gcc: jump skips variable initialization
 * expect clang: cannot jump from this goto statement to its label */
#include <stave/stave.h>

void work(int i);
void probe(int i);

void probe(int i)
{
    if (i > 0)
        goto out;
    STAVE_SCOPE("scope");
    work(i);
out:
    work(0);
}
