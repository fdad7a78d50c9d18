#include "trace/places.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "trace/tables.h"
#include "trace/trace.h"

#define SEVERAL UINT32_MAX

uint32_t stave_trace_places(const stave_trace *trace)
{
    return trace->places.rows;
}

const stave_place *stave_trace_place(const stave_trace *trace, uint32_t index)
{
    return stave__table_at(&trace->places, index);
}

int stave__trace_place(stave_trace *trace, const stave_place *place, stave_error *error)
{
    stave_place *row = stave__table_add(&trace->places);
    if (row == NULL)
        return stave__fail_memory(error);
    *row = *place;
    stave__place_index_forget(trace->place_index);
    return STAVE_OK;
}

uint32_t stave__trace_first_alike(const stave_trace *trace, uint32_t string)
{
    size_t size;
    uint32_t first = string;
    const char *bytes = stave_trace_string(trace, string, &size);
    if (strcmp(bytes, STAVE__LOST_NAME) != 0)
        stave__strings_find(&trace->strings, bytes, size, &first);
    return first;
}

/* ---- the one of a name ----------------------------------------------------------------------- */

void stave__place_index_forget(struct stave__place_index *index)
{
    free(index->of_name);
    *index = (struct stave__place_index){0};
}

/* Each is looked for once, however many places name it. */
static uint32_t first_alike(const stave_trace *trace, uint32_t *firsts, uint32_t text)
{
    if (firsts[text] == 0)
        firsts[text] = stave__trace_first_alike(trace, text) + 1;
    return firsts[text];
}

/* A place without a file may be any. */
static bool is_same(const stave_trace *trace, uint32_t *firsts, const stave_place *a,
                    const stave_place *b)
{
    return a->line == b->line && a->file != 0 && b->file != 0 &&
           first_alike(trace, firsts, a->file) == first_alike(trace, firsts, b->file);
}

/* Of one place that is told in several functions, any will do, but the same in whatever order they stand. */
static bool is_in_earlier(const stave_trace *trace, const stave_place *a, const stave_place *b)
{
    return strcmp(stave_trace_string(trace, a->function, NULL),
                  stave_trace_string(trace, b->function, NULL)) < 0;
}

/* Which is the one of a name, when another row tells of it; each plus 1. */
static uint32_t one_of(const stave_trace *trace, uint32_t *firsts, uint32_t one, uint32_t other)
{
    const stave_place *place = stave_trace_place(trace, other - 1);
    if (one == 0)
        return place->file != 0 ? other : SEVERAL;
    if (one == SEVERAL || !is_same(trace, firsts, stave_trace_place(trace, one - 1), place))
        return SEVERAL;
    return is_in_earlier(trace, place, stave_trace_place(trace, one - 1)) ? other : one;
}

static void add_all(const stave_trace *trace, uint32_t *of_name, uint32_t *firsts)
{
    for (uint32_t i = 0; i < trace->places.rows; i++) {
        uint32_t *one = &of_name[stave_trace_place(trace, i)->name];
        *one = one_of(trace, firsts, *one, i + 1);
    }
    of_name[0] = SEVERAL; /* no name: a lane's, or one that was lost */
}

/* Without memory there is none. */
static void make_index(const stave_trace *trace)
{
    uint32_t names = stave_trace_strings(trace);
    uint32_t *of_name = calloc(names, sizeof *of_name);
    uint32_t *firsts = calloc(names, sizeof *firsts);
    if (of_name != NULL && firsts != NULL) {
        add_all(trace, of_name, firsts);
        *trace->place_index = (struct stave__place_index){.of_name = of_name, .names = names};
    } else {
        free(of_name);
    }
    free(firsts);
}

const stave_place *stave_trace_place_of(const stave_trace *trace, uint32_t name)
{
    const struct stave__place_index *index = trace->place_index;
    if (trace->places.rows == 0)
        return NULL;
    if (index->of_name == NULL)
        make_index(trace);
    if (index->of_name == NULL || name >= index->names)
        return NULL;
    uint32_t one = index->of_name[name];
    return one != 0 && one != SEVERAL ? stave_trace_place(trace, one - 1) : NULL;
}
