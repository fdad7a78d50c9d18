#include "unit/recording_file.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stave/stave.h"

char folder[] = "/tmp/stave-recording-XXXXXX", path[64];

int make_folder(void **state)
{
    bool made = mkdtemp(folder) != NULL;
    snprintf(path, sizeof path, "%s/run.stave", folder);
    return !made;
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
