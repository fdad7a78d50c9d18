/* Frames go to RTT, and what RTT has taken also to UART 0: in one run, both streams have the same
 * bytes. */
#include "board.h"
#include "transport.h"

#include "stave_target.h"

/* For a test that looks at the machine's memory: how often a frame was offered, which goes on while
 * none is taken, and how many were dropped by then. */
extern volatile uint32_t transport_progress[2];
__attribute__((section(STAVE_TARGET_RTT_SECTION))) volatile uint32_t transport_progress[2];

static void tell_progress(void)
{
    struct stave_target_counts counts;
    stave_target_get_counts(&counts);
    transport_progress[1] = counts.dropped_ring_full + counts.dropped_transport_full;
    transport_progress[0]++;
}

void transport_start(void)
{
    transport_progress[0] = 0;
    transport_progress[1] = 0;
    stave_target_rtt_start();
}

size_t transport_write(void *context, const uint8_t *bytes, size_t size)
{
    size_t taken = stave_target_rtt_write(context, bytes, size);

    for (size_t sent = 0; sent < taken;)
        sent += board_uart_write(bytes + sent, taken - sent);
    tell_progress();
    return taken;
}
