/* Rows of blocks to records in nanoseconds, sorted. */
#include "export/walk_rows.h"

#include <stdlib.h>

#include "analyze/deadline.h"
#include "analyze/forest.h"
#include "base/error.h"
#include "export/walk.h"

#define FIRST_FOUND 16u

/* ---- orders ---------------------------------------------------------------------------------- */

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static int compare_words(const uint64_t *a, const uint64_t *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

/* Of equal starts: what can be around others first. */
static int compare_spans(const void *a, const void *b)
{
    const struct stave__span_row *x = a, *y = b;
    const uint64_t first[] = {(uint64_t)y->end, x->depth, x->serial,    x->name,
                              x->flags,         x->other, x->other_lane};
    const uint64_t second[] = {(uint64_t)x->end, y->depth, y->serial,    y->name,
                               y->flags,         y->other, y->other_lane};
    return compare_words(first, second, COUNT(first));
}

static unsigned rank_of(const struct stave__detail *detail)
{
    return detail->kind == STAVE_ATTRIBUTES ? 0 : detail->kind == STAVE_MARKS ? 1 : 2;
}

static int compare_details(const void *a, const void *b)
{
    const struct stave__detail *x = a, *y = b;
    const uint64_t first[] = {rank_of(x), (uint64_t)x->time, x->name, x->value, x->flags, x->role};
    const uint64_t second[] = {rank_of(y), (uint64_t)y->time, y->name, y->value, y->flags, y->role};
    return compare_words(first, second, COUNT(first));
}

static int compare_entries(const void *a, const void *b)
{
    const struct stave__cumulative *x = a, *y = b;
    const uint64_t first[] = {(uint64_t)x->first, x->number, x->around, x->depth, x->name, x->flags,
                              (uint64_t)x->last,  x->total,  x->calls,  x->least, x->most};
    const uint64_t second[] = {
        (uint64_t)y->first, y->number, y->around, y->depth, y->name, y->flags,
        (uint64_t)y->last,  y->total,  y->calls,  y->least, y->most};
    return compare_words(first, second, COUNT(first));
}

static int compare_moments(const void *a, const void *b)
{
    const struct stave__moment *x = a, *y = b;
    const uint64_t first[] = {x->kind, (uint64_t)x->end, x->name, x->serial, x->value, x->flags};
    const uint64_t second[] = {y->kind, (uint64_t)y->end, y->name, y->serial, y->value, y->flags};
    return compare_words(first, second, COUNT(first));
}

static int compare_link_ends(const void *a, const void *b)
{
    const struct stave__link_end *x = a, *y = b;
    if (x->detail.serial != y->detail.serial)
        return x->detail.serial < y->detail.serial ? -1 : 1;
    return compare_details(&x->detail, &y->detail);
}

/* ---- memory ---------------------------------------------------------------------------------- */

struct stave__lane_rows *stave__lane_rows_new(const char *temporary_dir)
{
    struct stave__lane_rows *rows = calloc(1, sizeof *rows);
    if (rows == NULL)
        return NULL;
    rows->spans = (struct stave__sorter){.record_size = sizeof(struct stave__span_row),
                                         .compare = compare_spans,
                                         .temporary_dir = temporary_dir};
    rows->details.sorter = (struct stave__sorter){.record_size = sizeof(struct stave__detail),
                                                  .compare = compare_details,
                                                  .temporary_dir = temporary_dir};
    rows->entries.sorter = (struct stave__sorter){.record_size = sizeof(struct stave__cumulative),
                                                  .compare = compare_entries,
                                                  .temporary_dir = temporary_dir};
    rows->moments = (struct stave__sorter){.record_size = sizeof(struct stave__moment),
                                           .compare = compare_moments,
                                           .temporary_dir = temporary_dir};
    rows->links = (struct stave__sorter){.record_size = sizeof(struct stave__link_end),
                                         .compare = compare_link_ends,
                                         .temporary_dir = temporary_dir};
    return rows;
}

void stave__lane_rows_free(struct stave__lane_rows *rows)
{
    if (rows == NULL)
        return;
    stave__sorter_free(&rows->spans);
    stave__series_free(&rows->details);
    stave__series_free(&rows->entries);
    stave__sorter_free(&rows->moments);
    stave__sorter_free(&rows->links);
    free(rows->found);
    free(rows);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* The part of a stretch in the window; false: none of it is. */
static bool clip(const struct stave__walk *walk, int64_t *start, int64_t *end, uint8_t *cut)
{
    if (*start > walk->to || *end < walk->from)
        return false;
    *cut = (uint8_t)((*start < walk->from ? STAVE__CUT_START : 0) |
                     (*end > walk->to ? STAVE__CUT_END : 0));
    *start = *start < walk->from ? walk->from : *start;
    *end = *end > walk->to ? walk->to : *end;
    return true;
}

/* Before the start of the trace there is nothing: what a file says of it is its start. */
static int64_t ns_of(struct stave__walk *walk, uint32_t boot, int64_t tick)
{
    int64_t ns = stave__timeline_ns(&walk->timeline, boot, tick);
    return ns > 0 ? ns : 0;
}

/* Whether a span missed its deadline, and when that was. */
static bool has_missed(struct stave__walk *walk, const stave_block *block, uint32_t row,
                       double lane_us, int64_t *deadline_ns)
{
    struct stave__deadline deadline =
        stave__deadline_of(lane_us, block->flags[row], stave_block_value(block, row));
    if (!stave__deadline_exists(&deadline) || (block->flags[row] & STAVE_FLAGS_END_UNKNOWN) != 0)
        return false;
    double us = stave_duration_us(walk->trace, block->boot, block->start[row], block->end[row]);
    if (!stave__deadline_missed(&deadline, block->end[row], us))
        return false;
    *deadline_ns = deadline.own ? ns_of(walk, block->boot, deadline.tick)
                                : ns_of(walk, block->boot, block->start[row]) +
                                      stave__ns_limit(deadline.lane_us * 1000.0);
    return true;
}

static int take_span(struct stave__walk *walk, const stave_block *block, uint32_t row,
                     double lane_us, stave_error *error)
{
    int64_t start = ns_of(walk, block->boot, block->start[row]);
    int64_t end = ns_of(walk, block->boot, block->end[row]);
    uint8_t cut = 0;
    if ((uint64_t)(end - start) < walk->config.least_ns || !clip(walk, &start, &end, &cut))
        return STAVE_OK;
    struct stave__span_row *span = stave__sorter_add(&walk->rows->spans, error);
    if (span == NULL)
        return walk->rows->spans.status;
    *span = (struct stave__span_row){
        .start = (uint64_t)start,
        .end = end,
        .serial = block->serial[row],
        .other = stave_block_other(block, row),
        .other_lane = stave_block_other_lane(block, row),
        .name = stave__row_name(walk->trace, block, row),
        .depth = stave_block_depth(block, row),
        .flags = block->flags[row],
        .cut = cut,
        .unnamed = stave_block_name(block, row) == 0,
    };
    if (end >= STAVE__NS_MAX)
        span->flags |= STAVE_FLAG_SATURATED;
    span->missed = has_missed(walk, block, row, lane_us, &span->deadline);
    return STAVE_OK;
}

static int take_spans(struct stave__walk *walk, const stave_block *block, stave_error *error)
{
    double lane_us = stave__deadline_us(stave_trace_lane(walk->trace, block->lane));
    int status = STAVE_OK;
    for (uint32_t i = 0; i < block->rows && status >= 0; i++)
        status = take_span(walk, block, i, lane_us, error);
    return status;
}

/* The part in the window: it took no longer in there than that lasts. */
static void clip_entry(const struct stave__walk *walk, struct stave__cumulative *entry)
{
    if (!clip(walk, &entry->first, &entry->last, &entry->cut) || entry->cut == 0)
        return;
    uint64_t most = (uint64_t)(entry->last - entry->first);
    entry->total = entry->total < most ? entry->total : most;
    entry->flags |= STAVE_FLAG_UNCERTAIN;
}

static int take_entry(struct stave__walk *walk, const stave_block *block, uint32_t row,
                      stave_error *error)
{
    struct stave__timeline *line = &walk->timeline;
    int64_t first = ns_of(walk, block->boot, block->start[row]);
    int64_t last = ns_of(walk, block->boot, block->end[row]);
    uint64_t total =
        stave__timeline_length(line, block->boot, block->start[row], block->total[row]);
    if (total < walk->config.least_ns || first > walk->to || last < walk->from)
        return STAVE_OK;
    struct stave__cumulative *entry = stave__sorter_add(&walk->rows->entries.sorter, error);
    if (entry == NULL)
        return walk->rows->entries.sorter.status;
    *entry = (struct stave__cumulative){
        .serial = block->serial[row],
        .first = first,
        .last = last,
        .total = total,
        .calls = block->value[row],
        .least = stave__timeline_length(line, block->boot, block->start[row], block->least[row]),
        .most = stave__timeline_length(line, block->boot, block->start[row], block->most[row]),
        .number = stave_block_other(block, row),
        .around = stave_block_other_lane(block, row),
        .depth = stave_block_depth(block, row),
        .name = stave__row_name(walk->trace, block, row),
        .flags = block->flags[row],
        .unnamed = stave_block_name(block, row) == 0,
    };
    clip_entry(walk, entry);
    return STAVE_OK;
}

static int add_detail(struct stave__lane_rows *rows, const struct stave__detail *detail,
                      stave_error *error)
{
    struct stave__detail *added = stave__sorter_add(&rows->details.sorter, error);
    if (added == NULL)
        return rows->details.sorter.status;
    *added = *detail;
    return STAVE_OK;
}

/* An attribute, or a mark of a span. */
static int take_detail(struct stave__walk *walk, const stave_block *block, uint32_t row,
                       stave_error *error)
{
    struct stave__detail detail = {
        .serial = block->serial[row],
        .value = stave_block_value(block, row),
        .time = ns_of(walk, block->boot, block->start[row]),
        .name = stave__row_name(walk->trace, block, row),
        .flags = block->flags[row],
        .kind = (uint8_t)block->kind,
    };
    return add_detail(walk->rows, &detail, error);
}

static int take_moment(struct stave__walk *walk, const stave_block *block, uint32_t row,
                       stave_error *error)
{
    int64_t start = ns_of(walk, block->boot, block->start[row]);
    int64_t end = ns_of(walk, block->boot, stave_block_end(block, row));
    uint32_t name = stave_block_name(block, row);
    uint8_t cut;
    bool is_loss = block->kind == STAVE_GAPS || block->kind == STAVE_DOUBTS;
    if (!clip(walk, &start, &end, &cut) || (!is_loss && !stave__walk_counts(walk, name)))
        return STAVE_OK;
    struct stave__moment *moment = stave__sorter_add(&walk->rows->moments, error);
    if (moment == NULL)
        return walk->rows->moments.status;
    *moment = (struct stave__moment){
        .time = (uint64_t)start,
        .end = end,
        .value = stave_block_value(block, row),
        .serial = block->serial != NULL ? block->serial[row] : 0,
        .name = name,
        .flags = block->flags[row],
        .kind = (uint8_t)block->kind,
    };
    return STAVE_OK;
}

static int take_mark(struct stave__walk *walk, const stave_block *block, uint32_t row,
                     stave_error *error)
{
    uint64_t before = walk->rows->moments.count;
    int status = take_moment(walk, block, row, error);
    bool is_taken = walk->rows->moments.count > before;
    if (status >= 0 && is_taken && block->serial != NULL && block->serial[row] != 0 &&
        (walk->visitor->wants & STAVE__WANTS_DETAILS) != 0)
        status = take_detail(walk, block, row, error);
    return status;
}

static int take_rows(struct stave__walk *walk, const stave_block *block,
                     int (*take)(struct stave__walk *, const stave_block *, uint32_t,
                                 stave_error *),
                     stave_error *error)
{
    int status = STAVE_OK;
    for (uint32_t i = 0; i < block->rows && status >= 0; i++)
        status = take(walk, block, i, error);
    return status;
}

static int take_block(struct stave__walk *walk, const stave_block *block, stave_error *error)
{
    switch (block->kind) {
    case STAVE_SPANS:
        return take_spans(walk, block, error);
    case STAVE_CUMULATIVES:
        return take_rows(walk, block, take_entry, error);
    case STAVE_ATTRIBUTES:
        return take_rows(walk, block, take_detail, error);
    case STAVE_MARKS:
        return take_rows(walk, block, take_mark, error);
    default:
        return take_rows(walk, block, take_moment, error);
    }
}

/* ---- links ----------------------------------------------------------------------------------- */

/* The end of a link on (lane, serial), towards the other one. */
static int add_link_end(struct stave__walk *walk, uint64_t lane, uint64_t serial,
                        const struct stave__detail *detail, stave_error *error)
{
    struct stave__link_end *end = stave__sorter_add(&walk->rows->links, error);
    if (end == NULL)
        return walk->rows->links.status;
    *end = (struct stave__link_end){.lane = lane, .detail = *detail};
    end->detail.serial = serial;
    return STAVE_OK;
}

static uint64_t mix(uint64_t hash, uint64_t number)
{
    hash = (hash ^ number) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

/* A link from (from_lane, from) to (to_lane, to). Its number is made of what it is, so that it does not depend on its place. */
static int add_link(struct stave__walk *walk, uint32_t from_lane, uint64_t from, uint32_t to_lane,
                    uint64_t to, uint8_t role, stave_error *error)
{
    uint64_t number = mix(mix(mix(mix(mix(1, from_lane), from), to_lane), to), role);
    struct stave__detail detail = {
        .value = to,
        .time = (int64_t)(number != 0 ? number : 1),
        .name = to_lane,
        .kind = STAVE_LINKS,
        .role = role,
    };
    int status = add_link_end(walk, from_lane, from, &detail, error);
    detail.value = from;
    detail.name = from_lane;
    detail.role |= STAVE__IS_TARGET;
    if (status >= 0)
        status = add_link_end(walk, to_lane, to, &detail, error);
    walk->counts.links += status >= 0;
    return status;
}

static int take_link(struct stave__walk *walk, const stave_block *block, uint32_t row,
                     stave_error *error)
{
    uint8_t role = block->value[row] == STAVE_LINK_DEPENDENCY ? STAVE__IS_DEPENDENCY : 0;
    return add_link(walk, block->lane, block->serial[row], block->other_lane[row],
                    block->other[row], role, error);
}

static int take_attached(struct stave__walk *walk, const stave_block *block, uint32_t row,
                         stave_error *error)
{
    if ((block->flags[row] & STAVE_FLAG_ATTACHED) == 0)
        return STAVE_OK;
    return add_link(walk, stave_block_other_lane(block, row), stave_block_other(block, row),
                    block->lane, block->serial[row], STAVE__IS_PARENT, error);
}

int stave__lane_rows_find_links(struct stave__walk *walk, stave_error *error)
{
    struct stave__lane_rows *rows = walk->rows;
    int status = STAVE_OK;
    stave__sorter_clear(&rows->links);
    for (uint32_t i = 0; i < walk->reading.count && status >= 0; i++) {
        const struct stave__choice *choice = &walk->reading.choices[i];
        const struct stave__entry *entry = stave__entry_at(&walk->trace->blocks, choice->index);
        bool attached = choice->kind == STAVE_SPANS && (entry->columns & STAVE_COLUMN_OTHER) != 0;
        if (choice->kind != STAVE_LINKS && !attached)
            continue;
        status = stave__reading_show(&walk->reading, i, error);
        if (status > 0)
            status =
                take_rows(walk, &walk->reading.block, attached ? take_attached : take_link, error);
    }
    if (status >= 0)
        status = stave__sorter_finish(&rows->links, error);
    rows->link = status >= 0 ? stave__sorter_next(&rows->links, error) : NULL;
    return status < 0 ? status : rows->links.status;
}

/* Those of the lane; those of lanes that were passed over go. */
static int take_link_ends(struct stave__lane_rows *rows, stave_error *error)
{
    int status = STAVE_OK;
    while (rows->link != NULL && rows->link->lane <= rows->lane && status >= 0) {
        if (rows->link->lane == rows->lane)
            status = add_detail(rows, &rows->link->detail, error);
        rows->link = stave__sorter_next(&rows->links, error);
    }
    return status < 0 ? status : rows->links.status;
}

/* ---- a lane ---------------------------------------------------------------------------------- */

static bool is_in_window(struct stave__walk *walk, const struct stave__entry *entry)
{
    return entry->kind == STAVE_ATTRIBUTES || (ns_of(walk, entry->boot, entry->first) <= walk->to &&
                                               ns_of(walk, entry->boot, entry->last) >= walk->from);
}

/* Whether a format has a place for a kind; links are read before all lanes. */
static bool is_wanted(const struct stave__walk *walk, uint32_t kind)
{
    if (kind == STAVE_LINKS)
        return (walk->visitor->wants & STAVE__WANTS_LINKS) != 0;
    return kind != STAVE_ATTRIBUTES || (walk->visitor->wants & STAVE__WANTS_DETAILS) != 0;
}

/* Whether a block is to be read; what has no place is counted. */
static bool is_to_be_read(struct stave__walk *walk, const struct stave__entry *entry)
{
    bool is_loss = entry->kind == STAVE_GAPS || entry->kind == STAVE_DOUBTS;
    bool is_no_arg = entry->kind == STAVE_ATTRIBUTES && walk->config.no_args;
    if ((walk->losses_alone && !is_loss) || is_no_arg || !is_in_window(walk, entry))
        return false;
    if (!is_wanted(walk, entry->kind))
        walk->counts.left_out += entry->rows;
    return is_wanted(walk, entry->kind) && entry->kind != STAVE_LINKS;
}

static int show(struct stave__walk *walk, uint32_t choice, stave_error *error)
{
    const struct stave__entry *entry =
        stave__entry_at(&walk->trace->blocks, walk->reading.choices[choice].index);
    if (is_to_be_read(walk, entry))
        return stave__reading_show(&walk->reading, choice, error);
    stave__rows_read_add(&walk->reading.read, entry->rows);
    return 0;
}

int stave__lane_rows_collect(struct stave__walk *walk, uint32_t lane, stave_error *error)
{
    struct stave__lane_rows *rows = walk->rows;
    const struct stave__lane_choices *choices = &walk->choices;
    int status = STAVE_OK;
    rows->lane = lane;
    stave__sorter_clear(&rows->spans);
    stave__series_clear(&rows->details);
    stave__series_clear(&rows->entries);
    stave__sorter_clear(&rows->moments);
    for (uint32_t i = choices->first[lane]; i < choices->first[lane + 1] && status >= 0; i++) {
        status = show(walk, choices->at[i], error);
        if (status > 0)
            status = take_block(walk, &walk->reading.block, error);
    }
    if (status >= 0)
        status = take_link_ends(rows, error);
    if (status >= 0)
        status = stave__sorter_finish(&rows->spans, error);
    if (status >= 0)
        status = stave__series_settle(&rows->details, error);
    if (status >= 0)
        status = stave__series_settle(&rows->entries, error);
    if (status >= 0)
        status = stave__sorter_finish(&rows->moments, error);
    return status;
}

static bool grow_found(struct stave__lane_rows *rows)
{
    uint32_t room = rows->found_room != 0 ? 2 * rows->found_room : FIRST_FOUND;
    struct stave__detail *larger = room != 0 ? realloc(rows->found, room * sizeof *larger) : NULL;
    if (larger == NULL)
        return false;
    rows->found = larger;
    rows->found_room = room;
    return true;
}

int stave__lane_rows_details(struct stave__lane_rows *rows, uint64_t serial,
                             const struct stave__detail **details, uint32_t *count,
                             stave_error *error)
{
    const struct stave__detail *detail;
    *details = NULL;
    *count = 0;
    uint64_t at = stave__series_find(&rows->details, serial, error);
    while ((detail = stave__series_at(&rows->details, at, error)) != NULL &&
           detail->serial == serial) {
        if (*count == rows->found_room && !grow_found(rows))
            return stave__fail_memory(error);
        rows->found[(*count)++] = *detail;
        at++;
    }
    *details = rows->found;
    return rows->details.sorter.status;
}
