#include "demo.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stave/report.h>

#include "cost.h"
#include "engine.h"
#include "show.h"
#include "watch.h"

struct demo {
    const struct demo_options *options;
    struct workflow *workflow;
    struct orders *orders;
    struct pool *pool;
    struct verdict *verdicts, *others; /* of one thread, and of all */
    bool is_other;                     /* they differ */
    bool is_unwritten;                 /* a file could not be written */
    stave_error error, speedscope_error, save_error;
};

/* The ending of a plural. */
static const char *s_of(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* ---- what there is --------------------------------------------------------------------------- */

static bool read_workflow(struct demo *demo)
{
    struct complaint complaint;
    const char *path = demo->options->workflow;
    double begin_ms = now_ms();
    demo->workflow = workflow_load(path, &complaint);
    if (demo->workflow != NULL) {
        printf("%s: %d rule%s, read and compiled in %.1f ms\n", path, demo->workflow->count,
               s_of((uint64_t)demo->workflow->count), now_ms() - begin_ms);
        return true;
    }
    fprintf(stderr, "workflow: %s:", path);
    if (complaint.line > 0)
        fprintf(stderr, "%u:", complaint.line);
    if (complaint.column > 0)
        fprintf(stderr, "%u:", complaint.column);
    fprintf(stderr, " %s\n", complaint.text);
    return false;
}

static bool make_orders(struct demo *demo)
{
    uint32_t count = (uint32_t)demo->options->orders;
    demo->orders = orders_new(count, demo->options->seed);
    demo->verdicts = calloc(count, sizeof *demo->verdicts);
    demo->others = calloc(count, sizeof *demo->others);
    demo->pool = pool_new((unsigned)demo->options->threads);
    if (demo->orders == NULL || demo->verdicts == NULL || demo->others == NULL ||
        demo->pool == NULL)
        return false;
    printf("%u order%s with %llu line%s\n", count, s_of(count),
           (unsigned long long)demo->orders->line_count, s_of(demo->orders->line_count));
    return true;
}

/* A session has half of the recorder's memory. An evaluation takes 32 bytes, as do a run and its id, and texts of what
 * failed some more; on several threads each evaluation may take twice that. */
static uint64_t bytes_needed(const struct demo *demo)
{
    uint64_t per_order = (uint64_t)demo->workflow->count + 4;
    return (demo->options->orders * per_order * 32 + (8u << 20)) * 2;
}

static bool start_recorder(struct demo *demo)
{
    uint64_t bytes =
        demo->options->memory_mib > 0 ? demo->options->memory_mib << 20 : bytes_needed(demo);
    printf("recorder: %.0f MiB, of which sessions may hold half\n", (double)bytes / (1 << 20));
    if (stave_start(&(stave_config){.max_bytes = bytes}, &demo->error) < 0)
        return false;
    stave_thread_name("main");
    return true;
}

/* ---- on one thread --------------------------------------------------------------------------- */

/* Files of the first orders: few enough for a viewer, and with what happens only once. Where one cannot be written, the
 * results are still wanted: complain_of_files() says so after them. */
static bool write_files(struct demo *demo, stave_session *session)
{
    const struct demo_options *options = demo->options;
    stave_report *report = stave_session_report(session, &demo->error);
    if (report == NULL)
        return false;
    if (options->speedscope != NULL &&
        stave_report_write_speedscope(report, options->speedscope, &demo->speedscope_error) < 0)
        demo->is_unwritten = true;
    if (options->save != NULL && stave_session_dump(session, options->save, &demo->save_error) < 0)
        demo->is_unwritten = true;
    stave_report_free(report);
    return true;
}

/* Sessions may overlap: one has the first orders, another one all of them. */
static bool execute_first(struct demo *demo, uint32_t first, double *ms)
{
    stave_session *session = stave_session_start(NULL, &demo->error);
    if (session == NULL)
        return false;
    double begin_ms = now_ms();
    workflow_execute_all(demo->workflow, demo->orders->at, first, demo->verdicts);
    *ms += now_ms() - begin_ms;
    stave_session_stop(session);
    bool is_done = write_files(demo, session);
    stave_session_free(session);
    return is_done;
}

static void execute_rest(struct demo *demo, uint32_t first, double *ms)
{
    double begin_ms = now_ms();
    workflow_execute_all(demo->workflow, demo->orders->at + first, demo->orders->count - first,
                         demo->verdicts + first);
    *ms += now_ms() - begin_ms;
}

static void show_tally(const struct demo *demo, double ms)
{
    struct tally tally = tally_of(demo->verdicts, demo->orders->count);
    printf("\nexecute: %.0f ms; %llu order%s passed, %llu did not\n", ms,
           (unsigned long long)tally.orders_passed, s_of(tally.orders_passed),
           (unsigned long long)(demo->orders->count - tally.orders_passed));
    printf("rules: %llu passed, %llu failed, of which %llu threw, %llu were skipped\n",
           (unsigned long long)tally.passed, (unsigned long long)tally.failed,
           (unsigned long long)tally.threw, (unsigned long long)tally.skipped);
}

static void show_slowest(const stave_report *report)
{
    uint32_t slowest = find_slowest(report);
    if (slowest == UINT32_MAX)
        return;
    printf("\nThe slowest run: ");
    show_run(report, slowest);
}

static bool show_session(struct demo *demo, stave_session *session)
{
    double begin_ms = now_ms();
    stave_report *report = stave_session_report(session, &demo->error);
    if (report == NULL)
        return false;
    uint32_t runs = stave_report_run_count(report);
    printf("report: %u evaluations and spans in %u run%s, made in %.0f ms\n",
           stave_report_node_count(report), runs, s_of(runs), now_ms() - begin_ms);
    show_lost(report);
    printf("\n");
    show_rules(report);
    show_slowest(report);
    stave_report_free(report);
    return true;
}

static bool execute(struct demo *demo)
{
    uint64_t first = demo->options->first;
    if (first > demo->orders->count)
        first = demo->orders->count;
    double ms = 0;
    stave_session *session = stave_session_start(NULL, &demo->error);
    bool is_done = session != NULL && execute_first(demo, (uint32_t)first, &ms);
    if (is_done) {
        execute_rest(demo, (uint32_t)first, &ms);
        stave_session_stop(session);
        show_tally(demo, ms);
        is_done = show_session(demo, session);
    }
    stave_session_free(session);
    return is_done;
}

/* ---- on all threads -------------------------------------------------------------------------- */

static uint32_t find_largest(const struct orders *orders)
{
    uint32_t largest = 0;
    for (uint32_t i = 1; i < orders->count; i++)
        if (orders->at[i].line_count > orders->at[largest].line_count)
            largest = i;
    return largest;
}

/* One order whose rules take long enough to share them out. */
static bool execute_largest(struct demo *demo)
{
    uint32_t largest = find_largest(demo->orders);
    stave_session *session = stave_session_start(NULL, &demo->error);
    if (session == NULL)
        return false;
    workflow_execute_parallel(demo->workflow, demo->pool, &demo->orders->at[largest], 1,
                              &demo->others[largest]);
    stave_report *report = stave_session_report(session, &demo->error);
    if (report != NULL && stave_report_run_count(report) > 0) {
        printf("\nThe largest order, on all threads: ");
        show_run(report, 0);
    }
    stave_report_free(report);
    stave_session_free(session);
    return report != NULL;
}

static bool execute_parallel(struct demo *demo)
{
    uint32_t count = demo->orders->count;
    stave_session *session = stave_session_start(NULL, &demo->error);
    if (session == NULL)
        return false;
    double begin_ms = now_ms();
    workflow_execute_parallel(demo->workflow, demo->pool, demo->orders->at, count, demo->others);
    double ms = now_ms() - begin_ms;
    stave_session_stop(session);
    stave_session_lost lost;
    stave_session_lost_of(session, &lost);
    stave_session_free(session);
    demo->is_other = memcmp(demo->verdicts, demo->others, count * sizeof *demo->others) != 0;
    printf("\nexecute-parallel, %u thread%s: %.0f ms, %s verdicts; lost: %llu given up, %llu "
           "dropped\n",
           pool_threads(demo->pool), s_of(pool_threads(demo->pool)), ms,
           demo->is_other ? "OTHER" : "the same", (unsigned long long)lost.given_up,
           (unsigned long long)lost.dropped);
    return !demo->is_other;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bool show_costs(struct demo *demo)
{
    return demo->options->passes == 0 ||
           cost_show(demo->workflow, demo->orders, demo->pool, (unsigned)demo->options->passes,
                     demo->others, &demo->error);
}

static bool run(struct demo *demo)
{
    if (!make_orders(demo)) {
        fprintf(stderr, "workflow: %s\n", strerror(errno));
        return false;
    }
    if (start_recorder(demo) && execute(demo) && execute_parallel(demo) && execute_largest(demo) &&
        show_costs(demo))
        return true;
    fprintf(stderr, "workflow: %s\n",
            demo->error.message[0] != '\0' ? demo->error.message : "two ways, two verdicts");
    return false;
}

static void complain_of_file(const char *path, const stave_error *error)
{
    if (error->message[0] == '\0')
        return;
    bool is_named = strstr(error->message, path) != NULL;
    fprintf(stderr, "workflow: %s%s%s\n", is_named ? "" : path, is_named ? "" : ": ",
            error->message);
}

static void complain_of_files(const struct demo *demo)
{
    fflush(stdout);
    complain_of_file(demo->options->speedscope, &demo->speedscope_error);
    complain_of_file(demo->options->save, &demo->save_error);
}

int demo(const struct demo_options *options)
{
    struct demo demo = {.options = options};
    if (!read_workflow(&demo))
        return 2;
    bool is_done = run(&demo);
    complain_of_files(&demo);
    stave_stop();
    pool_free(demo.pool);
    workflow_free(demo.workflow);
    orders_free(demo.orders);
    free(demo.verdicts);
    free(demo.others);
    if (is_done)
        return demo.is_unwritten ? 2 : 0;
    return demo.is_other ? 1 : 2;
}
