/* What `stave roots --json` prints. */
#include "cli/details.h"
#include "cli/names.h"
#include "cli/notes.h"
#include "cli/roots.h"
#include "cli/values.h"

#define SCHEMA "stave.roots/1"

static void put_id(struct cli_json *json, const stave_trace *trace, const stave_tree_detail *id)
{
    if (id == NULL)
        cli_json_double_if(json, "id", false, 0);
    else
        cli_json_value(json, "id", trace, id->flags, id->value);
}

static void put_root(struct cli_json *json, const stave_trace *trace, const stave_root *root,
                     const stave_tree_detail *attributes, uint32_t count)
{
    cli_json_open(json, NULL, '{');
    cli_json_u64(json, "trace", root->number + 1);
    cli_json_u64(json, "named", root->counted + 1);
    cli_json_name(json, "name", trace, root->name);
    put_id(json, trace, cli_id_of(trace, attributes, count));
    cli_json_name(json, "lane", trace, stave_trace_lane(trace, root->lane)->name);
    cli_json_u64(json, "serial", root->serial);
    cli_json_double(json, "from_us", stave_time_us(trace, root->boot, root->start));
    cli_json_double(json, "to_us", stave_time_us(trace, root->boot, root->end));
    cli_json_whole(json, "total_ns", root->total_ns);
    cli_notes_json(json, root->flags);
    cli_attributes_json(json, trace, attributes, count);
    cli_json_close(json);
}

int cli_roots_json(const struct cli_roots *shown, stave_error *error)
{
    struct cli_json json = {.to = stdout};
    stave_roots *roots = shown->roots;
    int status = STAVE_OK;
    cli_json_open(&json, NULL, '{');
    cli_json_word(&json, "schema", SCHEMA);
    cli_json_word(&json, "file", shown->file);
    cli_json_u64(&json, "traces", stave_roots_all(roots));
    cli_json_u64(&json, "named", stave_roots_counted(roots));
    cli_json_u64(&json, "found", stave_roots_found(roots));
    cli_json_open(&json, "roots", '[');
    for (uint64_t i = 0; i < stave_roots_count(roots) && status >= 0; i++) {
        const stave_tree_detail *attributes;
        uint32_t count;
        status = stave_roots_attributes(roots, i, &attributes, &count, error);
        if (status >= 0)
            put_root(&json, shown->trace, stave_roots_at(roots, i), attributes, count);
    }
    cli_json_close(&json);
    cli_json_close(&json);
    return status;
}
