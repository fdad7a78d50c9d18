#include "trace/blocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/os.h"
#include "store/column.h"

#define DEFAULT_CACHE_BYTES ((uint64_t)32 * 1024 * 1024)
#define FIRST_CAPACITY 16u
#define LAST_CAPACITY 1024u

void stave__blocks_init(struct stave__blocks *blocks, uint64_t cache_bytes,
                        const char *temporary_dir)
{
    *blocks = (struct stave__blocks){
        .entries = {.row_size = sizeof(struct stave__entry)},
        .damages = {.row_size = sizeof(stave_damage)},
        .next_order = 1,
        .cache_bytes = cache_bytes != 0 ? cache_bytes : DEFAULT_CACHE_BYTES,
        .temporary_dir = temporary_dir,
        .file_fd = -1,
        .spill_fd = -1,
    };
}

static void drop_data(struct stave__entry *entry)
{
    free(entry->data);
    free(entry->open);
    entry->data = NULL;
    entry->open = NULL;
}

void stave__blocks_free(struct stave__blocks *blocks)
{
    for (uint32_t i = 0; i < blocks->entries.rows; i++)
        drop_data(stave__entry_at(blocks, i));
    stave__table_free(&blocks->entries);
    stave__table_free(&blocks->damages);
    stave__os_close(blocks->spill_fd);
    stave__os_close(blocks->file_fd);
    free(blocks->bytes);
    free(blocks->numbers);
}

int stave__blocks_damage(struct stave__blocks *blocks, const stave_damage *damage,
                         stave_error *error)
{
    stave_damage *row = stave__table_add(&blocks->damages);
    if (row == NULL)
        return stave__fail_memory(error);
    *row = *damage;
    return STAVE_OK;
}

union stave__columns stave__entry_columns(const struct stave__entry *entry)
{
    union stave__columns columns;
    stave__columns_lay_out(&columns, entry->columns, entry->capacity, entry->data);
    return columns;
}

/* A column from a row on; NULL stays NULL. */
#define FROM(column) ((column) != NULL ? (column) + from : NULL)

void stave__entry_show(const struct stave__entry *entry, uint32_t from, stave_block *block)
{
    union stave__columns columns = stave__entry_columns(entry);
    *block = (stave_block){.kind = entry->kind,
                           .lane = entry->lane,
                           .boot = entry->boot,
                           .rows = entry->rows - from,
                           .first = entry->first,
                           .last = entry->last,
                           .open = entry->open,
                           .open_count = entry->open_count,
                           .begun = entry->begun,
#define SHOW(name, number, member, type) .member = FROM(columns.member),
                           STAVE_COLUMN_TABLE(SHOW)
#undef SHOW
    };
}

size_t stave__entry_bytes(const struct stave__entry *entry)
{
    return stave__columns_size(entry->columns, entry->capacity) +
           entry->open_count * sizeof *entry->open;
}

/* ---- the list of blocks that may be dropped from memory, oldest use first -------------------- */

static void list_add(struct stave__blocks *blocks, struct stave__entry *entry)
{
    entry->older = blocks->newest;
    entry->newer = NULL;
    *(blocks->newest != NULL ? &blocks->newest->newer : &blocks->oldest) = entry;
    blocks->newest = entry;
    blocks->resident += stave__entry_bytes(entry);
}

static void list_remove(struct stave__blocks *blocks, struct stave__entry *entry)
{
    *(entry->older != NULL ? &entry->older->newer : &blocks->oldest) = entry->newer;
    *(entry->newer != NULL ? &entry->newer->older : &blocks->newest) = entry->older;
    blocks->resident -= stave__entry_bytes(entry);
}

/* Keeps what may be dropped within its budget. Once the disk has refused, it is not asked again. */
static void shrink(struct stave__blocks *blocks)
{
    struct stave__entry *entry;
    while ((entry = blocks->oldest) != NULL && blocks->resident > blocks->cache_bytes) {
        if (entry->stored_size == 0) {
            if (blocks->spill_failed || stave__entry_store(blocks, entry, NULL) < 0) {
                blocks->spill_failed = true;
                return;
            }
        }
        list_remove(blocks, entry);
        drop_data(entry);
    }
}

int stave__blocks_pin(struct stave__blocks *blocks, struct stave__entry *entry, stave_error *error)
{
    if (entry->damaged)
        return 0;
    if (entry->data == NULL) {
        int status = stave__entry_load(blocks, entry, error);
        if (status <= 0)
            return status;
    } else if (entry->sealed && entry->pins == 0) {
        list_remove(blocks, entry);
    }
    entry->pins++;
    return 1;
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
        .mask = stave__kind_has[kind],
        .kind = kind,
        .lane = lane,
        .boot = boot,
        .capacity = FIRST_CAPACITY,
        .last = STAVE__NO_BLOCK,
    };
}

/* What the producer has open stays with the block. */
static int note_open(struct stave__entry *entry, const struct stave__stack *stack,
                     stave_error *error)
{
    if (stack == NULL || stack->count == 0 || entry->open != NULL)
        return STAVE_OK;
    uint32_t count = stack->count < STAVE__COLUMN_ROWS_MAX ? stack->count : STAVE__COLUMN_ROWS_MAX;
    entry->open = malloc(count * sizeof *entry->open);
    if (entry->open == NULL)
        return stave__fail_memory(error);
    memcpy(entry->open, stack->spans, count * sizeof *entry->open);
    entry->open_count = count;
    return STAVE_OK;
}

/* Room to put a block on disk is made while it can still be refused, not when memory is to be freed. */
static int reserve_bytes(struct stave__blocks *blocks, uint32_t rows, uint32_t open_count,
                         stave_error *error)
{
    stave_block block = {.rows = rows, .open_count = open_count};
    return stave__blocks_reserve_for(blocks, &block, error);
}

/* Blocks grow with their lane, and with its depth, so that the open spans that each carries are not
 * more than its rows. */
static void choose_next_capacity(struct stave__appender *appender)
{
    uint32_t capacity = appender->capacity;
    if (capacity < LAST_CAPACITY)
        capacity *= 4;
    if (appender->stack != NULL && appender->stack->count > capacity)
        capacity = appender->stack->count;
    appender->capacity = capacity < STAVE__BLOCK_ROWS_MAX ? capacity : STAVE__BLOCK_ROWS_MAX;
}

static int begin_block(struct stave__appender *appender, stave_error *error)
{
    struct stave__blocks *blocks = appender->blocks;
    int status = reserve_bytes(blocks, appender->capacity, 0, error);
    if (status < 0)
        return status;
    void *data = malloc(stave__columns_size(appender->mask, appender->capacity));
    struct stave__entry *entry = data != NULL ? stave__table_add(&blocks->entries) : NULL;
    if (entry == NULL) {
        free(data);
        return stave__fail_memory(error);
    }
    *entry = (struct stave__entry){
        .kind = (uint8_t)appender->kind,
        .columns = appender->mask,
        .lane = appender->lane,
        .boot = appender->boot,
        .capacity = appender->capacity,
        .previous = appender->last,
        .first = INT64_MAX,
        .last = INT64_MIN,
        .first_order = blocks->next_order,
        .begun = appender->stack != NULL ? appender->stack->begun : 0,
        .data = data,
    };
    appender->open = entry;
    appender->columns = stave__entry_columns(entry);
    appender->last = blocks->entries.rows - 1;
    choose_next_capacity(appender);
    return STAVE_OK;
}

/* Whether spans have begun since the last block that no row will tell of. */
static bool has_untold_spans(const struct stave__appender *appender)
{
    const struct stave__stack *stack = appender->stack;
    if (stack == NULL || stack->count == 0)
        return false;
    if (appender->last == STAVE__NO_BLOCK)
        return true;
    const struct stave__entry *last = stave__entry_at(appender->blocks, appender->last);
    return stack->count != last->open_count || stack->begun != appender->told;
}

int stave__appender_seal(struct stave__appender *appender, stave_error *error)
{
    int status = STAVE_OK;
    if (appender->open == NULL) {
        if (!has_untold_spans(appender))
            return STAVE_OK;
        status = begin_block(appender, error);
        if (status < 0)
            return status;
    }
    struct stave__entry *entry = appender->open;
    status = note_open(entry, appender->stack, error);
    if (status >= 0 && entry->open_count > 0)
        status = reserve_bytes(appender->blocks, entry->rows, entry->open_count, error);
    if (status < 0)
        return status;
    appender->open = NULL;
    appender->rows += entry->rows;
    entry->sealed = true;
    if (entry->rows == 0)
        entry->first = entry->last = entry->open[entry->open_count - 1].start;
    if (appender->stack != NULL)
        appender->told = appender->stack->begun;
    if (entry->pins > 0)
        return STAVE_OK;
    list_add(appender->blocks, entry);
    shrink(appender->blocks);
    return STAVE_OK;
}

void stave__appender_move(struct stave__appender *appender, uint32_t lane)
{
    appender->lane = lane;
    for (uint32_t i = appender->last; i != STAVE__NO_BLOCK;) {
        struct stave__entry *entry = stave__entry_at(appender->blocks, i);
        entry->lane = lane;
        i = entry->previous;
    }
}

int stave__appender_grow(struct stave__appender *appender, stave_error *error)
{
    int status = appender->open != NULL ? stave__appender_seal(appender, error) : STAVE_OK;
    return status < 0 ? status : begin_block(appender, error);
}

int stave__append_row(struct stave__appender *appender, const struct stave__row *row,
                      stave_error *error)
{
    int i = stave__append(appender, row->start, row->flags, error);
    if (i < 0)
        return i;
    uint64_t order = appender->columns.order[i];
#define PUT(name, number, member, type)                                                            \
    if (appender->columns.member != NULL)                                                          \
        appender->columns.member[i] = row->member;                                                 \
    else                                                                                           \
        assert(row->member == 0);
    STAVE_COLUMN_TABLE(PUT)
#undef PUT
    appender->columns.order[i] = order;
    stave__append_done(appender, appender->columns.end != NULL ? row->end : row->start);
    return STAVE_OK;
}
