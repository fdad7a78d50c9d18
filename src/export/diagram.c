/* The timing diagram: a page, and in it the data of docs/diagram.md. */
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "base/error.h"
#include "export/diagram_data.h"
#include "export/diagram_page.h"

#define VERSION 1

/* A page on its way. */
struct diagram {
    struct stave__page page;
    stave_diagram_source *sources;
    struct stave__drawing *drawings;
    uint32_t count;
    const char *title;
    char *joined; /* where it is made of their names */
    struct stave__out out;
};

/* ---- title ----------------------------------------------------------------------------------- */

static const char *name_of(const stave_diagram_source *source)
{
    return source->name != NULL ? source->name : "";
}

/* The names of the sources, one behind another. To be freed; NULL: out of memory. */
static char *join_names(const stave_diagram_source *sources, uint32_t count)
{
    static const char between[] = ", ";
    size_t size = 1;
    for (uint32_t i = 0; i < count; i++)
        size += strlen(name_of(&sources[i])) + sizeof between;
    char *joined = malloc(size), *at = joined;
    for (uint32_t i = 0; joined != NULL && i < count; i++) {
        size_t of_name = strlen(name_of(&sources[i]));
        memcpy(at, name_of(&sources[i]), of_name);
        memcpy(at + of_name, between, sizeof between);
        at += of_name + sizeof between - 1;
    }
    if (joined != NULL)
        *(at - (count > 0 ? sizeof between - 1 : 0)) = '\0';
    return joined;
}

static const char *escape_of(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    default:
        return NULL;
    }
}

/* As text between tags. */
static void put_html(struct stave__out *out, const char *text)
{
    for (; *text != '\0'; text++) {
        const char *escape = escape_of(*text);
        if (escape != NULL)
            stave__out_text(out, escape);
        else
            stave__out_bytes(out, text, 1);
    }
}

/* ---- preparing ------------------------------------------------------------------------------- */

static int copy_sources(struct diagram *diagram, const stave_diagram_source *sources,
                        size_t source_size, stave_error *error)
{
    int status = STAVE_OK;
    for (uint32_t i = 0; i < diagram->count && status >= 0; i++)
        status = stave__config_copy(&diagram->sources[i], sizeof diagram->sources[i],
                                    (const char *)sources + i * source_size, source_size, error);
    return status;
}

/* What is drawn of each source, in which order, with which texts. */
static int plan(struct diagram *diagram, stave_error *error)
{
    struct stave__page *page = &diagram->page;
    int status = STAVE_OK;
    for (uint32_t i = 0; i < diagram->count && status >= 0; i++)
        status = stave__drawing_open(&diagram->drawings[i], diagram->sources[i].trace, page, error);
    for (uint32_t i = 0; i < diagram->count && status >= 0; i++)
        status = stave__drawing_plan(&diagram->drawings[i], name_of(&diagram->sources[i]), error);
    if (status < 0)
        return status;
    stave_diagram_counts *counts = &page->counts;
    counts->events = counts->spans + counts->markers + counts->gaps + counts->restarts;
    if (counts->events == 0)
        return stave__fail(error, STAVE_E_NOTHING, 0,
                           "there is nothing to draw: no span, marker, gap or restart");
    return STAVE_OK;
}

static int diagram_new(struct diagram **diagram, uint32_t count, stave_sink sink,
                       stave_error *error)
{
    struct diagram *d = calloc(1, sizeof *d);
    *diagram = d;
    if (d == NULL)
        return stave__fail_memory(error);
    stave__out_init(&d->out, sink);
    d->count = count;
    d->sources = calloc((size_t)count + 1, sizeof *d->sources);
    d->drawings = calloc((size_t)count + 1, sizeof *d->drawings);
    if (d->sources == NULL || d->drawings == NULL || stave__strings_init(&d->page.texts) < 0)
        return stave__fail_memory(error);
    return STAVE_OK;
}

static void diagram_free(struct diagram *diagram)
{
    if (diagram == NULL)
        return;
    for (uint32_t i = 0; diagram->drawings != NULL && i < diagram->count; i++)
        stave__drawing_close(&diagram->drawings[i]);
    stave__strings_free(&diagram->page.texts);
    free(diagram->drawings);
    free(diagram->sources);
    free(diagram->joined);
    free(diagram);
}

/* ---- the page -------------------------------------------------------------------------------- */

static void put_part(struct stave__out *out, int part)
{
    stave__out_bytes(out, stave__diagram_page[part].bytes, stave__diagram_page[part].size);
}

static void put_texts(struct stave__stream *stream, const char *title,
                      const struct stave__strings *texts)
{
    stave__stream_u(stream, VERSION);
    stave__stream_text(stream, title, strlen(title));
    stave__stream_u(stream, texts->texts.rows);
    for (uint32_t i = 0; i < texts->texts.rows; i++) {
        size_t size;
        const char *text = stave__strings_text(texts, i, &size);
        stave__stream_text(stream, text, size);
    }
}

static int put_data(struct diagram *diagram, struct stave__stream *stream, stave_error *error)
{
    int status = STAVE_OK;
    put_texts(stream, diagram->title, &diagram->page.texts);
    stave__stream_u(stream, diagram->count);
    for (uint32_t i = 0; i < diagram->count && status >= 0; i++)
        status = stave__diagram_put_source(&diagram->drawings[i], stream, error);
    stave__stream_u(stream, diagram->page.lanes);
    for (uint32_t i = 0; i < diagram->count && status >= 0; i++)
        status = stave__diagram_put_lanes(&diagram->drawings[i], i, stream, error);
    if (status >= 0)
        stave__stream_finish(stream);
    return status;
}

static int put_page(struct diagram *diagram, stave_error *error)
{
    struct stave__out *out = &diagram->out;
    struct stave__stream *stream = stave__stream_new(out);
    if (stream == NULL)
        return stave__fail_memory(error);
    put_part(out, STAVE__PAGE_BEFORE_TITLE);
    put_html(out, diagram->title);
    put_part(out, STAVE__PAGE_BEFORE_DATA);
    int status = put_data(diagram, stream, error);
    stave__stream_free(stream);
    if (status < 0)
        return status;
    put_part(out, STAVE__PAGE_AFTER_DATA);
    return stave__out_finish(out, error);
}

static int export(struct diagram *diagram, const stave_diagram_config *config, stave_error *error)
{
    diagram->page.read.progress = config->progress;
    diagram->title = config->title;
    if (diagram->title == NULL)
        diagram->title = diagram->joined = join_names(diagram->sources, diagram->count);
    if (diagram->title == NULL)
        return stave__fail_memory(error);
    int status = plan(diagram, error);
    return status < 0 ? status : put_page(diagram, error);
}

int stave_export_diagram_sized(const stave_diagram_source *sources, size_t source_size,
                               uint32_t count, const stave_diagram_config *config,
                               size_t config_size, stave_sink sink, stave_diagram_counts *counts,
                               size_t counts_size, stave_error *error)
{
    stave_diagram_config own;
    struct diagram *diagram = NULL;
    int status = stave__config_copy(&own, sizeof own, config, config_size, error);
    if (status >= 0)
        status = diagram_new(&diagram, count, sink, error);
    if (status >= 0)
        status = copy_sources(diagram, sources, source_size, error);
    if (status >= 0)
        status = export(diagram, &own, error);
    if (status >= 0 && counts != NULL)
        stave__config_give(counts, counts_size, &diagram->page.counts, sizeof diagram->page.counts);
    diagram_free(diagram);
    return status < 0 ? status : STAVE_OK;
}
