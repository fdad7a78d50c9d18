#include "cli/names.h"

#include <fnmatch.h>
#include <string.h>

void cli_table_word(struct cli_table *table, const char *word)
{
    cli_table_text(table, word, strlen(word));
}

void cli_json_word(struct cli_json *json, const char *key, const char *word)
{
    cli_json_text(json, key, word, strlen(word));
}

void cli_table_name(struct cli_table *table, const stave_trace *trace, uint32_t id)
{
    size_t size;
    const char *text = stave_trace_string(trace, id, &size);
    cli_table_text(table, text, size);
}

void cli_json_name(struct cli_json *json, const char *key, const stave_trace *trace, uint32_t id)
{
    size_t size;
    const char *text = stave_trace_string(trace, id, &size);
    cli_json_text(json, key, text, size);
}

bool cli_text_matches(const char *text, const char *pattern)
{
    return pattern == NULL || fnmatch(pattern, text, 0) == 0;
}

bool cli_name_matches(const stave_trace *trace, uint32_t id, const char *pattern)
{
    return cli_text_matches(stave_trace_string(trace, id, NULL), pattern);
}
