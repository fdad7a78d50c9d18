/* A span as LTTng-UST has it: a tracepoint at its begin and one at its end. */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "record/peers/lttng_provider.h"

#include "record/loops.h"
#include "record/peer.h"

static void loop(void)
{
    for (uint32_t i = 0; i < RECORD_TIMES; i++) {
        lttng_ust_tracepoint(stave_bench, begin, 1, i);
        RECORD_WORK();
        lttng_ust_tracepoint(stave_bench, end, 1, i);
    }
}

int main(void)
{
    peer_serve(loop);
    return 0;
}
