/* export/walk_rows.h - the rows of one lane, sorted: its spans, and what belongs to them.
 *
 *     if ((status = stave__lane_rows_collect(&walk, lane, error)) < 0) ...       // a lane's blocks
 *     while ((span = stave__sorter_next(&rows->spans, error)) != NULL) ...
 *     details = stave__lane_rows_details(rows, span->serial, &count, error)
 */
#ifndef STAVE_EXPORT_WALK_ROWS_H
#define STAVE_EXPORT_WALK_ROWS_H

#include "export/series.h"
#include "export/shown.h"

struct stave__walk;

/* A span before it is nested. */
struct stave__span_row {
    uint64_t start; /* ns, never negative */
    int64_t end;
    uint64_t serial, other;
    int64_t deadline;
    uint32_t other_lane, name, depth;
    uint16_t flags;
    uint8_t cut;
    bool missed, unnamed;
};

/* An end of a link, by the lane that it is on. */
struct stave__link_end {
    uint64_t lane;
    struct stave__detail detail;
};

struct stave__lane_rows {
    uint32_t lane;
    struct stave__sorter spans;         /* struct stave__span_row */
    struct stave__series details;       /* struct stave__detail */
    struct stave__series entries;       /* struct stave__cumulative */
    struct stave__sorter moments;       /* struct stave__moment */
    struct stave__sorter links;         /* struct stave__link_end, of all lanes */
    const struct stave__link_end *link; /* the next */
    struct stave__detail *found;        /* of one span */
    uint32_t found_room;
};

struct stave__lane_rows *stave__lane_rows_new(const char *temporary_dir);
void stave__lane_rows_free(struct stave__lane_rows *rows);

/* The ends of all links and attachments; before any lane. */
int stave__lane_rows_find_links(struct stave__walk *walk, stave_error *error);

/* Takes the blocks of a lane. */
int stave__lane_rows_collect(struct stave__walk *walk, uint32_t lane, stave_error *error);

/* What belongs to a span, valid until the next call. NULL and a count of 0: nothing; with error->status: failed. */
int stave__lane_rows_details(struct stave__lane_rows *rows, uint64_t serial,
                             const struct stave__detail **details, uint32_t *count,
                             stave_error *error);

#endif
