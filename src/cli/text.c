#define _GNU_SOURCE /* wcwidth */
#include "cli/text.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "base/utf8.h"

/* ---- texts ----------------------------------------------------------------------------------- */

bool cli_is_control(uint32_t point)
{
    return point < 0x20 || (point >= 0x7f && point < 0xa0) || point == 0x61c ||
           (point >= 0x200e && point <= 0x200f) || (point >= 0x2028 && point <= 0x202e) ||
           (point >= 0x2066 && point <= 0x2069);
}

char *cli_printable(const char *text, size_t size)
{
    char *out = malloc(size + 1);
    size_t n = 0;
    if (out == NULL)
        return NULL;
    for (size_t at = 0; at < size;) {
        uint32_t point;
        size_t step = stave__utf8_decode(text + at, size - at, &point);
        if (step == 0 || cli_is_control(point)) {
            out[n++] = '?';
            step = step != 0 ? step : 1;
        } else {
            memcpy(out + n, text + at, step);
            n += step;
        }
        at += step;
    }
    out[n] = '\0';
    return out;
}

void cli_text_print(FILE *to, const char *text, size_t size)
{
    char *printable = cli_printable(text, size);
    fputs(printable != NULL ? printable : "(out of memory)", to);
    free(printable);
}

/* Columns of the code point at `text`, and its bytes. What the C library does not know takes one. */
static size_t columns_of(const char *text, size_t left, size_t *bytes)
{
    uint32_t point;
    *bytes = stave__utf8_decode(text, left, &point);
    if (*bytes == 0) {
        *bytes = 1;
        return 1;
    }
    int width = point < 0x80 || !cli_is_utf8() ? 1 : wcwidth((wchar_t)point);
    return width < 0 ? 1 : (size_t)width;
}

size_t cli_text_fit(const char *text, size_t most, size_t *columns)
{
    size_t size = strlen(text), at = 0, bytes;
    *columns = 0;
    while (at < size) {
        size_t width = columns_of(text + at, size - at, &bytes);
        if (*columns + width > most)
            break;
        *columns += width;
        at += bytes;
    }
    return at;
}

size_t cli_text_width(const char *text)
{
    size_t columns;
    cli_text_fit(text, SIZE_MAX, &columns);
    return columns;
}

void cli_text_put(FILE *to, const char *text, size_t width)
{
    size_t columns, dots = 0;
    size_t fits = cli_text_fit(text, width, &columns);
    if (text[fits] != '\0') {
        dots = width < 3 ? width : 3;
        fits = cli_text_fit(text, width - dots, &columns);
    }
    fwrite(text, 1, fits, to);
    fprintf(to, "%.*s%*s", (int)dots, "...", (int)(width - columns - dots), "");
}

/* ---- the terminal ---------------------------------------------------------------------------- */

static bool utf8;

void cli_text_begin(void)
{
    setlocale(LC_CTYPE, "");
    utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

bool cli_is_utf8(void)
{
    return utf8;
}

bool cli_has_colour(FILE *to)
{
    const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");
    return isatty(fileno(to)) && (no_colour == NULL || no_colour[0] == '\0') && term != NULL &&
           strcmp(term, "dumb") != 0;
}

const char *cli_style_begin(FILE *to, enum cli_style style)
{
    static const char *const sequences[] = {
        [CLI_PLAIN] = "",
        [CLI_BAD] = "\x1b[31m",
        [CLI_DOUBT] = "\x1b[33m",
        [CLI_FAINT] = "\x1b[2m",
    };
    return style != CLI_PLAIN && cli_has_colour(to) ? sequences[style] : "";
}

const char *cli_style_end(FILE *to, enum cli_style style)
{
    return style != CLI_PLAIN && cli_has_colour(to) ? "\x1b[0m" : "";
}
