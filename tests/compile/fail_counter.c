/* expect: invalid operands to binary */
#include <stave/stave.h>

void probe(const char *text);

void probe(const char *text)
{
    STAVE_COUNTER("counter", text);
}
