/* decode/csv_split.h - bytes in any cut to the rows of a CSV, and those to fields (RFC 4180).
 *
 *     while (status >= 0 && (status = stave__csv_next_row(&split, &at, end, &row, &error)) > 0)
 *         do
 *             status = csv_next_field(&row, &field, &error);
 *         while (status > 0);
 *     status = stave__csv_last_row(&split, &row, &error);         // at the end of the file
 *
 * Rows       A row ends with LF or CRLF outside quotes. It stays where it is fed if it is there as a
 *            whole and has no quotes; else it is put together, at most STAVE_CSV_LINE_MAX bytes.
 * Ownership  A row and its fields are valid until the next call with `split`, and as long as what was
 *            fed.  */
#ifndef STAVE_DECODE_CSV_SPLIT_H
#define STAVE_DECODE_CSV_SPLIT_H

#include <stdbool.h>

#include "stave/status.h"

struct csv_split {
    char *carry; /* the row that is being read, as far as it had to be kept */
    size_t carried;
    size_t room;
    bool in_quotes;  /* where the row has been read to */
    bool has_quotes; /* somewhere in the row */
    uint64_t number; /* of this row, from 1 */
    uint64_t offset; /* of its first byte, in the file */
};

struct csv_row {
    const char *at; /* of the next field */
    const char *end;
    char *quoted; /* the row again where it has quotes, to be written to; else NULL */
    uint64_t number;
    uint64_t offset;
};

struct csv_field {
    const char *text;
    size_t size;
};

void stave__csv_split_init(struct csv_split *split);
void stave__csv_split_free(struct csv_split *split);

/* The next row of the bytes from *at to `end`, and *at behind it: 1. 0 when they end within a row: they
 * are kept. Or an error: STAVE_E_FORMAT, STAVE_E_MEMORY. */
int stave__csv_next_row(struct csv_split *split, const char **at, const char *end,
                        struct csv_row *row, stave_error *error);

/* The row that the end of the file ends: 1; 0 when there is none. */
int stave__csv_last_row(struct csv_split *split, struct csv_row *row, stave_error *error);

/* The same as csv_next_field(), for a row with quotes. */
int stave__csv_next_quoted(struct csv_row *row, struct csv_field *field, stave_error *error);

/* The next field of a row, which always has one: 1 when there are more, 0 when it is the last, or an
 * error. */
static inline int csv_next_field(struct csv_row *row, struct csv_field *field, stave_error *error)
{
    if (row->quoted != NULL)
        return stave__csv_next_quoted(row, field, error);
    const char *at = row->at;
    while (at < row->end && *at != ',')
        at++;
    *field = (struct csv_field){row->at, (size_t)(at - row->at)};
    bool more = at < row->end;
    row->at = at + more;
    return more;
}

#endif
