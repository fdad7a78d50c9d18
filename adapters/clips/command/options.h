/* clips/command/options.h - what `stave-clips` is asked for.  */
#ifndef STAVE_CLIPS_OPTIONS_H
#define STAVE_CLIPS_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

enum exit_status { EXIT_DONE = 0, EXIT_NO = 1, EXIT_MISUSE = 2 };

struct options {
    char **files; /* ends with NULL */
    bool report, tree, details;
    const char *speedscope, *stave; /* paths; NULL: none */
    uint64_t limit;                 /* lines of the tree; UINT64_MAX: all */
    int64_t firings;                /* at most so many; -1: all */
    uint64_t memory_mib;            /* 0: as usual */
};

/* False: there is nothing to do, and `*status` is what to exit with. What is wrong was printed. */
bool options_read(struct options *options, int argc, char **argv, int *status);

/* A line on stderr, with the command's name before it. */
void message(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
