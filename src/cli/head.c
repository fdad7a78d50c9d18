#include "cli/head.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "stave/decode.h"

#define SHOWN_MAX 24 /* bytes of a column's name */

static const struct {
    const char *text;
    bool needed;
} columns[] = {
#define COLUMN(name, text, needed) {text, needed},
    STAVE_CSV_COLUMN_TABLE(COLUMN)
#undef COLUMN
};
#define COLUMNS (sizeof columns / sizeof columns[0])

struct piece {
    const char *text;
    size_t size;
};

struct row {
    struct piece text;    /* without its line end */
    unsigned long number; /* in the file, from 1 */
    bool ended;           /* by a line feed */
};

/* ---- the row --------------------------------------------------------------------------------- */

static struct row row_at(const char *at, size_t left, unsigned long number)
{
    const char *end = memchr(at, '\n', left);
    struct row row = {{at, end != NULL ? (size_t)(end - at) : left}, number, end != NULL};
    if (row.text.size > 0 && at[row.text.size - 1] == '\r')
        row.text.size--;
    return row;
}

/* The first row that is not empty, or the last. */
static struct row first_row(const char *bytes, size_t size)
{
    const char *end = bytes + size;
    if (size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0)
        bytes += 3;
    struct row row = row_at(bytes, (size_t)(end - bytes), 1);
    while (row.text.size == 0 && row.ended) {
        bytes = (const char *)memchr(bytes, '\n', (size_t)(end - bytes)) + 1;
        row = row_at(bytes, (size_t)(end - bytes), row.number + 1);
    }
    return row;
}

/* As old programs wrote it. The file is one row then, which may well begin with the right names. */
static bool ends_in_cr(const struct row *row)
{
    return !row->ended && memchr(row->text.text, '\r', row->text.size) != NULL;
}

bool cli_head_is_whole(const char *bytes, size_t size)
{
    struct row row = first_row(bytes, size);
    return row.text.size > 0 && row.ended;
}

/* ---- its fields ------------------------------------------------------------------------------ */

/* Takes the next field from `rest`, which is not empty. */
static struct piece take_field(struct piece *rest)
{
    const char *comma = memchr(rest->text, ',', rest->size);
    struct piece field = {rest->text, comma != NULL ? (size_t)(comma - rest->text) : rest->size};
    size_t taken = field.size + (comma != NULL);
    *rest = (struct piece){rest->text + taken, rest->size - taken};
    return field;
}

static struct piece without_quotes(struct piece field)
{
    bool quoted = field.size >= 2 && field.text[0] == '"' && field.text[field.size - 1] == '"';
    return quoted ? (struct piece){field.text + 1, field.size - 2} : field;
}

static bool is_same(struct piece field, const char *name)
{
    return field.size == strlen(name) && memcmp(field.text, name, field.size) == 0;
}

static bool is_named(const struct row *row, const char *name)
{
    for (struct piece rest = row->text; rest.size > 0;)
        if (is_same(without_quotes(take_field(&rest)), name))
            return true;
    return false;
}

/* Which of the needed columns are not named: bits. */
static unsigned find_missing(const struct row *row)
{
    unsigned missing = 0;
    for (size_t i = 0; i < COLUMNS; i++)
        missing |= (unsigned)(columns[i].needed && !is_named(row, columns[i].text)) << i;
    return missing;
}

bool cli_head_is_ours(const char *bytes, size_t size)
{
    struct row row = first_row(bytes, size);
    return find_missing(&row) == 0 && !ends_in_cr(&row);
}

/* ---- what is near ---------------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static struct piece without_blanks(struct piece field)
{
    while (field.size > 0 && is_blank(field.text[0]))
        field = (struct piece){field.text + 1, field.size - 1};
    while (field.size > 0 && is_blank(field.text[field.size - 1]))
        field.size--;
    return field;
}

/* How a field differs from a name that it was meant to be; NULL when it was not, or is the same. */
static const char *difference(struct piece field, const char *name)
{
    struct piece bare = without_quotes(without_blanks(without_quotes(field)));
    if (bare.size != strlen(name) || strncasecmp(bare.text, name, bare.size) != 0)
        return NULL;
    bool blank = without_blanks(without_quotes(field)).size < without_quotes(field).size;
    bool capitals = !is_same(bare, name);
    return blank && capitals ? "with a blank and in capitals"
           : blank           ? "with a blank"
           : capitals        ? "in capitals"
                             : NULL;
}

/* The first field that differs from column `name` in what is easily overlooked. */
static const char *find_near(const struct row *row, const char *name, struct piece *near)
{
    for (struct piece rest = row->text; rest.size > 0;) {
        *near = take_field(&rest);
        const char *how = difference(*near, name);
        if (how != NULL)
            return how;
    }
    return NULL;
}

/* ---- why not --------------------------------------------------------------------------------- */

/* What stands between the fields where commas should. */
static const char *other_separator(struct piece row)
{
    if (memchr(row.text, ',', row.size) != NULL)
        return NULL;
    return memchr(row.text, ';', row.size) != NULL    ? "semicolons"
           : memchr(row.text, '\t', row.size) != NULL ? "tabs"
                                                      : NULL;
}

/* One that is near is enough: the others are likely to be so in the same way. */
static void explain_missing(const struct row *row, char *reason)
{
    unsigned missing = find_missing(row);
    const char *how = NULL;
    struct piece near = {0};
    int used =
        snprintf(reason, CLI_HEAD_REASON_MAX, "row %lu does not name these columns:", row->number);
    for (size_t i = 0; i < COLUMNS; i++) {
        if ((missing & 1U << i) == 0)
            continue;
        used += snprintf(reason + used, CLI_HEAD_REASON_MAX - (size_t)used, " %s", columns[i].text);
        if (how == NULL)
            how = find_near(row, columns[i].text, &near);
    }
    if (how != NULL)
        snprintf(reason + used, CLI_HEAD_REASON_MAX - (size_t)used,
                 "; names are compared exactly, and there is '%.*s', %s",
                 (int)(near.size < SHOWN_MAX ? near.size : SHOWN_MAX), near.text, how);
}

void cli_head_explain(const char *bytes, size_t size, char *reason)
{
    struct row row = first_row(bytes, size);
    const char *separator = other_separator(row.text);
    if (row.text.size == 0)
        snprintf(reason, CLI_HEAD_REASON_MAX, "all its rows are empty");
    else if (ends_in_cr(&row))
        snprintf(reason, CLI_HEAD_REASON_MAX,
                 "its lines end in CR alone; save it with LF or CRLF as line ends");
    else if (row.text.text[0] == '#')
        snprintf(reason, CLI_HEAD_REASON_MAX,
                 "row %lu is a comment; remove it, the first row has to name the columns",
                 row.number);
    else if (separator != NULL)
        snprintf(reason, CLI_HEAD_REASON_MAX, "its fields are separated by %s, not by commas",
                 separator);
    else
        explain_missing(&row, reason);
}
