/* trace/tables.h - a trace's tables to blocks and back (docs/format.md, "Tables"). */
#ifndef STAVE_TRACE_TABLES_H
#define STAVE_TRACE_TABLES_H

#include "store/writer.h"
#include "trace/trace.h"

/* A row of the anchors' table, which is of all boots. */
struct stave__anchor_row {
    uint32_t boot;
    uint32_t index; /* in its boot */
    stave_anchor anchor;
};

/* How much of a trace's tables a file has. All zero: nothing. */
struct stave__told {
    uint32_t rows[STAVE__TABLES_END]; /* of each table, by its kind */
    uint32_t crc[STAVE__TABLES_END];  /* of those that may change, as they were told */
};

/* Writes what is new in the tables of a trace. */
int stave__tables_write(stave_trace *trace, struct stave__writer *writer, struct stave__told *told,
                        stave_error *error);

/* Takes in a table block whose checksum is right, unpacked. NULL, or what is wrong with it in static
 * text; *status is an error when there was no memory. */
const char *stave__tables_read(stave_trace *trace, const struct stave__header *header,
                               const uint8_t *body, int *status, stave_error *error);

#define STAVE__LOST_NAME "(lost name)"

/* Whether it is one of the tables that are read here. */
bool stave__tables_is_known(uint64_t kind);

/* How many rows of a table there are, by its kind; of anchors UINT32_MAX. */
uint32_t stave__tables_rows(stave_trace *trace, uint64_t kind);

/* ---- after damage: lost.c -------------------------------------------------------------------- */

/* A row of a table that refers to what may have been lost: a boot is made up, a name or process becomes
 * none, a lane's name what stave__tables_name_lost() gives it. Without damage it stays as it is. */
int stave__tables_settle(stave_trace *trace, enum stave__table_kind kind, void *row,
                         stave_error *error);

/* When all of a file is read: names for what was lost. */
int stave__tables_name_lost(stave_trace *trace, stave_error *error);

/* Whether rows of a table are made up where they were lost. */
bool stave__tables_can_make_up(uint64_t kind);

/* Makes up the rows of such a table that are missing below this number. */
int stave__tables_make_up(stave_trace *trace, uint64_t kind, uint32_t rows, stave_error *error);

#endif
