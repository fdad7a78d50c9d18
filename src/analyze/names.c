#include "analyze/names.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "trace/trace.h"

#define FIRST_ROWS 64u

int stave__names_init(struct stave__names *names, const stave_trace *trace, stave_error *error)
{
    *names = (struct stave__names){.trace = trace, .strings = stave_trace_strings(trace)};
    names->row_of = calloc((size_t)names->strings + 1, sizeof *names->row_of);
    return names->row_of != NULL ? STAVE_OK : stave__fail_memory(error);
}

void stave__names_free(struct stave__names *names)
{
    for (uint32_t i = 0; i < names->used; i++)
        stave__quantiles_free(&names->rows[i].quantiles);
    free(names->rows);
    free(names->row_of);
    *names = (struct stave__names){0};
}

static bool add_row(struct stave__names *names, uint32_t string)
{
    if (names->used == names->size) {
        uint32_t size = names->size != 0 ? names->size * 2 : FIRST_ROWS;
        struct stave__name *larger = realloc(names->rows, size * sizeof *larger);
        if (larger == NULL)
            return false;
        names->rows = larger;
        names->size = size;
    }
    names->rows[names->used] = (struct stave__name){.row = {.name = string}};
    names->row_of[string] = ++names->used;
    return true;
}

uint32_t stave__names_add(struct stave__names *names, uint32_t string)
{
    assert(string < names->strings);
    uint32_t first = stave__trace_first_alike(names->trace, string);
    if (names->row_of[first] == 0 && !add_row(names, first))
        return STAVE_NONE;
    names->row_of[string] = names->row_of[first];
    return names->row_of[string] - 1;
}

bool stave__names_settle(struct stave__names *names)
{
    bool added = true;
    for (uint32_t i = 0; i < names->waiting_count; i++) {
        const struct stave__duration *duration = &names->waiting[i];
        added = stave__quantiles_add(&names->rows[duration->row].quantiles, duration->ns) && added;
    }
    names->waiting_count = 0;
    return added;
}

/* ---- the end --------------------------------------------------------------------------------- */

/* A percentile as it is shown: what is above the greatest is nearer to it. */
static double percentile(struct stave__name *name, uint32_t percent)
{
    double value = stave__quantiles_at(&name->quantiles, percent);
    return value > name->row.max_ns ? name->row.max_ns : value;
}

static void finish_row(struct stave__name *name)
{
    stave_rollup_row *row = &name->row;
    row->net_total_ns = fmax(row->total_ns - row->net_total_ns, 0);
    row->net_self_ns = fmax(row->self_ns - row->net_self_ns, 0);
    if (row->timed == 0) {
        row->min_ns = row->max_ns = row->mean_ns = (double)NAN;
    } else {
        row->mean_ns /= (double)row->timed; /* a rounded sum: it may leave the range by a bit */
        row->mean_ns = fmin(fmax(row->mean_ns, row->min_ns), row->max_ns);
    }
    row->p50_ns = percentile(name, 50);
    row->p90_ns = percentile(name, 90);
    row->p99_ns = percentile(name, 99);
}

struct sorted {
    stave_rollup_row row;
    const char *text;
    size_t size;
};

static int compare_texts(const struct sorted *x, const struct sorted *y)
{
    size_t size = x->size < y->size ? x->size : y->size;
    int order = memcmp(x->text, y->text, size);
    if (order != 0)
        return order;
    return x->size < y->size ? -1 : x->size > y->size;
}

static int compare_rows(const void *a, const void *b)
{
    const struct sorted *x = a, *y = b;
    if (x->row.self_ns != y->row.self_ns)
        return x->row.self_ns > y->row.self_ns ? -1 : 1;
    if (x->row.total_ns != y->row.total_ns)
        return x->row.total_ns > y->row.total_ns ? -1 : 1;
    return compare_texts(x, y);
}

int stave__names_finish(struct stave__names *names, const stave_trace *trace,
                        stave_rollup_row **rows, stave_error *error)
{
    struct sorted *sorted = malloc((names->used + (size_t)1) * sizeof *sorted);
    stave_rollup_row *finished = malloc((names->used + (size_t)1) * sizeof *finished);
    if (sorted == NULL || finished == NULL || !stave__names_settle(names)) {
        free(sorted);
        free(finished);
        return stave__fail_memory(error);
    }
    for (uint32_t i = 0; i < names->used; i++) {
        finish_row(&names->rows[i]);
        sorted[i].row = names->rows[i].row;
        sorted[i].text = stave_trace_string(trace, sorted[i].row.name, &sorted[i].size);
    }
    qsort(sorted, names->used, sizeof *sorted, compare_rows);
    for (uint32_t i = 0; i < names->used; i++)
        finished[i] = sorted[i].row;
    free(sorted);
    *rows = finished;
    return STAVE_OK;
}
