/* decode/told.h - what a decoder counted, as properties `etrace.NAME` of its trace. */
#ifndef STAVE_DECODE_TOLD_H
#define STAVE_DECODE_TOLD_H

#include "stave/decode.h"

/* Sets a property for each that is not 0. */
int stave__decode_tell(stave_trace *trace, const stave_decode_stats *stats, stave_error *error);

#endif
