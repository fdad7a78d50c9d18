/* record/sites.h - where in the code the names of a recording are used: file, function and line.
 *
 *     stave__sites_add(&sites, &names, id, &site);
 *     for (uint32_t i = 0; i < stave__sites_count(&sites); i++)
 *         if (stave__sites_at(&sites, i, &one)) ...
 *
 * As in the dictionary, which has the texts, any thread adds at any time, and nobody waits. A place whose name, file and
 * line are there already is passed over: an inline function may be in a program many times. Two that add the
 * same one at once may leave it there twice. What does not fit is missing, and nothing else. They stay for good, as
 * names do.  */
#ifndef STAVE_RECORD_SITES_H
#define STAVE_RECORD_SITES_H

#include "record/dictionary.h"
#include "stave/stave.h"

#define STAVE__SITES_MAX ((uint32_t)1 << 16)

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

/* `name` is that of the site. Nothing where its file is not told. */
void stave__sites_add(struct stave__sites *sites, struct stave__dictionary *names, uint32_t name,
                      const stave_site *site);

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
