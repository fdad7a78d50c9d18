/* What stands for rows of tables that were lost, so that all else of a damaged file can be shown. */
#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "trace/file.h"
#include "trace/tables.h"

#define LOST_LANE "(lost lane)"

/* A string added before all is read would take the id of one that the file is still to bring. In a
 * followed file it always may. */
static uint32_t lost_lane_name(const stave_trace *trace)
{
    return trace->file->follow ? 0 : STAVE_NONE;
}

static void settle(uint32_t *reference, uint32_t rows, uint32_t lost)
{
    if (*reference >= rows)
        *reference = lost;
}

static int settle_boot(stave_trace *trace, uint32_t boot, stave_error *error)
{
    return boot < STAVE__MADE_UP_MAX ? stave__tables_make_up(trace, STAVE__BOOTS, boot + 1, error)
                                     : STAVE_OK;
}

static int settle_session(stave_trace *trace, struct stave__session_row *row, stave_error *error)
{
    settle(&row->lane, stave_trace_lanes(trace) + 1, 0);
    return settle_boot(trace, row->boot, error);
}

int stave__tables_settle(stave_trace *trace, enum stave__table_kind kind, void *row,
                         stave_error *error)
{
    uint32_t strings = stave_trace_strings(trace), processes = stave_trace_processes(trace) + 1;
    stave_lane *lane = row;
    stave_process *process = row;
    stave_module *module = row;
    stave_property *property = row;
    stave_place *place = row;
    const struct stave__anchor_row *anchor = row;
    if (stave_trace_damages(trace) == 0)
        return STAVE_OK;
    switch (kind) {
    case STAVE__LANES:
        settle(&lane->name, strings, lost_lane_name(trace));
        settle(&lane->process, processes, 0);
        return STAVE_OK;
    case STAVE__PROCESSES:
        settle(&process->name, strings, 0);
        return STAVE_OK;
    case STAVE__ANCHORS:
        return settle_boot(trace, anchor->boot, error);
    case STAVE__MODULES:
        settle(&module->path, strings, 0);
        settle(&module->build_id, strings, 0);
        settle(&module->process, processes, 0);
        return settle_boot(trace, module->boot, error);
    case STAVE__PROPERTIES:
        settle(&property->key, strings, 0);
        if ((property->flags & STAVE_FLAG_TEXT) != 0 && property->value >= strings)
            property->value = 0;
        return STAVE_OK;
    case STAVE__PLACES:
        settle(&place->name, strings, 0);
        settle(&place->file, strings, 0);
        settle(&place->function, strings, 0);
        return STAVE_OK;
    case STAVE__SESSIONS:
        return settle_session(trace, row, error);
    default:
        stave__rules_row_settle(trace, kind, row);
        return STAVE_OK;
    }
}

int stave__tables_name_lost(stave_trace *trace, stave_error *error)
{
    int status = stave__trace_string(trace, STAVE__LOST_NAME, sizeof STAVE__LOST_NAME - 1,
                                     &trace->blocks.limits.lost_name, error);
    for (uint32_t i = 0; i < trace->lanes.rows && status >= 0; i++) {
        stave_lane *lane = stave__table_at(&trace->lanes, i);
        if (lane->name == STAVE_NONE)
            status =
                stave__trace_string(trace, LOST_LANE, sizeof LOST_LANE - 1, &lane->name, error);
    }
    return status;
}

static int make_up_strings(stave_trace *trace, uint32_t strings, stave_error *error)
{
    while (stave_trace_strings(trace) < strings)
        if (stave__strings_append(&trace->strings, STAVE__LOST_NAME, sizeof STAVE__LOST_NAME - 1) <
            0)
            return stave__fail_memory(error);
    return STAVE_OK;
}

static int make_up_lanes(stave_trace *trace, uint32_t lanes, stave_error *error)
{
    while (trace->lanes.rows < lanes) {
        stave_lane *lane = stave__table_add(&trace->lanes);
        if (lane == NULL)
            return stave__fail_memory(error);
        *lane = (stave_lane){.kind = STAVE_LANE_THREAD, .name = lost_lane_name(trace)};
    }
    return STAVE_OK;
}

static int make_up_boots(stave_trace *trace, uint32_t boots, stave_error *error)
{
    while (trace->boots.rows < boots) {
        uint32_t id;
        int status = stave__trace_boot(trace, 0, 0, &id, error);
        if (status < 0)
            return status;
        stave__boot_at(trace, id)->shown.rate_assumed = true;
    }
    return STAVE_OK;
}

/* Of nothing: without them those behind them would be lost too. */
static int make_up_places(stave_trace *trace, uint32_t places, stave_error *error)
{
    int status = STAVE_OK;
    while (status >= 0 && stave_trace_places(trace) < places)
        status = stave__trace_place(trace, &(stave_place){0}, error);
    return status;
}

bool stave__tables_can_make_up(uint64_t kind)
{
    return kind == STAVE__STRINGS || kind == STAVE__LANES || kind == STAVE__BOOTS ||
           kind == STAVE__PLACES;
}

int stave__tables_make_up(stave_trace *trace, uint64_t kind, uint32_t rows, stave_error *error)
{
    assert(stave__tables_can_make_up(kind));
    switch (kind) {
    case STAVE__STRINGS:
        return make_up_strings(trace, rows, error);
    case STAVE__LANES:
        return make_up_lanes(trace, rows, error);
    case STAVE__BOOTS:
        return make_up_boots(trace, rows, error);
    default:
        return make_up_places(trace, rows, error);
    }
}
