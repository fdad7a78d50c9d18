/* export/diagram_data.h - the two parts of a page's data that are written for each source. */
#ifndef STAVE_EXPORT_DIAGRAM_DATA_H
#define STAVE_EXPORT_DIAGRAM_DATA_H

#include "export/diagram_lanes.h"
#include "export/diagram_stream.h"

/* Its name, clocks, gaps, doubts and restarts. */
int stave__diagram_put_source(struct stave__drawing *drawing, struct stave__stream *stream,
                              stave_error *error);

/* Its lanes, and behind them the one of the markers that no span holds. `source` is its number. Adds to the
 * page's counts what only measuring tells. */
int stave__diagram_put_lanes(struct stave__drawing *drawing, uint32_t source,
                             struct stave__stream *stream, stave_error *error);

#endif
