#include "functions.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stave/stave.h>

#include "../grid/random.h"

/* ---- throwing -------------------------------------------------------------------------------- */

void throw_reason(struct call *call, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(call->reason, sizeof call->reason, format, arguments);
    va_end(arguments);
    longjmp(call->out, 1);
}

void throw_text(struct call *call, const char *text)
{
    throw_reason(call, "%s", text);
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

/* INT64_MIN / -1 has no result, and stops the processor: negated as unsigned it stays what it is. */
int64_t function_divide(struct call *call, int64_t a, int64_t b)
{
    if (b == 0)
        throw_text(call, "division by zero");
    return b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
}

int64_t function_modulo(struct call *call, int64_t a, int64_t b)
{
    if (b == 0)
        throw_text(call, "division by zero");
    return b == -1 ? 0 : a % b;
}

/* ---- tax ------------------------------------------------------------------------------------- *
 *
 * Rates go by places: from a postcode of a country up to the next one that stands in the table. The table comes as a heap of
 * them, in no order, and is sorted when it is first needed. */

enum { PLACE_SPAN = 25, PLACES = COUNTRIES * (POSTCODES / PLACE_SPAN) };

struct place {
    uint32_t from; /* of country and postcode, see key_of() */
    uint32_t per_mille;
};

static struct place *places;
static pthread_once_t places_once = PTHREAD_ONCE_INIT;

static uint32_t key_of(int64_t country, int64_t postcode)
{
    return (uint32_t)((country - 1) * POSTCODES + postcode);
}

int64_t rate_at(int64_t country, int64_t postcode)
{
    uint64_t state = key_of(country, postcode) / PLACE_SPAN;
    return 150 + random_below(&state, 100);
}

static int compare_places(const void *a, const void *b)
{
    const struct place *left = a, *right = b;
    return (left->from > right->from) - (left->from < right->from);
}

static void draw_places(void)
{
    STAVE_SCOPE("draw_rates");
    uint64_t state = 1;
    for (uint32_t i = 0; i < PLACES; i++) {
        uint32_t other = random_below(&state, i + 1), from = i * PLACE_SPAN;
        places[i] = places[other];
        places[other] = (struct place){
            .from = from, .per_mille = (uint32_t)rate_at(from / POSTCODES + 1, from % POSTCODES)};
    }
}

static void sort_places(void)
{
    STAVE_SCOPE("sort_rates");
    qsort(places, PLACES, sizeof *places, compare_places);
}

static void load_places(void)
{
    STAVE_SCOPE("load_rates");
    places = calloc(PLACES, sizeof *places);
    if (places == NULL)
        return;
    draw_places();
    sort_places();
}

/* The last place that does not begin behind `key`. */
static const struct place *find_place(uint32_t key)
{
    uint32_t low = 0, high = PLACES;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (places[middle].from <= key)
            low = middle;
        else
            high = middle;
    }
    return &places[low];
}

int64_t function_tax(struct call *call, int64_t country, int64_t postcode, int64_t amount)
{
    if (country < 1 || country > COUNTRIES)
        throw_reason(call, "there is no tax rate for country %" PRId64, country);
    if (postcode < 0 || postcode >= POSTCODES)
        throw_reason(call, "there is no postcode %" PRId64, postcode);
    pthread_once(&places_once, load_places);
    if (places == NULL)
        throw_text(call, "no memory for the tax rates");
    return amount * find_place(key_of(country, postcode))->per_mille / 1000;
}

/* ---- the rest -------------------------------------------------------------------------------- */

int64_t function_credit(struct call *call, int64_t customer)
{
    if (customer < 1 || customer > CUSTOMERS)
        throw_reason(call, "customer %" PRId64 " is not known", customer);
    uint64_t state = (uint64_t)customer;
    return 150000 + random_below(&state, 4000000);
}

/* Goes through all lines; asked for each line, that is their number squared. */
int64_t function_repeats(struct call *call, int64_t product)
{
    const struct order *order = call->order;
    int64_t count = 0;
    for (int64_t i = 0; i < order->line_count; i++)
        count += order->lines[i].product == product;
    return count;
}

/* One look at each line. */
int64_t function_products(struct call *call)
{
    uint64_t seen[PRODUCTS / 64] = {0};
    int64_t count = 0;
    for (int64_t i = 0; i < call->order->line_count; i++) {
        int64_t product = call->order->lines[i].product;
        if (product < 0 || product >= PRODUCTS)
            throw_reason(call, "there is no product %" PRId64, product);
        uint64_t bit = 1ull << product % 64;
        count += (seen[product / 64] & bit) == 0;
        seen[product / 64] |= bit;
    }
    return count;
}
