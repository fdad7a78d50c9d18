/* Starting and stopping, on and off. */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/config.h"
#include "base/error.h"
#include "base/os.h"
#include "base/os_objects.h"
#include "base/os_process.h"
#include "record/copies.h"
#include "record/file_limits.h"
#include "record/image.h"
#include "record/overhead.h"
#include "record/recorder.h"
#include "record/rules.h"
#include "record/sessions.h"
#include "record/traces.h"

#define BYTES_DEFAULT ((uint64_t)64 * 1024 * 1024)
#define BYTES_LEAST ((uint64_t)1024 * 1024)
#define BYTES_MOST ((uint64_t)128 * 1024 * 1024 * 1024 * 1024)

uint32_t stave__on;

static pthread_mutex_t lock =
    PTHREAD_MUTEX_INITIALIZER; /* of what is done here, never of a probe */

void stave__control_lock(void)
{
    pthread_mutex_lock(&lock);
}

void stave__control_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

int stave__check_started(stave_error *error)
{
    if (stave__recorder.started)
        return STAVE_OK;
    return stave__fail(error, STAVE_E_STATE, 0,
                       "recording has not been started: call stave_start()");
}

int stave__check_made(stave_error *error)
{
    if (__atomic_load_n(&stave__recorder.made, __ATOMIC_ACQUIRE))
        return STAVE_OK;
    return stave__fail(error, STAVE_E_STATE, 0, "nothing has been recorded: call stave_start()");
}

/* ---- starting -------------------------------------------------------------------------------- */

/* A child's threads are gone but one, and what others had in hand is as they left it: it begins anew. Places in
 * the code keep their numbers. */
static void after_fork(void)
{
    stave__sessions_after_fork(true);
    pthread_mutex_unlock(&lock);
    __atomic_store_n(&stave__on, 0, __ATOMIC_RELEASE);
    stave__lane_leave();
    if (stave__recorder.stream != NULL)
        stave__stream_leave(stave__recorder.stream);
    stave__recorder.stream = NULL;
    stave__recorder.made = stave__recorder.started = stave__recorder.made_by_session = false;
    stave__recorder.lanes_count = 0;
    stave__recorder.lanes_free = 0;
}

static void before_fork(void)
{
    pthread_mutex_lock(&lock);
    if (stave__recorder.stream != NULL)
        stave__stream_hold(stave__recorder.stream);
    stave__sessions_before_fork();
}

static void after_fork_in_parent(void)
{
    stave__sessions_after_fork(false);
    if (stave__recorder.stream != NULL)
        stave__stream_let_go(stave__recorder.stream);
    pthread_mutex_unlock(&lock);
}

/* The names stay if there were any before: places in the code have their numbers. */
static void unmake(struct stave__recorder *recorder, bool had_names)
{
    if (!had_names) {
        stave__dictionary_close(&recorder->names);
        stave__sites_close(&recorder->sites);
        stave__rules_close();
    }
    stave__traces_close();
    stave__os_unmap(recorder->lanes, STAVE__LANES_MAX * sizeof *recorder->lanes);
    recorder->lanes = NULL;
}

static int make(const stave_config *config, uint64_t bytes, stave_error *error)
{
    struct stave__recorder *recorder = &stave__recorder;
    static bool watched;
    bool had_names = recorder->names.names != NULL;
    int status = STAVE_OK;
    recorder->lanes = stave__os_reserve(STAVE__LANES_MAX * sizeof *recorder->lanes);
    if (recorder->lanes == NULL)
        return stave__fail_memory(error);
    if (!had_names)
        status = stave__dictionary_open(&recorder->names, error);
    if (status >= 0 && !had_names)
        status = stave__sites_open(&recorder->sites, error);
    if (status >= 0 && !had_names)
        status = stave__rules_open(error);
    if (status >= 0)
        status = stave__traces_open(error);
    if (status >= 0)
        status = stave__pool_open(&recorder->pool, bytes, config->mode == STAVE_KEEP_NEWEST,
                                  stave__lane_release, error);
    recorder->pool.forgetting = stave__sessions_forget;
    if (status >= 0 && !watched)
        watched = pthread_atfork(before_fork, after_fork_in_parent, after_fork) == 0;
    if (status < 0)
        unmake(recorder, had_names);
    __atomic_store_n(&recorder->made, status >= 0, __ATOMIC_RELEASE);
    return status;
}

/* C1 */
static int make_alone(const stave_config *config, uint64_t bytes, stave_error *error)
{
    int status = stave__copies_claim(error);
    if (status < 0)
        return status;
    status = make(config, bytes, error);
    if (status < 0)
        stave__copies_give_up();
    return status;
}

static int check(const stave_config *config, uint64_t bytes, stave_error *error)
{
    const struct stave__recorder *recorder = &stave__recorder;
    if (recorder->started)
        return stave__fail(error, STAVE_E_STATE, 0, "recording has been started already");
    if (config->keep > STAVE_KEEP_MAX)
        return stave__fail(error, STAVE_E_ARGUMENT, 0, "keep is %u, the most is %d", config->keep,
                           STAVE_KEEP_MAX);
    if (config->max_spans != 0 && config->mode != STAVE_STOP_WHEN_FULL)
        return stave__fail(error, STAVE_E_ARGUMENT, 0,
                           "max_spans takes the mode STAVE_STOP_WHEN_FULL");
    if (recorder->made && (recorder->max_spans != 0) != (config->max_spans != 0))
        return stave__fail(error, STAVE_E_ARGUMENT, 0,
                           "a later start cannot set or lift the limit max_spans");
    if (config->mode > STAVE_STOP_WHEN_FULL)
        return stave__fail(error, STAVE_E_ARGUMENT, 0, "mode %u is not known", config->mode);
    if (bytes < BYTES_LEAST || bytes > BYTES_MOST)
        return stave__fail(error, STAVE_E_ARGUMENT, 0,
                           "max_bytes is %llu, the least is %llu, the most %llu",
                           (unsigned long long)bytes, (unsigned long long)BYTES_LEAST,
                           (unsigned long long)BYTES_MOST);
    if (recorder->made && !recorder->made_by_session &&
        bytes / STAVE__CHUNK_SIZE != recorder->pool.count)
        return stave__fail(error, STAVE_E_ARGUMENT, 0,
                           "max_bytes cannot be changed by a later start: it was %llu",
                           (unsigned long long)recorder->pool.count * STAVE__CHUNK_SIZE);
    if (recorder->made && (recorder->clock.own != NULL) != (config->clock != NULL))
        return stave__fail(
            error, STAVE_E_ARGUMENT, 0,
            "a later start cannot change from the processor's counter to a clock, or back");
    return STAVE_OK;
}

void stave__begin_anew(bool keep_newest, uint64_t tick)
{
    stave__traces_clear();
    if (stave__sessions_any()) /* theirs stay */
        STAVE__STORE(stave__recorder.pool.keep_newest, keep_newest);
    else
        stave__pool_begin(&stave__recorder.pool, keep_newest);
    stave__lanes_begin();
    stave__recorder.since = tick;
    stave_get_counts(&stave__recorder.counts_before);
}

/* While there are sessions the clock stays: their times are of it. */
static void begin(const stave_config *config)
{
    struct stave__recorder *recorder = &stave__recorder;
    struct stave__clock clock = {.own = config->clock, .context = config->clock_context};
    clock.start = stave__clock_moment(&clock);
    if (!stave__sessions_any())
        recorder->clock = clock;
    recorder->max_spans = config->max_spans;
    recorder->spans = recorder->limit_reached = 0;
    stave__begin_anew(config->mode == STAVE_KEEP_NEWEST, clock.start.tick);
    stave__traces_begin(config->keep);
    stave__overhead_begin(config->clock == NULL);
}

static int start(const stave_config *config, stave_error *error)
{
    struct stave__recorder *recorder = &stave__recorder;
    uint64_t bytes = config->max_bytes != 0 ? config->max_bytes : BYTES_DEFAULT;
    int status = check(config, bytes, error);
    if (status >= 0 && !recorder->made)
        status = make_alone(config, bytes, error);
    if (status < 0)
        return status;
    begin(config);
    recorder->started = true;
    __atomic_store_n(&stave__on, 1, __ATOMIC_RELEASE);
    return STAVE_OK;
}

/* Threads run this code at their end, and forks do: it must not be unloaded with the plugin that it may be in. */
static void stay_loaded(void)
{
    static bool stays;
    if (!__atomic_exchange_n(&stays, true, __ATOMIC_RELAXED))
        stave__os_stay_loaded(&stave__recorder);
}

int stave__make_for_sessions(uint64_t max_bytes, stave_error *error)
{
    const stave_config config = {.mode = STAVE_KEEP_NEWEST};
    uint64_t bytes = max_bytes != 0 ? max_bytes : BYTES_DEFAULT;
    if (stave__recorder.made)
        return STAVE_OK;
    int status = check(&config, bytes, error);
    if (status >= 0)
        status = make_alone(&config, bytes, error);
    if (status < 0)
        return status;
    begin(&config);
    stave__recorder.made_by_session = true;
    stay_loaded();
    return STAVE_OK;
}

int stave_start_sized(const stave_config *config, size_t config_size, stave_error *error)
{
    stave_config own;
    int status = stave__config_copy(&own, sizeof own, config, config_size, error);
    if (status < 0)
        return status;
    pthread_mutex_lock(&lock);
    status = start(&own, error);
    pthread_mutex_unlock(&lock);
    if (status >= 0)
        stay_loaded();
    return status;
}

/* The file of stave_record_to(), if there is one. */
static int end_stream(stave_error *error)
{
    struct stave__stream *stream = stave__recorder.stream;
    stave__recorder.stream = NULL;
    return stream != NULL ? stave__stream_end(stream, error) : STAVE_OK;
}

void stave_stop(void)
{
    pthread_mutex_lock(&lock);
    if (stave__recorder.started) /* C2 */
        __atomic_store_n(&stave__on, 0, __ATOMIC_RELEASE);
    end_stream(NULL);
    stave__recorder.started = false;
    pthread_mutex_unlock(&lock);
}

void stave_enable(bool on)
{
    pthread_mutex_lock(&lock);
    if (stave__recorder.started)
        __atomic_store_n(&stave__on, on, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
}

bool stave_is_enabled(void)
{
    return stave__is_on();
}

/* ---- counts ---------------------------------------------------------------------------------- */

static uint64_t being_written(const struct stave__lane *lane)
{
    uint32_t number = __atomic_load_n(&lane->chunk, __ATOMIC_ACQUIRE);
    if (number == STAVE__NO_CHUNK)
        return 0;
    const struct stave__record *next = __atomic_load_n(&lane->thread.next, __ATOMIC_ACQUIRE);
    const struct stave__chunk *chunk = stave__pool_at(&stave__recorder.pool, number);
    bool within = next >= chunk->records && next <= chunk->records + STAVE__CHUNK_RECORDS;
    return within ? (uint64_t)(next - chunk->records) : 0;
}

static void add_lane(stave_counts *counts, const struct stave__lane *lane)
{
#define ADD(name, text) counts->name += __atomic_load_n(&lane->counts.name, __ATOMIC_RELAXED);
    STAVE_RECORD_COUNTERS(ADD)
#undef ADD
    counts->recorded += being_written(lane);
}

void stave_get_counts_sized(stave_counts *counts, size_t counts_size)
{
    stave_counts own = {
        .evicted = __atomic_load_n(&stave__recorder.pool.evicted, __ATOMIC_RELAXED),
        .missed = __atomic_load_n(&stave__recorder.pool.missed, __ATOMIC_RELAXED),
        .roots_out = __atomic_load_n(&stave__traces.out, __ATOMIC_RELAXED),
        .roots_evicted = __atomic_load_n(&stave__recorder.pool.evicted_roots, __ATOMIC_RELAXED),
        .roots_unheld = __atomic_load_n(&stave__traces.unheld, __ATOMIC_RELAXED),
        .dropped_thread = __atomic_load_n(&stave__recorder.dropped_thread, __ATOMIC_RELAXED),
        .truncated = __atomic_load_n(&stave__recorder.names.cut, __ATOMIC_RELAXED),
        .ended_twice = __atomic_load_n(&stave__recorder.ended_elsewhere, __ATOMIC_RELAXED),
    };
    for (uint32_t i = 0; i < stave__lanes_count(); i++)
        add_lane(&own, &stave__recorder.lanes[i]);
    if (counts != NULL)
        stave__config_give(counts, counts_size, &own, sizeof own);
}

/* ---- files ----------------------------------------------------------------------------------- */

static int fail_empty(stave_error *error)
{
    return stave__fail(error, STAVE_E_ARGUMENT, 0, "the file's name is empty");
}

static int record_to(const char *path, stave_error *error)
{
    if (path == NULL)
        return end_stream(error);
    if (path[0] == '\0')
        return fail_empty(error);
    int status = stave__check_started(error);
    if (status < 0)
        return status;
    if (stave__recorder.stream != NULL)
        return stave__fail(error, STAVE_E_STATE, 0,
                           "a file is being written already: end it by stave_record_to(NULL)");
    return stave__stream_begin(&stave__recorder.stream, path, &stave__recorder.file_limits, error);
}

int stave_record_to(const char *path, stave_error *error)
{
    pthread_mutex_lock(&lock);
    int status = record_to(path, error);
    pthread_mutex_unlock(&lock);
    return status;
}

int stave_file_limits_sized(const stave_file_config *config, size_t config_size, stave_error *error)
{
    stave_file_config own;
    int status = stave__config_copy(&own, sizeof own, config, config_size, error);
    if (status >= 0)
        status = stave__file_limits_check(&own, error);
    if (status < 0)
        return status;
    pthread_mutex_lock(&lock);
    stave__recorder.file_limits = own;
    if (stave__recorder.stream != NULL)
        stave__stream_limit(stave__recorder.stream, &own);
    pthread_mutex_unlock(&lock);
    return STAVE_OK;
}

/* NULL: all that is in memory. */
static int snapshot(stave_sink sink, stave_session *session, stave_error *error)
{
    if (sink.write == NULL)
        return stave__fail(error, STAVE_E_ARGUMENT, 0, "the sink has no function that writes");
    pthread_mutex_lock(&lock);
    int status = stave__check_made(error);
    if (status >= 0)
        status = stave__image_write(sink, session, error);
    pthread_mutex_unlock(&lock);
    return status;
}

int stave_snapshot(stave_sink sink, stave_error *error)
{
    return snapshot(sink, NULL, error);
}

int stave_session_snapshot(stave_session *session, stave_sink sink, stave_error *error)
{
    int status = stave__session_check(session, error);
    return status < 0 ? status : snapshot(sink, session, error);
}

/* What a dump is written to. */
struct target {
    int fd;
    const char *path;
    stave_error *error;
};

static int write_to(void *context, const void *data, size_t size)
{
    const struct target *target = context;
    return stave__os_write(target->fd, target->path, data, size, target->error);
}

static int dump(const char *path, stave_session *session, stave_error *error)
{
    struct stave__os_file file;
    int status = stave__os_create(path, &file, error);
    if (status < 0)
        return status;
    struct target target = {.fd = file.fd, .path = path, .error = error};
    status = stave__os_make_private(file.fd, path, error);
    if (status >= 0)
        status = snapshot((stave_sink){.write = write_to, .context = &target}, session, error);
    if (status >= 0)
        status = stave__os_commit(&file, false, error);
    stave__os_discard(&file);
    return status;
}

/* A full disk or a pipe without a reader is an error, not the end of the program. */
static int dump_safely(const char *path, stave_session *session, stave_error *error)
{
    struct stave__os_signals before;
    stave_error own = {0};
    if (path == NULL || path[0] == '\0')
        return fail_empty(error);
    stave__os_hold_write_signals(&before);
    int status = dump(path, session, &own);
    stave__os_release_write_signals(&before);
    if (status < 0)
        stave__fail(error, status, 0, "%s", own.message);
    return status;
}

int stave_dump(const char *path, stave_error *error)
{
    return dump_safely(path, NULL, error);
}

int stave_session_dump(stave_session *session, const char *path, stave_error *error)
{
    int status = stave__session_check(session, error);
    return status < 0 ? status : dump_safely(path, session, error);
}

/* ---- by the environment ---------------------------------------------------------------------- */

/* A file's name of the environment: %p is the number of the process, %% a %. False: it is too long. */
static bool expand(const char *given, char *path, size_t size)
{
    size_t used = 0;
    for (; *given != '\0' && used + 1 < size; given++) {
        bool is_number = given[0] == '%' && given[1] == 'p';
        if (is_number)
            used +=
                (size_t)snprintf(path + used, size - used, "%" PRIu64, stave__os_process_number());
        else
            path[used++] = *given;
        if (is_number || (given[0] == '%' && given[1] == '%'))
            given++;
    }
    if (used >= size || *given != '\0')
        return false;
    path[used] = '\0';
    return true;
}

/* One line: who runs the program has asked for it. */
static void complain(const stave_error *error)
{
    char line[sizeof error->message + 16];
    int size = snprintf(line, sizeof line, "stave: %s\n", error->message);
    stave__os_write(STDERR_FILENO, "standard error", line, (size_t)size, NULL);
}

/* Who limits a file protects a disk: with limits that cannot be read there is none. */
static int limit_file(stave_error *error)
{
    stave_file_config limits;
    int status = stave__file_limits_read(stave__os_environment("STAVE_FILE_MAX_BYTES"),
                                         stave__os_environment("STAVE_FILE_COUNT"), &limits, error);
    return status >= 0 ? stave_file_limits(&limits, error) : status;
}

static int write_file(const char *given, stave_error *error)
{
    char path[4096];
    if (!expand(given, path, sizeof path))
        return stave__fail(error, STAVE_E_ARGUMENT, 0, "STAVE_FILE is longer than %zu bytes",
                           sizeof path - 1);
    int status = limit_file(error);
    return status >= 0 ? stave_record_to(path, error) : status;
}

static bool is_set(const char *value)
{
    return value != NULL && value[0] != '\0';
}

/* STAVE_FILE, other than empty, starts with all defaults and writes that file, within the limits of
 * STAVE_FILE_MAX_BYTES and STAVE_FILE_COUNT; STAVE_ENABLE, other than empty or 0, starts. Of copies that join, all but
 * the first find it started, of which nothing is said. */
__attribute__((constructor)) static void start_by_environment(void)
{
    const char *enable = stave__os_environment("STAVE_ENABLE");
    const char *file = stave__os_environment("STAVE_FILE");
    stave_error error = {0};
    if (!is_set(file) && (!is_set(enable) || strcmp(enable, "0") == 0))
        return;
    int status = stave_start(NULL, &error);
    bool is_joined = status == STAVE_E_STATE && !stave__copies_refused();
    if (status >= 0 && is_set(file))
        status = write_file(file, &error);
    if (status < 0 && !is_joined)
        complain(&error);
}

/* What has not been written yet is, also by a program that just ends. Not what another copy writes. */
__attribute__((destructor)) static void end_with_process(void)
{
    stave_error error = {0};
    pthread_mutex_lock(&lock);
    int status = end_stream(&error);
    pthread_mutex_unlock(&lock);
    const char *file = stave__os_environment("STAVE_FILE");
    if (status < 0 && is_set(file))
        complain(&error);
}
