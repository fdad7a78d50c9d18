#include "record/drain.h"

#include "base/error.h"
#include "base/os_process.h"
#include "record/image_rules.h"

#define MS ((int64_t)1000000)
#define FLUSH_AFTER (100 * MS)  /* chunks that are not full */
#define TELL_AFTER (1000 * MS)  /* of spans that are still open */
#define RETRY_AFTER (1000 * MS) /* a file that could not be followed; then twice as long */
#define RETRY_MOST (60 * 1000 * MS)

/* How far the drain is with a lane, and what it saw of it last: where nothing is new it does not look. */
struct stave__drained {
    struct stave__image_place place;
    const struct stave__record *next;
    uint64_t serial;
    uint32_t chunk;
    uint32_t life;
};

/* ---- from one file to the next --------------------------------------------------------------- */

/* What is in the file, and what is missing by now: without that of which the files before tell. */
static void put_counts(struct stave__drain *drain)
{
    stave_counts counts;
    const stave_counts *before = &drain->before;
    uint64_t written = drain->image.rows.taken;
    stave_get_counts(&counts);
    uint64_t missed = counts.missed - before->missed;
    counts.recorded = before->recorded + written - drain->image.taken_before + missed;
    counts.evicted = before->evicted + missed;
    stave__image_counts(&drain->image.file, &counts, before);
    drain->counted = counts;
    drain->written = written;
}

static void finish_full(struct stave__drain *drain, bool is_last)
{
    drain->image.file.is_full = drain->is_full = is_last;
    stave__image_clock(&drain->image.file, true);
    stave__image_rules(&drain->image.file);
    stave__image_sessions(&drain->image.file);
    put_counts(drain);
    stave__image_file_finish(&drain->image.file);
}

/* A lane; from the beginning, once it is another thread's. */
static struct stave__drained *drained_of(struct stave__drain *drain, uint32_t lane)
{
    struct stave__drained *drained = &drain->lanes[lane];
    uint32_t life = drain->image.file.lanes[lane].life;
    if (drained->life != life)
        *drained = (struct stave__drained){.life = life};
    return drained;
}

/* What is told once, or where it is new, is told again. */
static void begin_next(struct stave__drain *drain)
{
    struct stave__image_file *file = &drain->image.file;
    uint32_t lanes = stave__lanes_count();
    stave__stream_file_go_on(&drain->file);
    stave__image_next(&drain->image);
    stave__writer_reread(&file->writer, drain->file.fd);
    stave__image_lanes(file, lanes);
    stave__image_clock(file, false);
    for (uint32_t lane = 0; lane < lanes && file->status >= 0; lane++)
        stave__image_put_open(&drain->image, lane, &drained_of(drain, lane)->place);
    drain->before = drain->counted;
    drain->is_full = false;
    drain->retry_after = RETRY_AFTER;
}

/* Where names cannot be given, say, it is tried again later. */
static bool find_next(struct stave__drain *drain)
{
    int64_t now = stave__os_monotonic_ns();
    if (drain->limits.files < 2 || now < drain->retry_at)
        return false;
    if (stave__stream_file_find_next(&drain->file, drain->limits.files) >= 0)
        return true;
    drain->retry_at = now + drain->retry_after;
    drain->retry_after = stave__longer_wait(drain->retry_after, RETRY_MOST);
    return false;
}

/* From a full file. False: there is no next one, for now. */
static bool go_on(struct stave__drain *drain)
{
    bool found = find_next(drain);
    if (!drain->is_full)
        finish_full(drain, !found);
    if (found)
        begin_next(drain);
    return found;
}

/* ---- a lane ---------------------------------------------------------------------------------- */

/* Whether a chunk has been filled since. */
static bool has_filled(struct stave__drained *drained, const struct stave__lane *lane)
{
    uint32_t chunk = __atomic_load_n(&lane->chunk, __ATOMIC_RELAXED);
    bool other = chunk != drained->chunk;
    drained->chunk = chunk;
    return other;
}

/* Whether anything has been recorded since, or begun. */
static bool has_gone_on(struct stave__drained *drained, const struct stave__lane *lane)
{
    uint64_t serial = __atomic_load_n(&lane->thread.serial, __ATOMIC_RELAXED);
    const struct stave__record *next = __atomic_load_n(&lane->thread.next, __ATOMIC_RELAXED);
    bool more = serial != drained->serial || next != drained->next;
    drained->serial = serial;
    drained->next = next;
    return more;
}

/* Into as many files as it takes, but no more than there was at first: a thread that is faster has its next round. */
static void put_lane(struct stave__drain *drain, uint32_t number)
{
    struct stave__image *image = &drain->image;
    struct stave__image_place *place = &drained_of(drain, number)->place;
    uint32_t left = stave__image_put(image, number, place, drain->flush);
    while (image->file.status >= 0 && left > 0 && stave__image_is_full(image) && go_on(drain)) {
        uint32_t still_left = stave__image_put(image, number, place, drain->flush);
        left = still_left < left ? still_left : left - 1;
    }
}

static void drain_lane(struct stave__drain *drain, uint32_t number)
{
    struct stave__drained *drained = drained_of(drain, number);
    const struct stave__lane *lane = &stave__recorder.lanes[number];
    bool filled = has_filled(drained, lane); /* each notes what it has seen */
    bool went_on = drain->flush && has_gone_on(drained, lane);
    bool news = filled || went_on;
    bool tell = drain->all || (drain->tell && drained->place.told != 0);
    if (tell)
        drained->place.told = 0;
    if (news || tell)
        put_lane(drain, number);
}

/* ---- a round --------------------------------------------------------------------------------- */

/* True at the most once in `after`, or because it must be. */
static bool is_due(int64_t *last, int64_t now, int64_t after, bool must)
{
    bool due = must || now - *last >= after;
    if (due)
        *last = now;
    return due;
}

/* While a process is idle its open spans and the time do not make a file larger than it may be. */
static bool is_idle(const struct stave__drain *drain, uint32_t lanes)
{
    uint64_t max_bytes = drain->image.max_bytes;
    if (max_bytes == 0 || drain->image.file.writer.offset < max_bytes || drain->all)
        return false;
    for (uint32_t i = 0; i < lanes; i++) {
        struct stave__drained drained = drain->lanes[i];
        if (has_gone_on(&drained, &stave__recorder.lanes[i]))
            return false;
    }
    return true;
}

static void look_at_lanes(struct stave__drain *drain, bool ending)
{
    struct stave__image_file *file = &drain->image.file;
    uint32_t lanes = stave__lanes_count();
    int64_t now = stave__os_monotonic_ns();
    if (is_idle(drain, lanes))
        return;
    drain->flush = is_due(&drain->flushed, now, FLUSH_AFTER, drain->all);
    drain->tell = drain->flush && is_due(&drain->told, now, TELL_AFTER, drain->all);
    stave__image_lanes(file, lanes);
    stave__image_clock(file, ending);
    stave__image_rules(file);
    for (uint32_t lane = 0; lane < lanes && file->status >= 0 && !drain->is_full; lane++)
        drain_lane(drain, lane);
    stave__image_rules(file); /* of what was met meanwhile */
}

/* A limit may have become lower, or there may be a next file by now. The last round begins none without need. */
static bool may_write(struct stave__drain *drain, bool ending)
{
    bool was_full = drain->is_full;
    drain->image.max_bytes = drain->limits.max_bytes;
    if (ending)
        drain->retry_at = 0;
    if ((was_full || (!ending && stave__image_is_full(&drain->image))) && !go_on(drain))
        return false;
    drain->all = ending || was_full;
    return true;
}

int stave__drain_round(struct stave__drain *drain, bool ending)
{
    if (may_write(drain, ending))
        look_at_lanes(drain, ending);
    if (!drain->is_full && (ending || drain->image.rows.taken != drain->written))
        put_counts(drain);
    if (!drain->is_full && ending)
        stave__image_sessions(&drain->image.file);
    if (!__atomic_load_n(&stave__recorder.pool.keep_newest, __ATOMIC_RELAXED))
        stave__pool_free_drained(&stave__recorder.pool);
    return drain->image.file.status;
}

/* ---- beginning and ending -------------------------------------------------------------------- */

static int open_image(struct stave__drain *drain, stave_error *error)
{
    stave_sink sink = {.write = stave__stream_file_write, .context = &drain->file};
    int status = stave__image_open(&drain->image, true, sink, error);
    stave__writer_reread(&drain->image.file.writer, drain->file.fd);
    drain->image.file.number = 1;
    if (status < 0)
        stave__image_close(&drain->image);
    return status;
}

int stave__drain_open(struct stave__drain *drain, const char *path, struct stave__bell *bell,
                      stave_error *error)
{
    drain->lanes = stave__os_reserve(STAVE__LANES_MAX * sizeof *drain->lanes);
    if (drain->lanes == NULL)
        return stave__fail_memory(error);
    int status = stave__stream_file_open(&drain->file, path, bell, error);
    if (status >= 0)
        status = open_image(drain, error);
    if (status < 0) {
        stave__stream_file_close(&drain->file);
        stave__os_unmap(drain->lanes, STAVE__LANES_MAX * sizeof *drain->lanes);
    }
    return status;
}

void stave__drain_begin(struct stave__drain *drain)
{
    drain->before = stave__recorder.counts_before;
    drain->retry_after = RETRY_AFTER;
    drain->file.patient = true;
}

void stave__drain_finish(struct stave__drain *drain)
{
    struct stave__image_file *file = &drain->image.file;
    stave__image_file_finish(file);
    if (file->status < 0)
        stave__os_cut(drain->file.fd, file->writer.offset);
}

void stave__drain_close(struct stave__drain *drain)
{
    stave__image_close(&drain->image);
    stave__stream_file_close(&drain->file);
    stave__os_unmap(drain->lanes, STAVE__LANES_MAX * sizeof *drain->lanes);
}
