/* The roll-up: what is shown, and which boot goes which way (analyze/rolling.h). */
#include <assert.h>
#include <stdlib.h>

#include "analyze/rolling.h"
#include "base/config.h"
#include "base/error.h"

struct stave_rollup {
    stave_rollup_row *rows;
    uint32_t rows_count;
    stave_rollup_counter *counters;
    uint32_t counters_count;
    stave_rollup_cost cost;
};

uint32_t stave__lane_name(const stave_trace *trace, uint32_t lane)
{
    return lane < stave_trace_lanes(trace) ? stave_trace_lane(trace, lane)->name : 0;
}

/* ---- boot after boot ------------------------------------------------------------------------- */

static void begin_boot(struct stave__rolling *rolling, uint32_t boot)
{
    const stave_rollup_config *config = rolling->config;
    stave__ticks_init(&rolling->ticks, rolling->trace, boot);
    if (config->windowed)
        stave__ticks_window(&rolling->ticks, config->from_us, config->to_us);
}

static int roll_samples(struct stave__rolling *rolling, uint32_t from, uint32_t end,
                        stave_error *error)
{
    int status = STAVE_OK;
    for (uint32_t i = from; i < end && status >= 0; i++) {
        const struct stave__choice *choice = &rolling->reading.choices[i];
        if (choice->kind != STAVE_COUNTERS || !rolling->counts[choice->lane])
            continue;
        status = stave__reading_show(&rolling->reading, i, error);
        if (status > 0)
            status = stave__roll_counters(rolling, &rolling->reading.block, error);
    }
    return status < 0 ? status : STAVE_OK;
}

static int roll_boots(struct stave__rolling *rolling, stave_error *error)
{
    const struct stave__reading *reading = &rolling->reading;
    int status = STAVE_OK;
    uint32_t next;
    for (uint32_t i = 0; i < reading->count && status == STAVE_OK; i = next) {
        uint32_t boot = reading->choices[i].boot;
        next = stave__reading_end(reading, i, reading->count, STAVE__SAME_BOOT);
        begin_boot(rolling, boot);
        status = rolling->attached != NULL && rolling->attached[boot]
                     ? stave__roll_forest(rolling, i, next, error)
                     : stave__roll_lanes(rolling, i, next, error);
        if (status == STAVE_OK)
            status = roll_samples(rolling, i, next, error);
    }
    return status;
}

bool stave__has_attached(const stave_block *block)
{
    for (uint32_t i = 0; i < block->rows; i++)
        if (block->flags[i] & STAVE_FLAG_ATTACHED)
            return true;
    return false;
}

static int find_attached(struct stave__rolling *rolling, stave_error *error)
{
    struct stave__reading *reading = &rolling->reading;
    for (uint32_t i = 0; i < reading->count; i++) {
        const struct stave__choice *choice = &reading->choices[i];
        if (choice->kind != STAVE_SPANS || rolling->attached[choice->boot])
            continue;
        int status = stave__reading_show(reading, i, error);
        if (status < 0)
            return status;
        if (status > 0)
            rolling->attached[choice->boot] = stave__has_attached(&reading->block);
    }
    return STAVE_OK;
}

static int know_attached(struct stave__rolling *rolling, stave_error *error)
{
    rolling->attached =
        calloc((size_t)stave_trace_boots(rolling->trace) + 1, sizeof *rolling->attached);
    return rolling->attached != NULL ? STAVE_OK : stave__fail_memory(error);
}

/* Most traces have no attached spans: whether this one has is seen on the way, and if so all begins
 * anew. */
static int roll_all(struct stave__rolling *rolling, stave_error *error)
{
    int status = roll_boots(rolling, error);
    if (status != STAVE__ATTACHED_SEEN)
        return status;
    stave__reading_again(&rolling->reading); /* to find them */
    stave__reading_again(&rolling->reading);
    stave__names_free(&rolling->names);
    stave__samples_free(&rolling->samples);
    rolling->owing.used = 0;
    status = stave__names_init(&rolling->names, rolling->trace, error);
    if (status >= 0)
        status = know_attached(rolling, error);
    if (status >= 0)
        status = find_attached(rolling, error);
    return status >= 0 ? roll_boots(rolling, error) : status;
}

/* ---- begin and end --------------------------------------------------------------------------- */

static int ask_lanes(struct stave__rolling *rolling, stave_error *error)
{
    const stave_rollup_config *config = rolling->config;
    const struct stave__reading *reading = &rolling->reading;
    uint32_t lanes = stave_trace_lanes(rolling->trace);
    for (uint32_t i = 0; i < reading->count; i++)
        if (reading->choices[i].lane >= lanes)
            lanes = reading->choices[i].lane + 1;
    rolling->counts = malloc((lanes + (size_t)1) * sizeof *rolling->counts);
    if (rolling->counts == NULL)
        return stave__fail_memory(error);
    for (uint32_t i = 0; i < lanes; i++)
        rolling->counts[i] =
            config->lane_counts == NULL || config->lane_counts(config->lane_context, i);
    return STAVE_OK;
}

static int begin(struct stave__rolling *rolling, stave_error *error)
{
    const stave_rollup_config *config = rolling->config;
    stave_filter filter = {
        .kinds = STAVE_KIND_BIT(STAVE_SPANS) | STAVE_KIND_BIT(STAVE_CUMULATIVES) |
                 STAVE_KIND_BIT(STAVE_COUNTERS),
        .windowed = config->windowed,
        .from_us = config->from_us,
        .to_us = config->to_us,
    };
    int status =
        stave__reading_open(&rolling->reading, rolling->trace, &filter, config->progress, error);
    if (status >= 0)
        status = ask_lanes(rolling, error);
    rolling->cost = stave__cost_told(rolling->trace);
    return status >= 0 ? stave__names_init(&rolling->names, rolling->trace, error) : status;
}

/* Of all rows. Net selves and what recording cost are together what lanes spent in spans, and at the borders of the
 * outermost. */
static void sum_cost(stave_rollup *rollup, struct stave__cost cost)
{
    double net_ns = 0;
    uint64_t calls = 0;
    for (uint32_t i = 0; i < rollup->rows_count; i++) {
        calls += rollup->rows[i].calls;
        net_ns += rollup->rows[i].net_self_ns;
    }
    double total_ns = cost.span_ns * (double)calls;
    rollup->cost = (stave_rollup_cost){
        .known = true,
        .span_ns = cost.span_ns,
        .inner_ns = cost.inner_ns,
        .calls = calls,
        .total_ns = total_ns,
        .time_ns = total_ns + net_ns,
        .share = total_ns > 0 ? total_ns / (total_ns + net_ns) : 0,
    };
}

static bool is_costly(const stave_rollup_cost *cost, const stave_rollup_row *row)
{
    double total_ns = cost->span_ns * (double)row->calls;
    return row->calls >= STAVE_COSTLY_CALLS && total_ns > row->net_total_ns &&
           total_ns >= STAVE_COSTLY_SHARE * cost->time_ns;
}

static void finish_cost(stave_rollup *rollup, struct stave__cost cost)
{
    if (cost.span_ns <= 0)
        return;
    sum_cost(rollup, cost);
    for (uint32_t i = 0; i < rollup->rows_count; i++)
        rollup->rows[i].costly = is_costly(&rollup->cost, &rollup->rows[i]);
}

static int finish(struct stave__rolling *rolling, stave_rollup *rollup, stave_error *error)
{
    int status = stave__names_finish(&rolling->names, rolling->trace, &rollup->rows, error);
    if (status >= 0)
        status = stave__samples_finish(&rolling->samples, rolling->trace, &rollup->counters, error);
    rollup->rows_count = rolling->names.used;
    rollup->counters_count = rolling->samples.used;
    if (status >= 0)
        finish_cost(rollup, rolling->cost);
    return status;
}

static void end(struct stave__rolling *rolling)
{
    stave__reading_close(&rolling->reading);
    stave__names_free(&rolling->names);
    stave__samples_free(&rolling->samples);
    stave__owing_free(&rolling->owing);
    free(rolling->counts);
    free(rolling->attached);
}

/* Every boot counts as one with attached spans. */
static int take_all_into_memory(struct stave__rolling *rolling, stave_error *error)
{
    int status = know_attached(rolling, error);
    for (uint32_t i = 0; status >= 0 && i < stave_trace_boots(rolling->trace); i++)
        rolling->attached[i] = true;
    return status;
}

static int make(stave_trace *trace, const stave_rollup_config *config, bool in_memory,
                stave_rollup **rollup, stave_error *error)
{
    struct stave__rolling rolling = {.trace = trace, .config = config};
    stave_rollup *made = calloc(1, sizeof *made);
    if (made == NULL)
        return stave__fail_memory(error);
    int status = begin(&rolling, error);
    if (status >= 0 && in_memory)
        status = take_all_into_memory(&rolling, error);
    if (status >= 0)
        status = roll_all(&rolling, error);
    if (status >= 0)
        status = finish(&rolling, made, error);
    end(&rolling);
    if (status < 0) {
        stave_rollup_free(made);
        return status;
    }
    *rollup = made;
    return STAVE_OK;
}

int stave_rollup_new_sized(stave_trace *trace, const stave_rollup_config *config,
                           size_t config_size, stave_rollup **rollup, stave_error *error)
{
    stave_rollup_config own;
    int status = stave__config_copy(&own, sizeof own, config, config_size, error);
    return status < 0 ? status : make(trace, &own, false, rollup, error);
}

int stave__rollup_new_in_memory(stave_trace *trace, const stave_rollup_config *config,
                                stave_rollup **rollup, stave_error *error)
{
    stave_rollup_config own = {0};
    if (config != NULL)
        own = *config;
    return make(trace, &own, true, rollup, error);
}

void stave_rollup_free(stave_rollup *rollup)
{
    if (rollup == NULL)
        return;
    free(rollup->rows);
    free(rollup->counters);
    free(rollup);
}

/* ---- what is shown --------------------------------------------------------------------------- */

uint32_t stave_rollup_rows(const stave_rollup *rollup)
{
    return rollup->rows_count;
}

const stave_rollup_row *stave_rollup_row_at(const stave_rollup *rollup, uint32_t index)
{
    assert(index < rollup->rows_count);
    return &rollup->rows[index];
}

const stave_rollup_cost *stave_rollup_cost_of(const stave_rollup *rollup)
{
    return &rollup->cost;
}

uint32_t stave_rollup_counters(const stave_rollup *rollup)
{
    return rollup->counters_count;
}

const stave_rollup_counter *stave_rollup_counter_at(const stave_rollup *rollup, uint32_t index)
{
    assert(index < rollup->counters_count);
    return &rollup->counters[index];
}
