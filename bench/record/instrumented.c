/* Compiled with -finstrument-functions or -pg, for those who trace calls by what compilers add to each. */
#include "record/loops.h"

__attribute__((noinline)) static void function(void)
{
    RECORD_WORK();
}

__attribute__((no_instrument_function)) void loop_instrumented(void)
{
    for (uint32_t i = 0; i < RECORD_TIMES; i++)
        function();
}
