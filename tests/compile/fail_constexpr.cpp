// expect g++: static
// expect clang++: static variable not permitted in a constexpr function
#include <stave/stave.h>

constexpr int probe(int i)
{
    STAVE_SCOPE("scope");
    return i;
}
