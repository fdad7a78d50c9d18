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
 * Rates go by places: from a postcode of a country up to the next one that stands in the table. The table is a text, in no
 * order, that is read and sorted when the first rate is needed. */

enum { PLACE_SPAN = 500, PLACES = COUNTRIES * (POSTCODES / PLACE_SPAN), RATE_LINE = 24 };

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

/* A line for each place: country, postcode, rate. Stands for a file. */
static char (*fetch_rates(void))[RATE_LINE]
{
    STAVE_SCOPE("fetch_rates");
    char(*lines)[RATE_LINE] = malloc(PLACES * sizeof *lines);
    for (uint32_t i = 0; lines != NULL && i < PLACES; i++) {
        uint32_t place = i * 7919u % PLACES; /* prime, so that each comes once */
        int64_t country = place * PLACE_SPAN / POSTCODES + 1;
        int64_t postcode = place * PLACE_SPAN % POSTCODES;
        snprintf(lines[i], sizeof lines[i], "%" PRId64 ",%" PRId64 ",%" PRId64, country, postcode,
                 rate_at(country, postcode));
    }
    return lines;
}

static struct place parse_rate(const char *line)
{
    char *end;
    int64_t country = strtoll(line, &end, 10);
    int64_t postcode = strtoll(end + 1, &end, 10);
    return (struct place){.from = key_of(country, postcode),
                          .per_mille = (uint32_t)strtoul(end + 1, NULL, 10)};
}

static void parse_rates(char (*lines)[RATE_LINE])
{
    STAVE_SCOPE("parse_rates");
    for (uint32_t i = 0; i < PLACES; i++)
        places[i] = parse_rate(lines[i]);
}

static int compare_places(const void *a, const void *b)
{
    const struct place *left = a, *right = b;
    return (left->from > right->from) - (left->from < right->from);
}

static void sort_rates(void)
{
    STAVE_SCOPE("sort_rates");
    qsort(places, PLACES, sizeof *places, compare_places);
}

static void load_rates(void)
{
    STAVE_SCOPE("load_rates");
    char(*lines)[RATE_LINE] = fetch_rates();
    places = lines != NULL ? calloc(PLACES, sizeof *places) : NULL;
    if (places != NULL) {
        parse_rates(lines);
        sort_rates();
    }
    free(lines);
}

/* The last place of a country that does not begin behind `postcode`. */
static const struct place *find_place(int64_t country, int64_t postcode)
{
    enum { OF_COUNTRY = PLACES / COUNTRIES };
    uint32_t key = key_of(country, postcode);
    uint32_t low = (uint32_t)(country - 1) * OF_COUNTRY, high = low + OF_COUNTRY;
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
    pthread_once(&places_once, load_rates);
    if (places == NULL)
        throw_text(call, "no memory for the tax rates");
    return amount * find_place(country, postcode)->per_mille / 1000;
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
