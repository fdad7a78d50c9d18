/* A trace to a file of a format: the table of formats, and where their bytes go. */
#include <assert.h>
#include <stdlib.h>

#include "base/config.h"
#include "base/error.h"
#include "export/format.h"
#include "export/gzip.h"
#include "export/whole.h"

static const struct {
    const char *name, *suffix, *viewers;
} texts[] = {
#define FORMAT(number, name, suffix, viewers) [number] = {name, suffix, viewers},
    STAVE_EXPORT_FORMATS(FORMAT)
#undef FORMAT
};

static const struct stave__format *format_of(stave_export_format format)
{
    static const struct stave__format *const table[] = {
        [STAVE_EXPORT_SPEEDSCOPE] = &stave__speedscope_format,
        [STAVE_EXPORT_CHROME] = &stave__chrome_format,
        [STAVE_EXPORT_PERFETTO] = &stave__perfetto_format,
        [STAVE_EXPORT_FOLDED] = &stave__folded_format,
        [STAVE_EXPORT_PPROF] = &stave__pprof_format,
        [STAVE_EXPORT_OTLP] = &stave__otlp_format,
    };
    static_assert(sizeof table / sizeof table[0] == STAVE_EXPORT_COUNT, "one of each");
    return (unsigned)format < STAVE_EXPORT_COUNT ? table[format] : NULL;
}

const char *stave_export_name(stave_export_format format)
{
    return (unsigned)format < STAVE_EXPORT_COUNT ? texts[format].name : "";
}

const char *stave_export_suffix(stave_export_format format)
{
    return (unsigned)format < STAVE_EXPORT_COUNT ? texts[format].suffix : "";
}

const char *stave_export_viewers(stave_export_format format)
{
    return (unsigned)format < STAVE_EXPORT_COUNT ? texts[format].viewers : "";
}

int stave_export_find(const char *name)
{
    for (int i = 0; i < STAVE_EXPORT_COUNT; i++)
        if (strcmp(name, texts[i].name) == 0)
            return i;
    return STAVE_E_ARGUMENT;
}

/* ---- one export ------------------------------------------------------------------------------ */

/* Open, with a state of zeros. */
static int write_format(const struct stave__format *format, struct stave__writing *state,
                        stave_error *error)
{
    int status = format->open != NULL ? format->open(state, error) : STAVE_OK;
    if (status >= 0)
        status = stave__walk_run(state->walk, &format->visitor, state, error);
    if (format->close != NULL)
        format->close(state);
    return status;
}

static int write_out(const struct stave__format *format, struct stave__walk *walk,
                     struct stave__out *out, stave_error *error)
{
    struct stave__writing *state = calloc(1, format->state_size);
    if (state == NULL)
        return stave__fail_memory(error);
    *state = (struct stave__writing){
        .walk = walk,
        .trace = walk->trace,
        .out = out,
        .name = walk->config.name != NULL ? walk->config.name : "stave",
    };
    int status = write_format(format, state, error);
    free(state);
    if (status == STAVE_E_MEMORY)
        return stave__fail_memory(error);
    return status < 0 ? status : stave__out_finish(out, error);
}

static int write_packed(const struct stave__format *format, struct stave__walk *walk,
                        struct stave__out *out, stave_sink sink, stave_error *error)
{
    struct stave__gzip *gzip = stave__gzip_new(sink);
    if (gzip == NULL)
        return stave__fail_memory(error);
    stave__out_init(out, stave__gzip_sink(gzip));
    int status = write_out(format, walk, out, error);
    if (status >= 0)
        status = stave__gzip_finish(gzip, error);
    stave__gzip_free(gzip);
    return status;
}

static int export_walk(const struct stave__format *format, struct stave__walk *walk,
                       stave_sink sink, stave_error *error)
{
    struct stave__out *out = malloc(sizeof *out);
    int status;
    if (out == NULL)
        return stave__fail_memory(error);
    if (format->packed) {
        status = write_packed(format, walk, out, sink, error);
    } else {
        stave__out_init(out, sink);
        status = write_out(format, walk, out, error);
    }
    free(out);
    return status;
}

int stave_export_sized(stave_trace *trace, stave_export_format format,
                       const stave_export_config *config, size_t config_size, stave_sink sink,
                       stave_export_counts *counts, size_t counts_size, stave_error *error)
{
    stave_export_config own;
    struct stave__walk walk;
    if (format_of(format) == NULL)
        return stave__fail(error, STAVE_E_ARGUMENT, 0, "there is no export format %d", (int)format);
    int status = stave__config_copy(&own, sizeof own, config, config_size, error);
    if (status < 0)
        return status;
    status = stave__walk_open(&walk, trace, &own, error);
    if (status >= 0)
        status = export_walk(format_of(format), &walk, sink, error);
    if (status >= 0 && counts != NULL)
        stave__config_give(counts, counts_size, &walk.counts, sizeof walk.counts);
    stave__walk_close(&walk);
    return status;
}

/* ---- to a file, to memory -------------------------------------------------------------------- */

struct exporting {
    stave_trace *trace;
    stave_export_format format;
    const stave_export_config *config;
    size_t config_size;
    stave_export_counts *counts;
    size_t counts_size;
};

static int write_sink(void *context, stave_sink sink, stave_error *error)
{
    const struct exporting *e = context;
    return stave_export_sized(e->trace, e->format, e->config, e->config_size, sink, e->counts,
                              e->counts_size, error);
}

int stave_export_to_file_sized(stave_trace *trace, stave_export_format format,
                               const stave_export_config *config, size_t config_size,
                               const char *path, stave_export_counts *counts, size_t counts_size,
                               stave_error *error)
{
    struct exporting e = {trace, format, config, config_size, counts, counts_size};
    return stave__write_file(path, write_sink, &e, error);
}

int stave_export_to_memory_sized(stave_trace *trace, stave_export_format format,
                                 const stave_export_config *config, size_t config_size, char **data,
                                 size_t *size, stave_export_counts *counts, size_t counts_size,
                                 stave_error *error)
{
    struct exporting e = {trace, format, config, config_size, counts, counts_size};
    return stave__write_memory(write_sink, &e, data, size, error);
}
