/* stave verify: whether a .stave file is whole and sound. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/contents.h"
#include "cli/input.h"
#include "cli/progress.h"
#include "cli/save.h"
#include "cli/table.h"

static const struct cli_option options[] = {{0}};

/* ---- what is wrong --------------------------------------------------------------------------- */

static void print_damages(const stave_trace *trace)
{
    static const struct cli_column columns[] = {
        {"offset", true, 0}, {"bytes", true, 0}, {"rows", true, 0}, {"what", false, 0}};
    struct cli_table table;
    cli_table_begin(&table, columns, sizeof columns / sizeof columns[0]);
    for (uint32_t i = 0; i < stave_trace_damages(trace); i++) {
        stave_damage damage = stave_trace_damage(trace, i);
        cli_table_number(&table, "%" PRIu64, damage.offset);
        cli_table_number(&table, "%" PRIu64, damage.size);
        cli_table_number(&table, damage.rows > 0 ? "%" PRIu64 : "", damage.rows);
        cli_table_text(&table, damage.what, strlen(damage.what));
    }
    cli_table_print(&table, stdout);
}

static void print_name(const struct cli_trace *trace)
{
    cli_text_print(stdout, trace->name, strlen(trace->name));
    fputs(": ", stdout);
}

static void print_no(const struct cli_trace *trace, const stave_trace_file *file)
{
    uint32_t damages = stave_trace_damages(trace->trace);
    uint64_t bytes = 0, rows = 0;
    for (uint32_t i = 0; i < damages; i++) {
        stave_damage damage = stave_trace_damage(trace->trace, i);
        bytes += damage.size;
        rows += damage.rows;
    }
    if (damages > 0) {
        print_damages(trace->trace);
        putchar('\n');
        print_name(trace);
        printf("damaged places: %" PRIu32 ", in them %" PRIu64 " of %" PRIu64 " bytes", damages,
               bytes, file->size);
        if (rows > 0)
            printf(" and %" PRIu64 " rows", rows);
        putchar('\n');
    }
    if (!file->indexed) {
        print_name(trace);
        printf("no index: it is still being written, or was cut; bytes at its end that are no "
               "whole block: %" PRIu64 "\n",
               file->cut);
    }
    cli_message("%s: `stave recover %s -o NEW.stave` keeps what is sound", trace->name,
                trace->name);
}

/* ---- what is right --------------------------------------------------------------------------- */

static int print_ok(const struct cli_trace *trace, const stave_trace_file *file, stave_error *error)
{
    struct cli_contents contents;
    int status = cli_contents_read(trace->trace, &contents, NULL, error);
    if (status < 0)
        return status;
    print_name(trace);
    printf("OK: %" PRIu64 " bytes, %" PRIu64 " blocks, ", file->size,
           file->blocks + file->tables + file->unknown);
    cli_print_rows(contents.rows);
    putchar('\n');
    return STAVE_OK;
}

/* 1 when it is sound, 0 when it is not, or an error. */
static int verify(const struct cli_trace *trace, stave_error *error)
{
    stave_trace_file file;
    cli_progress_begin("checking", trace->name);
    int damages = stave_trace_check(trace->trace, cli_progress_report(), error);
    cli_progress_end();
    if (damages < 0)
        return damages;
    stave_trace_file_of(trace->trace, &file);
    bool sound = damages == 0 && file.indexed;
    int status = STAVE_OK;
    if (sound)
        status = print_ok(trace, &file, error);
    else
        print_no(trace, &file);
    if (file.unknown > 0)
        cli_message("%s: blocks of a later version: %" PRIu64 "; sound, but a newer stave has to "
                    "read them",
                    trace->name, file.unknown);
    return status < 0 ? status : sound;
}

static int run(int operands_count, char **operands)
{
    (void)operands_count;
    struct cli_trace trace;
    stave_error error = {0};
    int exit_status = cli_trace_open_stave(operands[0], &(stave_trace_config){0}, &trace);
    if (exit_status != CLI_DONE)
        return exit_status;
    int sound = verify(&trace, &error);
    if (sound < 0)
        cli_message("%s: %s", trace.name, error.message);
    cli_trace_close(&trace);
    return sound > 0 ? CLI_DONE : sound == 0 ? CLI_NO : CLI_MISUSE;
}

const struct cli_command cli_verify = {
    .name = "verify",
    .operands = "FILE",
    .summary = "Read every block of a .stave file and tell what is damaged",
    .options = options,
    .operands_min = 1,
    .operands_max = 1,
    .run = run,
};
