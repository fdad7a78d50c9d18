/* trace/file.h - the file that a trace was opened from: what open.c, scan.c and save.c share.
 *
 *   open.c    a file to a trace: by index.c, where that cannot be by scan.c, then ends.c
 *   index.c   the blocks that a file's index names
 *   scan.c    finding blocks by reading, past what is damaged
 *   take.c    one block becomes an entry or a part of the tables; its rows are read when asked for
 *   ends.c    spans and boots that nobody ended
 *   known.c   what is known of the file; reading all of it
 *   tables.c  tables to blocks and back
 *   lost.c    what stands for rows of tables that were lost
 *   places.c  which place is the one of a name
 *   rules.c   the tables of rules, which refer to nothing but each other's names
 *   save.c    a trace to a file
 */
#ifndef STAVE_TRACE_FILE_H
#define STAVE_TRACE_FILE_H

#include "store/writer.h"
#include "trace/trace.h"

/* Rows that a file's tables may have beside one for each of its bytes: nobody's file has more, and
 * memory for them is not had by writing a few bytes. */
#define STAVE__TABLE_ROWS_MAX 65536u
#define STAVE__MADE_UP_MAX 65536u /* lanes, boots and texts in place of those lost */

/* A block of a later version. */
struct stave__unknown {
    uint64_t offset;
    struct stave__header header;
    bool damaged; /* and listed */
};

struct stave__file {
    uint64_t size;    /* bytes, when it was last looked at */
    uint64_t scanned; /* up to here its blocks are known */
    uint64_t rows_of_tables;
    uint64_t tables;
    uint64_t cut;
    bool indexed, follow, packed;
    bool finished;               /* it has a foot */
    bool losses_told;            /* they are among the properties: save.c */
    struct stave__table unknown; /* struct stave__unknown */
    stave_progress progress;
};

void stave__file_free(struct stave__file *file);

/* Whether a block begins there: its header is sound. */
bool stave__file_header_at(const stave_trace *trace, uint64_t offset, struct stave__header *header);

/* A sound header at `offset`: its block becomes an entry, a part of the tables, or an unknown. */
int stave__file_take(stave_trace *trace, uint64_t offset, const struct stave__header *header,
                     stave_error *error);

/* Lists a block that is not sound. */
int stave__file_damage(stave_trace *trace, uint64_t offset, const struct stave__header *header,
                       const char *what, stave_error *error);

/* The whole block into blocks->bytes. NULL in *wrong when it is sound and the one that was meant. */
int stave__file_read(stave_trace *trace, uint64_t offset, const struct stave__header *header,
                     const char **wrong, stave_error *error);

/* The same for a block of a later version, which is listed when it is not sound: 1, 0 or an error. */
int stave__file_read_unknown(stave_trace *trace, struct stave__unknown *unknown,
                             stave_error *error);

/* Whether the whole file is known by its index. When it is not sound, what it gave is to be forgotten
 * with the trace. */
int stave__file_take_index(stave_trace *trace, bool *sound, stave_error *error);

/* Takes the blocks from file->scanned on. Bytes at the end that are no whole block stay for the next
 * time when the file is followed. */
int stave__file_scan(stave_trace *trace, stave_error *error);

/* Spans that were open when the last block of their lane was sealed become rows; boots that did not end,
 * end with their last row. */
int stave__file_end_spans(stave_trace *trace, stave_error *error);
void stave__file_end_boots(stave_trace *trace);

#endif
