/* csv_rows.h - a CSV read into a trace, and that one's rows as a list.
 *
 *     csv_open(CSV_HEAD_LINE "a,task,1.0,2.0,0,,,0\n");
 *     assert_int_equal(csv_rows[0].start, 1000);
 *     csv_close();
 */
#ifndef STAVE_TEST_CSV_ROWS_H
#define STAVE_TEST_CSV_ROWS_H

#include "stave/trace.h"
#include "unit/csv_read.h"

struct csv_listed {
    uint32_t kind;
    stave_lane lane;
    const char *lane_name;
    int64_t start, end;
    uint64_t serial, value;
    const char *name; /* NULL: the lane's */
    uint16_t flags;
};

extern struct csv_result csv_file;
extern struct csv_listed csv_rows[64];
extern unsigned csv_rows_count;

/* Reads a CSV; its rows, in the file's order. */
void csv_open(const char *text);
void csv_close(void);

#endif
