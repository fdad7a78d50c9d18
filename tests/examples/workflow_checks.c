#include "workflow_checks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

int number_of(const struct workflow *in, const char *id)
{
    for (int i = 0; i < in->count; i++)
        if (strcmp(in->rules[i].id, id) == 0)
            return i;
    fail_msg("there is no rule %s", id);
    return -1;
}

stave_session *start_session(void)
{
    stave_error error = {0};
    stave_session *session = stave_session_start(NULL, &error);
    assert_string_equal(error.message, "");
    assert_non_null(session);
    return session;
}
