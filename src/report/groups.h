/* report/groups.h - the evaluations of one rule in one run, to be asked for.
 *
 *     if (!stave__groups_make(&groups, &layout)) ...                   // out of memory
 *     struct stave__group group = stave__groups_find(&groups, run, rule);
 *     uint32_t row = stave__groups_ended(&groups, group, time, before);      // STAVE_NONE: there is none
 *     stave__groups_free(&groups);
 *
 * Each question costs the logarithm of the number of evaluations.  */
#ifndef STAVE_REPORT_GROUPS_H
#define STAVE_REPORT_GROUPS_H

#include "report/layout.h"

struct stave__group {
    uint32_t from, end; /* in `begun` and `ended` */
};

struct stave__groups {
    const struct stave__model_row *rows;
    struct stave__grouped *heads; /* one for each group, by run and rule */
    uint32_t heads_count;
    uint32_t *begun; /* rows, group after group: in the order of rows */
    uint32_t *ended; /* the same by end, then in the order of rows */
    int64_t *latest; /* a tree over `begun`: [i] is the latest end of [2i] and [2i + 1] */
    uint32_t leaves;
};

bool stave__groups_make(struct stave__groups *groups, const struct stave__layout *layout);
struct stave__group stave__groups_find(const struct stave__groups *groups, uint32_t run,
                                       uint32_t rule);

/* The last to have ended at `time`, by end and order; of those that end just then, only what stands before `before`. */
uint32_t stave__groups_ended(const struct stave__groups *groups, struct stave__group group,
                             int64_t time, uint32_t before);
/* The last to have begun of those that are open: start <= time < end. */
uint32_t stave__groups_open(const struct stave__groups *groups, struct stave__group group,
                            int64_t time);
/* The first to begin at `time` or later. */
uint32_t stave__groups_next(const struct stave__groups *groups, struct stave__group group,
                            int64_t time);

void stave__groups_free(struct stave__groups *groups);

#endif
