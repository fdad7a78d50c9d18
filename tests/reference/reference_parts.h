/* reference_parts.h - what the files of the reference decoder share. Not for tests.
 *
 *     reference_frames.c  rules 1 and 2, and which version a stream is
 *     reference_rules.c   rules 3, 4, 5, 6, 8 and 11: which frames count, and when
 *     reference_rows.c    rules 7, 9 and 10: what they mean, as rows
 *     reference_csv.c     rows as text  */
#ifndef REFERENCE_PARTS_H
#define REFERENCE_PARTS_H

#include <stdbool.h>

#include "reference.h"

enum { SPAN_START = 1, SPAN_END = 2, MARKER = 3, NAME_REGISTERED = 4, TRACE_START = 5 };

/* "Within 64", "more than 64 behind": the one window of the format. */
enum { WINDOW = 64 };

/* ---- frames ---------------------------------------------------------------------------------- */

struct frame {
    size_t offset;
    size_t size;
    uint32_t kind;
    uint32_t sequence;
    int64_t ticks; /* version 1: nanoseconds */
    bool ticks_saturated;
    bool has_field_2; /* of the right wire type, or the frame would not be sound */
    uint32_t name_id;
    uint8_t name[128];
    size_t name_size;
    uint32_t source_type;
    uint32_t priority;
    bool has_deadline;
    float deadline_ms;
    bool has_value;
    uint32_t value;
    uint32_t timebase;
    uint32_t core_hz;
    enum reference_fate fate;
};

struct frame_list {
    int version;
    struct frame *items;
    size_t count;
    uint64_t bytes_skipped;
    uint64_t cut_tail_bytes;
};

void read_stream(const uint8_t *bytes, size_t size, struct frame_list *list);

/* The step from one number to another, modulo `modulus` and read as signed. */
int64_t number_step(uint32_t from, uint32_t to, int64_t modulus);
int64_t version_modulus(int version);

/* Whether the number of b is within 64 of that of a. */
bool goes_on(const struct frame *a, const struct frame *b, int version);

/* ---- text ------------------------------------------------------------------------------------ */

struct text {
    char *bytes;
    size_t size;
};

/* An array with room for one item more than `count`; its room doubles at powers of two. */
void *with_room(void *array, size_t count, size_t item_size);

void text_add(struct text *text, const char *bytes, size_t size);
void text_add_string(struct text *text, const char *string);

struct csv_row {
    const void *name;
    size_t name_size;
    const char *type;
    double start_us;
    double end_us;
    uint32_t priority;
    bool has_deadline;
    double deadline_us;
    bool has_value;
    uint64_t value;
    bool interrupted;
};

void text_add_row(struct text *text, const struct csv_row *row);

/* ---- a run ----------------------------------------------------------------------------------- */

struct rate {
    bool cycles; /* else nanoseconds */
    uint32_t hz;
};

/* From `tick` on (the first also before it) time is us + (ticks beyond) * the rate. */
struct anchor {
    int64_t tick;
    double us;
    struct rate rate;
};

struct event {
    int64_t number; /* unrolled: never wraps */
    bool timed;
    int64_t ticks;
    struct frame *frame;
};

/* A run of numbers that was missing when it appeared (rule 11). */
struct hole {
    int64_t first, last;
    bool clock_known; /* before it */
    bool bounded;
    int64_t absolute;     /* the absolute timestamp that bounds it */
    int64_t clock_before; /* and the clock just before that */
};

/* An id, as the frame that stands for it. */
struct known {
    const struct frame *frame;
};

struct open_span {
    const struct frame *frame;
    int64_t start;
};

struct span {
    const struct frame *frame; /* its SPAN_START */
    int64_t start, end;
    bool interrupted;
};

struct mark {
    const struct frame *frame;
    int64_t ticks;
};

struct gap {
    int64_t start, end;
    int64_t lost;
};

struct run {
    /* numbers */
    bool begun;
    int64_t next;    /* the lowest number that is missing */
    int64_t highest; /* that has arrived */
    struct event *held;
    size_t held_count;
    int64_t *effected; /* numbers that have taken effect, all of them */
    size_t effected_count;
    struct hole *holes;
    size_t hole_count;
    size_t *lost; /* indices of holes; one for each part that was lost */
    size_t lost_count;

    /* time */
    bool clock_known;
    int64_t clock;
    struct anchor *anchors;
    size_t anchor_count;
    bool time_effected; /* whether `top` is set */
    int64_t top;        /* highest time that has taken effect */

    /* rows */
    struct known *names; /* version 2: the latest NAME_REGISTERED of each id */
    size_t name_count;
    struct open_span *open; /* in the order in which they started */
    size_t open_count;
    struct known *cut; /* SPAN_STARTs that the decoder cut, whose SPAN_END may come yet */
    size_t cut_count;
    struct span *spans;
    size_t span_count;
    struct mark *marks;
    size_t mark_count;
    struct gap *gaps;
    size_t gap_count;
};

struct decoder {
    int version;
    struct frame_list frames;
    struct run run;
    double offset_us;      /* the end of the run before */
    struct rate last_rate; /* of the runs before, nanoseconds if none said */
    struct reference_counters counters;
    struct text spans, markers, gaps;
};

double run_us(const struct decoder *decoder, int64_t ticks);
const struct frame *run_name(const struct run *run, uint32_t id);

void take_effect(struct decoder *decoder, const struct event *event);
void lose_hole(struct decoder *decoder, int64_t first, const struct event *behind);
void cut_open_spans(struct decoder *decoder);
void write_rows(struct decoder *decoder);

#endif
