#include "reference/diagram_page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define MUST(condition) must((condition), #condition)

static void must(bool right, const char *what)
{
    if (right)
        return;
    fprintf(stderr, "diagram_page: a page without: %s\n", what);
    abort();
}

/* ---- the page as bytes ----------------------------------------------------------------------- */

int page_take(void *context, const void *data, size_t size)
{
    struct page_sink *sink = context;
    if (size >= sink->room - sink->size) {
        sink->room = 2 * (sink->room + size) + 1;
        sink->bytes = realloc(sink->bytes, sink->room);
        MUST(sink->bytes != NULL);
    }
    memcpy(sink->bytes + sink->size, data, size);
    sink->size += size;
    sink->bytes[sink->size] = '\0';
    return 0;
}

void page_sink_free(struct page_sink *sink)
{
    free(sink->bytes);
    *sink = (struct page_sink){0};
}

/* Zeroed, and freed with the page. */
static void *piece(struct page *page, uint64_t count, size_t size)
{
    MUST(count < UINT32_MAX);
    void *memory = calloc((size_t)count + 1, size);
    page->pieces = realloc(page->pieces, (page->piece_count + 1) * sizeof *page->pieces);
    MUST(memory != NULL && page->pieces != NULL);
    page->pieces[page->piece_count++] = memory;
    return memory;
}

/* The text between two others, the first time that they stand there. */
static char *between(struct page *page, const struct page_sink *sink, const char *before,
                     const char *after, size_t *size)
{
    const char *from = strstr(sink->bytes, before);
    MUST(from != NULL);
    from += strlen(before);
    const char *to = strstr(from, after);
    MUST(to != NULL);
    *size = (size_t)(to - from);
    char *text = piece(page, *size, 1);
    memcpy(text, from, *size);
    return text;
}

static unsigned digit(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *found = c != '\0' ? strchr(digits, c) : NULL;
    MUST(found != NULL);
    return (unsigned)(found - digits);
}

/* In place: the size of the bytes. */
static size_t from_base64(char *text, size_t size)
{
    size_t padding = size > 0 && text[size - 1] == '=' ? 1 + (text[size - 2] == '=') : 0, n = 0;
    MUST(size > 0 && size % 4 == 0);
    for (size_t i = 0; i < size; i += 4) {
        unsigned bits = 0;
        for (size_t j = i; j < i + 4; j++)
            bits = bits << 6 | (j < size - padding ? digit(text[j]) : 0);
        for (int shift = 16; shift >= 0; shift -= 8)
            text[n++] = (char)(bits >> shift & 255);
    }
    return n - padding;
}

struct reader {
    struct page *page;
    const unsigned char *at, *end;
};

/* Inflates all of it; nothing may stand behind the stream. */
static void unpack(struct reader *reader, char *packed, size_t size)
{
    struct page_sink data = {0};
    static unsigned char buffer[1 << 16];
    z_stream z = {.next_in = (unsigned char *)packed, .avail_in = (unsigned)size};
    MUST(inflateInit(&z) == Z_OK);
    int status = Z_OK;
    while (status == Z_OK) {
        z.next_out = buffer;
        z.avail_out = sizeof buffer;
        status = inflate(&z, Z_NO_FLUSH);
        page_take(&data, buffer, sizeof buffer - z.avail_out);
    }
    MUST(status == Z_STREAM_END && z.avail_in == 0);
    inflateEnd(&z);
    reader->page->data_size = data.size;
    char *all = piece(reader->page, data.size, 1);
    memcpy(all, data.bytes, data.size);
    reader->at = (unsigned char *)all;
    reader->end = reader->at + data.size;
    page_sink_free(&data);
}

/* ---- numbers --------------------------------------------------------------------------------- */

static uint64_t read_u(struct reader *reader)
{
    uint64_t number = 0;
    for (unsigned shift = 0;; shift += 7) {
        MUST(reader->at < reader->end && shift < 64);
        unsigned char byte = *reader->at++;
        number |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return number;
    }
}

static int64_t read_s(struct reader *reader)
{
    uint64_t number = read_u(reader);
    return (int64_t)(number >> 1 ^ (0 - (number & 1)));
}

static double read_d(struct reader *reader)
{
    uint64_t bits = 0;
    double number;
    MUST(reader->end - reader->at >= 8);
    for (unsigned i = 0; i < 64; i += 8)
        bits |= (uint64_t)*reader->at++ << i;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static struct page_text read_text(struct reader *reader)
{
    struct page_text text = {.size = read_u(reader)};
    MUST((uint64_t)(reader->end - reader->at) >= text.size);
    char *bytes = piece(reader->page, text.size, 1);
    memcpy(bytes, reader->at, text.size);
    reader->at += text.size;
    text.bytes = bytes;
    return text;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void read_runs(struct reader *reader, struct page_rows *rows)
{
    uint64_t runs = read_u(reader), firsts = 0;
    struct page_row *first = piece(reader->page, runs, sizeof *first);
    for (uint64_t i = 0; i < runs; i++) {
        first[i] = (struct page_row){.boot = read_u(reader), .start = read_s(reader)};
        first[i].length = read_u(reader); /* rows */
        MUST(first[i].length > 0 && (i == 0 || first[i].boot > first[i - 1].boot));
        rows->count += first[i].length;
    }
    rows->at = piece(reader->page, rows->count, sizeof *rows->at);
    for (uint64_t i = 0, run = 0; i < rows->count; i++) {
        bool begins = i == firsts;
        if (begins)
            firsts += first[run++].length;
        uint64_t before = (uint64_t)(begins ? first[run - 1].start : rows->at[i - 1].start);
        uint64_t later = read_u(reader);
        MUST(!begins || later == 0);
        rows->at[i].boot = first[run - 1].boot;
        rows->at[i].start = (int64_t)(before + later);
    }
}

#define READ_COLUMN(reader, rows, member)                                                          \
    for (uint64_t i_ = 0; i_ < (rows)->count; i_++)                                                \
    (rows)->at[i_].member = read_u(reader)

static void read_bands(struct reader *reader, struct page_rows *rows)
{
    read_runs(reader, rows);
    READ_COLUMN(reader, rows, length);
    READ_COLUMN(reader, rows, value);
    READ_COLUMN(reader, rows, flags);
    READ_COLUMN(reader, rows, name);
    READ_COLUMN(reader, rows, which);
}

static void read_spans(struct reader *reader, struct page_lane *lane)
{
    lane->parts = read_u(reader);
    MUST(lane->parts < 16 && (lane->parts & 12) != 8);
    read_runs(reader, &lane->spans);
    READ_COLUMN(reader, &lane->spans, length);
    READ_COLUMN(reader, &lane->spans, flags);
    if (lane->parts & 1)
        READ_COLUMN(reader, &lane->spans, row);
    if (lane->parts & 2)
        READ_COLUMN(reader, &lane->spans, name);
    if (lane->parts & 4)
        READ_COLUMN(reader, &lane->spans, which);
    for (uint64_t i = 0; lane->parts & 4 && i < lane->spans.count; i++) {
        struct page_row *span = &lane->spans.at[i];
        bool own = span->which == lane->deadline_count + 1;
        MUST(own ? lane->parts & 8 : span->which <= lane->deadline_count);
        if (own)
            span->own = read_s(reader);
    }
}

static void read_marks(struct reader *reader, struct page_rows *marks)
{
    read_runs(reader, marks);
    READ_COLUMN(reader, marks, name);
    READ_COLUMN(reader, marks, which);
    READ_COLUMN(reader, marks, value);
    READ_COLUMN(reader, marks, row);
}

/* ---- sources and lanes ----------------------------------------------------------------------- */

static void read_boot(struct reader *reader, struct page_boot *boot)
{
    boot->offset_us = read_d(reader);
    boot->anchor_count = read_u(reader);
    boot->anchors = piece(reader->page, boot->anchor_count, sizeof *boot->anchors);
    for (uint64_t i = 0; i < boot->anchor_count; i++) {
        boot->anchors[i].tick = read_s(reader);
        boot->anchors[i].us = read_d(reader);
        boot->anchors[i].hz = read_d(reader);
    }
}

static void read_source(struct reader *reader, struct page_source *source)
{
    source->name = read_u(reader);
    source->frames_lost = read_u(reader);
    source->frames = read_u(reader);
    source->boot_count = read_u(reader);
    source->boots = piece(reader->page, source->boot_count, sizeof *source->boots);
    for (uint64_t i = 0; i < source->boot_count; i++)
        read_boot(reader, &source->boots[i]);
    read_bands(reader, &source->gaps);
    read_bands(reader, &source->doubts);
    struct page_rows *restarts = &source->restarts;
    restarts->count = read_u(reader);
    restarts->at = piece(reader->page, restarts->count, sizeof *restarts->at);
    for (uint64_t i = 0; i < restarts->count; i++) {
        restarts->at[i].boot = read_u(reader);
        restarts->at[i].start = read_s(reader);
    }
}

static void read_lane(struct reader *reader, struct page_lane *lane)
{
    uint64_t *const numbers[] = {&lane->source,     &lane->kind,   &lane->priority, &lane->name,
                                 &lane->process,    &lane->number, &lane->rows,     &lane->folded,
                                 &lane->spans_told, &lane->whole,  &lane->checked,  &lane->missed};
    double *const measures[] = {&lane->min_us, &lane->mean_us, &lane->p99_us, &lane->max_us};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        *numbers[i] = read_u(reader);
    for (size_t i = 0; i < sizeof measures / sizeof *measures; i++)
        *measures[i] = read_d(reader);
    lane->worst = read_u(reader);
    lane->deadline_count = read_u(reader);
    lane->deadlines_us = piece(reader->page, lane->deadline_count, sizeof *lane->deadlines_us);
    for (uint64_t i = 0; i < lane->deadline_count; i++)
        lane->deadlines_us[i] = read_d(reader);
    read_spans(reader, lane);
    read_marks(reader, &lane->marks);
    MUST(lane->spans.count == lane->spans_told && lane->worst <= lane->spans.count);
}

static void read_page(struct reader *reader)
{
    struct page *page = reader->page;
    MUST(read_u(reader) == 1);
    page->title = read_text(reader);
    page->text_count = read_u(reader);
    page->texts = piece(page, page->text_count, sizeof *page->texts);
    for (uint64_t i = 0; i < page->text_count; i++)
        page->texts[i] = read_text(reader);
    page->source_count = read_u(reader);
    page->sources = piece(page, page->source_count, sizeof *page->sources);
    for (uint64_t i = 0; i < page->source_count; i++)
        read_source(reader, &page->sources[i]);
    page->lane_count = read_u(reader);
    page->lanes = piece(page, page->lane_count, sizeof *page->lanes);
    for (uint64_t i = 0; i < page->lane_count; i++)
        read_lane(reader, &page->lanes[i]);
    MUST(reader->at == reader->end);
}

struct page *page_read(const struct page_sink *sink)
{
    struct page *page = calloc(1, sizeof *page);
    struct reader reader = {.page = page};
    size_t size;
    MUST(page != NULL);
    page->title_html = between(page, sink, "<title>", "</title>", &size);
    char *data = between(page, sink, "id=\"stave-data\">", "</script>", &size);
    unpack(&reader, data, from_base64(data, size));
    read_page(&reader);
    return page;
}

void page_free(struct page *page)
{
    for (size_t i = 0; i < page->piece_count; i++)
        free(page->pieces[i]);
    free(page->pieces);
    free(page);
}

struct page_lane *page_find_lane(const struct page *page, uint64_t kind, const char *name)
{
    for (uint64_t i = 0; i < page->lane_count; i++) {
        struct page_lane *lane = &page->lanes[i];
        MUST(lane->name < page->text_count);
        if (lane->kind == kind && strcmp(page->texts[lane->name].bytes, name) == 0)
            return lane;
    }
    return NULL;
}
