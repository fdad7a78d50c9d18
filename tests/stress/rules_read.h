/* rules_read.h - what a session has captured, read back from a file of it.
 *
 *     struct rules_read read = rules_read_session(session);
 *     const struct rules_evaluation *e = rules_find(&read, "price");     // the only one of the rule with this id
 *     rules_free(&read);  */
#ifndef RULES_READ_H
#define RULES_READ_H

#include "stave/rules.h"
#include "stress/recorded.h"
#include "trace/rules.h"

struct rules_evaluation {
    const char *id, *description;
    const struct traces_row *row; /* of its span; times, lane, serial, flags */
    const char *place;            /* the name of the span that it is attached to; NULL: it is not */
    const char *outcome;          /* "done", "failed", "skipped" ... */
    const char *reason;           /* NULL: none */
    const char *run;              /* the name of its run; NULL: its lane's */
    bool is_in_session;
};

struct rules_read {
    struct recorded seen;
    const struct stave__rule_tables *tables;
    bool has_attributes;
    struct rules_evaluation *at; /* by start, lane, serial */
    size_t count;
};

struct rules_read rules_read_session(stave_session *session);
struct rules_read rules_read_file(const char *path);
void rules_free(struct rules_read *read);

const struct rules_evaluation *rules_find(const struct rules_read *read, const char *id);
size_t rules_count(const struct rules_read *read, const char *id);

/* The row of the rule with this id; NULL: there is none. */
const struct stave__rule_row *rules_row(const struct rules_read *read, const char *id);

/* The ids that it depends on, in their order, with blanks between them. */
const char *rules_dependencies(const struct rules_read *read, const char *id);

#endif
