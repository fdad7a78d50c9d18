/* What a decoder counted stays with its trace, in a file too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "stave/decode.h"

static stave_trace *decode(const char *vector, stave_decode_stats *stats)
{
    char path[1024];
    unsigned char bytes[4096];
    size_t n;
    stave_trace *trace;
    stave_decoder *decoder;
    snprintf(path, sizeof path, "%s/%s.bin", STAVE_VECTORS_DIR, vector);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(stave_trace_new(NULL, &trace, NULL), STAVE_OK);
    assert_int_equal(stave_decoder_new(NULL, trace, &decoder, NULL), STAVE_OK);
    while ((n = fread(bytes, 1, sizeof bytes, file)) > 0)
        assert_int_equal(stave_decoder_feed(decoder, bytes, n, NULL), STAVE_OK);
    fclose(file);
    assert_int_equal(stave_decoder_finish(decoder, NULL), STAVE_OK);
    stave_decoder_stats(decoder, stats);
    stave_decoder_free(decoder);
    return trace;
}

static void assert_told(const stave_trace *trace, const stave_decode_stats *expected)
{
    stave_decode_stats told;
    stave_decode_stats_told(trace, &told);
#define SAME(name, text) assert_int_equal(told.name, expected->name);
    STAVE_DECODE_COUNTERS(SAME)
#undef SAME
    assert_true(told.time_uncertain_us == expected->time_uncertain_us);
    assert_int_equal(told.first_damage, expected->first_damage);
    assert_int_equal(told.wire_version, expected->wire_version);
    assert_true((told.damage_text == NULL) == (expected->damage_text == NULL));
    if (told.damage_text != NULL)
        assert_string_equal(told.damage_text, expected->damage_text);
}

static int write_file(void *context, const void *data, size_t size)
{
    return fwrite(data, 1, size, context) == size ? STAVE_OK : STAVE_E_IO;
}

static stave_trace *through_file(stave_trace *trace)
{
    char path[] = "/tmp/stave-XXXXXX";
    int fd = mkstemp(path);
    FILE *file = fd >= 0 ? fdopen(fd, "wb") : NULL;
    assert_non_null(file);
    stave_sink sink = {.write = write_file, .context = file};
    assert_int_equal(stave_trace_save(trace, sink, NULL, NULL), STAVE_OK);
    assert_int_equal(fclose(file), 0);
    stave_trace *opened;
    assert_int_equal(stave_trace_open(path, NULL, &opened, NULL), STAVE_OK);
    unlink(path);
    return opened;
}

static void test_counts_go_with_the_trace(void **state)
{
    static const char *const vectors[] = {"lost-wire", "noise", "cycles", "boot-loop"};
    uint64_t lost = 0, damages = 0;
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        stave_decode_stats stats;
        stave_trace *trace = decode(vectors[i], &stats);
        assert_true(stats.frames > 0);
        assert_told(trace, &stats);
        stave_trace *opened = through_file(trace);
        assert_told(opened, &stats);
        lost += stats.frames_lost;
        damages += stats.damages;
        stave_trace_free(opened);
        stave_trace_free(trace);
    }
    assert_true(lost > 0 && damages > 0);
}

static void test_a_trace_that_no_decoder_made(void **state)
{
    stave_trace *trace;
    stave_decode_stats none = {0};
    assert_int_equal(stave_trace_new(NULL, &trace, NULL), STAVE_OK);
    assert_told(trace, &none);
    stave_trace_free(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts_go_with_the_trace),
        cmocka_unit_test(test_a_trace_that_no_decoder_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
