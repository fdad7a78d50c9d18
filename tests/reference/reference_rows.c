/* reference_rows.c - rules 7, 9 and 10: what frames mean, as rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference_parts.h"

/* ---- pairing (rule 9) ------------------------------------------------------------------------ */

/* Pairing goes by name_id, in version 1 by the name. */
static bool same_id(const struct decoder *decoder, const struct frame *a, const struct frame *b)
{
    if (decoder->version == 2)
        return a->name_id == b->name_id;
    return a->name_size == b->name_size && memcmp(a->name, b->name, a->name_size) == 0;
}

static bool has_id(const struct decoder *decoder, const struct frame *frame)
{
    return decoder->version == 2 ? frame->name_id != 0 : frame->name_size != 0;
}

/* Takes the span of that id out of those that are open; the others keep their order. */
static bool take_open(struct decoder *decoder, const struct frame *frame, struct open_span *span)
{
    struct run *run = &decoder->run;
    for (size_t i = 0; i < run->open_count; i++) {
        if (!same_id(decoder, run->open[i].frame, frame))
            continue;
        *span = run->open[i];
        for (size_t k = i + 1; k < run->open_count; k++)
            run->open[k - 1] = run->open[k];
        run->open_count--;
        return true;
    }
    return false;
}

static bool take_cut(struct decoder *decoder, const struct frame *frame)
{
    struct run *run = &decoder->run;
    for (size_t i = 0; i < run->cut_count; i++) {
        if (same_id(decoder, run->cut[i].frame, frame)) {
            run->cut[i] = run->cut[--run->cut_count];
            return true;
        }
    }
    return false;
}

static void add_span(struct run *run, struct open_span open, int64_t end, bool interrupted)
{
    struct span span = {open.frame, open.start, end, interrupted};
    if (span.end < span.start)
        span.end = span.start; /* rule 10 */
    run->spans = with_room(run->spans, run->span_count, sizeof span);
    run->spans[run->span_count++] = span;
}

static void start_span(struct decoder *decoder, const struct event *event)
{
    struct run *run = &decoder->run;
    struct open_span earlier;
    if (take_open(decoder, event->frame, &earlier))
        decoder->counters.duplicate_starts++;
    take_cut(decoder, event->frame); /* an end that comes now is this span's */
    run->open = with_room(run->open, run->open_count, sizeof *run->open);
    run->open[run->open_count++] = (struct open_span){event->frame, event->ticks};
}

static void end_span(struct decoder *decoder, const struct event *event)
{
    struct open_span open;
    if (take_open(decoder, event->frame, &open))
        add_span(&decoder->run, open, event->ticks, false);
    else if (!take_cut(decoder, event->frame))
        decoder->counters.orphan_ends++;
}

static void mark(struct decoder *decoder, const struct event *event)
{
    struct run *run = &decoder->run;
    run->marks = with_room(run->marks, run->mark_count, sizeof *run->marks);
    run->marks[run->mark_count++] = (struct mark){event->frame, event->ticks};
}

static void take_effect_timed(struct decoder *decoder, const struct event *event)
{
    uint32_t kind = event->frame->kind;
    if (kind != SPAN_START && kind != SPAN_END && kind != MARKER)
        return;
    if (!has_id(decoder, event->frame))
        decoder->counters.unresolved++;
    else if (kind == SPAN_START)
        start_span(decoder, event);
    else if (kind == SPAN_END)
        end_span(decoder, event);
    else
        mark(decoder, event);
}

void take_effect(struct decoder *decoder, const struct event *event)
{
    struct run *run = &decoder->run;
    if (!event->timed) {
        decoder->counters.unresolved++; /* rule 5 */
        return;
    }
    if (!run->time_effected || event->ticks > run->top)
        run->top = event->ticks;
    run->time_effected = true;
    take_effect_timed(decoder, event);
}

/* ---- holes (rule 7) -------------------------------------------------------------------------- */

void cut_open_spans(struct decoder *decoder)
{
    struct run *run = &decoder->run;
    for (size_t i = 0; i < run->open_count; i++) {
        add_span(run, run->open[i], run->top, true);
        run->cut = with_room(run->cut, run->cut_count, sizeof *run->cut);
        run->cut[run->cut_count++] = (struct known){run->open[i].frame};
    }
    run->open_count = 0;
}

static void note_doubt(struct run *run, int64_t number)
{
    for (size_t i = 0; i < run->hole_count; i++) {
        if (number < run->holes[i].first || number > run->holes[i].last)
            continue;
        run->lost = with_room(run->lost, run->lost_count, sizeof *run->lost);
        run->lost[run->lost_count++] = i;
    }
}

static void add_gap(struct run *run, int64_t lost, const struct event *behind)
{
    struct gap gap = {.start = run->top, .end = run->top, .lost = lost};
    if (!run->time_effected) {
        if (!behind->timed)
            return; /* rule 5: no row where no time is known on either side */
        gap.start = gap.end = behind->ticks;
    } else if (behind->timed && behind->ticks > gap.end) {
        gap.end = behind->ticks; /* otherwise it would end before it starts, rule 10 */
    }
    run->gaps = with_room(run->gaps, run->gap_count, sizeof gap);
    run->gaps[run->gap_count++] = gap;
}

/* The numbers from `first` up to the frame behind them are lost. */
void lose_hole(struct decoder *decoder, int64_t first, const struct event *behind)
{
    struct run *run = &decoder->run;
    int64_t lost = behind->number - first;
    decoder->counters.frames_lost += (uint64_t)lost;
    note_doubt(run, first);
    cut_open_spans(decoder);
    add_gap(run, lost, behind);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static double row_us(const struct decoder *decoder, int64_t ticks)
{
    return run_us(decoder, ticks) + decoder->offset_us;
}

/* Whose name and attributes a row takes: NULL when its id has none. */
static const struct frame *describes(const struct decoder *decoder, const struct frame *frame)
{
    return decoder->version == 1 ? frame : run_name(&decoder->run, frame->name_id);
}

static void write_span(struct decoder *decoder, const struct span *span)
{
    const struct frame *name = describes(decoder, span->frame);
    if (name == NULL) {
        decoder->counters.unresolved++;
        return;
    }
    struct csv_row row = {.name = name->name,
                          .name_size = name->name_size,
                          .type = name->source_type == 1 ? "isr" : "task",
                          .start_us = row_us(decoder, span->start),
                          .end_us = row_us(decoder, span->end),
                          .priority = name->priority,
                          .interrupted = span->interrupted};
    row.deadline_us = row.start_us + (double)name->deadline_ms * 1000.0;
    row.has_deadline = name->has_deadline && isfinite(row.deadline_us);
    text_add_row(&decoder->spans, &row);
    decoder->counters.spans++;
}

static void write_mark(struct decoder *decoder, const struct mark *mark)
{
    const struct frame *name = describes(decoder, mark->frame);
    if (name == NULL) {
        decoder->counters.unresolved++;
        return;
    }
    struct csv_row row = {.name = name->name,
                          .name_size = name->name_size,
                          .type = "marker",
                          .start_us = row_us(decoder, mark->ticks),
                          .end_us = row_us(decoder, mark->ticks),
                          .has_value = mark->frame->has_value,
                          .value = mark->frame->value};
    text_add_row(&decoder->markers, &row);
    decoder->counters.markers++;
}

static void write_gap(struct decoder *decoder, const struct gap *gap)
{
    struct csv_row row = {.name = "trace gap",
                          .name_size = 9,
                          .type = "gap",
                          .start_us = row_us(decoder, gap->start),
                          .end_us = row_us(decoder, gap->end),
                          .has_value = true,
                          .value = (uint64_t)gap->lost};
    text_add_row(&decoder->gaps, &row);
    decoder->counters.gaps++;
}

/* At the end of a run, when its rates and names are all known. */
void write_rows(struct decoder *decoder)
{
    struct run *run = &decoder->run;
    for (size_t i = 0; i < run->span_count; i++)
        write_span(decoder, &run->spans[i]);
    for (size_t i = 0; i < run->mark_count; i++)
        write_mark(decoder, &run->marks[i]);
    for (size_t i = 0; i < run->gap_count; i++)
        write_gap(decoder, &run->gaps[i]);
}
