#include "export/sorter.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/os.h"

#define FIRST_ROOM ((size_t)64)
#define RUN_BYTES ((size_t)64 * 1024) /* of a run are in memory */
#define FEW 48  /* records, or digits, for which counting takes longer than it saves */
#define SOON 12 /* records */
#define DIGIT_BITS 11
#define DIGITS (1u << DIGIT_BITS)

/* Records in order, in the temporary file; or in memory, the last ones. */
struct stave__run {
    uint64_t offset, left; /* in the file: where the next ones are, records */
    char *buffer;          /* NULL: in memory */
    size_t at, count;      /* in the buffer */
    const char *record;    /* the next */
};

static uint64_t key_of(const void *record)
{
    uint64_t key;
    memcpy(&key, record, sizeof key);
    return key;
}

static int compare_records(const struct stave__sorter *sorter, const void *a, const void *b)
{
    uint64_t x = key_of(a), y = key_of(b);
    return x != y ? (x < y ? -1 : 1) : sorter->compare(a, b);
}

static char *record_at(const struct stave__sorter *sorter, uint64_t at)
{
    return sorter->records + at * sorter->record_size;
}

/* ---- in memory ------------------------------------------------------------------------------- */

static int compare_sorted(const struct stave__sorter *sorter, const struct stave__sorted *a,
                          const struct stave__sorted *b)
{
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return sorter->compare(record_at(sorter, a->at), record_at(sorter, b->at));
}

static void insertion_sort(const struct stave__sorter *sorter, struct stave__sorted *order,
                           size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct stave__sorted moved = order[i];
        size_t to = i;
        for (; to > 0 && compare_sorted(sorter, &moved, &order[to - 1]) < 0; to--)
            order[to] = order[to - 1];
        order[to] = moved;
    }
}

/* Down the heap whose greatest is first. */
static void sift(const struct stave__sorter *sorter, struct stave__sorted *order, size_t at,
                 size_t count)
{
    struct stave__sorted moved = order[at];
    for (size_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && compare_sorted(sorter, &order[child], &order[child + 1]) < 0)
            child++;
        if (compare_sorted(sorter, &moved, &order[child]) >= 0)
            break;
        order[at] = order[child];
        at = child;
    }
    order[at] = moved;
}

static void heap_sort(const struct stave__sorter *sorter, struct stave__sorted *order, size_t count)
{
    for (size_t i = count / 2; i-- > 0;)
        sift(sorter, order, i, count);
    for (size_t i = count; i-- > 1;) {
        struct stave__sorted most = order[0];
        order[0] = order[i];
        order[i] = most;
        sift(sorter, order, 0, i);
    }
}

/* By one digit of the keys, those that are equal in it as they were. */
static void sort_digit(struct stave__sorter *sorter, unsigned shift, uint64_t least)
{
    size_t places[DIGITS] = {0}, at = 0;
    for (size_t i = 0; i < sorter->used; i++)
        places[(sorter->order[i].key - least) >> shift & (DIGITS - 1)]++;
    for (size_t digit = 0; digit < DIGITS; digit++) {
        size_t count = places[digit];
        places[digit] = at;
        at += count;
    }
    for (size_t i = 0; i < sorter->used; i++)
        sorter->unused[places[(sorter->order[i].key - least) >> shift & (DIGITS - 1)]++] =
            sorter->order[i];
    struct stave__sorted *swap = sorter->order;
    sorter->order = sorter->unused;
    sorter->unused = swap;
}

/* Those of one key, once the keys are in order. */
static void sort_equals(const struct stave__sorter *sorter)
{
    for (size_t from = 0, end; from < sorter->used; from = end) {
        end = from + 1;
        while (end < sorter->used && sorter->order[end].key == sorter->order[from].key)
            end++;
        if (end - from <= FEW)
            insertion_sort(sorter, sorter->order + from, end - from);
        else
            heap_sort(sorter, sorter->order + from, end - from);
    }
}

static bool make_order(struct stave__sorter *sorter)
{
    if (sorter->order_room < sorter->used) {
        free(sorter->order);
        free(sorter->unused);
        sorter->order = malloc(sorter->room * sizeof *sorter->order);
        sorter->unused = malloc(sorter->room * sizeof *sorter->unused);
        sorter->order_room = sorter->room;
        if (sorter->order == NULL || sorter->unused == NULL) {
            sorter->order_room = 0;
            return false;
        }
    }
    for (size_t i = 0; i < sorter->used; i++)
        sorter->order[i] = (struct stave__sorted){key_of(record_at(sorter, i)), i};
    return true;
}

static int sort_memory(struct stave__sorter *sorter, stave_error *error)
{
    uint64_t least = UINT64_MAX, most = 0;
    bool ascends = true;
    if (!make_order(sorter))
        return stave__fail_memory(error);
    for (size_t i = 0; i < sorter->used; i++) {
        uint64_t key = sorter->order[i].key;
        ascends = ascends && (i == 0 || key >= sorter->order[i - 1].key);
        least = key < least ? key : least;
        most = key > most ? key : most;
    }
    if (sorter->used <= FEW) {
        insertion_sort(sorter, sorter->order, sorter->used);
        return STAVE_OK;
    }
    for (unsigned shift = 0; !ascends && shift < 64 && (most - least) >> shift != 0;
         shift += DIGIT_BITS)
        sort_digit(sorter, shift, least);
    sort_equals(sorter);
    return STAVE_OK;
}

/* ---- runs ------------------------------------------------------------------------------------ */

static struct stave__run *add_run(struct stave__sorter *sorter)
{
    if (sorter->runs_count == sorter->runs_room) {
        size_t room = sorter->runs_room != 0 ? 2 * sorter->runs_room : 8;
        struct stave__run *larger = realloc(sorter->runs, room * sizeof *larger);
        if (larger == NULL)
            return NULL;
        sorter->runs = larger;
        sorter->runs_room = room;
    }
    struct stave__run *run = &sorter->runs[sorter->runs_count++];
    *run = (struct stave__run){0};
    return run;
}

static int write_records(struct stave__sorter *sorter, stave_error *error)
{
    size_t size = sorter->record_size, filled = 0;
    char *bytes = malloc(RUN_BYTES + size);
    int status = bytes != NULL ? STAVE_OK : stave__fail_memory(error);
    for (size_t i = 0; i < sorter->used && status >= 0; i++) {
        memcpy(bytes + filled, record_at(sorter, sorter->order[i].at), size);
        filled += size;
        if (filled < RUN_BYTES && i + 1 < sorter->used)
            continue;
        status = stave__os_write_at(sorter->fd_plus_1 - 1, bytes, filled, sorter->file_size, error);
        sorter->file_size += filled;
        filled = 0;
    }
    free(bytes);
    return status;
}

/* What is in memory becomes a run in the file. */
static int spill(struct stave__sorter *sorter, stave_error *error)
{
    int fd, status = sort_memory(sorter, error);
    if (status >= 0 && sorter->fd_plus_1 == 0) {
        status = stave__os_temporary(sorter->temporary_dir, &fd, error);
        sorter->fd_plus_1 = status >= 0 ? fd + 1 : 0;
    }
    if (status < 0)
        return status;
    struct stave__run *run = add_run(sorter);
    if (run == NULL)
        return stave__fail_memory(error);
    run->offset = sorter->file_size;
    run->left = sorter->used;
    status = write_records(sorter, error);
    sorter->used = 0;
    return status;
}

static int grow(struct stave__sorter *sorter, stave_error *error)
{
    size_t budget = sorter->budget != 0 ? sorter->budget : STAVE__SORTER_BUDGET;
    size_t most = budget / sorter->record_size;
    size_t room = sorter->room != 0 ? 2 * sorter->room : FIRST_ROOM;
    if (room > most)
        room = most > FIRST_ROOM ? most : FIRST_ROOM;
    if (room <= sorter->room)
        return spill(sorter, error);
    char *larger = realloc(sorter->records, room * sorter->record_size);
    if (larger == NULL)
        return stave__fail_memory(error);
    sorter->records = larger;
    sorter->room = room;
    return STAVE_OK;
}

void *stave__sorter_add(struct stave__sorter *sorter, stave_error *error)
{
    if (sorter->used == sorter->room && sorter->status >= 0)
        sorter->status = grow(sorter, error);
    if (sorter->status < 0)
        return NULL;
    sorter->count++;
    return record_at(sorter, sorter->used++);
}

/* ---- merging --------------------------------------------------------------------------------- */

/* Of those in memory. One that comes soon is fetched: they are not where the one before is. */
static const void *next_in_memory(struct stave__sorter *sorter)
{
    if (sorter->next == sorter->used)
        return NULL;
    size_t soon = sorter->next + SOON < sorter->used ? sorter->next + SOON : sorter->used - 1;
    __builtin_prefetch(record_at(sorter, sorter->order[soon].at));
    return record_at(sorter, sorter->order[sorter->next++].at);
}

/* The next record of a run; false when it has none, or reading failed. */
static bool advance(struct stave__sorter *sorter, struct stave__run *run, stave_error *error)
{
    if (run->buffer == NULL) {
        run->record = next_in_memory(sorter);
        return run->record != NULL;
    }
    if (run->at == run->count) {
        uint64_t most = RUN_BYTES / sorter->record_size;
        uint64_t count = run->left < most ? run->left : most;
        if (count == 0)
            return false;
        size_t size = (size_t)count * sorter->record_size;
        sorter->status =
            stave__os_read_at(sorter->fd_plus_1 - 1, run->buffer, size, run->offset, error);
        if (sorter->status < 0)
            return false;
        run->offset += size;
        run->left -= count;
        run->at = 0;
        run->count = (size_t)count;
    }
    run->record = run->buffer + run->at++ * sorter->record_size;
    return true;
}

/* The run at the heap's place `at` goes down to where it belongs. */
static void settle(struct stave__sorter *sorter, size_t at)
{
    struct stave__run *run = sorter->heap[at];
    for (size_t child = 2 * at + 1; child < sorter->heap_count; child = 2 * at + 1) {
        if (child + 1 < sorter->heap_count &&
            compare_records(sorter, sorter->heap[child + 1]->record, sorter->heap[child]->record) <
                0)
            child++;
        if (compare_records(sorter, run->record, sorter->heap[child]->record) <= 0)
            break;
        sorter->heap[at] = sorter->heap[child];
        at = child;
    }
    sorter->heap[at] = run;
}

static int begin_merge(struct stave__sorter *sorter, stave_error *error)
{
    if (sorter->used > 0 && add_run(sorter) == NULL) /* those in memory */
        return stave__fail_memory(error);
    sorter->heap = malloc(sorter->runs_count * sizeof(struct stave__run *));
    if (sorter->heap == NULL)
        return stave__fail_memory(error);
    for (size_t i = 0; i < sorter->runs_count; i++) {
        struct stave__run *run = &sorter->runs[i];
        if (run->left > 0) {
            run->buffer = malloc(RUN_BYTES);
            if (run->buffer == NULL)
                return stave__fail_memory(error);
        }
        if (advance(sorter, run, error))
            sorter->heap[sorter->heap_count++] = run;
    }
    for (size_t i = sorter->heap_count / 2; i-- > 0;)
        settle(sorter, i);
    return sorter->status;
}

int stave__sorter_finish(struct stave__sorter *sorter, stave_error *error)
{
    assert(sorter->record_size >= sizeof(uint64_t) && sorter->record_size <= RUN_BYTES);
    if (sorter->status >= 0)
        sorter->status = sort_memory(sorter, error);
    if (sorter->status >= 0 && sorter->runs_count > 0)
        sorter->status = begin_merge(sorter, error);
    return sorter->status;
}

/* The run whose record was handed out goes on. */
static void pass_first(struct stave__sorter *sorter, stave_error *error)
{
    if (!advance(sorter, sorter->heap[0], error))
        sorter->heap[0] = sorter->heap[--sorter->heap_count];
    if (sorter->heap_count > 1 && sorter->status >= 0)
        settle(sorter, 0);
}

const void *stave__sorter_next(struct stave__sorter *sorter, stave_error *error)
{
    if (sorter->runs_count == 0)
        return sorter->status >= 0 ? next_in_memory(sorter) : NULL;
    if (sorter->handed_out && sorter->heap_count > 0)
        pass_first(sorter, error);
    sorter->handed_out = true;
    return sorter->heap_count > 0 && sorter->status >= 0 ? sorter->heap[0]->record : NULL;
}

void stave__sorter_clear(struct stave__sorter *sorter)
{
    for (size_t i = 0; i < sorter->runs_count; i++)
        free(sorter->runs[i].buffer);
    free(sorter->heap);
    sorter->heap = NULL;
    sorter->heap_count = 0;
    sorter->runs_count = 0;
    sorter->used = 0;
    sorter->next = 0;
    sorter->count = 0;
    sorter->file_size = 0;
    sorter->handed_out = false;
    sorter->status = STAVE_OK;
}

void stave__sorter_free(struct stave__sorter *sorter)
{
    stave__sorter_clear(sorter);
    if (sorter->fd_plus_1 != 0)
        stave__os_close(sorter->fd_plus_1 - 1);
    free(sorter->runs);
    free(sorter->records);
    free(sorter->order);
    free(sorter->unused);
    *sorter = (struct stave__sorter){
        .record_size = sorter->record_size,
        .compare = sorter->compare,
        .budget = sorter->budget,
        .temporary_dir = sorter->temporary_dir,
    };
}
