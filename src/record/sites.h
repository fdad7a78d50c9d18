/* record/sites.h - where in the code the names of a recording are used: file, function and line.
 *
 *     uint32_t id = stave__sites_name(&sites, &names, "query", &site);
 *     for (uint32_t i = 0; i < stave__sites_count(&sites); i++)
 *         if (stave__sites_at(&sites, i, &one)) ...
 *
 * A name that stands at several places has a number in the dictionary (which has the texts) for each, so that a row's
 * name tells its place. As there, any thread adds at any time, and nobody waits. A place whose name, file and
 * line are there already is the same one: an inline function may be in a program many times. What does not fit is
 * missing, and nothing else. They stay for good, as names do.  */
#ifndef STAVE_RECORD_SITES_H
#define STAVE_RECORD_SITES_H

#include "record/dictionary.h"
#include "stave/stave.h"

#define STAVE__SITES_MAX STAVE__PLACES_MAX

/* A stave_site, its texts by their numbers. */
struct stave__site {
    uint32_t name; /* 0: not complete */
    uint32_t file;
    uint32_t function; /* 0: not known */
    uint32_t line;
};

struct stave__sites {
    struct stave__site *sites;
    uint32_t *buckets; /* twice as many: a number plus 1; 0: empty */
    uint32_t count;
};

int stave__sites_open(struct stave__sites *sites, stave_error *error);
void stave__sites_close(struct stave__sites *sites);

/* The number of the name at this place. Where the file is not told, or there is no room for more places, that of the
 * text alone; STAVE__NO_ID: nor for the text. */
uint32_t stave__sites_name(struct stave__sites *sites, struct stave__dictionary *names,
                           const char *text, const stave_site *site);

/* The number of the text alone, which is one for all places: they are known, but not which one a row is from. */
uint32_t stave__sites_shared_name(struct stave__sites *sites, struct stave__dictionary *names,
                                  const char *text, const stave_site *site);

static inline uint32_t stave__sites_count(const struct stave__sites *sites)
{
    uint32_t count = __atomic_load_n(&sites->count, __ATOMIC_ACQUIRE);
    return count < STAVE__SITES_MAX ? count : STAVE__SITES_MAX;
}

/* False while it is not complete. */
static inline bool stave__sites_at(const struct stave__sites *sites, uint32_t i,
                                   struct stave__site *site)
{
    if (__atomic_load_n(&sites->sites[i].name, __ATOMIC_ACQUIRE) == 0)
        return false;
    *site = sites->sites[i];
    return true;
}

#endif
