/* fuzz_decoder.c - any bytes make a sound trace, and the same one however they are cut and wherever
 * its rows are kept.
 *
 * The last bytes of the input choose the manner, so that a recorded stream as it is is an input. */
#include "outcome.h"

enum { CHOICES = 4 };

static uint64_t cache_bytes(uint8_t choice)
{
    static const uint64_t sizes[] = {0, 1, 1500, 20000};
    return sizes[choice % 4];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < CHOICES)
        return 0;
    size -= CHOICES;
    const uint8_t *choices = data + size;
    struct outcome whole, cut;
    struct manner manner = {.wire_version = choices[0] < 240 ? 0 : 1 + choices[0] % 2u};
    outcome_decode(data, size, &manner, &whole);

    manner.cache_bytes = cache_bytes(choices[1]);
    manner.cuts = 1u + choices[2] + 256u * choices[3];
    outcome_decode(data, size, &manner, &cut);
    outcome_require_same(&cut, &whole);
    outcome_free(&cut);
    outcome_free(&whole);
    return 0;
}
