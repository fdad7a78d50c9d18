/* etrace-decode: a recording to a CSV with the time in its name. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/os.h"
#include "cli/cli.h"
#include "cli/csv.h"

#define LATEST "trace_latest.csv"
#define STDIN_DIR "data"
#define DIR_SIZE 3968
#define PATH_SIZE (DIR_SIZE + 128)
#define SAME_SECOND_MAX 1000

static const char *output;
static bool strict;

static const struct cli_option options[] = {
    {"--output", "DIR", &output, NULL,
     "where the CSV goes (beside the input; data/ for - and devices)"},
    {"--strict", NULL, NULL, &strict,
     "exit with 1 if anything was lost, skipped, unresolved or untimed"},
    {0},
};

/* The directory for the CSV, made if it is missing. Beside a device or a pipe is no place. */
static int choose_dir(const struct cli_trace *trace, const char *input, char dir[DIR_SIZE],
                      stave_error *error)
{
    const char *slash = strrchr(input, '/');
    int n;
    if (output != NULL && output[0] != '\0')
        n = snprintf(dir, DIR_SIZE, "%s", output);
    else if (strcmp(input, "-") == 0 || !trace->input.regular)
        n = snprintf(dir, DIR_SIZE, "%s", STDIN_DIR);
    else if (slash == NULL)
        n = snprintf(dir, DIR_SIZE, ".");
    else
        n = snprintf(dir, DIR_SIZE, "%.*s", slash == input ? 1 : (int)(slash - input), input);
    if (n < 0 || n >= DIR_SIZE) {
        cli_message("the name of the output directory is too long");
        return STAVE_E_ARGUMENT;
    }
    return stave__os_make_dirs(dir, error);
}

/* DIR/trace_YYYYMMDD_HHMMSS.csv in local time; from the second try on with a suffix. */
static const char *choose_name(char path[PATH_SIZE], const char dir[DIR_SIZE], const struct tm *now,
                               unsigned try)
{
    char stamp[32], suffix[16] = "";
    strftime(stamp, sizeof stamp, "%Y%m%d_%H%M%S", now);
    if (try > 0)
        snprintf(suffix, sizeof suffix, "_%02u", try + 1);
    size_t used = strlen(dir);
    snprintf(path, PATH_SIZE, "%.*s%strace_%s%s.csv", DIR_SIZE - 1, dir,
             dir[used - 1] == '/' ? "" : "/", stamp, suffix);
    return strrchr(path, '/') + 1;
}

/* Commits under the first name that is free. */
static int commit(struct stave__os_file *file, const char dir[DIR_SIZE], const struct tm *now,
                  char path[PATH_SIZE], const char **name, stave_error *error)
{
    int status = STAVE_E_STATE;
    for (unsigned try = 0; status == STAVE_E_STATE && try < SAME_SECOND_MAX; try++) {
        *name = choose_name(path, dir, now, try);
        status = stave__os_rename_target(file, path, error);
        if (status >= 0)
            status = stave__os_commit(file, true, error);
    }
    return status;
}

static int save_file(const struct cli_trace *trace, const char dir[DIR_SIZE], char path[PATH_SIZE],
                     const char **name, stave_csv_counts *counts, stave_error *error)
{
    struct stave__os_file file;
    time_t seconds = time(NULL);
    struct tm now;
    localtime_r(&seconds, &now);
    *name = choose_name(path, dir, &now, 0);
    int status = stave__os_create_new(path, &file, error);
    if (status < 0)
        return status;
    status = cli_csv_write(trace, file.fd, path, counts, error);
    if (status >= 0)
        status = commit(&file, dir, &now, path, name, error);
    stave__os_discard(&file);
    return status;
}

static int save(const struct cli_trace *trace, const char dir[DIR_SIZE], stave_error *error)
{
    stave_csv_counts counts;
    char path[PATH_SIZE], latest[PATH_SIZE + sizeof LATEST];
    const char *name;
    int status = save_file(trace, dir, path, &name, &counts, error);
    if (status < 0)
        return status;
    cli_csv_print_counts(path, &counts);
    snprintf(latest, sizeof latest, "%.*s" LATEST, (int)(name - path), path);
    return stave__os_replace_link(latest, name, error);
}

static bool has_rows(const struct cli_trace *trace)
{
    const stave_decode_stats *s = &trace->stats;
    return s->spans + s->markers + s->gaps + s->resets > 0;
}

static int write_csv(const struct cli_trace *trace, const char *input)
{
    stave_error error = {0};
    char dir[DIR_SIZE];
    if (!has_rows(trace)) {
        cli_message("%s: %" PRIu64 " frames, but no span, marker or gap in them; nothing to write",
                    trace->name, trace->stats.frames);
        return CLI_NO;
    }
    int status = choose_dir(trace, input, dir, &error);
    if (status >= 0)
        status = save(trace, dir, &error);
    if (status >= 0)
        return CLI_DONE;
    if (error.status != STAVE_OK)
        cli_message("%s", error.message);
    return CLI_MISUSE;
}

static int run(int operands_count, char **operands)
{
    (void)operands_count;
    struct cli_trace trace;
    int exit_status = cli_trace_open(operands[0], &trace);
    if (exit_status != CLI_DONE)
        return exit_status;
    exit_status = write_csv(&trace, operands[0]);
    cli_trace_warn(&trace);
    if (exit_status == CLI_DONE && strict && cli_trace_is_lossy(&trace))
        exit_status = CLI_NO;
    cli_trace_close(&trace);
    return exit_status;
}

const struct cli_command cli_etrace_decode = {
    .name = "etrace-decode",
    .operands = "recording.bin|-",
    .summary = "Decode a recording into DIR/trace_YYYYMMDD_HHMMSS.csv and point trace_latest.csv "
               "there",
    .options = options,
    .operands_min = 1,
    .operands_max = 1,
    .run = run,
};
