#include "record/dictionary.h"

#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/os_process.h"
#include "stave/stave.h"

#define BUCKETS (2 * STAVE__NAMES_MAX) /* a power of two; three in eight stay empty */
#define BYTES_MAX (STAVE__NAMES_BYTES_MAX + STAVE__ASIDE_BYTES_MAX + STAVE__PLACES_BYTES_MAX)

static const struct {
    uint32_t count_max;
    uint64_t bytes_max;
} rooms[STAVE__ROOMS] = {
    [STAVE__ROOM_NAMES] = {STAVE__NAMES_MAX, STAVE__NAMES_BYTES_MAX},
    [STAVE__ROOM_ASIDE] = {STAVE__ASIDE_MAX, STAVE__ASIDE_BYTES_MAX},
    [STAVE__ROOM_PLACES] = {STAVE__PLACES_MAX, STAVE__PLACES_BYTES_MAX},
};

_Static_assert(STAVE__TEXTS_MAX < BUCKETS, "a search ends at an empty bucket");

void stave__dictionary_close(struct stave__dictionary *names)
{
    stave__os_unmap(names->names, STAVE__TEXTS_MAX * sizeof *names->names);
    stave__os_unmap(names->buckets, BUCKETS * sizeof *names->buckets);
    stave__os_unmap(names->texts, BYTES_MAX);
    *names = (struct stave__dictionary){0};
}

int stave__dictionary_open(struct stave__dictionary *names, stave_error *error)
{
    *names = (struct stave__dictionary){
        .names = stave__os_reserve(STAVE__TEXTS_MAX * sizeof *names->names),
        .buckets = stave__os_reserve(BUCKETS * sizeof *names->buckets),
        .texts = stave__os_reserve(BYTES_MAX),
        .taken = {[STAVE__ROOM_NAMES] = {.count = 1}},
        .count = 1,
    };
    if (names->names != NULL && names->buckets != NULL && names->texts != NULL)
        return STAVE_OK;
    stave__dictionary_close(names);
    return stave__fail_memory(error);
}

/* What is looked for. */
struct text {
    const char *at;
    size_t size;
    uint32_t hash;
    bool is_cut;
    enum stave__room room;
};

static bool is(const struct stave__name *name, const struct text *text)
{
    return name->hash == text->hash && name->size == text->size && name->is_cut == text->is_cut &&
           memcmp(name->text, text->at, text->size) == 0;
}

/* The number of a text in the bucket, 0 when it is empty, STAVE__NO_ID when another text has it. */
static uint32_t look(const struct stave__dictionary *names, uint32_t bucket,
                     const struct text *text)
{
    uint32_t id = __atomic_load_n(&names->buckets[bucket], __ATOMIC_ACQUIRE);
    if (id == 0)
        return 0;
    return is(&names->names[id], text) ? id : STAVE__NO_ID;
}

static bool take_room(struct stave__dictionary *names, uint64_t size, enum stave__room room)
{
    struct stave__room_taken *taken = &names->taken[room];
    uint32_t count = __atomic_fetch_add(&taken->count, 1, __ATOMIC_RELAXED);
    uint64_t bytes = __atomic_fetch_add(&taken->bytes, size, __ATOMIC_RELAXED);
    if (count < rooms[room].count_max && bytes + size <= rooms[room].bytes_max)
        return true;
    __atomic_fetch_sub(&taken->count, 1, __ATOMIC_RELAXED);
    __atomic_fetch_sub(&taken->bytes, size, __ATOMIC_RELAXED);
    return false;
}

/* A number with its text, that nobody finds yet. */
static uint32_t complete(struct stave__dictionary *names, const struct text *text)
{
    uint64_t size = text->size + 1;
    if (!take_room(names, size, text->room))
        return STAVE__NO_ID;
    uint64_t at = __atomic_fetch_add(&names->bytes, size, __ATOMIC_RELAXED);
    uint32_t id = __atomic_fetch_add(&names->count, 1, __ATOMIC_RELAXED);
    struct stave__name *name = &names->names[id];
    memcpy(names->texts + at, text->at, text->size); /* a NUL stands behind it already */
    name->size = text->size & INT32_MAX;
    name->is_cut = text->is_cut;
    name->hash = text->hash;
    __atomic_fetch_add(&names->cut, text->is_cut, __ATOMIC_RELAXED);
    __atomic_store_n(&name->text, names->texts + at, __ATOMIC_RELEASE);
    return id;
}

static struct text text_of(const char *at, size_t size)
{
    bool is_cut = size > STAVE_TEXT_MAX;
    struct text text = {.at = at, .size = is_cut ? STAVE_TEXT_MAX : size, .is_cut = is_cut};
    text.hash = (uint32_t)stave__hash(at, text.size);
    return text;
}

static uint32_t add(struct stave__dictionary *names, const struct text *wanted)
{
    uint32_t own = 0;
    for (uint32_t i = 0; i < BUCKETS; i++) {
        uint32_t bucket = (wanted->hash + i) & (BUCKETS - 1), found = look(names, bucket, wanted);
        if (found != 0 && found != STAVE__NO_ID)
            return found;
        if (found == STAVE__NO_ID)
            continue;
        if (own == 0)
            own = complete(names, wanted);
        if (own == STAVE__NO_ID)
            return own;
        uint32_t empty = 0;
        if (__atomic_compare_exchange_n(&names->buckets[bucket], &empty, own, false,
                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED))
            return own;
        i--; /* another thread took the bucket: look again at what it has put there */
    }
    return STAVE__NO_ID;
}

uint32_t stave__dictionary_add(struct stave__dictionary *names, const char *text, size_t size)
{
    struct text wanted = text_of(text, size);
    return add(names, &wanted);
}

uint32_t stave__dictionary_add_aside(struct stave__dictionary *names, const char *text, size_t size)
{
    struct text wanted = text_of(text, size);
    wanted.room = STAVE__ROOM_ASIDE;
    return add(names, &wanted);
}

uint32_t stave__dictionary_add_own(struct stave__dictionary *names, const char *text, size_t size,
                                   enum stave__room room)
{
    struct text own = text_of(text, size);
    own.room = room;
    return complete(names, &own);
}

bool stave__dictionary_alike(const struct stave__dictionary *names, uint32_t a, uint32_t b)
{
    struct text text = {0};
    size_t size;
    if (a == b)
        return true;
    text.at = stave__dictionary_text(names, b, &text.size);
    if (text.at == NULL || stave__dictionary_text(names, a, &size) == NULL)
        return false;
    text.hash = names->names[b].hash;
    text.is_cut = names->names[b].is_cut;
    return is(&names->names[a], &text);
}

bool stave__dictionary_is(const struct stave__dictionary *names, uint32_t id, const char *text,
                          size_t size)
{
    struct text wanted = text_of(text, size);
    return is(&names->names[id], &wanted);
}
