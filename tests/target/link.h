/* link.h - a simulated transport, and what came through it.
 *
 *     link_reset(&link_a);
 *     link_a.room = 100;                       // bytes that it takes until more room is made
 *     struct stave_target_config config = {.write = link_write, .context = &link_a};
 *
 * Bytes are put together to frames again; each whole one is decoded and shown to the model.  */
#ifndef LINK_H
#define LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINK_ANY SIZE_MAX

struct link {
    /* How it is: the test's. */
    size_t room;      /* bytes that it takes yet; LINK_ANY: all */
    size_t at_a_time; /* bytes of one call */
    bool whole;       /* a frame or nothing, as RTT */
    bool lies;        /* says that it took more than it was given, where it took all */

    /* What came. */
    uint8_t *bytes;
    size_t count;
    size_t size;
    size_t frame;   /* where the frame begins that is not whole */
    size_t run;     /* where the first frame since the last start begins */
    uint64_t ticks; /* the stream's clock */
    uint32_t frames;
    uint32_t calls;
    uint32_t refused; /* calls of which it took nothing */
    uint32_t most;    /* bytes that it was asked to take in a call */
    uint64_t dictionary_bytes;
    uint64_t headers;
    uint64_t names;
};

/* Empty; takes everything. */
void link_reset(struct link *link);
void link_free(struct link *link);

/* For stave_target_config.write. */
size_t link_write(void *context, const uint8_t *bytes, size_t size);

/* Whether a frame is half through it. */
bool link_is_half(const struct link *link);

#endif
