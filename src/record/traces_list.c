/* Going through the traces that are kept, newest first. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "base/error.h"
#include "record/traces_copy.h"

/* Where a trace was found; one that is in several lists is found as often. */
struct found {
    uint64_t number;
    const uint64_t *place;
    uint64_t word;
};

struct stave_traces_cursor {
    stave_traces_query query;
    char *name, *id; /* the query's */
    struct stave__scale scale;
    struct found *found;
    size_t count, room, next;
    uint64_t last; /* number that was given */
};

/* ---- what there is --------------------------------------------------------------------------- */

static bool is_asked_for(const stave_traces_cursor *cursor, const struct stave__kept *kept)
{
    const stave_traces_query *query = &cursor->query;
    size_t size = 0;
    const char *name = stave__dictionary_text(&stave__recorder.names, kept->root.name, &size);
    if (query->kept != 0 && (__atomic_load_n(&kept->why, __ATOMIC_RELAXED) & query->kept) == 0)
        return false;
    if (stave__scale_ns(&cursor->scale, kept->root.end - kept->root.start) < query->min_duration_ns)
        return false;
    return cursor->name == NULL ||
           (name != NULL && size == strlen(cursor->name) && memcmp(name, cursor->name, size) == 0);
}

static void look(stave_traces_cursor *cursor, const uint64_t *place)
{
    uint64_t word = __atomic_load_n(place, __ATOMIC_ACQUIRE);
    struct stave__kept *kept = stave__kept_get(place, word);
    if (kept == NULL)
        return;
    if (cursor->count < cursor->room && is_asked_for(cursor, kept))
        cursor->found[cursor->count++] =
            (struct found){.number = kept->root.number, .place = place, .word = word};
    stave__kept_release(kept);
}

static int compare(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    return x->number > y->number ? -1 : x->number < y->number;
}

static void find_all(stave_traces_cursor *cursor)
{
    const struct stave__traces *traces = &stave__traces;
    for (uint32_t list = 0; list < STAVE__KEPT_LISTS; list++)
        for (uint32_t i = 0; i < traces->keep; i++)
            look(cursor, &traces->lists[list].words[i]);
    for (uint32_t i = 0; i < STAVE__COMMANDS; i++)
        for (uint32_t j = 0; j < STAVE_SLOWEST_MAX; j++)
            look(cursor, &traces->commands[i].slowest[j]);
    qsort(cursor->found, cursor->count, sizeof *cursor->found, compare);
}

/* ---- a cursor -------------------------------------------------------------------------------- */

/* NULL of NULL. False: there is no memory. */
static bool copy_text(const char *text, char **copy)
{
    size_t size = text != NULL ? strlen(text) + 1 : 0;
    *copy = text != NULL ? malloc(size) : NULL;
    if (*copy != NULL)
        memcpy(*copy, text, size);
    return text == NULL || *copy != NULL;
}

void stave_traces_close(stave_traces_cursor *cursor)
{
    if (cursor == NULL)
        return;
    free(cursor->name);
    free(cursor->id);
    free(cursor->found);
    free(cursor);
}

static bool make(stave_traces_cursor *cursor)
{
    cursor->room = (size_t)STAVE__KEPT_LISTS * stave__traces.keep +
                   (size_t)STAVE__COMMANDS * STAVE_SLOWEST_MAX;
    cursor->found = malloc(cursor->room * sizeof *cursor->found);
    return cursor->found != NULL && copy_text(cursor->query.name, &cursor->name) &&
           copy_text(cursor->query.id, &cursor->id);
}

int stave_traces_sized(const stave_traces_query *query, size_t query_size,
                       stave_traces_cursor **given, stave_error *error)
{
    stave_traces_query own;
    int status = stave__config_copy(&own, sizeof own, query, query_size, error);
    if (status >= 0)
        status = stave__check_made(error);
    if (status < 0)
        return status;
    stave_traces_cursor *cursor = calloc(1, sizeof *cursor);
    if (cursor == NULL)
        return stave__fail_memory(error);
    cursor->query = own;
    if (!make(cursor)) {
        stave_traces_close(cursor);
        return stave__fail_memory(error);
    }
    cursor->scale = stave__scale_now();
    find_all(cursor);
    *given = cursor;
    return STAVE_OK;
}

/* ---- one after another ----------------------------------------------------------------------- */

static bool has_id(const stave_kept_trace *trace, const char *id)
{
    const stave_kept_value *value = trace->id;
    char text[32];
    if (value == NULL)
        return false;
    if (value->type == STAVE_VALUE_TEXT)
        return strcmp(value->value.text, id) == 0;
    if (value->type == STAVE_VALUE_I64)
        snprintf(text, sizeof text, "%" PRId64, value->value.i64);
    else
        snprintf(text, sizeof text, "%" PRIu64, value->value.u64);
    return strcmp(text, id) == 0;
}

/* 0: it is not there any more, or not asked for. */
static int try(const stave_traces_cursor *cursor, const struct found *found,
               stave_kept_trace **trace, stave_error *error)
{
    struct stave__kept *kept = stave__kept_get(found->place, found->word);
    if (kept == NULL)
        return 0;
    int status = stave__trace_copy(kept, &cursor->scale, trace, error);
    stave__kept_release(kept);
    if (status > 0 && cursor->id != NULL && !has_id(*trace, cursor->id)) {
        stave_trace_release(*trace);
        return 0;
    }
    return status;
}

int stave_traces_next(stave_traces_cursor *cursor, stave_kept_trace **trace, stave_error *error)
{
    while (cursor->next < cursor->count) {
        const struct found *found = &cursor->found[cursor->next++];
        if (found->number == cursor->last)
            continue;
        int status = try(cursor, found, trace, error);
        if (status > 0)
            cursor->last = found->number;
        if (status != 0)
            return status;
    }
    return 0;
}
