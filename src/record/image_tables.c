#include "record/image_tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/os_process.h"
#include "record/overhead.h"
#include "record/record.h"
#include "stave/block.h"
#include "store/header.h"

#define LANE_KIND_THREAD 3 /* of stave_lane_kind, as docs/format.md has it */
#define TEXTS_A_BLOCK 4096u
#define PLACES_A_BLOCK 256u                     /* on the stack meanwhile */
#define GONE_MAX ((size_t)2 * STAVE__LANES_MAX) /* a power of two */
#define PROPERTIES_MAX (sizeof(stave_counts) / sizeof(uint64_t) + 8)
#define ANCHOR_NS 1000000000      /* from one to the next */
#define ANCHOR_NS_LEAST 100000000 /* for a rate to be measured in */
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
        .strings = stave__os_reserve(STAVE__TEXTS_MAX * sizeof *file->strings),
        .asides = stave__os_reserve(STAVE__TEXTS_MAX * sizeof *file->asides),
        .sites = stave__os_reserve(STAVE__SITES_MAX * sizeof *file->sites),
        .lanes = stave__os_reserve(STAVE__LANES_MAX * sizeof *file->lanes),
        .texts = malloc(TEXT_BYTES_A_BLOCK),
        .sizes = malloc(TEXTS_A_BLOCK * sizeof *file->sizes),
        .gone = stave__os_reserve(GONE_MAX * sizeof *file->gone),
        .rules = {.ids = stave__os_reserve(STAVE__NAMES_MAX * sizeof *file->rules.ids),
                  .rows = stave__os_reserve(STAVE__NAMES_MAX * sizeof *file->rules.rows)},
    };
    if (file->block == NULL || file->values == NULL || file->strings == NULL ||
        file->asides == NULL || file->sites == NULL || file->lanes == NULL || file->texts == NULL ||
        file->sizes == NULL || file->gone == NULL || file->rules.ids == NULL ||
        file->rules.rows == NULL)
        return file->status = stave__fail_memory(error);
    file->status = stave__writer_begin(&file->writer, sink, error);
    stave__image_text(file, "", 0); /* string 0 */
    return file->status;
}

int stave__image_file_finish(struct stave__image_file *file)
{
    if (file->status >= 0 && !file->is_finished)
        file->status = stave__writer_finish(&file->writer, file->error);
    file->is_finished = true;
    return file->status;
}

int stave__image_file_next(struct stave__image_file *file)
{
    stave_sink sink = file->writer.sink;
    stave__os_forget(file->strings, STAVE__TEXTS_MAX * sizeof *file->strings);
    stave__os_forget(file->asides, STAVE__TEXTS_MAX * sizeof *file->asides);
    stave__os_forget(file->sites, STAVE__SITES_MAX * sizeof *file->sites);
    stave__os_forget(file->lanes, STAVE__LANES_MAX * sizeof *file->lanes);
    stave__os_forget(file->gone, GONE_MAX * sizeof *file->gone);
    stave__os_forget(file->rules.ids, STAVE__NAMES_MAX * sizeof *file->rules.ids);
    stave__os_forget(file->rules.rows, STAVE__NAMES_MAX * sizeof *file->rules.rows);
    file->rules = (struct stave__image_rules){.ids = file->rules.ids, .rows = file->rules.rows};
    file->strings_put = file->strings_new = file->lanes_put = file->places_put = 0;
    file->texts_used = 0;
    file->process_put = file->boot_put = file->is_full = file->is_finished = false;
    file->anchor_index = 0;
    file->number++;
    stave__writer_free(&file->writer);
    file->status = stave__writer_begin(&file->writer, sink, file->error);
    stave__image_text(file, "", 0); /* string 0 */
    return file->status;
}

int stave__image_file_close(struct stave__image_file *file)
{
    stave__image_file_finish(file);
    stave__writer_free(&file->writer);
    free(file->block);
    free(file->values);
    free(file->texts);
    free(file->sizes);
    stave__os_unmap(file->strings, STAVE__TEXTS_MAX * sizeof *file->strings);
    stave__os_unmap(file->asides, STAVE__TEXTS_MAX * sizeof *file->asides);
    stave__os_unmap(file->sites, STAVE__SITES_MAX * sizeof *file->sites);
    stave__os_unmap(file->lanes, STAVE__LANES_MAX * sizeof *file->lanes);
    stave__os_unmap(file->gone, GONE_MAX * sizeof *file->gone);
    stave__os_unmap(file->rules.ids, STAVE__NAMES_MAX * sizeof *file->rules.ids);
    stave__os_unmap(file->rules.rows, STAVE__NAMES_MAX * sizeof *file->rules.rows);
    return file->status;
}

/* ---- tables, column by column ---------------------------------------------------------------- */

struct stave__image_table stave__image_table_begin(struct stave__image_file *file,
                                                   enum stave__table_kind kind, uint32_t first,
                                                   uint32_t rows)
{
    return (struct stave__image_table){.file = file,
                                       .header = {.kind = kind, .rows = rows, .first = first},
                                       .at = file->block + STAVE__HEADER_SIZE};
}

void stave__image_table_column(struct stave__image_table *table, uint32_t number)
{
    table->at = stave__column_put(table->at, number, STAVE__PLAIN, table->file->values,
                                  (uint32_t)table->header.rows, NULL);
}

/* One that is the same in all rows. */
static void column_of(struct stave__image_table *table, uint32_t number, uint64_t value)
{
    for (uint64_t i = 0; i < table->header.rows; i++)
        table->file->values[i] = value;
    stave__image_table_column(table, number);
}

void stave__image_table_end(struct stave__image_table *table)
{
    size_t body = (size_t)(table->at - table->file->block) - STAVE__HEADER_SIZE;
    put(table->file, stave__header_seal(&table->header, table->file->block, body));
}

/* ---- texts ----------------------------------------------------------------------------------- */

static void put_texts(struct stave__image_file *file)
{
    if (file->strings_new == 0)
        return;
    struct stave__image_table table =
        stave__image_table_begin(file, STAVE__STRINGS, file->strings_put, file->strings_new);
    memcpy(file->values, file->sizes, file->strings_new * sizeof *file->sizes);
    stave__image_table_column(&table, 0);
    table.at = stave__column_put_bytes(table.at, 1, file->texts, (uint32_t)file->texts_used);
    stave__image_table_end(&table);
    file->strings_put += file->strings_new;
    file->strings_new = 0;
    file->texts_used = 0;
}

uint32_t stave__image_text(struct stave__image_file *file, const char *text, size_t size)
{
    if (file->strings_new == TEXTS_A_BLOCK || file->texts_used + size > TEXT_BYTES_A_BLOCK)
        put_texts(file);
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
    file->has_new_names = true;
    return file->strings[name];
}

uint16_t stave__image_doubt(uint32_t name)
{
    size_t size;
    const char *text = stave__dictionary_text(&stave__recorder.names, name, &size);
    return text != NULL && stave__recorder.names.names[name].is_cut ? STAVE_FLAG_TRUNCATED : 0;
}

/* ---- places ---------------------------------------------------------------------------------- */

struct places {
    uint32_t rows;
    uint64_t columns[4][PLACES_A_BLOCK]; /* name, file, function, line */
};

/* Not as a name: that would bring the places of what is called so, of which there may be no row. */
static uint32_t aside_of(struct stave__image_file *file, uint32_t id)
{
    size_t size;
    if (id == 0 || file->strings[id] != 0)
        return file->strings[id];
    if (file->asides[id] == 0) {
        const char *text = stave__dictionary_text(&stave__recorder.names, id, &size);
        file->asides[id] = stave__image_text(file, text, size);
    }
    return file->asides[id];
}

static void put_places(struct stave__image_file *file, struct places *places)
{
    if (places->rows == 0)
        return;
    put_texts(file);
    struct stave__image_table table =
        stave__image_table_begin(file, STAVE__PLACES, file->places_put, places->rows);
    for (uint32_t number = 0; number < 4; number++) {
        memcpy(file->values, places->columns[number], places->rows * sizeof *file->values);
        stave__image_table_column(&table, number);
    }
    stave__image_table_end(&table);
    file->places_put += places->rows;
    places->rows = 0;
}

static void add_place(struct stave__image_file *file, struct places *places,
                      const struct stave__site *site)
{
    if (places->rows == PLACES_A_BLOCK)
        put_places(file, places);
    places->columns[0][places->rows] = file->strings[site->name];
    places->columns[1][places->rows] = aside_of(file, site->file);
    places->columns[2][places->rows] = aside_of(file, site->function);
    places->columns[3][places->rows++] = site->line;
}

/* Those of names that are in it, and are not yet. A name may come before its place, or when all its places are long
 * there; so all are looked through, but only when there is something new. */
static void look_at_sites(struct stave__image_file *file, uint32_t count)
{
    struct places places;
    places.rows = 0;
    file->sites_seen = count;
    file->has_new_names = false;
    for (uint32_t i = 0; i < count; i++) {
        struct stave__site site;
        if (file->sites[i])
            continue;
        if (!stave__sites_at(&stave__recorder.sites, i, &site)) {
            file->has_new_names = true; /* perhaps: look again */
        } else if (file->strings[site.name] != 0) {
            add_place(file, &places, &site);
            file->sites[i] = true;
        }
    }
    put_places(file, &places);
}

void stave__image_texts(struct stave__image_file *file)
{
    uint32_t count = stave__sites_count(&stave__recorder.sites);
    if (file->has_new_names || count != file->sites_seen)
        look_at_sites(file, count);
    put_texts(file);
}

/* ---- process and lanes ----------------------------------------------------------------------- */

static void put_process(struct stave__image_file *file)
{
    struct stave__image_table table = stave__image_table_begin(file, STAVE__PROCESSES, 0, 1);
    column_of(&table, 0, 0);
    column_of(&table, 1, stave__os_process_number());
    stave__image_table_end(&table);
    file->process_put = true;
}

/* Rows `first` to first + count - 1 of the table: of the lanes [from, end) those with these numbers. */
static void put_lanes(struct stave__image_file *file, uint32_t from, uint32_t end, uint32_t first,
                      uint32_t count)
{
    struct stave__image_table table = stave__image_table_begin(file, STAVE__LANES, first, count);
    for (uint32_t i = from; i < end; i++)
        if (file->lanes[i].number - first < count)
            file->values[file->lanes[i].number - first] = file->strings[file->lanes[i].name];
    stave__image_table_column(&table, 0);
    column_of(&table, 1, LANE_KIND_THREAD);
    for (uint32_t number = 2; number <= 4; number++) /* priority, deadline */
        column_of(&table, number, 0);
    column_of(&table, 5, 1); /* the process, plus 1 */
    for (uint32_t i = from; i < end; i++)
        if (file->lanes[i].number - first < count)
            file->values[file->lanes[i].number - first] =
                __atomic_load_n(&stave__recorder.lanes[i].number, __ATOMIC_RELAXED);
    stave__image_table_column(&table, 6);
    stave__image_table_end(&table);
}

/* R6 */
static uint32_t name_of(const struct stave__lane *lane)
{
    uint32_t name = __atomic_load_n(&lane->name, __ATOMIC_ACQUIRE);
    return name != STAVE__NO_ID ? name : 0;
}

/* Which thread's it is. It grows before the lane gets the next thread's name: read behind a name, it tells whose that is. */
static uint32_t life_of(uint32_t lane)
{
    return __atomic_load_n(&stave__recorder.lanes[lane].life, __ATOMIC_ACQUIRE);
}

/* Whether the file has another name for it; then it gets the one that it has now, unless that is another thread's. */
static bool is_renamed(struct stave__image_file *file, uint32_t lane)
{
    uint32_t name = name_of(&stave__recorder.lanes[lane]);
    if (file->lanes[lane].name == name || file->lanes[lane].life != life_of(lane))
        return false;
    file->lanes[lane].name = name;
    stave__image_name(file, name);
    return true;
}

/* Whether it is another thread's than the file knows; then it gets a number of its own. */
static bool is_new(struct stave__image_file *file, uint32_t lane)
{
    struct stave__image_lane *known = &file->lanes[lane];
    uint32_t life = life_of(lane);
    if (known->put && known->life == life)
        return false;
    *known = (struct stave__image_lane){.number = file->lanes_put++, .life = life, .put = true};
    is_renamed(file, lane);
    return true;
}

static void put_lane(struct stave__image_file *file, uint32_t lane)
{
    stave__image_texts(file);
    put_lanes(file, lane, lane + 1, file->lanes[lane].number, 1);
}

void stave__image_lane_name(struct stave__image_file *file, uint32_t lane)
{
    if (is_renamed(file, lane))
        put_lane(file, lane);
}

void stave__image_lanes(struct stave__image_file *file, uint32_t lanes)
{
    uint32_t first = file->lanes_put;
    if (!file->process_put)
        put_process(file);
    for (uint32_t lane = 0; lane < lanes; lane++)
        if (!is_new(file, lane))
            stave__image_lane_name(file, lane);
    stave__image_texts(file);
    if (file->lanes_put > first)
        put_lanes(file, 0, lanes, first, file->lanes_put - first);
}

/* ---- lanes that others name ------------------------------------------------------------------ */

/* One of which nothing is in memory any more has a row without a name. */
static uint32_t put_gone(struct stave__image_file *file)
{
    struct stave__image_table table =
        stave__image_table_begin(file, STAVE__LANES, file->lanes_put, 1);
    for (uint32_t number = 0; number <= 6; number++)
        column_of(&table, number, number == 1 ? LANE_KIND_THREAD : number == 5 ? 1 : 0);
    stave__image_table_end(&table);
    return file->lanes_put++;
}

/* By its owner: the file's number is above it, plus 1. Without room the last one stands for all. */
static uint32_t gone_lane(struct stave__image_file *file, uint32_t owner)
{
    uint32_t mask = GONE_MAX - 1, at = (owner * 0x9e3779b1u) >> 8 & mask;
    for (uint32_t i = 1; file->gone[at] != 0 && (uint32_t)file->gone[at] != owner && i < GONE_MAX;
         i++)
        at = (at + 1) & mask;
    if (file->gone[at] == 0)
        file->gone[at] = (uint64_t)(put_gone(file) + 1) << 32 | owner;
    return (uint32_t)(file->gone[at] >> 32) - 1;
}

static bool is_life_of(uint32_t owner, uint32_t life)
{
    return owner >> 16 == (life & UINT16_MAX);
}

uint32_t stave__image_lane_of(struct stave__image_file *file, uint32_t owner)
{
    uint32_t lane = stave__owner_lane(owner);
    const struct stave__image_lane *known = &file->lanes[lane];
    if (known->put && is_life_of(owner, known->life))
        return known->number;
    if (lane >= stave__lanes_count() || !is_life_of(owner, life_of(lane)))
        return gone_lane(file, owner);
    if (is_new(file, lane))
        put_lane(file, lane);
    return known->number;
}

/* ---- the clock ------------------------------------------------------------------------------- */

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void put_boot(struct stave__image_file *file)
{
    struct stave__image_table table = stave__image_table_begin(file, STAVE__BOOTS, 0, 1);
    for (uint32_t number = 0; number <= 3; number++)
        column_of(&table, number, 0);
    stave__image_table_end(&table);
    file->anchor = stave__recorder.clock.start;
    file->boot_put = true;
}

static void put_anchor(struct stave__image_file *file)
{
    const struct stave__moment *start = &stave__recorder.clock.start, *anchor = &file->anchor;
    double us = (double)(anchor->monotonic_ns - start->monotonic_ns) / 1000.0;
    struct stave__image_table table =
        stave__image_table_begin(file, STAVE__ANCHORS, file->anchor_index, 1);
    column_of(&table, 0, 0);
    column_of(&table, 1, anchor->tick - start->tick);
    column_of(&table, 2, bits_of(us));
    column_of(&table, 3, bits_of(file->rate));
    column_of(&table, 4, (uint64_t)anchor->realtime_ns);
    column_of(&table, 5, file->anchor_index);
    stave__image_table_end(&table);
}

/* From `now` on, at the rate that was measured up to it. */
static void add_anchor(struct stave__image_file *file)
{
    file->anchor = file->now;
    file->anchor_index++;
    file->rate_ns = 0;
    put_anchor(file);
}

/* The first anchor's rate is told again as twice the time has passed, each one's at its end. */
static bool is_better(const struct stave__image_file *file, int64_t ns, bool last)
{
    if (stave__recorder.clock.own != NULL || file->now.tick <= file->anchor.tick)
        return false;
    if (ns >= ANCHOR_NS)
        return true;
    return file->anchor_index == 0 ? last || ns > 2 * file->rate_ns : last && ns >= ANCHOR_NS_LEAST;
}

void stave__image_clock(struct stave__image_file *file, bool last)
{
    const struct stave__clock *clock = &stave__recorder.clock;
    bool is_first = !file->boot_put;
    file->now = stave__clock_moment(clock);
    if (is_first)
        put_boot(file);
    int64_t ns = file->now.monotonic_ns - file->anchor.monotonic_ns;
    if (!is_first && !is_better(file, ns, last))
        return;
    file->rate = stave__clock_rate(clock, &file->anchor, &file->now);
    file->rate_ns = ns;
    put_anchor(file);
    if (ns >= ANCHOR_NS && clock->own == NULL && !last)
        add_anchor(file);
}

/* ---- counts ---------------------------------------------------------------------------------- */

struct properties {
    uint32_t rows;
    uint64_t columns[3][PROPERTIES_MAX]; /* key, flags, value */
};

static void add(struct properties *properties, uint32_t key, uint64_t flags, uint64_t value)
{
    properties->columns[0][properties->rows] = key;
    properties->columns[1][properties->rows] = flags;
    properties->columns[2][properties->rows++] = value;
}

static void put_properties(struct stave__image_file *file, const struct properties *properties)
{
    stave__image_texts(file);
    struct stave__image_table table =
        stave__image_table_begin(file, STAVE__PROPERTIES, 0, properties->rows);
    for (uint32_t number = 0; number < 3; number++) {
        memcpy(file->values, properties->columns[number], properties->rows * sizeof *file->values);
        stave__image_table_column(&table, number);
    }
    stave__image_table_end(&table);
}

/* When the limit of max_spans was reached, which may be never. */
static void add_limit(struct stave__image_file *file, struct properties *properties)
{
    uint64_t reached = __atomic_load_n(&stave__recorder.limit_reached, __ATOMIC_RELAXED);
    double rate = file->rate > 0 ? file->rate : 1e9;
    if (reached != 0)
        add(properties, key_of(file, "record.limit_reached_ns"), 0,
            (uint64_t)((double)stave__since_start(reached) * 1e9 / rate));
}

/* It takes a moment to be measured: once for all files. */
static void add_cost(struct stave__image_file *file, struct properties *properties)
{
    struct stave__span_cost cost = stave__span_cost();
    if (cost.span_ns <= 0)
        return;
    add(properties, key_of(file, "record.span_ns"), STAVE_FLAG_REAL, bits_of(cost.span_ns));
    add(properties, key_of(file, "record.inner_ns"), STAVE_FLAG_REAL, bits_of(cost.inner_ns));
}

/* On the clock of the rows; never 0, which would be said by nobody. */
static uint64_t ns_since_start(const struct stave__image_file *file)
{
    const struct stave__clock *clock = &stave__recorder.clock;
    uint64_t ns = clock->own != NULL
                      ? file->now.tick - clock->start.tick
                      : (uint64_t)(file->now.monotonic_ns - clock->start.monotonic_ns);
    return ns > 0 ? ns : 1;
}

static void add_file(struct stave__image_file *file, struct properties *properties)
{
    if (file->number > 0)
        add(properties, key_of(file, "record.file_number"), 0, file->number);
    if (file->is_full)
        add(properties, key_of(file, "record.file_full_ns"), 0, ns_since_start(file));
}

/* Whose file it is, where it is a session's own. */
static void add_session(struct stave__image_file *file, struct properties *properties)
{
    if (file->rules.session != 0)
        add(properties, key_of(file, "rules.session"), 0, file->rules.session);
}

void stave__image_counts(struct stave__image_file *file, const stave_counts *counts,
                         const stave_counts *before)
{
    struct properties properties = {0};
#define ADD_COUNT(name, text)                                                                      \
    add(&properties, key_of(file, "record." #name), 0, counts->name - before->name);
    STAVE_RECORD_COUNTERS(ADD_COUNT)
#undef ADD_COUNT
    add_limit(file, &properties);
    add_cost(file, &properties);
    add_file(file, &properties);
    add_session(file, &properties);
    put_properties(file, &properties);
}
