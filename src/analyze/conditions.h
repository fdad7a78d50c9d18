/* analyze/conditions.h - which spans of a boot have the attributes that they are to have.
 *
 *     struct stave__conditions conditions = {.wanted = 3, .meets = meets, .context = context};
 *     if (stave__conditions_read(&conditions, &reading, from, end, error) < 0) ...
 *     if (stave__conditions_met(&conditions, lane, serial)) ...
 *     stave__conditions_free(&conditions);
 *
 * Memory: 16 bytes an attribute that meets one.  */
#ifndef STAVE_ANALYZE_CONDITIONS_H
#define STAVE_ANALYZE_CONDITIONS_H

#include "analyze/reading.h"
#include "stave/analyze.h"

struct stave__conditions {
    uint32_t wanted; /* a bit each; 0: there are none */
    uint32_t (*meets)(void *context, const stave_tree_detail *attribute);
    void *context;
    struct stave__met *rows; /* by lane and serial, one a span */
    size_t used, size;
};

/* Of the choices [from, end), those of one boot, looks at the attributes; what was there before is forgotten. */
int stave__conditions_read(struct stave__conditions *conditions, struct stave__reading *reading,
                           uint32_t from, uint32_t end, stave_error *error);

/* Whether the span's attributes meet all of them. */
bool stave__conditions_met(const struct stave__conditions *conditions, uint32_t lane,
                           uint64_t serial);

void stave__conditions_free(struct stave__conditions *conditions);

#endif
