/* A report's files, to a path and into memory. */
#include "export/whole.h"
#include "stave/report.h"

struct writing {
    const stave_report *report;
    int (*put)(const stave_report *report, stave_sink sink, stave_error *error);
};

static int put(void *context, stave_sink sink, stave_error *error)
{
    const struct writing *w = context;
    return w->put(w->report, sink, error);
}

int stave_report_write_speedscope(const stave_report *report, const char *path, stave_error *error)
{
    struct writing w = {report, stave_report_sink_speedscope};
    return stave__write_file(path, put, &w, error);
}

int stave_report_make_speedscope(const stave_report *report, char **bytes, size_t *size,
                                 stave_error *error)
{
    struct writing w = {report, stave_report_sink_speedscope};
    return stave__write_memory(put, &w, bytes, size, error);
}

int stave_report_write_chrome(const stave_report *report, const char *path, stave_error *error)
{
    struct writing w = {report, stave_report_sink_chrome};
    return stave__write_file(path, put, &w, error);
}

int stave_report_make_chrome(const stave_report *report, char **bytes, size_t *size,
                             stave_error *error)
{
    struct writing w = {report, stave_report_sink_chrome};
    return stave__write_memory(put, &w, bytes, size, error);
}
