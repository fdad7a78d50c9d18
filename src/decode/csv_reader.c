/* The CSV reader: rows to spans, marks and gaps. docs/csv.md has the rules. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "base/error.h"
#include "base/shortest.h"
#include "decode/csv_lanes.h"
#include "decode/csv_record.h"
#include "stave/decode.h"

#define RESET_NAME "device reset" /* of the marker at which a run ended: docs/etrace.md, rule 8 */
#define BOM "\xef\xbb\xbf"

struct stave_csv_reader {
    stave_csv_reader_config config;
    stave_trace *trace;
    stave_csv_reader_stats stats;
    struct csv_split split;
    struct csv_head head;
    struct csv_record record; /* columns that the file lacks stay empty */
    struct csv_lanes lanes;
    struct stave__appender gaps;
    struct stave__appender resets;
    uint32_t reset_name; /* string id */
    uint32_t boot;
    bool has_latest;
    int64_t latest; /* highest time of all rows */
    bool finished;
    bool failed;
};

/* ---- making one ------------------------------------------------------------------------------ */

static int begin(stave_csv_reader *reader, stave_error *error)
{
    stave_trace *trace = reader->trace;
    stave_lane device = {.kind = STAVE_LANE_DEVICE};
    uint32_t lane;
    int status =
        stave__trace_string(trace, RESET_NAME, sizeof RESET_NAME - 1, &reader->reset_name, error);
    if (status >= 0)
        status = stave__trace_lane(trace, &device, &lane, error);
    if (status >= 0)
        status = stave__trace_boot(trace, 0, 0, &reader->boot, error);
    if (status < 0)
        return status;
    stave__appender_init(&reader->gaps, &trace->blocks, STAVE_GAPS, lane, reader->boot);
    stave__appender_init(&reader->resets, &trace->blocks, STAVE_MARKS, lane, reader->boot);
    status = stave__csv_lanes_init(&reader->lanes, trace, reader->boot, error);
    reader->lanes.one_kind = reader->config.one_kind;
    return status;
}

int stave_csv_reader_new_sized(const stave_csv_reader_config *config, size_t config_size,
                               stave_trace *trace, stave_csv_reader **reader, stave_error *error)
{
    stave_csv_reader_config own;
    int status = stave__config_copy(&own, sizeof own, config, config_size, error);
    if (status < 0)
        return status;
    stave_csv_reader *r = calloc(1, sizeof *r);
    if (r == NULL)
        return stave__fail_memory(error);
    r->config = own;
    r->trace = trace;
    stave__csv_split_init(&r->split);
    for (int i = 0; i <= CSV_COLUMNS; i++)
        r->record.fields[i].text = "";
    status = begin(r, error);
    if (status < 0) {
        stave_csv_reader_free(r);
        return status;
    }
    *reader = r;
    return STAVE_OK;
}

void stave_csv_reader_free(stave_csv_reader *reader)
{
    if (reader == NULL)
        return;
    stave__csv_lanes_free(&reader->lanes);
    stave__csv_split_free(&reader->split);
    free(reader);
}

void stave_csv_reader_stats_sized(const stave_csv_reader *reader, stave_csv_reader_stats *stats,
                                  size_t stats_size)
{
    stave__config_give(stats, stats_size, &reader->stats, sizeof reader->stats);
}

/* ---- what rows have in common ---------------------------------------------------------------- */

/* What export/csv.c writes for it. */
static double written_us(const struct csv_time *time)
{
    return (double)time->ns / 1000.0;
}

/* A time that may become one of the trace: of a row that is dropped, nothing is counted. */
static inline int read_time(stave_csv_reader *reader, enum csv_column column, struct csv_time *time,
                            stave_error *error)
{
    int status = csv_record_time(&reader->record, column, time, error);
    if (status >= 0 && time->saturated)
        time->us = written_us(time);
    return status;
}

/* A time of a row that could be read as a whole. */
static inline void count_time(stave_csv_reader *reader, const struct csv_time *time,
                              uint16_t *flags)
{
    reader->stats.rounded += time->rounded;
    if (time->saturated) {
        reader->stats.saturated++;
        *flags |= STAVE_FLAG_SATURATED;
    }
}

/* The same, and something happened then. */
static inline void take_time(stave_csv_reader *reader, const struct csv_time *time, uint16_t *flags)
{
    count_time(reader, time, flags);
    if (!reader->has_latest || time->ns > reader->latest)
        reader->latest = time->ns;
    reader->has_latest = true;
}

static int fail_end(const stave_csv_reader *reader, stave_error *error)
{
    return stave__csv_record_fail(&reader->record, CSV_END, "is before start_us", error);
}

static int fail_lanes(const stave_csv_reader *reader, int status, stave_error *error)
{
    if (status != STAVE_E_LIMIT)
        return status;
    return stave__fail(error, status, reader->record.offset,
                       "row %llu: more than %d lanes; a lane is a name with its type and priority",
                       (unsigned long long)reader->record.number, STAVE_DECODER_IDS_MAX);
}

/* ---- spans ----------------------------------------------------------------------------------- */

/* What stands in a span's row. */
struct span {
    struct csv_time start, end;
    struct csv_time deadline; /* where the key has one */
    struct csv_lane_key key;
    uint16_t flags;
};

/* What a span is allowed, in microseconds as they are compared in durations: no two nanoseconds come to
 * the same below 2^52, 52 days. NAN beyond. */
static double allowed_us(const struct csv_time *start, const struct csv_time *deadline)
{
    const int64_t limit = (int64_t)1 << 52;
    int64_t ns;
    if (__builtin_sub_overflow(deadline->ns, start->ns, &ns) || ns > limit || ns < -limit)
        return (double)NAN;
    return (double)ns / 1000.0;
}

/* Whether nanoseconds say what stands in the file, and would be written like that. */
static bool is_exact(const struct csv_time *time)
{
    return !time->rounded && !time->saturated && written_us(time) == time->us;
}

static int read_deadline(stave_csv_reader *reader, struct span *span, stave_error *error)
{
    struct csv_lane_key *key = &span->key;
    int status = csv_record_time(&reader->record, CSV_DEADLINE, &span->deadline, error);
    if (status < 0)
        return status;
    key->has_deadline = true;
    key->exact = !span->start.rounded && is_exact(&span->deadline);
    key->start_us = span->start.rounded ? span->start.us : written_us(&span->start);
    key->deadline_us = span->deadline.us;
    key->allowed_us = allowed_us(&span->start, &span->deadline);
    return STAVE_OK;
}

static int read_key(stave_csv_reader *reader, struct span *span, stave_error *error)
{
    struct csv_record *record = &reader->record;
    struct csv_lane_key *key = &span->key;
    uint64_t priority;
    int status = csv_record_number(record, CSV_PRIORITY, UINT32_MAX, &priority, error);
    if (status >= 0 && csv_record_has(record, CSV_DEADLINE))
        status = read_deadline(reader, span, error);
    if (status < 0)
        return status;
    key->name = record->fields[CSV_NAME].text;
    key->name_size = record->fields[CSV_NAME].size;
    key->priority = (uint32_t)priority;
    key->row = record->number;
    return STAVE_OK;
}

/* Of an interrupted span nobody may have known it. */
static int read_end(stave_csv_reader *reader, struct span *span, stave_error *error)
{
    bool interrupted = (span->flags & STAVE_FLAG_INTERRUPTED) != 0;
    if (!interrupted || csv_record_has(&reader->record, CSV_END))
        return read_time(reader, CSV_END, &span->end, error);
    span->end = (struct csv_time){.ns = span->start.ns};
    return STAVE_OK;
}

/* The end of an interrupted span is not known: one before the start counts as the start. */
static int settle_end(const stave_csv_reader *reader, struct span *span, stave_error *error)
{
    if (span->end.ns >= span->start.ns)
        return STAVE_OK;
    if ((span->flags & STAVE_FLAG_INTERRUPTED) == 0)
        return fail_end(reader, error);
    span->end.ns = span->start.ns;
    return STAVE_OK;
}

static int read_span(stave_csv_reader *reader, struct span *span, stave_error *error)
{
    bool interrupted;
    int status = read_time(reader, CSV_START, &span->start, error);
    if (status >= 0)
        status = csv_record_bool(&reader->record, CSV_INTERRUPTED, &interrupted, error);
    if (status >= 0 && interrupted)
        span->flags |= STAVE_FLAG_INTERRUPTED;
    if (status >= 0)
        status = read_end(reader, span, error);
    if (status >= 0)
        status = read_key(reader, span, error);
    return status < 0 ? status : settle_end(reader, span, error);
}

static int fail_kind(const stave_csv_reader *reader, uint32_t kind, uint64_t other_row,
                     stave_error *error)
{
    static const char task[] = "is a task here and an isr in row ";
    static const char isr[] = "is an isr here and a task in row ";
    _Static_assert(sizeof task == sizeof isr, "both have room");
    char text[sizeof task + STAVE__U64_TEXT_MAX];
    memcpy(text, kind == STAVE_LANE_TASK ? task : isr, sizeof task - 1);
    text[sizeof task - 1 + stave__u64_text(other_row, text + sizeof task - 1)] = '\0';
    return stave__csv_record_fail(&reader->record, CSV_NAME, text, error);
}

static int find_lane(stave_csv_reader *reader, const struct csv_lane_key *key,
                     struct csv_writer **writer, stave_error *error)
{
    uint64_t other_row;
    int status = stave__csv_lanes_of_span(&reader->lanes, key, writer, &other_row, error);
    if (status == STAVE_E_FORMAT)
        return fail_kind(reader, key->kind, other_row, error);
    return fail_lanes(reader, status, error);
}

/* A deadline that its lane does not give becomes the span's own. */
static int64_t take_deadline(stave_csv_reader *reader, const struct csv_writer *writer,
                             struct span *span)
{
    if (!span->key.has_deadline || csv_lane_gives(writer, &span->key))
        return 0;
    count_time(reader, &span->deadline, &span->flags);
    span->flags |= STAVE_FLAG_HAS_VALUE;
    return span->deadline.ns;
}

static int take_span(stave_csv_reader *reader, uint32_t kind, stave_error *error)
{
    struct span span;
    struct csv_writer *writer;
    span.key = (struct csv_lane_key){.kind = kind};
    span.flags = 0;
    int status = read_span(reader, &span, error);
    if (status >= 0)
        status = find_lane(reader, &span.key, &writer, error);
    if (status < 0)
        return status;
    take_time(reader, &span.start, &span.flags);
    take_time(reader, &span.end, &span.flags);
    int64_t deadline = take_deadline(reader, writer, &span);
    uint64_t serial = ++reader->stats.spans;
    return stave__csv_writer_span(writer, span.start.ns, span.end.ns, serial, deadline, span.flags,
                                  error);
}

/* ---- markers and gaps ------------------------------------------------------------------------ */

/* Restarts have no value; a device's own marker of this name may have one. */
static bool is_reset(const struct csv_record *record)
{
    const struct csv_field *name = &record->fields[CSV_NAME];
    return name->size == sizeof RESET_NAME - 1 && memcmp(name->text, RESET_NAME, name->size) == 0 &&
           !csv_record_has(record, CSV_VALUE);
}

static int take_mark(stave_csv_reader *reader, stave_error *error)
{
    struct csv_record *record = &reader->record;
    const struct csv_field *name = &record->fields[CSV_NAME];
    struct csv_time time;
    struct csv_writer *writer;
    struct csv_value value;
    int status = read_time(reader, CSV_START, &time, error);
    if (status >= 0)
        status = stave__csv_record_value(record, &value, error);
    if (status < 0)
        return status;
    uint16_t flags = value.flags;
    take_time(reader, &time, &flags);
    reader->stats.markers++;
    if (is_reset(record))
        return stave__append_mark(&reader->resets, time.ns, reader->reset_name, 0,
                                  flags | STAVE_FLAG_RESTART, error);
    status = stave__csv_lanes_of_mark(&reader->lanes, name->text, name->size, &writer, error);
    if (status < 0)
        return fail_lanes(reader, status, error);
    return stave__append_mark(&writer->marks, time.ns, 0, value.bits, flags, error);
}

static int take_gap(stave_csv_reader *reader, stave_error *error)
{
    struct csv_time start, end;
    uint64_t lost;
    uint16_t flags = 0;
    int status = read_time(reader, CSV_START, &start, error);
    if (status >= 0)
        status = read_time(reader, CSV_END, &end, error);
    if (status >= 0)
        status = csv_record_number(&reader->record, CSV_VALUE, UINT64_MAX, &lost, error);
    if (status >= 0 && end.ns < start.ns)
        status = fail_end(reader, error);
    if (status < 0)
        return status;
    take_time(reader, &start, &flags);
    take_time(reader, &end, &flags);
    reader->stats.gaps++;
    return stave__append_stretch(&reader->gaps, start.ns, end.ns, lost, flags, error);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static bool is_text(const struct csv_field *field, const char *text, size_t size)
{
    return field->size == size && memcmp(field->text, text, size) == 0;
}

static int take_record(stave_csv_reader *reader, stave_error *error)
{
    const struct csv_field *type = &reader->record.fields[CSV_TYPE];
    if (is_text(type, "task", 4))
        return take_span(reader, STAVE_LANE_TASK, error);
    if (is_text(type, "isr", 3))
        return take_span(reader, STAVE_LANE_ISR, error);
    if (is_text(type, "marker", 6))
        return take_mark(reader, error);
    if (is_text(type, "gap", 3))
        return take_gap(reader, error);
    return stave__csv_record_fail(&reader->record, CSV_TYPE, "is none of task, isr, marker and gap",
                                  error);
}

/* A row that cannot be read is told and left out. */
static int take_or_drop(stave_csv_reader *reader, stave_error *error)
{
    const stave_csv_reader_config *config = &reader->config;
    stave_error why = {0};
    int status = take_record(reader, &why);
    if (status >= 0 || !reader->record.unreadable) {
        reader->stats.rows += status >= 0;
        return status >= 0 ? status : stave__fail(error, status, why.offset, "%s", why.message);
    }
    reader->stats.dropped++;
    if (config->dropped != NULL)
        config->dropped(config->dropped_context, &why);
    return STAVE_OK;
}

/* An empty row says nothing. */
static int take_row(stave_csv_reader *reader, struct csv_row *row, stave_error *error)
{
    if (row->number == 1 && row->end - row->at >= 3 && memcmp(row->at, BOM, 3) == 0)
        row->at += 3;
    if (row->at == row->end)
        return STAVE_OK;
    if (reader->head.columns == 0)
        return stave__csv_head_read(&reader->head, row, error);
    int status = stave__csv_record_read(&reader->head, row, &reader->record, error);
    if (status >= 0 && reader->config.drop_unreadable)
        return take_or_drop(reader, error);
    if (status >= 0)
        status = take_record(reader, error);
    reader->stats.rows += status >= 0;
    return status;
}

static int feed(stave_csv_reader *reader, const char *at, const char *end, stave_error *error)
{
    struct csv_row row;
    int status;
    while ((status = stave__csv_next_row(&reader->split, &at, end, &row, error)) > 0) {
        status = take_row(reader, &row, error);
        if (status < 0)
            return status;
    }
    return status;
}

static int check_rows(const stave_csv_reader *reader, stave_error *error)
{
    const stave_csv_reader_stats *stats = &reader->stats;
    if (reader->head.columns == 0)
        return stave__fail(error, STAVE_E_FORMAT, 0,
                           "there is no row; the first has to name the columns: name, type, "
                           "start_us, end_us ...");
    if (reader->config.rows_needed && stats->rows + stats->dropped == 0)
        return stave__fail(error, STAVE_E_FORMAT, reader->split.offset,
                           "row %llu: the file ends here; there is no row below the head",
                           (unsigned long long)reader->head.number + 1);
    return STAVE_OK;
}

static int finish(stave_csv_reader *reader, stave_error *error)
{
    struct csv_row row;
    int status = stave__csv_last_row(&reader->split, &row, error);
    if (status > 0)
        status = take_row(reader, &row, error);
    if (status >= 0)
        status = check_rows(reader, error);
    if (status < 0)
        return status;
    stave__appender_seal(&reader->gaps, NULL);
    stave__appender_seal(&reader->resets, NULL);
    stave__csv_lanes_seal(&reader->lanes);
    stave_boot *boot = &stave__boot_at(reader->trace, reader->boot)->shown;
    boot->end_us =
        reader->has_latest ? stave_time_us(reader->trace, reader->boot, reader->latest) : 0;
    boot->ended = true;
    return STAVE_OK;
}

/* ---- the calls ------------------------------------------------------------------------------- */

static int check_state(const stave_csv_reader *reader, stave_error *error)
{
    if (reader->failed)
        return stave__fail(error, STAVE_E_STATE, reader->split.offset,
                           "the reader failed before; make a new one");
    if (reader->finished)
        return stave__fail(error, STAVE_E_STATE, reader->split.offset,
                           "the file was finished; a new one needs a new reader");
    return STAVE_OK;
}

int stave_csv_reader_feed(stave_csv_reader *reader, const void *bytes, size_t size,
                          stave_error *error)
{
    int status = check_state(reader, error);
    if (status < 0 || size == 0)
        return status;
    const char *at = bytes;
    status = feed(reader, at, at + size, error);
    reader->failed = status < 0;
    return status;
}

/* So that a file made of the trace says it too. */
static int tell(const stave_csv_reader *reader, stave_error *error)
{
    const stave_csv_reader_stats *stats = &reader->stats;
    const struct {
        const char *key;
        uint64_t count;
    } told[] = {{"csv.rounded", stats->rounded},
                {"csv.saturated", stats->saturated},
                {"csv.dropped", stats->dropped}};
    int status = STAVE_OK;
    for (size_t i = 0; i < sizeof told / sizeof told[0] && status >= 0; i++)
        if (told[i].count > 0)
            status = stave__trace_set_property(reader->trace, told[i].key, 0, told[i].count, error);
    return status;
}

int stave_csv_reader_finish(stave_csv_reader *reader, stave_error *error)
{
    int status = check_state(reader, error);
    if (status < 0)
        return status;
    status = finish(reader, error);
    if (status >= 0)
        status = tell(reader, error);
    reader->finished = true;
    reader->failed = status < 0;
    return status;
}
