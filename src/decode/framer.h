/* decode/framer.h - rules 1 and 2 of docs/etrace.md: bytes to sound frames, and back in step after
 * damage. Knows nothing of what came before: what it says depends on the bytes behind it alone.
 *
 *     switch (stave__framer_read(WIRE_VERSION_2, at, end - at, &frame)) ...
 *
 * Untrusted  any bytes; nothing is read beyond them.  */
#ifndef STAVE_DECODE_FRAMER_H
#define STAVE_DECODE_FRAMER_H

#include "wire/frame.h"

/* Within this many steps, either way, one number follows another. */
#define STAVE__NEAR 64

/* With this many bytes every question below has its answer: three frames at their longest, prefix
 * (overlong) and payload, and the start of a fourth. */
#define STAVE__FRAMER_ROOM (4 * (10 + WIRE_PAYLOAD_MAX))

enum stave__framing {
    STAVE__FRAME,      /* a sound frame */
    STAVE__DAMAGE,     /* no sound frame here */
    STAVE__INCOMPLETE, /* the bytes end before the frame does */
    STAVE__MORE,       /* more bytes decide */
};

struct stave__frame {
    struct wire_frame fields;
    size_t size;             /* prefix and payload, bytes */
    enum wire_damage damage; /* of STAVE__DAMAGE */
};

/* STAVE__FRAME, STAVE__DAMAGE or STAVE__INCOMPLETE. */
enum stave__framing stave__framer_read(enum wire_version version, const uint8_t *bytes, size_t size,
                                       struct stave__frame *frame);

/* Whether reading may go on here after damage (rule 2): STAVE__FRAME or STAVE__DAMAGE. `final` says
 * that the stream ends with these bytes; without it STAVE__MORE may ask for more of them,
 * STAVE__FRAMER_ROOM at most. */
enum stave__framing stave__framer_try(enum wire_version version, const uint8_t *bytes, size_t size,
                                      bool final);

static inline bool stave__is_near(int64_t step)
{
    return step >= -STAVE__NEAR && step <= STAVE__NEAR;
}

/* The signed step from one number to another, modulo the version's range. */
int64_t stave__number_step(enum wire_version version, uint64_t from, uint64_t to);

#endif
