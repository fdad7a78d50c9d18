/* text.h - a text that grows; and what is wrong with a file, and where. */
#ifndef WORKFLOW_TEXT_H
#define WORKFLOW_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Zero is an empty one. */
struct text {
    char *at; /* ends with NUL; NULL while it is empty */
    size_t size, room;
    bool is_cut; /* there was no memory for all of it */
};

void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_insert(struct text *text, size_t offset, const char *inserted);
void text_cut(struct text *text, size_t size);
void text_free(struct text *text);

enum { COMPLAINT_SIZE = 400 };

/* The first one counts. */
struct complaint {
    unsigned line, column; /* from 1; 0: of all of it */
    char text[COMPLAINT_SIZE];
};

/* Always false, for `return complain(...)`. */
bool complain(struct complaint *complaint, unsigned line, unsigned column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
