#include "analyze/places.h"

#include <stdlib.h>

static int compare_keys(const struct stave__place *x, const struct stave__place *y)
{
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    if (x->serial != y->serial)
        return x->serial < y->serial ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static int compare_places(const void *a, const void *b)
{
    const struct stave__place *x = a, *y = b;
    int order = compare_keys(x, y);
    return order != 0 ? order : x->at < y->at ? -1 : x->at > y->at;
}

/* The only one with the key of `wanted`, or STAVE_NONE. */
static uint32_t find_only(const struct stave__place *places, uint32_t count,
                          const struct stave__place *wanted)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (compare_keys(&places[middle], wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    bool is_there = low < count && compare_keys(&places[low], wanted) == 0;
    bool is_twice = low + 1 < count && compare_keys(&places[low + 1], wanted) == 0;
    return is_there && !is_twice ? low : STAVE_NONE;
}

static void find_parents(struct stave__place *places, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct stave__place wanted = places[i];
        if (wanted.around == 0)
            continue;
        wanted.number = wanted.around;
        places[i].parent = find_only(places, count, &wanted);
    }
}

/* All of a circle that goes through a place. */
static void cut_circle(struct stave__place *places, uint32_t at)
{
    while (places[at].parent != STAVE_NONE) {
        uint32_t parent = places[at].parent;
        places[at].parent = STAVE_NONE;
        at = parent;
    }
}

/* Upwards from each, as far as no walk has been: who comes to where this walk has been is on a circle. */
static void cut_circles(struct stave__place *places, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        places[i].walk = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = i;
        while (at != STAVE_NONE && places[at].walk == 0) {
            places[at].walk = i + 1;
            at = places[at].parent;
        }
        if (at != STAVE_NONE && places[at].walk == i + 1)
            cut_circle(places, at);
    }
}

void stave__places_solve(struct stave__place *places, uint32_t count)
{
    if (count == 0)
        return;
    qsort(places, count, sizeof *places, compare_places);
    find_parents(places, count);
    cut_circles(places, count);
}
