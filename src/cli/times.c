#include "cli/times.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

/* ---- what users type ------------------------------------------------------------------------- */

static const struct {
    const char *name;
    double us;
} accepted[] = {{"", 1}, {"ns", 1e-3}, {"us", 1}, {"ms", 1e3}, {"s", 1e6}, {"min", 60e6}};

/* Bytes of a decimal number at the beginning of a text: a sign, digits, a point; 0 when it is none. */
static size_t number_size(const char *text)
{
    size_t at = text[0] == '-' || text[0] == '+';
    size_t whole = strspn(text + at, "0123456789");
    at += whole;
    size_t decimals = 0;
    if (text[at] == '.') {
        decimals = strspn(text + at + 1, "0123456789");
        at += 1 + decimals;
    }
    return whole + decimals > 0 ? at : 0;
}

bool cli_time_parse(const char *text, double *us)
{
    size_t size = number_size(text);
    if (size == 0)
        return false;
    for (size_t i = 0; i < sizeof accepted / sizeof accepted[0]; i++) {
        if (strcmp(text + size, accepted[i].name) != 0)
            continue;
        double value = strtod(text, NULL) * accepted[i].us;
        if (isfinite(value))
            *us = value;
        return isfinite(value);
    }
    return false;
}

static bool parse_side(const char *option, const char *text, double *us)
{
    if (text == NULL || cli_time_parse(text, us))
        return true;
    cli_message("%s %s: not a time; a number with ns, us, ms, s or min behind it, such as 1.5ms "
                "(us if there is none)",
                option, text);
    return false;
}

bool cli_window_parse(const char *from, const char *to, double *from_us, double *to_us)
{
    if (!parse_side("--from", from, from_us) || !parse_side("--to", to, to_us))
        return false;
    if (from == NULL || to == NULL || *from_us <= *to_us)
        return true;
    cli_message("--from %s is later than --to %s", from, to);
    return false;
}

bool cli_duration_parse(const char *option, const char *text, double *us)
{
    if (!parse_side(option, text, us))
        return false;
    if (text != NULL && *us < 0)
        cli_message("%s %s: negative", option, text);
    return text == NULL || *us >= 0;
}

bool cli_number_parse(const char *option, const char *text, uint64_t least, uint64_t most,
                      uint64_t *value)
{
    bool is_number = text[0] != '\0' && text[strspn(text, "0123456789")] == '\0';
    errno = 0;
    uint64_t number = is_number ? strtoull(text, NULL, 10) : 0;
    if (is_number && errno == 0 && number >= least && number <= most) {
        *value = number;
        return true;
    }
    if (most == UINT64_MAX)
        cli_message("%s %s: not a whole number from %" PRIu64 " on", option, text, least);
    else
        cli_message("%s %s: not a whole number from %" PRIu64 " to %" PRIu64, option, text, least,
                    most);
    return false;
}

/* ---- units ----------------------------------------------------------------------------------- */

static const struct cli_unit units[] = {
    {"ns", 1, 0}, {"us", 1e3, 3}, {"ms", 1e6, 3}, {"s", 1e9, 3}};

#define UNITS (sizeof units / sizeof units[0])
#define LARGEST_USUAL 1e4 /* in a unit: beyond it the next is taken ... */
#define LARGEST_EVER 1e7  /* ... unless small times need this one */
#define SMALLEST 1e-2     /* that still shows something of a time */

void cli_times_add(struct cli_times *times, double ns)
{
    double size = fabs(ns);
    if (!isfinite(size) || size == 0)
        return;
    if (size > times->largest)
        times->largest = size;
    if (times->smallest == 0 || size < times->smallest)
        times->smallest = size;
}

static size_t by_largest(const struct cli_times *times)
{
    size_t i = 0;
    while (i + 1 < UNITS && times->largest >= LARGEST_USUAL * units[i].ns)
        i++;
    return i;
}

struct cli_unit cli_unit_for_sums(const struct cli_times *times)
{
    return units[by_largest(times)];
}

struct cli_unit cli_unit_for_times(const struct cli_times *times)
{
    size_t i = by_largest(times);
    while (i > 0 && times->smallest < SMALLEST * units[i].ns &&
           times->largest < LARGEST_EVER * units[i - 1].ns)
        i--;
    return units[i];
}
