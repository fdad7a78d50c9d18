/* OpenTelemetry's spans, as OTLP/JSON: what a collector takes at /v1/traces.
 *
 * Rules of the format (formats of its protobuf in JSON): keys in lowerCamelCase, ids in hexadecimal and not all zero, 64-bit
 * integers as decimal texts, enums as numbers. A root and all below it are one trace. Ids are made of the recording and of
 * a span's lane and serial: the same recording has the same ids, another one others. Times are since 1970; where the recording
 * does not know when it was made, it began at 0, and its resource says so. Counters are no spans, and are left out.
 *
 * Source  opentelemetry-proto, trace/v1/trace.proto; OTLP 1.5 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "export/format.h"
#include "export/json_text.h"
#include "export/keys.h"
#include "export/otlp_roots.h"

struct trace_id {
    uint64_t high, low;
};

struct state {
    struct stave__writing writing;
    struct stave__json_names names;
    struct stave__keys keys;
    struct stave__otlp_roots roots;
    uint64_t seed; /* of the recording */
    uint32_t process;
    bool any_process, any_span; /* one is open; it has a span */
    bool failed;                /* out of memory */
    const char *label;          /* of the lane */
    size_t label_size;
};

/* ---- ids ------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t number)
{
    hash = (hash ^ number) * 0x9e3779b97f4a7c15u;
    hash = (hash ^ hash >> 32) * 0xbf58476d1ce4e5b9u;
    return hash ^ hash >> 29;
}

static uint64_t text_hash(const stave_trace *trace, uint32_t id)
{
    size_t size;
    const char *text = stave_trace_string(trace, id, &size);
    return stave__hash(text, size);
}

/* What tells recordings apart: when they were made, of which processes, with which lanes. */
static uint64_t seed_of(const struct stave__walk *walk)
{
    const stave_trace *trace = walk->trace;
    uint64_t seed = mix(1, (uint64_t)walk->timeline.epoch_ns);
    seed = mix(seed, (uint64_t)walk->timeline.end_ns);
    for (uint32_t i = 0; i < stave_trace_processes(trace); i++) {
        const stave_process *process = stave_trace_process(trace, i);
        seed = mix(mix(seed, process->number), text_hash(trace, process->name));
    }
    for (uint32_t i = 0; i < stave_trace_lanes(trace); i++) {
        const stave_lane *lane = stave_trace_lane(trace, i);
        seed = mix(mix(seed, lane->number), text_hash(trace, lane->name));
    }
    return seed;
}

static uint64_t not_zero(uint64_t id)
{
    return id != 0 ? id : 1;
}

static uint64_t span_id(const struct state *state, struct stave__otlp_span span)
{
    return not_zero(mix(mix(mix(state->seed, 2), span.lane), span.serial));
}

/* An entry has no serial of its own. */
static uint64_t entry_id(const struct state *state, const struct stave__shown *shown)
{
    const struct stave__cumulative *entry = shown->entry;
    uint64_t id = mix(mix(mix(mix(state->seed, 3), shown->lane), shown->serial), entry->number);
    return not_zero(mix(mix(id, entry->name), (uint64_t)entry->first));
}

static uint64_t id_of(const struct state *state, const struct stave__shown *shown)
{
    return shown->entry != NULL
               ? entry_id(state, shown)
               : span_id(state, (struct stave__otlp_span){shown->serial, shown->lane});
}

static struct trace_id trace_of(const struct state *state, struct stave__otlp_span root)
{
    return (struct trace_id){
        .high = not_zero(mix(mix(mix(state->seed, 4), root.lane), root.serial)),
        .low = mix(mix(mix(state->seed, 5), root.serial), root.lane),
    };
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static void put(struct state *state, const char *text)
{
    stave__out_text(state->writing.out, text);
}

static void put_hex(struct state *state, uint64_t number)
{
    static const char hex[] = "0123456789abcdef";
    char *room = stave__out_room(state->writing.out, 16);
    for (unsigned i = 0; i < 16; i++)
        room[i] = hex[number >> (60 - 4 * i) & 15];
    stave__out_wrote(state->writing.out, 16);
}

static void put_trace_id(struct state *state, struct trace_id id)
{
    put(state, "\"traceId\":\"");
    put_hex(state, id.high);
    put_hex(state, id.low);
    put(state, "\"");
}

static void put_span_id(struct state *state, const char *key, uint64_t id)
{
    put(state, key);
    put_hex(state, id);
    put(state, "\"");
}

static void put_time(struct state *state, const char *key, int64_t ns)
{
    put(state, key);
    stave__json_u64(state->writing.out, (uint64_t)(state->writing.walk->timeline.epoch_ns + ns));
    put(state, "\"");
}

/* An AnyValue. What a double cannot be in JSON is a text. */
static void put_value(struct state *state, uint16_t flags, uint64_t value)
{
    struct stave__out *out = state->writing.out;
    switch (stave_value_type(flags)) {
    case STAVE_FLAG_TEXT:
        put(state, "{\"stringValue\":");
        state->failed = !stave__json_name(&state->names, out, (uint32_t)value) || state->failed;
        break;
    case STAVE_FLAG_REAL:
        put(state, "{\"doubleValue\":");
        stave__json_value(out, state->writing.trace, flags, value);
        break;
    case STAVE_FLAG_BOOL:
        put(state, value != 0 ? "{\"boolValue\":true" : "{\"boolValue\":false");
        break;
    case STAVE_FLAG_SIGNED:
        put(state, "{\"intValue\":\"");
        stave__json_s64(out, (int64_t)value);
        put(state, "\"");
        break;
    default: /* an int64 in the format */
        put(state, value <= INT64_MAX ? "{\"intValue\":\"" : "{\"stringValue\":\"");
        stave__json_u64(out, value);
        put(state, "\"");
    }
    put(state, "}}");
}

static void begin_attribute(struct state *state, const char *key, bool *any)
{
    put(state, *any ? ",{\"key\":\"" : "{\"key\":\"");
    put(state, key);
    put(state, "\",\"value\":");
    stave__keys_take(&state->keys, key); /* the span's own of this name is not shown */
    *any = true;
}

static void put_number(struct state *state, const char *key, uint64_t number, bool *any)
{
    begin_attribute(state, key, any);
    put_value(state, 0, number);
}

static void put_text(struct state *state, const char *key, const char *text, size_t size, bool *any)
{
    begin_attribute(state, key, any);
    put(state, "{\"stringValue\":");
    stave__json_string(state->writing.out, text, size);
    put(state, "}}");
}

/* ---- resources ------------------------------------------------------------------------------- */

static void end_process(struct state *state)
{
    if (state->any_process)
        put(state, "]}]}");
}

static void put_resource(struct state *state, uint32_t process_plus_1)
{
    const struct stave__walk *walk = state->writing.walk;
    stave_trace *trace = state->writing.trace;
    const char *name = state->writing.name;
    size_t size = strlen(name);
    bool any = false;
    put(state, "{\"resource\":{\"attributes\":[");
    if (process_plus_1 != 0) {
        const stave_process *process = stave_trace_process(trace, process_plus_1 - 1);
        if (process->name != 0)
            name = stave_trace_string(trace, process->name, &size);
        put_number(state, "process.pid", process->number, &any);
    }
    put_text(state, "service.name", name, size, &any);
    put_text(state, "telemetry.sdk.name", "stave", 5, &any);
    put_text(state, "telemetry.sdk.version", STAVE_VERSION, sizeof STAVE_VERSION - 1, &any);
    if (!walk->timeline.has_epoch)
        put_text(state, "stave.clock", "from the start of the recording", 31, &any);
    put(state, "]},\n\"scopeSpans\":[{\"scope\":{\"name\":\"stave\",\"version\":\"" STAVE_VERSION
               "\"},\"spans\":[");
}

static int begin_lane(void *context, uint32_t lane)
{
    struct state *state = context;
    const stave_lane *l = stave_trace_lane(state->writing.trace, lane);
    state->label = stave__lane_name_text(state->writing.trace, lane, &state->label_size);
    if (state->any_process && state->process == l->process)
        return STAVE_OK;
    end_process(state);
    put(state, state->any_process ? ",\n" : "\n");
    put_resource(state, l->process);
    state->any_process = true;
    state->any_span = false;
    state->process = l->process;
    return STAVE_OK;
}

/* ---- spans ----------------------------------------------------------------------------------- */

static bool put_attributes(struct state *state, const struct stave__shown *span)
{
    struct stave__out *out = state->writing.out;
    bool any = true;
    for (uint32_t i = 0; i < span->details_count; i++) {
        const struct stave__detail *detail = &span->details[i];
        if (!stave__keys_shows(&state->keys, span, i))
            continue;
        put(state, ",{\"key\":");
        if (!stave__json_name(&state->names, out, detail->name))
            return false;
        put(state, ",\"value\":");
        put_value(state, detail->flags, detail->value);
    }
    if (span->entry != NULL) {
        put_number(state, "stave.calls", span->entry->calls, &any);
        put_number(state, "stave.min_ns", span->entry->least, &any);
        put_number(state, "stave.max_ns", span->entry->most, &any);
        put_time(state, ",{\"key\":\"stave.last_unix_ns\",\"value\":{\"intValue\":\"",
                 span->entry->last);
        put(state, "}}");
    }
    return true;
}

static bool put_all_attributes(struct state *state, const struct stave__shown *span)
{
    char text[STAVE__DOUBTS_MAX];
    const stave_lane *lane = stave_trace_lane(state->writing.trace, span->lane);
    bool any = false;
    if (!stave__keys_read(&state->keys, span))
        return false;
    put(state, ",\"attributes\":[");
    put_number(state, "thread.id", lane->number != 0 ? lane->number : (uint64_t)span->lane + 1,
               &any);
    put_text(state, "thread.name", state->label, state->label_size, &any);
    if (state->writing.walk->config.no_args) {
        put(state, "]");
        return true;
    }
    struct stave__source source = stave__source_of(state->writing.trace, span);
    if (source.file_size > 0)
        put_text(state, "code.file.path", source.file, source.file_size, &any);
    if (source.function_size > 0)
        put_text(state, "code.function.name", source.function, source.function_size, &any);
    if (source.line != 0)
        put_number(state, "code.line.number", source.line, &any);
    size_t size = stave__doubts_text(span, text);
    if (size > 0)
        put_text(state, "stave.doubt", text, size, &any);
    if (!put_attributes(state, span))
        return false;
    put(state, "]");
    return true;
}

/* Marks in the span. */
static bool put_events(struct state *state, const struct stave__shown *span)
{
    struct stave__out *out = state->writing.out;
    bool any = false;
    for (uint32_t i = 0; i < span->details_count; i++) {
        const struct stave__detail *mark = &span->details[i];
        if (mark->kind != STAVE_MARKS)
            continue;
        put_time(state, any ? ",{\"timeUnixNano\":\"" : ",\"events\":[{\"timeUnixNano\":\"",
                 mark->time);
        put(state, ",\"name\":");
        if (!stave__json_name(&state->names, out, mark->name))
            return false;
        if (mark->flags & STAVE_FLAG_HAS_VALUE) {
            put(state, ",\"attributes\":[{\"key\":\"value\",\"value\":");
            put_value(state, mark->flags, mark->value);
            put(state, "]");
        }
        put(state, "}");
        any = true;
    }
    if (any)
        put(state, "]");
    return true;
}

static void put_links(struct state *state, const struct stave__shown *span)
{
    bool any = false;
    for (uint32_t i = 0; i < span->details_count; i++) {
        const struct stave__detail *link = &span->details[i];
        if (link->kind != STAVE_LINKS || (link->role & (STAVE__IS_TARGET | STAVE__IS_PARENT)) != 0)
            continue;
        struct stave__otlp_span other = {link->value, link->name};
        put(state, any ? ",{" : ",\"links\":[{");
        put_trace_id(state, trace_of(state, stave__otlp_root_of(&state->roots, other)));
        put_span_id(state, ",\"spanId\":\"", span_id(state, other));
        put(state, ",\"attributes\":[{\"key\":\"stave.link\",\"value\":{\"stringValue\":\"");
        put(state, stave__link_text(link));
        put(state, "\"}}]}");
        any = true;
    }
    if (any)
        put(state, "]");
}

/* Its reason is the attribute "error". */
static bool put_status(struct state *state, const struct stave__shown *span)
{
    if ((span->flags & STAVE_FLAG_FAILED) == 0)
        return true;
    put(state, ",\"status\":{\"code\":2"); /* error */
    for (uint32_t i = span->details_count; i-- > 0;) {
        const struct stave__detail *detail = &span->details[i];
        if (detail->kind != STAVE_ATTRIBUTES ||
            stave_value_type(detail->flags) != STAVE_FLAG_TEXT ||
            strcmp(stave_trace_string(state->writing.trace, detail->name, NULL), "error") != 0)
            continue;
        put(state, ",\"message\":");
        if (!stave__json_name(&state->names, state->writing.out, (uint32_t)detail->value))
            return false;
        break;
    }
    put(state, "}");
    return true;
}

static void put_parent(struct state *state, const struct stave__shown *span,
                       const struct stave__shown *parent)
{
    if (span->flags & STAVE_FLAG_ATTACHED)
        put_span_id(state, ",\"parentSpanId\":\"",
                    span_id(state, (struct stave__otlp_span){span->other, span->other_lane}));
    else if (parent != NULL)
        put_span_id(state, ",\"parentSpanId\":\"", id_of(state, parent));
}

static struct stave__otlp_span root_of(const struct state *state,
                                       const struct stave__otlp_origin *origin)
{
    return origin->is_attached ? stave__otlp_root_of(&state->roots, origin->attached_to)
                               : origin->root;
}

static int enter(void *context, const struct stave__shown *span, const struct stave__shown *parent)
{
    struct state *state = context;
    struct stave__out *out = state->writing.out;
    const struct stave__otlp_origin *origin = stave__otlp_enter(&state->roots, span);
    if (origin == NULL)
        return STAVE_E_MEMORY;
    put(state, state->any_span ? ",\n{" : "\n{");
    state->any_span = true;
    put_trace_id(state, trace_of(state, root_of(state, origin)));
    put_span_id(state, ",\"spanId\":\"", id_of(state, span));
    put_parent(state, span, parent);
    put(state, ",\"name\":");
    if (!stave__json_name(&state->names, out, span->name))
        return STAVE_E_MEMORY;
    put(state, ",\"kind\":1"); /* internal */
    put_time(state, ",\"startTimeUnixNano\":\"", span->start);
    put_time(state, ",\"endTimeUnixNano\":\"", span->end);
    if (!put_all_attributes(state, span) || !put_events(state, span))
        return STAVE_E_MEMORY;
    put_links(state, span);
    if (!put_status(state, span))
        return STAVE_E_MEMORY;
    put(state, "}");
    return state->failed ? STAVE_E_MEMORY : STAVE_OK;
}

/* Marks of a span are its events; what else there is, is no span. */
static int moment(void *context, uint32_t lane, const struct stave__moment *moment)
{
    struct state *state = context;
    (void)lane;
    state->writing.walk->counts.left_out += moment->kind != STAVE_MARKS || moment->serial == 0;
    return STAVE_OK;
}

/* ---- the file -------------------------------------------------------------------------------- */

static int open_state(void *context, stave_error *error)
{
    struct state *state = context;
    state->names.trace = state->writing.trace;
    state->seed = seed_of(state->writing.walk);
    return stave__otlp_roots_find(&state->roots, state->writing.walk, error);
}

static int begin(void *context, struct stave__walk *walk)
{
    struct state *state = context;
    put(state, "{\"resourceSpans\":[");
    return stave__keys_begin(&state->keys, walk->trace) ? STAVE_OK : STAVE_E_MEMORY;
}

static int end(void *context)
{
    struct state *state = context;
    end_process(state);
    put(state, "]}\n");
    return STAVE_OK;
}

static void close_state(void *context)
{
    struct state *state = context;
    stave__json_names_free(&state->names);
    stave__keys_free(&state->keys);
    stave__otlp_roots_free(&state->roots);
}

const struct stave__format stave__otlp_format = {
    .state_size = sizeof(struct state),
    .visitor = {.wants = STAVE__WANTS_DETAILS | STAVE__WANTS_LINKS,
                .begin = begin,
                .lane = begin_lane,
                .enter = enter,
                .moment = moment,
                .end = end},
    .open = open_state,
    .close = close_state,
};
