#include "stress/recorded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

uint64_t recorded_ns;

uint64_t recorded_clock(void *context)
{
    return __atomic_load_n(&recorded_ns, __ATOMIC_RELAXED);
}

void recorded_pass(uint64_t ns)
{
    __atomic_fetch_add(&recorded_ns, ns, __ATOMIC_RELAXED);
}

void recorded_start(const stave_config *config)
{
    stave_config own = *config;
    own.clock = recorded_clock;
    stave_stop();
    recorded_ns += 1000; /* what was recorded before lies before the start */
    TRACES_MUST(stave_start(&own, NULL) == STAVE_OK);
}

/* ---- reading --------------------------------------------------------------------------------- */

static stave_trace *open_file(const char *path)
{
    stave_trace *trace = NULL;
    stave_error error = {0};
    if (stave_trace_open(path, NULL, &trace, &error) < 0)
        traces_failed(__FILE__, __LINE__, error.message);
    return trace;
}

/* In the file as long as it is open. */
static stave_trace *open_bytes(const struct traces_bytes *bytes)
{
    char path[128];
    const char *dir = getenv("TMPDIR");
    snprintf(path, sizeof path, "%.90s/stave-recorded-XXXXXX", dir != NULL ? dir : "/tmp");
    int fd = mkstemp(path);
    TRACES_MUST(fd >= 0);
    close(fd);
    traces_put_file(path, bytes->at, bytes->size);
    stave_trace *trace = open_file(path);
    unlink(path);
    return trace;
}

static struct traces_rows rows_of(stave_trace *trace)
{
    struct traces_rows rows = {0};
    stave_cursor *cursor;
    const stave_block *block;
    int status;
    TRACES_MUST(stave_cursor_open(trace, NULL, &cursor, NULL) == STAVE_OK);
    while ((status = stave_cursor_next(cursor, &block, NULL)) > 0)
        for (uint32_t i = 0; i < block->rows; i++)
            traces_add_row(&rows, trace, block, i);
    TRACES_MUST(status == 0);
    stave_cursor_close(cursor);
    return rows;
}

static struct recorded read_all(stave_trace *trace)
{
    TRACES_MUST(stave_trace_check(trace, (stave_progress){0}, NULL) >= 0);
    if (stave_trace_damages(trace) > 0)
        traces_failed(__FILE__, __LINE__, stave_trace_damage(trace, 0).what);
    return (struct recorded){.trace = trace, .rows = rows_of(trace)};
}

struct recorded recorded_now(void)
{
    struct traces_bytes bytes = {0};
    stave_sink sink = {.write = traces_add, .context = &bytes};
    TRACES_MUST(stave_snapshot(sink, NULL) == STAVE_OK);
    stave_trace *trace = open_bytes(&bytes);
    free(bytes.at);
    return read_all(trace);
}

struct recorded recorded_file(const char *path)
{
    return read_all(open_file(path));
}

void recorded_free(struct recorded *seen)
{
    free(seen->rows.at);
    stave_trace_free(seen->trace);
}

/* ---- what is in it --------------------------------------------------------------------------- */

const struct traces_row *recorded_find(const struct recorded *seen, uint32_t kind, const char *name)
{
    const struct traces_row *found = NULL;
    for (size_t i = 0; i < seen->rows.count; i++) {
        const struct traces_row *row = &seen->rows.at[i];
        if (row->kind != kind || strcmp(row->name, name) != 0)
            continue;
        TRACES_MUST(found == NULL);
        found = row;
    }
    return found;
}

size_t recorded_count(const struct recorded *seen, uint32_t kind)
{
    size_t count = 0;
    for (size_t i = 0; i < seen->rows.count; i++)
        count += seen->rows.at[i].kind == kind;
    return count;
}

const char *recorded_text(const struct recorded *seen, const struct traces_row *row, size_t *size)
{
    TRACES_MUST((row->columns.flags & STAVE_FLAG_TEXT) != 0);
    return stave_trace_string(seen->trace, (uint32_t)row->columns.value, size);
}

stave_counts recorded_counts(void)
{
    stave_counts counts;
    stave_get_counts(&counts);
    return counts;
}

FILE *recorded_again(const char *with)
{
    char program[512], command[1280];
    const char *emulator = getenv("STAVE_TEST_EMULATOR");
    ssize_t size = readlink("/proc/self/exe", program, sizeof program - 1);
    TRACES_MUST(size > 0);
    program[size] = '\0';
    snprintf(command, sizeof command, "%.500s %.200s '%s' 2>&1", with,
             emulator != NULL ? emulator : "", program);
    return popen(command, "r");
}
