#include "export/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct stave__source stave__source_of_name(const stave_trace *trace, uint32_t name)
{
    struct stave__source source = {0};
    const stave_place *place = stave_trace_place_of(trace, name);
    if (place != NULL && place->file != 0) {
        source.file = stave_trace_string(trace, place->file, &source.file_size);
        source.function = stave_trace_string(trace, place->function, &source.function_size);
        source.line = place->line;
    }
    return source;
}

struct stave__source stave__source_of(const stave_trace *trace, const struct stave__shown *span)
{
    return stave__has_own_name(span) ? stave__source_of_name(trace, span->name)
                                     : (struct stave__source){0};
}

/* ---- doubts ---------------------------------------------------------------------------------- */

/* flag, what it is called */
static const struct {
    uint32_t flag;
    const char *text;
} flag_texts[] = {
    {STAVE_FLAG_FAILED, "failed"},         {STAVE_FLAG_INTERRUPTED, "interrupted"},
    {STAVE_FLAG_UNFINISHED, "unfinished"}, {STAVE_FLAG_UNWOUND, "unwound"},
    {STAVE_FLAG_OVERLAP, "overlap"},       {STAVE_FLAG_UNCERTAIN, "uncertain"},
    {STAVE_FLAG_TRUNCATED, "truncated"},   {STAVE_FLAG_SATURATED, "saturated"},
};

static size_t add(char text[STAVE__DOUBTS_MAX], size_t used, const char *word)
{
    int size = snprintf(text + used, STAVE__DOUBTS_MAX - used, "%s%s", used > 0 ? ", " : "", word);
    size_t end = used + (size_t)size;
    return end < STAVE__DOUBTS_MAX ? end : STAVE__DOUBTS_MAX - 1;
}

size_t stave__doubts_text(const struct stave__shown *span, char text[STAVE__DOUBTS_MAX])
{
    size_t used = 0;
    text[0] = '\0';
    if (span->flags == 0 && span->cut == 0 && !span->missed)
        return 0;
    for (size_t i = 0; i < sizeof flag_texts / sizeof flag_texts[0]; i++)
        if (span->flags & flag_texts[i].flag)
            used = add(text, used, flag_texts[i].text);
    if (span->missed)
        used = add(text, used, "deadline missed");
    if (span->cut & STAVE__CUT_START)
        used = add(text, used, "cut at the start");
    if (span->cut & STAVE__CUT_END)
        used = add(text, used, "cut at the end");
    return used;
}

/* ---- names ----------------------------------------------------------------------------------- */

const char *stave__lane_kind_text(const stave_lane *lane)
{
    static const char *const kinds[] = {
        [STAVE_LANE_TASK] = "task",     [STAVE_LANE_ISR] = "interrupt",
        [STAVE_LANE_DEVICE] = "device", [STAVE_LANE_THREAD] = "thread",
        [STAVE_LANE_CORE] = "core",     [STAVE_LANE_PROCESS] = "process",
    };
    return lane->kind < sizeof kinds / sizeof kinds[0] ? kinds[lane->kind] : "lane";
}

uint64_t stave__lane_rank(const stave_trace *trace, uint32_t lane)
{
    const stave_lane *l = stave_trace_lane(trace, lane);
    const uint32_t most = 999999;
    uint32_t below = most - (l->priority < most ? l->priority : most);
    if (l->kind == STAVE_LANE_ISR)
        return below;
    return l->kind == STAVE_LANE_TASK ? 1000000u + below : 2000000u + (uint64_t)lane;
}

static const char *text_or(const stave_trace *trace, uint32_t id, const char *other, size_t *size)
{
    const char *text = stave_trace_string(trace, id, size);
    if (*size > 0)
        return text;
    *size = strlen(other);
    return other;
}

const char *stave__lane_name_text(const stave_trace *trace, uint32_t lane, size_t *size)
{
    const stave_lane *l = stave_trace_lane(trace, lane);
    return text_or(trace, l->name, stave__lane_kind_text(l), size);
}

const char *stave__process_name_text(const stave_trace *trace, uint32_t process, size_t *size)
{
    return text_or(trace, stave_trace_process(trace, process)->name, "process", size);
}

char *stave__lane_label(const stave_trace *trace, uint32_t lane, uint32_t track, size_t *size)
{
    const stave_lane *l = stave_trace_lane(trace, lane);
    bool several = stave_trace_processes(trace) > 1 && l->process != 0;
    size_t name_size, process_size = 0;
    const char *name = stave__lane_name_text(trace, lane, &name_size), *process = "";
    if (several)
        process = stave__process_name_text(trace, l->process - 1, &process_size);
    size_t room = process_size + name_size + 128, used = 0;
    char *text = malloc(room);
    if (text == NULL)
        return NULL;
    memcpy(text, process, process_size);
    used += process_size;
    if (several)
        used += (size_t)snprintf(text + used, room - used, ": ");
    memcpy(text + used, name, name_size);
    used += name_size;
    if (l->number != 0)
        used += (size_t)snprintf(text + used, room - used, " (%" PRIu64 ")", l->number);
    if (track != 0)
        used += (size_t)snprintf(text + used, room - used, ", overlapping %" PRIu32, track);
    *size = used;
    return text;
}

size_t stave__deeper_text(uint64_t count, char text[STAVE__DEEPER_MAX])
{
    return (size_t)snprintf(text, STAVE__DEEPER_MAX, "(%" PRIu64 " deeper)", count);
}

const char *stave__link_text(const struct stave__detail *link)
{
    if (link->role & STAVE__IS_PARENT)
        return "child";
    return link->role & STAVE__IS_DEPENDENCY ? "dependency" : "context";
}

/* Before and behind the text that a moment has; a mark has nothing else. */
static int lead(const struct stave__moment *moment, char *text, size_t room)
{
    if (moment->kind == STAVE_GAPS)
        return snprintf(text, room, "gap: %" PRIu64 " lost", moment->value);
    return moment->kind == STAVE_DOUBTS ? snprintf(text, room, "times in doubt") : 0;
}

char *stave__moment_label(const stave_trace *trace, uint32_t lane,
                          const struct stave__moment *moment, size_t *size)
{
    bool is_mark = moment->kind == STAVE_MARKS || moment->kind == STAVE_COUNTERS;
    uint32_t id = moment->name;
    size_t name_size;
    if (id == 0 && is_mark)
        id = stave_trace_lane(trace, lane)->name;
    const char *name = stave_trace_string(trace, id, &name_size);
    if (moment->flags & STAVE_FLAG_RESTART && is_mark) {
        name = "restart";
        name_size = strlen(name);
    }
    char *text = malloc(name_size + 64);
    if (text == NULL)
        return NULL;
    size_t used = (size_t)lead(moment, text, 64);
    bool in_brackets = used > 0 && name_size > 0;
    if (in_brackets)
        used += (size_t)snprintf(text + used, 3, " (");
    memcpy(text + used, name, name_size);
    used += name_size;
    if (in_brackets)
        text[used++] = ')';
    *size = used;
    return text;
}
