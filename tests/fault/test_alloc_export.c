/* test_alloc_export.c - memory runs out at the n-th request while a trace is exported, for every n and format: an error that
 * says so, nothing leaked, and the same bytes when all is well again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "export/make_traces.h"
#include "fault/memory.h"
#include "stave/export.h"

static stave_trace *trace;

/* What was written, as a number. */
static int take(void *context, const void *data, size_t size)
{
    uint64_t *hash = context;
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++)
        *hash = (*hash ^ bytes[i]) * 0x100000001b3u;
    return STAVE_OK;
}

static int export(stave_export_format format, uint64_t *hash, stave_error *error)
{
    *hash = 1;
    return stave_export(trace, format, NULL, ((stave_sink){take, hash}), NULL, error);
}

/* False when there are fewer requests than that. */
static bool fails_at(stave_export_format format, unsigned request, bool for_good, uint64_t wanted)
{
    long before = memory.live;
    uint64_t hash;
    stave_error error = {0};
    memory_let_fail(request, for_good);
    int status = export(format, &hash, &error);
    bool failed = memory.requests >= request;
    memory_let_fail(0, false);
    assert_int_equal(memory.live, before);
    if (status >= 0) {
        assert_int_equal(hash, wanted);
        return failed;
    }
    assert_true(failed);
    assert_int_equal(status, STAVE_E_MEMORY);
    assert_int_equal(error.status, STAVE_E_MEMORY);
    assert_true(error.message[0] != '\0');
    return true;
}

static void check_format(stave_export_format format)
{
    uint64_t wanted, again;
    assert_int_equal(export(format, &wanted, NULL), STAVE_OK);
    unsigned request = 1;
    while (fails_at(format, request, false, wanted))
        request++;
    assert_true(request > 30); /* else the requests are not seen */
    for (request = 1; fails_at(format, request, true, wanted);)
        request += 1 + request / 16;
    assert_int_equal(export(format, &again, NULL), STAVE_OK);
    assert_int_equal(again, wanted);
}

#define TEST(name, format)                                                                         \
    static void test_##name(void **state)                                                          \
    {                                                                                              \
        check_format(format);                                                                      \
    }
TEST(speedscope, STAVE_EXPORT_SPEEDSCOPE)
TEST(chrome, STAVE_EXPORT_CHROME)
TEST(perfetto, STAVE_EXPORT_PERFETTO)
TEST(folded, STAVE_EXPORT_FOLDED)
TEST(pprof, STAVE_EXPORT_PPROF)
TEST(otlp, STAVE_EXPORT_OTLP)

static int begin(void **state)
{
    rows_begin();
    make_small();
    trace = rows_finish(false);
    return 0;
}

static int end(void **state)
{
    stave_trace_free(trace);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_speedscope), cmocka_unit_test(test_chrome),
        cmocka_unit_test(test_perfetto),   cmocka_unit_test(test_folded),
        cmocka_unit_test(test_pprof),      cmocka_unit_test(test_otlp),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
