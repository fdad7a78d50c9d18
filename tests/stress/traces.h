/* traces.h - traces with rows of every kind, the same for a seed, and what is in one.
 *
 *     struct traces_maker maker;
 *     traces_begin(&maker, &(struct traces_shape){.seed = 7, .lanes = 3});
 *     traces_grow(&maker, 1000);                       // rows, more or less
 *     traces_end_boot(&maker);
 *     struct traces_bytes saved = traces_save(maker.trace, 0);
 *     struct traces_rows rows = traces_read(maker.trace);
 *
 * What cannot happen ends the program: this is for tests and for the fuzzer's corpus.  */
#ifndef TRACES_H
#define TRACES_H

#include "trace/trace.h"

#define TRACES_LANES_MAX 16
#define TRACES_DEPTH_MAX 8

#define TRACES_MUST(condition)                                                                     \
    do {                                                                                           \
        if (!(condition))                                                                          \
            traces_failed(__FILE__, __LINE__, #condition);                                         \
    } while (0)

_Noreturn void traces_failed(const char *file, int line, const char *condition);

/* All zero: one lane, every kind of rows, the default cache. */
struct traces_shape {
    uint64_t seed;
    uint32_t lanes; /* 0 means 1 */
    uint32_t kinds; /* STAVE_KIND_BIT()s; 0 means all */
    uint64_t cache_bytes;
};

struct traces_lane {
    uint32_t id;
    struct stave__appender rows[STAVE_ROW_KINDS];
    struct stave__stack stack;
    stave_open_span open[TRACES_DEPTH_MAX];
};

struct traces_maker {
    stave_trace *trace; /* the caller's */
    struct traces_shape shape;
    uint64_t random;
    struct traces_lane lanes[TRACES_LANES_MAX];
    uint32_t boot;
    int64_t now;
    uint64_t rows; /* appended so far */
};

uint64_t traces_random(uint64_t *state, uint64_t below);

void traces_begin(struct traces_maker *maker, const struct traces_shape *shape);
/* At least `rows` further rows. New names come now and then. */
void traces_grow(struct traces_maker *maker, uint64_t rows);
/* What is open stays open. */
void traces_end_boot(struct traces_maker *maker);
void traces_begin_boot(struct traces_maker *maker);

/* All of it: `boots` times `rows`. */
stave_trace *traces_make(const struct traces_shape *shape, uint32_t boots, uint64_t rows);

/* ---- files ----------------------------------------------------------------------------------- */

struct traces_bytes {
    uint8_t *at; /* to be freed */
    size_t size, room;
};

int traces_add(void *bytes, const void *data, size_t size); /* of a stave_sink */
struct traces_bytes traces_save(stave_trace *trace, uint32_t zstd_level);
void traces_put_file(const char *path, const void *bytes, size_t size);

/* ---- rows ------------------------------------------------------------------------------------ */

struct traces_row {
    uint32_t kind, lane, boot;
    struct stave__row columns;
    const char *name; /* in the trace */
};

struct traces_rows {
    struct traces_row *at; /* to be freed */
    size_t count, room;
};

void traces_add_row(struct traces_rows *rows, stave_trace *trace, const stave_block *block,
                    uint32_t i);

/* In the order in which they took effect; those that nobody ended are left out. */
struct traces_rows traces_read(stave_trace *trace);

bool traces_same_row(const struct traces_row *a, const struct traces_row *b);
/* But for names and texts, which may have been lost. */
bool traces_same_columns(const struct traces_row *a, const struct traces_row *b);
bool traces_same_rows(const struct traces_rows *a, const struct traces_rows *b);

#endif
