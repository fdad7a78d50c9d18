#include "cli/save.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/contents.h"
#include "cli/progress.h"
#include "cli/text.h"

struct saving {
    stave_trace *trace;
    uint32_t zstd_level;
};

static int write_trace(void *context, stave_sink sink, stave_error *error)
{
    const struct saving *saving = context;
    stave_save_config config = {
        .zstd_level = saving->zstd_level,
        .progress = cli_progress_report(),
    };
    return stave_trace_save(saving->trace, sink, &config, error);
}

int cli_save(struct cli_output *output, stave_trace *trace, uint32_t zstd_level)
{
    struct saving saving = {.trace = trace, .zstd_level = zstd_level};
    return cli_output_write(output, write_trace, &saving);
}

const char *cli_row_kind_text(unsigned kind)
{
    static const char *const texts[STAVE_ROW_KINDS] = {
#define TEXT(kind, number, text, has, may_have) [kind] = (text),
        STAVE_ROW_KIND_TABLE(TEXT)
#undef TEXT
    };
    return texts[kind];
}

void cli_print_rows(const uint64_t rows[STAVE_ROW_KINDS])
{
    const char *before = "";
    for (unsigned kind = 0; kind < STAVE_ROW_KINDS; kind++) {
        if (rows[kind] == 0)
            continue;
        printf("%s%" PRIu64 " %s", before, rows[kind], cli_row_kind_text(kind));
        before = ", ";
    }
    if (before[0] == '\0')
        fputs("no rows", stdout);
}

void cli_save_print(const struct cli_output *output, stave_trace *trace)
{
    struct cli_contents contents;
    if (cli_contents_read(trace, &contents, NULL, NULL) < 0)
        return; /* it has just been read as a whole */
    cli_text_print(stdout, output->path, strlen(output->path));
    fputs(": ", stdout);
    cli_print_rows(contents.rows);
    printf(" in %" PRIu64 " bytes\n", output->bytes);
}
