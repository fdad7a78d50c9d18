// expect: a probe takes numbers of up to 64 bits
#include <stave/stave.h>

struct Flag {
    bool value;
    operator bool() const
    {
        return value;
    }
};
void probe(const Flag &value);

void probe(const Flag &value)
{
    STAVE_SCOPE("scope", STAVE_KV("value", value));
}
