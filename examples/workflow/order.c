#include "order.h"

#include <stdbool.h>
#include <stdlib.h>

#include "../grid/random.h"
#include "functions.h"

enum {
    WHOLESALE = 70,
    LINES_MIN = 60,
    LINES_MAX = 400
}; /* one in so many is a wholesaler's, with so many lines */

/* ---- an order as it should be ---------------------------------------------------------------- */

static uint32_t draw_line_count(uint64_t *state)
{
    if (random_below(state, WHOLESALE) == 0)
        return LINES_MIN + random_below(state, LINES_MAX - LINES_MIN);
    return 1 + random_below(state, 5) + random_below(state, 5);
}

/* Products differ, since each step is from 1 to PRODUCTS / LINES_MAX. */
static void draw_lines(struct order_line *lines, uint32_t count, uint64_t *state)
{
    uint32_t product = random_below(state, PRODUCTS);
    for (uint32_t i = 0; i < count; i++) {
        product = (product + 1 + random_below(state, PRODUCTS / LINES_MAX - 1)) % PRODUCTS;
        lines[i] = (struct order_line){.product = product,
                                       .quantity = 1 + random_below(state, 9),
                                       .price = 50 + random_below(state, 9000),
                                       .weight = 20 + random_below(state, 4000)};
        lines[i].amount = lines[i].quantity * lines[i].price;
    }
}

static int64_t sum_amounts(const struct order *order)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < order->line_count; i++)
        sum += order->lines[i].amount;
    return sum;
}

static int64_t sum_weights(const struct order *order)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < order->line_count; i++)
        sum += order->lines[i].quantity * order->lines[i].weight;
    return sum;
}

static void add_up(struct order *order, uint64_t *state)
{
    int64_t sum = sum_amounts(order);
    order->discount = random_below(state, 4) == 0 ? sum / 20 : 0;
    order->net = sum - order->discount;
    order->tax = order->country <= COUNTRIES
                     ? order->net * rate_at(order->country, order->postcode) / 1000
                     : 0;
    order->shipping = order->net >= 20000 ? 0 : 490 + sum_weights(order) / 1000 * 60;
    order->total = order->net + order->tax + order->shipping;
    order->paid = random_below(state, 3) == 0 ? order->total / 2 : order->total;
    order->parts = 1 + random_below(state, 3);
}

/* ---- what may be wrong with it --------------------------------------------------------------- */

static void spoil_total(struct order *order, struct order_line *lines)
{
    (void)lines;
    order->total++;
}

static void spoil_customer(struct order *order, struct order_line *lines)
{
    (void)lines;
    order->customer = 0;
}

static void spoil_credit(struct order *order, struct order_line *lines)
{
    (void)lines;
    order->customer = CUSTOMERS + 1 + order->number;
    order->paid = 0;
}

static void spoil_parts(struct order *order, struct order_line *lines)
{
    (void)lines;
    order->parts = 0;
    order->paid = order->total / 2;
}

static void spoil_hold(struct order *order, struct order_line *lines)
{
    (void)lines;
    order->hold = 1;
}

static void spoil_country(struct order *order, struct order_line *lines)
{
    (void)lines;
    order->country = COUNTRIES + 1;
}

static void spoil_quantity(struct order *order, struct order_line *lines)
{
    lines[order->line_count - 1].quantity = 0;
}

static void spoil_product(struct order *order, struct order_line *lines)
{
    lines[order->line_count - 1].product = lines[0].product;
}

static void spoil_discount(struct order *order, struct order_line *lines)
{
    (void)lines;
    order->discount = order->net;
}

/* Each in so many of 10,000. */
static const struct fault {
    uint32_t chance;
    void (*spoil)(struct order *order, struct order_line *lines);
} faults[] = {
    {30, spoil_total},   {10, spoil_customer}, {10, spoil_credit},
    {15, spoil_parts},   {20, spoil_hold},     {5, spoil_country},
    {8, spoil_quantity}, {12, spoil_product},  {6, spoil_discount},
};

static void spoil_some(struct order *order, struct order_line *lines, uint64_t *state)
{
    uint32_t drawn = random_below(state, 10000);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        if (drawn < faults[i].chance) {
            faults[i].spoil(order, lines);
            return;
        }
        drawn -= faults[i].chance;
    }
}

/* ---- many of them ---------------------------------------------------------------------------- */

/* Its own stretch of the random numbers, so that the first orders of a seed are the same ones whatever their count. */
static uint64_t state_of(uint64_t seed, uint32_t index)
{
    uint64_t state = seed * 0x9e3779b9u + index * 0x100000001b3u;
    random_next(&state);
    return state;
}

static void draw_order(struct order *order, struct order_line *lines, uint32_t index, uint64_t seed)
{
    uint64_t state = state_of(seed, index);
    uint32_t count = draw_line_count(&state);
    *order = (struct order){.number = (int64_t)index + 1,
                            .customer = 1 + random_below(&state, CUSTOMERS),
                            .country = 1 + random_below(&state, COUNTRIES),
                            .postcode = random_below(&state, POSTCODES),
                            .lines = lines,
                            .line_count = count};
    draw_lines(lines, count, &state);
    add_up(order, &state);
    spoil_some(order, lines, &state);
}

static uint64_t count_lines(uint32_t count, uint64_t seed)
{
    uint64_t lines = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t state = state_of(seed, i);
        lines += draw_line_count(&state);
    }
    return lines;
}

struct orders *orders_new(uint32_t count, uint64_t seed)
{
    struct orders *orders = calloc(1, sizeof *orders);
    if (orders == NULL)
        return NULL;
    orders->count = count;
    orders->line_count = count_lines(count, seed);
    orders->at = calloc(count, sizeof *orders->at);
    orders->lines = calloc(orders->line_count, sizeof *orders->lines);
    if (orders->at == NULL || orders->lines == NULL) {
        orders_free(orders);
        return NULL;
    }
    struct order_line *lines = orders->lines;
    for (uint32_t i = 0; i < count; i++) {
        draw_order(&orders->at[i], lines, i, seed);
        lines += orders->at[i].line_count;
    }
    return orders;
}

void orders_free(struct orders *orders)
{
    if (orders == NULL)
        return;
    free(orders->at);
    free(orders->lines);
    free(orders);
}
