#include "cli/draw.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/input.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/text.h"
#include "stave/export.h"

#define OUTPUT "diagram.html" /* where the page goes if no place is given */

static struct {
    const char *output, *title;
    bool strict;
} given;

const struct cli_option cli_draw_options[] = {
    {"-o, --output", "FILE", &given.output, NULL,
     "where the page goes (" OUTPUT "), - for standard output"},
    {"--title", "TEXT", &given.title, NULL, "what the page calls itself"},
    {"--strict", NULL, NULL, &given.strict,
     "exit with 1 if anything was lost, is damaged or left out"},
    {0},
};

/* What is drawn, by input. */
struct page {
    int count;
    struct cli_trace *traces;
    char **files; /* the real paths; NULL where an input has none */
    stave_diagram_source *sources;
    stave_diagram_counts counts;
    bool nothing; /* there was no page to make, which has been said */
};

/* ---- what is said ---------------------------------------------------------------------------- */

/* ", 1 marker", ", 12 markers" */
static void print_count(FILE *to, const char *before, uint64_t count, const char *what)
{
    fprintf(to, "%s%" PRIu64 " %s%s", before, count, what, count != 1 ? "s" : "");
}

static void print_any(FILE *to, const char *before, uint64_t count, const char *what)
{
    if (count > 0)
        print_count(to, before, count, what);
}

/* Decoders count frames, files that none made count events; where there are both, a frame is one. */
static const char *lost_unit(const struct page *page)
{
    int decoded = 0;
    for (int i = 0; i < page->count; i++)
        decoded += page->traces[i].decoded;
    return decoded == page->count ? "frame" : "event";
}

static void print_gaps(FILE *to, const struct page *page)
{
    const stave_diagram_counts *c = &page->counts;
    print_any(to, ", ", c->gaps, "gap");
    if (c->lost == 0)
        return;
    print_count(to, c->gaps > 0 ? " (" : ", ", c->lost, lost_unit(page));
    fputs(c->gaps > 0 ? " lost)" : " lost", to);
}

static void print_counts(FILE *to, const char *name, const struct page *page)
{
    const stave_diagram_counts *c = &page->counts;
    cli_text_print(to, name, strlen(name));
    print_count(to, ": ", c->events, "event");
    print_count(to, " on ", c->lanes, "lane");
    print_count(to, ", ", c->spans, "span");
    print_count(to, ", ", c->markers, "marker");
    print_gaps(to, page);
    print_any(to, ", ", c->restarts, "restart");
    fprintf(to, "; deadlines: %" PRIu64 " checked, %" PRIu64 " missed", c->with_deadline,
            c->missed);
    print_any(to, "; not drawn: ", c->not_drawn, "row");
    fputc('\n', to);
}

/* Of each input that has none, or of `all`. */
static void explain_nothing(const struct page *page, bool all)
{
    for (int i = 0; i < page->count; i++)
        if (all || !cli_trace_has_events(&page->traces[i]))
            cli_message("%s: no span, marker or gap in it; nothing to draw", page->traces[i].name);
}

/* ---- the page -------------------------------------------------------------------------------- */

static int write_page(void *context, stave_sink sink, stave_error *error)
{
    struct page *page = context;
    const stave_diagram_config config = {
        .title = given.title,
        .progress = cli_progress_report(),
    };
    int status = stave_export_diagram(page->sources, (uint32_t)page->count, &config, sink,
                                      &page->counts, error);
    page->nothing = status == STAVE_E_NOTHING;
    if (page->nothing) {
        *error = (stave_error){0};
        explain_nothing(page, true);
    }
    return status;
}

/* None of the inputs may be what is written to. */
static bool is_output_allowed(const struct page *page, struct cli_output output)
{
    for (int i = 0; i < page->count; i++) {
        output.input = &page->traces[i].input;
        if (!cli_output_allowed(&output))
            return false;
    }
    return true;
}

/* The page and what is printed of it do not go to one place. */
static FILE *beside(const char *path)
{
    struct stave__os_identity out = stave__os_identify(STDOUT_FILENO);
    return cli_is_stdout(path) || stave__os_is_same_file(path, &out) ? stderr : stdout;
}

static int write_all(struct page *page)
{
    const char *path = given.output != NULL ? given.output : OUTPUT;
    struct cli_output output = {.path = path, .what = "the diagram"};
    if (!is_output_allowed(page, output))
        return CLI_MISUSE;
    FILE *to = beside(path);
    int exit_status = cli_output_write(&output, write_page, page);
    if (page->nothing)
        return CLI_NO;
    if (exit_status == CLI_DONE) {
        print_counts(to, cli_is_stdout(path) ? "standard output" : path, page);
        explain_nothing(page, false);
    }
    return exit_status;
}

/* ---- the recordings -------------------------------------------------------------------------- */

/* As users of other programs that draw such CSVs expect it. */
static const stave_csv_reader_config csv_of_others = {
    .drop_unreadable = true,
    .one_kind = true,
    .rows_needed = true,
};

/* A stream can be read once. */
static bool are_paths_sound(int count, char **paths)
{
    int streams = 0;
    for (int i = 0; i < count; i++)
        streams += strcmp(paths[i], "-") == 0;
    if (streams > 1)
        cli_message("standard input is named %d times; it can be read once", streams);
    return streams <= 1;
}

/* The last part of an input's path: of a link, that of the file which it leads to, since links such as
 * trace_latest.csv are the same for every run. */
static const char *file_name(const struct page *page, int which)
{
    const char *file = page->files[which];
    return cli_last_part(file != NULL ? file : page->traces[which].name);
}

/* What the page calls an input: the name of its file, unless another's is the same. */
static const char *short_name(const struct page *page, int which)
{
    const char *name = file_name(page, which);
    for (int i = 0; i < page->count; i++)
        if (i != which && strcmp(file_name(page, i), name) == 0)
            return page->traces[which].name;
    return name;
}

static void close_all(struct page *page, int count)
{
    for (int i = 0; i < count; i++)
        cli_trace_close(&page->traces[i]);
}

static int open_all(struct page *page, char **paths)
{
    const struct cli_opening how = {.strict = given.strict, .csv = csv_of_others};
    for (int i = 0; i < page->count; i++) {
        struct cli_trace *trace = &page->traces[i];
        int exit_status = cli_trace_open(paths[i], &how, trace);
        if (exit_status != CLI_DONE) {
            close_all(page, i);
            return exit_status;
        }
        if (trace->input.regular && strcmp(paths[i], "-") != 0)
            page->files[i] = stave__os_real_path(paths[i]);
    }
    for (int i = 0; i < page->count; i++)
        page->sources[i] =
            (stave_diagram_source){.trace = page->traces[i].trace, .name = short_name(page, i)};
    return CLI_DONE;
}

static int draw(struct page *page, char **paths)
{
    int exit_status = open_all(page, paths);
    if (exit_status != CLI_DONE)
        return exit_status;
    exit_status = write_all(page);
    for (int i = 0; i < page->count; i++)
        exit_status = cli_trace_end(&page->traces[i], exit_status);
    return exit_status;
}

static void free_page(struct page *page)
{
    for (int i = 0; page->files != NULL && i < page->count; i++)
        free(page->files[i]);
    free(page->files);
    free(page->traces);
    free(page->sources);
}

int cli_draw(int count, char **paths)
{
    if (!are_paths_sound(count, paths))
        return CLI_MISUSE;
    struct page page = {
        .count = count,
        .traces = calloc((size_t)count, sizeof *page.traces),
        .files = calloc((size_t)count, sizeof *page.files),
        .sources = calloc((size_t)count, sizeof *page.sources),
    };
    int exit_status = CLI_MISUSE;
    if (page.traces == NULL || page.files == NULL || page.sources == NULL)
        cli_message("out of memory");
    else
        exit_status = draw(&page, paths);
    free_page(&page);
    return exit_status;
}
