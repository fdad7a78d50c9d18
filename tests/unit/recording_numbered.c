#include "unit/recording_numbered.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *name_of(uint32_t number)
{
    static char name[96];
    snprintf(name, sizeof name, number > 0 ? "%s.%u" : "%s", path, number);
    return name;
}

/* The highest number: while they are moved up, one in between may be missing. */
uint32_t files_behind(void)
{
    uint32_t number = 0;
    while (access(name_of(number + 1), F_OK) == 0 || access(name_of(number + 2), F_OK) == 0)
        number++;
    return number;
}

void remove_files(void)
{
    for (uint32_t number = files_behind(); number > 0; number--)
        unlink(name_of(number));
    unlink(path);
}

int remove_files_and_folder(void **state)
{
    remove_files();
    return remove_folder(state);
}

void limit(uint64_t max_bytes, uint32_t files)
{
    stave_file_config limits = {.max_bytes = max_bytes, .files = files};
    assert_int_equal(stave_file_limits(&limits, NULL), STAVE_OK);
}

void start(uint64_t max_bytes, uint32_t files)
{
    remove_files();
    recorded_start(&(stave_config){0});
    limit(max_bytes, files);
    begin_file();
}

uint64_t size_now(void)
{
    struct stat status;
    return stat(path, &status) == 0 ? (uint64_t)status.st_size : 0;
}

bool is_larger(uint32_t size)
{
    return size_now() > size;
}

bool wait_until(bool (*is_so)(uint32_t), uint32_t given)
{
    bool so = is_so(given);
    for (int i = 0; i < 5000 && !so; i++, so = is_so(given))
        wait_ms(2);
    return so;
}

/* ---- what is recorded ------------------------------------------------------------------------ */

uint64_t ended;

void record(uint32_t spans)
{
    for (uint32_t i = 0; i < spans; i++) {
        STAVE_SCOPE("span");
        recorded_pass(++ended);
    }
}

void record_slowly(uint32_t spans)
{
    for (uint32_t i = 0; i < spans; i += 1000) {
        record(1000);
        wait_ms(2);
    }
}

/* ---- what is in a file ----------------------------------------------------------------------- */

uint64_t property(const stave_trace *trace, const char *key)
{
    const stave_property *property = stave_trace_find_property(trace, key);
    return property != NULL ? property->value : 0;
}

bool is_open(const struct traces_row *row)
{
    return (row->columns.flags & STAVE_FLAG_UNFINISHED) != 0;
}

uint64_t check_spans(const struct recorded *file, uint64_t last)
{
    uint64_t rows = 0;
    for (size_t i = 0; i < file->rows.count; i++) {
        const struct traces_row *row = &file->rows.at[i];
        if (row->kind != STAVE_SPANS || is_open(row))
            continue;
        rows++;
        if (strcmp(row->name, "span") == 0)
            assert_int_equal(row->columns.end - row->columns.start, ++last);
    }
    assert_int_equal(
        property(file->trace, "record.recorded") - property(file->trace, "record.evicted"), rows);
    return last;
}

bool is_whole(const struct recorded *file)
{
    stave_trace_file of;
    stave_trace_file_of(file->trace, &of);
    return of.indexed && of.cut == 0;
}
