/* answer.h - what a command answers: lines that begin with a blank, then one of `ok` or `error`. */
#ifndef GRID_ANSWER_H
#define GRID_ANSWER_H

#include <stddef.h>

enum { ANSWER_SIZE = 16384 };

struct answer {
    size_t size;
    char text[ANSWER_SIZE];
};

/* What does not fit is left out. */
void answer_add(struct answer *answer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
