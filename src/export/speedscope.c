/* A trace in speedscope's own format: an evented profile for each track, by the clock. What speedscope 1.25.0 demands of a
 * file is obeyed in speedscope_file.c; spans' flags and arguments have no place there, how many are in doubt is in the
 * profile's name. */
#include "export/speedscope_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "export/format.h"

struct state {
    struct stave__writing writing;
    struct stave__speedscope file;
    /* By string id: its frame plus 1, 0: none yet; behind them those of spans that have the name from their lane. */
    uint32_t *frames;
    uint32_t lane, track;
    uint64_t uncertain, failed, missed; /* spans of the track */
    bool in_gaps;                       /* a profile of them is open */
    uint64_t gaps_end;
    uint64_t lost;
    uint32_t active; /* the first profile that has spans, plus 1; 0: none */
};

/* ---- frames ---------------------------------------------------------------------------------- */

static int name_frame(struct state *state, const struct stave__shown *span, uint32_t *frame)
{
    stave_trace *trace = state->writing.trace;
    size_t behind = span->unnamed ? stave_trace_strings(trace) : 0;
    uint32_t *known = &state->frames[behind + span->name];
    if (*known != 0) {
        *frame = *known - 1;
        return STAVE_OK;
    }
    struct stave__source source = stave__source_of(trace, span);
    struct stave__speedscope_key key = {
        .file = source.file, .file_size = source.file_size, .line = source.line};
    key.name = stave_trace_string(trace, span->name, &key.name_size);
    int status = stave__speedscope_frame(&state->file, &key, frame);
    if (status >= 0)
        *known = *frame + 1;
    return status;
}

static int frame_of(struct state *state, const struct stave__shown *span, uint32_t *frame)
{
    return span->deeper != 0 ? stave__speedscope_deeper(&state->file, span->deeper, frame)
                             : name_frame(state, span, frame);
}

/* ---- tracks ---------------------------------------------------------------------------------- */

static int begin(void *context, struct stave__walk *walk)
{
    struct state *state = context;
    const char *name = state->writing.name;
    state->frames = calloc(2 * (size_t)stave_trace_strings(walk->trace), sizeof *state->frames);
    if (state->frames == NULL)
        return STAVE_E_MEMORY;
    return stave__speedscope_begin(&state->file, state->writing.out, name, strlen(name));
}

static int begin_track(void *context, uint32_t lane, uint32_t track)
{
    struct state *state = context;
    state->lane = lane;
    state->track = track;
    state->uncertain = state->failed = state->missed = 0;
    stave__speedscope_profile(&state->file);
    if (state->active == 0 && !state->in_gaps)
        state->active = state->file.profiles;
    return STAVE_OK;
}

static int enter(void *context, const struct stave__shown *span, const struct stave__shown *parent)
{
    struct state *state = context;
    uint32_t frame = 0;
    int status = frame_of(state, span, &frame);
    (void)parent;
    if (status < 0)
        return status;
    state->uncertain += (span->flags & STAVE_FLAGS_DOUBT) != 0;
    state->failed += (span->flags & STAVE_FLAG_FAILED) != 0;
    state->missed += span->missed;
    stave__speedscope_open(&state->file, frame, (uint64_t)span->start);
    return STAVE_OK;
}

static int leave(void *context, const struct stave__shown *span, const struct stave__shown *parent)
{
    struct state *state = context;
    uint32_t frame = 0;
    int status = frame_of(state, span, &frame);
    (void)parent;
    if (status >= 0)
        stave__speedscope_close(&state->file, frame, (uint64_t)span->end);
    return status;
}

/* The lane's label, and how much on it is to be known. */
static int end_profile(struct state *state, uint32_t lane, uint32_t track)
{
    const char *const texts[] = {"failed", "late", "in doubt", "lost"};
    const uint64_t counts[] = {state->failed, state->missed, state->uncertain, state->lost};
    char behind[160] = "";
    size_t size, used = 0;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        if (counts[i] != 0)
            used += (size_t)snprintf(behind + used, sizeof behind - used, ", %" PRIu64 " %s",
                                     counts[i], texts[i]);
    char *label = stave__lane_label(state->writing.trace, lane, track, &size);
    char *name = label != NULL ? realloc(label, size + used + 1) : NULL;
    if (name == NULL) {
        free(label);
        return STAVE_E_MEMORY;
    }
    memcpy(name + size, behind, used + 1);
    stave__speedscope_profile_end(&state->file, name, size + used,
                                  (uint64_t)state->writing.walk->from);
    free(name);
    return STAVE_OK;
}

static int end_track(void *context)
{
    struct state *state = context;
    return end_profile(state, state->lane, state->track);
}

/* ---- gaps ------------------------------------------------------------------------------------ */

/* What was lost is a profile of its own: on the lane it would be in the way of its spans. */
static int put_gap(struct state *state, uint32_t lane, const struct stave__moment *gap)
{
    struct stave__speedscope_key key = {0};
    uint64_t start = gap->time > state->gaps_end ? gap->time : state->gaps_end;
    uint64_t end = (uint64_t)gap->end > start ? (uint64_t)gap->end : start;
    uint32_t frame = 0;
    char *text = stave__moment_label(state->writing.trace, lane, gap, &key.name_size);
    if (text == NULL)
        return STAVE_E_MEMORY;
    key.name = text;
    int status = stave__speedscope_frame(&state->file, &key, &frame);
    free(text);
    if (status < 0)
        return status;
    stave__speedscope_open(&state->file, frame, start);
    stave__speedscope_close(&state->file, frame, end);
    state->gaps_end = end;
    state->lost += gap->value;
    return STAVE_OK;
}

static int moment(void *context, uint32_t lane, const struct stave__moment *moment)
{
    struct state *state = context;
    if (moment->kind != STAVE_GAPS) {
        state->writing.walk->counts.left_out++;
        return STAVE_OK;
    }
    bool is_first = !state->in_gaps;
    state->in_gaps = true;
    if (is_first)
        begin_track(state, lane, 0);
    return put_gap(state, lane, moment);
}

static int lane_end(void *context, uint32_t lane)
{
    struct state *state = context;
    if (!state->in_gaps)
        return STAVE_OK;
    int status = end_profile(state, lane, 0);
    state->in_gaps = false;
    state->gaps_end = state->lost = 0;
    return status;
}

static int end(void *context)
{
    struct state *state = context;
    stave__speedscope_end(&state->file, state->active > 0 ? state->active - 1 : 0);
    return STAVE_OK;
}

static void close_state(void *context)
{
    struct state *state = context;
    stave__speedscope_free(&state->file);
    free(state->frames);
}

const struct stave__format stave__speedscope_format = {
    .state_size = sizeof(struct state),
    .visitor = {.depth_max = STAVE__SPEEDSCOPE_DEPTH - 1,
                .begin = begin,
                .track = begin_track,
                .enter = enter,
                .leave = leave,
                .track_end = end_track,
                .moment = moment,
                .lane_end = lane_end,
                .end = end},
    .close = close_state,
};
