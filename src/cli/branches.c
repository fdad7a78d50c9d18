#include "cli/branches.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os.h"
#include "cli/text.h"
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
#define US_NS 1000.0

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
    size_t name_width, bar_width, note_width, number_widths[NUMBERS];
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
    const char *pass, *branch, *last, *blank, *deep, *times;
    const char *parts[8]; /* of a cell, from the least to a whole one */
};

static const struct signs utf8_signs = {
    "│ ", "├ ", "└ ", "  ", "… ", "×", {"▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"}};
static const struct signs ascii_signs = {
    "| ", "|-", "`-", "  ", "~ ", "x", {"|", "|", "|", "|", "#", "#", "#", "#"}};

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

/* Lines that lead to a node. One below `parent` that is no node (the last there) has none itself. */
static void print_lines(const struct drawing *d, uint32_t index, uint32_t parent, uint32_t depth)
{
    const char *lines[LEVELS_DRAWN_MAX];
    uint32_t levels = levels_of(d, depth);
    for (uint32_t level = levels; level-- > 0;) {
        bool is_last = index == STAVE_NONE || d->links[index].next == STAVE_NONE;
        if (level + 1 == levels)
            lines[level] = is_last ? d->signs->last : d->signs->branch;
        else
            lines[level] = is_last ? d->signs->blank : d->signs->pass;
        index = parent;
        parent = node_at(d, index)->parent;
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
static char *label_of(const struct drawing *d, const stave_tree_node *node)
{
    char calls[32] = "";
    bool elsewhere = node->parent != STAVE_NONE && node_at(d, node->parent)->lane != node->lane;
    if (node->calls != 1)
        snprintf(calls, sizeof calls, " %s%" PRIu64, d->signs->times, node->calls);
    char *name = printable_string(d, node->name);
    char *lane =
        printable_string(d, elsewhere ? stave_trace_lane(d->branches->trace, node->lane)->name : 0);
    char *label = NULL;
    if (name != NULL && lane != NULL) {
        size_t size = strlen(name) + strlen(calls) + strlen(lane) + 3;
        label = malloc(size);
        if (label != NULL)
            snprintf(label, size, "%s%s%s%s", name, calls, elsewhere ? " @" : "", lane);
    }
    free(name);
    free(lane);
    return label;
}

/* ---- numbers and notes ----------------------------------------------------------------------- */

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

static const struct {
    uint16_t flag;
    enum cli_style style;
    const char *text;
} notes[] = {
    {STAVE_FLAG_FAILED, CLI_BAD, "! failed"},
    {STAVE_FLAG_UNFINISHED, CLI_DOUBT, "~ unfinished"},
    {STAVE_FLAG_INTERRUPTED, CLI_DOUBT, "~ interrupted"},
    {STAVE_FLAG_UNWOUND, CLI_DOUBT, "? unwound"},
    {STAVE_FLAG_OVERLAP, CLI_DOUBT, "? overlap"},
    {STAVE_FLAG_SATURATED, CLI_DOUBT, "? saturated"},
    {STAVE_FLAG_UNCERTAIN, CLI_DOUBT, "? uncertain"},
    {STAVE_FLAG_TRUNCATED, CLI_DOUBT, "? truncated"},
};

static size_t note_width(const stave_tree_node *node)
{
    size_t width = 0;
    for (size_t i = 0; i < COUNT(notes); i++)
        if ((node->flags & notes[i].flag) != 0)
            width += strlen(notes[i].text) + (width > 0 ? GAP : 0);
    return width;
}

static void print_notes(const stave_tree_node *node)
{
    for (size_t i = 0; i < COUNT(notes); i++)
        if ((node->flags & notes[i].flag) != 0)
            printf("%*s%s%s%s", GAP, "", cli_style_begin(stdout, notes[i].style), notes[i].text,
                   cli_style_end(stdout, notes[i].style));
}

/* ---- widths ---------------------------------------------------------------------------------- */

static double ns_from_root(const struct drawing *d, const stave_tree_node *node, int64_t tick)
{
    return stave_duration_us(d->branches->trace, node->boot, node_at(d, 0)->start, tick) * US_NS;
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
        d->length_ns = fmax(d->length_ns, ns_from_root(d, node, node->end));
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

/* What names, numbers and notes would take. The lines in front of names take half of the room at
 * most. */
static bool measure(struct drawing *d, size_t width)
{
    size_t levels = larger_of(width / 4 / 2, LEVELS_DRAWN_MIN);
    d->levels_drawn = (uint32_t)(levels < LEVELS_DRAWN_MAX ? levels : LEVELS_DRAWN_MAX);
    for (uint32_t i = 0; i != STAVE_NONE; i = next_node(d, i)) {
        const stave_tree_node *node = node_at(d, i);
        char *label = label_of(d, node);
        double numbers[NUMBERS];
        if (label == NULL)
            return false;
        d->name_width = larger_of(d->name_width, indent_of(d, node->depth) + cli_text_width(label));
        free(label);
        numbers_of(node, numbers);
        for (unsigned n = 0; n < NUMBERS; n++)
            d->number_widths[n] = larger_of(d->number_widths[n], digits_of(d, numbers[n]));
        d->note_width = larger_of(d->note_width, note_width(node));
    }
    return true;
}

/* Numbers in full; of the rest, bars what names leave, but a least. */
static bool lay_out(struct drawing *d)
{
    int terminal = stave__os_terminal_width(fileno(stdout));
    size_t width = terminal > 0 ? (size_t)terminal : WIDTH_ELSE, others = 0;
    for (unsigned n = 0; n < NUMBERS; n++)
        d->number_widths[n] = strlen("total ") + strlen(d->unit.name);
    if (!measure(d, width))
        return false;
    for (unsigned n = 0; n < NUMBERS; n++)
        others += n == BUSY && !d->has_busy ? 0 : GAP + d->number_widths[n];
    if (d->note_width > 0)
        others += GAP + (d->note_width < NOTE_WIDTH_MAX ? d->note_width : NOTE_WIDTH_MAX);
    others += GAP;
    size_t room = width > others ? width - others : 0;
    size_t most = room > NAME_WIDTH_MIN + BAR_WIDTH_MIN ? room - BAR_WIDTH_MIN : NAME_WIDTH_MIN;
    d->name_width = d->name_width < most ? d->name_width : most;
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
static size_t print_bar(const struct drawing *d, const stave_tree_node *node)
{
    double cells = (double)d->bar_width;
    double scale = d->length_ns > 0 ? cells / d->length_ns : 0;
    double from = fmin(fmax(ns_from_root(d, node, node->start) * scale, 0), cells);
    double to = fmin(fmax(ns_from_root(d, node, node->end) * scale, from), cells);
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

static bool print_node(const struct drawing *d, uint32_t index)
{
    const stave_tree_node *node = node_at(d, index);
    size_t indent = indent_of(d, node->depth), used = 0;
    char *label = label_of(d, node);
    if (label == NULL)
        return false;
    print_lines(d, index, node->parent, node->depth);
    cli_text_put(stdout, label, d->name_width > indent ? d->name_width - indent : 0);
    free(label);
    print_numbers(d, node);
    if (d->bar_width > 0) {
        printf("%*s", GAP, "");
        used = print_bar(d, node);
    }
    if (note_width(node) > 0) {
        printf("%*s", (int)(d->bar_width - used), "");
        print_notes(node);
    }
    putchar('\n');
    return true;
}

static void print_deeper(const struct drawing *d, uint32_t index)
{
    uint32_t depth = node_at(d, index)->depth + 1;
    print_lines(d, STAVE_NONE, index, depth);
    printf("(%" PRIu32 " deeper)\n", d->links[index].below);
}

static bool print_all(const struct drawing *d)
{
    print_head(d);
    for (uint32_t i = 0; i != STAVE_NONE; i = next_node(d, i)) {
        if (!print_node(d, i))
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
