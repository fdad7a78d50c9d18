/* trace/cursor.h - what cursor and merge share: which blocks, and how one is shown. */
#ifndef STAVE_TRACE_CURSOR_H
#define STAVE_TRACE_CURSOR_H

#include "trace/trace.h"

bool stave__filter_passes(const stave_trace *trace, const stave_filter *filter,
                          const struct stave__entry *entry);

#endif
