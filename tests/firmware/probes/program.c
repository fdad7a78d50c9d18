/* What starts and polls the recorder. A line with a call has nothing else, so that the test can
 * leave them out. */
#include "stave_target.h"

void program(uint32_t *seen, uint32_t *counter);

static size_t write_bytes(void *context, const uint8_t *bytes, size_t size)
{
    volatile uint8_t *port = context;
    for (size_t i = 0; i < size; i++)
        *port = bytes[i];
    return size;
}

static const struct stave_target_config config = {.hz = 1000000, .write = write_bytes};

void program(uint32_t *seen, uint32_t *counter)
{
    stave_target_start(&config);
    stave_target_rate(2000000);
    for (*seen = 0; *seen < 100; ++*seen) {
        ++*counter;
        stave_target_poll();
    }
    stave_target_rtt_start();
}
