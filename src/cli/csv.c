#include "cli/csv.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

struct fd_sink {
    int fd;
    stave_error *error; /* keeps the system's own reason */
};

static int write_fd(void *context, const void *data, size_t size)
{
    const struct fd_sink *sink = context;
    return stave__os_write(sink->fd, data, size, sink->error);
}

static int write_to(const struct cli_trace *trace, int fd, stave_csv_counts *counts,
                    stave_error *error)
{
    struct fd_sink context = {.fd = fd, .error = error};
    return stave_export_csv(trace->trace, (stave_sink){.write = write_fd, .context = &context},
                            counts, error);
}

int cli_csv_write(const struct cli_trace *trace, struct stave__os_file *file,
                  stave_csv_counts *counts, stave_error *error)
{
    return write_to(trace, file->fd, counts, error);
}

static int save_file(const struct cli_trace *trace, const char *path, stave_csv_counts *counts,
                     stave_error *error)
{
    struct stave__os_file file;
    int status = stave__os_create(path, &file, error);
    if (status < 0)
        return status;
    status = cli_csv_write(trace, &file, counts, error);
    if (status >= 0)
        status = stave__os_commit(&file, false, error);
    stave__os_discard(&file);
    return status;
}

int cli_csv_save(const struct cli_trace *trace, const char *path, stave_csv_counts *counts)
{
    stave_error error = {0};
    bool standard = strcmp(path, "-") == 0;
    int status = standard ? write_to(trace, STDOUT_FILENO, counts, &error)
                          : save_file(trace, path, counts, &error);
    if (status >= 0)
        return CLI_DONE;
    cli_message("%s: %s", standard ? "standard output" : path, error.message);
    return CLI_MISUSE;
}
