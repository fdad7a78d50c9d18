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

/* What is looked for: of any number that has the text, or of `name` if that is not 0. */
struct wanted {
    const char *text;
    size_t size;
    struct stave__site site;
};

static struct wanted wanted_of(struct stave__dictionary *names, const char *text,
                               const stave_site *site)
{
    struct wanted wanted = {.text = text, .size = strlen(text)};
    wanted.site.file = text_id(names, site->file);
    wanted.site.function = wanted.site.file != 0 ? text_id(names, site->function) : 0;
    wanted.site.line = site->line;
    return wanted;
}

static bool is_same(const struct stave__dictionary *names, const struct stave__site *site,
                    const struct wanted *wanted)
{
    if (site->file != wanted->site.file || site->line != wanted->site.line)
        return false;
    return wanted->site.name != 0
               ? site->name == wanted->site.name
               : stave__dictionary_is(names, site->name, wanted->text, wanted->size);
}

/* A new one, that nobody finds yet by its bucket. False: there is no room. */
static bool complete(struct stave__sites *sites, const struct stave__site *site, uint32_t *number)
{
    *number = __atomic_fetch_add(&sites->count, 1, __ATOMIC_RELAXED);
    if (*number >= STAVE__SITES_MAX) {
        __atomic_fetch_sub(&sites->count, 1, __ATOMIC_RELAXED);
        return false;
    }
    struct stave__site *to = &sites->sites[*number];
    to->file = site->file;
    to->function = site->function;
    to->line = site->line;
    __atomic_store_n(&to->name, site->name, __ATOMIC_RELEASE);
    return true;
}

/* Of the place as it is wanted, with a number of its own for its name if it is to have one. */
static bool make(struct stave__sites *sites, struct stave__dictionary *names,
                 const struct wanted *wanted, uint32_t *number)
{
    struct stave__site site = wanted->site;
    if (__atomic_load_n(&sites->count, __ATOMIC_RELAXED) >= STAVE__SITES_MAX)
        return false;
    if (site.name == 0)
        site.name =
            stave__dictionary_add_own(names, wanted->text, wanted->size, STAVE__ROOM_PLACES);
    return site.name != STAVE__NO_ID && complete(sites, &site, number);
}

/* The number of its name; 0: there is no room. */
static uint32_t add(struct stave__sites *sites, struct stave__dictionary *names,
                    const struct wanted *wanted)
{
    const uint32_t key[] = {(uint32_t)stave__hash(wanted->text, wanted->size), wanted->site.file,
                            wanted->site.line};
    uint32_t hash = (uint32_t)stave__hash_numbers(key, 3), own = 0;
    bool is_made = false;
    for (uint32_t i = 0; i < BUCKETS; i++) {
        uint32_t *bucket = &sites->buckets[(hash + i) & (BUCKETS - 1)];
        uint32_t found = __atomic_load_n(bucket, __ATOMIC_ACQUIRE);
        if (found != 0 && is_same(names, &sites->sites[found - 1], wanted))
            return sites->sites[found - 1].name;
        if (found != 0)
            continue;
        if (!is_made && !(is_made = make(sites, names, wanted, &own)))
            return 0;
        if (__atomic_compare_exchange_n(bucket, &found, own + 1, false, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
            return sites->sites[own].name;
        i--; /* another thread took the bucket: look again at what it has put there */
    }
    return 0;
}

uint32_t stave__sites_name(struct stave__sites *sites, struct stave__dictionary *names,
                           const char *text, const stave_site *site)
{
    struct wanted wanted = wanted_of(names, text, site);
    uint32_t name = wanted.site.file != 0 ? add(sites, names, &wanted) : 0;
    return name != 0 ? name : stave__dictionary_add(names, text, wanted.size);
}

uint32_t stave__sites_shared_name(struct stave__sites *sites, struct stave__dictionary *names,
                                  const char *text, const stave_site *site)
{
    struct wanted wanted = wanted_of(names, text, site);
    wanted.site.name = stave__dictionary_add(names, text, wanted.size);
    if (wanted.site.file != 0 && wanted.site.name != STAVE__NO_ID)
        add(sites, names, &wanted);
    return wanted.site.name;
}
