/* cli/text.h - what a terminal is sent: texts without control characters, their width, colour.
 *
 *     char *name = cli_printable(bytes, size);
 *     size_t columns, fits = cli_text_fit(name, 20, &columns);
 *     printf("%.*s%*s", (int)fits, name, (int)(20 - columns), "");
 *     free(name);
 */
#ifndef STAVE_CLI_TEXT_H
#define STAVE_CLI_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A text as a terminal may be shown it, in memory to be freed; NULL when there is none. Control
 * characters, writing directions and what is not UTF-8 become `?`. */
char *cli_printable(const char *text, size_t size);

/* The same, printed. */
void cli_text_print(FILE *to, const char *text, size_t size);

/* A code point that is not shown as it is: control characters, line ends, writing directions. */
bool cli_is_control(uint32_t point);

/* Columns that a printable text takes. */
size_t cli_text_width(const char *text);

/* Bytes of its longest beginning that takes at most `most` columns, and how many it takes. */
size_t cli_text_fit(const char *text, size_t most, size_t *columns);

/* A text in exactly `width` columns: cut, with dots for the rest, or filled up with blanks. */
void cli_text_put(FILE *to, const char *text, size_t width);

/* Reads the locale of the environment: called once, before the next. */
void cli_text_begin(void);
/* Whether lines and blocks beyond ASCII can be shown. */
bool cli_is_utf8(void);

/* Colour carries no meaning alone: a sign or a word stands beside it. */
enum cli_style {
    CLI_PLAIN,
    CLI_BAD,   /* a failure */
    CLI_DOUBT, /* not certain */
    CLI_FAINT, /* beside the matter */
};

/* A terminal that may be sent colours: not with NO_COLOR or TERM=dumb. */
bool cli_has_colour(FILE *to);
/* The sequences around a text: empty ones without colour. */
const char *cli_style_begin(FILE *to, enum cli_style style);
const char *cli_style_end(FILE *to, enum cli_style style);

#endif
