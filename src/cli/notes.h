/* cli/notes.h - what is to be known of a span by its flags: `! failed`, `~ unfinished`, `? unwound`. */
#ifndef STAVE_CLI_NOTES_H
#define STAVE_CLI_NOTES_H

#include <stdint.h>

#include "cli/json.h"
#include "cli/text.h"

#define CLI_NOTES_MAX 160

/* Two blanks between them; "" where there are none. */
void cli_notes_text(char text[CLI_NOTES_MAX], uint16_t flags);

/* Columns that they take; 0: there are none. */
size_t cli_notes_width(uint16_t flags);

/* On standard output, two blanks in front of each. */
void cli_notes_print(uint16_t flags);

/* Of the worst. */
enum cli_style cli_notes_style(uint16_t flags);

/* "failed", and "doubts", an array of words. */
void cli_notes_json(struct cli_json *json, uint16_t flags);

#endif
