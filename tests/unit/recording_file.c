#include "unit/recording_file.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "stress/recorded.h"

char folder[] = "/tmp/stave-recording-XXXXXX", path[64];

int make_folder(void **state)
{
    bool made = mkdtemp(folder) != NULL;
    snprintf(path, sizeof path, "%s/run.stave", folder);
    return !made;
}

int remove_folder(void **state)
{
    unlink(path);
    return rmdir(folder);
}

void begin_file(void)
{
    stave_error error = {0};
    if (stave_record_to(path, &error) < 0)
        fail_msg("%s", error.message);
}

void end_file(void)
{
    stave_error error = {0};
    if (stave_record_to(NULL, &error) < 0)
        fail_msg("%s", error.message);
}

void wait_ms(uint32_t ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000},
              NULL);
}

void record_all_kinds(uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        STAVE_SPAN(outer, "outer", STAVE_KV("i", i));
        recorded_pass(10);
        STAVE_MARK("mark", STAVE_KV("half", i / 2));
        STAVE_COUNTER("counter", i * 3);
        {
            STAVE_SCOPE("inner");
            recorded_pass(5);
            STAVE_SET(outer, "text",
                      i % 2 == 0 ? "even" : "a text that takes more than one record");
        }
        for (uint32_t j = 0; j < 3; j++) {
            STAVE_CUMULATIVE("sum");
            recorded_pass(j);
        }
    }
}

void in_a_child(CMUnitTestFunction run, void *given)
{
    int status;
    struct CMUnitTest test = {.name = "in a child", .test_func = run, .initial_state = given};
    pid_t child = fork();
    if (child == 0)
        _exit(_cmocka_run_group_tests("in a child", &test, 1, NULL, NULL));
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_HERE)
        skip();
    assert_int_equal(status, 0);
}
