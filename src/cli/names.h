/* cli/names.h - the strings of a trace, as cells and as JSON. */
#ifndef STAVE_CLI_NAMES_H
#define STAVE_CLI_NAMES_H

#include "cli/json.h"
#include "cli/table.h"
#include "stave/trace.h"

/* A text of the command's own. */
void cli_table_word(struct cli_table *table, const char *word);
void cli_json_word(struct cli_json *json, const char *key, const char *word);

/* String `id` of the trace. */
void cli_table_name(struct cli_table *table, const stave_trace *trace, uint32_t id);
void cli_json_name(struct cli_json *json, const char *key, const stave_trace *trace, uint32_t id);

/* Whether it is as a shell pattern says; NULL: all are. */
bool cli_text_matches(const char *text, const char *pattern);
bool cli_name_matches(const stave_trace *trace, uint32_t id, const char *pattern);

#endif
