/* test_alloc_report.c - memory runs out at the n-th request of a report of rules or of its files, for every n: an error that
 * says so, nothing leaked, and the trace can still be asked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fault/memory.h"
#include "stave/report.h"
#include "trace/rules.h"
#include "trace/trace.h"

enum { RULES = 100, RUNS = 20, EACH = 30 };

/* ---- a trace --------------------------------------------------------------------------------- */

struct making {
    stave_trace *trace;
    struct stave__appender spans[2], attributes, cumulatives;
    uint32_t rules[RULES], run, error;
    uint64_t serial;
};

static uint32_t text(struct making *m, const char *word, uint32_t number)
{
    char bytes[32];
    uint32_t id;
    int size = snprintf(bytes, sizeof bytes, "%s %u", word, number);
    assert_int_equal(stave__trace_string(m->trace, bytes, (size_t)size, &id, NULL), STAVE_OK);
    return id;
}

static uint32_t plain(struct making *m, const char *word)
{
    uint32_t id;
    assert_int_equal(stave__trace_string(m->trace, word, strlen(word), &id, NULL), STAVE_OK);
    return id;
}

/* Each rule needs the two before it, one that nobody knows, and the last one closes a cycle. */
static void declare(struct making *m)
{
    m->run = text(m, "run", 0);
    m->error = plain(m, "error");
    stave__trace_add_rule(m->trace,
                          &(struct stave__rule_row){.name = m->run, .role = STAVE__ROLE_RUN}, NULL);
    for (uint32_t i = 0; i < RULES; i++) {
        m->rules[i] = text(m, "rule", i);
        stave__trace_add_rule(m->trace,
                              &(struct stave__rule_row){.name = m->rules[i],
                                                        .id = text(m, "id", i),
                                                        .has_parent = i % 7 == 0,
                                                        .parent = text(m, "id", i / 2)},
                              NULL);
        for (uint32_t before = 1; before < 4 && before <= i; before++)
            stave__trace_add_dependency(
                m->trace,
                &(struct stave__dependency_row){m->rules[i],
                                                text(m, before < 3 ? "id" : "unknown", i - before)},
                NULL);
    }
    stave__trace_add_dependency(
        m->trace, &(struct stave__dependency_row){m->rules[0], text(m, "id", 20)}, NULL);
}

static void append(struct stave__appender *appender, struct stave__row row)
{
    assert_true(stave__append_row(appender, &row, NULL) >= 0);
}

/* Evaluations of a run on the second lane, some with a span in them; the run on the first. */
static void add_run(struct making *m, uint32_t number)
{
    int64_t at = number * 1000;
    uint64_t run = number + 1;
    for (uint32_t i = 0; i < EACH; i++) {
        struct stave__row row = {.start = at + i * 30,
                                 .end = at + i * 30 + 20 + i % 20,
                                 .serial = ++m->serial,
                                 .name = m->rules[(number + i) % RULES],
                                 .flags = STAVE_FLAG_ATTACHED,
                                 .other = i % 11 == 0 ? 999 : run};
        append(&m->spans[1], (struct stave__row){.start = row.start + 1,
                                                 .end = row.start + 5,
                                                 .serial = ++m->serial,
                                                 .name = m->run + 1,
                                                 .depth = 1});
        append(&m->spans[1], row);
        append(&m->attributes, (struct stave__row){.start = row.start,
                                                   .serial = row.serial,
                                                   .name = m->error,
                                                   .flags = STAVE_FLAG_TEXT,
                                                   .value = text(m, "reason", i)});
        append(&m->cumulatives, (struct stave__row){.start = row.start,
                                                    .end = row.start + 3,
                                                    .serial = row.serial,
                                                    .name = m->rules[i],
                                                    .value = 2,
                                                    .total = 3});
    }
    append(&m->spans[0],
           (struct stave__row){.start = at, .end = at + 950, .serial = run, .name = m->run});
}

static stave_trace *make_trace(void)
{
    static struct making m;
    uint32_t boot, lanes[2];
    m = (struct making){0};
    assert_int_equal(stave_trace_new(NULL, &m.trace, NULL), STAVE_OK);
    assert_int_equal(stave__trace_boot(m.trace, 0, 0, &boot, NULL), STAVE_OK);
    for (uint32_t i = 0; i < 2; i++) {
        stave_lane lane = {.name = text(&m, "lane", i), .kind = STAVE_LANE_THREAD};
        assert_int_equal(stave__trace_lane(m.trace, &lane, &lanes[i], NULL), STAVE_OK);
        stave__appender_init(&m.spans[i], &m.trace->blocks, STAVE_SPANS, lanes[i], boot);
        m.spans[i].mask = stave__kind_may_have[STAVE_SPANS];
    }
    stave__appender_init(&m.attributes, &m.trace->blocks, STAVE_ATTRIBUTES, lanes[1], boot);
    stave__appender_init(&m.cumulatives, &m.trace->blocks, STAVE_CUMULATIVES, lanes[1], boot);
    m.cumulatives.mask = stave__kind_may_have[STAVE_CUMULATIVES];
    declare(&m);
    for (uint32_t i = 0; i < RUNS; i++)
        add_run(&m, i);
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(stave__appender_seal(&m.spans[i], NULL), STAVE_OK);
    assert_int_equal(stave__appender_seal(&m.attributes, NULL), STAVE_OK);
    assert_int_equal(stave__appender_seal(&m.cumulatives, NULL), STAVE_OK);
    stave__trace_add_session(
        m.trace,
        &(struct stave__session_row){.number = 1, .start = 0, .stop = INT64_MAX, .lane = 1}, NULL);
    stave__trace_add_summary(
        m.trace, &(struct stave__summary_row){.session = 1, .rule = m.rules[3], .calls = 1}, NULL);
    return m.trace;
}

/* ---- the question ---------------------------------------------------------------------------- */

static int ask(stave_trace *trace, stave_error *error)
{
    char *bytes = NULL;
    size_t size;
    stave_error own = {0};
    stave_report *report = stave_report_from_trace(trace, NULL, &own);
    int status = report != NULL ? STAVE_OK : own.status;
    if (report != NULL)
        status = stave_report_make_speedscope(report, &bytes, &size, &own);
    free(bytes);
    bytes = NULL;
    if (status >= 0)
        status = stave_report_make_chrome(report, &bytes, &size, &own);
    free(bytes);
    if (status >= 0)
        assert_true(stave_report_node_count(report) > RUNS * EACH);
    stave_report_free(report);
    *error = own;
    return status;
}

static bool fails_at(unsigned request, bool for_good)
{
    long before = memory.live;
    stave_error error = {0};
    stave_trace *trace = make_trace();
    memory_let_fail(request, for_good);
    int status = ask(trace, &error);
    bool failed = memory.requests >= request;
    memory_let_fail(0, false);
    if (failed) {
        assert_int_equal(status, STAVE_E_MEMORY);
        assert_int_equal(error.status, STAVE_E_MEMORY);
        assert_true(error.message[0] != '\0');
    }
    assert_int_equal(failed ? ask(trace, &error) : status, STAVE_OK);
    stave_trace_free(trace);
    assert_int_equal(memory.live, before);
    return failed;
}

static void test_every_request(void **state)
{
    unsigned request = 1;
    while (fails_at(request, false))
        request++;
    assert_true(request > 80); /* else the requests are not seen */
    for (request = 1; fails_at(request, true);)
        request += 1 + request / 16;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_request),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
