/* A CSV read in some cut, and what comes of it, written again. */
#ifndef STAVE_TEST_CSV_READ_H
#define STAVE_TEST_CSV_READ_H

#include <stddef.h>

#include "stave/decode.h"

#define CSV_HEAD_LINE "name,type,start_us,end_us,priority,deadline_us,value,interrupted\n"

struct csv_result {
    int status;
    stave_error error; /* of what failed */
    stave_trace *trace;
    stave_csv_reader_stats stats;
    char *csv; /* of the trace, whether all was read or not; ends in NUL */
    size_t csv_size;
};

/* Reads of `cut` bytes, 0: all at once, so that each piece is in memory of its own. A cut above
 * CSV_RANDOM is the seed of random ones. */
#define CSV_RANDOM 1000000
void csv_read(const char *bytes, size_t size, size_t cut, struct csv_result *read);
void csv_read_as(const stave_csv_reader_config *config, const char *bytes, size_t size, size_t cut,
                 struct csv_result *read);
void csv_read_text(const char *text, struct csv_result *read);
void csv_read_free(struct csv_result *read);

void csv_assert_same(const struct csv_result *got, const struct csv_result *expected);

/* The whole trace as CSV, to be freed. */
char *csv_write(stave_trace *trace, size_t *size);

#endif
