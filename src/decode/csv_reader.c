/* The CSV reader: rows to spans, marks and gaps. docs/csv.md has the rules. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "base/error.h"
#include "decode/csv_lanes.h"
#include "decode/csv_record.h"
#include "stave/decode.h"

#define RESET_NAME "device reset" /* of the marker at which a run ended: docs/etrace.md, rule 8 */
#define BOM "\xef\xbb\xbf"

struct stave_csv_reader {
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
    stave__csv_lanes_init(&reader->lanes, trace, reader->boot);
    return STAVE_OK;
}

int stave_csv_reader_new(stave_trace *trace, stave_csv_reader **reader, stave_error *error)
{
    stave_csv_reader *r = calloc(1, sizeof *r);
    if (r == NULL)
        return stave__fail_memory(error);
    r->trace = trace;
    stave__csv_split_init(&r->split);
    for (int i = 0; i <= CSV_COLUMNS; i++)
        r->record.fields[i].text = "";
    int status = begin(r, error);
    if (status < 0) {
        free(r);
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

/* A time that becomes one of the trace. */
static inline int take_time(stave_csv_reader *reader, enum csv_column column, struct csv_time *time,
                            uint16_t *flags, stave_error *error)
{
    int status = csv_record_time(&reader->record, column, time, error);
    if (status < 0)
        return status;
    reader->stats.rounded += time->rounded;
    if (time->saturated) {
        reader->stats.saturated++;
        *flags |= STAVE_FLAG_SATURATED;
        time->us = (double)time->ns / 1000.0; /* what is written next time */
    }
    if (!reader->has_latest || time->ns > reader->latest)
        reader->latest = time->ns;
    reader->has_latest = true;
    return STAVE_OK;
}

static inline int take_stretch(stave_csv_reader *reader, struct csv_time *start,
                               struct csv_time *end, uint16_t *flags, stave_error *error)
{
    int status = take_time(reader, CSV_START, start, flags, error);
    if (status >= 0)
        status = take_time(reader, CSV_END, end, flags, error);
    if (status >= 0 && end->ns < start->ns)
        return stave__csv_record_fail(&reader->record, CSV_END, "is before start_us", error);
    return status;
}

static int fail_lanes(const stave_csv_reader *reader, int status, stave_error *error)
{
    if (status != STAVE_E_LIMIT)
        return status;
    return stave__fail(error, status, reader->record.offset,
                       "row %llu: more than %d lanes; a lane is a name with its type, priority and "
                       "relative deadline",
                       (unsigned long long)reader->record.number, STAVE_DECODER_IDS_MAX);
}

/* ---- spans ----------------------------------------------------------------------------------- */

static int take_interrupted(const struct csv_record *record, uint16_t *flags, stave_error *error)
{
    uint64_t interrupted;
    int status = stave__csv_record_number(record, CSV_INTERRUPTED, 1, &interrupted, error);
    if (status >= 0 && interrupted == 1)
        *flags |= STAVE_FLAG_INTERRUPTED;
    return status;
}

static int take_deadline(const struct csv_record *record, const struct csv_time *start,
                         struct csv_lane_key *key, stave_error *error)
{
    struct csv_time deadline;
    int status = csv_record_time(record, CSV_DEADLINE, &deadline, error);
    if (status < 0)
        return status;
    double relative_ms = (deadline.us - start->us) / 1000.0;
    if (!(fabs(relative_ms) <= (double)FLT_MAX))
        return stave__csv_record_fail(record, CSV_DEADLINE, "is too far from start_us", error);
    key->has_deadline = true;
    key->start_us = start->us;
    key->deadline_us = deadline.us;
    return STAVE_OK;
}

static int find_lane(stave_csv_reader *reader, uint32_t kind, const struct csv_time *start,
                     struct csv_writer **writer, stave_error *error)
{
    const struct csv_record *record = &reader->record;
    const struct csv_field *name = &record->fields[CSV_NAME];
    struct csv_lane_key key = {.name = name->text, .name_size = name->size, .kind = kind};
    uint64_t priority;
    int status = stave__csv_record_number(record, CSV_PRIORITY, UINT32_MAX, &priority, error);
    if (status >= 0 && csv_record_has(record, CSV_DEADLINE))
        status = take_deadline(record, start, &key, error);
    if (status < 0)
        return status;
    key.priority = (uint32_t)priority;
    status = stave__csv_lanes_of_span(&reader->lanes, &key, writer, error);
    return fail_lanes(reader, status, error);
}

static int take_span(stave_csv_reader *reader, uint32_t kind, stave_error *error)
{
    struct csv_time start, end;
    struct csv_writer *writer;
    uint16_t flags = 0;
    int status = take_stretch(reader, &start, &end, &flags, error);
    if (status >= 0)
        status = take_interrupted(&reader->record, &flags, error);
    if (status >= 0)
        status = find_lane(reader, kind, &start, &writer, error);
    if (status < 0)
        return status;
    uint64_t serial = ++reader->stats.spans;
    return stave__append_span(&writer->spans, start.ns, end.ns, serial, flags, error);
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
    const struct csv_record *record = &reader->record;
    const struct csv_field *name = &record->fields[CSV_NAME];
    struct csv_time time;
    struct csv_writer *writer;
    uint64_t value;
    uint16_t flags = 0;
    int status = take_time(reader, CSV_START, &time, &flags, error);
    if (status >= 0)
        status = stave__csv_record_number(record, CSV_VALUE, UINT64_MAX, &value, error);
    if (status < 0)
        return status;
    reader->stats.markers++;
    if (is_reset(record))
        return stave__append_mark(&reader->resets, time.ns, reader->reset_name, 0,
                                  flags | STAVE_FLAG_RESTART, error);
    if (csv_record_has(record, CSV_VALUE))
        flags |= STAVE_FLAG_HAS_VALUE;
    status = stave__csv_lanes_of_mark(&reader->lanes, name->text, name->size, &writer, error);
    if (status < 0)
        return fail_lanes(reader, status, error);
    return stave__append_mark(&writer->marks, time.ns, 0, value, flags, error);
}

static int take_gap(stave_csv_reader *reader, stave_error *error)
{
    struct csv_time start, end;
    uint64_t lost;
    uint16_t flags = 0;
    int status = take_stretch(reader, &start, &end, &flags, error);
    if (status >= 0)
        status = stave__csv_record_number(&reader->record, CSV_VALUE, UINT64_MAX, &lost, error);
    if (status < 0)
        return status;
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

static int finish(stave_csv_reader *reader, stave_error *error)
{
    struct csv_row row;
    int status = stave__csv_last_row(&reader->split, &row, error);
    if (status > 0)
        status = take_row(reader, &row, error);
    if (status < 0)
        return status;
    if (reader->head.columns == 0)
        return stave__fail(error, STAVE_E_FORMAT, 0,
                           "there is no row; the first has to name the columns: name, type, "
                           "start_us, end_us ...");
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
    int status = STAVE_OK;
    if (stats->rounded > 0)
        status = stave__trace_set_property(reader->trace, "csv.rounded", 0, stats->rounded, error);
    if (status >= 0 && stats->saturated > 0)
        status =
            stave__trace_set_property(reader->trace, "csv.saturated", 0, stats->saturated, error);
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
