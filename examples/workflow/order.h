/* order.h - what is checked: orders with lines, and hundreds of thousands of them from a seed. */
#ifndef WORKFLOW_ORDER_H
#define WORKFLOW_ORDER_H

#include <stddef.h>
#include <stdint.h>

/* What expressions may name. All are whole numbers: amounts in cents, weights in grams. */
#define ORDER_FIELDS(X)                                                                            \
    X(number)                                                                                      \
    X(customer) /* 0: not given; up to CUSTOMERS they are known */                                 \
    X(country)  /* 0: not given; up to COUNTRIES there are rates for it */                         \
    X(postcode)                                                                                    \
    X(discount)                                                                                    \
    X(net)                                                                                         \
    X(tax)                                                                                         \
    X(shipping)                                                                                    \
    X(total)                                                                                       \
    X(paid)                                                                                        \
    X(parts) /* in which the rest is paid */                                                       \
    X(hold)  /* 1: someone wants to look at it first */

#define LINE_FIELDS(X)                                                                             \
    X(product)                                                                                     \
    X(quantity)                                                                                    \
    X(price)                                                                                       \
    X(amount)                                                                                      \
    X(weight) /* of one piece */

enum {
    ORDERS_MAX = 10000000,
    CUSTOMERS = 50000,
    COUNTRIES = 30,
    POSTCODES = 100000,
    PRODUCTS = 8192
};

#define FIELD(name) int64_t name;
struct order_line {
    LINE_FIELDS(FIELD)
};

struct order {
    ORDER_FIELDS(FIELD)
    const struct order_line *lines;
    int64_t line_count;
};
#undef FIELD

struct orders {
    uint32_t count;
    uint64_t line_count;
    struct order *at;
    struct order_line *lines; /* of all of them */
};

/* The first `count` orders of a seed. Most have a few lines, wholesalers' some hundred; about one in a hundred has something
 * wrong with it. NULL: no memory. */
struct orders *orders_new(uint32_t count, uint64_t seed);
void orders_free(struct orders *orders); /* takes NULL */

#endif
