#include "cli/csv.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/output.h"
#include "cli/text.h"

struct csv {
    const struct cli_trace *trace;
    stave_csv_counts counts;
};

static int write_csv(void *context, stave_sink sink, stave_error *error)
{
    struct csv *csv = context;
    return stave_export_csv(csv->trace->trace, sink, &csv->counts, error);
}

void cli_csv_print_counts(const char *path, const stave_csv_counts *counts)
{
    cli_text_print(stdout, path, strlen(path));
    printf(": %" PRIu64 " spans, %" PRIu64 " markers, %" PRIu64 " gaps\n", counts->spans,
           counts->markers, counts->gaps);
}

int cli_csv_save(const struct cli_trace *trace, const char *path, bool print)
{
    struct csv csv = {.trace = trace};
    struct cli_output output = {.path = path, .what = "the CSV", .input = &trace->input};
    int exit_status = cli_output_write(&output, write_csv, &csv);
    if (output.regular && print)
        cli_csv_print_counts(path, &csv.counts);
    return exit_status;
}
