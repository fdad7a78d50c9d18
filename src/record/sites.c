#include "record/sites.h"

#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/os_process.h"

#define BUCKETS (2 * STAVE__SITES_MAX)

void stave__sites_close(struct stave__sites *sites)
{
    stave__os_unmap(sites->sites, STAVE__SITES_MAX * sizeof *sites->sites);
    stave__os_unmap(sites->buckets, BUCKETS * sizeof *sites->buckets);
    *sites = (struct stave__sites){0};
}

int stave__sites_open(struct stave__sites *sites, stave_error *error)
{
    *sites = (struct stave__sites){
        .sites = stave__os_reserve(STAVE__SITES_MAX * sizeof *sites->sites),
        .buckets = stave__os_reserve(BUCKETS * sizeof *sites->buckets),
    };
    if (sites->sites != NULL && sites->buckets != NULL)
        return STAVE_OK;
    stave__sites_close(sites);
    return stave__fail_memory(error);
}

/* 0: there is none, or no room for it. A text that would be cut is not what it says. */
static uint32_t text_id(struct stave__dictionary *names, const char *text)
{
    size_t size = text != NULL ? strlen(text) : 0;
    if (size == 0 || size > STAVE_TEXT_MAX)
        return 0;
    uint32_t id = stave__dictionary_add_aside(names, text, size);
    return id != STAVE__NO_ID ? id : 0;
}

/* The number of a new one, plus 1, that nobody finds yet by its bucket; 0: there is no room. */
static uint32_t complete(struct stave__sites *sites, const struct stave__site *site)
{
    uint32_t number = __atomic_fetch_add(&sites->count, 1, __ATOMIC_RELAXED);
    if (number >= STAVE__SITES_MAX) {
        __atomic_fetch_sub(&sites->count, 1, __ATOMIC_RELAXED);
        return 0;
    }
    struct stave__site *to = &sites->sites[number];
    to->file = site->file;
    to->function = site->function;
    to->line = site->line;
    __atomic_store_n(&to->name, site->name, __ATOMIC_RELEASE);
    return number + 1;
}

static bool is_same(const struct stave__site *a, const struct stave__site *b)
{
    return a->name == b->name && a->file == b->file && a->line == b->line;
}

static void add(struct stave__sites *sites, const struct stave__site *site)
{
    const uint32_t key[] = {site->name, site->file, site->line};
    uint32_t hash = (uint32_t)stave__hash_numbers(key, 3), own = 0;
    for (uint32_t i = 0; i < BUCKETS; i++) {
        uint32_t *bucket = &sites->buckets[(hash + i) & (BUCKETS - 1)];
        uint32_t found = __atomic_load_n(bucket, __ATOMIC_ACQUIRE);
        if (found != 0 && is_same(&sites->sites[found - 1], site))
            return;
        if (found != 0)
            continue;
        if (own == 0 && (own = complete(sites, site)) == 0)
            return;
        if (__atomic_compare_exchange_n(bucket, &found, own, false, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
            return;
        i--; /* another thread took the bucket: look again at what it has put there */
    }
}

void stave__sites_add(struct stave__sites *sites, struct stave__dictionary *names, uint32_t name,
                      const stave_site *site)
{
    struct stave__site own = {.name = name, .file = text_id(names, site->file), .line = site->line};
    if (own.file == 0)
        return;
    own.function = text_id(names, site->function);
    add(sites, &own);
}
