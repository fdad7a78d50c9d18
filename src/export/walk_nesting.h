/* export/walk_nesting.h - the spans of a lane to tracks, on which they are nested, and cumulative entries to places in
 * their spans.
 *
 *     status = stave__nesting_run(walk, error);           // all of walk->rows, to the visitor: walk_tracks.c
 *
 * walk_nesting.c  one track: a stack of the spans around what comes next.
 * walk_entries.c  which entries of an open span wait for a place, and where one is.
 * walk_tracks.c   what does not nest, on further tracks.
 *
 * An entry is one slice of its total; of one that is cut by the window, as much of that as there is room for. It stands in its span where nothing else of the track is, as near behind its first
 * call as there is room for all of it; entries in it stand side by side from its start on. One that finds no place, or
 * whose span is not there, stands on another track, from its first call on.  */
#ifndef STAVE_EXPORT_WALK_NESTING_H
#define STAVE_EXPORT_WALK_NESTING_H

#include "export/walk_rows.h"

/* An entry of a span that is open. */
struct stave__waiting {
    struct stave__cumulative entry;
    uint64_t index;  /* in the series */
    uint32_t around; /* the entry that it is in; STAVE_NONE: none */
    uint32_t first;  /* of those in it */
    uint32_t next;   /* beside it */
};

/* Entries that have no place yet, of a span or of an entry. */
struct stave__waiting_list {
    uint32_t first; /* STAVE_NONE: there are none */
    uint64_t total; /* ns, together */
};

struct stave__entries {
    struct stave__waiting *waiting; /* a stack: those of spans further in behind */
    uint32_t used, room;
    struct stave__place *places; /* scratch, as many */
    uint8_t *placed;             /* a bit for each of the series: it has a place */
    uint8_t *claimed;            /* likewise, of the first of a span: one had them */
    uint64_t bits_room;          /* bytes of each */
};

/* A span, or an entry, that is open. */
struct stave__frame {
    struct stave__shown shown;
    struct stave__cumulative entry; /* what shown.entry is, if anything */
    int64_t free_from;              /* nothing on the track is in it from there on */
    uint64_t covered;
    uint32_t row_depth; /* as its row has it */
    uint32_t entries_before;
    struct stave__waiting_list waiting;
};

/* Spans below the greatest depth, which become one. */
struct stave__deeper {
    int64_t start, end;
    uint64_t count; /* 0: there are none */
};

/* A track that is taken until then. */
struct stave__taken {
    int64_t end;
    uint64_t track;
};

struct stave__nesting {
    struct stave__frame *frames;
    uint32_t depth, frames_room;
    struct stave__deeper deeper;
    struct stave__entries entries;
    uint32_t track;               /* this one */
    bool is_open;                 /* the visitor was told of it */
    bool is_ending;               /* nothing more comes to it */
    struct stave__sorter misfits; /* by start */
    struct stave__sorter placed;  /* the same, by track */
    struct stave__taken *taken;   /* a heap, that which ends first in front */
    size_t taken_count, taken_room;
    uint32_t tracks_used;
};

/* ---- one track ------------------------------------------------------------------------------- */

/* The next span by start. One that does not nest becomes a misfit. */
int stave__track_add(struct stave__walk *walk, const struct stave__span_row *row,
                     stave_error *error);
/* An entry on its own, with those in it; nothing, if it has a place by now. `index`: in the series. */
int stave__track_add_entry(struct stave__walk *walk, const struct stave__cumulative *entry,
                           uint64_t index, stave_error *error);
int stave__track_end(struct stave__walk *walk, stave_error *error);

/* ---- entries --------------------------------------------------------------------------------- */

/* No entry of the lane has a place yet. */
int stave__entries_begin(struct stave__walk *walk, stave_error *error);

/* Those of a span to its list, which is empty. */
int stave__entries_load(struct stave__walk *walk, uint64_t serial, struct stave__waiting_list *list,
                        stave_error *error);

/* Of a list the first for which there is room in [from, to), and where; STAVE_NONE: none. `last`: nothing comes behind. */
uint32_t stave__entries_choose(const struct stave__entries *entries,
                               const struct stave__waiting_list *list, int64_t from, int64_t to,
                               bool last, int64_t *at);

/* It has its place: it leaves the list, and those in it are one. */
struct stave__waiting_list stave__entries_take(struct stave__entries *entries,
                                               struct stave__waiting_list *list, uint32_t which);

/* Of an entry that has no place in its span, which is now had: those in it. `index`: in the series. */
int stave__entries_load_beside(struct stave__walk *walk, uint64_t serial, uint64_t index,
                               struct stave__waiting_list *inner, stave_error *error);

bool stave__entries_is_placed(const struct stave__entries *entries, uint64_t index);

void stave__entries_free(struct stave__entries *entries);

/* ---- all tracks ------------------------------------------------------------------------------ */

struct stave__nesting *stave__nesting_new(const char *temporary_dir);
void stave__nesting_free(struct stave__nesting *nesting);
int stave__nesting_run(struct stave__walk *walk, stave_error *error);

/* `entry`: its place in the series plus 1; 0: it is a span. */
int stave__misfit_add(struct stave__nesting *nesting, const struct stave__span_row *row,
                      uint64_t entry, stave_error *error);

#endif
