/* trace/tables.h - a trace's tables to blocks and back (docs/format.md, "Tables"). */
#ifndef STAVE_TRACE_TABLES_H
#define STAVE_TRACE_TABLES_H

#include "store/writer.h"
#include "trace/trace.h"

/* How much of a trace's tables a file has. All zero: nothing. */
struct stave__told {
    uint32_t rows[STAVE__PROPERTIES + 1]; /* of each table, by its kind */
    uint32_t crc[STAVE__PROPERTIES + 1];  /* of those that may change, as they were told */
};

/* Writes what is new in the tables of a trace. */
int stave__tables_write(stave_trace *trace, struct stave__writer *writer, struct stave__told *told,
                        stave_error *error);

/* Takes in a table block whose checksum is right, unpacked. NULL, or what is wrong with it in static
 * text; *status is an error when there was no memory. */
const char *stave__tables_read(stave_trace *trace, const struct stave__header *header,
                               const uint8_t *body, int *status, stave_error *error);

#define STAVE__LOST_NAME "(lost name)"

/* After damage: makes up the rows of tables that are missing below these numbers. */
int stave__tables_make_up(stave_trace *trace, uint32_t strings, uint32_t lanes, uint32_t boots,
                          stave_error *error);

#endif
