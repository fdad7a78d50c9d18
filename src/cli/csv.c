#include "cli/csv.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

struct fd_sink {
    int fd;
    const char *name;
    stave_error *error; /* keeps the system's own reason */
};

static int write_fd(void *context, const void *data, size_t size)
{
    const struct fd_sink *sink = context;
    return stave__os_write(sink->fd, sink->name, data, size, sink->error);
}

int cli_csv_write(const struct cli_trace *trace, int fd, const char *name, stave_csv_counts *counts,
                  stave_error *error)
{
    struct fd_sink context = {.fd = fd, .name = name, .error = error};
    return stave_export_csv(trace->trace, (stave_sink){.write = write_fd, .context = &context},
                            counts, error);
}

void cli_csv_print_counts(const char *path, const stave_csv_counts *counts)
{
    printf("%s: %" PRIu64 " spans, %" PRIu64 " markers, %" PRIu64 " gaps\n", path, counts->spans,
           counts->markers, counts->gaps);
}

bool cli_csv_is_stdout(const char *path)
{
    return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0;
}

static int save_file(const struct cli_trace *trace, const char *path, bool print,
                     stave_error *error)
{
    struct stave__os_file file;
    stave_csv_counts counts;
    int status = stave__os_create(path, &file, error);
    if (status < 0)
        return status;
    bool direct = file.direct;
    status = cli_csv_write(trace, file.fd, path, &counts, error);
    if (status >= 0)
        status = stave__os_commit(&file, false, error);
    stave__os_discard(&file);
    if (status >= 0 && print && !direct)
        cli_csv_print_counts(path, &counts);
    return status;
}

int cli_csv_save(const struct cli_trace *trace, const char *path, bool print)
{
    stave_error error = {0};
    if (trace->input.regular && stave__os_is_same_file(path, &trace->input)) {
        cli_message("%s is the recording itself; choose another name for the CSV", path);
        return CLI_MISUSE;
    }
    int status = cli_csv_is_stdout(path)
                     ? cli_csv_write(trace, STDOUT_FILENO, "standard output", NULL, &error)
                     : save_file(trace, path, print, &error);
    if (status >= 0)
        return CLI_DONE;
    cli_message("%s", error.message);
    return CLI_MISUSE;
}
