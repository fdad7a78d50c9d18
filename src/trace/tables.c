/* Each table is described once, field by field; writing and reading walk the description.  */
#include "trace/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "store/column.h"
#include "store/crc32c.h"

#define ROWS_A_BLOCK 4096u
#define TEXT_A_BLOCK ((size_t)1024 * 1024) /* bytes; one longer text has a block to itself */
#define ROW_SIZE_MAX 128                   /* bytes of the largest row in memory */

enum field_type { U8, U16, U32, U64 }; /* also bool; float and double by their bits */

struct field {
    uint8_t number; /* of its column */
    uint8_t type;
    uint16_t offset;
};

#define FIELD(number, type, row, member)                                                           \
    {                                                                                              \
        number, type, offsetof(row, member)                                                        \
    }

static const struct field lane_fields[] = {
    FIELD(0, U32, stave_lane, name),        FIELD(1, U32, stave_lane, kind),
    FIELD(2, U32, stave_lane, priority),    FIELD(3, U8, stave_lane, has_deadline),
    FIELD(4, U32, stave_lane, deadline_ms), FIELD(5, U32, stave_lane, process),
    FIELD(6, U64, stave_lane, number),
};
static const struct field process_fields[] = {
    FIELD(0, U32, stave_process, name),
    FIELD(1, U64, stave_process, number),
};
static const struct field boot_fields[] = {
    FIELD(0, U64, stave_boot, offset_us),
    FIELD(1, U64, stave_boot, end_us),
    FIELD(2, U8, stave_boot, ended),
    FIELD(3, U8, stave_boot, rate_assumed),
};
static const struct field anchor_fields[] = {
    FIELD(0, U32, struct stave__anchor_row, boot),
    FIELD(1, U64, struct stave__anchor_row, anchor.tick),
    FIELD(2, U64, struct stave__anchor_row, anchor.us),
    FIELD(3, U64, struct stave__anchor_row, anchor.hz),
    FIELD(4, U64, struct stave__anchor_row, anchor.realtime_ns),
    FIELD(5, U32, struct stave__anchor_row, index),
};
static const struct field module_fields[] = {
    FIELD(0, U32, stave_module, path),    FIELD(1, U32, stave_module, build_id),
    FIELD(2, U32, stave_module, process), FIELD(3, U32, stave_module, boot),
    FIELD(4, U64, stave_module, address), FIELD(5, U64, stave_module, size),
    FIELD(6, U64, stave_module, loaded),  FIELD(7, U64, stave_module, unloaded),
};
static const struct field property_fields[] = {
    FIELD(0, U32, stave_property, key),
    FIELD(1, U16, stave_property, flags),
    FIELD(2, U64, stave_property, value),
};
static const struct field place_fields[] = {
    FIELD(0, U32, stave_place, name),
    FIELD(1, U32, stave_place, file),
    FIELD(2, U32, stave_place, function),
    FIELD(3, U32, stave_place, line),
};

static const struct field rule_fields[] = {
    FIELD(0, U32, struct stave__rule_row, name),   FIELD(1, U32, struct stave__rule_row, id),
    FIELD(2, U32, struct stave__rule_row, role),   FIELD(3, U8, struct stave__rule_row, has_parent),
    FIELD(4, U32, struct stave__rule_row, parent),
};
static const struct field dependency_fields[] = {
    FIELD(0, U32, struct stave__dependency_row, rule),
    FIELD(1, U32, struct stave__dependency_row, depends_on),
};
static const struct field session_fields[] = {
    FIELD(0, U64, struct stave__session_row, number),
    FIELD(1, U32, struct stave__session_row, boot),
    FIELD(2, U64, struct stave__session_row, start),
    FIELD(3, U64, struct stave__session_row, stop),
    FIELD(4, U32, struct stave__session_row, lane),
    FIELD(5, U64, struct stave__session_row, given_up),
    FIELD(6, U64, struct stave__session_row, dropped),
};
static const struct field summary_fields[] = {
    FIELD(0, U64, struct stave__summary_row, session),
    FIELD(1, U32, struct stave__summary_row, rule),
    FIELD(2, U64, struct stave__summary_row, calls),
    FIELD(3, U64, struct stave__summary_row, failed),
    FIELD(4, U64, struct stave__summary_row, skipped),
    FIELD(5, U64, struct stave__summary_row, cached),
    FIELD(6, U64, struct stave__summary_row, cancelled),
    FIELD(7, U64, struct stave__summary_row, timed_out),
    FIELD(8, U64, struct stave__summary_row, total),
    FIELD(9, U64, struct stave__summary_row, self),
    FIELD(10, U64, struct stave__summary_row, first),
    FIELD(11, U64, struct stave__summary_row, least),
    FIELD(12, U64, struct stave__summary_row, most),
};

struct description {
    enum stave__table_kind kind;
    const struct field *fields;
    uint32_t fields_count;
};

#define DESCRIPTION(kind, fields)                                                                  \
    {                                                                                              \
        kind, fields, sizeof(fields) / sizeof(fields)[0]                                           \
    }

static const struct description descriptions[] = {
    DESCRIPTION(STAVE__PROCESSES, process_fields),
    DESCRIPTION(STAVE__LANES, lane_fields),
    DESCRIPTION(STAVE__BOOTS, boot_fields),
    DESCRIPTION(STAVE__ANCHORS, anchor_fields),
    DESCRIPTION(STAVE__MODULES, module_fields),
    DESCRIPTION(STAVE__PROPERTIES, property_fields),
    DESCRIPTION(STAVE__PLACES, place_fields),
    DESCRIPTION(STAVE__RULES, rule_fields),
    DESCRIPTION(STAVE__DEPENDENCIES, dependency_fields),
    DESCRIPTION(STAVE__SESSIONS, session_fields),
    DESCRIPTION(STAVE__SUMMARIES, summary_fields),
};
#define DESCRIPTIONS (sizeof descriptions / sizeof descriptions[0])

static uint64_t get_field(const void *row, const struct field *field)
{
    const char *at = (const char *)row + field->offset;
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    switch (field->type) {
    case U8:
        memcpy(&u8, at, sizeof u8);
        return u8;
    case U16:
        memcpy(&u16, at, sizeof u16);
        return u16;
    case U32:
        memcpy(&u32, at, sizeof u32);
        return u32;
    default:
        memcpy(&u64, at, sizeof u64);
        return u64;
    }
}

/* False when the value does not fit. */
static bool set_field(void *row, const struct field *field, uint64_t value)
{
    char *at = (char *)row + field->offset;
    uint8_t u8 = (uint8_t)value;
    uint16_t u16 = (uint16_t)value;
    uint32_t u32 = (uint32_t)value;
    switch (field->type) {
    case U8:
        memcpy(at, &u8, sizeof u8);
        return value <= 1;
    case U16:
        memcpy(at, &u16, sizeof u16);
        return value <= UINT16_MAX;
    case U32:
        memcpy(at, &u32, sizeof u32);
        return value <= UINT32_MAX;
    default:
        memcpy(at, &value, sizeof value);
        return true;
    }
}

/* ---- writing --------------------------------------------------------------------------------- */

struct output {
    stave_trace *trace;
    struct stave__writer *writer;
    struct stave__told *told;
    uint8_t *block; /* in blocks->bytes */
    uint64_t *values;
};

static int make_room(struct output *out, size_t size, uint32_t rows, stave_error *error)
{
    struct stave__blocks *blocks = &out->trace->blocks;
    int status = stave__blocks_reserve(blocks, STAVE__HEADER_SIZE + size, rows, error);
    out->block = blocks->bytes;
    out->values = blocks->numbers;
    return status;
}

static size_t encode_rows(const struct output *out, const struct description *d,
                          const struct stave__table *table, uint32_t first, uint32_t rows)
{
    struct stave__header header = {.kind = d->kind, .rows = rows, .first = first};
    uint8_t *body = out->block + STAVE__HEADER_SIZE, *at = body;
    for (uint32_t f = 0; f < d->fields_count; f++) {
        for (uint32_t i = 0; i < rows; i++)
            out->values[i] = get_field(stave__table_at(table, first + i), &d->fields[f]);
        at = stave__column_put(at, d->fields[f].number, STAVE__PLAIN, out->values, rows, NULL);
    }
    return stave__header_seal(&header, out->block, (size_t)(at - body));
}

/* Blocks of the rows from `first` on: their checksums together, and with `put` into the file. */
static int walk_rows(struct output *out, const struct description *d,
                     const struct stave__table *table, uint32_t first, bool put, uint32_t *crc,
                     stave_error *error)
{
    uint32_t rows;
    *crc = 0;
    for (; first < table->rows; first += rows) {
        rows = table->rows - first < ROWS_A_BLOCK ? table->rows - first : ROWS_A_BLOCK;
        int status = make_room(out, d->fields_count * stave__column_bound(rows), rows, error);
        if (status < 0)
            return status;
        size_t size = encode_rows(out, d, table, first, rows);
        *crc = stave__crc32c(*crc, out->block, size);
        status = put ? stave__writer_put(out->writer, out->block, size, error) : STAVE_OK;
        if (status < 0)
            return status;
    }
    return STAVE_OK;
}

/* After they were told: then they are told anew. */
static bool may_change(enum stave__table_kind kind)
{
    return kind == STAVE__BOOTS || kind == STAVE__ANCHORS || kind == STAVE__PROPERTIES ||
           kind == STAVE__RULES || kind == STAVE__SESSIONS || kind == STAVE__SUMMARIES;
}

static int write_table(struct output *out, const struct description *d,
                       const struct stave__table *table, stave_error *error)
{
    uint32_t *told_rows = &out->told->rows[d->kind], *told_crc = &out->told->crc[d->kind], crc;
    uint32_t first = may_change(d->kind) ? 0 : *told_rows;
    int status = STAVE_OK;
    if (may_change(d->kind) && *told_rows == table->rows) {
        status = walk_rows(out, d, table, first, false, &crc, error);
        if (status < 0 || crc == *told_crc)
            return status;
    }
    status = walk_rows(out, d, table, first, true, &crc, error);
    *told_rows = table->rows;
    *told_crc = crc;
    return status;
}

/* How many texts from `first` on go into one block, and their bytes together. */
static uint32_t fit_texts(const stave_trace *trace, uint32_t first, size_t *total)
{
    uint32_t count = 0;
    *total = 0;
    while (count < ROWS_A_BLOCK && first + count < stave_trace_strings(trace)) {
        size_t size;
        stave_trace_string(trace, first + count, &size);
        if (count > 0 && *total + size > TEXT_A_BLOCK)
            break;
        *total += size;
        count++;
    }
    return count;
}

static size_t encode_texts(const struct output *out, uint32_t first, uint32_t count, char *texts)
{
    struct stave__header header = {.kind = STAVE__STRINGS, .rows = count, .first = first};
    size_t used = 0;
    for (uint32_t i = 0; i < count; i++) {
        size_t size;
        const char *text = stave_trace_string(out->trace, first + i, &size);
        memcpy(texts + used, text, size);
        used += size;
        out->values[i] = size;
    }
    uint8_t *body = out->block + STAVE__HEADER_SIZE, *at = body;
    at = stave__column_put(at, 0, STAVE__PLAIN, out->values, count, NULL);
    at = stave__column_put_bytes(at, 1, texts, (uint32_t)used);
    return stave__header_seal(&header, out->block, (size_t)(at - body));
}

static int write_texts(struct output *out, uint32_t first, uint32_t count, size_t total,
                       stave_error *error)
{
    int status = make_room(out, 2 * stave__column_bound(count) + total, count, error);
    char *texts = malloc(total + 1);
    if (texts == NULL)
        return stave__fail_memory(error);
    if (status >= 0) {
        size_t size = encode_texts(out, first, count, texts);
        status = stave__writer_put(out->writer, out->block, size, error);
    }
    free(texts);
    return status;
}

static int write_strings(struct output *out, stave_error *error)
{
    int status = STAVE_OK;
    uint32_t *told = &out->told->rows[STAVE__STRINGS];
    while (status >= 0 && *told < stave_trace_strings(out->trace)) {
        size_t total;
        uint32_t count = fit_texts(out->trace, *told, &total);
        status = write_texts(out, *told, count, total, error);
        *told += count;
    }
    return status;
}

/* The anchors of all boots in one table, to be freed. */
static int gather_anchors(const stave_trace *trace, struct stave__table *table, stave_error *error)
{
    for (uint32_t boot = 0; boot < trace->boots.rows; boot++) {
        for (uint32_t i = 0; i < stave_trace_anchors(trace, boot); i++) {
            struct stave__anchor_row *row = stave__table_add(table);
            if (row == NULL)
                return stave__fail_memory(error);
            row->boot = boot;
            row->index = i;
            row->anchor = stave_trace_anchor(trace, boot, i);
        }
    }
    return STAVE_OK;
}

/* Where the rows of a table are, but for the anchors'. */
static struct stave__table *table_of(stave_trace *trace, enum stave__table_kind kind)
{
    switch (kind) {
    case STAVE__PROCESSES:
        return &trace->processes;
    case STAVE__LANES:
        return &trace->lanes;
    case STAVE__BOOTS:
        return &trace->boots;
    case STAVE__MODULES:
        return &trace->modules;
    case STAVE__PROPERTIES:
        return &trace->properties;
    case STAVE__PLACES:
        return &trace->places;
    default:
        return stave__rule_table_of(&trace->rules, kind);
    }
}

int stave__tables_write(stave_trace *trace, struct stave__writer *writer, struct stave__told *told,
                        stave_error *error)
{
    struct output out = {.trace = trace, .writer = writer, .told = told};
    struct stave__table anchors = {.row_size = sizeof(struct stave__anchor_row)};
    int status = gather_anchors(trace, &anchors, error);
    if (status >= 0)
        status = write_strings(&out, error);
    for (size_t i = 0; status >= 0 && i < DESCRIPTIONS; i++) {
        const struct stave__table *table = table_of(trace, descriptions[i].kind);
        status = write_table(&out, &descriptions[i], table != NULL ? table : &anchors, error);
    }
    stave__table_free(&anchors);
    return status;
}

/* ---- reading --------------------------------------------------------------------------------- */

static const char not_sound[] = "a table that is not sound";
static const char no_such_row[] = "a table that refers to a row which is not there";

/* Whether texts of these sizes are exactly the bytes that are there. */
static bool sizes_are_right(const uint64_t *sizes, uint64_t count, size_t bytes)
{
    size_t used = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (sizes[i] > bytes - used || sizes[i] > STAVE__STRING_MAX)
            return false;
        used += (size_t)sizes[i];
    }
    return used == bytes;
}

/* The sizes and the bytes of a block of texts; false when they are not sound. */
static bool find_texts(const struct stave__header *header, const uint8_t *body, uint64_t *sizes,
                       struct stave__column *bytes)
{
    struct stave__column column;
    const uint8_t *end = body + header->raw_size;
    const uint8_t *at = stave__column_next(body, end, &column);
    if (at == NULL || column.number != 0 || column.count != header->rows ||
        !stave__column_get(&column, NULL, sizes))
        return false;
    at = stave__column_next(at, end, bytes);
    if (at == NULL || bytes->number != 1 || bytes->transform != STAVE__PLAIN ||
        bytes->mode != STAVE__BYTES || bytes->count != bytes->size)
        return false;
    while (at != NULL && at < end)
        at = stave__column_next(at, end, &column);
    return at != NULL && sizes_are_right(sizes, header->rows, bytes->size);
}

static const char *read_strings(stave_trace *trace, const struct stave__header *header,
                                const uint8_t *body, int *status, stave_error *error)
{
    struct stave__column bytes;
    uint64_t *sizes = trace->blocks.numbers;
    size_t used = 0;
    if (!find_texts(header, body, sizes, &bytes))
        return not_sound;
    for (uint32_t i = 0; i < header->rows; i++) {
        bool known = header->first + i < stave_trace_strings(trace);
        if (!known && stave__strings_append(&trace->strings, (const char *)bytes.bytes + used,
                                            (size_t)sizes[i]) < 0) {
            *status = stave__fail_memory(error);
            return NULL;
        }
        used += (size_t)sizes[i];
    }
    return NULL;
}

/* Times so far away, and ticks so long, that a sum of them might not be finite are nobody's. */
#define US_MAX 1e100
#define HZ_MIN 1e-6
#define HZ_MAX 1e15

static bool is_time(double us)
{
    return isfinite(us) && fabs(us) <= US_MAX;
}

static bool is_rate(double hz)
{
    return hz == 0 || (hz >= HZ_MIN && hz <= HZ_MAX);
}

/* A lane that gets its name when all is read: stave__tables_settle(). */
static bool is_lost_name(const stave_trace *trace, uint32_t name)
{
    return name == STAVE_NONE && stave_trace_damages(trace) > 0;
}

/* Whether what a row refers to is there. */
static bool is_right(const stave_trace *trace, enum stave__table_kind kind, const void *row)
{
    uint32_t strings = stave_trace_strings(trace);
    const stave_lane *lane = row;
    const stave_process *process = row;
    const stave_boot *boot = row;
    const struct stave__anchor_row *anchor = row;
    const stave_module *module = row;
    const stave_property *property = row;
    const stave_place *place = row;
    switch (kind) {
    case STAVE__PROCESSES:
        return process->name < strings;
    case STAVE__LANES:
        return (lane->name < strings || is_lost_name(trace, lane->name)) &&
               lane->process <= trace->processes.rows;
    case STAVE__BOOTS:
        return is_time(boot->offset_us) && is_time(boot->end_us);
    case STAVE__ANCHORS:
        return anchor->boot < trace->boots.rows;
    case STAVE__MODULES:
        return module->path < strings && module->build_id < strings &&
               module->process <= trace->processes.rows && module->boot < trace->boots.rows;
    case STAVE__PROPERTIES:
        return property->key < strings &&
               ((property->flags & STAVE_FLAG_TEXT) == 0 || property->value < strings);
    case STAVE__PLACES:
        return place->name < strings && place->file < strings && place->function < strings;
    default:
        return stave__rules_row_is_right(trace, kind, row);
    }
}

/* An anchor stands in place of its boot's from its index on. The first is that of tick 0. */
static const char *take_anchor(stave_trace *trace, const struct stave__anchor_row *row, int *status,
                               stave_error *error)
{
    struct stave__boot *boot = stave__boot_at(trace, row->boot);
    const stave_anchor *anchor = &row->anchor;
    if (!is_rate(anchor->hz) || !is_time(anchor->us) || row->index > boot->anchors_used ||
        (row->index == 0 && anchor->tick != 0) ||
        (row->index > 1 && anchor->tick <= boot->anchors[row->index - 1].tick))
        return not_sound;
    boot->anchors_used = row->index;
    *status = stave__boot_add_anchor(boot, anchor, error);
    return NULL;
}

/* A boot keeps its anchors when it is told again. */
static int take_boot(stave_trace *trace, uint32_t id, const stave_boot *row, stave_error *error)
{
    if (id == trace->boots.rows) {
        int status = stave__trace_boot(trace, row->offset_us, 0, &id, error);
        if (status < 0)
            return status;
    }
    stave__boot_at(trace, id)->shown = *row;
    return STAVE_OK;
}

/* Row `id`: the next one, or one that is told anew. */
static int take_row(struct stave__table *table, uint32_t id, const void *row, stave_error *error)
{
    void *to = id < table->rows ? stave__table_at(table, id) : stave__table_add(table);
    if (to == NULL)
        return stave__fail_memory(error);
    memcpy(to, row, table->row_size);
    return STAVE_OK;
}

static const char *take(stave_trace *trace, enum stave__table_kind kind, uint32_t id, void *row,
                        int *status, stave_error *error)
{
    *status = stave__tables_settle(trace, kind, row, error);
    if (*status < 0)
        return NULL;
    if (!is_right(trace, kind, row))
        return no_such_row;
    if (kind == STAVE__ANCHORS)
        return take_anchor(trace, row, status, error);
    if (kind == STAVE__PLACES)
        stave__place_index_forget(trace->place_index);
    *status = kind == STAVE__BOOTS ? take_boot(trace, id, row, error)
                                   : take_row(table_of(trace, kind), id, row, error);
    return NULL;
}

static const struct field *field_of(const struct description *d, uint32_t number)
{
    for (uint32_t f = 0; f < d->fields_count; f++)
        if (d->fields[f].number == number)
            return &d->fields[f];
    return NULL;
}

/* The block's rows side by side in `rows`, ROW_SIZE_MAX bytes each: every column once; unknown ones
 * are passed over. */
static bool read_rows(const struct description *d, const struct stave__header *header,
                      const uint8_t *body, char *rows, uint64_t *values)
{
    const uint8_t *at = body, *end = body + header->raw_size;
    struct stave__column column;
    uint32_t seen = 0;
    while (at < end) {
        at = stave__column_next(at, end, &column);
        if (at == NULL)
            return false;
        const struct field *field = field_of(d, column.number);
        if (field == NULL)
            continue;
        if ((seen & 1u << field->number) != 0 || column.count != header->rows ||
            !stave__column_get(&column, NULL, values))
            return false;
        for (uint32_t i = 0; i < header->rows; i++)
            if (!set_field(rows + (size_t)i * ROW_SIZE_MAX, field, values[i]))
                return false;
        seen |= 1u << field->number;
    }
    return seen == (1u << d->fields_count) - 1;
}

static const char *take_rows(stave_trace *trace, const struct stave__header *header, char *rows,
                             int *status, stave_error *error)
{
    const char *wrong = NULL;
    for (uint32_t i = 0; i < header->rows && wrong == NULL && *status >= 0; i++)
        wrong = take(trace, (enum stave__table_kind)header->kind, (uint32_t)header->first + i,
                     rows + (size_t)i * ROW_SIZE_MAX, status, error);
    return wrong;
}

static const char *read_table(stave_trace *trace, const struct description *d,
                              const struct stave__header *header, const uint8_t *body, int *status,
                              stave_error *error)
{
    char *rows = calloc(header->rows, ROW_SIZE_MAX);
    if (rows == NULL) {
        *status = stave__fail_memory(error);
        return NULL;
    }
    const char *wrong = not_sound;
    if (read_rows(d, header, body, rows, trace->blocks.numbers))
        wrong = take_rows(trace, header, rows, status, error);
    free(rows);
    return wrong;
}

bool stave__tables_is_known(uint64_t kind)
{
    bool is_known = kind == STAVE__STRINGS;
    for (size_t i = 0; i < DESCRIPTIONS; i++)
        is_known = is_known || descriptions[i].kind == kind;
    return is_known;
}

uint32_t stave__tables_rows(stave_trace *trace, uint64_t kind)
{
    if (kind == STAVE__STRINGS)
        return stave_trace_strings(trace);
    const struct stave__table *table = table_of(trace, (enum stave__table_kind)kind);
    return table != NULL ? table->rows : UINT32_MAX;
}

const char *stave__tables_read(stave_trace *trace, const struct stave__header *header,
                               const uint8_t *body, int *status, stave_error *error)
{
    if (header->rows == 0 || header->rows > STAVE__BLOCK_ROWS_MAX ||
        header->first > stave__tables_rows(trace, header->kind))
        return "a table whose rows do not follow those before";
    if (header->kind == STAVE__STRINGS)
        return read_strings(trace, header, body, status, error);
    for (size_t i = 0; i < DESCRIPTIONS; i++)
        if (descriptions[i].kind == header->kind)
            return read_table(trace, &descriptions[i], header, body, status, error);
    return "a table of an unknown kind";
}
