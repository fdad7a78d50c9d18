#include "record/stream.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/os_process.h"
#include "record/drain.h"

#define MS ((int64_t)1000000)
#define WAIT_LEAST (1 * MS) /* between two looks for full chunks */
#define WAIT_MOST (20 * MS)
#define LOOK_AFTER (1000 * MS)
#define WAIT_FULL (60 * 1000 * MS) /* where nothing is to be done unless it is told so */

struct stave__stream {
    struct stave__drain drain;
    struct stave__bell bell;
    stave_file_config limits; /* under the bell's lock */
    stave_error error;        /* the first failure, also one that has passed */
    pthread_t thread;
    int64_t wait;   /* ns */
    int64_t looked; /* for other threads; ns of CLOCK_MONOTONIC */
    uint64_t ready; /* chunks that had been taken when it looked last */
};

/* ---- the thread ------------------------------------------------------------------------------ */

/* About as long as it takes to fill a chunk. */
static void set_wait(struct stave__stream *stream)
{
    uint64_t ready = __atomic_load_n(&stave__recorder.pool.ready, __ATOMIC_RELAXED);
    uint64_t filled = ready - stream->ready;
    stream->ready = ready;
    if (filled > 1)
        stream->wait = stream->wait / 2 > WAIT_LEAST ? stream->wait / 2 : WAIT_LEAST;
    else if (filled == 0)
        stream->wait = stave__longer_wait(stream->wait, WAIT_MOST);
}

static int64_t next_round(const struct stave__stream *stream)
{
    const struct stave__drain *drain = &stream->drain;
    int64_t now = stave__os_monotonic_ns();
    if (drain->is_full)
        return drain->limits.files > 1 ? drain->retry_at : now + WAIT_FULL;
    return now + stream->wait;
}

/* True when the file is to end. */
static bool wait(struct stave__stream *stream)
{
    bool ending = stave__bell_wait(&stream->bell, next_round(stream));
    pthread_mutex_lock(&stream->bell.lock);
    stream->drain.limits = stream->limits;
    pthread_mutex_unlock(&stream->bell.lock);
    return ending;
}

/* Looked for every second. A process whose first thread has left by pthread_exit() ends with its last one. */
static bool is_left_alone(struct stave__stream *stream)
{
    int64_t now = stave__os_monotonic_ns();
    if (now - stream->looked < LOOK_AFTER)
        return false;
    stream->looked = now;
    return stave__os_is_last_thread();
}

static void *run(void *given)
{
    struct stave__stream *stream = given;
    bool ending = false;
    int status = STAVE_OK;
    stave__drain_begin(&stream->drain);
    while (!ending && status >= 0) {
        ending = wait(stream) || is_left_alone(stream);
        status = stave__drain_round(&stream->drain, ending);
        set_wait(stream);
    }
    stave__drain_finish(&stream->drain);
    return NULL;
}

/* ---- beginning and ending -------------------------------------------------------------------- */

static int start_drain(struct stave__stream *stream, const char *path)
{
    stave_error *error = &stream->error;
    int status = stave__drain_open(&stream->drain, path, &stream->bell, error);
    if (status < 0)
        return status;
    status = stave__os_start_thread(&stream->thread, "stave-drain", run, stream, error);
    if (status < 0)
        stave__drain_close(&stream->drain);
    return status;
}

int stave__stream_begin(struct stave__stream **made, const char *path,
                        const stave_file_config *limits, stave_error *error)
{
    struct stave__stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL)
        return stave__fail_memory(error);
    stave__bell_make(&stream->bell);
    stream->limits = *limits;
    stream->wait = WAIT_LEAST;
    int status = start_drain(stream, path);
    if (status < 0) {
        stave__fail(error, status, 0, "%s", stream->error.message);
        stave__bell_destroy(&stream->bell);
        free(stream);
        return status;
    }
    *made = stream;
    return STAVE_OK;
}

int stave__stream_end(struct stave__stream *stream, stave_error *error)
{
    stave__bell_ring(&stream->bell, true);
    pthread_join(stream->thread, NULL);
    int status = stream->error.status;
    if (status < 0)
        stave__fail(error, status, 0, "%s", stream->error.message);
    stave__drain_close(&stream->drain);
    stave__bell_destroy(&stream->bell);
    free(stream);
    return status;
}

void stave__stream_limit(struct stave__stream *stream, const stave_file_config *limits)
{
    pthread_mutex_lock(&stream->bell.lock);
    stream->limits = *limits;
    pthread_mutex_unlock(&stream->bell.lock);
    stave__bell_ring(&stream->bell, false);
}

/* ---- forks ----------------------------------------------------------------------------------- */

void stave__stream_hold(struct stave__stream *stream)
{
    pthread_mutex_lock(&stream->bell.lock);
}

void stave__stream_let_go(struct stave__stream *stream)
{
    pthread_mutex_unlock(&stream->bell.lock);
}

void stave__stream_leave(struct stave__stream *stream)
{
    stave__os_close(stream->drain.file.fd);
    stave__os_close(stream->drain.file.next_fd);
}
