/* etrace-decode: a recording to a CSV with the time in its name. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/os.h"
#include "cli/cli.h"
#include "cli/csv.h"
#include "cli/output.h"

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

/* Where the CSV goes: a directory, the time, and what they make. */
struct place {
    char dir[DIR_SIZE];
    struct tm now;
    char path[PATH_SIZE];
    const char *name; /* the last part of the path */
};

/* The directory for the CSV, made if it is missing. Beside a device or a pipe is no place, nor
 * where an open file has its second name. */
static int choose_dir(const struct cli_trace *trace, const char *input, char dir[DIR_SIZE],
                      stave_error *error)
{
    const char *slash = strrchr(input, '/');
    int n;
    if (output != NULL)
        n = snprintf(dir, DIR_SIZE, "%s", output);
    else if (strcmp(input, "-") == 0 || !trace->input.regular || strncmp(input, "/dev/", 5) == 0 ||
             strncmp(input, "/proc/", 6) == 0)
        n = snprintf(dir, DIR_SIZE, "%s", STDIN_DIR);
    else if (slash == NULL)
        n = snprintf(dir, DIR_SIZE, ".");
    else
        n = snprintf(dir, DIR_SIZE, "%.*s", slash == input ? 1 : (int)(slash - input), input);
    if (n < 0 || n >= DIR_SIZE)
        return stave__fail(error, STAVE_E_ARGUMENT, 0, "the output directory's name is too long");
    return stave__os_make_dirs(dir, error);
}

/* DIR/trace_YYYYMMDD_HHMMSS.csv in local time; from the second try on with a suffix. */
static void choose_name(struct place *place, unsigned try)
{
    char stamp[32], suffix[16] = "";
    strftime(stamp, sizeof stamp, "%Y%m%d_%H%M%S", &place->now);
    if (try > 0)
        snprintf(suffix, sizeof suffix, "_%02u", try + 1);
    const char *slash = place->dir[strlen(place->dir) - 1] == '/' ? "" : "/";
    snprintf(place->path, PATH_SIZE, "%s%strace_%s%s.csv", place->dir, slash, stamp, suffix);
    place->name = strrchr(place->path, '/') + 1;
}

/* Commits under the first name that is free. */
static int commit(struct stave__os_file *file, struct place *place, stave_error *error)
{
    for (unsigned try = 0; try < SAME_SECOND_MAX; try++) {
        choose_name(place, try);
        int status = stave__os_rename_target(file, place->path, error);
        if (status >= 0)
            status = stave__os_commit(file, true, error);
        if (status != STAVE_E_STATE)
            return status;
    }
    return stave__fail(error, STAVE_E_LIMIT, 0, "%s and %d more of this second exist; try later",
                       place->path, SAME_SECOND_MAX - 1);
}

static int save_file(const struct cli_trace *trace, struct place *place, stave_csv_counts *counts,
                     stave_error *error)
{
    struct stave__os_file file;
    time_t seconds = time(NULL);
    localtime_r(&seconds, &place->now);
    choose_name(place, 0);
    int status = stave__os_create_new(place->path, &file, error);
    if (status < 0)
        return status;
    struct cli_fd_sink sink = {.fd = file.fd, .name = place->path, .error = error};
    status = stave_export_csv(trace->trace, cli_fd_sink(&sink), counts, error);
    if (status >= 0)
        status = commit(&file, place, error);
    stave__os_discard(&file);
    return status;
}

static int save(const struct cli_trace *trace, const char *input, stave_error *error)
{
    struct place place;
    stave_csv_counts counts;
    char latest[PATH_SIZE + sizeof LATEST];
    int status = choose_dir(trace, input, place.dir, error);
    if (status >= 0)
        status = save_file(trace, &place, &counts, error);
    if (status < 0)
        return status;
    cli_csv_print_counts(place.path, &counts);
    snprintf(latest, sizeof latest, "%.*s" LATEST, (int)(place.name - place.path), place.path);
    return stave__os_replace_link(latest, place.name, error);
}

static int write_csv(const struct cli_trace *trace, const char *input)
{
    stave_error error = {0};
    if (!cli_trace_has_events(trace)) {
        if (trace->decoded)
            cli_message("%s: %" PRIu64
                        " frames, but no span, marker or gap in them; nothing to write",
                        trace->name, trace->stats.frames);
        else
            cli_message("%s: no span, marker or gap in it; nothing to write", trace->name);
        return CLI_NO;
    }
    if (save(trace, input, &error) >= 0)
        return CLI_DONE;
    cli_message("%s", error.message);
    return CLI_MISUSE;
}

static int run(int operands_count, char **operands)
{
    (void)operands_count;
    return cli_trace_run(operands[0], &(struct cli_opening){.strict = strict}, write_csv);
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
