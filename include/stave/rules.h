/* stave/rules.h - which rule was evaluated when, in which run, and because of what.
 *
 *     stave_rule price = {.id = "0f6c", .description = "price is positive"};
 *     stave_rule total = {.id = "7b1e", .description = "total matches", .depends_on = STAVE_RULES(&price)};
 *
 *     bool check_price(const struct order *order)
 *     {
 *         STAVE_RULE(&price);                             // an evaluation: to the end of its block
 *         if (order->price < 0)
 *             return stave_rule_fail("negative price"), false;
 *         return true;
 *     }
 *
 *     stave_session *session = stave_session_start(NULL, &error);
 *     {
 *         STAVE_RUN(run, "order", STAVE_ID(order->number)); // what belongs together: one order, one request
 *         check_price(order);
 *         pool_run(pool, check_stock, order, run);          // there: STAVE_RULE_IN(run, &stock);
 *     }
 *     stave_report *report = stave_session_report(session, &error);     // stave/report.h
 *     stave_session_free(session);
 *
 * Session    Captures each evaluation that begins while it goes on, of all threads or of one. Without one nothing is
 *            captured, and a probe costs what a disabled span costs. Any number of them may overlap, in time and in
 *            threads; each has all that is in its own scope. Sessions do not ask whether recording is on
 *            (stave/stave.h): that is the switch of spans, this is the switch of rules. Where nothing was started, a
 *            session takes the recorder's memory itself.
 * Rule       Known by its id, compared byte by byte, never by its description. It is read and copied at its first
 *            evaluation in the process, with the ids and descriptions of the rules that it points to; two with one id
 *            are one rule, as the first was. Afterwards the struct may go. What is in use must not be changed, but may
 *            be overwritten as a whole.
 * Unit       One rule is the smallest unit. What a rule does inside is seen as far as it has spans
 *            (STAVE_SCOPE, STAVE_FUNCTION), or is cut into rules of its own.
 * Evaluation A span of its thread's lane, 32 bytes in the recorder's memory; 64 when it names a place on another
 *            thread. A session holds these records until it is freed, up to half of the memory; what is given up beyond
 *            that, or found no room, is counted, and the report says so. In a STAVE_CUMULATIVE span an evaluation is
 *            summed up, and stands in no tree.
 * Errors     Of sessions alone. A probe never fails, never waits, takes no lock and does not call the kernel.
 * Threads    All of it from any thread; not from a signal handler. An evaluation, or run, ends on the thread that began
 *            it, inside all that was begun before it.
 * Forks      A session does not go on in a child; there it can be freed.
 * C, C++     In C++11: `stave_rule total = stave_rule(); total.id = "7b1e"; total.depends_on = STAVE_RULES(&price);`.
 *
 * docs/rules.md defines what a report makes of it.  */
#ifndef STAVE_RULES_H
#define STAVE_RULES_H

#include "stave/stave.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- rules ----------------------------------------------------------------------------------- */

typedef struct stave_rule stave_rule;

/* Zero is the default of every field. Texts are of at most STAVE_TEXT_MAX bytes, longer ones are cut; NULL is the empty
 * text, which is an id as any other. No rule on the way from one to what it depends on need have been used, or exist. */
struct stave_rule {
    const char *id;
    const char *description;           /* any text, also that of another rule */
    stave_rule *const *depends_on;     /* ends with NULL; NULL: on nothing */
    const char *const *depends_on_ids; /* likewise: those that there is no struct of at hand */
    stave_rule *
        parent; /* whose part it is, when its evaluations are not inside those of that one anyway */
    uint32_t number; /* the library's; 0: not used yet */
    uint32_t unused;
};

/* A list for depends_on. In C it lives as long as the block that it stands in, outside of functions for good; in C++
 * it is of rules that do. */
#ifdef __cplusplus
#define STAVE_RULES(...)                                                                           \
    ([]() -> stave_rule *const * {                                                                 \
        static stave_rule *const stave__rules[] = {__VA_ARGS__, nullptr};                          \
        return stave__rules;                                                                       \
    }())
#else
#define STAVE_RULES(...) ((stave_rule *const[]){__VA_ARGS__, NULL})
#endif

/* Reads a rule, and all that can be reached from it by pointers, before any is used: then a report knows also those that are
 * never evaluated, and cycles through them. Costs what so many first uses cost. Nothing before the first session or
 * stave_start(). */
#define stave_rule_declare(rule) stave__rule_declare((rule), sizeof(stave_rule))

enum {
    STAVE_SESSIONS_MAX = 64,  /* that have not been freed, at a time */
    STAVE_RULES_MAX = 262143, /* in a process, together with all names of spans */
    STAVE_DEPENDENCIES_MAX =
        65535 /* of a rule; those beyond are passed over, as those of all rules beyond 2^22 */
};

/* How an evaluation came out; one of these each, the last that was told. */
typedef enum stave_outcome {
    STAVE_DONE = 0,
    STAVE_FAILED = 1,    /* it was evaluated, and the answer is no, or there is none */
    STAVE_SKIPPED = 2,   /* it was not evaluated: no call */
    STAVE_CACHED = 3,    /* the answer was known; its time is that of looking it up */
    STAVE_CANCELLED = 4, /* it was given up since no one wants the answer any more */
    STAVE_TIMED_OUT = 5  /* it was given up since it took too long */
} stave_outcome;

/* ---- sessions -------------------------------------------------------------------------------- */

typedef struct stave_session stave_session;

/* Zero is the default of every field. */
typedef struct stave_session_config {
    /* Only the calling thread, and, on other threads, what is evaluated in runs and evaluations that were begun in scope on
     * this one (STAVE_RULE_IN). Other threads capture nothing for it. False: all threads. */
    bool this_thread;
    /* Bytes of memory of the recorder, if this is what makes it: as in stave_config, 0 means 64 MiB, at least 1 MiB, at
     * most 128 TiB. Else without effect. */
    uint64_t max_bytes;
} stave_session_config;

#define stave_session_start(config, error)                                                         \
    stave_session_start_sized((config), sizeof(stave_session_config), (error))

/* `config` may be NULL. What begins from here on is captured. NULL and STAVE_E_MEMORY, STAVE_E_ARGUMENT; STAVE_E_LIMIT
 * beyond STAVE_SESSIONS_MAX; STAVE_E_STATE when another copy of libstave records in the process. Threads that evaluate
 * go on meanwhile: one that has not seen it yet captures a moment later. */
STAVE_API stave_session *stave_session_start_sized(const stave_session_config *config,
                                                   size_t config_size, stave_error *error);

/* What begins from here on is not captured; what is open is, at its end. Once is enough. NULL is allowed, here and
 * below. */
STAVE_API void stave_session_stop(stave_session *session);

/* Its number in the process and in files, from 1; 0 for NULL. */
STAVE_API uint64_t stave_session_number(const stave_session *session);

/* Stops it, and lets go of its records. */
STAVE_API void stave_session_free(stave_session *session);

/* What it has captured, up to this moment, as a .stave file: from which a report can be made elsewhere, or later. It says
 * whose it is, since what others captured may be in it too. Capture goes on. Errors: the sink's, STAVE_E_MEMORY, STAVE_E_IO. The file's mode is 0600; it appears whole or not at all. */
STAVE_API int stave_session_snapshot(stave_session *session, stave_sink sink, stave_error *error);
STAVE_API int stave_session_dump(stave_session *session, const char *path, stave_error *error);

/* What was captured and is not in the session any more, or never was. */
typedef struct stave_session_lost {
    uint64_t
        given_up; /* evaluations given up to make room, when there was no memory to hold them */
    uint64_t
        dropped; /* that found no room: none for records, too deep, too many rules, threads or spans */
} stave_session_lost;

#define stave_session_lost_of(session, lost)                                                       \
    stave_session_lost_of_sized((session), (lost), sizeof(stave_session_lost))
STAVE_API void stave_session_lost_of_sized(const stave_session *session, stave_session_lost *lost,
                                           size_t lost_size);

/* ---- summaries: for engines that only keep aggregates ---------------------------------------- */

#define STAVE_UNKNOWN UINT64_MAX

/* What an engine has counted by itself. Zero is the default of the counts; of times what is not known is STAVE_UNKNOWN.
 * `calls` are all but the skipped, as everywhere. */
typedef struct stave_summary {
    uint64_t calls, failed, skipped, cached, cancelled, timed_out;
    uint64_t total_ns; /* of all calls, from start to end */
    uint64_t self_ns;  /* without what other rules took in it; STAVE_UNKNOWN: as total_ns */
    uint64_t first_ns, min_ns, max_ns;
} stave_summary;

/* Adds it to what the session has of the rule, evaluations included: counts and times add up, `first_ns` is that of the
 * first one. It is in no tree and no run. Takes a lock and memory: not for every evaluation. STAVE_E_MEMORY;
 * STAVE_E_LIMIT: too many rules; STAVE_E_ARGUMENT: more outcomes than calls, or times that contradict each other;
 * STAVE_E_STATE: it is stopped. */
#define stave_session_add(session, rule, summary, error)                                           \
    stave__session_add((session), (rule), sizeof(stave_rule), (summary), sizeof(stave_summary),    \
                       (error))

/* ---- runs ------------------------------------------------------------------------------------ */

/* A run, or an evaluation: a place that other threads can evaluate in. Its words are a span's identity. It may be copied,
 * kept, and used after its end; all zero: where the thread is. */
typedef struct stave_run {
    uint64_t serial;
    uint32_t owner;
    uint32_t unused;
} stave_run;

/* One pass of a workflow: dependencies are looked for within it. What its thread evaluates until its end is in it, and what
 * others evaluate with its handle. In another run it is part of that one only for the eye. `name` may be made at run time; NULL:
 * "run". None in a STAVE_CUMULATIVE span. Attributes: stave_set_str(stave_current_span(), ...), or those of STAVE_RUN. None without a session. */
STAVE_API stave_run stave_run_begin(const char *name);
STAVE_API void stave_run_end(stave_run run);

/* The innermost evaluation or run that is open on the calling thread; none: all zero. For who hands work to other threads. */
STAVE_API stave_run stave_rule_here(void);

/* ---- evaluations by handle ------------------------------------------------------------------- */

/* One that is open, or none. */
typedef struct stave_evaluation {
    stave_span span; /* for STAVE_SET, stave_set_i64() and its kin */
    stave_run here;  /* for others to evaluate in, or to be caused by, also after its end */
} stave_evaluation;

/* Begins an evaluation in a run or in another evaluation; `run` all zero: where the thread is, as STAVE_RULE. If `run` is
 * an evaluation that has ended, then this one was caused by it: it counts as one more that the rule depends on. */
#define stave_rule_begin(rule, run) stave__rule_begin((rule), (run), sizeof(stave_rule), STAVE_ABI)

/* Nothing for one that is not open. `outcome`: STAVE_DONE leaves what was told before; `reason`: see stave_rule_fail(). */
STAVE_API void stave_rule_end(stave_evaluation evaluation, stave_outcome outcome,
                              const char *reason);

/* Of the innermost evaluation that is open on the calling thread, whatever spans are open in it. Nothing where there is
 * none, or it is summed up. `reason` is copied; it is the attribute "error", and the last one counts: NULL
 * leaves one that was told before. STAVE_DONE takes back what was told before, and its reason. */
STAVE_API void stave_rule_fail(const char *reason);
STAVE_API void stave_rule_outcome(stave_outcome outcome, const char *reason);

/* The rule was not evaluated, here and now: an evaluation of length 0. Nothing in a STAVE_CUMULATIVE span. */
#define stave_rule_skip(rule, run, reason)                                                         \
    stave__rule_skip((rule), (run), (reason), sizeof(stave_rule), STAVE_ABI)

/* ---- probes ---------------------------------------------------------------------------------- *
 *
 *     STAVE_RULE(&rule, kv...);                   an evaluation
 *     STAVE_RULE_SPAN(variable, &rule, kv...);    with a name in the code: a const stave_span
 *     STAVE_RULE_IN(run, &rule, kv...);           in a run, or an evaluation, of any thread
 *     STAVE_RUN(variable, "name", kv...);         a run, with a name in the code: a const stave_run
 *
 * Declaration statements, as all probes (stave/probes.h); docs/recording.md, "Places", holds for them. What begins with
 * a block ends with it, in any way. kv... are evaluated only when something captures. With STAVE_DISABLED they are
 * nothing, and a run is none.
 *
 * Cost       Without a session: one load, one branch that is predicted. With one: that of a span; a call where the rule is
 *            met first, where sessions are of single threads only, and for STAVE_RULE_IN and STAVE_RUN.  */

/* ---- what probes are made of; not to be used directly ---------------------------------------- */

/* Bit 0: a session captures all threads; the rest is twice the number of those that capture one. */
extern STAVE_API uint32_t stave__rules_on;

STAVE_API stave_span stave__rule_begin_slowly(stave_rule *rule, size_t rule_size, uint32_t abi);
STAVE_API stave_evaluation stave__rule_begin(stave_rule *rule, stave_run run, size_t rule_size,
                                             uint32_t abi);
STAVE_API void stave__rule_skip(stave_rule *rule, stave_run run, const char *reason,
                                size_t rule_size, uint32_t abi);
STAVE_API void stave__rule_declare(stave_rule *rule, size_t rule_size);
STAVE_API int stave__session_add(stave_session *session, stave_rule *rule, size_t rule_size,
                                 const stave_summary *summary, size_t summary_size,
                                 stave_error *error);

#define STAVE__RULES_ON STAVE__UNLIKELY(__atomic_load_n(&stave__rules_on, __ATOMIC_RELAXED) != 0)

/* As stave__begin(): the rule's number is that of its name. */
STAVE__INLINE stave_span stave__begin_rule(stave_rule *rule)
{
    struct stave__thread *self = stave__self;
    struct stave__open *slot = self->top;
    uint32_t on = __atomic_load_n(&stave__rules_on, __ATOMIC_RELAXED);
    uint32_t id = __atomic_load_n(&rule->number, __ATOMIC_RELAXED);
    stave_span span;
    if (STAVE__UNLIKELY(slot == self->limit || id - 1 >= STAVE__NO_ID - 1 || (on & 1) == 0))
        return stave__rule_begin_slowly(rule, sizeof *rule, STAVE_ABI);
    span.slot = slot;
    span.serial = self->serial + 1;
    STAVE__STORE(slot->serial, span.serial);
    stave__order_stores(); /* R5 of record/recorder.h */
    STAVE__STORE(self->serial, span.serial);
    STAVE__STORE(slot->what, id | (uint64_t)(slot - self->base) << STAVE__DEPTH_SHIFT);
    STAVE__STORE(slot->start, stave__now());
    STAVE__PUBLISH(self->top, slot + 1);
    return span;
}

/* What the cleanup attribute calls. */
static inline void stave__close_run(const stave_run *run)
{
    if (run->serial != 0)
        stave_run_end(*run);
}

static inline stave_run stave__no_run(void)
{
    stave_run none;
    none.serial = 0;
    none.owner = 0;
    none.unused = 0;
    return none;
}

#ifndef STAVE_DISABLED

/* As STAVE__OPEN of stave/probes.h, by the sessions' switch. */
#define STAVE__OPEN_RULE(variable, begin, ...)                                                     \
    const stave_span variable __attribute__((cleanup(stave__close), unused)) =                     \
        STAVE__RULES_ON ? __extension__({                                                          \
            const stave_span stave__target = begin;                                                \
            __VA_ARGS__;                                                                           \
            stave__target;                                                                         \
        })                                                                                         \
                        : stave__none()

#define STAVE_RULE(...) STAVE_RULE_SPAN(STAVE__UNIQUE(scope), __VA_ARGS__)
#define STAVE_RULE_SPAN(variable, ...)                                                             \
    STAVE__OPEN_RULE(variable, stave__begin_rule(STAVE__FIRST(__VA_ARGS__)),                       \
                     STAVE__REST(__VA_ARGS__))
#define STAVE_RULE_IN(run, ...)                                                                    \
    STAVE__OPEN_RULE(STAVE__UNIQUE(scope), stave_rule_begin(STAVE__FIRST(__VA_ARGS__), run).span,  \
                     STAVE__REST(__VA_ARGS__))
#define STAVE_RUN(variable, ...)                                                                   \
    const stave_run variable __attribute__((cleanup(stave__close_run), unused)) =                  \
        STAVE__RULES_ON ? __extension__({                                                          \
            const stave_run stave__begun = stave_run_begin(STAVE__FIRST(__VA_ARGS__));             \
            const stave_span stave__target =                                                       \
                stave__begun.serial != 0 ? stave_current_span() : stave__none();                   \
            (void)stave__target;                                                                   \
            STAVE__REST(__VA_ARGS__);                                                              \
            stave__begun;                                                                          \
        })                                                                                         \
                        : stave__no_run()

#else

#define STAVE_RULE(...) STAVE__UNUSED((void)(STAVE__FIRST(__VA_ARGS__)), STAVE__REST(__VA_ARGS__))
#define STAVE_RULE_SPAN(variable, ...)                                                             \
    const stave_span variable __attribute__((unused)) =                                            \
        0 ? ((void)(STAVE__FIRST(__VA_ARGS__)), STAVE__REST(__VA_ARGS__), stave__none())           \
          : stave__none()
#define STAVE_RULE_IN(run, ...)                                                                    \
    STAVE__UNUSED((void)(run), (void)(STAVE__FIRST(__VA_ARGS__)), STAVE__REST(__VA_ARGS__))
#define STAVE_RUN(variable, ...)                                                                   \
    const stave_run variable __attribute__((unused)) =                                             \
        0 ? ((void)(STAVE__FIRST(__VA_ARGS__)), STAVE__REST(__VA_ARGS__), stave__no_run())         \
          : stave__no_run()

#endif

#ifdef __cplusplus
}
#endif

#endif
