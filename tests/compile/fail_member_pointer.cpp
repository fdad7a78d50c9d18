// expect: a probe takes numbers of up to 64 bits
#include <stave/stave.h>

struct Point {
    int x;
};
void probe(int Point::*value);

void probe(int Point::*value)
{
    STAVE_SCOPE("scope", STAVE_KV("value", value));
}
