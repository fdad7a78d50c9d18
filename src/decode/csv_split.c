#include "decode/csv_split.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "stave/decode.h"

#define FIRST_ROOM 4096

void stave__csv_split_init(struct csv_split *split)
{
    *split = (struct csv_split){.number = 1};
}

void stave__csv_split_free(struct csv_split *split)
{
    free(split->carry);
    split->carry = NULL;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* The end of a row that has quotes. An even number of them stands before it. */
static const char *find_quoted_end(struct csv_split *split, const char *at, const char *end)
{
    bool in_quotes = split->in_quotes;
    for (; at < end; at++) {
        if (*at == '"')
            in_quotes = !in_quotes;
        else if (*at == '\n' && !in_quotes)
            break;
    }
    split->in_quotes = in_quotes;
    return at < end ? at : NULL;
}

/* The LF that ends the row, or NULL. */
static const char *find_end(struct csv_split *split, const char *at, const char *end)
{
    if (split->has_quotes)
        return find_quoted_end(split, at, end);
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    const char *quote = memchr(at, '"', (size_t)((newline != NULL ? newline : end) - at));
    if (quote == NULL)
        return newline;
    split->has_quotes = true;
    return find_quoted_end(split, quote, end);
}

static int carry(struct csv_split *split, const char *bytes, size_t size, stave_error *error)
{
    size_t room = split->room != 0 ? split->room : FIRST_ROOM;
    while (room < split->carried + size)
        room *= 2;
    if (room != split->room) {
        char *larger = realloc(split->carry, room);
        if (larger == NULL)
            return stave__fail_memory(error);
        split->carry = larger;
        split->room = room;
    }
    memcpy(split->carry + split->carried, bytes, size);
    split->carried += size;
    return STAVE_OK;
}

/* The row's bytes are these; the next one begins `behind` bytes further on. */
static void give(struct csv_split *split, const char *bytes, size_t size, size_t behind,
                 struct csv_row *row)
{
    *row = (struct csv_row){
        .at = bytes,
        .end = bytes + size,
        .quoted = split->has_quotes ? split->carry : NULL,
        .number = split->number++,
        .offset = split->offset,
    };
    if (size > 0 && bytes[size - 1] == '\r')
        row->end--;
    split->offset += size + behind;
    split->carried = 0;
    split->has_quotes = false;
}

int stave__csv_next_row(struct csv_split *split, const char **at, const char *end,
                        struct csv_row *row, stave_error *error)
{
    const char *bytes = *at;
    if (bytes == end)
        return 0;
    const char *row_end = find_end(split, bytes, end);
    size_t size = (size_t)((row_end != NULL ? row_end : end) - bytes);
    if (size > STAVE_CSV_LINE_MAX - split->carried)
        return stave__fail(error, STAVE_E_FORMAT, split->offset,
                           "row %llu: longer than %d bytes; is a quote not closed?",
                           (unsigned long long)split->number, STAVE_CSV_LINE_MAX);
    if (row_end == NULL || split->carried > 0 || split->has_quotes) {
        int status = carry(split, bytes, size, error);
        if (status < 0)
            return status;
        bytes = split->carry;
        size = split->carried;
    }
    *at = row_end != NULL ? row_end + 1 : end;
    if (row_end == NULL)
        return 0;
    give(split, bytes, size, 1, row);
    return 1;
}

int stave__csv_last_row(struct csv_split *split, struct csv_row *row, stave_error *error)
{
    if (split->in_quotes)
        return stave__fail(error, STAVE_E_FORMAT, split->offset,
                           "row %llu: the file ends within quotes",
                           (unsigned long long)split->number);
    if (split->carried == 0)
        return 0;
    give(split, split->carry, split->carried, 0, row);
    return 1;
}

/* ---- fields with quotes ---------------------------------------------------------------------- */

static int fail_quote(const struct csv_row *row, stave_error *error)
{
    return stave__fail(error, STAVE_E_FORMAT, row->offset,
                       "row %llu: a quote within a field; put quotes around the field and double "
                       "the one in it",
                       (unsigned long long)row->number);
}

/* A field in quotes, made shorter where it stands by what doubled its quotes. Its closing quote is
 * there: quotes are even in number in a row. */
static const char *unquote(struct csv_row *row, struct csv_field *field)
{
    const char *at = row->at + 1;
    char *text = row->quoted + (at - row->quoted);
    size_t size = 0;
    for (;;) {
        if (*at == '"' && (at + 1 == row->end || at[1] != '"'))
            break;
        at += *at == '"';
        text[size++] = *at++;
    }
    *field = (struct csv_field){text, size};
    return at + 1;
}

int stave__csv_next_quoted(struct csv_row *row, struct csv_field *field, stave_error *error)
{
    const char *at = row->at;
    if (at < row->end && *at == '"') {
        at = unquote(row, field);
    } else {
        while (at < row->end && *at != ',' && *at != '"')
            at++;
        *field = (struct csv_field){row->at, (size_t)(at - row->at)};
    }
    bool more = at < row->end;
    if (more && *at != ',')
        return fail_quote(row, error);
    row->at = at + more;
    return more;
}
