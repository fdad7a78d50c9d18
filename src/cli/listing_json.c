/* What `stave ls --json` prints; times in microseconds, null where there is none. */
#include "cli/listing.h"
#include "cli/names.h"
#include "cli/save.h"
#include "cli/values.h"

#define SCHEMA "stave.ls/1"

static void put_range(struct cli_json *json, const struct cli_range *range)
{
    cli_json_double_if(json, "from_us", range->any, range->from_us);
    cli_json_double_if(json, "to_us", range->any, range->to_us);
}

static void put_rows(struct cli_json *json, const uint64_t rows[STAVE_ROW_KINDS])
{
    cli_json_open(json, "rows", '{');
    for (unsigned kind = 0; kind < STAVE_ROW_KINDS; kind++)
        cli_json_u64(json, cli_row_kind_text(kind), rows[kind]);
    cli_json_close(json);
}

static void put_blocks(struct cli_json *json, const struct cli_listing *listing)
{
    const stave_trace_file *file = &listing->file;
    cli_json_open(json, "blocks", '{');
    cli_json_u64(json, "rows", file->blocks);
    cli_json_u64(json, "tables", file->tables);
    cli_json_u64(json, "unknown", file->unknown);
    cli_json_u64(json, "damaged", stave_trace_damages(listing->trace->trace));
    cli_json_u64(json, "cut_bytes", file->cut);
    cli_json_bool(json, "indexed", file->indexed);
    cli_json_bool(json, "packed", file->packed);
    cli_json_close(json);
}

static void put_lane(struct cli_json *json, const struct cli_listing *listing, uint32_t index)
{
    const stave_trace *trace = listing->trace->trace;
    const stave_lane *lane = stave_trace_lane(trace, index);
    cli_json_open(json, NULL, '{');
    cli_json_name(json, "name", trace, lane->name);
    cli_json_word(json, "kind", cli_lane_kind_text(lane->kind));
    cli_json_u64(json, "priority", lane->priority);
    cli_json_double_if(json, "deadline_ms", lane->has_deadline, (double)lane->deadline_ms);
    if (lane->process > 0 && lane->process <= stave_trace_processes(trace))
        cli_json_u64(json, "process", lane->process - 1);
    else
        cli_json_double_if(json, "process", false, 0);
    cli_json_u64(json, "number", lane->number);
    put_rows(json, listing->lanes[index].rows);
    put_range(json, &listing->lanes[index].range);
    cli_json_close(json);
}

static void put_process(struct cli_json *json, const struct cli_listing *listing, uint32_t index)
{
    const stave_process *process = stave_trace_process(listing->trace->trace, index);
    cli_json_open(json, NULL, '{');
    cli_json_name(json, "name", listing->trace->trace, process->name);
    cli_json_u64(json, "pid", process->number);
    cli_json_close(json);
}

static void put_boot(struct cli_json *json, const struct cli_listing *listing, uint32_t index)
{
    const stave_boot *boot = stave_trace_boot(listing->trace->trace, index);
    bool has_clock = stave_trace_anchors(listing->trace->trace, index) > 0;
    cli_json_open(json, NULL, '{');
    cli_json_double(json, "from_us", boot->offset_us);
    cli_json_double_if(json, "to_us", boot->ended, boot->end_us);
    cli_json_double(json, "hz",
                    has_clock ? stave_trace_anchor(listing->trace->trace, index, 0).hz : 0);
    cli_json_bool(json, "rate_assumed", boot->rate_assumed);
    cli_json_close(json);
}

static void put_property(struct cli_json *json, const stave_trace *trace,
                         const stave_property *property)
{
    const char *key = stave_trace_string(trace, property->key, NULL);
    cli_json_value(json, key, trace, property->flags, property->value);
}

static void put_properties(struct cli_json *json, const stave_trace *trace)
{
    cli_json_open(json, "properties", '{');
    for (uint32_t i = 0; i < stave_trace_properties(trace); i++)
        put_property(json, trace, stave_trace_property(trace, i));
    cli_json_close(json);
}

static void
put_all(struct cli_json *json, const struct cli_listing *listing, const char *key, uint32_t count,
        void (*put)(struct cli_json *json, const struct cli_listing *listing, uint32_t index))
{
    cli_json_open(json, key, '[');
    for (uint32_t i = 0; i < count; i++)
        put(json, listing, i);
    cli_json_close(json);
}

void cli_listing_json(const struct cli_listing *listing)
{
    const stave_trace *trace = listing->trace->trace;
    struct cli_json json = {.to = stdout};
    cli_json_open(&json, NULL, '{');
    cli_json_word(&json, "schema", SCHEMA);
    cli_json_word(&json, "file", listing->trace->name);
    cli_json_word(&json, "kind", cli_input_kind_text(listing->trace));
    cli_json_u64(&json, "bytes", listing->file.size);
    put_blocks(&json, listing);
    put_range(&json, &listing->contents.range);
    put_rows(&json, listing->contents.rows);
    cli_json_u64(&json, "lost", listing->contents.lost);
    cli_json_u64(&json, "restarts", listing->contents.restarts);
    put_all(&json, listing, "lanes", stave_trace_lanes(trace), put_lane);
    put_all(&json, listing, "processes", stave_trace_processes(trace), put_process);
    put_all(&json, listing, "boots", stave_trace_boots(trace), put_boot);
    put_properties(&json, trace);
    cli_json_close(&json);
}
