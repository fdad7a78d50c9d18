/* export/diagram_rows.h - the rows of one lane, or of a source's bands: gathered, sorted, put in rows of
 * the lane, measured, written.
 *
 *     struct stave__rows spans = {0};
 *     stave__rows_push(&spans, &span, error);
 *     stave__rows_sort(&spans);
 *     struct stave__layout layout = stave__rows_lay_out(&spans);
 *     stave__rows_write_runs(&spans, stream);
 *     stave__rows_write_column(&spans, stream, stave__drawn_length);
 *     stave__rows_free(&spans);
 */
#ifndef STAVE_EXPORT_DIAGRAM_ROWS_H
#define STAVE_EXPORT_DIAGRAM_ROWS_H

#include "export/diagram_stream.h"
#include "stave/trace.h"

enum {
    STAVE__DIAGRAM_MISSED =
        1 << 20,                 /* beside enum stave_row_flag: a span that missed its deadline */
    STAVE__DIAGRAM_ROWS_MAX = 64 /* rows of a lane; deeper spans share the last */
};

/* A span, a mark, a gap or a doubt. What a kind lacks is 0. */
struct stave__drawn {
    int64_t start, end; /* ticks */
    uint64_t value;     /* of a text: the page's; of a span: its own deadline */
    uint64_t tie;       /* orders equals: a span's serial, else the order in which it took effect */
    uint32_t boot;
    uint32_t name; /* the page's text */
    uint32_t
        which; /* of a span: its deadline plus 1, its own behind the lane's; a mark: its value's
                     * form; a band: its lane */
    uint16_t flags;
    uint8_t row; /* of the lane; a span's depth before it is laid out */
    bool missed;
};

struct stave__rows {
    struct stave__drawn *at;
    uint32_t count;
    size_t room;
};

#define STAVE__DRAWN_MAX (UINT32_MAX - 1) /* 2^32 - 2: with 1 added they fit in 32 bits */

/* Room for so many in all, and no more: spans of a lane are the most of a page's memory. */
int stave__rows_reserve(struct stave__rows *rows, uint64_t count, stave_error *error);
void stave__rows_free(struct stave__rows *rows);

/* Adds a row, with more room when it takes that. */
int stave__rows_push(struct stave__rows *rows, const struct stave__drawn *row, stave_error *error);

/* By boot, start, depth, the longer first, then the tie. */
void stave__rows_sort(struct stave__rows *rows);

/* ---- spans ----------------------------------------------------------------------------------- */

struct stave__layout {
    uint32_t rows;
    bool folded;
};

/* Gives each span of a sorted lane its row: that of its depth, or the one behind the deepest that is
 * still taken when it begins. */
struct stave__layout stave__rows_lay_out(struct stave__rows *rows);

struct stave__measures {
    uint64_t whole, checked, missed;
    double min_us, mean_us, p99_us, max_us;
    uint32_t worst; /* plus 1; 0: none */
};

/* Response times, and which spans miss their deadlines: their own, or of `deadlines_us` that by
 * drawn.which - 1. */
int stave__rows_measure(struct stave__rows *rows, const stave_trace *trace,
                        const double *deadlines_us, struct stave__measures *measures,
                        stave_error *error);

/* ---- writing --------------------------------------------------------------------------------- */

/* The runs, one for each boot, and the column of starts. */
void stave__rows_write_runs(const struct stave__rows *rows, struct stave__stream *stream);

void stave__rows_write_column(const struct stave__rows *rows, struct stave__stream *stream,
                              uint64_t (*number)(const struct stave__drawn *row));

uint64_t stave__drawn_length(const struct stave__drawn *row);
uint64_t stave__drawn_value(const struct stave__drawn *row);
uint64_t stave__drawn_flags(const struct stave__drawn *row);
uint64_t stave__drawn_name(const struct stave__drawn *row);
uint64_t stave__drawn_which(const struct stave__drawn *row);
uint64_t stave__drawn_row(const struct stave__drawn *row);

#endif
