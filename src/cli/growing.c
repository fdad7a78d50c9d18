#include "cli/growing.h"

#include "base/os.h"
#include "base/os_command.h"
#include "cli/output.h"

#define PUBLISH_AFTER_MS 100

bool cli_growing_is_possible(const char *path)
{
    return !cli_is_stdout(path) && stave__os_may_be_regular(path);
}

static int publish(struct cli_growing *growing, stave_trace *trace, stave_error *error)
{
    int status = STAVE_OK;
    if (growing->writer == NULL)
        status = stave_writer_open(growing->path, &growing->writer, error);
    return status < 0 ? status : stave_writer_publish(growing->writer, trace, error);
}

int cli_growing_keep_up(struct cli_growing *growing, stave_trace *trace, stave_decoder *decoder,
                        int fd, stave_error *error)
{
    if (growing->path == NULL || stave_trace_blocks(trace) == 0)
        return STAVE_OK;
    int64_t now = stave__os_now_ms();
    if (now < growing->next_ms && stave__os_has_bytes(fd))
        return STAVE_OK;
    growing->next_ms = now + PUBLISH_AFTER_MS;
    int status = decoder != NULL ? stave_decoder_tell(decoder, error) : STAVE_OK;
    if (status < 0)
        return status;
    return publish(growing, trace, error);
}

int cli_growing_finish(struct cli_growing *growing, stave_trace *trace, stave_error *error)
{
    if (growing->path == NULL)
        return STAVE_OK;
    int status = publish(growing, trace, error);
    return status < 0 ? status : stave_writer_finish(growing->writer, trace, error);
}

void cli_growing_close(struct cli_growing *growing)
{
    stave_writer_close(growing->writer);
    growing->writer = NULL;
}
