/* trace/places.h - the one place of a name: looked up by an index that is made when it is first asked for. */
#ifndef STAVE_TRACE_PLACES_H
#define STAVE_TRACE_PLACES_H

#include <stdbool.h>
#include <stdint.h>

struct stave__place_index {
    uint32_t
        *of_name; /* by string id: a place plus 1; 0: none; SEVERAL of places.c. NULL: to be made */
    uint32_t names;
};

/* A place was added, or is another one now. */
void stave__place_index_forget(struct stave__place_index *index);

#endif
