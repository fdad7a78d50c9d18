/* Compiled twice: around nothing, and with RECORD_BUSY around code that keeps the core busy. In the first what a
 * probe does hides behind the wait for the counter, in the second it does not.  */
#include "record/loops.h"

#include <stdlib.h>
#include <string.h>

#include "stave/stave.h"

#define REPEAT for (uint32_t i = 0; i < RECORD_TIMES; i++)

#ifdef RECORD_BUSY
#define LOOP(name) busy_##name
#define WORK() work()
#else
#define LOOP(name) loop_##name
#define WORK() RECORD_WORK()
#endif

/* Eight sums that do not wait for each other: 14 ns of them as clang compiles them, 30 as gcc does. */
static inline void work(void)
{
    static uint64_t sums[8];
    for (int round = 0; round < 8; round++) {
        for (int i = 0; i < 8; i++) {
            sums[i] = (sums[i] + 1) ^ (sums[i] << 3);
            __asm__ volatile("" : "+m"(sums[i]));
        }
    }
}

/* ---- to compare with ------------------------------------------------------------------------- */

void LOOP(empty)(void)
{
    REPEAT
    {
        WORK();
    }
}

/* Touched before, as the recorder's memory is. */
static struct stave__record *records(void)
{
    static struct stave__record *all;
    if (all == NULL && (all = malloc(RECORD_BYTES)) != NULL)
        memset(all, 1, RECORD_BYTES);
    if (all == NULL)
        abort();
    return all;
}

void LOOP(floor)(void)
{
    static size_t next;
    struct stave__record *record = records() + next;
    REPEAT
    {
        uint64_t start = stave__now();
        WORK();
        STAVE__STORE(record->start, start);
        STAVE__STORE(record->end, stave__now());
        STAVE__STORE(record->serial, i);
        STAVE__STORE(record->what, 1);
        record++;
    }
    next += RECORD_TIMES;
    if (next + RECORD_TIMES > RECORD_BYTES / sizeof *record)
        next = 0;
}

/* ---- probes ---------------------------------------------------------------------------------- */

void LOOP(span)(void)
{
    REPEAT
    {
        STAVE_SCOPE("span");
        WORK();
    }
}

void LOOP(integer)(void)
{
    REPEAT
    {
        STAVE_SCOPE("span", STAVE_KV("row", i));
        WORK();
    }
}

void LOOP(string)(void)
{
    const char *text = "SELECT * FROM cells";
    __asm__ volatile("" : "+r"(text)); /* its length is not known to the compiler */
    REPEAT
    {
        STAVE_SCOPE("span", STAVE_KV("sql", text));
        WORK();
    }
}

static __attribute__((noinline)) void function(uint32_t session, uint32_t key)
{
    STAVE_FUNCTION(session, key);
    WORK();
}

void LOOP(function)(void)
{
    REPEAT function(1, i);
}

void LOOP(mark)(void)
{
    REPEAT
    {
        STAVE_MARK("mark");
        WORK();
    }
}

void LOOP(cumulative)(void)
{
    STAVE_SCOPE("around");
    REPEAT
    {
        STAVE_CUMULATIVE("row");
        WORK();
    }
}

void LOOP(handle)(void)
{
    uint32_t name = stave_name_intern("handle");
    REPEAT
    {
        stave_span span = stave_begin(name);
        WORK();
        stave_end(span);
    }
}

void LOOP(root)(void)
{
    REPEAT
    {
        STAVE_TRACE("root");
        for (uint32_t child = 0; child < 3; child++) {
            STAVE_SCOPE("child");
            WORK();
        }
    }
}
