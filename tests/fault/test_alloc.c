/* test_alloc.c - memory runs out at the n-th request, for every n: an error that says so, nothing
 * lost, nothing leaked, and what there is of the trace can still be read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fault/memory.h"
#include "fault/pipeline.h"

/* ---- what has to be true afterwards ---------------------------------------------------------- */

static void check_error(int status, const stave_error *error)
{
    assert_int_equal(status, STAVE_E_MEMORY);
    assert_int_equal(error->status, STAVE_E_MEMORY);
    assert_true(error->message[0] != '\0');
}

/* A decoder that failed takes nothing more, and says why. */
static void check_decoder_is_done(stave_decoder *decoder)
{
    stave_error error = {0};
    assert_int_equal(stave_decoder_feed(decoder, "\0", 1, &error), STAVE_E_STATE);
    assert_int_equal(error.status, STAVE_E_STATE);
    assert_true(error.message[0] != '\0');
    assert_int_equal(stave_decoder_finish(decoder, NULL), STAVE_E_STATE);
}

static const char head[] = "name,type,start_us,end_us,priority,deadline_us,value,interrupted\n";

/* Whoever shows the boots asks for their times. */
static void check_boots(const stave_trace *trace)
{
    for (uint32_t boot = 0; boot < stave_trace_boots(trace); boot++) {
        assert_true(stave_trace_anchors(trace, boot) >= 1);
        assert_true(stave_time_us(trace, boot, 0) >= stave_trace_boot(trace, boot)->offset_us);
    }
}

static void check_after_decoding(struct pipeline *pipeline)
{
    if (pipeline->decoder == NULL)
        return;
    check_decoder_is_done(pipeline->decoder);
    check_boots(pipeline->trace);
    assert_int_equal(pipeline_summarize(pipeline, NULL), STAVE_OK);
    assert_int_equal(pipeline_export(pipeline, NULL, NULL), STAVE_OK);
    assert_memory_equal(pipeline->csv, head, sizeof head - 1);
}

/* Reading fails: the trace is what it was. */
static void check_after_reading(struct pipeline *pipeline)
{
    assert_int_equal(pipeline_summarize(pipeline, NULL), STAVE_OK);
    assert_int_equal(pipeline_export(pipeline, NULL, NULL), STAVE_OK);
    pipeline_check_csv(pipeline);
}

/* ---- every request in turn ------------------------------------------------------------------- */

/* False when there are fewer requests than that. */
static bool fails_at(struct pipeline *pipeline, const stave_trace_config *config, unsigned request,
                     bool for_good)
{
    long before = memory.live;
    stave_error error = {0};
    memory_let_fail(request, for_good);
    int decoded = pipeline_decode(pipeline, config, &error);
    int status = decoded;
    if (status >= 0)
        status = pipeline_summarize(pipeline, &error);
    if (status >= 0)
        status = pipeline_export(pipeline, NULL, &error);
    bool failed = memory.requests >= request;
    memory_let_fail(0, false);

    if (failed)
        check_error(status, &error);
    else
        assert_int_equal(status, STAVE_OK);
    if (decoded < 0)
        check_after_decoding(pipeline);
    else
        check_after_reading(pipeline);
    pipeline_clear(pipeline);
    assert_int_equal(memory.live, before);
    return failed;
}

static void check_every_request(struct pipeline *pipeline, const stave_trace_config *config,
                                unsigned least)
{
    unsigned request = 1;
    while (fails_at(pipeline, config, request, false))
        request++;
    assert_true(request > least); /* else the requests are not seen */
    for (request = 1; fails_at(pipeline, config, request, true);)
        request += 1 + request / 16; /* each of the first, some of the others */
}

static void check_vector(const char *name)
{
    struct pipeline pipeline;
    pipeline_open(&pipeline, name);
    check_every_request(&pipeline, NULL, 20);
    pipeline_close(&pipeline);
}

static void test_cycles(void **state)
{
    check_vector("cycles");
}

static void test_lost_wire(void **state)
{
    check_vector("lost-wire");
}

static void test_boot_loop(void **state)
{
    check_vector("boot-loop");
}

static void test_version1(void **state)
{
    check_vector("version1");
}

static void test_names(void **state)
{
    check_vector("names");
}

/* One feed of more bytes than a decoder keeps: those behind the failure are none of its business. */
static void test_long_feed(void **state)
{
    check_vector("sequence-wraps");
}

/* More ids, names and lanes than the first tables hold, some of them found by hashing. */
static void test_many_ids(void **state)
{
    struct pipeline pipeline;
    pipeline_open_many(&pipeline, 300);
    check_every_request(&pipeline, NULL, 600);
    pipeline_close(&pipeline);
}

/* Rows are read back from the spill file, which takes memory too. */
static void test_rows_on_disk(void **state)
{
    struct pipeline pipeline;
    const stave_trace_config config = {.cache_bytes = 1, .temporary_dir = "/tmp"};
    pipeline_open(&pipeline, "lost-wire");
    check_every_request(&pipeline, &config, 20);
    pipeline_close(&pipeline);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cycles),       cmocka_unit_test(test_lost_wire),
        cmocka_unit_test(test_boot_loop),    cmocka_unit_test(test_version1),
        cmocka_unit_test(test_names),        cmocka_unit_test(test_many_ids),
        cmocka_unit_test(test_rows_on_disk), cmocka_unit_test(test_long_feed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
