#include "show.h"

#include <inttypes.h>
#include <stdio.h>

enum { LEVELS_SHOWN = 30 }; /* deeper ones say how deep they are */

static double ms(double ns)
{
    return ns / 1e6;
}

static double us(double ns)
{
    return ns / 1e3;
}

static const char *firings(uint64_t count)
{
    return count == 1 ? "firing" : "firings";
}

/* ---- summary --------------------------------------------------------------------------------- */

static uint64_t lost_of(const stave_report *report)
{
    stave_report_lost lost;
    stave_report_lost_of(report, &lost);
    return lost.given_up + lost.dropped;
}

uint64_t show_firings(const stave_report *report)
{
    return stave_report_node_count(report) + lost_of(report);
}

/* There is one run; where its firings lost what they were below, another one has them. */
static double busy_ns_of(const stave_report *report)
{
    double sum = 0;
    for (uint32_t i = 0; i < stave_report_run_count(report); i++)
        sum += stave_report_run_at(report, i)->busy_ns;
    return sum;
}

static const stave_report_run *longest_chain_of(const stave_report *report)
{
    const stave_report_run *longest = stave_report_run_at(report, 0);
    for (uint32_t i = 1; i < stave_report_run_count(report); i++)
        if (stave_report_run_at(report, i)->critical_ns > longest->critical_ns)
            longest = stave_report_run_at(report, i);
    return longest;
}

static void show_run(const stave_report *report)
{
    const stave_report_run *run = stave_report_run_at(report, 0);
    const stave_report_run *longest = longest_chain_of(report);
    uint64_t fired = show_firings(report);
    bool is_all = lost_of(report) == 0;
    printf("%" PRIu64 " %s in %.3f ms, %.3f ms of it in %s; longest chain%s: %" PRIu32
           " %s, %.3f ms\n",
           fired, firings(fired), ms(run->end_ns - run->start_ns), ms(busy_ns_of(report)),
           is_all ? "firings" : "those in the report", is_all ? "" : " in the report",
           longest->critical_count, firings(longest->critical_count), ms(longest->critical_ns));
}

static void show_lost(const stave_report *report)
{
    uint64_t lost = lost_of(report);
    if (lost != 0)
        printf("not in the report: %" PRIu64
               " %s, for want of memory (--memory); what one of them caused is a root\n",
               lost, firings(lost));
}

void show_summary(const stave_report *report)
{
    if (stave_report_run_count(report) != 0)
        show_run(report);
    show_lost(report);
}

/* ---- rules ----------------------------------------------------------------------------------- */

static void show_rule(const stave_rule_stats *rule)
{
    printf("%8" PRIu64 " %7" PRIu64 " %12.2f %12.2f %10.2f %10.2f %10.2f %10.2f %10.2f  %s\n",
           rule->calls, rule->failed, us(rule->self_ns), us(rule->total_ns), us(rule->min_ns),
           us(rule->mean_ns), us(rule->median_ns), us(rule->p99_ns), us(rule->max_ns),
           rule->description);
}

void show_report(const stave_report *report)
{
    printf("\n%8s %7s %12s %12s %10s %10s %10s %10s %10s  %s\n", "firings", "failed", "self us",
           "total us", "min us", "mean us", "median us", "p99 us", "max us", "rule");
    for (size_t i = 0; i < stave_report_rule_count(report); i++)
        show_rule(stave_report_rule_at(report, i));
}

/* ---- tree ------------------------------------------------------------------------------------ */

static void show_outcome(const stave_report_node *node)
{
    if (node->outcome == STAVE_DONE)
        return;
    printf("  ! %s", stave_outcome_text(node->outcome));
    if (node->reason != NULL)
        printf(": %s", node->reason);
}

static void show_node(const stave_report_node *node)
{
    int level = node->depth < LEVELS_SHOWN ? (int)node->depth : LEVELS_SHOWN;
    printf("%12.3f %10.2f %10.2f  %*s", ms(node->start_ns), us(node->self_ns), us(node->total_ns),
           2 * level, "");
    if (node->depth > LEVELS_SHOWN)
        printf("(%" PRIu32 ") ", node->depth);
    fputs(node->name, stdout);
    show_outcome(node);
    putchar('\n');
}

/* Down to the first child, else to the next one beside it or beside what it is below. */
static uint32_t behind(const stave_report *report, uint32_t at)
{
    const stave_report_node *node = stave_report_node_at(report, at);
    if (node->first_child != STAVE_NONE)
        return node->first_child;
    while (node->next == STAVE_NONE && node->parent != STAVE_NONE)
        node = stave_report_node_at(report, node->parent);
    return node->next;
}

void show_tree(const stave_report *report, uint64_t limit)
{
    uint64_t count = stave_report_node_count(report);
    uint32_t at =
        count != 0 ? 0 : STAVE_NONE; /* the first one is a root, and no root is before it */
    printf("\n%12s %10s %10s  %s\n", "start ms", "self us", "total us", "firing");
    for (uint64_t line = 0; at != STAVE_NONE && line < limit; line++) {
        show_node(stave_report_node_at(report, at));
        at = behind(report, at);
    }
    if (limit < count)
        printf("(%" PRIu64 " more)\n", count - limit);
}
