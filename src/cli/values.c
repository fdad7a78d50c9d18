#include "cli/values.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/names.h"
#include "cli/text.h"

bool cli_value_is_text(const stave_trace *trace, uint16_t flags, uint64_t value)
{
    return (flags & STAVE_FLAG_TEXT) != 0 && value < stave_trace_strings(trace);
}

static double real_of(uint64_t value)
{
    double real;
    memcpy(&real, &value, sizeof real);
    return real;
}

static void put_real(char text[CLI_NUMBER_MAX], double real)
{
    if (isfinite(real))
        text[stave__shortest(real, text)] = '\0';
    else
        snprintf(text, CLI_NUMBER_MAX, "%s", isnan(real) ? "nan" : real > 0 ? "inf" : "-inf");
}

void cli_number_text(char text[CLI_NUMBER_MAX], uint16_t flags, uint64_t value)
{
    switch (stave_value_type(flags)) {
    case STAVE_FLAG_REAL:
        put_real(text, real_of(value));
        break;
    case STAVE_FLAG_SIGNED:
        snprintf(text, CLI_NUMBER_MAX, "%" PRId64, (int64_t)value);
        break;
    case STAVE_FLAG_BOOL:
        snprintf(text, CLI_NUMBER_MAX, "%s", value != 0 ? "true" : "false");
        break;
    default:
        snprintf(text, CLI_NUMBER_MAX, "%" PRIu64, value);
    }
}

/* ---- quotes ---------------------------------------------------------------------------------- */

static char *escaped(const char *printable)
{
    char *out = malloc(2 * strlen(printable) + 1);
    size_t n = 0;
    for (const char *at = printable; out != NULL && *at != '\0'; at++) {
        if (*at == '"' || *at == '\\')
            out[n++] = '\\';
        out[n++] = *at;
    }
    if (out != NULL)
        out[n] = '\0';
    return out;
}

#define QUOTES 2
#define DOTS 3

/* Not between a backslash and what it stands before. */
static size_t whole_part(const char *text, size_t bytes)
{
    size_t backslashes = 0;
    while (backslashes < bytes && text[bytes - 1 - backslashes] == '\\')
        backslashes++;
    return bytes - backslashes % 2;
}

static char *quoted(const char *text, size_t most)
{
    size_t columns, size = strlen(text), fits = size;
    char *out = malloc(size + QUOTES + DOTS + 1);
    bool is_cut = cli_text_width(text) + QUOTES > most;
    if (is_cut)
        fits = cli_text_fit(text, most > QUOTES + DOTS ? most - QUOTES - DOTS : 0, &columns);
    if (is_cut)
        fits = whole_part(text, fits);
    if (out != NULL)
        snprintf(out, size + QUOTES + DOTS + 1, "\"%.*s\"%s", (int)fits, text, is_cut ? "..." : "");
    return out;
}

char *cli_value_shown(const stave_trace *trace, uint16_t flags, uint64_t value, size_t most)
{
    char number[CLI_NUMBER_MAX];
    if (!cli_value_is_text(trace, flags, value)) {
        cli_number_text(number, flags, value);
        return strdup(number);
    }
    size_t size;
    const char *text = stave_trace_string(trace, (uint32_t)value, &size);
    char *printable = cli_printable(text, size);
    char *plain = printable != NULL ? escaped(printable) : NULL;
    char *shown = plain != NULL ? quoted(plain, most) : NULL;
    free(printable);
    free(plain);
    return shown;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

void cli_json_value(struct cli_json *json, const char *key, const stave_trace *trace,
                    uint16_t flags, uint64_t value)
{
    uint32_t type = stave_value_type(flags);
    if (cli_value_is_text(trace, flags, value))
        cli_json_name(json, key, trace, (uint32_t)value);
    else if (type == STAVE_FLAG_REAL)
        cli_json_double(json, key, real_of(value));
    else if (type == STAVE_FLAG_SIGNED)
        cli_json_i64(json, key, (int64_t)value);
    else if (type == STAVE_FLAG_BOOL)
        cli_json_bool(json, key, value != 0);
    else
        cli_json_u64(json, key, value);
}
