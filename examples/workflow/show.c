#include "show.h"

#include <stdio.h>

enum { NAME_WIDTH = 30 };

static double ms(double ns)
{
    return ns / 1e6;
}

static double us(double ns)
{
    return ns / 1e3;
}

/* ---- rules ----------------------------------------------------------------------------------- */

static void show_rule(const stave_rule_stats *rule)
{
    printf("%-*.*s %8llu %7llu %8llu %9.2f %9.2f %9.2f %9.2f %9.2f %9.2f %9.2f %9.2f\n", NAME_WIDTH,
           NAME_WIDTH, rule->description, (unsigned long long)rule->calls,
           (unsigned long long)rule->failed, (unsigned long long)rule->skipped, ms(rule->self_ns),
           ms(rule->total_ns), ms(rule->busy_ns), us(rule->first_ns), us(rule->median_ns),
           us(rule->mean_ns), us(rule->p99_ns), us(rule->max_ns));
}

void show_rules(const stave_report *report)
{
    printf("%-*s %8s %7s %8s %9s %9s %9s %9s %9s %9s %9s %9s\n", NAME_WIDTH, "rule", "calls",
           "failed", "skipped", "self ms", "total ms", "busy ms", "first us", "median us",
           "mean us", "p99 us", "max us");
    for (size_t i = 0; i < stave_report_rule_count(report); i++)
        show_rule(stave_report_rule_at(report, i));
}

/* ---- a run ----------------------------------------------------------------------------------- */

uint32_t find_slowest(const stave_report *report)
{
    uint32_t slowest = UINT32_MAX;
    double longest_ns = -1;
    for (uint32_t i = 0; i < stave_report_run_count(report); i++) {
        const stave_report_run *run = stave_report_run_at(report, i);
        if (run->end_ns - run->start_ns > longest_ns) {
            longest_ns = run->end_ns - run->start_ns;
            slowest = i;
        }
    }
    return slowest;
}

/* What the run's time depends on has a star. */
static void show_node(const stave_report_node *node)
{
    enum { WIDTH = 50 };
    int indent = 2 * (int)(node->depth < WIDTH / 4 ? node->depth : WIDTH / 4);
    printf("%c %*s%-*.*s %10.2f %10.2f", node->is_critical ? '*' : ' ', indent, "", WIDTH - indent,
           WIDTH - indent, node->name, us(node->end_ns - node->start_ns), us(node->self_ns));
    if (node->slack_ns > 0)
        printf(" %10.2f", us(node->slack_ns));
    printf("\n");
}

/* Down to the first child, else to the next one beside it or beside what is above it. */
static uint32_t behind(const stave_report *report, uint32_t root, uint32_t at)
{
    const stave_report_node *node = stave_report_node_at(report, at);
    if (node->first_child != STAVE_NONE)
        return node->first_child;
    while (at != root && stave_report_node_at(report, at)->next == STAVE_NONE)
        at = stave_report_node_at(report, at)->parent;
    return at != root ? stave_report_node_at(report, at)->next : STAVE_NONE;
}

static void show_tree(const stave_report *report, uint32_t root)
{
    for (uint32_t at = root; at != STAVE_NONE; at = behind(report, root, at))
        show_node(stave_report_node_at(report, at));
}

void show_run(const stave_report *report, uint32_t index)
{
    const stave_report_run *run = stave_report_run_at(report, index);
    printf("order %s took %.2f us: its critical path %.2f, all its rules %.2f\n",
           run->id != NULL ? run->id : "?", us(run->end_ns - run->start_ns), us(run->critical_ns),
           us(run->busy_ns));
    printf("%-52s %10s %10s %10s\n", "* on its critical path", "us", "self us", "slack us");
    for (uint32_t i = 0; i < stave_report_node_count(report); i++) {
        const stave_report_node *node = stave_report_node_at(report, i);
        if (node->run == index && node->parent == STAVE_NONE)
            show_tree(report, i);
    }
}

/* ---- what is missing ------------------------------------------------------------------------- */

void show_lost(const stave_report *report)
{
    stave_report_lost lost;
    stave_report_lost_of(report, &lost);
    printf("lost: %llu evaluations given up, %llu dropped; %llu without their run\n",
           (unsigned long long)lost.given_up, (unsigned long long)lost.dropped,
           (unsigned long long)lost.unplaced);
}
