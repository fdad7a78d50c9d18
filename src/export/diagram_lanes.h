/* export/diagram_lanes.h - what of a source is drawn: which lanes, in which order, from which blocks.
 *
 *     stave__drawing_open(&drawing, trace, &page, error);      // which blocks
 *     stave__drawing_plan(&drawing, name, error);              // reads them all once
 *     for (uint32_t i = 0; i < drawing.lanes_count; i++)
 *         ... drawing.lanes[i] ...                             // in the order in which they are drawn
 *     stave__drawing_close(&drawing);
 *
 * Planning reads every row that will be drawn, so that what comes first in the page is known before
 * anything is written: its texts, its lanes, and that there is something at all.  */
#ifndef STAVE_EXPORT_DIAGRAM_LANES_H
#define STAVE_EXPORT_DIAGRAM_LANES_H

#include "analyze/reading.h"
#include "base/strings.h"
#include "stave/export.h"

/* What all sources of a page share. */
struct stave__page {
    struct stave__strings texts;
    stave_diagram_counts counts;
    struct stave__rows_read read; /* of all sources */
    uint32_t lanes;               /* planned so far */
};

/* One of the trace's lanes. */
struct stave__plan {
    uint64_t spans, marks;
    uint32_t drawn; /* on which lane of the page; STAVE_NONE: on none of its own */
};

/* One of the page's: some of the trace's that differ in their deadlines alone. */
struct stave__drawn_lane {
    const stave_lane *lane; /* the first of them */
    uint32_t first_member, members;
};

struct stave__drawing {
    struct stave__page *page;
    stave_trace *trace;
    struct stave__reading reading;      /* spans, marks, gaps, doubts */
    struct stave__lane_choices choices; /* of a lane by boot, kind, order */
    struct stave__plan *plans;          /* by lane of the trace */
    uint32_t *texts;                    /* by string of the trace: the page's text */
    uint32_t *members;                  /* lanes of the trace, those of a drawn lane together */
    struct stave__drawn_lane *lanes;
    uint32_t lanes_count;
    uint32_t first_lane; /* which one of the page is lanes[0] */
    uint32_t name;       /* the page's text */
    uint64_t lost;       /* frames or events */
    bool frames;
};

int stave__drawing_open(struct stave__drawing *drawing, stave_trace *trace,
                        struct stave__page *page, stave_error *error);
int stave__drawing_plan(struct stave__drawing *drawing, const char *name, stave_error *error);
void stave__drawing_close(struct stave__drawing *drawing);

/* Shows a block in drawing->reading.block: 1; 0 when it is damaged; or an error. */
int stave__drawing_show(struct stave__drawing *drawing, uint32_t choice, stave_error *error);

/* Tasks and ISRs are merged, and their marks are the device's. */
static inline bool stave__is_of_device(const stave_lane *lane)
{
    return lane->kind == STAVE_LANE_TASK || lane->kind == STAVE_LANE_ISR;
}

/* Marks of others stand on their own lane; but those of the stream itself have none. */
static inline bool stave__keeps_marks(const stave_lane *lane)
{
    return !stave__is_of_device(lane) && lane->kind != STAVE_LANE_DEVICE;
}

#endif
