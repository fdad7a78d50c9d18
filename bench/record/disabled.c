/* A span that is compiled out. */
#define STAVE_DISABLED
#include "record/loops.h"
#include "stave/stave.h"

void loop_span_disabled(void)
{
    for (uint32_t i = 0; i < RECORD_TIMES; i++) {
        STAVE_SCOPE("span");
        RECORD_WORK();
    }
}
