/* cli/times.h - times and numbers that users type, and the unit that a column of times is shown in.
 *
 *     double from_us = 0, to_us = 0;
 *     if (!cli_window_parse("1.5ms", NULL, &from_us, &to_us))
 *         return CLI_MISUSE;                                 // the message is written
 *
 *     struct cli_unit unit = cli_unit_for_sums(&times);
 *     printf("total %s: %.*f\n", unit.name, unit.decimals, ns / unit.ns);
 */
#ifndef STAVE_CLI_TIMES_H
#define STAVE_CLI_TIMES_H

#include <stdbool.h>
#include <stdint.h>

/* A decimal number with ns, us, ms, s or min behind it, us where there is none. False when it is
 * anything else. */
bool cli_time_parse(const char *text, double *us);

/* What --from and --to say (NULL: nothing): a side that is not said keeps its value. False after a
 * message. */
bool cli_window_parse(const char *from, const char *to, double *from_us, double *to_us);

/* Likewise a length of time, which is not negative. */
bool cli_duration_parse(const char *option, const char *text, double *us);

/* A whole number from `least` to `most`; false after a message that names the option. */
bool cli_number_parse(const char *option, const char *text, uint64_t least, uint64_t most,
                      uint64_t *value);

#define CLI_US_NS 1000.0
#define CLI_MS_US 1000.0

struct cli_unit {
    const char *name;
    double ns;
    int decimals;
};

/* What a column of times holds, in ns: add each, then choose. */
struct cli_times {
    double largest, smallest; /* of those that are not 0 */
};

void cli_times_add(struct cli_times *times, double ns);

/* For sums: by the largest. For single times: finer, if the smallest would be shown as 0. */
struct cli_unit cli_unit_for_sums(const struct cli_times *times);
struct cli_unit cli_unit_for_times(const struct cli_times *times);

#endif
