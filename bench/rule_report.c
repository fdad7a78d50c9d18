/* What a report of a session costs: nanoseconds an evaluation, of a million of them.
 *
 *     bench_rule_report [EVALUATIONS]
 *
 * Orders of ten rules each, in runs of their own: chains and diamonds, one of them evaluated inside another with a span in it. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "lib/bench.h"
#include "stave/report.h"

static stave_rule read_order = {.id = "read"};
static stave_rule price = {.id = "price", .depends_on = STAVE_RULES(&read_order)};
static stave_rule stock = {.id = "stock", .depends_on = STAVE_RULES(&read_order)};
static stave_rule customer = {.id = "customer", .depends_on = STAVE_RULES(&read_order)};
static stave_rule discount = {.id = "discount"};
static stave_rule total = {.id = "total", .depends_on = STAVE_RULES(&price, &stock, &customer)};
static stave_rule tax = {.id = "tax", .depends_on = STAVE_RULES(&total)};
static stave_rule ship = {.id = "ship", .depends_on = STAVE_RULES(&stock, &customer)};
static stave_rule bill = {.id = "bill", .depends_on = STAVE_RULES(&tax, &ship)};
static stave_rule check = {.id = "check", .depends_on = STAVE_RULES(&bill)};

static void evaluate(stave_rule *rule)
{
    STAVE_RULE(rule);
}

static void process_order(uint64_t number)
{
    static stave_rule *const before[] = {&read_order, &price, &stock, &customer};
    static stave_rule *const behind[] = {&tax, &ship, &bill, &check};
    STAVE_RUN(run, "order", STAVE_ID(number));
    for (unsigned i = 0; i < 4; i++)
        evaluate(before[i]);
    {
        STAVE_RULE(&total);
        evaluate(&discount);
    }
    for (unsigned i = 0; i < 4; i++)
        evaluate(behind[i]);
}

static int count_bytes(void *context, const void *data, size_t size)
{
    (void)data;
    *(uint64_t *)context += size;
    return STAVE_OK;
}

static double since(double *from)
{
    double now = bench_cpu_seconds(), took = now - *from;
    *from = now;
    return took;
}

static double peak_bytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return 1024.0 * (double)usage.ru_maxrss;
}

static int fail(const stave_error *error)
{
    fprintf(stderr, "bench_rule_report: %s\n", error->message);
    return 1;
}

int main(int argc, char **argv)
{
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000, bytes = 0;
    const stave_session_config config = {.max_bytes = 256 + count * 300};
    stave_error error = {0};
    stave_session *session = stave_session_start(&config, &error);
    if (session == NULL)
        return fail(&error);
    for (uint64_t i = 0; i < count / 10; i++)
        process_order(i);
    stave_session_stop(session);
    double before = peak_bytes(), at = bench_cpu_seconds();
    stave_report *report = stave_session_report(session, &error);
    if (report == NULL)
        return fail(&error);
    double each = 1e9 / stave_report_node_count(report);
    printf("report      %8.1f ns an evaluation, of %u in %u runs\n", since(&at) * each,
           stave_report_node_count(report), stave_report_run_count(report));
    printf("memory      %8.1f bytes an evaluation at most, beside the session's records\n",
           (peak_bytes() - before) / stave_report_node_count(report));
    stave_report_sink_speedscope(report, (stave_sink){count_bytes, &bytes}, &error);
    double took = since(&at);
    printf("speedscope  %8.1f ns, %.0f MB, %.0f MB/s\n", took * each, (double)bytes / 1e6,
           (double)bytes / 1e6 / took);
    bytes = 0;
    stave_report_sink_chrome(report, (stave_sink){count_bytes, &bytes}, &error);
    took = since(&at);
    printf("chrome      %8.1f ns, %.0f MB, %.0f MB/s\n", took * each, (double)bytes / 1e6,
           (double)bytes / 1e6 / took);
    stave_report_free(report);
    stave_session_free(session);
    return 0;
}
