/* The parts of docs/diagram.md "source" and "lane": a source's rows, gathered, laid out, written. */
#include "export/diagram_data.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/deadline.h"
#include "base/error.h"
#include "export/diagram_marks.h"

enum { LOOSE_MARKS = 255 }; /* the kind of the lane of markers that no span holds */

enum part { PART_ROW = 1, PART_NAME = 2, PART_DEADLINE = 4, PART_OWN = 8 };

enum form { FORM_NONE, FORM_U64, FORM_S64, FORM_REAL, FORM_TEXT, FORM_BOOL };

/* ---- gathering ------------------------------------------------------------------------------- */

static enum form form_of(uint16_t flags)
{
    if ((flags & STAVE_FLAG_HAS_VALUE) == 0)
        return FORM_NONE;
    switch (stave_value_type(flags)) {
    case STAVE_FLAG_TEXT:
        return FORM_TEXT;
    case STAVE_FLAG_REAL:
        return FORM_REAL;
    case STAVE_FLAG_SIGNED:
        return FORM_S64;
    case STAVE_FLAG_BOOL:
        return FORM_BOOL;
    default:
        return FORM_U64;
    }
}

/* What a mark shows: its lane's name where it has none, its value as a number of the page. */
static void complete_mark(const struct stave__drawing *drawing, const stave_block *block,
                          struct stave__drawn *mark)
{
    enum form form = form_of(mark->flags);
    if (mark->name == 0)
        mark->name = drawing->texts[stave_trace_lane(drawing->trace, block->lane)->name];
    if (form == FORM_NONE)
        mark->value = 0;
    if (form == FORM_TEXT)
        mark->value = drawing->texts[mark->value];
    mark->which = form;
}

/* A row of a block; `which` is what its kind does not say itself. */
static struct stave__drawn drawn_of(const struct stave__drawing *drawing, const stave_block *block,
                                    uint32_t row, uint32_t which)
{
    uint32_t depth = stave_block_depth(block, row);
    struct stave__drawn drawn = {
        .start = block->start[row],
        .end = stave_block_end(block, row),
        .value = block->value != NULL ? block->value[row] : 0,
        .tie = block->kind == STAVE_SPANS ? block->serial[row] : block->order[row],
        .boot = block->boot,
        .name = drawing->texts[stave_block_name(block, row)],
        .which = which,
        .flags = block->flags[row],
        .row = (uint8_t)(depth < STAVE__DIAGRAM_ROWS_MAX ? depth : STAVE__DIAGRAM_ROWS_MAX),
    };
    if (block->kind == STAVE_MARKS)
        complete_mark(drawing, block, &drawn);
    return drawn;
}

/* All rows of a block. */
static int gather(struct stave__drawing *drawing, uint32_t choice, uint32_t which,
                  struct stave__rows *rows, stave_error *error)
{
    int status = stave__drawing_show(drawing, choice, error);
    if (status <= 0)
        return status;
    const stave_block *block = &drawing->reading.block;
    for (uint32_t i = 0; i < block->rows && status >= 0; i++) {
        struct stave__drawn drawn = drawn_of(drawing, block, i, which);
        status = stave__rows_push(rows, &drawn, error);
    }
    return status;
}

/* ---- sources --------------------------------------------------------------------------------- */

static void put_boots(const stave_trace *trace, struct stave__stream *stream)
{
    stave__stream_u(stream, stave_trace_boots(trace));
    for (uint32_t boot = 0; boot < stave_trace_boots(trace); boot++) {
        stave__stream_d(stream, stave_trace_boot(trace, boot)->offset_us);
        stave__stream_u(stream, stave_trace_anchors(trace, boot));
        for (uint32_t i = 0; i < stave_trace_anchors(trace, boot); i++) {
            stave_anchor anchor = stave_trace_anchor(trace, boot, i);
            stave__stream_s(stream, anchor.tick);
            stave__stream_d(stream, anchor.us);
            stave__stream_d(stream, anchor.hz);
        }
    }
}

/* The lane of the page plus 1; 0 for what is about the whole device, and for a lane that is not drawn. */
static uint32_t band_lane(const struct stave__drawing *drawing, uint32_t lane)
{
    if (stave_trace_lane(drawing->trace, lane)->kind == STAVE_LANE_DEVICE)
        return 0;
    return drawing->plans[lane].drawn + 1; /* STAVE_NONE: 0 */
}

static int put_bands(struct stave__drawing *drawing, stave_row_kind kind,
                     struct stave__stream *stream, stave_error *error)
{
    struct stave__rows rows = {0};
    int status = STAVE_OK;
    for (uint32_t i = 0; i < drawing->reading.count && status >= 0; i++) {
        const struct stave__choice *choice = &drawing->reading.choices[i];
        if (choice->kind == (uint32_t)kind)
            status = gather(drawing, i, band_lane(drawing, choice->lane), &rows, error);
    }
    if (status >= 0) {
        stave__rows_sort(&rows);
        stave__rows_write_runs(&rows, stream);
        stave__rows_write_column(&rows, stream, stave__drawn_length);
        stave__rows_write_column(&rows, stream, stave__drawn_value);
        stave__rows_write_column(&rows, stream, stave__drawn_flags);
        stave__rows_write_column(&rows, stream, stave__drawn_name);
        stave__rows_write_column(&rows, stream, stave__drawn_which);
    }
    stave__rows_free(&rows);
    return status;
}

static bool is_of_stream(const stave_lane *lane)
{
    return lane->kind == STAVE_LANE_DEVICE;
}

static int gather_marks(struct stave__drawing *drawing, bool (*on)(const stave_lane *lane),
                        struct stave__rows *rows, stave_error *error)
{
    int status = STAVE_OK;
    for (uint32_t i = 0; i < drawing->reading.count && status >= 0; i++) {
        const struct stave__choice *choice = &drawing->reading.choices[i];
        if (choice->kind == STAVE_MARKS && on(stave_trace_lane(drawing->trace, choice->lane)))
            status = gather(drawing, i, 0, rows, error);
    }
    return status;
}

/* Marks of the stream itself: those at which a boot ended, or the others. */
static int gather_stream_marks(struct stave__drawing *drawing, bool restarts,
                               struct stave__rows *rows, stave_error *error)
{
    int status = gather_marks(drawing, is_of_stream, rows, error);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < rows->count; i++)
        if (((rows->at[i].flags & STAVE_FLAG_RESTART) != 0) == restarts)
            rows->at[kept++] = rows->at[i];
    rows->count = kept;
    return status;
}

static int put_restarts(struct stave__drawing *drawing, struct stave__stream *stream,
                        stave_error *error)
{
    struct stave__rows rows = {0};
    int status = gather_stream_marks(drawing, true, &rows, error);
    stave__rows_sort(&rows);
    stave__stream_u(stream, rows.count);
    for (uint32_t i = 0; i < rows.count; i++) {
        stave__stream_u(stream, rows.at[i].boot);
        stave__stream_s(stream, rows.at[i].start);
    }
    stave__rows_free(&rows);
    return status;
}

int stave__diagram_put_source(struct stave__drawing *drawing, struct stave__stream *stream,
                              stave_error *error)
{
    stave__stream_u(stream, drawing->name);
    stave__stream_u(stream, drawing->lost);
    stave__stream_u(stream, drawing->frames);
    put_boots(drawing->trace, stream);
    int status = put_bands(drawing, STAVE_GAPS, stream, error);
    if (status >= 0)
        status = put_bands(drawing, STAVE_DOUBTS, stream, error);
    return status < 0 ? status : put_restarts(drawing, stream, error);
}

/* ---- lanes ----------------------------------------------------------------------------------- */

/* What a source's lanes are written with: one lane's rows at a time. */
struct lanes {
    struct stave__drawing *drawing;
    struct stave__stream *stream;
    uint32_t source;
    struct stave__marks device_marks;
    struct stave__rows spans, marks;
    double *deadlines_us;
    uint32_t deadlines;
    bool own_deadlines; /* some spans have one */
};

/* Which of its deadlines a lane of the trace has, plus 1; 0: none that a span could miss. */
static uint32_t add_deadline(struct lanes *lanes, const stave_lane *lane)
{
    double us = stave__deadline_us(lane);
    if (isinf(us))
        return 0;
    lanes->deadlines_us[lanes->deadlines++] = us;
    return lanes->deadlines;
}

/* The rows of one of the trace's lanes. */
static int gather_member(struct lanes *lanes, uint32_t member, stave_error *error)
{
    struct stave__drawing *drawing = lanes->drawing;
    const stave_lane *lane = stave_trace_lane(drawing->trace, member);
    uint32_t deadline = add_deadline(lanes, lane);
    const uint32_t *first = &drawing->choices.first[member];
    int status = STAVE_OK;
    for (uint32_t i = first[0]; i < first[1] && status >= 0; i++) {
        uint32_t choice = drawing->choices.at[i], kind = drawing->reading.choices[choice].kind;
        if (kind == STAVE_SPANS)
            status = gather(drawing, choice, deadline, &lanes->spans, error);
        else if (kind == STAVE_MARKS && stave__keeps_marks(lane))
            status = gather(drawing, choice, 0, &lanes->marks, error);
    }
    return status;
}

/* A span's own deadline stands behind those of the lane, and counts instead of them. */
static void number_own_deadlines(struct lanes *lanes)
{
    lanes->own_deadlines = false;
    for (uint32_t i = 0; i < lanes->spans.count; i++) {
        struct stave__drawn *span = &lanes->spans.at[i];
        if ((span->flags & STAVE_FLAG_HAS_VALUE) == 0)
            continue;
        span->which = lanes->deadlines + 1;
        lanes->own_deadlines = true;
    }
}

static int gather_lane(struct lanes *lanes, const struct stave__drawn_lane *drawn,
                       stave_error *error)
{
    const struct stave__drawing *drawing = lanes->drawing;
    const uint32_t *members = drawing->members + drawn->first_member;
    uint64_t spans = 0;
    lanes->spans.count = lanes->marks.count = lanes->deadlines = 0;
    for (uint32_t i = 0; i < drawn->members; i++)
        spans += drawing->plans[members[i]].spans;
    int status = stave__rows_reserve(&lanes->spans, spans, error);
    for (uint32_t i = 0; i < drawn->members && status >= 0; i++)
        status = gather_member(lanes, members[i], error);
    number_own_deadlines(lanes);
    return status;
}

static void put_marks(const struct stave__rows *marks, struct stave__stream *stream)
{
    stave__rows_write_runs(marks, stream);
    stave__rows_write_column(marks, stream, stave__drawn_name);
    stave__rows_write_column(marks, stream, stave__drawn_which);
    stave__rows_write_column(marks, stream, stave__drawn_value);
    stave__rows_write_column(marks, stream, stave__drawn_row);
}

static void put_measures(struct stave__stream *stream, uint32_t spans,
                         const struct stave__measures *measures)
{
    stave__stream_u(stream, spans);
    stave__stream_u(stream, measures->whole);
    stave__stream_u(stream, measures->checked);
    stave__stream_u(stream, measures->missed);
    stave__stream_d(stream, measures->min_us);
    stave__stream_d(stream, measures->mean_us);
    stave__stream_d(stream, measures->p99_us);
    stave__stream_d(stream, measures->max_us);
    stave__stream_u(stream, measures->worst);
}

static bool any_named(const struct stave__rows *spans)
{
    for (uint32_t i = 0; i < spans->count; i++)
        if (spans->at[i].name != 0)
            return true;
    return false;
}

/* From the spans' starts to their own deadlines; what is further away than 64 bits say is as far as they
 * can say. */
static void put_own_deadlines(const struct stave__rows *spans, struct stave__stream *stream)
{
    for (uint32_t i = 0; i < spans->count; i++) {
        const struct stave__drawn *span = &spans->at[i];
        int64_t deadline = (int64_t)span->value, ticks;
        if ((span->flags & STAVE_FLAG_HAS_VALUE) == 0)
            continue;
        if (__builtin_sub_overflow(deadline, span->start, &ticks))
            ticks = deadline < span->start ? INT64_MIN : INT64_MAX;
        stave__stream_s(stream, ticks);
    }
}

static uint32_t parts_of(const struct lanes *lanes, uint32_t rows_of_lane)
{
    bool deadlines = lanes->deadlines > 0 || lanes->own_deadlines;
    return (rows_of_lane > 1 ? PART_ROW : 0) | (any_named(&lanes->spans) ? PART_NAME : 0) |
           (deadlines ? PART_DEADLINE : 0) | (lanes->own_deadlines ? PART_OWN : 0);
}

static void put_spans(const struct lanes *lanes, uint32_t rows_of_lane)
{
    struct stave__stream *stream = lanes->stream;
    const struct stave__rows *spans = &lanes->spans;
    uint32_t parts = parts_of(lanes, rows_of_lane);
    stave__stream_u(stream, lanes->deadlines);
    for (uint32_t i = 0; i < lanes->deadlines; i++)
        stave__stream_d(stream, lanes->deadlines_us[i]);
    stave__stream_u(stream, parts);
    stave__rows_write_runs(spans, stream);
    stave__rows_write_column(spans, stream, stave__drawn_length);
    stave__rows_write_column(spans, stream, stave__drawn_flags);
    if (parts & PART_ROW)
        stave__rows_write_column(spans, stream, stave__drawn_row);
    if (parts & PART_NAME)
        stave__rows_write_column(spans, stream, stave__drawn_name);
    if (parts & PART_DEADLINE)
        stave__rows_write_column(spans, stream, stave__drawn_which);
    if (parts & PART_OWN)
        put_own_deadlines(spans, stream);
}

/* What a lane is. A kind of a later version counts as a thread. */
static void put_head(const struct lanes *lanes, const stave_lane *lane)
{
    const struct stave__drawing *drawing = lanes->drawing;
    struct stave__stream *stream = lanes->stream;
    uint32_t process =
        lane->process != 0 ? stave_trace_process(drawing->trace, lane->process - 1)->name : 0;
    stave__stream_u(stream, lanes->source);
    stave__stream_u(stream, lane->kind <= STAVE_LANE_PROCESS ? lane->kind : STAVE_LANE_THREAD);
    stave__stream_u(stream, lane->priority);
    stave__stream_u(stream, drawing->texts[lane->name]);
    stave__stream_u(stream, drawing->texts[process]);
    stave__stream_u(stream, lane->number);
}

static void count_lane(stave_diagram_counts *counts, uint32_t spans,
                       const struct stave__measures *measures)
{
    counts->with_deadline += measures->checked;
    counts->missed += measures->missed;
    counts->interrupted += spans - measures->whole;
    counts->lanes++;
}

/* Its own marks, and those of the device that stand on it. */
static int lay_out_marks(struct lanes *lanes, stave_error *error)
{
    int status = stave__marks_claim(&lanes->device_marks, &lanes->spans, &lanes->marks, error);
    stave__rows_sort(&lanes->marks);
    stave__marks_lay_out(&lanes->marks, &lanes->spans);
    return status;
}

static int put_lane(struct lanes *lanes, const struct stave__drawn_lane *drawn, stave_error *error)
{
    struct stave__drawing *drawing = lanes->drawing;
    struct stave__measures measures;
    int status = gather_lane(lanes, drawn, error);
    if (status < 0)
        return status;
    stave__rows_sort(&lanes->spans);
    struct stave__layout layout = stave__rows_lay_out(&lanes->spans);
    status =
        stave__rows_measure(&lanes->spans, drawing->trace, lanes->deadlines_us, &measures, error);
    if (status >= 0)
        status = lay_out_marks(lanes, error);
    if (status < 0)
        return status;
    put_head(lanes, drawn->lane);
    stave__stream_u(lanes->stream, layout.rows);
    stave__stream_u(lanes->stream, layout.folded);
    put_measures(lanes->stream, lanes->spans.count, &measures);
    put_spans(lanes, layout.rows);
    put_marks(&lanes->marks, lanes->stream);
    count_lane(&drawing->page->counts, lanes->spans.count, &measures);
    return STAVE_OK;
}

/* The last lane of a source: all zero but for its kind and its marks. There may be none. */
static int put_loose_marks(struct lanes *lanes, stave_error *error)
{
    lanes->spans.count = lanes->marks.count = lanes->deadlines = 0;
    lanes->own_deadlines = false;
    int status = gather_stream_marks(lanes->drawing, false, &lanes->marks, error);
    if (status >= 0)
        status = stave__marks_rest(&lanes->device_marks, &lanes->marks, error);
    if (status < 0)
        return status;
    stave__rows_sort(&lanes->marks);
    stave__stream_u(lanes->stream, lanes->source);
    stave__stream_u(lanes->stream, LOOSE_MARKS);
    for (int i = 0; i < 4; i++) /* priority, name, process, number */
        stave__stream_u(lanes->stream, 0);
    stave__stream_u(lanes->stream, 1);
    stave__stream_u(lanes->stream, 0);
    put_measures(lanes->stream, 0, &(struct stave__measures){0});
    put_spans(lanes, 1);
    put_marks(&lanes->marks, lanes->stream);
    lanes->drawing->page->counts.lanes += lanes->marks.count > 0;
    return STAVE_OK;
}

static int put_lanes(struct lanes *lanes, stave_error *error)
{
    const struct stave__drawing *drawing = lanes->drawing;
    struct stave__rows device_marks = {0};
    int status = gather_marks(lanes->drawing, stave__is_of_device, &device_marks, error);
    if (status < 0) {
        stave__rows_free(&device_marks);
        return status;
    }
    status = stave__marks_begin(&lanes->device_marks, &device_marks, error);
    for (uint32_t i = 0; i < drawing->lanes_count && status >= 0; i++) {
        status = put_lane(lanes, &drawing->lanes[i], error);
        if (lanes->stream->out->status < 0) /* the rest would be for nothing */
            status = stave__out_finish(lanes->stream->out, error);
    }
    return status < 0 ? status : put_loose_marks(lanes, error);
}

int stave__diagram_put_lanes(struct stave__drawing *drawing, uint32_t source,
                             struct stave__stream *stream, stave_error *error)
{
    struct lanes lanes = {.drawing = drawing, .stream = stream, .source = source};
    size_t count = stave_trace_lanes(drawing->trace);
    lanes.deadlines_us = malloc((count + 1) * sizeof *lanes.deadlines_us);
    int status = lanes.deadlines_us != NULL ? put_lanes(&lanes, error) : stave__fail_memory(error);
    stave__marks_free(&lanes.device_marks);
    stave__rows_free(&lanes.spans);
    stave__rows_free(&lanes.marks);
    free(lanes.deadlines_us);
    return status;
}
