/* diagram_page.h - what a diagram's page holds, read as docs/diagram.md says and by nothing else.
 *
 *     struct page_sink sink = {0};
 *     stave_export_diagram(&source, 1, NULL, (stave_sink){page_take, &sink}, NULL, &error);
 *     struct page *page = page_read(&sink);
 *     for (uint64_t i = 0; i < page->lane_count; i++) ... page->lanes[i].spans.at[0].start ...
 *     page_free(page);
 *     page_sink_free(&sink);
 *
 * A page that is not as described ends the program.  */
#ifndef DIAGRAM_PAGE_H
#define DIAGRAM_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A page as it was written. */
struct page_sink {
    char *bytes;
    size_t size, room;
};

int page_take(void *sink, const void *data, size_t size); /* of a stave_sink */
void page_sink_free(struct page_sink *sink);

struct page_text {
    const char *bytes; /* a NUL behind them */
    uint64_t size;
};

/* What a kind of rows lacks is 0. */
struct page_row {
    uint64_t boot;
    int64_t start;
    uint64_t length, flags, row, name, value;
    uint64_t which; /* of a span: its deadline; a mark: its value's form; a band: its lane */
    int64_t own;    /* of a span with a deadline of its own: ticks from its start to it */
};

struct page_rows {
    uint64_t count;
    struct page_row *at;
};

struct page_anchor {
    int64_t tick;
    double us, hz;
};

struct page_boot {
    double offset_us;
    uint64_t anchor_count;
    struct page_anchor *anchors;
};

struct page_source {
    uint64_t name, frames_lost, frames;
    uint64_t boot_count;
    struct page_boot *boots;
    struct page_rows gaps, doubts, restarts; /* restarts: boot and start */
};

struct page_lane {
    uint64_t source, kind, priority, name, process, number;
    uint64_t rows, folded;
    uint64_t spans_told, whole, checked, missed;
    double min_us, mean_us, p99_us, max_us;
    uint64_t worst;
    uint64_t deadline_count;
    double *deadlines_us;
    uint64_t parts;
    struct page_rows spans, marks;
};

struct page {
    char *title_html; /* as it stands between <title> and </title> */
    struct page_text title;
    uint64_t text_count, source_count, lane_count;
    struct page_text *texts;
    struct page_source *sources;
    struct page_lane *lanes;
    size_t data_size; /* unpacked, bytes */
    void **pieces;    /* its memory */
    size_t piece_count;
};

struct page *page_read(const struct page_sink *sink);
void page_free(struct page *page);

/* The first lane of a kind with this name, or NULL. */
struct page_lane *page_find_lane(const struct page *page, uint64_t kind, const char *name);

#endif
