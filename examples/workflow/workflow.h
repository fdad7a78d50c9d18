/* workflow.h - rules, read from a file and compiled to native functions.
 *
 *     workflow orders
 *
 *     rule net "net matches the lines"
 *         after lines, discount
 *         priority 3
 *         when order.net == sum(order.lines) - order.discount
 *
 *     rule credit "customer has the credit"
 *         in payment
 *         when order.total - order.paid <= credit(order.customer)
 *
 * A line that begins with a blank goes on with the rule, and a line that begins with none of `after`, `in`, `priority`
 * and `when`, with the expression; # begins a comment. Lines may end with CR LF.
 *
 *   when       the condition (expression.h)
 *   after      rules that have to pass first: if one does not, this one is skipped. They stand above it, and in the same rule as it
 *   in         it is a part of that rule, which stands above it: evaluated inside of it when its own condition holds, and if it
 *              does not pass, nor does that one
 *   priority   of what may be evaluated, the highest goes first, then what stands first in the file; 0 by default
 *
 * Untrusted  Any file is safe to read.  */
#ifndef WORKFLOW_WORKFLOW_H
#define WORKFLOW_WORKFLOW_H

#include <stdint.h>

#include <stave/rules.h>

#include "functions.h"
#include "text.h"

enum {
    RULES_MAX = 64, /* sets of rules are the bits of a word */
    ID_MAX = 31,
    DESCRIPTION_MAX = 79,
    WORKFLOW_BYTES_MAX = 65536
};

typedef int64_t condition_function(struct call *call, const struct order *order);

struct rule {
    char id[ID_MAX + 1];
    char description[DESCRIPTION_MAX + 1];
    char *expression;
    int priority;
    int parent;         /* -1: none */
    uint64_t after;     /* rules, by number */
    uint64_t followers; /* those that come after it */
    uint64_t parts;     /* those in it */
    unsigned line, when_line;
    condition_function *condition;
    char blame[ID_MAX + 20]; /* why others are skipped: "net did not pass" */
};

/* Rules are numbered as they are evaluated on one thread. */
struct workflow {
    char name[ID_MAX + 1];
    int count;
    struct rule rules[RULES_MAX];
    uint64_t roots; /* rules that are in none */
    stave_rule *probes;
    void *native; /* TCCState */
};

/* NULL: `complaint` says why. */
struct workflow *workflow_load(const char *path, struct complaint *complaint);
struct workflow *workflow_read(const char *text, struct complaint *complaint);
void workflow_free(struct workflow *workflow); /* takes NULL */

#endif
