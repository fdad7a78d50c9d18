#include "base/strings.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#define PAGE_SIZE ((size_t)16 * 1024)
#define FIRST_BUCKETS 64u

struct text {
    const char *bytes;
    uint32_t size;
    uint32_t hash;
};

static struct text *text_at(const struct stave__strings *strings, uint32_t id)
{
    return stave__table_at(&strings->texts, id);
}

int stave__strings_init(struct stave__strings *strings)
{
    *strings = (struct stave__strings){
        .texts = {.row_size = sizeof(struct text)},
        .pages = {.row_size = sizeof(char *)},
        .buckets_size = FIRST_BUCKETS,
    };
    strings->buckets = calloc(FIRST_BUCKETS, sizeof *strings->buckets);
    if (strings->buckets == NULL)
        return STAVE_E_MEMORY;
    uint32_t empty;
    return stave__strings_add(strings, "", 0, &empty);
}

void stave__strings_free(struct stave__strings *strings)
{
    for (uint32_t i = 0; i < strings->pages.rows; i++)
        free(*(char **)stave__table_at(&strings->pages, i));
    stave__table_free(&strings->pages);
    stave__table_free(&strings->texts);
    free(strings->buckets);
    strings->buckets = NULL;
}

/* The bucket that holds the text, or the free one where it belongs. */
static uint32_t *find_bucket(const struct stave__strings *strings, const char *bytes, size_t size,
                             uint32_t hash)
{
    uint32_t mask = strings->buckets_size - 1;
    for (uint32_t i = hash & mask;; i = (i + 1) & mask) {
        uint32_t *bucket = &strings->buckets[i];
        if (*bucket == 0)
            return bucket;
        const struct text *text = text_at(strings, *bucket - 1);
        if (text->hash == hash && text->size == size && memcmp(text->bytes, bytes, size) == 0)
            return bucket;
    }
}

static bool grow_buckets(struct stave__strings *strings)
{
    uint32_t size = strings->buckets_size * 2; /* 0 beyond 2^31 */
    uint32_t *larger = size != 0 ? calloc(size, sizeof *larger) : NULL;
    if (larger == NULL)
        return false;
    /* Of rows with the same text only the first has a bucket: a million of them cost nothing. */
    for (uint32_t old = 0; old < strings->buckets_size; old++) {
        if (strings->buckets[old] == 0)
            continue;
        uint32_t i = text_at(strings, strings->buckets[old] - 1)->hash & (size - 1);
        while (larger[i] != 0)
            i = (i + 1) & (size - 1);
        larger[i] = strings->buckets[old];
    }
    free(strings->buckets);
    strings->buckets = larger;
    strings->buckets_size = size;
    return true;
}

/* Room for `size` bytes in the current page, or in a new one. */
static char *reserve(struct stave__strings *strings, size_t size)
{
    if (strings->page_size - strings->page_used < size) {
        size_t page_size = size > PAGE_SIZE ? size : PAGE_SIZE;
        char *page = malloc(page_size);
        char **row = page != NULL ? stave__table_add(&strings->pages) : NULL;
        if (row == NULL) {
            free(page);
            return NULL;
        }
        *row = page;
        strings->page_size = page_size;
        strings->page_used = 0;
    }
    char *page = *(char **)stave__table_at(&strings->pages, strings->pages.rows - 1);
    char *room = page + strings->page_used;
    strings->page_used += size;
    return room;
}

bool stave__strings_find(const struct stave__strings *strings, const char *bytes, size_t size,
                         uint32_t *id)
{
    const uint32_t *bucket = find_bucket(strings, bytes, size, (uint32_t)stave__hash(bytes, size));
    if (*bucket == 0)
        return false;
    *id = *bucket - 1;
    return true;
}

/* A new row; it is found by its text unless one with the same text was there before. */
static int add_text(struct stave__strings *strings, const char *bytes, size_t size, uint32_t hash,
                    uint32_t *id)
{
    if (strings->texts.rows >= strings->buckets_size / 2 && !grow_buckets(strings))
        return STAVE_E_MEMORY;
    uint32_t *bucket = find_bucket(strings, bytes, size, hash);
    char *copy = reserve(strings, size + 1);
    struct text *text = copy != NULL ? stave__table_add(&strings->texts) : NULL;
    if (text == NULL)
        return STAVE_E_MEMORY;
    memcpy(copy, bytes, size);
    copy[size] = '\0';
    *text = (struct text){.bytes = copy, .size = (uint32_t)size, .hash = hash};
    *id = strings->texts.rows - 1;
    if (*bucket == 0)
        *bucket = *id + 1;
    return STAVE_OK;
}

int stave__strings_add(struct stave__strings *strings, const char *bytes, size_t size, uint32_t *id)
{
    if (size > STAVE__STRING_MAX)
        return STAVE_E_LIMIT;
    uint32_t hash = (uint32_t)stave__hash(bytes, size);
    const uint32_t *bucket = find_bucket(strings, bytes, size, hash);
    if (*bucket == 0)
        return add_text(strings, bytes, size, hash, id);
    *id = *bucket - 1;
    return STAVE_OK;
}

int stave__strings_append(struct stave__strings *strings, const char *bytes, size_t size)
{
    uint32_t id;
    if (size > STAVE__STRING_MAX)
        return STAVE_E_LIMIT;
    return add_text(strings, bytes, size, (uint32_t)stave__hash(bytes, size), &id);
}

const char *stave__strings_text(const struct stave__strings *strings, uint32_t id, size_t *size)
{
    const struct text *text = text_at(strings, id);
    if (size != NULL)
        *size = text->size;
    return text->bytes;
}
