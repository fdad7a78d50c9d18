/* Files of rule reports: what speedscope demands of its own, depth, widths, names of any bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "stress/rules_model.h"

#define DEEP 5000u

static struct stave__model model;

static char *speedscope_of(const stave_report *report)
{
    char *text;
    size_t size;
    assert_int_equal(stave_report_make_speedscope(report, &text, &size, NULL), STAVE_OK);
    assert_int_equal(strlen(text), size);
    return text;
}

static char *chrome_of(const stave_report *report)
{
    char *text;
    size_t size;
    assert_int_equal(stave_report_make_chrome(report, &text, &size, NULL), STAVE_OK);
    assert_int_equal(strlen(text), size);
    return text;
}

/* ---- a profile ------------------------------------------------------------------------------- */

struct profile {
    uint64_t end;       /* of its last event */
    uint32_t boxes;     /* opened */
    uint32_t deepest;   /* levels */
    uint64_t widths[8]; /* of frames 0 to 7, from O to C, all together */
};

/* Reads the events from `*at` on, and moves it to behind them. */
static struct profile read_profile(const char **at)
{
    static uint32_t stack[DEEP];
    static uint64_t opened[DEEP];
    struct profile profile = {0};
    uint32_t depth = 0;
    const char *event = strstr(*at, "\"events\":[") + strlen("\"events\":[");
    for (; event[0] == '\n' || event[0] == ','; event = strchr(event, '}') + 1) {
        unsigned frame;
        unsigned long long time;
        char type;
        event += strspn(event, ",\n");
        assert_int_equal(
            sscanf(event, "{\"type\":\"%c\",\"frame\":%u,\"at\":%llu}", &type, &frame, &time), 3);
        assert_true(time >= profile.end);
        profile.end = time;
        if (type == 'O') {
            profile.boxes++;
            opened[depth] = time;
            stack[depth++] = frame;
            profile.deepest = depth > profile.deepest ? depth : profile.deepest;
            continue;
        }
        assert_true(depth > 0);
        assert_int_equal(stack[--depth], frame);
        if (frame < 8)
            profile.widths[frame] += time - opened[depth];
    }
    assert_int_equal(depth, 0);
    *at = event;
    return profile;
}

/* ---- the example ----------------------------------------------------------------------------- */

static stave_report *make_example(void)
{
    rules_model_open(&model);
    model.unit_ns = 1000;
    uint32_t a = rules_model_rule(&model, "a", "same name"),
             b = rules_model_rule(&model, "b", "same name");
    rules_model_need(&model, b, "a");
    rules_model_run(&model, "order", 0, 1, 0, 20);
    rules_model_add(&model, a, 0, 2, 0, 6)->around = 0;
    struct stave__model_row *row = rules_model_add(&model, b, 1, 1, 7, 10);
    rules_model_attach(row, 0, 1);
    row->outcome = STAVE_FAILED;
    row->note = rules_model_text(&model, "no \"\x01\xff");
    rules_model_add(&model, a, 0, 3, 8, 12)->around = 0;
    model.lanes = calloc(2, sizeof *model.lanes);
    model.lanes_count = 2;
    model.lanes[0] = rules_model_text(&model, "main");
    model.lanes[1] = rules_model_text(&model, "pool");
    return rules_model_report(&model);
}

static void test_speedscope(void **state)
{
    stave_report *report = make_example();
    char *text = speedscope_of(report);
    const char *at = text;
    struct profile tree = read_profile(&at);
    assert_non_null(strstr(at, "\"name\":\"dependencies\""));
    assert_int_equal(tree.end, 13000); /* all selves */
    assert_int_equal(tree.boxes, 3);
    assert_int_equal(tree.deepest, 2);
    assert_int_equal(tree.widths[0], 13000); /* a: 6 and what depends on it, 4 */
    assert_int_equal(tree.widths[1], 3000);
    struct profile first = read_profile(&at), second = read_profile(&at);
    assert_int_equal(first.boxes, 2);
    assert_int_equal(first.end, 12000);
    assert_int_equal(first.widths[0], 10000);
    assert_int_equal(second.boxes, 1);
    assert_int_equal(second.widths[1], 3000);
    assert_non_null(strstr(at, "{\"name\":\"same name\",\"file\":\"a\"}"));
    assert_non_null(strstr(at, "{\"name\":\"same name\",\"file\":\"b\"}"));
    free(text);
    stave_report_free(report);
}

static void test_chrome(void **state)
{
    stave_report *report = make_example();
    char *text = chrome_of(report);
    assert_non_null(strstr(text, "{\"ph\":\"M\",\"pid\":1,\"tid\":2,\"name\":\"thread_name\","
                                 "\"args\":{\"name\":\"pool\"}}"));
    assert_non_null(strstr(
        text, "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"name\":\"same name\",\"cat\":\"rule\","
              "\"ts\":7.000,\"dur\":3.000,\"args\":{\"self us\":3.000,\"rule\":\"b\","
              "\"outcome\":\"failed\",\"slack us\":0.000,\"critical\":true,\"run\":\"order\","
              "\"reason\":\"no \\\"\\u0001\xef\xbf\xbd\"}}"));
    assert_non_null(strstr(text, "{\"ph\":\"s\",\"pid\":1,\"tid\":1,\"name\":\"dependency\","
                                 "\"cat\":\"dependency\",\"id\":\"0x1\",\"ts\":0.000}"));
    assert_non_null(strstr(text,
                           "{\"ph\":\"f\",\"bp\":\"e\",\"pid\":1,\"tid\":2,\"name\":\"dependency\","
                           "\"cat\":\"dependency\",\"id\":\"0x1\",\"ts\":7.000}"));
    free(text);
    stave_report_free(report);
}

/* ---- depth ----------------------------------------------------------------------------------- */

/* A chain of dependencies on one thread: what is below the last level is one frame. */
static void test_deep_tree(void **state)
{
    char id[16];
    rules_model_open(&model);
    for (uint32_t i = 0; i < DEEP; i++) {
        snprintf(id, sizeof id, "%u", i);
        uint32_t rule = rules_model_rule(&model, id, "");
        snprintf(id, sizeof id, "%u", i - 1);
        if (i > 0)
            rules_model_need(&model, rule, id);
        rules_model_add(&model, rule, 0, i + 1, i * 10, i * 10 + 10);
    }
    stave_report *report = rules_model_report(&model);
    char *text = speedscope_of(report);
    const char *at = text;
    struct profile tree = read_profile(&at), thread = read_profile(&at);
    assert_int_equal(tree.deepest, STAVE_REPORT_DEPTH_MAX);
    assert_int_equal(tree.boxes, STAVE_REPORT_DEPTH_MAX);
    assert_int_equal(tree.end, DEEP * 10);
    assert_non_null(strstr(at, "{\"name\":\"(3001 deeper)\"}"));
    assert_int_equal(thread.boxes, DEEP);
    assert_int_equal(thread.deepest, 1);
    free(text);
    stave_report_free(report);
}

/* One inside the other, and two in the last one but one: these are in two frames on the thread, and one in the tree. */
static void test_deep_thread(void **state)
{
    rules_model_open(&model);
    uint32_t rule = rules_model_rule(&model, "r", "");
    for (uint32_t i = 0; i + 1 < STAVE_REPORT_DEPTH_MAX; i++)
        rules_model_add(&model, rule, 0, i + 1, i, 10000 - i)->around = i > 0 ? i - 1 : STAVE_NONE;
    for (uint32_t i = 0; i < 2; i++)
        rules_model_add(&model, rule, 0, 4000 + 10 * i, 4000 + 100 * i, 4050 + 100 * i)->around =
            STAVE_REPORT_DEPTH_MAX - 2;
    rules_model_add(&model, rule, 0, 4011, 4110, 4120)->around = STAVE_REPORT_DEPTH_MAX;
    stave_report *report = rules_model_report(&model);
    char *text = speedscope_of(report);
    const char *at = text;
    struct profile tree = read_profile(&at), thread = read_profile(&at);
    assert_int_equal(tree.deepest, STAVE_REPORT_DEPTH_MAX);
    assert_int_equal(thread.deepest, STAVE_REPORT_DEPTH_MAX);
    assert_int_equal(tree.boxes, STAVE_REPORT_DEPTH_MAX);
    assert_int_equal(thread.boxes, STAVE_REPORT_DEPTH_MAX + 1);
    assert_int_equal(tree.end, 10000);
    assert_int_equal(thread.end, 10000);
    assert_non_null(strstr(at, "(3 deeper)"));
    assert_non_null(strstr(at, "(1 deeper)"));
    assert_non_null(strstr(at, "(2 deeper)"));
    free(text);
    stave_report_free(report);
}

static uint32_t count_of(const char *text, const char *what)
{
    uint32_t count = 0;
    for (; (text = strstr(text, what)) != NULL; text += strlen(what))
        count++;
    return count;
}

/* A thousand, one inside the other, and one behind them: 511 levels and what is deeper. */
static void test_deep_chrome(void **state)
{
    rules_model_open(&model);
    model.unit_ns = 1000;
    uint32_t rule = rules_model_rule(&model, "r", "");
    for (uint32_t i = 0; i < 1000; i++)
        rules_model_add(&model, rule, 0, i + 1, i, 10000 - i)->around = i > 0 ? i - 1 : STAVE_NONE;
    rules_model_add(&model, rule, 0, 2000, 10000, 10001);
    stave_report *report = rules_model_report(&model);
    char *text = chrome_of(report);
    assert_int_equal(count_of(text, "\"ph\":\"X\""), 511 + 1 + 1);
    assert_int_equal(count_of(text, "deeper)"), 1);
    assert_non_null(strstr(text, "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"name\":\"(489 deeper)\","
                                 "\"ts\":511.000,\"dur\":8978.000}"));
    assert_non_null(strstr(text, "\"ts\":10000.000,\"dur\":1.000"));
    free(text);
    stave_report_free(report);
}

/* ---- where they go --------------------------------------------------------------------------- */

struct gathered {
    char bytes[1 << 16];
    size_t used;
};

static int gather(void *context, const void *data, size_t size)
{
    struct gathered *gathered = context;
    assert_true(gathered->used + size < sizeof gathered->bytes);
    memcpy(gathered->bytes + gathered->used, data, size);
    gathered->used += size;
    return STAVE_OK;
}

static int refuse(void *context, const void *data, size_t size)
{
    return STAVE_E_IO;
}

static void check_file(const char *path, const char *expected)
{
    static char bytes[1 << 16];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_int_equal(size, strlen(expected));
    assert_memory_equal(bytes, expected, size);
    unlink(path);
}

static void test_destinations(void **state)
{
    static struct gathered gathered;
    stave_report *report = make_example();
    stave_error error = {0};
    char *text = speedscope_of(report), *chrome = chrome_of(report);
    char path[] = "/tmp/stave-report-XXXXXX";
    close(mkstemp(path));
    assert_int_equal(stave_report_sink_speedscope(report, (stave_sink){gather, &gathered}, &error),
                     0);
    assert_int_equal(gathered.used, strlen(text));
    assert_memory_equal(gathered.bytes, text, gathered.used);
    assert_int_equal(stave_report_write_speedscope(report, path, &error), STAVE_OK);
    check_file(path, text);
    assert_int_equal(stave_report_write_chrome(report, path, &error), STAVE_OK);
    check_file(path, chrome);
    assert_int_equal(stave_report_sink_chrome(report, (stave_sink){refuse, NULL}, &error),
                     STAVE_E_IO);
    assert_int_equal(error.status, STAVE_E_IO);
    error = (stave_error){0};
    assert_int_equal(stave_report_write_chrome(report, "/nowhere/x.json", &error), STAVE_E_IO);
    free(text);
    free(chrome);
    stave_report_free(report);
}

static void test_nothing(void **state)
{
    rules_model_open(&model);
    stave_report *report = rules_model_report(&model);
    char *text = speedscope_of(report), *chrome = chrome_of(report);
    assert_non_null(
        strstr(text, "\"events\":[],\n\"name\":\"dependencies\",\"startValue\":0,\"endValue\":1"));
    assert_non_null(strstr(chrome, "\"traceEvents\":["));
    free(text);
    free(chrome);
    stave_report_free(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_speedscope),  cmocka_unit_test(test_chrome),
        cmocka_unit_test(test_deep_tree),   cmocka_unit_test(test_deep_thread),
        cmocka_unit_test(test_deep_chrome), cmocka_unit_test(test_destinations),
        cmocka_unit_test(test_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
