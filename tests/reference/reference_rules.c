/* reference_rules.c - rules 3, 4, 5, 6, 8 and 11: which frames count, and when. */
#include <stdlib.h>
#include <string.h>

#include "reference_parts.h"

/* ---- time (rule 5) --------------------------------------------------------------------------- */

static double ticks_us(int64_t from, int64_t to, struct rate rate)
{
    double ticks = to >= from ? (double)((uint64_t)to - (uint64_t)from)
                              : -(double)((uint64_t)from - (uint64_t)to);
    return rate.cycles ? ticks * 1000000.0 / (double)rate.hz : ticks / 1000.0;
}

/* What holds at a tick: the latest TRACE_START at or before it, else the first. */
static struct anchor anchor_at(const struct decoder *decoder, int64_t ticks)
{
    const struct run *run = &decoder->run;
    if (run->anchor_count == 0)
        return (struct anchor){.rate = decoder->last_rate};
    for (size_t i = run->anchor_count - 1; i > 0; i--)
        if (run->anchors[i].tick <= ticks)
            return run->anchors[i];
    return run->anchors[0];
}

/* Ticks of the run in microseconds, without the end of the run before. */
double run_us(const struct decoder *decoder, int64_t ticks)
{
    struct anchor anchor = anchor_at(decoder, ticks);
    return anchor.us + ticks_us(anchor.tick, ticks, anchor.rate);
}

static bool same_rate(struct rate a, struct rate b)
{
    return a.cycles == b.cycles && (!a.cycles || a.hz == b.hz);
}

static void apply_trace_start(struct decoder *decoder, const struct frame *frame)
{
    struct run *run = &decoder->run;
    struct rate rate = {.cycles = frame->timebase == 1, .hz = frame->core_hz};
    if (rate.cycles && rate.hz == 0)
        return; /* says nothing */
    struct anchor anchor = {.rate = rate};
    if (run->anchor_count > 0) {
        if (same_rate(run->anchors[run->anchor_count - 1].rate, rate))
            return;
        anchor.tick = frame->ticks;
        anchor.us = run_us(decoder, frame->ticks);
    } /* else from tick 0, at 0 us */
    run->anchors = with_room(run->anchors, run->anchor_count, sizeof anchor);
    run->anchors[run->anchor_count++] = anchor;
}

static int64_t add_saturated(int64_t a, int64_t b, bool *saturated)
{
    *saturated = (b > 0 && a > INT64_MAX - b) || (b < 0 && a < INT64_MIN - b);
    if (*saturated)
        return b > 0 ? INT64_MAX : INT64_MIN;
    return a + b;
}

static bool is_absolute(const struct decoder *decoder, const struct frame *frame)
{
    return decoder->version == 1 || frame->kind == NAME_REGISTERED || frame->kind == TRACE_START;
}

/* Rule 11: the first absolute timestamp after a hole appeared bounds the doubt. */
static void bound_doubts(struct run *run, int64_t absolute)
{
    for (size_t i = 0; i < run->hole_count; i++) {
        struct hole *hole = &run->holes[i];
        if (hole->bounded || !hole->clock_known)
            continue;
        hole->bounded = true;
        hole->clock_before = run->clock;
        hole->absolute = absolute;
    }
}

static void apply_time(struct decoder *decoder, const struct frame *frame)
{
    struct run *run = &decoder->run;
    bool saturated = frame->ticks_saturated;
    if (is_absolute(decoder, frame)) {
        bound_doubts(run, frame->ticks);
        run->clock_known = true;
        run->clock = frame->ticks;
    } else if (run->clock_known) {
        run->clock = add_saturated(run->clock, frame->ticks, &saturated);
    }
    if (saturated)
        decoder->counters.times_saturated++;
}

/* ---- names, in the order of arrival (rule 9) ------------------------------------------------- */

const struct frame *run_name(const struct run *run, uint32_t id)
{
    for (size_t i = 0; i < run->name_count; i++)
        if (run->names[i].frame->name_id == id)
            return run->names[i].frame;
    return NULL;
}

static bool names_something(const struct frame *frame)
{
    return frame->kind == NAME_REGISTERED && frame->name_id != 0 && frame->name_size != 0;
}

static void apply_name(struct run *run, const struct frame *frame)
{
    for (size_t i = 0; i < run->name_count; i++) {
        if (run->names[i].frame->name_id == frame->name_id) {
            run->names[i].frame = frame;
            return;
        }
    }
    run->names = with_room(run->names, run->name_count, sizeof *run->names);
    run->names[run->name_count++] = (struct known){frame};
}

static void apply_dictionary(struct decoder *decoder, const struct frame *frame)
{
    if (decoder->version == 1)
        return;
    if (frame->kind == TRACE_START)
        apply_trace_start(decoder, frame);
    if (names_something(frame))
        apply_name(&decoder->run, frame);
}

/* ---- restarts (rule 8) ----------------------------------------------------------------------- */

static uint32_t wrapped(const struct decoder *decoder, int64_t number)
{
    return (uint32_t)(number % version_modulus(decoder->version));
}

/* The step from an unrolled number to the frame's. */
static int64_t step_to(const struct decoder *decoder, int64_t from, const struct frame *frame)
{
    return number_step(wrapped(decoder, from), frame->sequence, version_modulus(decoder->version));
}

static bool is_late_by_10_ms(const struct decoder *decoder, const struct frame *frame)
{
    const struct run *run = &decoder->run;
    if (!run->clock_known || frame->ticks >= run->clock)
        return false;
    return ticks_us(frame->ticks, run->clock, anchor_at(decoder, run->clock).rate) > 10000.0;
}

static bool renames(const struct run *run, const struct frame *frame)
{
    if (!names_something(frame))
        return false;
    const struct frame *known = run_name(run, frame->name_id);
    if (known == NULL)
        return false;
    return known->name_size != frame->name_size ||
           memcmp(known->name, frame->name, frame->name_size) != 0;
}

static bool is_restart_2(const struct decoder *decoder, const struct frame *frame)
{
    const struct run *run = &decoder->run;
    if (!is_absolute(decoder, frame))
        return false;
    if (is_late_by_10_ms(decoder, frame) || renames(run, frame))
        return true;
    if (frame->kind != TRACE_START || !run->clock_known || frame->ticks >= run->clock)
        return false;
    int64_t step = step_to(decoder, run->next, frame);
    return step < 0 || step > WINDOW;
}

static bool is_restart(const struct decoder *decoder, const struct frame *frame)
{
    if (!decoder->run.begun)
        return false;
    if (decoder->version == 2)
        return is_restart_2(decoder, frame);
    return step_to(decoder, decoder->run.next, frame) < -WINDOW || is_late_by_10_ms(decoder, frame);
}

/* ---- far numbers (rule 3) -------------------------------------------------------------------- */

/* Whether the next two sound frames go on from a far one. */
static bool is_believed(const struct decoder *decoder, size_t index, bool ahead)
{
    const struct frame *items = decoder->frames.items;
    size_t follow = decoder->frames.count - index - 1;
    if (follow < 2 && !ahead)
        return false;
    for (size_t i = 0; i < 2 && i < follow; i++)
        if (!goes_on(&items[index + i], &items[index + i + 1], 2))
            return false;
    return true;
}

/* The frame's number, unrolled; false when the frame is to be dropped as damage. */
static bool unroll(const struct decoder *decoder, size_t index, int64_t *number)
{
    const struct run *run = &decoder->run;
    const struct frame *frame = &decoder->frames.items[index];
    if (!run->begun) {
        *number = frame->sequence;
        return true;
    }
    if (decoder->version == 1) { /* any number ahead is accepted */
        *number = run->next + step_to(decoder, run->next, frame);
        return true;
    }
    int64_t step = step_to(decoder, run->highest + 1, frame);
    if (step < -WINDOW || step > WINDOW) {
        if (!is_believed(decoder, index, step > 0))
            return false;
        if (step < 0)
            step += 16384; /* read as ahead */
    }
    *number = run->highest + 1 + step;
    return true;
}

/* ---- duplicates (rule 4) --------------------------------------------------------------------- */

static bool is_duplicate(const struct run *run, int64_t number)
{
    for (size_t i = 0; i < run->held_count; i++)
        if (run->held[i].number == number)
            return true;
    if (number < run->next - WINDOW)
        return false;
    for (size_t i = 0; i < run->effected_count; i++)
        if (run->effected[i] == number)
            return true;
    return false;
}

/* ---- order (rule 6) -------------------------------------------------------------------------- */

static void effect(struct decoder *decoder, const struct event *event)
{
    struct run *run = &decoder->run;
    run->effected = with_room(run->effected, run->effected_count, sizeof *run->effected);
    run->effected[run->effected_count++] = event->number;
    take_effect(decoder, event);
}

static struct event take_lowest_held(struct run *run)
{
    size_t lowest = 0;
    for (size_t i = 1; i < run->held_count; i++)
        if (run->held[i].number < run->held[lowest].number)
            lowest = i;
    struct event event = run->held[lowest];
    run->held[lowest] = run->held[--run->held_count];
    return event;
}

static void hold(struct run *run, struct event event)
{
    run->held = with_room(run->held, run->held_count, sizeof event);
    run->held[run->held_count++] = event;
}

/* What is held takes effect as far as no hole is before it; at the end of a run no hole stops it. */
static void release(struct decoder *decoder, bool at_end)
{
    struct run *run = &decoder->run;
    while (run->held_count > 0) {
        struct event event = take_lowest_held(run);
        if (event.number > run->next) {
            if (!at_end && run->highest - run->next <= WINDOW) {
                hold(run, event);
                return;
            }
            lose_hole(decoder, run->next, &event);
        }
        run->next = event.number + 1;
        effect(decoder, &event);
    }
}

/* ---- doubt (rule 11) ------------------------------------------------------------------------- */

static void hole_appears(struct run *run, int64_t first, int64_t last)
{
    struct hole hole = {.first = first, .last = last, .clock_known = run->clock_known};
    run->holes = with_room(run->holes, run->hole_count, sizeof hole);
    run->holes[run->hole_count++] = hole;
}

static void report_doubts(struct decoder *decoder)
{
    struct run *run = &decoder->run;
    for (size_t i = 0; i < run->lost_count; i++) {
        const struct hole *hole = &run->holes[run->lost[i]];
        if (!hole->clock_known)
            continue;
        if (!hole->bounded) {
            decoder->counters.unbounded_doubts++;
            continue;
        }
        double bound = run_us(decoder, hole->absolute) - run_us(decoder, hole->clock_before);
        if (bound > decoder->counters.time_uncertain_us)
            decoder->counters.time_uncertain_us = bound;
    }
}

/* ---- runs and frames ------------------------------------------------------------------------- */

static void free_run(struct run *run)
{
    free(run->held);
    free(run->effected);
    free(run->holes);
    free(run->lost);
    free(run->anchors);
    free(run->names);
    free(run->open);
    free(run->cut);
    free(run->spans);
    free(run->marks);
    free(run->gaps);
}

/* Rule 10. */
static void end_run(struct decoder *decoder)
{
    struct run *run = &decoder->run;
    release(decoder, true);
    cut_open_spans(decoder);
    if (decoder->version == 2) {
        report_doubts(decoder);
        if (run->anchor_count == 0 && run->clock_known)
            decoder->counters.rates_assumed++;
    }
    write_rows(decoder);
}

static void restart(struct decoder *decoder)
{
    end_run(decoder);
    struct run *run = &decoder->run;
    decoder->counters.resets++;
    if (run->time_effected)
        decoder->offset_us = run_us(decoder, run->top) + decoder->offset_us;
    struct csv_row row = {.name = "device reset",
                          .name_size = 12,
                          .type = "marker",
                          .start_us = decoder->offset_us,
                          .end_us = decoder->offset_us};
    text_add_row(&decoder->markers, &row);
    if (run->anchor_count > 0)
        decoder->last_rate = run->anchors[run->anchor_count - 1].rate;
    free_run(run);
    *run = (struct run){0};
}

static void arrive(struct decoder *decoder, struct frame *frame, int64_t number)
{
    struct run *run = &decoder->run;
    if (!run->begun) {
        run->begun = true;
        run->next = number;
        run->highest = number - 1;
    }
    if (number > run->highest + 1)
        hole_appears(run, run->highest + 1, number - 1);
    apply_time(decoder, frame);
    apply_dictionary(decoder, frame);

    struct event event = {number, run->clock_known, run->clock, frame};
    if (number > run->highest)
        run->highest = number;
    if (number < run->next) {
        effect(decoder, &event); /* a straggler */
        return;
    }
    hold(run, event);
    release(decoder, false);
}

/* A frame is tested for restart (8), then far (3), then duplicate (4). */
static void decode_frame(struct decoder *decoder, size_t index)
{
    struct frame *frame = &decoder->frames.items[index];
    if (is_restart(decoder, frame))
        restart(decoder);
    int64_t number;
    if (!unroll(decoder, index, &number)) {
        frame->fate = REFERENCE_FAR;
        decoder->counters.bytes_skipped += frame->size;
        return;
    }
    decoder->counters.frames++;
    if (decoder->run.begun && is_duplicate(&decoder->run, number)) {
        frame->fate = REFERENCE_DUPLICATE;
        decoder->counters.duplicates++;
        return;
    }
    arrive(decoder, frame, number);
}

static void decode(struct decoder *decoder, const uint8_t *bytes, size_t size)
{
    memset(decoder, 0, sizeof *decoder);
    read_stream(bytes, size, &decoder->frames);
    decoder->version = decoder->frames.version;
    decoder->counters.wire_version = decoder->version;
    decoder->counters.bytes_skipped = decoder->frames.bytes_skipped;
    decoder->counters.cut_tail_bytes = decoder->frames.cut_tail_bytes;
    for (size_t i = 0; i < decoder->frames.count; i++)
        decode_frame(decoder, i);
    end_run(decoder);
}

static void free_decoder(struct decoder *decoder)
{
    free_run(&decoder->run);
    free(decoder->frames.items);
    free(decoder->spans.bytes);
    free(decoder->markers.bytes);
    free(decoder->gaps.bytes);
}

char *reference_decode(const uint8_t *bytes, size_t size, struct reference_counters *counters)
{
    struct decoder decoder;
    decode(&decoder, bytes, size);
    struct text csv = {0};
    text_add_string(&csv, "name,type,start_us,end_us,priority,deadline_us,value,interrupted\n");
    text_add(&csv, decoder.spans.bytes, decoder.spans.size);
    text_add(&csv, decoder.markers.bytes, decoder.markers.size);
    text_add(&csv, decoder.gaps.bytes, decoder.gaps.size);
    decoder.counters.csv_size = csv.size;
    text_add(&csv, "", 1);
    if (counters != NULL)
        *counters = decoder.counters;
    free_decoder(&decoder);
    return csv.bytes;
}

struct reference_frame *reference_frames(const uint8_t *bytes, size_t size, size_t *count)
{
    struct decoder decoder;
    decode(&decoder, bytes, size);
    struct reference_frame *frames = calloc(decoder.frames.count + 1, sizeof *frames);
    if (frames == NULL)
        abort();
    for (size_t i = 0; i < decoder.frames.count; i++) {
        const struct frame *frame = &decoder.frames.items[i];
        frames[i] = (struct reference_frame){frame->offset, frame->size, frame->kind,
                                             frame->sequence, frame->fate};
    }
    *count = decoder.frames.count;
    free_decoder(&decoder);
    return frames;
}
