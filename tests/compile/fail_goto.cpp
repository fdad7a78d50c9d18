// expect g++: jump to label 'out'
// expect clang++: cannot jump from this goto statement to its label
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
