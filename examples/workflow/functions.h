/* functions.h - what expressions call, beside sums over lines: functions in C, which may throw.
 *
 * To throw is to leave the compiled function by longjmp(); the engine catches it, and the rule has failed. */
#ifndef WORKFLOW_FUNCTIONS_H
#define WORKFLOW_FUNCTIONS_H

#include <setjmp.h>
#include <stdint.h>

#include "order.h"

enum { REASON_SIZE = 80 };

/* One call of a compiled function. */
struct call {
    const struct order *order;
    jmp_buf out;
    char reason[REASON_SIZE]; /* why it has thrown */
};

/* name, how many numbers it takes, what for */
#define WORKFLOW_FUNCTIONS(X)                                                                      \
    X(tax, 3, "tax(country, postcode, amount): the tax there")                                     \
    X(credit, 1, "credit(customer): what that one may owe")                                        \
    X(repeats, 1, "repeats(product): how many of the order's lines are of it")                     \
    X(products, 0, "products(): how many different ones the order has")

_Noreturn void throw_reason(struct call *call, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* `text` is no format: for compiled functions. */
_Noreturn void throw_text(struct call *call, const char *text);

/* Whole numbers, towards 0; by 0 they throw. */
int64_t function_divide(struct call *call, int64_t a, int64_t b);
int64_t function_modulo(struct call *call, int64_t a, int64_t b);

int64_t function_tax(struct call *call, int64_t country, int64_t postcode, int64_t amount);
int64_t function_credit(struct call *call, int64_t customer);
int64_t function_repeats(struct call *call, int64_t product);
int64_t function_products(struct call *call);

/* The rate of tax per mille, as a formula. The table that function_tax() looks it up in is made of it. */
int64_t rate_at(int64_t country, int64_t postcode);

#endif
