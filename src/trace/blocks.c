#include "trace/blocks.h"

#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/os.h"

#define DEFAULT_CACHE_BYTES ((uint64_t)32 * 1024 * 1024)
#define FIRST_CAPACITY 16u
#define LAST_CAPACITY 1024u

static const uint32_t kind_columns[STAVE_ROW_KINDS] = {
#define KIND_COLUMNS(name, columns) [name] = (columns),
    STAVE_ROW_KIND_TABLE(KIND_COLUMNS)
#undef KIND_COLUMNS
};

void stave__blocks_init(struct stave__blocks *blocks, uint64_t cache_bytes,
                        const char *temporary_dir)
{
    *blocks = (struct stave__blocks){
        .entries = {.row_size = sizeof(struct stave__entry)},
        .next_order = 1,
        .cache_bytes = cache_bytes != 0 ? cache_bytes : DEFAULT_CACHE_BYTES,
        .temporary_dir = temporary_dir,
        .spill_fd = -1,
    };
}

static struct stave__entry *entry_at(const struct stave__blocks *blocks, uint32_t index)
{
    return stave__table_at(&blocks->entries, index);
}

void stave__blocks_free(struct stave__blocks *blocks)
{
    for (uint32_t i = 0; i < blocks->entries.rows; i++)
        free(entry_at(blocks, i)->data);
    stave__table_free(&blocks->entries);
    stave__os_close(blocks->spill_fd);
}

/* ---- the layout of a block's data: columns one after another, widest first ------------------- */

/* A column's place, or NULL when the kind has none; `size` moves past it. */
static void *column(char *data, size_t *size, bool present, uint32_t capacity, size_t width)
{
    if (!present)
        return NULL;
    size_t at = *size;
    *size += capacity * width;
    return data != NULL ? data + at : NULL;
}

static struct stave__columns lay_out(uint32_t kind, uint32_t capacity, void *data, size_t *size)
{
    uint32_t has = kind_columns[kind];
    struct stave__columns c;
    *size = 0;
    c.start = column(data, size, true, capacity, sizeof *c.start);
    c.order = column(data, size, true, capacity, sizeof *c.order);
    c.end = column(data, size, has & STAVE_COLUMN_END, capacity, sizeof *c.end);
    c.serial = column(data, size, has & STAVE_COLUMN_SERIAL, capacity, sizeof *c.serial);
    c.value = column(data, size, has & STAVE_COLUMN_VALUE, capacity, sizeof *c.value);
    c.name = column(data, size, has & STAVE_COLUMN_NAME, capacity, sizeof *c.name);
    c.flags = column(data, size, true, capacity, sizeof *c.flags);
    return c;
}

struct stave__columns stave__entry_columns(const struct stave__entry *entry)
{
    size_t size;
    return lay_out(entry->kind, entry->capacity, entry->data, &size);
}

static size_t data_size(const struct stave__entry *entry)
{
    size_t size;
    lay_out(entry->kind, entry->capacity, NULL, &size);
    return size;
}

/* ---- the list of blocks that may be dropped from memory, oldest use first -------------------- */

static void list_add(struct stave__blocks *blocks, struct stave__entry *entry)
{
    entry->older = blocks->newest;
    entry->newer = NULL;
    *(blocks->newest != NULL ? &blocks->newest->newer : &blocks->oldest) = entry;
    blocks->newest = entry;
    blocks->resident += data_size(entry);
}

static void list_remove(struct stave__blocks *blocks, struct stave__entry *entry)
{
    *(entry->older != NULL ? &entry->older->newer : &blocks->oldest) = entry->newer;
    *(entry->newer != NULL ? &entry->newer->older : &blocks->newest) = entry->older;
    blocks->resident -= data_size(entry);
}

/* False when the disk refuses: the block then stays in memory (invariant 5). */
static bool store(struct stave__blocks *blocks, struct stave__entry *entry)
{
    if (entry->stored_at != 0)
        return true;
    if (blocks->spill_failed)
        return false;
    size_t size = data_size(entry);
    if ((blocks->spill_fd < 0 &&
         stave__os_temporary(blocks->temporary_dir, &blocks->spill_fd, NULL) < 0) ||
        stave__os_write_at(blocks->spill_fd, entry->data, size, blocks->spill_size, NULL) < 0) {
        blocks->spill_failed = true;
        return false;
    }
    entry->stored_at = blocks->spill_size + 1;
    blocks->spill_size += size;
    return true;
}

/* Keeps what may be dropped within its budget. */
static void shrink(struct stave__blocks *blocks)
{
    struct stave__entry *entry;
    while ((entry = blocks->oldest) != NULL && blocks->resident > blocks->cache_bytes &&
           store(blocks, entry)) {
        list_remove(blocks, entry);
        free(entry->data);
        entry->data = NULL;
    }
}

int stave__blocks_pin(struct stave__blocks *blocks, struct stave__entry *entry, stave_error *error)
{
    if (entry->data == NULL) {
        size_t size = data_size(entry);
        void *data = malloc(size);
        if (data == NULL)
            return stave__fail_memory(error);
        int status = stave__os_read_at(blocks->spill_fd, data, size, entry->stored_at - 1, error);
        if (status < 0) {
            free(data);
            return status;
        }
        entry->data = data;
    } else if (entry->sealed && entry->pins == 0) {
        list_remove(blocks, entry);
    }
    entry->pins++;
    return STAVE_OK;
}

void stave__blocks_unpin(struct stave__blocks *blocks, struct stave__entry *entry)
{
    assert(entry->pins > 0);
    entry->pins--;
    if (entry->pins > 0 || !entry->sealed)
        return;
    list_add(blocks, entry);
    shrink(blocks);
}

/* ---- appending ------------------------------------------------------------------------------- */

void stave__appender_init(struct stave__appender *appender, struct stave__blocks *blocks,
                          uint32_t kind, uint32_t lane, uint32_t boot)
{
    *appender = (struct stave__appender){
        .blocks = blocks,
        .kind = kind,
        .lane = lane,
        .boot = boot,
        .capacity = FIRST_CAPACITY,
        .last = STAVE__NO_BLOCK,
    };
}

void stave__appender_seal(struct stave__appender *appender)
{
    struct stave__entry *entry = appender->open;
    if (entry == NULL)
        return;
    appender->open = NULL;
    appender->rows += entry->rows;
    entry->sealed = true;
    if (entry->pins > 0)
        return;
    list_add(appender->blocks, entry);
    shrink(appender->blocks);
}

void stave__appender_move(struct stave__appender *appender, uint32_t lane)
{
    appender->lane = lane;
    for (uint32_t i = appender->last; i != STAVE__NO_BLOCK;) {
        struct stave__entry *entry = entry_at(appender->blocks, i);
        entry->lane = lane;
        i = entry->previous;
    }
}

int stave__appender_grow(struct stave__appender *appender, stave_error *error)
{
    struct stave__blocks *blocks = appender->blocks;
    stave__appender_seal(appender);

    size_t size;
    lay_out(appender->kind, appender->capacity, NULL, &size);
    void *data = malloc(size);
    struct stave__entry *entry = data != NULL ? stave__table_add(&blocks->entries) : NULL;
    if (entry == NULL) {
        free(data);
        return stave__fail_memory(error);
    }
    *entry = (struct stave__entry){
        .kind = appender->kind,
        .lane = appender->lane,
        .boot = appender->boot,
        .capacity = appender->capacity,
        .previous = appender->last,
        .first = INT64_MAX,
        .last = INT64_MIN,
        .first_order = blocks->next_order,
        .data = data,
    };
    appender->open = entry;
    appender->columns = stave__entry_columns(entry);
    appender->last = blocks->entries.rows - 1;
    if (appender->capacity < LAST_CAPACITY)
        appender->capacity *= 4;
    return STAVE_OK;
}
