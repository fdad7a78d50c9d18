/* frames.h - random frames, and whether two are the same: what tests of the wire layer share.
 *
 *     struct wire_frame frame;
 *     char name[WIRE_NAME_MAX];
 *     frame_random(&dice, WIRE_VERSION_2, &frame, name);  */
#ifndef FRAMES_H
#define FRAMES_H

#include "stress/device.h"
#include "wire/frame.h"

/* Whether all fields are equal, floats by their bits; prints the first that is not. */
bool frame_same(const struct wire_frame *got, const struct wire_frame *expected);

/* Any frame that can be sent: a kind, and each of the version's other fields in about half of all,
 * among them present zeros, the limits of each number and NaN. `name` is where its name lies. */
void frame_random(struct dice *dice, enum wire_version version, struct wire_frame *frame,
                  char name[WIRE_NAME_MAX]);

/* A code point as UTF-8, also one that UTF-8 does not allow; returns its 1 to 4 bytes. */
size_t utf8_write(uint32_t point, char *out);

#endif
