/* random_parts.h - what the files of the random trace share. Not for tests. */
#ifndef RANDOM_PARTS_H
#define RANDOM_PARTS_H

#include <stdio.h>
#include <stdlib.h>

#include "random_trace.h"

#define KINDS STAVE_ROW_KINDS

struct random_lane {
    struct stave__appender appenders[KINDS];
    struct stave__stack stack;
    stave_open_span *open;
    size_t *open_spans; /* their indices */
    uint64_t serial;
    bool nameless;
    size_t last_row; /* its newest row of spans in this boot, or none */
    int64_t last;    /* no row of any kind in this boot is later */
};

struct maker {
    struct random_trace *random;
    struct random_trace_options options;
    struct dice dice;
    uint64_t step;
    uint32_t boot;
    int64_t now, first_tick;
    uint32_t first_name; /* string ids of spans: from here on */
    uint32_t first_key;  /* of marks, counters and so on */
    size_t boot_spans;   /* index of the boot's first span */
    uint32_t *lane_ids;
};

#define KEYS 5

static inline void must(bool right, const char *what)
{
    if (right)
        return;
    fprintf(stderr, "random_trace: %s\n", what);
    abort();
}

static inline void done(int status)
{
    must(status >= 0, stave_status_text(status));
}

static inline void *zeroed(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    must(memory != NULL, "no memory");
    return memory;
}

/* What a value is to be, and such a value. */
uint16_t random_value_flags(struct maker *m);
uint64_t random_any_value(struct maker *m, uint16_t flags);

/* Names, processes, lanes, properties, places; modules when there are boots. */
void random_make_tables(struct maker *m);
void random_make_modules(struct maker *m);

/* A row of any kind but a span. */
void random_add_other(struct maker *m, uint32_t l);

void random_begin_span(struct maker *m, uint32_t l);
/* Ends the innermost span of a lane. */
void random_end_span(struct maker *m, uint32_t l, uint16_t flags);
void random_seal_spans(struct maker *m, uint32_t l);

#endif
