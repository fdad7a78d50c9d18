#include "decode/csv_record.h"

#include <math.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/shortest.h"
#include "base/utf8.h"

static const struct {
    const char *text;
    bool needed;
} columns[] = {
#define COLUMN(name, text, needed) {text, needed},
    STAVE_CSV_COLUMN_TABLE(COLUMN)
#undef COLUMN
};

/* ---- errors ---------------------------------------------------------------------------------- */

#define SHOWN_MAX 40 /* bytes of a field in a message */

static bool is_control(uint32_t point)
{
    return point < 0x20 || (point >= 0x7f && point < 0xa0);
}

/* What fits of a text, `?` for what cannot be shown. */
static void show(const struct csv_field *field, char out[SHOWN_MAX + 4])
{
    size_t at = 0, size = 0;
    while (at < field->size) {
        uint32_t point = 0;
        size_t step = stave__utf8_decode(field->text + at, field->size - at, &point);
        bool shown = step != 0 && !is_control(point);
        size_t needed = shown ? step : 1;
        if (size + needed > SHOWN_MAX)
            break;
        memcpy(out + size, shown ? field->text + at : "?", needed);
        size += needed;
        at += step != 0 ? step : 1;
    }
    memcpy(out + size, at < field->size ? "..." : "", at < field->size ? 4 : 1);
}

int stave__csv_record_fail(const struct csv_record *record, enum csv_column column,
                           const char *what, stave_error *error)
{
    char text[SHOWN_MAX + 4];
    show(&record->fields[column], text);
    return stave__fail(error, STAVE_E_FORMAT, record->offset, "row %llu: %s: \"%s\" %s",
                       (unsigned long long)record->number, columns[column].text, text, what);
}

static int fail_unreadable(struct csv_record *record, enum csv_column column, const char *what,
                           stave_error *error)
{
    record->unreadable = true;
    return stave__csv_record_fail(record, column, what, error);
}

/* ---- the head -------------------------------------------------------------------------------- */

static enum csv_column column_of(const struct csv_field *field)
{
    for (unsigned i = 0; i < CSV_COLUMNS; i++)
        if (field->size == strlen(columns[i].text) &&
            memcmp(field->text, columns[i].text, field->size) == 0)
            return (enum csv_column)i;
    return CSV_OTHER;
}

static int fail_head(const struct csv_row *row, const char *what, enum csv_column column,
                     const char *then, stave_error *error)
{
    return stave__fail(error, STAVE_E_FORMAT, row->offset, "row %llu: %s \"%s\"%s",
                       (unsigned long long)row->number, what, columns[column].text, then);
}

static int check_needed(const struct csv_row *row, unsigned seen, stave_error *error)
{
    for (unsigned i = 0; i < CSV_COLUMNS; i++)
        if (columns[i].needed && (seen & 1u << i) == 0)
            return fail_head(row, "no column", (enum csv_column)i,
                             "; the first row has to name at least name, type, start_us and "
                             "end_us",
                             error);
    return STAVE_OK;
}

int stave__csv_head_read(struct csv_head *head, struct csv_row *row, stave_error *error)
{
    unsigned n = 0, seen = 0;
    int more = 1;
    while (more > 0) {
        struct csv_field field;
        more = csv_next_field(row, &field, error);
        if (more < 0)
            return more;
        if (n == CSV_HEAD_MAX)
            return stave__fail(error, STAVE_E_FORMAT, row->offset, "row %llu: more than %d columns",
                               (unsigned long long)row->number, CSV_HEAD_MAX);
        enum csv_column column = column_of(&field);
        if (column != CSV_OTHER && (seen & 1u << column) != 0)
            return fail_head(row, "two columns", column, "", error);
        seen |= 1u << column;
        head->column[n++] = (uint8_t)column;
    }
    int status = check_needed(row, seen, error);
    if (status < 0)
        return status;
    head->columns = n;
    head->number = row->number;
    return STAVE_OK;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static int fail_count(const struct csv_head *head, const struct csv_row *row, unsigned count,
                      stave_error *error)
{
    return stave__fail(error, STAVE_E_FORMAT, row->offset,
                       "row %llu: %u field%s where the head has %u%s",
                       (unsigned long long)row->number, count, count != 1 ? "s" : "", head->columns,
                       count > head->columns ? "; one with a comma in it has to be in quotes" : "");
}

int stave__csv_record_read(const struct csv_head *head, struct csv_row *row,
                           struct csv_record *record, stave_error *error)
{
    unsigned n = 0;
    int more = 1;
    while (more > 0) {
        struct csv_field field;
        more = csv_next_field(row, &field, error);
        if (more < 0)
            return more;
        record->fields[n < head->columns ? head->column[n] : CSV_OTHER] = field;
        n++;
    }
    record->number = row->number;
    record->offset = row->offset;
    record->unreadable = false;
    return n == head->columns ? STAVE_OK : fail_count(head, row, n, error);
}

/* ---- cells ----------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

struct csv_field stave__csv_record_cell(const struct csv_record *record, enum csv_column column)
{
    struct csv_field cell = record->fields[column];
    while (cell.size > 0 && is_blank(*cell.text)) {
        cell.text++;
        cell.size--;
    }
    while (cell.size > 0 && is_blank(cell.text[cell.size - 1]))
        cell.size--;
    return cell;
}

/* ---- times ----------------------------------------------------------------------------------- */

/* Beyond 2^53 ns, which is 104 days, a time that was written has lost some of its ns, and one that is
 * written again may come out as the next double. If the text is what export/csv.c writes for `us`,
 * these are ns for which it writes the same; else they are what the text says. */
static int64_t as_written(const struct csv_field *field, int64_t ns, double us)
{
    char text[STAVE__SHORTEST_MAX];
    if ((double)ns / 1000.0 == us || stave__shortest(us, text) != field->size ||
        memcmp(text, field->text, field->size) != 0)
        return ns;
    for (int up = 0; up < 2; up++) {
        double near = nextafter((double)ns, up ? HUGE_VAL : -HUGE_VAL);
        if (near / 1000.0 == us && near >= -0x1p63)
            return near < 0x1p63 ? (int64_t)near : INT64_MAX;
    }
    return ns;
}

int stave__csv_record_any_time(struct csv_record *record, enum csv_column column,
                               struct csv_time *time, stave_error *error)
{
    const struct csv_field cell = stave__csv_record_cell(record, column);
    struct stave__decimal decimal;
    if (!stave__decimal_read(cell.text, cell.size, &decimal))
        return fail_unreadable(record, column, "is not a number of microseconds", error);
    time->ns = stave__decimal_int64(&decimal, 3, &time->rounded, &time->saturated);
    time->us = stave__decimal_double(&decimal);
    if (!time->saturated && (time->ns > (int64_t)1 << 53 || time->ns < -((int64_t)1 << 53)))
        time->ns = as_written(&cell, time->ns, time->us);
    return STAVE_OK;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static int fail_number(struct csv_record *record, enum csv_column column, uint64_t most,
                       stave_error *error)
{
    static const char what[] = "is not a whole number from 0 to ";
    char text[sizeof what + STAVE__U64_TEXT_MAX];
    memcpy(text, what, sizeof what - 1);
    text[sizeof what - 1 + stave__u64_text(most, text + sizeof what - 1)] = '\0';
    return fail_unreadable(record, column, text, error);
}

int stave__csv_record_any_number(struct csv_record *record, enum csv_column column, uint64_t most,
                                 uint64_t *number, stave_error *error)
{
    const struct csv_field cell = stave__csv_record_cell(record, column);
    struct stave__decimal decimal;
    *number = 0;
    if (cell.size == 0)
        return STAVE_OK;
    if (!stave__decimal_read(cell.text, cell.size, &decimal) ||
        !stave__decimal_u64(&decimal, number) || *number > most)
        return fail_number(record, column, most, error);
    return STAVE_OK;
}

/* In any case. `word` is in lower case. */
static bool is_word(const struct csv_field *cell, const char *word)
{
    size_t i = 0;
    while (i < cell->size && word[i] != '\0' && (cell->text[i] | ('a' - 'A')) == word[i])
        i++;
    return i == cell->size && word[i] == '\0';
}

int stave__csv_record_any_bool(struct csv_record *record, enum csv_column column, bool *yes,
                               stave_error *error)
{
    const struct csv_field cell = stave__csv_record_cell(record, column);
    struct stave__decimal decimal;
    uint64_t number = 0;
    if (cell.size > 0 && stave__decimal_read(cell.text, cell.size, &decimal)) {
        if (!stave__decimal_u64(&decimal, &number) || number > 1)
            return fail_unreadable(record, column, "is none of 0, 1, true and false", error);
        *yes = number == 1;
        return STAVE_OK;
    }
    *yes = is_word(&cell, "true");
    if (*yes || cell.size == 0 || is_word(&cell, "false"))
        return STAVE_OK;
    return fail_unreadable(record, column, "is none of 0, 1, true and false", error);
}

/* Text without a point or an exponent, which nobody writes of a number that is not whole. */
static bool is_plain(const struct csv_field *cell)
{
    for (size_t i = 0; i < cell->size; i++)
        if (cell->text[i] == '.' || cell->text[i] == 'e' || cell->text[i] == 'E')
            return false;
    return true;
}

/* A whole number of 64 bits, with or without a sign; false for all others. */
static bool whole_value(const struct stave__decimal *decimal, struct csv_value *value)
{
    bool rounded, beyond;
    value->flags = STAVE_FLAG_HAS_VALUE;
    if (stave__decimal_u64(decimal, &value->bits))
        return true;
    value->flags |= STAVE_FLAG_SIGNED;
    value->bits = (uint64_t)stave__decimal_int64(decimal, 0, &rounded, &beyond);
    return decimal->negative && !rounded && !beyond;
}

/* As export/csv.c writes it: one that came to a whole number, as 1e-400 does, is read as that next time. */
static void real_value(double real, struct csv_value *value)
{
    struct stave__decimal decimal;
    char text[STAVE__SHORTEST_MAX];
    if (stave__decimal_read(text, stave__shortest(real, text), &decimal) &&
        whole_value(&decimal, value))
        return;
    value->flags = STAVE_FLAG_HAS_VALUE | STAVE_FLAG_REAL;
    memcpy(&value->bits, &real, sizeof real);
}

int stave__csv_record_value(struct csv_record *record, struct csv_value *value, stave_error *error)
{
    const struct csv_field cell = stave__csv_record_cell(record, CSV_VALUE);
    struct stave__decimal decimal;
    *value = (struct csv_value){0};
    if (cell.size == 0)
        return STAVE_OK;
    if (is_word(&cell, "true") || is_word(&cell, "false")) {
        *value = (struct csv_value){.bits = is_word(&cell, "true"),
                                    .flags = STAVE_FLAG_HAS_VALUE | STAVE_FLAG_BOOL};
        return STAVE_OK;
    }
    if (!stave__decimal_read(cell.text, cell.size, &decimal))
        return fail_unreadable(record, CSV_VALUE, "is not a number", error);
    if (whole_value(&decimal, value))
        return STAVE_OK;
    double real = stave__decimal_double(&decimal);
    if (is_plain(&cell) || !isfinite(real))
        return fail_unreadable(record, CSV_VALUE, "is beyond the numbers that a value can be",
                               error);
    real_value(real, value);
    return STAVE_OK;
}
