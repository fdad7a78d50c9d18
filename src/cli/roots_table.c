/* What `stave roots` prints as a table. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/details.h"
#include "cli/names.h"
#include "cli/notes.h"
#include "cli/roots.h"
#include "cli/times.h"
#include "cli/values.h"

#define COLUMNS_MAX 9
#define ROWS_AT_A_TIME 1000u /* in memory; those behind line up with them */
#define HEAD_MAX 16

struct listing {
    const struct cli_roots *shown;
    struct cli_unit start_unit, total_unit;
    char start_head[HEAD_MAX], total_head[HEAD_MAX];
    bool has_notes;
    struct cli_column columns[COLUMNS_MAX];
    size_t columns_count;
};

/* ---- the head -------------------------------------------------------------------------------- */

static double start_ns(const struct listing *l, const stave_root *root)
{
    return stave_time_us(l->shown->trace, root->boot, root->start) * CLI_US_NS;
}

/* What all lines have in common. */
static void look_at_all(struct listing *l)
{
    struct cli_times starts = {0}, totals = {0};
    for (uint64_t i = 0; i < stave_roots_count(l->shown->roots); i++) {
        const stave_root *root = stave_roots_at(l->shown->roots, i);
        l->has_notes = l->has_notes || cli_notes_width(root->flags) > 0;
        cli_times_add(&starts, start_ns(l, root));
        cli_times_add(&totals, root->total_ns);
    }
    l->start_unit = cli_unit_for_sums(&starts);
    l->total_unit = cli_unit_for_times(&totals);
    snprintf(l->start_head, sizeof l->start_head, "start %s", l->start_unit.name);
    snprintf(l->total_head, sizeof l->total_head, "total %s", l->total_unit.name);
}

static void add_column(struct listing *l, const char *head, bool number, unsigned rank)
{
    l->columns[l->columns_count++] = (struct cli_column){head, number, rank};
}

static void choose_columns(struct listing *l)
{
    add_column(l, "trace", true, 0);
    if (l->shown->pattern != NULL)
        add_column(l, "named", true, 0);
    add_column(l, l->start_head, true, 0);
    add_column(l, "lane", false, 2);
    add_column(l, "name", false, 0);
    add_column(l, "id", false, 0);
    add_column(l, l->total_head, true, 0);
    if (l->has_notes)
        add_column(l, "notes", false, 0);
    add_column(l, "attributes", false, 1);
}

static void print_which(const struct cli_roots *shown)
{
    uint64_t count = stave_roots_count(shown->roots);
    cli_text_print(stdout, shown->file, strlen(shown->file));
    printf(": %s%" PRIu64 "%s of %" PRIu64 " roots", shown->slowest ? "the " : "", count,
           shown->slowest ? " slowest" : "", stave_roots_counted(shown->roots));
    if (shown->pattern != NULL) {
        fputs(" named ", stdout);
        cli_text_print(stdout, shown->pattern, strlen(shown->pattern));
    }
    cli_where_print(&shown->where);
    fputs("\n\n", stdout);
}

/* ---- a root ---------------------------------------------------------------------------------- */

struct attributes {
    const stave_tree_detail *first;
    uint32_t count;
};

static void put_id(struct cli_table *table, const stave_trace *trace, const stave_tree_detail *id)
{
    char number[CLI_NUMBER_MAX] = "";
    if (id != NULL && cli_value_is_text(trace, id->flags, id->value)) {
        cli_table_name(table, trace, (uint32_t)id->value);
        return;
    }
    if (id != NULL)
        cli_number_text(number, id->flags, id->value);
    cli_table_word(table, number);
}

static void put_notes(struct cli_table *table, uint16_t flags)
{
    char notes[CLI_NOTES_MAX];
    cli_notes_text(notes, flags);
    cli_table_word(table, notes);
    cli_table_style(table, cli_notes_style(flags));
}

/* Attributes but the id. False when there is no memory. */
static bool put_attributes(struct cli_table *table, const stave_trace *trace,
                           const struct attributes *attributes, const stave_tree_detail *id)
{
    char *line = strdup("");
    bool done = line != NULL;
    for (uint32_t i = 0; done && i < attributes->count; i++)
        if (&attributes->first[i] != id)
            done = cli_detail_append(&line, trace, &attributes->first[i]);
    if (done)
        cli_table_word(table, line[0] == ' ' ? line + 1 : line);
    free(line);
    return done;
}

static bool put_root(struct cli_table *table, const struct listing *l, const stave_root *root,
                     const struct attributes *attributes)
{
    const stave_trace *trace = l->shown->trace;
    const stave_tree_detail *id = cli_id_of(trace, attributes->first, attributes->count);
    cli_table_number(table, "%" PRIu64, root->number + 1);
    if (l->shown->pattern != NULL)
        cli_table_number(table, "%" PRIu64, root->counted + 1);
    cli_table_number(table, "%.*f", l->start_unit.decimals, start_ns(l, root) / l->start_unit.ns);
    cli_table_name(table, trace, stave_trace_lane(trace, root->lane)->name);
    cli_table_name(table, trace, root->name);
    put_id(table, trace, id);
    cli_table_number(table, "%.*f", l->total_unit.decimals, root->total_ns / l->total_unit.ns);
    if (l->has_notes)
        put_notes(table, root->flags);
    return put_attributes(table, trace, attributes, id);
}

/* ---- all of them ----------------------------------------------------------------------------- */

static int put_roots(struct cli_table *table, const struct listing *l, stave_error *error)
{
    stave_roots *roots = l->shown->roots;
    int status = STAVE_OK;
    for (uint64_t i = 0; i < stave_roots_count(roots) && status >= 0; i++) {
        struct attributes attributes = {0};
        status = stave_roots_attributes(roots, i, &attributes.first, &attributes.count, error);
        if (status >= 0 && !put_root(table, l, stave_roots_at(roots, i), &attributes))
            status = stave__fail_memory(error);
        if ((i + 1) % ROWS_AT_A_TIME == 0)
            cli_table_flush(table, stdout);
    }
    return status;
}

int cli_roots_print(const struct cli_roots *shown, stave_error *error)
{
    struct listing l = {.shown = shown};
    struct cli_table table;
    print_which(shown);
    look_at_all(&l);
    choose_columns(&l);
    cli_table_begin(&table, l.columns, l.columns_count);
    int status = put_roots(&table, &l, error);
    cli_table_print(&table, stdout);
    uint64_t more = stave_roots_found(shown->roots) - stave_roots_count(shown->roots);
    if (status >= 0 && shown->limited && more > 0)
        printf("(%" PRIu64 " more)\n", more);
    return status;
}
