/* record/sums.h - cumulative spans: many short ones in a span, as one entry for each path of names.
 *
 * A span's slot has the list of entries directly in it (slot->sums); an entry has those in it in turn. While a
 * cumulative span is open its slot's `sums` is its own entry, its `what` has STAVE__IS_SUM. What begins inside it
 * is summed up as well, below it. The entries are written when the span around them ends, those in others before
 * these. An entry is two records; `what` of the first says, behind name and kind, where the entry is: its depth, as
 * far as it fits; the number of the entry around it, 0: there is none; its own among the span's, from 1.  */
#ifndef STAVE_RECORD_SUMS_H
#define STAVE_RECORD_SUMS_H

#include "record/recorder.h"

#define STAVE__SUMS_MAX 16384u /* of a thread, at a time */

#define STAVE__SUM_DEPTH_SHIFT 23
#define STAVE__SUM_DEPTH_MAX 0x3ffu
#define STAVE__SUM_AROUND_SHIFT 33
#define STAVE__SUM_NUMBER_SHIFT 48
#define STAVE__SUM_NUMBER_MAX 0x7fffu

/* The entry of a name directly in an open slot, made when it is missing. NULL: there is no room. */
struct stave__sums *stave__sums_of(struct stave__lane *lane, struct stave__open *around,
                                   uint32_t name);

/* Lets the inline probes call at the end of a span, as if there were an entry: one without a count, which is not written.
 * False: there is no room. */
bool stave__sums_mark(struct stave__lane *lane, struct stave__open *slot);

/* Writes all that are in a span, and forgets them. */
void stave__sums_write(struct stave__lane *lane, struct stave__open *slot);

#endif
