/* Two LTTng-UST tracepoints, the begin and the end of a span, of two fields each. No include guard as usual:
 * lttng includes it several times. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER stave_bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "record/peers/lttng_provider.h"

#if !defined(STAVE_BENCH_LTTNG_PROVIDER_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define STAVE_BENCH_LTTNG_PROVIDER_H

#include <lttng/tracepoint.h>
#include <stdint.h>

/* clang-format off */
LTTNG_UST_TRACEPOINT_EVENT_CLASS(
    stave_bench, edge,
    LTTNG_UST_TP_ARGS(uint32_t, name, uint64_t, serial),
    LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint32_t, name, name)
                        lttng_ust_field_integer(uint64_t, serial, serial)))
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(
    stave_bench, edge, stave_bench, begin,
    LTTNG_UST_TP_ARGS(uint32_t, name, uint64_t, serial))
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(
    stave_bench, edge, stave_bench, end,
    LTTNG_UST_TP_ARGS(uint32_t, name, uint64_t, serial))
/* clang-format on */

#endif

#include <lttng/tracepoint-event.h>
