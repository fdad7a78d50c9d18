/* stave ls: what a recording holds, without reading all of its rows. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/contents.h"
#include "cli/input.h"
#include "cli/listing.h"

static bool as_json, strict;

static const struct cli_option options[] = {
    {"--json", NULL, NULL, &as_json, "as JSON"},
    {"--strict", NULL, NULL, &strict, "exit with 1 if anything was lost, is damaged or cut off"},
    {0},
};

static int list(const struct cli_trace *trace, const char *path)
{
    (void)path;
    stave_error error = {0};
    struct cli_listing listing = {.trace = trace};
    listing.lanes = calloc((size_t)stave_trace_lanes(trace->trace) + 1, sizeof *listing.lanes);
    int exit_status = CLI_MISUSE;
    if (listing.lanes == NULL) {
        cli_message("out of memory");
    } else if (cli_contents_read(trace->trace, &listing.contents, listing.lanes, &error) < 0) {
        cli_message("%s: %s", trace->name, error.message);
    } else {
        stave_trace_file_of(trace->trace, &listing.file);
        if (as_json)
            cli_listing_json(&listing);
        else
            cli_listing_print(&listing);
        exit_status = CLI_DONE;
    }
    free(listing.lanes);
    return exit_status;
}

static int run(int operands_count, char **operands)
{
    (void)operands_count;
    return cli_trace_run(operands[0], &(struct cli_opening){.strict = strict}, list);
}

const struct cli_command cli_ls = {
    .name = "ls",
    .operands = "FILE|-",
    .summary = "List what a recording holds: lanes, processes, rows, losses, blocks",
    .options = options,
    .operands_min = 1,
    .operands_max = 1,
    .run = run,
};
