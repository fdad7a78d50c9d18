/* trace/cursor.h - what cursor and merge share: which blocks, and how one is shown. */
#ifndef STAVE_TRACE_CURSOR_H
#define STAVE_TRACE_CURSOR_H

#include "trace/trace.h"

bool stave__filter_passes(const stave_filter *filter, const struct stave__entry *entry);

/* The public view of a pinned entry: its rows as they are now, from the row `from` on. */
void stave__block_show(const struct stave__entry *entry, uint32_t from, stave_block *block);

#endif
