#include "cli/where.h"

#include <stdio.h>
#include <string.h>

#include "cli/text.h"
#include "cli/values.h"

bool cli_where_add(struct cli_where *where, const char *text)
{
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals == text)
        return false;
    where->conditions[where->count++] = (struct cli_condition){
        .key = text, .value = equals + 1, .key_size = (size_t)(equals - text)};
    return true;
}

void cli_where_add_id(struct cli_where *where, const char *value)
{
    where->conditions[where->count++] =
        (struct cli_condition){.key = "id", .value = value, .key_size = strlen("id")};
}

void cli_where_add_all(struct cli_where *where, const struct cli_list *list)
{
    for (unsigned i = 0; i < list->count; i++)
        cli_where_add(where, list->texts[i]);
}

bool cli_where_check(const struct cli_list *list)
{
    for (unsigned i = 0; i < list->count; i++) {
        struct cli_where where = {0};
        if (!cli_where_add(&where, list->texts[i])) {
            cli_message("--where %s: not KEY=VALUE, such as id=c-17", list->texts[i]);
            return false;
        }
    }
    return true;
}

/* ---- what meets them ------------------------------------------------------------------------- */

uint32_t cli_where_conditions(const struct cli_where *where)
{
    return (1u << where->count) - 1;
}

static bool is_key(const struct cli_where *where, uint32_t id, const struct cli_condition *wanted)
{
    size_t size;
    const char *key = stave_trace_string(where->trace, id, &size);
    return size == wanted->key_size && memcmp(key, wanted->key, size) == 0;
}

static bool is_value(const struct cli_where *where, const stave_tree_detail *attribute,
                     const char *wanted)
{
    if (!cli_value_is_text(where->trace, attribute->flags, attribute->value)) {
        char number[CLI_NUMBER_MAX];
        cli_number_text(number, attribute->flags, attribute->value);
        return strcmp(number, wanted) == 0;
    }
    size_t size;
    const char *text = stave_trace_string(where->trace, (uint32_t)attribute->value, &size);
    return size == strlen(wanted) && memcmp(text, wanted, size) == 0;
}

uint32_t cli_where_meets(void *context, const stave_tree_detail *attribute)
{
    const struct cli_where *where = context;
    uint32_t met = 0;
    for (unsigned i = 0; i < where->count; i++)
        if (is_key(where, attribute->name, &where->conditions[i]) &&
            is_value(where, attribute, where->conditions[i].value))
            met |= 1u << i;
    return met;
}

void cli_where_print(const struct cli_where *where)
{
    for (unsigned i = 0; i < where->count; i++) {
        const struct cli_condition *condition = &where->conditions[i];
        fputs(i == 0 ? " with " : ", ", stdout);
        cli_text_print(stdout, condition->key, condition->key_size);
        putchar('=');
        cli_text_print(stdout, condition->value, strlen(condition->value));
    }
}
