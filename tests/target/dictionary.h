/* dictionary.h - a device that records now and then, and what it sent of the dictionary. */
#ifndef DICTIONARY_H
#define DICTIONARY_H

#include "simulation.h"

enum { DICTIONARY_NAMES = 40, DICTIONARY_MAX = 1 << 17 };

struct dictionary_frame {
    uint64_t ticks;
    size_t size;
    size_t offset; /* in the link's bytes */
    uint32_t id;   /* 0: a header */
};

struct dictionary_seen {
    uint64_t bytes;
    uint64_t largest;
    uint32_t headers;
    uint32_t names;
    uint32_t count;
    struct dictionary_frame frames[DICTIONARY_MAX];
};

extern struct dictionary_seen seen;

/* Fills in `seen` from the frames of link_a behind the first `from` bytes. */
void dictionary_look(size_t from);

/* Records `names` of them, of 32 bytes or few; then a poll each `poll_us`, and a mark each 10 ms, for so
 * many seconds, on a link that carries what it is said to. Looks at what came behind the announcements. */
void dictionary_simulate(uint32_t hz, uint32_t names, bool longest, uint32_t poll_us,
                         uint32_t seconds);

#endif
