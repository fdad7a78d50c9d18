// expect: a probe takes numbers of up to 64 bits
#include <stave/stave.h>

#include <string>

void probe(const std::string &text);

void probe(const std::string &text)
{
    STAVE_SCOPE("scope", STAVE_KV("text", text));
}
