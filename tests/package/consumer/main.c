/* A program outside of Stave: makes a trace and says which library it runs with. */
#include <stdio.h>
#include <string.h>

#include <stave/trace.h>

int main(void)
{
    stave_error error = {0};
    stave_trace *trace;
    if (stave_trace_new(NULL, &trace, &error) < 0) {
        fprintf(stderr, "%s: %s\n", stave_status_text(error.status), error.message);
        return 1;
    }
    printf("%s, %u lanes\n", stave_version(), (unsigned)stave_trace_lanes(trace));
    stave_trace_free(trace);
    return strcmp(stave_version(), STAVE_VERSION) != 0;
}
