/* base/strings.h - texts, each kept once and known by a small number.
 *
 *     uint32_t id;
 *     if (stave__strings_add(&strings, name, name_size, &id) < 0) ...     // out of memory
 *     const char *text = stave__strings_text(&strings, id, &size);
 *
 * Id 0 is the empty string. Texts are bytes of any value, a NUL behind each, and never move.  */
#ifndef STAVE_BASE_STRINGS_H
#define STAVE_BASE_STRINGS_H

#include <stdbool.h>

#include "base/table.h"
#include "stave/status.h"

struct stave__strings {
    struct stave__table texts; /* struct text */
    struct stave__table pages; /* where their bytes are */
    uint32_t *buckets;         /* open addressing: id + 1, 0 is free */
    uint32_t buckets_size;     /* a power of two */
    size_t page_used;
    size_t page_size;
};

#define STAVE__STRING_MAX (1u << 24) /* bytes of one text */

int stave__strings_init(struct stave__strings *strings);
void stave__strings_free(struct stave__strings *strings);

/* The id of a text, added when it is new: STAVE_OK, STAVE_E_MEMORY or STAVE_E_LIMIT. */
int stave__strings_add(struct stave__strings *strings, const char *bytes, size_t size,
                       uint32_t *id);

/* The text as a new row with the next id, whether it is there already or not: for tables whose ids
 * somebody else gave. */
int stave__strings_append(struct stave__strings *strings, const char *bytes, size_t size);

/* Whether the text is there, and its id. */
bool stave__strings_find(const struct stave__strings *strings, const char *bytes, size_t size,
                         uint32_t *id);

/* `size` may be NULL. */
const char *stave__strings_text(const struct stave__strings *strings, uint32_t id, size_t *size);

#endif
