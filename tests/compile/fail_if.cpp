// expect g++: was not declared in this scope
// expect clang++: use of undeclared identifier 'stave__site_
#include <stave/stave.h>

void probe(int i);

void probe(int i)
{
    if (i > 0)
        STAVE_SCOPE("scope");
}
