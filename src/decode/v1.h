/* decode/v1.h - frames of version 1: absolute times, the name in every frame. */
#ifndef STAVE_DECODE_V1_H
#define STAVE_DECODE_V1_H

#include "decode/run.h"

int stave__v1_take(struct run *run, const struct wire_frame *frame, stave_error *error);

#endif
