/* adapters/clips_help.h - environments, and the firings of a session in the order in which they were, for tests of the
 * adapter of CLIPS.  */
#ifndef STAVE_TESTS_CLIPS_HELP_H
#define STAVE_TESTS_CLIPS_HELP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <clips/clips.h>

#include <stave/report.h>

#include "stave_clips.h"

/* An environment with these constructs that prints nothing, attached. The last one is NULL. */
void *clips_with(const char *const *constructs);
#define CLIPS_WITH(...) clips_with((const char *const[]){__VA_ARGS__, NULL})

/* The same of one that is there. */
void clips_build(void *clips, const char *construct);
void clips_make_quiet(void *clips);

/* The value of a command, as a number. */
long long clips_eval(void *clips, const char *command);

/* A firing as the report has it. */
struct firing {
    const char *id;
    long cause;  /* index among the firings; NOBODY: it is a root */
    bool inside; /* it is inside of `cause`, not caused by it */
    const stave_report_node *node;
};
enum { NOBODY = -1 };

struct firings {
    stave_report *report;
    struct firing *list;
    size_t count;
};

struct firings firings_of(stave_session *session);
void firings_free(struct firings *firings);

/* That the session's firings are these: {id, cause} in their order. */
struct expected {
    const char *id;
    long cause;
};
void assert_firings(stave_session *session, const struct expected *expected, size_t count);
#define ASSERT_FIRINGS(session, ...)                                                               \
    assert_firings((session), (const struct expected[]){__VA_ARGS__},                              \
                   sizeof((const struct expected[]){__VA_ARGS__}) / sizeof(struct expected))

stave_session *start_session(void);

#endif
