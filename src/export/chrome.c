/* Chrome's trace event format, as Perfetto, chrome://tracing, speedscope and Firefox read it.
 *
 * Rules that those enforce, and that are obeyed here: every event has pid and tid, which are small numbers (others become
 * 0, or speedscope refuses the file); times are microseconds with three decimals from the start of the trace (lengths with more, where
 * speedscope needs them), since a double of those since 1970 would be off by 256 ns; spans that have ended are X, outer ones before inner ones at equal
 * times; those that do not nest on their lane are async pairs b and e, which carry cat, id, and name both; one that is
 * still open is a B; an instant has a scope; ids of flows are hexadecimal texts; a lane is at most 512 levels deep, or
 * Perfetto drops what is below; strict JSON, without a comma at the end. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "export/format.h"
#include "export/json_text.h"
#include "export/keys.h"

struct state {
    struct stave__writing writing;
    struct stave__json_names names;
    struct stave__keys keys;
    bool *processes; /* by pid: it was named */
    char where[64];  /* ,"pid":1,"tid":2 */
    size_t where_size;
    bool any_span;   /* on the lane's own track, the first of them: */
    double first_us; /* when it begins */
    bool any;        /* event */
    uint64_t pairs;  /* async, the last one's id */
};

/* ---- pieces ---------------------------------------------------------------------------------- */

static void begin_event(struct state *state, const char *ph)
{
    stave__out_text(state->writing.out, state->any ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
    stave__out_text(state->writing.out, ph);
    stave__out_bytes(state->writing.out, "\"", 1);
    stave__out_bytes(state->writing.out, state->where, state->where_size);
    state->any = true;
}

static void put_time(struct state *state, const char *key, uint64_t ns)
{
    stave__out_text(state->writing.out, key);
    stave__json_us(state->writing.out, ns);
}

static bool put_name(struct state *state, uint32_t name)
{
    stave__out_text(state->writing.out, ",\"name\":");
    return stave__json_name(&state->names, state->writing.out, name);
}

static bool put_span_name(struct state *state, const struct stave__shown *span)
{
    char text[STAVE__DEEPER_MAX];
    if (span->deeper == 0)
        return put_name(state, span->name);
    stave__out_text(state->writing.out, ",\"name\":");
    stave__json_string(state->writing.out, text, stave__deeper_text(span->deeper, text));
    return true;
}

/* Before each argument. */
static void next_arg(struct state *state, bool *any)
{
    stave__out_text(state->writing.out, *any ? "," : ",\"args\":{");
    *any = true;
}

/* ---- lanes ----------------------------------------------------------------------------------- */

static uint32_t pid_of(const stave_lane *lane)
{
    return lane->process + 1; /* 1: of no process */
}

static void put_metadata(struct state *state, const char *what)
{
    begin_event(state, "M");
    stave__out_text(state->writing.out, ",\"name\":\"");
    stave__out_text(state->writing.out, what);
    stave__out_text(state->writing.out, "\",\"args\":{");
}

static void put_number(struct state *state, const char *what, const char *key, uint64_t number)
{
    put_metadata(state, what);
    stave__json_word(state->writing.out, key);
    stave__out_text(state->writing.out, ":");
    stave__json_u64(state->writing.out, number);
    stave__out_text(state->writing.out, "}}");
}

static void put_text(struct state *state, const char *what, const char *text, size_t size)
{
    put_metadata(state, what);
    stave__out_text(state->writing.out, "\"name\":");
    stave__json_string(state->writing.out, text, size);
    stave__out_text(state->writing.out, "}}");
}

static int name_process(struct state *state, const stave_lane *lane)
{
    stave_trace *trace = state->writing.trace;
    if (state->processes[lane->process])
        return STAVE_OK;
    state->processes[lane->process] = true;
    const char *name = state->writing.name;
    size_t size = strlen(name);
    uint64_t number = 0;
    if (lane->process != 0) {
        const stave_process *process = stave_trace_process(trace, lane->process - 1);
        name = stave__process_name_text(trace, lane->process - 1, &size);
        number = process->number;
    }
    char *text = malloc(size + 32);
    if (text == NULL)
        return STAVE_E_MEMORY;
    memcpy(text, name, size);
    if (number != 0)
        size += (size_t)snprintf(text + size, 32, " (%" PRIu64 ")", number);
    put_text(state, "process_name", text, size);
    free(text);
    put_number(state, "process_sort_index", "sort_index", lane->process);
    return STAVE_OK;
}

static int begin_lane(void *context, uint32_t lane)
{
    struct state *state = context;
    const stave_lane *l = stave_trace_lane(state->writing.trace, lane);
    size_t size;
    const char *name = stave__lane_name_text(state->writing.trace, lane, &size);
    state->any_span = false;
    state->where_size =
        (size_t)snprintf(state->where, sizeof state->where, ",\"pid\":%" PRIu32 ",\"tid\":%" PRIu64,
                         pid_of(l), (uint64_t)lane + 1);
    int status = name_process(state, l);
    if (status < 0)
        return status;
    put_text(state, "thread_name", name, size);
    put_number(state, "thread_sort_index", "sort_index",
               stave__lane_rank(state->writing.trace, lane));
    return STAVE_OK;
}

/* ---- arguments ------------------------------------------------------------------------------- */

static bool put_attributes(struct state *state, const struct stave__shown *span, bool *any)
{
    struct stave__out *out = state->writing.out;
    for (uint32_t i = 0; i < span->details_count; i++) {
        const struct stave__detail *detail = &span->details[i];
        if (!stave__keys_shows(&state->keys, span, i))
            continue;
        next_arg(state, any);
        if (!stave__json_name(&state->names, out, detail->name))
            return false;
        stave__out_text(out, ":");
        stave__json_value(out, state->writing.trace, detail->flags, detail->value);
    }
    return true;
}

static void put_entry(struct state *state, const struct stave__cumulative *entry, bool *any)
{
    struct stave__out *out = state->writing.out;
    next_arg(state, any);
    stave__out_text(out, "\"calls\":");
    stave__json_u64(out, entry->calls);
    put_time(state, ",\"min_us\":", entry->least);
    put_time(state, ",\"max_us\":", entry->most);
    put_time(state, ",\"first_us\":", (uint64_t)entry->first);
    put_time(state, ",\"last_us\":", (uint64_t)entry->last);
}

static bool put_args(struct state *state, const struct stave__shown *span)
{
    char text[STAVE__DOUBTS_MAX];
    bool any = false;
    if (state->writing.walk->config.no_args)
        return true;
    if (span->entry != NULL)
        put_entry(state, span->entry, &any);
    size_t size = stave__doubts_text(span, text);
    if (!stave__keys_read(&state->keys, span))
        return false;
    if (size > 0)
        stave__keys_take(&state->keys, "stave");
    if (!put_attributes(state, span, &any))
        return false;
    if (size > 0) {
        next_arg(state, &any);
        stave__out_text(state->writing.out, "\"stave\":");
        stave__json_string(state->writing.out, text, size);
    }
    if (any)
        stave__out_text(state->writing.out, "}");
    return true;
}

/* ---- spans ----------------------------------------------------------------------------------- */

static void put_flows(struct state *state, const struct stave__shown *span)
{
    struct stave__out *out = state->writing.out;
    for (uint32_t i = 0; i < span->details_count; i++) {
        const struct stave__detail *link = &span->details[i];
        char text[64];
        if (link->kind != STAVE_LINKS)
            continue;
        begin_event(state, link->role & STAVE__IS_TARGET ? "f\",\"bp\":\"e" : "s");
        snprintf(text, sizeof text, ",\"id\":\"0x%" PRIx64 "\",\"cat\":\"link\",\"name\":\"",
                 (uint64_t)link->time);
        stave__out_text(out, text);
        stave__out_text(out, stave__link_text(link));
        put_time(state, "\",\"ts\":", (uint64_t)span->start);
        stave__out_text(out, "}");
    }
}

static bool put_missed(struct state *state, const struct stave__shown *span)
{
    struct stave__out *out = state->writing.out;
    begin_event(state, "i");
    stave__out_text(out, ",\"s\":\"t\",\"name\":\"deadline missed\"");
    put_time(state, ",\"ts\":", (uint64_t)span->deadline);
    stave__out_text(out, ",\"args\":{\"span\":");
    if (!stave__json_name(&state->names, out, span->name))
        return false;
    int64_t late = span->end - span->deadline;
    put_time(state, ",\"late_us\":", late > 0 ? (uint64_t)late : 0);
    stave__out_text(out, "}}");
    return true;
}

/* b or e: of one id are those in each other. */
static void begin_pair(struct state *state, const char *ph)
{
    char id[48];
    begin_event(state, ph);
    snprintf(id, sizeof id, ",\"cat\":\"overlapping\",\"id\":\"0x%" PRIx64 "\"", state->pairs);
    stave__out_text(state->writing.out, id);
}

/* speedscope counts from a thread's first event, then adds `ts` and `dur`, in doubles. Where that misses the span's end, by a
 * part of a nanosecond, what ends there too or begins there would not nest any more: then with as many digits as it takes, and
 * where none do, NAN. */
static double duration_of(const struct state *state, const struct stave__shown *span)
{
    double start = (double)span->start / 1000 - state->first_us;
    double end = (double)span->end / 1000 - state->first_us;
    double whole = (double)(span->end - span->start) / 1000, dur = end - start;
    if (start + whole == end)
        return whole;
    if (start + dur != end) /* halfway between two, it was rounded to the other */
        dur = nextafter(dur, start + dur < end ? HUGE_VAL : 0);
    return start + dur == end ? dur : (double)NAN;
}

/* A B instead of an X, which has an E unless it is still open: where there is no `dur`. */
static bool is_pair(const struct stave__shown *span, double dur)
{
    bool is_open = (span->flags & STAVE_FLAG_UNFINISHED) != 0 && span->entry == NULL;
    return is_open || isnan(dur);
}

static void put_duration(struct state *state, const struct stave__shown *span, double dur)
{
    uint64_t ns = (uint64_t)(span->end - span->start);
    if (dur == (double)ns / 1000) {
        put_time(state, ",\"dur\":", ns);
        return;
    }
    stave__out_text(state->writing.out, ",\"dur\":");
    stave__json_double(state->writing.out, dur);
}

static void begin_on_lane(struct state *state, const struct stave__shown *span)
{
    if (!state->any_span)
        state->first_us = (double)span->start / 1000;
    state->any_span = true;
    double dur = duration_of(state, span);
    begin_event(state, is_pair(span, dur) ? "B" : "X");
    put_time(state, ",\"ts\":", (uint64_t)span->start);
    if (!is_pair(span, dur))
        put_duration(state, span, dur);
}

static void begin_span(struct state *state, const struct stave__shown *span)
{
    if (span->track == 0) {
        begin_on_lane(state, span);
        return;
    }
    state->pairs += span->depth == 0;
    begin_pair(state, "b");
    put_time(state, ",\"ts\":", (uint64_t)span->start);
}

static int enter(void *context, const struct stave__shown *span, const struct stave__shown *parent)
{
    struct state *state = context;
    (void)parent;
    begin_span(state, span);
    if (!put_span_name(state, span) || !put_args(state, span))
        return STAVE_E_MEMORY;
    stave__out_text(state->writing.out, "}");
    put_flows(state, span);
    return span->missed && !put_missed(state, span) ? STAVE_E_MEMORY : STAVE_OK;
}

static int leave(void *context, const struct stave__shown *span, const struct stave__shown *parent)
{
    struct state *state = context;
    (void)parent;
    if ((span->track == 0 && !is_pair(span, duration_of(state, span))) || stave__is_left_open(span))
        return STAVE_OK;
    if (span->track == 0)
        begin_event(state, "E");
    else
        begin_pair(state, "e");
    put_time(state, ",\"ts\":", (uint64_t)span->end);
    if (!put_span_name(state, span))
        return STAVE_E_MEMORY;
    stave__out_text(state->writing.out, "}");
    return STAVE_OK;
}

/* ---- moments --------------------------------------------------------------------------------- */

static int put_label(struct state *state, uint32_t lane, const struct stave__moment *moment)
{
    size_t size;
    char *label = stave__moment_label(state->writing.trace, lane, moment, &size);
    if (label == NULL)
        return STAVE_E_MEMORY;
    stave__out_text(state->writing.out, ",\"name\":");
    stave__json_string(state->writing.out, label, size);
    free(label);
    return STAVE_OK;
}

/* Text, NaN and infinity are no values of a counter. */
static bool is_number(const struct stave__moment *moment)
{
    double real;
    memcpy(&real, &moment->value, sizeof real);
    uint32_t type = stave_value_type(moment->flags);
    return type != STAVE_FLAG_TEXT && (type != STAVE_FLAG_REAL || isfinite(real));
}

static int put_counter(struct state *state, uint32_t lane, const struct stave__moment *moment)
{
    struct stave__out *out = state->writing.out;
    if (!is_number(moment)) {
        state->writing.walk->counts.left_out++;
        return STAVE_OK;
    }
    begin_event(state, "C");
    put_time(state, ",\"ts\":", moment->time);
    int status = put_label(state, lane, moment);
    stave__out_text(out, ",\"args\":{\"value\":");
    if (stave_value_type(moment->flags) == STAVE_FLAG_BOOL)
        stave__json_u64(out, moment->value != 0);
    else
        stave__json_value(out, state->writing.trace, moment->flags, moment->value);
    stave__out_text(out, "}}");
    return status;
}

static void put_moment_args(struct state *state, const struct stave__moment *moment)
{
    struct stave__out *out = state->writing.out;
    bool has_value = (moment->flags & STAVE_FLAG_HAS_VALUE) != 0;
    if (moment->kind == STAVE_GAPS) {
        stave__out_text(out, ",\"args\":{\"lost\":");
        stave__json_u64(out, moment->value);
        put_time(state, ",\"dur_us\":", (uint64_t)moment->end - moment->time);
        stave__out_text(out, "}");
    } else if (moment->kind == STAVE_DOUBTS) {
        put_time(state, ",\"args\":{\"dur_us\":", (uint64_t)moment->end - moment->time);
        stave__out_text(out, "}");
    } else if (has_value) {
        stave__out_text(out, ",\"args\":{\"value\":");
        stave__json_value(out, state->writing.trace, moment->flags, moment->value);
        stave__out_text(out, "}");
    }
}

static int moment(void *context, uint32_t lane, const struct stave__moment *moment)
{
    struct state *state = context;
    uint32_t kind = stave_trace_lane(state->writing.trace, lane)->kind;
    bool of_process = kind == STAVE_LANE_DEVICE || kind == STAVE_LANE_PROCESS;
    if (moment->kind == STAVE_COUNTERS)
        return put_counter(state, lane, moment);
    begin_event(state, "i");
    stave__out_text(state->writing.out, of_process ? ",\"s\":\"p\"" : ",\"s\":\"t\"");
    put_time(state, ",\"ts\":", moment->time);
    int status = put_label(state, lane, moment);
    put_moment_args(state, moment);
    stave__out_text(state->writing.out, "}");
    return status;
}

/* ---- the file -------------------------------------------------------------------------------- */

static int begin(void *context, struct stave__walk *walk)
{
    struct state *state = context;
    state->names.trace = walk->trace;
    state->processes =
        calloc((size_t)stave_trace_processes(walk->trace) + 2, sizeof *state->processes);
    stave__out_text(state->writing.out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    return stave__keys_begin(&state->keys, walk->trace) && state->processes != NULL
               ? STAVE_OK
               : STAVE_E_MEMORY;
}

static int end(void *context)
{
    struct state *state = context;
    struct stave__out *out = state->writing.out;
    const struct stave__walk *walk = state->writing.walk;
    stave__out_text(out, "],\n\"metadata\":{\"exporter\":\"stave " STAVE_VERSION "\",\"name\":");
    stave__json_word(out, state->writing.name);
    if (walk->timeline.has_epoch) {
        stave__out_text(out, ",\"start_unix_ns\":\"");
        stave__json_u64(out, (uint64_t)walk->timeline.epoch_ns);
        stave__out_text(out, "\"");
    }
    stave__out_text(
        out, ",\"start_us\":"); /* on the time line of `stave ls` and others: ts is from there on */
    stave__json_double(out, walk->timeline.start_us);
    stave__out_text(out, ",\"lost\":");
    stave__json_u64(out, walk->counts.lost);
    stave__out_text(out, "}}\n");
    return STAVE_OK;
}

static void close_state(void *context)
{
    struct state *state = context;
    stave__json_names_free(&state->names);
    stave__keys_free(&state->keys);
    free(state->processes);
}

const struct stave__format stave__chrome_format = {
    .state_size = sizeof(struct state),
    .visitor = {.depth_max = STAVE__PERFETTO_DEPTH - 1,
                .wants = STAVE__WANTS_DETAILS | STAVE__WANTS_LINKS,
                .begin = begin,
                .lane = begin_lane,
                .enter = enter,
                .leave = leave,
                .moment = moment,
                .end = end},
    .close = close_state,
};
