/* cli/where.h - conditions on the attributes of roots, as users type them: KEY=VALUE.
 *
 *     struct cli_where where = {.trace = trace};
 *     if (!cli_where_add(&where, "rows=240")) ...           // not of that form; nothing is written
 *     stave_roots_config config = {.conditions = cli_where_conditions(&where),
 *                                  .meets = cli_where_meets, .meets_context = &where};
 *
 * A text is equal byte for byte; a number as the command writes it, `true`, `false` likewise. An attribute that was
 * set twice has both values.  */
#ifndef STAVE_CLI_WHERE_H
#define STAVE_CLI_WHERE_H

#include "cli/cli.h"
#include "stave/analyze.h"

#define CLI_WHERE_MAX (CLI_LIST_MAX + 1) /* what is typed, and an id */

struct cli_condition {
    const char *key, *value;
    size_t key_size;
};

struct cli_where {
    const stave_trace *trace;
    struct cli_condition conditions[CLI_WHERE_MAX];
    unsigned count;
};

/* Whether each is of that form; else a message. */
bool cli_where_check(const struct cli_list *list);

/* The text must stay where it is. */
bool cli_where_add(struct cli_where *where, const char *text);
void cli_where_add_id(struct cli_where *where, const char *value);
void cli_where_add_all(struct cli_where *where, const struct cli_list *list);

uint32_t cli_where_conditions(const struct cli_where *where);
uint32_t cli_where_meets(void *context, const stave_tree_detail *attribute);

/* " with rows=240, cached=true" on standard output; nothing where there are none. */
void cli_where_print(const struct cli_where *where);

#endif
