/* stave_clips.h - the firings of a CLIPS 6.30 environment as evaluations of rules, each below the firing that caused it.
 *
 *     void *clips = CreateEnvironment();
 *     EnvLoad(clips, "orders.clp");
 *     if (stave_clips_attach(clips, NULL, &error) < 0) ...
 *
 *     stave_session *session = stave_session_start(NULL, &error);       // stave/rules.h
 *     EnvReset(clips);
 *     EnvRun(clips, -1);
 *     stave_report *report = stave_session_report(session, &error);     // stave/report.h
 *
 * Firing     An evaluation of the rule whose id and description are "MODULE::name": from just before CLIPS takes the
 *            activation off the agenda until it has run the actions, matched what they asserted and retracted, and
 *            collected its garbage. It is failed if execution was halted in it, which is what an error in its actions does;
 *            (halt) is none.
 * Cause      The firing in which the activation came onto the agenda: that which asserted the last fact missing, or retracted
 *            the last one in the way. What came onto it outside of any firing, by (reset), say, was caused by none, and is a
 *            root, or inside what is open on the thread.
 * Sessions   Nothing is captured without one; a firing then costs two calls and a search. A firing whose cause was in an earlier
 *            session is a root, and `unplaced` in the report; attach anew between two sessions, and there is no cause.
 * Runs       What a firing has caused is in its run, also if it fires in a later STAVE_RUN.
 * Clear      (clear), (reset), (build), (undefrule), (refresh), changes of salience, strategy and focus are allowed at any time.
 *            Rules that are made anew by a name that was there are the same rule.
 * Errors     Of attaching alone. What is seen of a run never changes it: no text is printed, nothing asserted, no error raised.
 * Memory     For each firing whose activations are still on the agenda 40 bytes, up to max_firings; for each rule that has
 *            fired its id and about 100 bytes, until it is deleted. Allocated by malloc(3), freed with the environment.
 * Threads    As the environment: one at a time. Environments share nothing.
 * Linking    A static library, so that header and code are of one version; then libstave, libclips and libm.
 * In CLIPS   It takes a place for environment data, a user data record, and the names "stave" of a run, a before-run and a
 *            clear function. No function of CLIPS is replaced.  */
#ifndef STAVE_CLIPS_H
#define STAVE_CLIPS_H

#include <stdbool.h>
#include <stdint.h>

#include <stave/rules.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Zero is the default of every field. */
typedef struct stave_clips_config {
    /* Of how many firings it is remembered that they caused what is still on the agenda; 0: 1,048,576. Beyond that the
     * oldest are forgotten, and what they caused becomes a root (stave_clips_counts.unknown). */
    uint64_t max_firings;
    /* Of environment data, from USER_ENVIRONMENT_DATA on; 0: the highest that is free. */
    uint32_t position;
    /* Also attributes: `salience`, and `basis`, the facts and instances that the activation has matched ("f-3,f-7").
     * Costs a few times what a firing costs without. */
    bool details;
} stave_clips_config;

/* `environment` is what CreateEnvironment() has returned, `config` may be NULL. What fires from here on is seen; in a rule's
 * actions that is the next firing. STAVE_E_STATE if it is attached already; STAVE_E_LIMIT if there is no place for its data;
 * STAVE_E_ARGUMENT if the position is taken; STAVE_E_MEMORY. */
int stave_clips_attach(void *environment, const stave_clips_config *config, stave_error *error);

/* What fires from here on is not seen; a firing that is open ends. Not from a run function. Nothing where it is not attached. An
 * environment need not be detached before it is destroyed. */
void stave_clips_detach(void *environment);

/* Since the environment was attached, whether or not there was a session. */
typedef struct stave_clips_counts {
    uint64_t firings;
    uint64_t failed;
    uint64_t caused;     /* by a firing that was captured */
    uint64_t unknown;    /* by one that is forgotten, for max_firings or for want of memory */
    uint64_t uncaptured; /* for want of memory, in the adapter: not recorded */
} stave_clips_counts;

/* All zero where it is not attached. */
stave_clips_counts stave_clips_counts_of(void *environment);

#ifdef __cplusplus
}
#endif

#endif
