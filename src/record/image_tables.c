#include "record/image_tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/os_process.h"
#include "stave/block.h"
#include "store/header.h"

#define LANE_KIND_THREAD 3 /* of stave_lane_kind, as docs/format.md has it */
#define TEXTS_A_BLOCK 4096u
#define TEXT_BYTES_A_BLOCK ((size_t)2 * 1024 * 1024)

/* ---- the file -------------------------------------------------------------------------------- */

static void put(struct stave__image_file *file, size_t size)
{
    if (file->status >= 0)
        file->status = stave__writer_put(&file->writer, file->block, size, file->error);
}

int stave__image_file_open(struct stave__image_file *file, stave_sink sink, stave_error *error)
{
    *file = (struct stave__image_file){
        .error = error,
        .block = malloc(STAVE__IMAGE_BLOCK_SIZE),
        .values = malloc(STAVE__IMAGE_VALUES * sizeof *file->values),
        .strings = stave__os_reserve(STAVE__NAMES_MAX * sizeof *file->strings),
        .texts = malloc(TEXT_BYTES_A_BLOCK),
        .sizes = malloc(TEXTS_A_BLOCK * sizeof *file->sizes),
        .now = stave__clock_moment(&stave__recorder.clock),
    };
    if (file->block == NULL || file->values == NULL || file->strings == NULL ||
        file->texts == NULL || file->sizes == NULL)
        return file->status = stave__fail_memory(error);
    file->status = stave__writer_begin(&file->writer, sink, error);
    stave__image_text(file, "", 0); /* string 0 */
    return file->status;
}

int stave__image_file_close(struct stave__image_file *file)
{
    if (file->status >= 0)
        file->status = stave__writer_finish(&file->writer, file->error);
    stave__writer_free(&file->writer);
    free(file->block);
    free(file->values);
    free(file->texts);
    free(file->sizes);
    if (file->strings != NULL)
        stave__os_unmap(file->strings, STAVE__NAMES_MAX * sizeof *file->strings);
    return file->status;
}

/* ---- tables, column by column ---------------------------------------------------------------- */

struct table {
    struct stave__image_file *file;
    struct stave__header header;
    uint8_t *at;
};

static struct table table_begin(struct stave__image_file *file, enum stave__table_kind kind,
                                uint32_t first, uint32_t rows)
{
    return (struct table){.file = file,
                          .header = {.kind = kind, .rows = rows, .first = first},
                          .at = file->block + STAVE__HEADER_SIZE};
}

static void column(struct table *table, uint32_t number)
{
    table->at = stave__column_put(table->at, number, STAVE__PLAIN, table->file->values,
                                  (uint32_t)table->header.rows, NULL);
}

/* One that is the same in all rows. */
static void column_of(struct table *table, uint32_t number, uint64_t value)
{
    for (uint64_t i = 0; i < table->header.rows; i++)
        table->file->values[i] = value;
    column(table, number);
}

static void table_end(struct table *table)
{
    size_t body = (size_t)(table->at - table->file->block) - STAVE__HEADER_SIZE;
    put(table->file, stave__header_seal(&table->header, table->file->block, body));
}

/* ---- texts ----------------------------------------------------------------------------------- */

void stave__image_texts(struct stave__image_file *file)
{
    if (file->strings_new == 0)
        return;
    struct table table = table_begin(file, STAVE__STRINGS, file->strings_put, file->strings_new);
    memcpy(file->values, file->sizes, file->strings_new * sizeof *file->sizes);
    column(&table, 0);
    table.at = stave__column_put_bytes(table.at, 1, file->texts, (uint32_t)file->texts_used);
    table_end(&table);
    file->strings_put += file->strings_new;
    file->strings_new = 0;
    file->texts_used = 0;
}

uint32_t stave__image_text(struct stave__image_file *file, const char *text, size_t size)
{
    if (file->strings_new == TEXTS_A_BLOCK || file->texts_used + size > TEXT_BYTES_A_BLOCK)
        stave__image_texts(file);
    if (size > 0)
        memcpy(file->texts + file->texts_used, text, size);
    file->texts_used += size;
    file->sizes[file->strings_new] = size;
    return file->strings_put + file->strings_new++;
}

/* A text that is told again and again: as a name, so that it is in the file once. */
static uint32_t key_of(struct stave__image_file *file, const char *text)
{
    uint32_t id = stave__dictionary_add(&stave__recorder.names, text, strlen(text));
    return id != STAVE__NO_ID ? stave__image_name(file, id) : 0;
}

uint32_t stave__image_name(struct stave__image_file *file, uint32_t name)
{
    size_t size;
    if (name == 0 || file->strings[name] != 0)
        return file->strings[name];
    const char *text = stave__dictionary_text(&stave__recorder.names, name, &size);
    file->strings[name] = stave__image_text(file, text, size);
    return file->strings[name];
}

uint16_t stave__image_doubt(uint32_t name)
{
    size_t size;
    const char *text = stave__dictionary_text(&stave__recorder.names, name, &size);
    return text != NULL && stave__recorder.names.names[name].is_cut ? STAVE_FLAG_TRUNCATED : 0;
}

/* ---- lanes and clock ------------------------------------------------------------------------- */

static void put_process(struct stave__image_file *file)
{
    struct table table = table_begin(file, STAVE__PROCESSES, 0, 1);
    column_of(&table, 0, 0);
    column_of(&table, 1, stave__os_process_number());
    table_end(&table);
}

static void put_lanes(struct stave__image_file *file, uint32_t first, uint32_t count,
                      const uint32_t *names)
{
    const struct stave__lane *lanes = stave__recorder.lanes + first;
    struct table table = table_begin(file, STAVE__LANES, first, count);
    for (uint32_t i = 0; i < count; i++)
        file->values[i] = names[i];
    column(&table, 0);
    column_of(&table, 1, LANE_KIND_THREAD);
    for (uint32_t number = 2; number <= 4; number++) /* priority, deadline */
        column_of(&table, number, 0);
    column_of(&table, 5, 1); /* the process, plus 1 */
    for (uint32_t i = 0; i < count; i++)
        file->values[i] = __atomic_load_n(&lanes[i].number, __ATOMIC_RELAXED);
    column(&table, 6);
    table_end(&table);
}

static void put_new_lanes(struct stave__image_file *file, uint32_t lanes)
{
    uint32_t first = file->lanes_put, count = lanes - first;
    uint32_t *names = malloc(((size_t)count + 1) * sizeof *names);
    if (names == NULL) {
        file->status = stave__fail_memory(file->error);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t name = __atomic_load_n(&stave__recorder.lanes[first + i].name, __ATOMIC_ACQUIRE);
        names[i] = stave__image_name(file, name != STAVE__NO_ID ? name : 0);
    }
    stave__image_texts(file);
    if (count > 0)
        put_lanes(file, first, count, names);
    file->lanes_put = lanes;
    free(names);
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void put_boot(struct stave__image_file *file)
{
    const struct stave__clock *clock = &stave__recorder.clock;
    struct table table = table_begin(file, STAVE__BOOTS, 0, 1);
    for (uint32_t number = 0; number <= 3; number++)
        column_of(&table, number, 0);
    table_end(&table);
    table = table_begin(file, STAVE__ANCHORS, 0, 1);
    for (uint32_t number = 0; number <= 2; number++) /* boot, tick, us */
        column_of(&table, number, 0);
    column_of(&table, 3, bits_of(stave__clock_rate(clock, &file->now)));
    column_of(&table, 4, (uint64_t)clock->start.realtime_ns);
    column_of(&table, 5, 0);
    table_end(&table);
}

/* What was counted, as properties record.NAME. */
static void put_counts(struct stave__image_file *file)
{
    stave_counts counts;
    uint32_t rows = 0;
    uint32_t keys[sizeof counts / sizeof(uint64_t)];
    uint64_t numbers[sizeof counts / sizeof(uint64_t)];
    stave_get_counts(&counts);
#define PUT_COUNT(name, text)                                                                      \
    keys[rows] = key_of(file, "record." #name);                                                    \
    numbers[rows++] = counts.name;
    STAVE_RECORD_COUNTERS(PUT_COUNT)
#undef PUT_COUNT
    stave__image_texts(file);
    struct table table = table_begin(file, STAVE__PROPERTIES, 0, rows);
    for (uint32_t i = 0; i < rows; i++)
        file->values[i] = keys[i];
    column(&table, 0);
    column_of(&table, 1, 0);
    memcpy(file->values, numbers, rows * sizeof *numbers);
    column(&table, 2);
    table_end(&table);
}

void stave__image_tables(struct stave__image_file *file, uint32_t lanes)
{
    file->now = stave__clock_moment(&stave__recorder.clock);
    if (!file->process_put)
        put_process(file);
    file->process_put = true;
    put_new_lanes(file, lanes);
    put_boot(file);
    put_counts(file);
}
