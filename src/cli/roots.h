/* cli/roots.h - what `stave roots` shows, as a table and as JSON. */
#ifndef STAVE_CLI_ROOTS_H
#define STAVE_CLI_ROOTS_H

#include "cli/where.h"

struct cli_roots {
    const char *file;    /* its name */
    const char *pattern; /* of names; NULL: any */
    bool slowest;        /* the worst first */
    bool limited;        /* those that are left out are counted */
    struct cli_where where;
    const stave_trace *trace;
    stave_roots *roots;
};

/* On standard output. Attributes are read meanwhile, which may fail. */
int cli_roots_print(const struct cli_roots *shown, stave_error *error);
int cli_roots_json(const struct cli_roots *shown, stave_error *error);

#endif
