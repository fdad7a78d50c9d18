// expect g++: invalid operands of types 'const char*' and 'int'
// expect clang++: invalid operands to binary expression
#include <stave/stave.h>

void probe(const char *text);

void probe(const char *text)
{
    STAVE_COUNTER("counter", text);
}
