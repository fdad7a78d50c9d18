/* memory.h - memory that runs out at the n-th request, and what is in use: linked into every fault test
 * in place of malloc, calloc, realloc and free. */
#ifndef STAVE_TEST_FAULT_MEMORY_H
#define STAVE_TEST_FAULT_MEMORY_H

#include <stdbool.h>

struct fault_memory {
    unsigned requests;
    unsigned fail_at; /* 0: none */
    bool for_good;    /* those behind it, too */
    bool untouched;   /* the test's own are let through */
    long live;        /* pieces of memory in use */
};

extern struct fault_memory memory;

/* Counts requests from here on; the one with this number fails (0: none), with `for_good` those behind
 * it too. */
void memory_let_fail(unsigned request, bool for_good);

#endif
