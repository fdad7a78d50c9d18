/* stave recover: what is sound of a damaged or cut .stave file, as a whole one. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/cli.h"
#include "cli/input.h"
#include "cli/save.h"

static const char *output_path;

static const struct cli_option options[] = {
    {"-o", "FILE", &output_path, NULL, "write what is sound to FILE, a .stave file"},
    {0},
};

/* ---- what is missing ------------------------------------------------------------------------- */

/* Spans that nobody ended: rows that opening the file made, so that they are not in it. */
static uint64_t count_unfinished(stave_trace *trace)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < stave_trace_blocks(trace); i++) {
        stave_block_info block;
        if (stave_trace_block(trace, i, &block, NULL) >= 0 && block.kind == STAVE_SPANS &&
            block.offset == 0)
            count += block.rows;
    }
    return count;
}

/* Rows that are not damaged, as far as has been found. */
static uint64_t count_rows(stave_trace *trace)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < stave_trace_blocks(trace); i++) {
        stave_block_info block;
        if (stave_trace_block(trace, i, &block, NULL) >= 0 && !block.damaged)
            count += block.rows;
    }
    return count;
}

/* A block whose header is damaged does not tell how many rows it had; the index does, if it is sound.
 * False where it is not. */
static bool count_lost(const struct cli_trace *trace, const char *path, uint64_t *lost)
{
    stave_trace *whole;
    stave_trace_file file;
    if (stave_trace_open(path, NULL, &whole, NULL) < 0)
        return false;
    stave_trace_file_of(whole, &file);
    uint64_t had = count_rows(whole), kept = count_rows(trace->trace);
    *lost = had > kept ? had - kept : 0;
    stave_trace_free(whole);
    return file.indexed;
}

static void tell_damages(const struct cli_trace *trace, const char *path)
{
    uint32_t damages = stave_trace_damages(trace->trace);
    uint64_t bytes = 0, lost = 0;
    for (uint32_t i = 0; i < damages; i++)
        bytes += stave_trace_damage(trace->trace, i).size;
    if (count_lost(trace, path, &lost))
        cli_message("%s: damaged places: %" PRIu32 ", bytes passed over: %" PRIu64
                    ", rows lost there: %" PRIu64,
                    trace->name, damages, bytes, lost);
    else
        cli_message("%s: damaged places: %" PRIu32 ", bytes passed over: %" PRIu64
                    ", rows lost there: not known",
                    trace->name, damages, bytes);
}

static void tell_missing(const struct cli_trace *trace, const char *path)
{
    stave_trace_file file;
    bool is_damaged = stave_trace_damages(trace->trace) > 0;
    uint64_t unfinished = count_unfinished(trace->trace);
    stave_trace_file_of(trace->trace, &file);
    if (is_damaged)
        tell_damages(trace, path);
    if (file.cut > 0)
        cli_message("%s: bytes at its end that are no whole block: %" PRIu64, trace->name,
                    file.cut);
    if (unfinished > 0)
        cli_message("%s: spans that were not finished: %" PRIu64
                    "; they end with their lane, marked unfinished",
                    trace->name, unfinished);
    if (!file.finished)
        cli_message(
            "%s: it was not finished: what its writer had open or not written yet is missing",
            trace->name);
    else if (!is_damaged && file.cut == 0 && unfinished == 0)
        cli_message("%s: nothing is missing", trace->name);
}

/* ---- the command ----------------------------------------------------------------------------- */

static int recover(const struct cli_trace *trace, const char *path)
{
    struct cli_output output = {
        .path = output_path, .what = "what is recovered", .input = &trace->input, .binary = true};
    int exit_status = cli_save(&output, trace->trace, 0);
    if (exit_status != CLI_DONE)
        return exit_status;
    if (output.regular)
        cli_save_print(&output, trace->trace);
    tell_missing(trace, path);
    return CLI_DONE;
}

static int run(int operands_count, char **operands)
{
    (void)operands_count;
    struct cli_trace trace;
    if (output_path == NULL) {
        cli_message("recover needs -o FILE, where what is sound goes");
        return CLI_MISUSE;
    }
    stave_trace_config config = {.ignore_index = true};
    int exit_status = cli_trace_open_stave(operands[0], &config, &trace);
    if (exit_status != CLI_DONE)
        return exit_status;
    exit_status = recover(&trace, operands[0]);
    cli_trace_close(&trace);
    return exit_status;
}

const struct cli_command cli_recover = {
    .name = "recover",
    .operands = "FILE",
    .summary = "Keep what is sound of a damaged or cut .stave file",
    .options = options,
    .operands_min = 1,
    .operands_max = 1,
    .run = run,
};
