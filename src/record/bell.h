/* record/bell.h - what the drain waits at, and others ring.
 *
 *     ending = stave__bell_wait(&bell, until_ns);          // the drain: true once it is to end
 *     stave__bell_ring(&bell, true);                       // others
 *
 * Its lock also guards what others tell the drain, or see of it: record/stream.h. It is held for moments only, but for
 * those in which files are given other names.  */
#ifndef STAVE_RECORD_BELL_H
#define STAVE_RECORD_BELL_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct stave__bell {
    pthread_mutex_t lock;
    pthread_cond_t rings;
    bool rung;   /* since it was waited for last */
    bool ending; /* for good */
};

void stave__bell_make(struct stave__bell *bell);
void stave__bell_destroy(struct stave__bell *bell);

/* Ends a wait. `ending`: that one and all that follow. */
void stave__bell_ring(struct stave__bell *bell, bool ending);

/* Until it is rung, or until a time of CLOCK_MONOTONIC. True: it is to end. */
bool stave__bell_wait(struct stave__bell *bell, int64_t until_ns);

/* How long to wait the next time where a wait was in vain: twice as long, within `most`. */
static inline int64_t stave__longer_wait(int64_t ns, int64_t most)
{
    return ns * 2 < most ? ns * 2 : most;
}

#endif
