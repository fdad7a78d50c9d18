/* reference_csv.c - rows as text. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference_parts.h"

void *with_room(void *array, size_t count, size_t item_size)
{
    if (count != 0 && (count & (count - 1)) != 0)
        return array;
    void *larger = realloc(array, (count == 0 ? 1 : count * 2) * item_size);
    if (larger == NULL)
        abort();
    return larger;
}

void text_add(struct text *text, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        text->bytes = with_room(text->bytes, text->size, 1);
        text->bytes[text->size++] = bytes[i];
    }
}

void text_add_string(struct text *text, const char *string)
{
    text_add(text, string, strlen(string));
}

static void text_add_number(struct text *text, uint64_t number)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, number);
    text_add_string(text, digits);
}

/* The fewest digits that read back to the same double: "d.ddde+xx". What up to 15 digits say exactly is
 * what the 15-digit form says before its trailing zeros; 17 are always enough. */
static void shortest(double value, char *out, size_t size)
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(out, size, "%.*e", digits - 1, value);
        if (strtod(out, NULL) == value)
            return;
    }
}

static void text_add_double(struct text *text, double value)
{
    char form[48];
    shortest(value, form, sizeof form);
    char *e = strchr(form, 'e');
    long exponent = strtol(e + 1, NULL, 10);
    char digits[32] = "";
    size_t count = 0;
    for (char *c = form; c < e; c++)
        if (*c >= '0' && *c <= '9')
            digits[count++] = *c;
    while (count > 1 && digits[count - 1] == '0')
        count--;

    if (form[0] == '-')
        text_add_string(text, "-");
    long point = exponent + 1; /* digits before the decimal point */
    if (point <= 0)
        text_add_string(text, "0");
    for (long i = 0; i < point; i++)
        text_add(text, (size_t)i < count ? &digits[i] : "0", 1);
    text_add_string(text, ".");
    for (long i = point; i < 0; i++)
        text_add_string(text, "0");
    size_t rest = point > 0 ? (size_t)point : 0;
    if (rest >= count)
        text_add_string(text, "0");
    else
        text_add(text, digits + rest, count - rest);
}

/* RFC 4180. */
static void text_add_name(struct text *text, const char *name, size_t size)
{
    bool quoted = false;
    for (size_t i = 0; i < size; i++)
        quoted |= name[i] == ',' || name[i] == '"' || name[i] == '\r' || name[i] == '\n';
    if (quoted)
        text_add_string(text, "\"");
    for (size_t i = 0; i < size; i++) {
        if (name[i] == '"')
            text_add_string(text, "\"");
        text_add(text, &name[i], 1);
    }
    if (quoted)
        text_add_string(text, "\"");
}

/* name,type,start_us,end_us,priority,deadline_us,value,interrupted */
void text_add_row(struct text *text, const struct csv_row *row)
{
    text_add_name(text, row->name, row->name_size);
    text_add_string(text, ",");
    text_add_string(text, row->type);
    text_add_string(text, ",");
    text_add_double(text, row->start_us);
    text_add_string(text, ",");
    text_add_double(text, row->end_us);
    text_add_string(text, ",");
    text_add_number(text, row->priority);
    text_add_string(text, ",");
    if (row->has_deadline)
        text_add_double(text, row->deadline_us);
    text_add_string(text, ",");
    if (row->has_value)
        text_add_number(text, row->value);
    text_add_string(text, row->interrupted ? ",1\n" : ",0\n");
}
