/* export/keys.h - which attributes of a span an object of JSON can hold: of equal keys the last, and none that is called as
 * what the exporter itself says there.
 *
 *     stave__keys_begin(&keys, trace);
 *     if (!stave__keys_read(&keys, span)) ...                       // out of memory
 *     stave__keys_take(&keys, "stave");                             // its own
 *     if (stave__keys_shows(&keys, span, i)) ...                    // details[i] is one to be written
 *
 * Keys are equal when they are the same text once what is no UTF-8 was replaced. */
#ifndef STAVE_EXPORT_KEYS_H
#define STAVE_EXPORT_KEYS_H

#include "base/strings.h"
#include "export/shown.h"

struct stave__keys {
    const stave_trace *trace;
    struct stave__strings texts;  /* of keys, as they are written */
    uint32_t *numbers;            /* by string id: the text's in `texts` plus 1; 0: not known yet */
    struct stave__last_key *last; /* by number in `texts` */
    uint32_t last_room;
    uint64_t span; /* so many spans were read */
    bool any;      /* this one has some */
};

/* Both are false when there is no memory. */
bool stave__keys_begin(struct stave__keys *keys, const stave_trace *trace);
bool stave__keys_read(struct stave__keys *keys, const struct stave__shown *span);

void stave__keys_take(struct stave__keys *keys, const char *key);
bool stave__keys_shows(const struct stave__keys *keys, const struct stave__shown *span,
                       uint32_t index);
void stave__keys_free(struct stave__keys *keys);

#endif
