#include "cli/magic.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

#define MAGIC_MAX 8 /* bytes of the longest */

static const unsigned char stave_magic[MAGIC_MAX] = "\x89STV\r\n\x1a\n";

struct magic {
    const char *bytes;
    size_t size;
    const char *what;
};

/* None of these begins a sound etrace frame. */
static const struct magic others[] = {
    {"\x1f\x8b\x08", 3, "is gzip data; unpack it first (gzip -dc FILE | stave decode -)"},
    {"\x28\xb5\x2f\xfd", 4, "is zstd data; unpack it first (zstd -dc FILE | stave decode -)"},
    {"\xfd\x37zXZ\x00", 6, "is xz data; unpack it first (xz -dc FILE | stave decode -)"},
    {"\x7f\x45LF", 4, "is an ELF file, a program, not what it recorded"},
};

const char *cli_magic_of_others(const unsigned char *head, size_t size)
{
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (size >= others[i].size && memcmp(head, others[i].bytes, others[i].size) == 0)
            return others[i].what;
    return NULL;
}

bool cli_magic_is_text(const unsigned char *bytes, size_t size)
{
    uint32_t point;
    size_t step;
    for (size_t at = 0; at < size; at += step) {
        step = stave__utf8_decode((const char *)bytes + at, size - at, &point);
        if (step == 0)
            return at > 0 && size - at < 4; /* a sequence that the chunk cut */
        bool space = point == '\t' || point == '\n' || point == '\r' || point == '\f';
        if ((point < 0x20 && !space) || point == 0x7f)
            return false;
    }
    return true;
}

/* Of a text, the whole first line is needed. */
bool cli_magic_is_enough(const unsigned char *head, size_t size)
{
    return size >= MAGIC_MAX &&
           (memchr(head, '\n', size) != NULL || !cli_magic_is_text(head, size));
}

/* ---- a CSV's first line ---------------------------------------------------------------------- */

#define NEEDED_COUNT 4

static const char *const needed[NEEDED_COUNT] = {"name", "type", "start_us", "end_us"};

/* The field at `at`, without its quotes; how many bytes it takes up to the comma or the end. */
static size_t take_field(const char *at, size_t left, const char **field, size_t *size)
{
    const char *comma = memchr(at, ',', left);
    size_t taken = comma != NULL ? (size_t)(comma - at) : left;
    bool quoted = taken >= 2 && at[0] == '"' && at[taken - 1] == '"';
    *field = at + quoted;
    *size = taken - 2 * (size_t)quoted;
    return taken;
}

static unsigned find_needed(const char *field, size_t size)
{
    for (unsigned i = 0; i < NEEDED_COUNT; i++)
        if (strlen(needed[i]) == size && memcmp(needed[i], field, size) == 0)
            return 1u << i;
    return 0;
}

/* Which of the columns that a CSV of ours must have the first line names: bits. */
static unsigned find_columns(const char *head, size_t size)
{
    const char *end = memchr(head, '\n', size);
    size_t line = end != NULL ? (size_t)(end - head) : size;
    size_t at = line >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    if (line > at && head[line - 1] == '\r')
        line--;
    unsigned found = 0;
    while (at < line) {
        const char *field;
        size_t field_size, taken = take_field(head + at, line - at, &field, &field_size);
        found |= find_needed(field, field_size);
        at += taken + 1;
    }
    return found;
}

static bool is_csv(const char *head, size_t size)
{
    return find_columns(head, size) == (1u << NEEDED_COUNT) - 1;
}

/* What stands between the fields of a first line where commas should. */
static const char *other_separator(const char *head, size_t size)
{
    const char *end = memchr(head, '\n', size);
    size_t line = end != NULL ? (size_t)(end - head) : size;
    if (memchr(head, ',', line) != NULL)
        return NULL;
    return memchr(head, ';', line) != NULL    ? "semicolons"
           : memchr(head, '\t', line) != NULL ? "tabs"
                                              : NULL;
}

void cli_magic_missing(const unsigned char *head, size_t size, char *text)
{
    const char *line = (const char *)head, *separator = other_separator(line, size);
    unsigned found = find_columns(line, size);
    if (separator != NULL) {
        snprintf(text, CLI_MAGIC_MISSING_MAX, "its fields are separated by %s, not by commas",
                 separator);
        return;
    }
    int used = snprintf(text, CLI_MAGIC_MISSING_MAX, "row 1 does not name these columns:");
    for (unsigned i = 0; i < NEEDED_COUNT; i++)
        if ((found & 1u << i) == 0)
            used += snprintf(text + used, CLI_MAGIC_MISSING_MAX - (size_t)used, " %s", needed[i]);
}

enum cli_input_kind cli_magic_kind(const unsigned char *head, size_t size)
{
    if (size >= MAGIC_MAX && memcmp(head, stave_magic, MAGIC_MAX) == 0)
        return CLI_STAVE;
    return is_csv((const char *)head, size) ? CLI_CSV : CLI_ETRACE;
}
