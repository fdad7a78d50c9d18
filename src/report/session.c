/* A session's report: what it has, as a file without a name, and that read. */
#include "base/error.h"
#include "base/os.h"
#include "stave/report.h"
#include "trace/rules.h"

struct temporary {
    int fd;
    uint64_t size;
    stave_error *error;
};

static int append(void *context, const void *data, size_t size)
{
    struct temporary *file = context;
    int status = stave__os_write_at(file->fd, data, size, file->size, file->error);
    file->size += size;
    return status;
}

static int open_snapshot(stave_session *session, stave_trace **trace, stave_error *error)
{
    struct temporary file = {.error = error};
    int status = stave__os_temporary(NULL, &file.fd, error);
    if (status < 0)
        return status;
    status = stave_session_snapshot(session, (stave_sink){append, &file}, error);
    if (status >= 0)
        return stave__trace_open_descriptor(file.fd, trace, error);
    stave__os_close(file.fd);
    return status;
}

stave_report *stave_session_report(stave_session *session, stave_error *error)
{
    const stave_report_config config = {.session = stave_session_number(session)};
    stave_trace *trace;
    if (open_snapshot(session, &trace, error) < 0)
        return NULL;
    stave_report *report = stave_report_from_trace(trace, &config, error);
    stave_trace_free(trace);
    return report;
}
