/* The tables of rules in a file: told again, read while it grows, opened by a descriptor. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "stress/traces.h"
#include "trace/rules.h"

static char path[] = "/tmp/stave-rule-tables-XXXXXX";

static int make_path(void **state)
{
    int fd = mkstemp(path);
    close(fd);
    return fd < 0;
}

static int remove_path(void **state)
{
    unlink(path);
    return 0;
}

static uint32_t text(stave_trace *trace, const char *bytes)
{
    uint32_t id;
    assert_int_equal(stave__trace_string(trace, bytes, strlen(bytes), &id, NULL), STAVE_OK);
    return id;
}

static stave_trace *new_trace(void)
{
    stave_trace *trace;
    uint32_t boot;
    assert_int_equal(stave_trace_new(NULL, &trace, NULL), STAVE_OK);
    assert_int_equal(stave__trace_boot(trace, 0, 0, &boot, NULL), STAVE_OK);
    return trace;
}

static void add_rule(stave_trace *trace, const char *name, const char *depends_on)
{
    struct stave__rule_row rule = {.name = text(trace, name), .id = text(trace, "id")};
    struct stave__dependency_row dependency = {.rule = rule.name,
                                               .depends_on = text(trace, depends_on)};
    assert_int_equal(stave__trace_add_rule(trace, &rule, NULL), STAVE_OK);
    assert_int_equal(stave__trace_add_dependency(trace, &dependency, NULL), STAVE_OK);
}

static void check(const stave_trace *trace, uint32_t rules, bool has_parent, int64_t stop)
{
    const struct stave__rule_tables *tables = stave__trace_rules(trace);
    assert_int_equal(tables->rules.rows, rules);
    assert_int_equal(tables->dependencies.rows, rules);
    assert_int_equal(tables->sessions.rows, 1);
    const struct stave__rule_row *rule = stave__table_at(&tables->rules, 0);
    assert_int_equal(rule->has_parent, has_parent);
    const struct stave__session_row *session = stave__table_at(&tables->sessions, 0);
    assert_int_equal(session->stop, stop);
}

static stave_trace *open_file(bool follow)
{
    stave_trace *trace;
    stave_trace_config config = {.follow = follow};
    assert_int_equal(stave_trace_open(path, &config, &trace, NULL), STAVE_OK);
    return trace;
}

static void test_told_again(void **state)
{
    stave_trace *trace = new_trace();
    stave_writer *writer;
    struct stave__session_row session = {.number = 7, .stop = INT64_MAX};
    assert_int_equal(stave_writer_open(path, &writer, NULL), STAVE_OK);
    add_rule(trace, "first", "another");
    assert_int_equal(stave__trace_add_session(trace, &session, NULL), STAVE_OK);
    assert_int_equal(stave_writer_publish(writer, trace, NULL), STAVE_OK);
    stave_trace *followed = open_file(true);
    check(followed, 1, false, INT64_MAX);

    struct stave__rule_row *rule = stave__table_at(&trace->rules.rules, 0);
    struct stave__session_row *told = stave__table_at(&trace->rules.sessions, 0);
    rule->has_parent = true;
    rule->parent = text(trace, "the parent's id");
    told->stop = 99;
    add_rule(trace, "second", "first's id");
    assert_int_equal(stave_writer_publish(writer, trace, NULL), STAVE_OK);
    assert_int_equal(stave_trace_refresh(followed, NULL), 1);
    check(followed, 2, true, 99);
    assert_int_equal(stave_writer_finish(writer, trace, NULL), STAVE_OK);
    stave_writer_close(writer);
    stave_trace_free(followed);
    stave_trace_free(trace);

    trace = open_file(false);
    check(trace, 2, true, 99);
    stave_trace_free(trace);
}

/* Of a file that has no name any more. */
static void test_descriptor(void **state)
{
    stave_trace *trace;
    stave_error error = {0};
    int fd = open(path, O_RDONLY);
    assert_true(fd >= 0);
    unlink(path);
    assert_int_equal(stave__trace_open_descriptor(fd, &trace, NULL), STAVE_OK);
    assert_int_equal(fcntl(fd, F_GETFD), -1);
    check(trace, 2, true, 99);
    assert_int_equal(stave_trace_check(trace, (stave_progress){0}, NULL), 0);
    stave_trace_free(trace);
    fd = open("/dev/null", O_RDONLY);
    assert_true(stave__trace_open_descriptor(fd, &trace, &error) < 0);
    assert_true(error.message[0] != '\0');
    assert_int_equal(fcntl(fd, F_GETFD), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_told_again),
        cmocka_unit_test(test_descriptor),
    };
    return cmocka_run_group_tests_name("rule tables", tests, make_path, remove_path);
}
