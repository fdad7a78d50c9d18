/* record/drain.h - what the thread of record/stream.h does: rounds over the lanes, and from one file to the next.
 *
 *     status = stave__drain_open(&drain, path, &bell, &error)      // the file is there, with its head
 *     stave__drain_begin(&drain);
 *     do
 *         drain.limits = ...
 *     while (stave__drain_round(&drain, ending) >= 0 && !ending);
 *     stave__drain_finish(&drain);
 *     stave__drain_close(&drain)
 *
 * A round that finds the file full finishes it and goes on in the next one, if there is to be one. Else recording goes on
 * in memory, and each round looks whether there can be one by now.  */
#ifndef STAVE_RECORD_DRAIN_H
#define STAVE_RECORD_DRAIN_H

#include "record/image.h"
#include "record/stream_file.h"

struct stave__drained; /* of a lane */

struct stave__drain {
    struct stave__image image;
    struct stave__stream_file file;
    struct stave__drained *lanes; /* STAVE__LANES_MAX, address space until used */
    stave_file_config limits;     /* from the next round on */
    bool flush, tell, all; /* of this round: chunks that are not full, what is open, all lanes */
    stave_counts before;   /* what the files before say */
    stave_counts counted;  /* and what they and this one say */
    uint64_t written;      /* records, when the counts were written last */
    bool is_full;          /* the file is finished, and no other has been begun */
    int64_t flushed, told; /* when that was; ns of CLOCK_MONOTONIC, as the next ones */
    int64_t retry_at;      /* when the next file is looked for again, */
    int64_t retry_after;   /* ns, and how long after that if there can be none */
};

/* On failure nothing is open. */
int stave__drain_open(struct stave__drain *drain, const char *path, struct stave__bell *bell,
                      stave_error *error);
/* It waits where the disk is full from here on. */
void stave__drain_begin(struct stave__drain *drain);
/* The file's status. `ending`: it is the last one. */
int stave__drain_round(struct stave__drain *drain, bool ending);
/* The index and the foot; a file that has failed ends with the last chunk that is in it as a whole. */
void stave__drain_finish(struct stave__drain *drain);
void stave__drain_close(struct stave__drain *drain);

#endif
