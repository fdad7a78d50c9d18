#include "record/stream.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/os.h"
#include "base/os_process.h"
#include "record/image.h"

#define MS ((int64_t)1000000)
#define WAIT_LEAST (1 * MS) /* between two looks for full chunks */
#define WAIT_MOST (20 * MS)
#define FLUSH_AFTER (100 * MS) /* chunks that are not full */
#define TELL_AFTER (1000 * MS) /* of spans that are still open */

/* How far the drain is with a lane, and what it saw of it last: where nothing is new it does not look. */
struct drained {
    struct stave__image_place place;
    const struct stave__record *next;
    uint64_t serial;
    uint32_t chunk;
    uint32_t life;
};

struct stave__stream {
    struct stave__image image;
    struct drained *lanes; /* STAVE__LANES_MAX, address space until used */
    char *path;
    int fd;
    int status; /* of the drain */
    stave_error error;
    pthread_t thread;
    pthread_mutex_t lock; /* of these: */
    pthread_cond_t wake;
    bool ending;
    int64_t wait, flushed, told; /* ns */
    uint64_t ready;              /* chunks that had been taken when it looked last */
    uint64_t written;            /* records, when the counts were written last */
};

/* ---- a round --------------------------------------------------------------------------------- */

/* Whether a chunk has been filled since. */
static bool has_filled(struct drained *drained, const struct stave__lane *lane)
{
    uint32_t chunk = __atomic_load_n(&lane->chunk, __ATOMIC_RELAXED);
    bool other = chunk != drained->chunk;
    drained->chunk = chunk;
    return other;
}

/* Whether anything has been recorded since, or begun. */
static bool has_gone_on(struct drained *drained, const struct stave__lane *lane)
{
    uint64_t serial = __atomic_load_n(&lane->thread.serial, __ATOMIC_RELAXED);
    const struct stave__record *next = __atomic_load_n(&lane->thread.next, __ATOMIC_RELAXED);
    bool more = serial != drained->serial || next != drained->next;
    drained->serial = serial;
    drained->next = next;
    return more;
}

static void drain_lane(struct stave__stream *stream, uint32_t number, bool flush, bool tell)
{
    struct drained *drained = &stream->lanes[number];
    const struct stave__lane *lane = &stave__recorder.lanes[number];
    uint32_t life = stream->image.file.lanes[number].life;
    if (drained->life != life)
        *drained = (struct drained){.life = life};
    tell = tell && drained->place.told != 0;
    if (tell)
        drained->place.told = 0;
    bool filled = has_filled(drained, lane);
    if (flush ? has_gone_on(drained, lane) || filled || tell : filled)
        stave__image_put(&stream->image, number, &drained->place, flush);
}

/* What is in the file, and what is missing there by now. */
static void put_counts(struct stave__stream *stream)
{
    stave_counts counts;
    const stave_counts *before = &stave__recorder.counts_before;
    uint64_t written = stream->image.rows.taken;
    stave_get_counts(&counts);
    counts.recorded = before->recorded + written + counts.missed - before->missed;
    counts.evicted = before->evicted + counts.missed - before->missed;
    stave__image_counts(&stream->image.file, &counts);
    stream->written = written;
}

/* True at the most once in `after`; always when the file ends. */
static bool is_due(int64_t *last, int64_t now, int64_t after, bool ending)
{
    bool due = ending || now - *last >= after;
    if (due)
        *last = now;
    return due;
}

static void drain(struct stave__stream *stream, bool ending)
{
    struct stave__image_file *file = &stream->image.file;
    uint32_t lanes = stave__lanes_count();
    int64_t now = stave__os_monotonic_ns();
    bool flush = is_due(&stream->flushed, now, FLUSH_AFTER, ending);
    bool tell = flush && is_due(&stream->told, now, TELL_AFTER, ending);
    stave__image_lanes(file, lanes);
    stave__image_clock(file, ending);
    for (uint32_t lane = 0; lane < lanes && file->status >= 0; lane++)
        drain_lane(stream, lane, flush, tell);
    if (ending || stream->image.rows.taken != stream->written)
        put_counts(stream);
    if (!__atomic_load_n(&stave__recorder.pool.keep_newest, __ATOMIC_RELAXED))
        stave__pool_free_drained(&stave__recorder.pool);
}

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
        stream->wait = stream->wait * 2 < WAIT_MOST ? stream->wait * 2 : WAIT_MOST;
}

/* True when the file is to end. */
static bool wait(struct stave__stream *stream)
{
    int64_t until = stave__os_monotonic_ns() + stream->wait;
    struct timespec at = {.tv_sec = until / (1000 * MS), .tv_nsec = until % (1000 * MS)};
    int status = 0;
    pthread_mutex_lock(&stream->lock);
    while (!stream->ending && status == 0)
        status = pthread_cond_timedwait(&stream->wake, &stream->lock, &at);
    bool ending = stream->ending;
    pthread_mutex_unlock(&stream->lock);
    return ending;
}

static void *run(void *given)
{
    struct stave__stream *stream = given;
    bool ending = false;
    while (!ending && stream->image.file.status >= 0) {
        ending = wait(stream);
        drain(stream, ending);
        set_wait(stream);
    }
    stream->status = stave__image_close(&stream->image);
    return NULL;
}

/* ---- beginning and ending -------------------------------------------------------------------- */

static int write_to(void *context, const void *data, size_t size)
{
    struct stave__stream *stream = context;
    return stave__os_write(stream->fd, stream->path, data, size, &stream->error);
}

static void destroy(struct stave__stream *stream)
{
    pthread_cond_destroy(&stream->wake);
    pthread_mutex_destroy(&stream->lock);
    if (stream->fd >= 0)
        stave__os_close(stream->fd);
    if (stream->lanes != NULL)
        stave__os_unmap(stream->lanes, STAVE__LANES_MAX * sizeof *stream->lanes);
    free(stream->path);
    free(stream);
}

static void make_lock(struct stave__stream *stream)
{
    pthread_condattr_t attributes;
    pthread_mutex_init(&stream->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&stream->wake, &attributes);
    pthread_condattr_destroy(&attributes);
}

static struct stave__stream *make(const char *path)
{
    struct stave__stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL)
        return NULL;
    make_lock(stream);
    stream->fd = -1;
    stream->wait = WAIT_LEAST;
    stream->path = malloc(strlen(path) + 1);
    stream->lanes = stave__os_reserve(STAVE__LANES_MAX * sizeof *stream->lanes);
    if (stream->path == NULL || stream->lanes == NULL) {
        destroy(stream);
        return NULL;
    }
    memcpy(stream->path, path, strlen(path) + 1);
    return stream;
}

static int create_file(struct stave__stream *stream)
{
    stave_error *error = &stream->error;
    int status = stave__os_create_growing(stream->path, 0600, &stream->fd, error);
    if (status >= 0)
        status = stave__os_make_private(stream->fd, stream->path, error);
    return status;
}

/* Its head is in the file, and the drain runs. */
static int start_drain(struct stave__stream *stream)
{
    stave_sink sink = {.write = write_to, .context = stream};
    int status = stave__image_open(&stream->image, true, sink, &stream->error);
    stave__writer_reread(&stream->image.file.writer, stream->fd);
    if (status >= 0)
        status =
            stave__os_start_thread(&stream->thread, "stave-drain", run, stream, &stream->error);
    if (status < 0)
        stave__image_close(&stream->image);
    return status;
}

int stave__stream_begin(struct stave__stream **given, const char *path, stave_error *error)
{
    struct stave__stream *stream = make(path);
    if (stream == NULL)
        return stave__fail_memory(error);
    int status = create_file(stream);
    if (status >= 0)
        status = start_drain(stream);
    if (status < 0) {
        stave__fail(error, status, 0, "%s", stream->error.message);
        destroy(stream);
        return status;
    }
    *given = stream;
    return STAVE_OK;
}

int stave__stream_end(struct stave__stream *stream, stave_error *error)
{
    pthread_mutex_lock(&stream->lock);
    stream->ending = true;
    pthread_cond_signal(&stream->wake);
    pthread_mutex_unlock(&stream->lock);
    pthread_join(stream->thread, NULL);
    int status = stream->status;
    if (status < 0)
        stave__fail(error, status, 0, "%s", stream->error.message);
    destroy(stream);
    return status;
}

void stave__stream_leave(struct stave__stream *stream)
{
    stave__os_close(stream->fd);
}
