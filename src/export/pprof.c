/* pprof's profile.proto: a sample for each call path of each lane, with how many spans and their self time.
 *
 * Rules that its readers enforce: string 0 is the empty one, ids are above 0, locations stand leaf first, a sample has a
 * value for each type. The lane is the label "thread", what is to be known of a path's last span the label "stave".
 *
 * Source  github.com/google/pprof, proto/profile.proto  */
#include <stdlib.h>

#include "base/strings.h"
#include "export/json_text.h"
#include "export/path_walk.h"
#include "export/protobuf.h"

enum {
    PROFILE_SAMPLE_TYPE = 1,
    PROFILE_SAMPLE = 2,
    PROFILE_LOCATION = 4,
    PROFILE_FUNCTION = 5,
    PROFILE_STRING = 6,
    PROFILE_TIME = 9,
    PROFILE_DURATION = 10,
    PROFILE_DEFAULT_TYPE = 14
};
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3 };

/* A frame: in the low half its name's string id, or how many are deeper; above it flags (enum stave_row_flag), and whether
 * it has its name from the lane. */
#define DEEPER ((uint64_t)1 << 63)
#define UNNAMED ((uint64_t)1 << 62)
#define FLAGS_SHIFT 32

struct state {
    struct stave__writing writing;
    struct stave__path_walk walk;
    struct stave__message message;
    struct stave__strings strings; /* of the profile */
    struct stave__strings deepers; /* "(N deeper)", in the order of their locations */
    bool *located;                 /* by string id; behind them those with the name of their lane */
    uint64_t label;                /* the lane's, in the profile's strings */
    uint64_t frames[STAVE__PATH_DEPTH];
    bool failed;
};

/* ---- strings, functions, locations ----------------------------------------------------------- */

static uint64_t word_of(struct state *state, const char *word)
{
    uint32_t id = 0;
    if (stave__strings_add(&state->strings, word, strlen(word), &id) < 0)
        state->failed = true;
    return id;
}

/* Of any bytes. Clean, so that none stands twice in the file. */
static uint64_t string_of(struct state *state, const char *text, size_t size)
{
    uint32_t id = 0;
    char *clean = malloc(3 * size + 1);
    size_t used = clean != NULL ? stave__utf8_clean(text, size, clean) : 0;
    if (used > STAVE__STRING_MAX)
        used = STAVE__STRING_MAX;
    if (clean == NULL || stave__strings_add(&state->strings, clean, used, &id) < 0)
        state->failed = true;
    free(clean);
    return id;
}

static int flush(struct state *state)
{
    if (state->message.failed || state->failed)
        return STAVE_E_MEMORY;
    stave__out_bytes(state->writing.out, state->message.bytes, state->message.size);
    state->message.size = 0;
    return STAVE_OK;
}

/* A function, and a location of the same id in it. speedscope tells functions of one name and file apart by where they start. */
static void put_location(struct state *state, uint64_t id, const char *name, size_t size,
                         struct stave__source source)
{
    struct stave__message *message = &state->message;
    uint64_t string = string_of(state, name, size);
    size_t function = stave__message_begin(message, PROFILE_FUNCTION);
    stave__message_varint(message, 1, id);
    stave__message_varint(message, 2, string);
    if (source.file_size > 0)
        stave__message_varint(message, 4, string_of(state, source.file, source.file_size));
    if (source.line != 0)
        stave__message_varint(message, 5, source.line);
    stave__message_end(message, function);
    size_t location = stave__message_begin(message, PROFILE_LOCATION);
    stave__message_varint(message, 1, id);
    size_t line = stave__message_begin(message, 4);
    stave__message_varint(message, 1, id);
    if (source.line != 0)
        stave__message_varint(message, 2, source.line);
    stave__message_end(message, line);
    stave__message_end(message, location);
}

static uint64_t deeper_location(struct state *state, uint64_t count)
{
    char text[STAVE__DEEPER_MAX];
    size_t size = stave__deeper_text(count, text);
    uint32_t known = state->deepers.texts.rows, id = 0;
    if (stave__strings_add(&state->deepers, text, size, &id) < 0)
        state->failed = true;
    uint64_t location = ((uint64_t)1 << 32) + id;
    if (state->deepers.texts.rows != known)
        put_location(state, location, text, size, (struct stave__source){0});
    return location;
}

static uint64_t location_of(struct state *state, uint64_t frame)
{
    stave_trace *trace = state->writing.trace;
    if (frame & DEEPER)
        return deeper_location(state, frame & ~DEEPER);
    uint32_t name = (uint32_t)frame;
    bool unnamed = (frame & UNNAMED) != 0;
    bool *located = &state->located[(unnamed ? stave_trace_strings(trace) : 0) + name];
    uint64_t location = (unnamed ? (uint64_t)2 << 32 : 0) + name + 1;
    if (!*located) {
        size_t size;
        const char *text = stave_trace_string(trace, name, &size);
        struct stave__source source = {0};
        if (!unnamed)
            source = stave__source_of_name(trace, name);
        put_location(state, location, text, size, source);
        *located = true;
    }
    return location;
}

/* ---- samples --------------------------------------------------------------------------------- */

static void put_label(struct state *state, uint64_t key, uint64_t value)
{
    size_t label = stave__message_begin(&state->message, SAMPLE_LABEL);
    stave__message_varint(&state->message, 1, key);
    stave__message_varint(&state->message, 2, value);
    stave__message_end(&state->message, label);
}

static void put_labels(struct state *state, uint64_t frame)
{
    char text[STAVE__DOUBTS_MAX];
    struct stave__shown shown = {0};
    put_label(state, word_of(state, "thread"), state->label);
    if (frame & DEEPER || state->writing.walk->config.no_args)
        return;
    shown.flags = (uint16_t)(frame >> FLAGS_SHIFT);
    size_t size = stave__doubts_text(&shown, text);
    if (size > 0)
        put_label(state, word_of(state, "stave"), word_of(state, text));
}

static int put_sample(void *context, const struct stave__path *path)
{
    struct state *state = context;
    struct stave__message *message = &state->message;
    uint8_t bytes[STAVE__VARINT_MAX * 2];
    stave__path_frames(&state->walk, path, state->frames);
    for (uint32_t i = 0; i < path->depth; i++) /* those that are new stand in front */
        state->frames[i] = location_of(state, state->frames[i]);
    size_t sample = stave__message_begin(message, PROFILE_SAMPLE);
    size_t locations = stave__message_begin(message, SAMPLE_LOCATION);
    for (uint32_t i = path->depth; i-- > 0;)
        if (stave__message_room(message, STAVE__VARINT_MAX))
            message->size += stave__varint_put(message->bytes + message->size, state->frames[i]);
    stave__message_end(message, locations);
    size_t size = stave__varint_put(bytes, path->spans);
    size += stave__varint_put(bytes + size, path->self);
    stave__message_bytes(message, SAMPLE_VALUE, bytes, size);
    put_labels(state, path->frame);
    stave__message_end(message, sample);
    return flush(state);
}

/* ---- spans ----------------------------------------------------------------------------------- */

static int begin_lane(void *context, uint32_t lane)
{
    struct state *state = context;
    size_t size;
    char *label = stave__lane_label(state->writing.trace, lane, 0, &size);
    if (label == NULL)
        return STAVE_E_MEMORY;
    state->label = string_of(state, label, size);
    free(label);
    return STAVE_OK;
}

static int enter(void *context, const struct stave__shown *span, const struct stave__shown *parent)
{
    struct state *state = context;
    uint64_t frame =
        (span->unnamed ? UNNAMED : 0) | (uint64_t)span->flags << FLAGS_SHIFT | span->name;
    (void)parent;
    return stave__path_walk_enter(&state->walk, state,
                                  span->deeper != 0 ? DEEPER | span->deeper : frame);
}

/* Calls of an entry, and all that are deeper, count as they were. */
static uint64_t count_of(const struct stave__shown *span)
{
    if (span->entry != NULL)
        return span->entry->calls;
    return span->deeper != 0 ? span->deeper : 1;
}

static int leave(void *context, const struct stave__shown *span, const struct stave__shown *parent)
{
    struct state *state = context;
    (void)parent;
    stave__path_walk_leave(&state->walk, span->self, count_of(span));
    return STAVE_OK;
}

static int end_lane(void *context, uint32_t lane)
{
    struct state *state = context;
    (void)lane;
    return stave__path_walk_flush(&state->walk, state);
}

/* ---- the file -------------------------------------------------------------------------------- */

static void put_type(struct state *state, const char *type, const char *unit)
{
    uint64_t type_id = word_of(state, type), unit_id = word_of(state, unit);
    size_t message = stave__message_begin(&state->message, PROFILE_SAMPLE_TYPE);
    stave__message_varint(&state->message, 1, type_id);
    stave__message_varint(&state->message, 2, unit_id);
    stave__message_end(&state->message, message);
}

static int begin(void *context, struct stave__walk *walk)
{
    struct state *state = context;
    state->located = calloc(2 * (size_t)stave_trace_strings(walk->trace), sizeof *state->located);
    if (!stave__path_walk_begin(&state->walk, put_sample) || state->located == NULL ||
        stave__strings_init(&state->strings) < 0 || stave__strings_init(&state->deepers) < 0)
        return STAVE_E_MEMORY;
    put_type(state, "spans", "count");
    put_type(state, "wall", "nanoseconds");
    stave__message_varint(&state->message, PROFILE_DEFAULT_TYPE, word_of(state, "wall"));
    if (walk->timeline.has_epoch)
        stave__message_varint(&state->message, PROFILE_TIME, (uint64_t)walk->timeline.epoch_ns);
    stave__message_varint(&state->message, PROFILE_DURATION, (uint64_t)walk->timeline.end_ns);
    return flush(state);
}

static int end(void *context)
{
    struct state *state = context;
    int status = STAVE_OK;
    for (uint32_t i = 0; i < state->strings.texts.rows && status >= 0; i++) {
        size_t size;
        const char *text = stave__strings_text(&state->strings, i, &size);
        stave__message_text(&state->message, PROFILE_STRING, text, size);
        status = flush(state);
    }
    return status;
}

static void close_state(void *context)
{
    struct state *state = context;
    stave__path_walk_free(&state->walk);
    stave__message_free(&state->message);
    stave__strings_free(&state->strings);
    stave__strings_free(&state->deepers);
    free(state->located);
}

const struct stave__format stave__pprof_format = {
    .state_size = sizeof(struct state),
    .visitor = {.depth_max = STAVE__PATH_DEPTH - 1,
                .begin = begin,
                .lane = begin_lane,
                .enter = enter,
                .leave = leave,
                .lane_end = end_lane,
                .end = end},
    .packed = true,
    .close = close_state,
};
