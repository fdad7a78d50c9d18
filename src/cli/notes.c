#include "cli/notes.h"

#include <string.h>

#include "stave/block.h"

#define GAP 2

/* The worst first. */
static const struct {
    uint16_t flag;
    enum cli_style style;
    const char *text; /* a sign, a blank, a word */
} notes[] = {
    {STAVE_FLAG_FAILED, CLI_BAD, "! failed"},
    {STAVE_FLAG_UNFINISHED, CLI_DOUBT, "~ unfinished"},
    {STAVE_FLAG_INTERRUPTED, CLI_DOUBT, "~ interrupted"},
    {STAVE_FLAG_UNWOUND, CLI_DOUBT, "? unwound"},
    {STAVE_FLAG_OVERLAP, CLI_DOUBT, "? overlap"},
    {STAVE_FLAG_SATURATED, CLI_DOUBT, "? saturated"},
    {STAVE_FLAG_UNCERTAIN, CLI_DOUBT, "? uncertain"},
    {STAVE_FLAG_TRUNCATED, CLI_DOUBT, "? truncated"},
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define SIGN_SIZE 2

void cli_notes_text(char text[CLI_NOTES_MAX], uint16_t flags)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < COUNT(notes); i++)
        if ((flags & notes[i].flag) != 0)
            used += (size_t)snprintf(text + used, CLI_NOTES_MAX - used, "%*s%s", used > 0 ? GAP : 0,
                                     "", notes[i].text);
}

size_t cli_notes_width(uint16_t flags)
{
    char text[CLI_NOTES_MAX];
    cli_notes_text(text, flags);
    return strlen(text);
}

void cli_notes_print(uint16_t flags)
{
    for (size_t i = 0; i < COUNT(notes); i++)
        if ((flags & notes[i].flag) != 0)
            printf("%*s%s%s%s", GAP, "", cli_style_begin(stdout, notes[i].style), notes[i].text,
                   cli_style_end(stdout, notes[i].style));
}

enum cli_style cli_notes_style(uint16_t flags)
{
    for (size_t i = 0; i < COUNT(notes); i++)
        if ((flags & notes[i].flag) != 0)
            return notes[i].style;
    return CLI_PLAIN;
}

void cli_notes_json(struct cli_json *json, uint16_t flags)
{
    cli_json_bool(json, "failed", (flags & STAVE_FLAG_FAILED) != 0);
    cli_json_open(json, "doubts", '[');
    for (size_t i = 0; i < COUNT(notes); i++) {
        const char *word = notes[i].text + SIGN_SIZE;
        if ((flags & notes[i].flag & STAVE_FLAGS_DOUBT) != 0)
            cli_json_text(json, NULL, word, strlen(word));
    }
    cli_json_close(json);
}
