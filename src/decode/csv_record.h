/* decode/csv_record.h - a CSV's rows by column, and what stands in them as times and numbers.
 *
 *     status = stave__csv_head_read(&head, &first_row, &error);
 *     status = stave__csv_record_read(&head, &row, &record, &error);
 *     status = csv_record_time(&record, CSV_START, &start, &error);
 *
 * Errors are STAVE_E_FORMAT with a message like `row 17: start_us: "abc" is not a number of
 * microseconds`, at the row's first byte. Those of this kind, a cell that is no number of the kind that
 * its column needs, also set the record's `unreadable`.  */
#ifndef STAVE_DECODE_CSV_RECORD_H
#define STAVE_DECODE_CSV_RECORD_H

#include "decode/csv_split.h"
#include "stave/decode.h"

enum csv_column {
#define CSV_COLUMN_ENUM(name, text, needed) CSV_##name,
    STAVE_CSV_COLUMN_TABLE(CSV_COLUMN_ENUM)
#undef CSV_COLUMN_ENUM
        CSV_OTHER, /* a column that we do not know */
    CSV_COLUMNS = CSV_OTHER
};

#define CSV_HEAD_MAX 256 /* columns in a file */

struct csv_head {
    unsigned columns;             /* 0 before the head was read */
    uint64_t number;              /* of its row */
    uint8_t column[CSV_HEAD_MAX]; /* an enum csv_column, by place in the row */
};

struct csv_record {
    struct csv_field fields[CSV_COLUMNS + 1]; /* what the file lacks is empty */
    uint64_t number, offset;                  /* of its row */
    bool unreadable;                          /* a cell was no number; see above */
};

struct csv_time {
    int64_t ns;
    double us;      /* the double nearest to the text; infinite beyond the range of doubles */
    bool rounded;   /* the text is finer than a nanosecond */
    bool saturated; /* it is beyond the range of ns, which stands at its limit */
};

struct csv_value {
    uint64_t bits;
    uint16_t flags; /* enum stave_row_flag: what it is; 0: there is none */
};

int stave__csv_head_read(struct csv_head *head, struct csv_row *row, stave_error *error);
int stave__csv_record_read(const struct csv_head *head, struct csv_row *row,
                           struct csv_record *record, stave_error *error);

/* `what` follows the row, the column and its text. */
int stave__csv_record_fail(const struct csv_record *record, enum csv_column column,
                           const char *what, stave_error *error);

/* Any decimal. */
int stave__csv_record_any_time(struct csv_record *record, enum csv_column column,
                               struct csv_time *time, stave_error *error);

/* Blanks around numbers are passed over, here and below. A whole number of at most `most`; 0 where the
 * field is empty. */
int stave__csv_record_any_number(struct csv_record *record, enum csv_column column, uint64_t most,
                                 uint64_t *number, stave_error *error);

/* 0 or 1, or false or true in any case; false where the field is empty. */
int stave__csv_record_any_bool(struct csv_record *record, enum csv_column column, bool *yes,
                               stave_error *error);

/* A marker's value: a whole number from -2^63 to 2^64 - 1, or a double. */
int stave__csv_record_value(struct csv_record *record, struct csv_value *value, stave_error *error);

/* A field without the blanks around it. */
struct csv_field stave__csv_record_cell(const struct csv_record *record, enum csv_column column);

/* Whether there is anything but blanks. */
static inline bool csv_record_has(const struct csv_record *record, enum csv_column column)
{
    const struct csv_field *field = &record->fields[column];
    return field->size != 0 &&
           (*field->text > ' ' || stave__csv_record_cell(record, column).size != 0);
}

static inline const char *csv_digits(const char *at, const char *end, uint64_t *number)
{
    for (; at < end && *at >= '0' && *at <= '9'; at++)
        *number = *number * 10 + (uint64_t)(*at - '0');
    return at;
}

/* Nearly all times: at most 16 bytes, three decimals and 2^53 ns, so that nothing is rounded twice.
 * False for anything else. */
static inline bool csv_usual_time(const struct csv_field *field, struct csv_time *time)
{
    static const uint16_t thousandths[] = {1000, 100, 10, 1}; /* by decimals */
    const char *end = field->text + field->size;
    bool negative = field->size > 0 && *field->text == '-';
    const char *first = field->text + negative;
    uint64_t n = 0;
    if (end - first > 16)
        return false;
    const char *point = csv_digits(first, end, &n);
    if (point == first)
        return false;
    if (point == end) {
        n *= 1000;
    } else {
        size_t decimals = (size_t)(end - point) - 1;
        if (*point != '.' || decimals > 3 || csv_digits(point + 1, end, &n) != end)
            return false;
        n *= thousandths[decimals];
    }
    if (n >= (uint64_t)1 << 53)
        return false;
    time->ns = negative ? -(int64_t)n : (int64_t)n;
    time->us = (double)time->ns / 1000.0;
    time->rounded = time->saturated = false;
    return true;
}

static inline int csv_record_time(struct csv_record *record, enum csv_column column,
                                  struct csv_time *time, stave_error *error)
{
    if (csv_usual_time(&record->fields[column], time))
        return STAVE_OK;
    return stave__csv_record_any_time(record, column, time, error);
}

/* Nearly all whole numbers: at most 9 digits. */
static inline bool csv_usual_number(const struct csv_field *field, uint64_t *number)
{
    const char *end = field->text + field->size;
    *number = 0;
    return field->size - 1 < 9 && csv_digits(field->text, end, number) == end;
}

static inline int csv_record_number(struct csv_record *record, enum csv_column column,
                                    uint64_t most, uint64_t *number, stave_error *error)
{
    if (csv_usual_number(&record->fields[column], number) && *number <= most)
        return STAVE_OK;
    return stave__csv_record_any_number(record, column, most, number, error);
}

static inline int csv_record_bool(struct csv_record *record, enum csv_column column, bool *yes,
                                  stave_error *error)
{
    uint64_t number;
    bool usual = csv_usual_number(&record->fields[column], &number) && number <= 1;
    *yes = usual && number == 1;
    return usual ? STAVE_OK : stave__csv_record_any_bool(record, column, yes, error);
}

#endif
