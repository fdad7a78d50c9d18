/* expression.h - a rule's expression, as C.
 *
 *     order.total == order.net + order.tax and all(order.lines, line.quantity > 0)
 *
 * Numbers are whole, of 64 bits, and wrap around; conditions are something else than numbers.
 *
 *     or   and   not   == != < <= > >=   + -   * / %   -x   ( )       the loosest first
 *     order.FIELD, and line.FIELD inside of what follows              (order.h)
 *     sum(order.lines) count(order.lines) min() max()                 of the lines' amounts
 *     sum(order.lines, NUMBER)      also min, max; these two throw when there is no line
 *     count(order.lines, CONDITION) also all, any
 *     tax(order.country, order.postcode, order.net) ...               (functions.h)
 *
 * Untrusted  Any text is safe: nothing of it but numbers and names that are known gets into the C code. It is
 *            nested at most EXPRESSION_DEPTH_MAX deep.  */
#ifndef WORKFLOW_EXPRESSION_H
#define WORKFLOW_EXPRESSION_H

#include "text.h"

enum { EXPRESSION_DEPTH_MAX = 32 };

/* What the functions need that expression_to_c() writes. */
void expression_prelude(struct text *code);

/* Adds a function `int64_t rule_NUMBER(struct call *, const struct order *)` to `code`. False: the complaint's column is
 * that of `text`, from 1. */
bool expression_to_c(const char *text, int number, struct text *code, struct complaint *complaint);

#endif
