/* report/threads.h - the nodes of a report by threads and the clock, as files of viewers want them: nested.
 *
 *     if (stave__threads_open(&threads, report, error) < 0) ...
 *     for (uint32_t i = 0; i < threads.count; i++)
 *         ... report->nodes[threads.nodes[i]], of lane after lane; it ends at threads.end_ns[i] ...
 *     stave__threads_free(&threads);
 *
 * Outer ones come before inner ones. On a thread evaluations and spans nest; what does not in a file that is not sound is
 * cut at the end of what is around it.  */
#ifndef STAVE_REPORT_THREADS_H
#define STAVE_REPORT_THREADS_H

#include "report/report.h"

struct stave__threads {
    uint32_t *nodes;
    uint64_t *start_ns, *end_ns; /* from the origin, whole; of nodes[i] */
    uint32_t count;
};

int stave__threads_open(struct stave__threads *threads, const stave_report *report,
                        stave_error *error);

/* How many follow nodes[at] that lie in it. */
uint32_t stave__threads_count_in(const struct stave__threads *threads, const stave_report *report,
                                 uint32_t at);
void stave__threads_free(struct stave__threads *threads);

#endif
