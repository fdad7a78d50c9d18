#include "cli/listing.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/names.h"
#include "cli/save.h"
#include "cli/times.h"
#include "cli/values.h"

#define US_NS 1000.0
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

const char *cli_lane_kind_text(uint32_t kind)
{
    static const char *const texts[] = {
        [STAVE_LANE_TASK] = "task",     [STAVE_LANE_ISR] = "isr",
        [STAVE_LANE_DEVICE] = "device", [STAVE_LANE_THREAD] = "thread",
        [STAVE_LANE_CORE] = "core",     [STAVE_LANE_PROCESS] = "process",
    };
    return kind < COUNT(texts) ? texts[kind] : "unknown";
}

const char *cli_input_kind_text(const struct cli_trace *trace)
{
    static const char *const texts[] = {
        [CLI_ETRACE] = "etrace", [CLI_CSV] = "csv", [CLI_STAVE] = "stave"};
    return texts[trace->kind];
}

uint64_t cli_all_rows(const uint64_t rows[STAVE_ROW_KINDS])
{
    uint64_t all = 0;
    for (unsigned kind = 0; kind < STAVE_ROW_KINDS; kind++)
        all += rows[kind];
    return all;
}

/* ---- the file -------------------------------------------------------------------------------- */

static void print_file(const struct cli_listing *listing)
{
    const stave_trace_file *file = &listing->file;
    cli_text_print(stdout, listing->trace->name, strlen(listing->trace->name));
    if (listing->trace->kind != CLI_STAVE) {
        printf(": %s\n", cli_input_kind_text(listing->trace));
        return;
    }
    printf(": stave, %" PRIu64 " bytes; blocks: %" PRIu64 " of rows, %" PRIu64 " of tables",
           file->size, file->blocks, file->tables);
    if (file->unknown > 0)
        printf(", %" PRIu64 " unknown", file->unknown);
    if (stave_trace_damages(listing->trace->trace) > 0)
        printf(", %" PRIu32 " damaged", stave_trace_damages(listing->trace->trace));
    printf("; %s%s", file->indexed ? "indexed" : "no index", file->packed ? ", packed" : "");
    if (file->cut > 0)
        printf(", %" PRIu64 " bytes cut", file->cut);
    putchar('\n');
}

/* Both ends in one unit, so that they can be compared. */
static void print_range(const struct cli_listing *listing)
{
    const struct cli_range *range = &listing->contents.range;
    struct cli_times times = {0};
    fputs("time: ", stdout);
    if (!range->any) {
        fputs("none\n", stdout);
        return;
    }
    cli_times_add(&times, range->from_us * US_NS);
    cli_times_add(&times, range->to_us * US_NS);
    struct cli_unit unit = cli_unit_for_sums(&times);
    printf("%.*f to %.*f %s\n", unit.decimals, range->from_us * US_NS / unit.ns, unit.decimals,
           range->to_us * US_NS / unit.ns, unit.name);
}

static void print_totals(const struct cli_listing *listing)
{
    const struct cli_contents *contents = &listing->contents;
    print_file(listing);
    print_range(listing);
    fputs("rows: ", stdout);
    cli_print_rows(contents->rows);
    printf("\nlost: %" PRIu64 " events in %" PRIu64 " gaps\n", contents->lost,
           contents->rows[STAVE_GAPS]);
}

/* ---- lanes ----------------------------------------------------------------------------------- */

static struct cli_unit unit_of_lanes(const struct cli_listing *listing)
{
    struct cli_times times = {0};
    for (uint32_t i = 0; i < stave_trace_lanes(listing->trace->trace); i++) {
        cli_times_add(&times, listing->lanes[i].range.from_us * US_NS);
        cli_times_add(&times, listing->lanes[i].range.to_us * US_NS);
    }
    return cli_unit_for_sums(&times);
}

static void add_process(struct cli_table *table, const stave_trace *trace, uint32_t process)
{
    if (process == 0 || process > stave_trace_processes(trace))
        cli_table_word(table, "");
    else
        cli_table_name(table, trace, stave_trace_process(trace, process - 1)->name);
}

static void add_lane(struct cli_table *table, const struct cli_listing *listing, uint32_t index,
                     const struct cli_unit *unit)
{
    const stave_trace *trace = listing->trace->trace;
    const stave_lane *lane = stave_trace_lane(trace, index);
    const struct cli_lane_contents *contents = &listing->lanes[index];
    bool any = contents->range.any;
    cli_table_name(table, trace, lane->name);
    cli_table_word(table, cli_lane_kind_text(lane->kind));
    add_process(table, trace, lane->process);
    cli_table_number(table, "%" PRIu32, lane->priority);
    cli_table_number(table, "%" PRIu64, cli_all_rows(contents->rows));
    cli_table_number(table, "%" PRIu64, contents->rows[STAVE_SPANS]);
    cli_table_number(table, any ? "%.*f" : "", unit->decimals,
                     contents->range.from_us * US_NS / unit->ns);
    cli_table_number(table, any ? "%.*f" : "", unit->decimals,
                     contents->range.to_us * US_NS / unit->ns);
}

/* A stream's own lane is there before there is anything on it. */
static bool is_shown(const struct cli_listing *listing, uint32_t lane)
{
    return stave_trace_lane(listing->trace->trace, lane)->kind != STAVE_LANE_DEVICE ||
           listing->lanes[lane].range.any;
}

static bool has_lanes(const struct cli_listing *listing)
{
    bool any = false;
    for (uint32_t i = 0; i < stave_trace_lanes(listing->trace->trace); i++)
        any = any || is_shown(listing, i);
    return any;
}

static void print_lanes(const struct cli_listing *listing)
{
    char from[16], to[16];
    struct cli_unit unit = unit_of_lanes(listing);
    snprintf(from, sizeof from, "from %s", unit.name);
    snprintf(to, sizeof to, "to %s", unit.name);
    const struct cli_column columns[] = {
        {"lane", false, 0}, {"kind", false, 0}, {"process", false, 0}, {"prio", true, 1},
        {"rows", true, 0},  {"spans", true, 0}, {from, true, 0},       {to, true, 0},
    };
    struct cli_table table;
    cli_table_begin(&table, columns, COUNT(columns));
    for (uint32_t i = 0; i < stave_trace_lanes(listing->trace->trace); i++)
        if (is_shown(listing, i))
            add_lane(&table, listing, i, &unit);
    cli_table_print(&table, stdout);
}

/* ---- processes, boots, properties ------------------------------------------------------------ */

static void print_processes(const stave_trace *trace)
{
    static const struct cli_column columns[] = {
        {"process", false, 0}, {"pid", true, 0}, {"lanes", true, 0}};
    struct cli_table table;
    cli_table_begin(&table, columns, COUNT(columns));
    for (uint32_t i = 0; i < stave_trace_processes(trace); i++) {
        uint32_t lanes = 0;
        for (uint32_t lane = 0; lane < stave_trace_lanes(trace); lane++)
            lanes += stave_trace_lane(trace, lane)->process == i + 1;
        cli_table_name(&table, trace, stave_trace_process(trace, i)->name);
        cli_table_number(&table, "%" PRIu64, stave_trace_process(trace, i)->number);
        cli_table_number(&table, "%" PRIu32, lanes);
    }
    cli_table_print(&table, stdout);
}

static void print_boots(const stave_trace *trace)
{
    static const struct cli_column columns[] = {
        {"boot", true, 0}, {"from s", true, 0}, {"to s", true, 0}, {"tick", false, 0}};
    struct cli_table table;
    cli_table_begin(&table, columns, COUNT(columns));
    for (uint32_t i = 0; i < stave_trace_boots(trace); i++) {
        const stave_boot *boot = stave_trace_boot(trace, i);
        double hz = stave_trace_anchors(trace, i) > 0 ? stave_trace_anchor(trace, i, 0).hz : 0;
        const char *assumed = boot->rate_assumed ? ", assumed" : "";
        char tick[48];
        if (hz > 0)
            snprintf(tick, sizeof tick, "1/%.10g s%s", hz, assumed);
        else
            snprintf(tick, sizeof tick, "1 ns%s", assumed);
        cli_table_number(&table, "%" PRIu32, i + 1);
        cli_table_number(&table, "%.6f", boot->offset_us / 1e6);
        cli_table_number(&table, boot->ended ? "%.6f" : "", boot->end_us / 1e6);
        cli_table_word(&table, tick);
    }
    cli_table_print(&table, stdout);
}

static void add_value(struct cli_table *table, const stave_trace *trace,
                      const stave_property *property)
{
    char text[CLI_NUMBER_MAX];
    if (cli_value_is_text(trace, property->flags, property->value)) {
        cli_table_name(table, trace, (uint32_t)property->value);
        return;
    }
    cli_number_text(text, property->flags, property->value);
    cli_table_word(table, text);
}

static void print_properties(const stave_trace *trace)
{
    static const struct cli_column columns[] = {{"property", false, 0}, {"value", false, 0}};
    struct cli_table table;
    cli_table_begin(&table, columns, COUNT(columns));
    for (uint32_t i = 0; i < stave_trace_properties(trace); i++) {
        const stave_property *property = stave_trace_property(trace, i);
        cli_table_name(&table, trace, property->key);
        add_value(&table, trace, property);
    }
    cli_table_print(&table, stdout);
}

void cli_listing_print(const struct cli_listing *listing)
{
    const stave_trace *trace = listing->trace->trace;
    const struct {
        uint32_t rows;
        void (*print)(const stave_trace *trace);
    } tables[] = {
        {stave_trace_processes(trace), print_processes},
        {stave_trace_boots(trace), print_boots},
        {stave_trace_properties(trace), print_properties},
    };
    print_totals(listing);
    if (has_lanes(listing)) {
        putchar('\n');
        print_lanes(listing);
    }
    for (size_t i = 0; i < COUNT(tables); i++) {
        if (tables[i].rows == 0)
            continue;
        putchar('\n');
        tables[i].print(trace);
    }
}
