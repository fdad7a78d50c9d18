/* A trace to a report: its tables of rules and sessions, then its rows lane by lane. */
#include "report/read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "base/error.h"
#include "report/report.h"
#include "report/room.h"
#include "trace/rules.h"

/* ---- texts and lanes ------------------------------------------------------------------------- */

uint32_t stave__read_text(struct stave__rule_reading *r, uint32_t string)
{
    uint32_t id = 0;
    size_t size;
    if (string >= stave_trace_strings(r->trace))
        return 0;
    if (r->texts[string] != 0)
        return r->texts[string] - 1;
    const char *text = stave_trace_string(r->trace, string, &size);
    if (stave__strings_add(&r->model->texts, text, size, &id) < 0)
        r->out_of_memory = true;
    else
        r->texts[string] = id + 1;
    return id;
}

/* A lane that is only named, whatever its number says, has one of its own too: nobody else has rows on it. */
uint32_t stave__read_lane(struct stave__rule_reading *r, uint32_t lane)
{
    struct stave__model *model = r->model;
    uint32_t lanes = stave_trace_lanes(r->trace);
    if (lane >= lanes)
        lane = lanes;
    if (r->lanes[lane] != 0)
        return r->lanes[lane] - 1;
    void *names =
        stave__room_grow(model->lanes, model->lanes_count, &r->lanes_size, sizeof *model->lanes);
    if (names == NULL) {
        r->out_of_memory = true;
        return 0;
    }
    model->lanes = names;
    model->lanes[model->lanes_count] =
        lane < lanes ? stave__read_text(r, stave_trace_lane(r->trace, lane)->name) : 0;
    r->lanes[lane] = ++model->lanes_count;
    return model->lanes_count - 1;
}

/* ---- rules ----------------------------------------------------------------------------------- */

static bool declare(struct stave__rule_reading *r, const struct stave__rule_row *row)
{
    struct stave__declared_rule rule = {
        .id = stave__read_text(r, row->id),
        .description = stave__read_text(r, row->name),
        .has_parent = row->has_parent,
        .parent = row->has_parent ? stave__read_text(r, row->parent) : 0,
    };
    r->declared[row->name] = r->model->declared.rules_count;
    return stave__model_declare(r->model, &rule);
}

/* The first row of a name holds. */
static bool read_rules(struct stave__rule_reading *r, const struct stave__rule_tables *tables)
{
    for (uint32_t i = 0; i < tables->rules.rows; i++) {
        const struct stave__rule_row *row = stave__table_at(&tables->rules, i);
        bool is_known = row->role <= STAVE__ROLE_TIMED_OUT;
        if (row->name == 0 || !is_known || r->meanings[row->name] != STAVE__MEANS_NOTHING)
            continue;
        r->meanings[row->name] = (uint8_t)row->role;
        if (row->role == STAVE__ROLE_RULE && !declare(r, row))
            return false;
    }
    for (uint32_t i = 0; i < tables->dependencies.rows; i++) {
        const struct stave__dependency_row *row = stave__table_at(&tables->dependencies, i);
        if (row->rule != 0 && r->meanings[row->rule] == STAVE__ROLE_RULE &&
            !stave__model_need(r->model, r->declared[row->rule],
                               stave__read_text(r, row->depends_on)))
            return false;
    }
    return true;
}

/* Keys that are known by their texts. */
static void read_keys(struct stave__rule_reading *r, uint32_t strings)
{
    for (uint32_t i = 0; i < strings; i++) {
        const char *text = stave_trace_string(r->trace, i, NULL);
        r->meanings[i] = strcmp(text, "error") == 0 ? STAVE__MEANS_ERROR
                         : strcmp(text, "id") == 0  ? STAVE__MEANS_ID
                                                    : STAVE__MEANS_NOTHING;
    }
}

/* ---- sessions -------------------------------------------------------------------------------- */

/* Whose file it is; 0: nobody's. */
static uint64_t owner_of(const stave_trace *trace)
{
    const stave_property *property = stave_trace_find_property(trace, "rules.session");
    return property != NULL && property->flags == 0 ? property->value : 0;
}

/* The session that is asked for; NULL: there is none, or all are. */
static const struct stave__session_row *find_session(const struct stave__rule_tables *tables,
                                                     uint64_t number)
{
    const struct stave__session_row *found = NULL;
    for (uint32_t i = 0; i < tables->sessions.rows; i++) {
        const struct stave__session_row *row = stave__table_at(&tables->sessions, i);
        if (number != 0 && number == row->number)
            found = row;
    }
    return found;
}

static int find_scope(struct stave__rule_reading *r, const struct stave__session_row *session,
                      stave_error *error)
{
    struct stave__model *model = r->model;
    struct stave__axis axis;
    if (!stave__axis_open(&axis, r->trace, session->boot))
        return stave__fail_memory(error);
    model->is_scoped = true;
    model->origin = model->from = stave__axis_at(&axis, session->start);
    model->has_origin = true;
    model->to = session->stop != INT64_MAX ? stave__axis_at(&axis, session->stop) : INT64_MAX;
    r->scope_lane = session->lane != 0 ? session->lane - 1 : STAVE_NONE;
    stave__axis_free(&axis);
    return STAVE_OK;
}

/* Of all sessions, or of the one that is asked for. */
static void add_lost(struct stave__rule_reading *r, const struct stave__rule_tables *tables,
                     const struct stave__session_row *session)
{
    for (uint32_t i = 0; i < tables->sessions.rows; i++) {
        const struct stave__session_row *row = stave__table_at(&tables->sessions, i);
        if (session != NULL && row != session)
            continue;
        r->model->lost.given_up += row->given_up;
        r->model->lost.dropped += row->dropped;
    }
    for (uint32_t i = 0; i < stave_trace_properties(r->trace); i++) {
        const stave_property *property = stave_trace_property(r->trace, i);
        const char *key = stave_trace_string(r->trace, property->key, NULL);
        if (strcmp(key, "record.evicted") == 0 || strncmp(key, "record.dropped_", 15) == 0)
            r->model->lost.records += property->value;
    }
}

static double known(uint64_t ns)
{
    return ns != UINT64_MAX ? (double)ns * STAVE__AXIS_UNITS : (double)NAN;
}

static bool read_summaries(struct stave__rule_reading *r, const struct stave__rule_tables *tables,
                           const struct stave__session_row *session)
{
    for (uint32_t i = 0; i < tables->summaries.rows; i++) {
        const struct stave__summary_row *row = stave__table_at(&tables->summaries, i);
        if (row->rule == 0 || r->meanings[row->rule] != STAVE__ROLE_RULE ||
            (session != NULL && row->session != session->number))
            continue;
        struct stave__summed *summed = stave__model_sum(r->model);
        if (summed == NULL)
            return false;
        *summed = (struct stave__summed){
            .rule = r->declared[row->rule],
            .calls = row->calls,
            .failed = row->failed,
            .skipped = row->skipped,
            .cached = row->cached < row->calls ? row->cached : row->calls,
            .cancelled = row->cancelled,
            .timed_out = row->timed_out,
            .total = known(row->total),
            .self = known(row->self),
            .first = known(row->first),
            .least = known(row->least),
            .most = known(row->most),
        };
    }
    return true;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Those of a boot: its lanes get their numbers first, in their order. */
static int read_boot(struct stave__rule_reading *r, uint32_t from, uint32_t end, stave_error *error)
{
    const struct stave__choice *choices = r->reading.choices;
    int status = STAVE_OK;
    memset(r->lanes, 0, ((size_t)stave_trace_lanes(r->trace) + 1) * sizeof *r->lanes);
    for (uint32_t i = from; i < end; i++)
        stave__read_lane(r, choices[i].lane);
    for (uint32_t i = from, next; i < end && status >= 0; i = next) {
        next = stave__reading_end(&r->reading, i, end, STAVE__SAME_LANE);
        status = stave__read_rows(r, i, next, error);
    }
    if (r->scope_lane != STAVE_NONE) /* of a session, and this is its boot */
        r->model->scope_lane = stave__read_lane(r, r->scope_lane);
    return status;
}

static int read_boots(struct stave__rule_reading *r, const struct stave__session_row *session,
                      stave_error *error)
{
    const struct stave__choice *choices = r->reading.choices;
    int status = STAVE_OK;
    for (uint32_t i = 0, next; i < r->reading.count && status >= 0; i = next) {
        uint32_t boot = choices[i].boot;
        next = stave__reading_end(&r->reading, i, r->reading.count, STAVE__SAME_BOOT);
        if (session != NULL && session->boot != boot)
            continue;
        if (!stave__axis_open(&r->axis, r->trace, boot))
            return stave__fail_memory(error);
        status = read_boot(r, i, next, error);
        stave__axis_free(&r->axis);
    }
    return status;
}

static int read_all(struct stave__rule_reading *r, const struct stave__session_row *session,
                    stave_progress progress, stave_error *error)
{
    const stave_filter filter = {.kinds = STAVE_KIND_BIT(STAVE_SPANS) |
                                          STAVE_KIND_BIT(STAVE_ATTRIBUTES) |
                                          STAVE_KIND_BIT(STAVE_CUMULATIVES)};
    int status = stave__reading_open(&r->reading, r->trace, &filter, progress, error);
    if (status < 0)
        return status;
    status = read_boots(r, session, error);
    stave__reading_close(&r->reading);
    return status;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bool has_room(struct stave__rule_reading *r)
{
    size_t strings = stave_trace_strings(r->trace);
    r->meanings = calloc(strings + 1, sizeof *r->meanings);
    return r->meanings != NULL && stave__room(&r->declared, strings) &&
           stave__room(&r->texts, strings) &&
           stave__room(&r->lanes, (size_t)stave_trace_lanes(r->trace) + 1);
}

static int read_trace(struct stave__rule_reading *r, const stave_report_config *config,
                      stave_error *error)
{
    const struct stave__rule_tables *tables = stave__trace_rules(r->trace);
    uint64_t number = config->session != 0 ? config->session : owner_of(r->trace);
    const struct stave__session_row *session = find_session(tables, number);
    int status = STAVE_OK;
    if (session == NULL && config->session != 0) /* an owner's row may be cut off */
        return stave__fail(error, STAVE_E_NOTHING, 0, "there is no session with this number");
    if (!has_room(r))
        return stave__fail_memory(error);
    read_keys(r, stave_trace_strings(r->trace));
    if (!read_rules(r, tables) || !read_summaries(r, tables, session))
        return stave__fail_memory(error);
    if (session != NULL) {
        r->model->session = session->number;
        status = find_scope(r, session, error);
    }
    add_lost(r, tables, session);
    return status >= 0 ? read_all(r, session, config->progress, error) : status;
}

static int read_model(stave_trace *trace, const stave_report_config *config,
                      struct stave__model *model, stave_error *error)
{
    struct stave__rule_reading r = {.trace = trace, .model = model, .scope_lane = STAVE_NONE};
    int status = stave__model_init(model, error);
    model->unit_ns = 1.0 / STAVE__AXIS_UNITS;
    if (status >= 0)
        status = read_trace(&r, config, error);
    stave__around_free(&r.around);
    free(r.meanings);
    free(r.declared);
    free(r.texts);
    free(r.lanes);
    return status;
}

bool stave_trace_has_rules(const stave_trace *trace)
{
    const struct stave__rule_tables *tables = stave__trace_rules(trace);
    for (uint32_t i = 0; i < tables->rules.rows; i++) {
        const struct stave__rule_row *row = stave__table_at(&tables->rules, i);
        if (row->name != 0 && row->role == STAVE__ROLE_RULE)
            return true;
    }
    return false;
}

stave_report *stave_report_from_trace_sized(stave_trace *trace, const stave_report_config *config,
                                            size_t config_size, stave_error *error)
{
    stave_report_config own;
    stave_report *report = NULL;
    struct stave__model model = {0};
    if (stave__config_copy(&own, sizeof own, config, config_size, error) < 0)
        return NULL;
    if (read_model(trace, &own, &model, error) < 0) {
        stave__model_free(&model);
        return NULL;
    }
    return stave__report_make(&model, &report, error) >= 0 ? report : NULL;
}
