/* trace/cursor.h - what those who read blocks share: which ones, and in which order. */
#ifndef STAVE_TRACE_CURSOR_H
#define STAVE_TRACE_CURSOR_H

#include "trace/trace.h"

bool stave__filter_passes(const stave_trace *trace, const stave_filter *filter,
                          const struct stave__entry *entry);

struct stave__choice {
    uint32_t boot, lane, kind;
    uint32_t index; /* of its entry */
    uint64_t first_order;
};

/* The entries that pass, by boot, lane, kind and the order of their rows: those of one lane, boot and
 * kind stand together. To be freed. */
int stave__trace_select(const stave_trace *trace, const stave_filter *filter,
                        struct stave__choice **choices, uint32_t *count, stave_error *error);

#endif
