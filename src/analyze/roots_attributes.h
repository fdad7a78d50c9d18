/* analyze/roots_attributes.h - the attributes of roots in a list, those of some thousand at a time.
 *
 *     struct stave__roots_attributes attributes = {.trace = trace};
 *     if (stave__roots_attributes_read(&attributes, &listing, index, error) < 0) ...
 *     const stave_tree_detail *first = stave__roots_attributes_of(&attributes, index, &count);
 *     stave__roots_attributes_close(&attributes);
 *
 * Rows of attributes are found by the serial of their span, and blocks do not say which serials they have: that is
 * noted when one is read for the first time. Spans of a lane have ascending serials, and attributes are set while
 * their span is open, so that few blocks have something of more than one part of the list.  */
#ifndef STAVE_ANALYZE_ROOTS_ATTRIBUTES_H
#define STAVE_ANALYZE_ROOTS_ATTRIBUTES_H

#include "analyze/details.h"
#include "analyze/listing.h"

struct stave__roots_attributes {
    stave_trace *trace;
    struct stave__reading reading;
    struct stave__serials *serials; /* of each choice; NULL: the reading is not open */
    size_t from, end;               /* whose attributes are at hand */
    struct stave__details details;
};

/* Those of row `index`, and of those behind it that are in the same boot. */
int stave__roots_attributes_read(struct stave__roots_attributes *attributes,
                                 const struct stave__listing *listing, size_t index,
                                 stave_error *error);

/* Of a row that has been read last; NULL and 0 when there are none. */
const stave_tree_detail *
stave__roots_attributes_of(const struct stave__roots_attributes *attributes, size_t index,
                           uint32_t *count);

void stave__roots_attributes_close(struct stave__roots_attributes *attributes);

#endif
