#include "cli/branches.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os_command.h"
#include "cli/details.h"
#include "cli/notes.h"
#include "cli/times.h"

#define GAP 2
#define WIDTH_ELSE 80 /* columns where there is no terminal */
#define NAME_WIDTH_MIN 16
#define BAR_WIDTH_MIN 16
#define BAR_WIDTH_MAX 100
#define NOTE_WIDTH_MAX 32
#define LEVELS_DRAWN_MIN 4
#define LEVELS_DRAWN_MAX 40
#define DEPTH_WIDTH 6
#define NUMBERS 3 /* total, busy, self */
#define BUSY 1
#define SPREAD_MAX                                                                                 \
    512 /* bytes: cut where clocks are so slow that numbers have hundreds of digits */

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

struct link {
    uint32_t first, next; /* child, sibling; STAVE_NONE: none */
    uint32_t below;       /* nodes */
};

struct drawing {
    const struct cli_branches *branches;
    struct link *links;
    const struct signs *signs;
    struct cli_unit unit;
    bool has_busy;
    double length_ns; /* from the root's start to the last end */
    size_t width;     /* of all */
    size_t name_most, name_width, bar_width, note_width, number_widths[NUMBERS];
    uint32_t levels_drawn; /* of lines in front of a name */
};

static const stave_tree_node *node_at(const struct drawing *d, uint32_t index)
{
    return stave_tree_node_at(d->branches->tree, index);
}

/* ---- which lines ----------------------------------------------------------------------------- */

static bool link_nodes(struct drawing *d)
{
    uint32_t nodes = stave_tree_nodes(d->branches->tree);
    d->links = malloc(nodes * sizeof *d->links);
    if (d->links == NULL)
        return false;
    for (uint32_t i = 0; i < nodes; i++)
        d->links[i] = (struct link){.first = STAVE_NONE, .next = STAVE_NONE};
    for (uint32_t i = nodes; i-- > 1;) { /* children stand behind their parents */
        struct link *parent = &d->links[node_at(d, i)->parent];
        d->links[i].next = parent->first;
        parent->first = i;
        parent->below += d->links[i].below + 1;
    }
    return true;
}

static bool is_cut_below(const struct drawing *d, uint32_t index)
{
    return node_at(d, index)->depth + 1 >= d->branches->levels && d->links[index].below > 0;
}

/* The node of the next line, or STAVE_NONE. */
static uint32_t next_node(const struct drawing *d, uint32_t index)
{
    if (d->links[index].first != STAVE_NONE && !is_cut_below(d, index))
        return d->links[index].first;
    while (index != 0 && d->links[index].next == STAVE_NONE)
        index = node_at(d, index)->parent;
    return index != 0 ? d->links[index].next : STAVE_NONE;
}

/* ---- names ----------------------------------------------------------------------------------- */

struct signs {
    const char *pass, *branch, *last, *blank, *deep, *times, *mark;
    const char *parts[8]; /* of a cell, from the least to a whole one */
};

static const struct signs utf8_signs = {"│ ", "├ ", "└ ", "  ",
                                        "… ", "×",  "◆ ", {"▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"}};
static const struct signs ascii_signs = {
    "| ", "|-", "`-", "  ", "~ ", "x", "* ", {"|", "|", "|", "|", "#", "#", "#", "#"}};

/* How many levels of lines stand in front of a node: those nearest to it if there are too many, and
 * the node's depth in front of them. */
static uint32_t levels_of(const struct drawing *d, uint32_t depth)
{
    return depth <= d->levels_drawn ? depth : d->levels_drawn - DEPTH_WIDTH / 2;
}

static size_t indent_of(const struct drawing *d, uint32_t depth)
{
    return 2 * (size_t)levels_of(d, depth) + (depth > d->levels_drawn ? DEPTH_WIDTH : 0);
}

/* Lines that lead to something below `parent`, the one next to it being `sign`. */
static void print_lines(const struct drawing *d, const char *sign, uint32_t parent, uint32_t depth)
{
    const char *lines[LEVELS_DRAWN_MAX];
    uint32_t levels = levels_of(d, depth);
    for (uint32_t level = levels; level-- > 0;) {
        lines[level] = sign;
        sign = d->links[parent].next == STAVE_NONE ? d->signs->blank : d->signs->pass;
        parent = node_at(d, parent)->parent;
    }
    if (depth > levels)
        printf("%s%-*" PRIu32, d->signs->deep, DEPTH_WIDTH - 2, depth);
    for (uint32_t level = 0; level < levels; level++)
        fputs(lines[level], stdout);
}

static char *printable_string(const struct drawing *d, uint32_t id)
{
    size_t size;
    const char *text = stave_trace_string(d->branches->trace, id, &size);
    return cli_printable(text, size);
}

/* "name", with " x12" of a row that stands for 12 calls and " @lane" where that is not its parent's;
 * to be freed. */
static char *name_of(const struct drawing *d, const stave_tree_node *node)
{
    char calls[32] = "";
    bool elsewhere = node->parent != STAVE_NONE && node_at(d, node->parent)->lane != node->lane;
    if (node->calls != 1)
        snprintf(calls, sizeof calls, " %s%" PRIu64, d->signs->times, node->calls);
    char *name = printable_string(d, node->name);
    char *lane =
        printable_string(d, elsewhere ? stave_trace_lane(d->branches->trace, node->lane)->name : 0);
    char *whole = NULL;
    if (name != NULL && lane != NULL) {
        size_t size = strlen(name) + strlen(calls) + strlen(lane) + 3;
        whole = malloc(size);
        if (whole != NULL)
            snprintf(whole, size, "%s%s%s%s", name, calls, elsewhere ? " @" : "", lane);
    }
    free(name);
    free(lane);
    return whole;
}

/* One call's times are its total. */
static bool has_spread(const stave_tree_node *node)
{
    return node->cumulative && node->calls > 1;
}

/* "0.050 to 24.031 us, mean 0.264": of the calls that a row stands for, in a unit of their own, since they are
 * much shorter than the spans around them. */
static void put_spread(const struct drawing *d, const stave_tree_node *node, char text[SPREAD_MAX])
{
    struct cli_spread spread = cli_spread_of(d->branches->trace, node);
    struct cli_times times = {0};
    cli_times_add(&times, spread.least_ns);
    cli_times_add(&times, spread.most_ns);
    cli_times_add(&times, spread.mean_ns);
    struct cli_unit unit = cli_unit_for_times(&times);
    snprintf(text, SPREAD_MAX, "%.*f to %.*f %s, mean %.*f", unit.decimals,
             spread.least_ns / unit.ns, unit.decimals, spread.most_ns / unit.ns, unit.name,
             unit.decimals, spread.mean_ns / unit.ns);
}

/* A row's spread, or "" if it has no room. */
static char *spread_shown(const struct drawing *d, const stave_tree_node *node, size_t room)
{
    char text[GAP + SPREAD_MAX] = "  ";
    put_spread(d, node, text + GAP);
    return strdup(strlen(text) <= room ? text : "");
}

/* A node's name, and its attributes or its spread if all of that fits behind it, which `beside` then says; to be
 * freed. */
static char *label_of(const struct drawing *d, uint32_t index, bool *beside)
{
    const stave_tree_node *node = node_at(d, index);
    char *name = name_of(d, node);
    if (name == NULL)
        return NULL;
    size_t used = indent_of(d, node->depth) + cli_text_width(name);
    size_t room = d->name_most > used ? d->name_most - used : 0;
    char *more = has_spread(node)
                     ? spread_shown(d, node, room)
                     : cli_attributes_shown(d->branches->trace, d->branches->tree, index, room);
    char *label = NULL;
    if (more != NULL) {
        size_t size = strlen(name) + strlen(more) + 1;
        label = malloc(size);
        if (label != NULL)
            snprintf(label, size, "%s%s", name, more);
        *beside = more[0] != '\0';
    }
    free(name);
    free(more);
    return label;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static void numbers_of(const stave_tree_node *node, double numbers[NUMBERS])
{
    numbers[0] = node->total_ns;
    numbers[1] = node->busy_ns;
    numbers[2] = node->self_ns;
}

/* Whether busy says something beside total: more than rounding. */
static bool is_busier(const stave_tree_node *node)
{
    return fabs(node->busy_ns - node->total_ns) > 0.5;
}

/* ---- widths ---------------------------------------------------------------------------------- */

static double ns_from_root(const struct drawing *d, int64_t tick)
{
    const stave_tree_node *root = node_at(d, 0);
    return stave_duration_us(d->branches->trace, root->boot, root->start, tick) * CLI_US_NS;
}

static size_t digits_of(const struct drawing *d, double ns)
{
    return (size_t)snprintf(NULL, 0, "%.*f", d->unit.decimals, ns / d->unit.ns);
}

static void choose_scale(struct drawing *d)
{
    struct cli_times times = {0};
    for (uint32_t i = 0; i < stave_tree_nodes(d->branches->tree); i++) {
        const stave_tree_node *node = node_at(d, i);
        d->length_ns = fmax(d->length_ns, ns_from_root(d, node->end));
        d->has_busy = d->has_busy || is_busier(node);
        if (node->depth >= d->branches->levels)
            continue;
        double numbers[NUMBERS];
        numbers_of(node, numbers);
        for (unsigned n = 0; n < NUMBERS; n++)
            cli_times_add(&times, numbers[n]);
    }
    d->unit = cli_unit_for_times(&times);
}

static size_t larger_of(size_t a, size_t b)
{
    return a > b ? a : b;
}

static void measure_numbers(struct drawing *d)
{
    for (unsigned n = 0; n < NUMBERS; n++)
        d->number_widths[n] = strlen("total ") + strlen(d->unit.name);
    for (uint32_t i = 0; i != STAVE_NONE; i = next_node(d, i)) {
        const stave_tree_node *node = node_at(d, i);
        double numbers[NUMBERS];
        numbers_of(node, numbers);
        for (unsigned n = 0; n < NUMBERS; n++)
            d->number_widths[n] = larger_of(d->number_widths[n], digits_of(d, numbers[n]));
        d->note_width = larger_of(d->note_width, cli_notes_width(node->flags));
    }
}

/* Takes a label that is to be freed; false if there is none. */
static bool measure_label(struct drawing *d, char *label, uint32_t depth)
{
    if (label == NULL)
        return false;
    d->name_width = larger_of(d->name_width, indent_of(d, depth) + cli_text_width(label));
    free(label);
    return true;
}

/* Marks stand below their span, those of the deepest level shown nowhere. */
static uint32_t marks_of(const struct drawing *d, uint32_t index, const stave_tree_detail **first)
{
    if (node_at(d, index)->depth + 1 >= d->branches->levels)
        return 0;
    return cli_details_of(d->branches->tree, index, STAVE_MARKS, first);
}

static char *mark_label(const struct drawing *d, const stave_tree_detail *mark)
{
    char *shown = cli_detail_shown(d->branches->trace, mark, d->name_most);
    size_t size = shown != NULL ? strlen(d->signs->mark) + strlen(shown) + 1 : 0;
    char *label = shown != NULL ? malloc(size) : NULL;
    if (label != NULL)
        snprintf(label, size, "%s%s", d->signs->mark, shown);
    free(shown);
    return label;
}

static bool measure_names(struct drawing *d)
{
    for (uint32_t i = 0; i != STAVE_NONE; i = next_node(d, i)) {
        const stave_tree_detail *marks;
        uint32_t depth = node_at(d, i)->depth, count = marks_of(d, i, &marks);
        bool beside;
        if (!measure_label(d, label_of(d, i, &beside), depth))
            return false;
        for (uint32_t m = 0; m < count; m++)
            if (!measure_label(d, mark_label(d, &marks[m]), depth + 1))
                return false;
    }
    return true;
}

static size_t numbers_width(const struct drawing *d)
{
    size_t width = 0;
    for (unsigned n = 0; n < NUMBERS; n++)
        width += n == BUSY && !d->has_busy ? 0 : GAP + d->number_widths[n];
    return width;
}

/* Numbers in full; of the rest, bars what names leave, but a least. The lines in front of names take half of
 * the room at most. */
static bool lay_out(struct drawing *d)
{
    int terminal = stave__os_terminal_width(fileno(stdout));
    d->width = terminal > 0 ? (size_t)terminal : WIDTH_ELSE;
    size_t levels = larger_of(d->width / 4 / 2, LEVELS_DRAWN_MIN);
    d->levels_drawn = (uint32_t)(levels < LEVELS_DRAWN_MAX ? levels : LEVELS_DRAWN_MAX);
    measure_numbers(d);
    size_t others = numbers_width(d) + GAP;
    if (d->note_width > 0)
        others += GAP + (d->note_width < NOTE_WIDTH_MAX ? d->note_width : NOTE_WIDTH_MAX);
    size_t room = d->width > others ? d->width - others : 0;
    d->name_most = room > NAME_WIDTH_MIN + BAR_WIDTH_MIN ? room - BAR_WIDTH_MIN : NAME_WIDTH_MIN;
    if (!measure_names(d))
        return false;
    d->name_width = d->name_width < d->name_most ? d->name_width : d->name_most;
    d->bar_width = room > d->name_width ? room - d->name_width : 0;
    d->bar_width = d->bar_width < BAR_WIDTH_MAX ? d->bar_width : BAR_WIDTH_MAX;
    return true;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void print_head(const struct drawing *d)
{
    static const char *const heads[NUMBERS] = {"total", "busy", "self"};
    printf("%-*s", (int)d->name_width, "span");
    for (unsigned n = 0; n < NUMBERS; n++) {
        int own = (int)(strlen(heads[n]) + 1 + strlen(d->unit.name));
        if (n != BUSY || d->has_busy)
            printf("%*s%s %s", GAP + (int)d->number_widths[n] - own, "", heads[n], d->unit.name);
    }
    char scale[48];
    int own = snprintf(scale, sizeof scale, "%.*f %s", d->unit.decimals, d->length_ns / d->unit.ns,
                       d->unit.name);
    if ((int)d->bar_width > own + 1)
        printf("%*s0%*s", GAP, "", (int)d->bar_width - 1, scale);
    putchar('\n');
}

static void print_numbers(const struct drawing *d, const stave_tree_node *node)
{
    double numbers[NUMBERS];
    numbers_of(node, numbers);
    for (unsigned n = 0; n < NUMBERS; n++) {
        int width = GAP + (int)d->number_widths[n];
        if (n != BUSY || is_busier(node))
            printf("%*.*f", width, d->unit.decimals, numbers[n] / d->unit.ns);
        else if (d->has_busy)
            printf("%*s", width, "");
    }
}

/* Whole cells, or of one that is shorter a part. Returns how many columns it took. */
static size_t print_bar(const struct drawing *d, int64_t start, int64_t end)
{
    double cells = (double)d->bar_width;
    double scale = d->length_ns > 0 ? cells / d->length_ns : 0;
    double from = fmin(fmax(ns_from_root(d, start) * scale, 0), cells);
    double to = fmin(fmax(ns_from_root(d, end) * scale, from), cells);
    size_t parts = COUNT(d->signs->parts), part = parts - 1;
    size_t first = (size_t)from, count = 1;
    if (to - from >= 1) {
        first = (size_t)(from + 0.5);
        count = (size_t)(to + 0.5) - first;
    } else {
        part = (size_t)((to - from) * (double)parts);
        first = first < d->bar_width ? first : d->bar_width - 1;
    }
    printf("%*s", (int)first, "");
    for (size_t i = 0; i < count; i++)
        fputs(d->signs->parts[part], stdout);
    return first + count;
}

/* In the column of names; frees it. False if there is none. */
static bool print_label(const struct drawing *d, char *label, uint32_t depth)
{
    size_t indent = indent_of(d, depth);
    if (label == NULL)
        return false;
    cli_text_put(stdout, label, d->name_width > indent ? d->name_width - indent : 0);
    free(label);
    return true;
}

static bool print_node(const struct drawing *d, uint32_t index, bool *beside)
{
    const stave_tree_node *node = node_at(d, index);
    bool is_last = d->links[index].next == STAVE_NONE;
    size_t used = 0;
    print_lines(d, is_last ? d->signs->last : d->signs->branch, node->parent, node->depth);
    if (!print_label(d, label_of(d, index, beside), node->depth))
        return false;
    print_numbers(d, node);
    if (d->bar_width > 0) {
        printf("%*s", GAP, "");
        used = print_bar(d, node->start, node->end);
    }
    if (cli_notes_width(node->flags) > 0) {
        printf("%*s", (int)(d->bar_width - used), "");
        cli_notes_print(node->flags);
    }
    putchar('\n');
    return true;
}

/* Attributes for which there is no room behind the name: a line for each. */
static bool print_attributes(const struct drawing *d, uint32_t index, bool has_below)
{
    const stave_tree_detail *first;
    uint32_t depth = node_at(d, index)->depth + 1;
    uint32_t count = cli_details_of(d->branches->tree, index, STAVE_ATTRIBUTES, &first);
    size_t indent = indent_of(d, depth);
    for (uint32_t i = 0; i < count; i++) {
        char *shown = cli_detail_shown(d->branches->trace, &first[i],
                                       d->width > indent ? d->width - indent : NAME_WIDTH_MIN);
        if (shown == NULL)
            return false;
        print_lines(d, has_below ? d->signs->pass : d->signs->blank, index, depth);
        printf("%s\n", shown);
        free(shown);
    }
    return true;
}

/* The same for a row's spread. */
static void print_spread(const struct drawing *d, uint32_t index, bool has_below)
{
    const stave_tree_node *node = node_at(d, index);
    char text[SPREAD_MAX];
    put_spread(d, node, text);
    print_lines(d, has_below ? d->signs->pass : d->signs->blank, index, node->depth + 1);
    printf("%s\n", text);
}

static bool print_mark(const struct drawing *d, const stave_tree_detail *mark, const char *sign,
                       uint32_t index)
{
    uint32_t depth = node_at(d, index)->depth + 1;
    print_lines(d, sign, index, depth);
    if (!print_label(d, mark_label(d, mark), depth))
        return false;
    if (d->bar_width > 0) {
        printf("%*s", (int)numbers_width(d) + GAP, "");
        print_bar(d, mark->time, mark->time);
    }
    putchar('\n');
    return true;
}

/* What stands below a node and is none. */
static bool print_details(const struct drawing *d, uint32_t index, bool beside)
{
    const stave_tree_detail *marks;
    uint32_t count = marks_of(d, index, &marks);
    bool has_children = d->links[index].first != STAVE_NONE;
    if (!beside && has_spread(node_at(d, index)))
        print_spread(d, index, has_children);
    if (!beside && !print_attributes(d, index, has_children || count > 0))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        bool is_last = i + 1 == count && !has_children;
        if (!print_mark(d, &marks[i], is_last ? d->signs->last : d->signs->branch, index))
            return false;
    }
    return true;
}

static void print_deeper(const struct drawing *d, uint32_t index)
{
    uint32_t depth = node_at(d, index)->depth + 1;
    print_lines(d, d->signs->last, index, depth);
    printf("(%" PRIu32 " deeper)\n", d->links[index].below);
}

static bool print_all(const struct drawing *d)
{
    print_head(d);
    for (uint32_t i = 0; i != STAVE_NONE; i = next_node(d, i)) {
        bool beside;
        if (!print_node(d, i, &beside) || !print_details(d, i, beside))
            return false;
        if (is_cut_below(d, i))
            print_deeper(d, i);
    }
    return true;
}

bool cli_branches_print(const struct cli_branches *branches)
{
    struct drawing d = {.branches = branches, .signs = cli_is_utf8() ? &utf8_signs : &ascii_signs};
    bool done = link_nodes(&d);
    if (done) {
        choose_scale(&d);
        done = lay_out(&d) && print_all(&d);
    }
    free(d.links);
    return done;
}
