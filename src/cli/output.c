#include "cli/output.h"

#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/progress.h"

typedef int write_function(void *context, stave_sink sink, stave_error *error);

bool cli_is_stdout(const char *path)
{
    return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0;
}

const char *cli_last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

static int write_fd(void *context, const void *data, size_t size)
{
    struct cli_fd_sink *sink = context;
    int status = stave__os_write(sink->fd, sink->name, data, size, sink->error);
    if (status >= 0)
        sink->bytes += size;
    return status;
}

stave_sink cli_fd_sink(struct cli_fd_sink *sink)
{
    return (stave_sink){.write = write_fd, .context = sink};
}

bool cli_output_allowed(const struct cli_output *output)
{
    if (output->input != NULL && output->input->regular &&
        stave__os_is_same_file(output->path, output->input)) {
        cli_message("%s is the recording itself; choose another name for %s", output->path,
                    output->what);
        return false;
    }
    if (output->binary && cli_is_stdout(output->path) && isatty(STDOUT_FILENO)) {
        cli_message("%s is not for a terminal; name a file, or send it on", output->what);
        return false;
    }
    return true;
}

static int write_stdout(struct cli_output *output, write_function *write, void *context,
                        stave_error *error)
{
    struct cli_fd_sink sink = {.fd = STDOUT_FILENO, .name = "standard output", .error = error};
    int status = write(context, cli_fd_sink(&sink), error);
    output->bytes = sink.bytes;
    return status;
}

static int write_file(struct cli_output *output, write_function *write, void *context,
                      stave_error *error)
{
    struct stave__os_file file;
    int status = stave__os_create(output->path, &file, error);
    if (status < 0)
        return status;
    struct cli_fd_sink sink = {.fd = file.fd, .name = output->path, .error = error};
    bool direct = file.direct;
    status = write(context, cli_fd_sink(&sink), error);
    if (status >= 0)
        status = stave__os_commit(&file, false, error);
    stave__os_discard(&file);
    output->regular = status >= 0 && !direct;
    output->bytes = sink.bytes;
    return status;
}

int cli_output_write(struct cli_output *output, write_function *write, void *context)
{
    stave_error error = {0};
    if (!cli_output_allowed(output))
        return CLI_MISUSE;
    bool to_stdout = cli_is_stdout(output->path);
    cli_progress_begin("writing", to_stdout ? "standard output" : output->path);
    int status = to_stdout ? write_stdout(output, write, context, &error)
                           : write_file(output, write, context, &error);
    cli_progress_end();
    if (status >= 0)
        return CLI_DONE;
    if (error.status != STAVE_OK)
        cli_message("%s", error.message);
    return CLI_MISUSE;
}
