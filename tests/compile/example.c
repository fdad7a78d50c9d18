/* The program of stave/stave.h's first lines, whole: C and C++. */
#include <stave/stave.h>

struct grid;
struct cell;
struct row {
    int key;
};
struct rows {
    struct row *v;
    size_t n;
};
struct session;

extern const struct cell *cell;
extern struct rows rows;
extern uint64_t request_id;
extern const char *sql;

const struct cell *find(struct grid *g, int row);
struct rows db_query(const char *query);
void process(struct row *row);
int navigate(struct grid *g, int row, const char *key);
int execute(struct session *s, int key);

int navigate(struct grid *g, int row, const char *key)
{
    STAVE_TRACE("NavigateCell", STAVE_ID(request_id), STAVE_KV("row", row), STAVE_KV("key", key));
    {
        STAVE_SCOPE("lookup");
        cell = find(g, row);
    }
    {
        STAVE_SPAN(query, "query");
        rows = db_query(sql);
        STAVE_SET(query, "row_count", rows.n);
    }
    for (size_t i = 0; i < rows.n; i++) {
        STAVE_CUMULATIVE("process_row");
        process(&rows.v[i]);
    }
    return 0;
}

int execute(struct session *s, int key)
{
    size_t n = rows.n;
    STAVE_FUNCTION(s, key);
    STAVE_SET(stave_current_span(), "cells", n);
    return 0;
}
