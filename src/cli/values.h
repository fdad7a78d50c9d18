/* cli/values.h - values of attributes, marks and properties: a u64, an i64, a real number, a bool or a text, as
 * the flags of their row say. */
#ifndef STAVE_CLI_VALUES_H
#define STAVE_CLI_VALUES_H

#include "base/shortest.h"
#include "cli/json.h"
#include "stave/trace.h"

/* Whether it is a text, which then is string `value`. */
bool cli_value_is_text(const stave_trace *trace, uint16_t flags, uint64_t value);

/* Any other as a decimal that reads back to it; `nan`, `inf`; `true`, `false`. */
#define CLI_NUMBER_MAX (STAVE__SHORTEST_MAX + 1)
void cli_number_text(char text[CLI_NUMBER_MAX], uint16_t flags, uint64_t value);

/* A value as a terminal may be shown it, in memory to be freed; NULL when there is none. Texts stand in quotes, with
 * `\` before quotes and backslashes in them; of those wider than `most` columns the beginning, with dots behind it. */
char *cli_value_shown(const stave_trace *trace, uint16_t flags, uint64_t value, size_t most);

/* Whole; a number that is not finite is null. */
void cli_json_value(struct cli_json *json, const char *key, const stave_trace *trace,
                    uint16_t flags, uint64_t value);

#endif
