#include "cli/details.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/names.h"
#include "cli/text.h"
#include "cli/times.h"
#include "cli/values.h"

#define BYTES_A_COLUMN 8 /* no text that is meant to be read has more */

/* A length that reaches beyond what ticks can say is cut there. */
static double ns_of(const stave_trace *trace, const stave_tree_node *node, uint64_t ticks)
{
    uint64_t most = (uint64_t)INT64_MAX - (uint64_t)node->start;
    uint64_t end = (uint64_t)node->start + (ticks < most ? ticks : most);
    return stave_duration_us(trace, node->boot, node->start, (int64_t)end) * CLI_US_NS;
}

struct cli_spread cli_spread_of(const stave_trace *trace, const stave_tree_node *node)
{
    if (node->calls == 0)
        return (struct cli_spread){(double)NAN, (double)NAN, (double)NAN};
    return (struct cli_spread){
        .least_ns = ns_of(trace, node, node->least),
        .most_ns = ns_of(trace, node, node->most),
        .mean_ns = node->total_ns / (double)node->calls,
    };
}

uint32_t cli_details_of(const stave_tree *tree, uint32_t node, uint32_t kind,
                        const stave_tree_detail **first)
{
    uint32_t all, from = 0, count = 0;
    const stave_tree_detail *details = stave_tree_details(tree, node, &all);
    while (from < all && details[from].kind != kind)
        from++;
    while (from + count < all && details[from + count].kind == kind)
        count++;
    *first = count > 0 ? &details[from] : NULL;
    return count;
}

/* What does not fit gives way to dots. There is room for as many behind any text. */
static void cut(char *text, size_t most)
{
    size_t columns, dots = most < 3 ? most : 3;
    if (cli_text_width(text) <= most)
        return;
    size_t fits = cli_text_fit(text, most - dots, &columns);
    memcpy(text + fits, "...", dots);
    text[fits + dots] = '\0';
}

static bool has_value(const stave_tree_detail *detail)
{
    return detail->kind != STAVE_MARKS || (detail->flags & STAVE_FLAG_HAS_VALUE) != 0;
}

/* "NAME=VALUE", with room for dots behind it. */
static char *join(const char *name, const char *value)
{
    size_t size = strlen(name) + strlen(value) + sizeof "=...";
    char *joined = malloc(size);
    if (joined != NULL)
        snprintf(joined, size, "%s%s%s", name, value[0] != '\0' ? "=" : "", value);
    return joined;
}

char *cli_detail_shown(const stave_trace *trace, const stave_tree_detail *detail, size_t most)
{
    size_t size;
    const char *text = stave_trace_string(trace, detail->name, &size);
    char *name = cli_printable(text, size), *value = NULL, *shown = NULL;
    if (name == NULL)
        return NULL;
    size_t used = cli_text_width(name) + 1;
    size_t room = most > used ? most - used : 0;
    value =
        has_value(detail) ? cli_value_shown(trace, detail->flags, detail->value, room) : strdup("");
    if (value != NULL)
        shown = join(name, value);
    if (shown != NULL)
        cut(shown, most);
    free(name);
    free(value);
    return shown;
}

/* Adds a blank and a text. False when there is no memory. */
static bool append(char **line, const char *text)
{
    size_t used = strlen(*line), room = strlen(text) + sizeof " ";
    char *longer = realloc(*line, used + room);
    if (longer == NULL)
        return false;
    *line = longer;
    snprintf(longer + used, room, " %s", text);
    return true;
}

bool cli_detail_append(char **line, const stave_trace *trace, const stave_tree_detail *detail)
{
    char *shown = cli_detail_shown(trace, detail, SIZE_MAX);
    bool done = shown != NULL && append(line, shown);
    free(shown);
    return done;
}

/* Columns of a text; more than any where most of its bytes take none. */
static size_t columns_of(const char *text)
{
    size_t columns = cli_text_width(text), bytes = strlen(text);
    return bytes / BYTES_A_COLUMN > columns ? bytes : columns;
}

char *cli_attributes_shown(const stave_trace *trace, const stave_tree *tree, uint32_t node,
                           size_t most)
{
    const stave_tree_detail *first;
    uint32_t count = cli_details_of(tree, node, STAVE_ATTRIBUTES, &first);
    size_t columns = 0;
    char *line = calloc(1, 1);
    bool done = line != NULL;
    for (uint32_t i = 0; done && i < count && columns <= most; i++) {
        char *shown = cli_detail_shown(trace, &first[i], SIZE_MAX);
        done = shown != NULL && append(&line, shown);
        columns += shown != NULL ? 1 + columns_of(shown) : 0;
        free(shown);
    }
    if (done && columns > most)
        line[0] = '\0';
    if (done)
        return line;
    free(line);
    return NULL;
}

/* ---- roots ----------------------------------------------------------------------------------- */

const stave_tree_detail *cli_id_of(const stave_trace *trace, const stave_tree_detail *attributes,
                                   uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(stave_trace_string(trace, attributes[i].name, NULL), "id") == 0)
            return &attributes[i];
    return NULL;
}

void cli_attributes_json(struct cli_json *json, const stave_trace *trace,
                         const stave_tree_detail *attributes, uint32_t count)
{
    cli_json_open(json, "attributes", '[');
    for (uint32_t i = 0; i < count; i++) {
        cli_json_open(json, NULL, '{');
        cli_json_name(json, "key", trace, attributes[i].name);
        cli_json_value(json, "value", trace, attributes[i].flags, attributes[i].value);
        cli_json_close(json);
    }
    cli_json_close(json);
}
