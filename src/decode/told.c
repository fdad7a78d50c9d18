/* What a decoder counted, kept in its trace as properties, so that a file tells it too. */
#include <stdio.h>
#include <string.h>

#include "base/config.h"
#include "decode/told.h"
#include "trace/trace.h"

#define PREFIX "etrace."
#define KEY_MAX 64 /* bytes of the longest key, its NUL included */

static const char *key_of(char *key, const char *name)
{
    snprintf(key, KEY_MAX, PREFIX "%s", name);
    return key;
}

static int tell_count(stave_trace *trace, const char *name, uint64_t value, stave_error *error)
{
    char key[KEY_MAX];
    return value == 0 ? STAVE_OK
                      : stave__trace_set_property(trace, key_of(key, name), 0, value, error);
}

static int tell_damage(stave_trace *trace, const stave_decode_stats *stats, stave_error *error)
{
    int status = tell_count(trace, "first_damage", stats->first_damage, error);
    if (status >= 0 && stats->damage_text != NULL)
        status = stave__trace_set_text(trace, PREFIX "damage_text", stats->damage_text, error);
    return status;
}

int stave__decode_tell(stave_trace *trace, const stave_decode_stats *stats, stave_error *error)
{
    int status = tell_count(trace, "wire_version", stats->wire_version, error);
#define TELL(name, text)                                                                           \
    if (status >= 0)                                                                               \
        status = tell_count(trace, #name, stats->name, error);
    STAVE_DECODE_COUNTERS(TELL)
#undef TELL
    if (status >= 0 && stats->time_uncertain_us > 0)
        status = stave__trace_set_real(trace, PREFIX "time_uncertain_us", stats->time_uncertain_us,
                                       error);
    return status < 0 ? status : tell_damage(trace, stats, error);
}

/* The property of a name, or NULL. */
static const stave_property *told(const stave_trace *trace, const char *name)
{
    char key[KEY_MAX];
    return stave_trace_find_property(trace, key_of(key, name));
}

static uint64_t told_count(const stave_trace *trace, const char *name)
{
    const stave_property *property = told(trace, name);
    return property != NULL && property->flags == 0 ? property->value : 0;
}

void stave_decode_stats_told_sized(const stave_trace *trace, stave_decode_stats *stats,
                                   size_t stats_size)
{
    stave_decode_stats own = {
#define TOLD(name, text) .name = told_count(trace, #name),
        STAVE_DECODE_COUNTERS(TOLD)
#undef TOLD
            .first_damage = told_count(trace, "first_damage"),
        .wire_version = (uint32_t)told_count(trace, "wire_version"),
    };
    const stave_property *uncertain = told(trace, "time_uncertain_us");
    if (uncertain != NULL && uncertain->flags == STAVE_FLAG_REAL)
        memcpy(&own.time_uncertain_us, &uncertain->value, sizeof own.time_uncertain_us);
    const stave_property *text = told(trace, "damage_text");
    if (text != NULL && text->flags == STAVE_FLAG_TEXT)
        own.damage_text = stave_trace_string(trace, (uint32_t)text->value, NULL);
    else if (own.damages > 0)
        own.damage_text = "damage";
    stave__config_give(stats, stats_size, &own, sizeof own);
}
