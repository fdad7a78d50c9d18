/* record/dictionary.h - the texts of a recording: names of spans, keys, values; each once, with a number.
 *
 *     uint32_t id = stave__dictionary_add(&names, "query", 5);     // STAVE__NO_ID: there is no room
 *     const struct stave__name *name = stave__dictionary_at(&names, id);
 *
 * Any thread adds at any time, and nobody waits: a number is taken, its text completed, then it is put
 * where others find it. Two that add the same text at once may get two numbers. Numbers are from 1; all
 * below stave__dictionary_count() are complete or, for the moment that it takes, empty. Texts stay for good:
 * places in the code keep their numbers. What is known of these places (record/sites.h) has rooms of its own, so that it
 * never takes that of other names.  */
#ifndef STAVE_RECORD_DICTIONARY_H
#define STAVE_RECORD_DICTIONARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stave/status.h"

/* What a text is for. */
enum stave__room {
    STAVE__ROOM_NAMES,
    STAVE__ROOM_ASIDE,  /* files and functions; found with the names */
    STAVE__ROOM_PLACES, /* names at one place in the code; each has its number, found by nobody */
    STAVE__ROOMS
};

#define STAVE__NAMES_MAX ((uint32_t)1 << 18)
#define STAVE__ASIDE_MAX ((uint32_t)1 << 16)
#define STAVE__PLACES_MAX ((uint32_t)1 << 16)
#define STAVE__TEXTS_MAX (STAVE__NAMES_MAX + STAVE__ASIDE_MAX + STAVE__PLACES_MAX)

/* Of texts; address space until used. */
#define STAVE__NAMES_BYTES_MAX ((uint64_t)256 * 1024 * 1024)
#define STAVE__ASIDE_BYTES_MAX ((uint64_t)16 * 1024 * 1024)
#define STAVE__PLACES_BYTES_MAX ((uint64_t)16 * 1024 * 1024)

struct stave__name {
    const char *text; /* NULL: not complete */
    uint32_t size : 31;
    uint32_t is_cut : 1; /* there was more than STAVE_TEXT_MAX of it */
    uint32_t hash;
};

/* What has been taken of a room. */
struct stave__room_taken {
    uint32_t count;
    uint64_t bytes;
};

struct stave__dictionary {
    struct stave__name *names;
    uint32_t *buckets; /* 0: empty */
    char *texts;
    struct stave__room_taken taken[STAVE__ROOMS];
    uint32_t count; /* of all together */
    uint64_t bytes;
    uint64_t cut; /* how many texts are */
};

int stave__dictionary_open(struct stave__dictionary *names, stave_error *error);
void stave__dictionary_close(struct stave__dictionary *names);

/* Of a text longer than STAVE_TEXT_MAX the beginning is kept. */
uint32_t stave__dictionary_add(struct stave__dictionary *names, const char *text, size_t size);
uint32_t stave__dictionary_add_aside(struct stave__dictionary *names, const char *text,
                                     size_t size);

/* A number of its own for a text, also where that is there already: nobody finds it by the text. */
uint32_t stave__dictionary_add_own(struct stave__dictionary *names, const char *text, size_t size,
                                   enum stave__room room);

/* Whether numbers have the same text; of one that is not complete only it itself has. */
bool stave__dictionary_alike(const struct stave__dictionary *names, uint32_t a, uint32_t b);

/* Whether a number that is complete has this text. */
bool stave__dictionary_is(const struct stave__dictionary *names, uint32_t id, const char *text,
                          size_t size);

/* One more than the highest number that was given out. */
static inline uint32_t stave__dictionary_count(const struct stave__dictionary *names)
{
    return __atomic_load_n(&names->count, __ATOMIC_ACQUIRE);
}

/* NULL while it is not complete. */
static inline const char *stave__dictionary_text(const struct stave__dictionary *names, uint32_t id,
                                                 size_t *size)
{
    const char *text = __atomic_load_n(&names->names[id].text, __ATOMIC_ACQUIRE);
    *size = text != NULL ? names->names[id].size : 0;
    return text;
}

/* Of equal texts equal; 0 while it is not complete. */
static inline uint32_t stave__dictionary_hash(const struct stave__dictionary *names, uint32_t id)
{
    size_t size;
    return stave__dictionary_text(names, id, &size) != NULL ? names->names[id].hash : 0;
}

#endif
