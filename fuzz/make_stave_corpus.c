/* make_stave_corpus.c - the corpus of fuzz_stave: small files, each with something of its own.
 *
 *     build/fuzz/fuzz/make_stave_corpus fuzz/corpus/stave
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mend.h"
#include "store/bytes.h"
#include "stress/traces.h"

static const char *folder;

static void put(const char *name, const void *bytes, size_t size)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    traces_put_file(path, bytes, size);
}

static void put_trace(const char *name, stave_trace *trace, uint32_t zstd_level)
{
    struct traces_bytes bytes = traces_save(trace, zstd_level);
    put(name, bytes.at, bytes.size);
    free(bytes.at);
}

/* ---- saved ----------------------------------------------------------------------------------- */

static void every_kind(void)
{
    static const char *const names[] = {
#define NAME(kind, number, text, has, may_have) text,
        STAVE_ROW_KIND_TABLE(NAME)
#undef NAME
    };
    for (uint32_t kind = 0; kind < STAVE_ROW_KINDS; kind++) {
        char name[32];
        struct traces_shape shape = {.seed = kind, .lanes = 2, .kinds = STAVE_KIND_BIT(kind)};
        stave_trace *trace = traces_make(&shape, 1, 12);
        snprintf(name, sizeof name, "saved-%s", names[kind]);
        put_trace(name, trace, 0);
        snprintf(name, sizeof name, "packed-%s", names[kind]);
        put_trace(name, trace, 9);
        stave_trace_free(trace);
    }
}

static void several_boots(void)
{
    for (uint32_t boots = 0; boots < 4; boots++) {
        char name[32];
        struct traces_shape shape = {.seed = 100 + boots, .lanes = 1 + boots};
        stave_trace *trace = traces_make(&shape, boots, 15);
        snprintf(name, sizeof name, "boots-%u", (unsigned)boots);
        put_trace(name, trace, 0);
        stave_trace_free(trace);
    }
}

/* Names of one place, of two, of one that is told twice, and of one without a file. */
static void places(void)
{
    static const stave_place rows[] = {{1, 4, 5, 1}, {2, 4, 5, 1}, {2, 4, 5, 2},
                                       {3, 4, 5, 3}, {3, 4, 6, 3}, {5, 0, 0, 4}};
    stave_trace *trace = traces_make(&(struct traces_shape){.seed = 200}, 1, 5);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        TRACES_MUST(stave__trace_place(trace, &rows[i], NULL) == STAVE_OK);
    put_trace("places", trace, 0);
    stave_trace_free(trace);
}

static void empty(void)
{
    stave_trace *trace;
    uint8_t head[STAVE__FILE_HEAD_SIZE];
    TRACES_MUST(stave_trace_new(NULL, &trace, NULL) == STAVE_OK);
    put_trace("empty", trace, 0);
    stave_trace_free(trace);
    stave__file_head_write(head);
    put("head-only", head, sizeof head);
    head[8] = 2;
    put("later-version", head, sizeof head);
}

/* ---- not as it was saved --------------------------------------------------------------------- */

static void cut_and_damaged(void)
{
    struct traces_shape shape = {.seed = 7, .lanes = 2};
    stave_trace *trace = traces_make(&shape, 2, 20);
    struct traces_bytes bytes = traces_save(trace, 0);
    for (unsigned part = 1; part <= 4; part++) {
        char name[32];
        snprintf(name, sizeof name, "cut-%u", part);
        put(name, bytes.at, bytes.size * part / 5);
        size_t at = STAVE__FILE_HEAD_SIZE + (bytes.size - STAVE__FILE_HEAD_SIZE) * part / 5;
        bytes.at[at] ^= 0x10;
        snprintf(name, sizeof name, "damaged-%u", part);
        put(name, bytes.at, bytes.size);
        bytes.at[at] ^= 0x10;
    }
    free(bytes.at);
    stave_trace_free(trace);
}

/* One byte of each block's header is set, and the checksums made right. */
static void put_changed(const char *name, const struct traces_bytes *bytes, uint32_t at,
                        uint8_t from, uint8_t to)
{
    uint8_t *copy = malloc(bytes->size);
    TRACES_MUST(copy != NULL);
    memcpy(copy, bytes->at, bytes->size);
    for (size_t i = STAVE__FILE_HEAD_SIZE; i + STAVE__HEADER_SIZE < bytes->size; i++)
        if (memcmp(copy + i, "STVB", 4) == 0 && copy[i + at] == from)
            copy[i + at] = to;
    mend(copy, bytes->size);
    put(name, copy, bytes->size);
    free(copy);
}

static void of_later_versions(void)
{
    enum { VERSION_AT = 4, KIND_AT = 5, CODEC_AT = 6, LANE_AT = 24, OPEN_AT = 64 };
    struct traces_shape shape = {.seed = 8, .lanes = 2};
    stave_trace *trace = traces_make(&shape, 1, 20);
    struct traces_bytes bytes = traces_save(trace, 0);
    put_changed("later-blocks", &bytes, VERSION_AT, 1, 2);
    put_changed("later-kind", &bytes, KIND_AT, STAVE_MARKS, 20);
    put_changed("later-codec", &bytes, CODEC_AT, 0, 7);
    put_changed("lanes-lost", &bytes, KIND_AT, STAVE__LANES, 50);
    put_changed("strings-lost", &bytes, KIND_AT, STAVE__STRINGS, 50);
    put_changed("a-lane-too-many", &bytes, LANE_AT, 1, 9);
    put_changed("open-spans-not-there", &bytes, OPEN_AT, 0, 3);
    free(bytes.at);
    stave_trace_free(trace);
}

/* ---- growing --------------------------------------------------------------------------------- */

static void put_copy(const char *name, const char *path, bool with_index)
{
    struct traces_bytes bytes = {0};
    char buffer[4096];
    size_t n;
    FILE *file = fopen(path, "rb");
    TRACES_MUST(file != NULL);
    while ((n = fread(buffer, 1, sizeof buffer, file)) > 0)
        traces_add(&bytes, buffer, n);
    fclose(file);
    put(name, bytes.at, bytes.size - (with_index ? 0 : 5));
    free(bytes.at);
}

static void published(void)
{
    struct traces_maker maker;
    stave_writer *writer;
    char path[512];
    snprintf(path, sizeof path, "%s/growing", folder);
    traces_begin(&maker, &(struct traces_shape){.seed = 9, .lanes = 2});
    TRACES_MUST(stave_writer_open(path, &writer, NULL) == STAVE_OK);
    for (unsigned round = 0; round < 4; round++) {
        traces_grow(&maker, 6);
        TRACES_MUST(stave_writer_publish(writer, maker.trace, NULL) == STAVE_OK);
        if (round == 2)
            put_copy("published", path, true);
    }
    put_copy("published-cut", path, false);
    traces_end_boot(&maker);
    TRACES_MUST(stave_writer_finish(writer, maker.trace, NULL) == STAVE_OK);
    stave_writer_close(writer);
    put_copy("finished", path, true);
    unlink(path);
    stave_trace_free(maker.trace);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: make_stave_corpus FOLDER\n");
        return 2;
    }
    folder = argv[1];
    every_kind();
    several_boots();
    places();
    empty();
    cut_and_damaged();
    of_later_versions();
    published();
    return 0;
}
