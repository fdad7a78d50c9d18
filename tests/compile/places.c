/* Where a probe may stand, and how its block may be left. */
#include <stave/stave.h>

void work(int i);
void alone(void);
int left_by_return(int i);
void left_by_break(int n);
void left_by_continue(int n);
void left_by_goto(int i);
void in_a_switch(int i);
void in_branches(int i);
void nested(int i);
void two_on_a_line(int i);
void named(uint32_t id);
int small_functions(int i);

void alone(void)
{
    {
        STAVE_SCOPE("only statement");
    }
    {
        STAVE_SPAN(span, "only statement");
    }
    {
        STAVE_CUMULATIVE("only statement");
    }
    {
        STAVE_CUMULATIVE_FUNCTION();
    }
    {
        STAVE_FUNCTION();
    }
    {
        STAVE_TRACE("only statement");
    }
    {
        STAVE_SCOPE_NAMED(stave_name_intern("only statement"));
    }
    {
        STAVE_MARK("only statement");
    }
}

int left_by_return(int i)
{
    STAVE_FUNCTION(i);
    if (i > 0) {
        STAVE_SCOPE("positive", STAVE_KV("i", i));
        return i;
    }
    STAVE_SCOPE("rest");
    return -i;
}

void left_by_break(int n)
{
    int i = 0;
    while (true) {
        STAVE_CUMULATIVE("turn");
        if (++i > n)
            break;
        work(i);
    }
    do {
        STAVE_SCOPE("turn");
        if (i == n)
            break;
        work(i);
    } while (--i > 0);
}

void left_by_continue(int n)
{
    for (int i = 0; i < n; i++) {
        STAVE_SPAN(turn, "turn", STAVE_KV("i", i));
        if (i % 2)
            continue;
        STAVE_SET(turn, "even", true);
        work(i);
    }
}

void left_by_goto(int i)
{
again : {
    STAVE_SCOPE("try", STAVE_KV("i", i));
    if (i-- > 3)
        goto again;
    if (i < 0)
        goto out;
    work(i);
}
out:
    work(0);
}

void in_a_switch(int i)
{
    switch (i) {
    case 0: {
        STAVE_SCOPE("zero");
        work(i);
        break;
    }
    case 1: {
        STAVE_TRACE("one", STAVE_ID("one"));
        return;
    }
    case 2:
        STAVE_MARK("two");
        break;
    default:
        STAVE_COUNTER("more", i);
    }
}

/* Expression statements may be the body of an `if`. */
void in_branches(int i)
{
    if (i > 0)
        STAVE_MARK("more", STAVE_KV("i", i));
    else if (i < 0)
        STAVE_COUNTER("less", i);
    else
        STAVE_SET(stave_current_span(), "none", i);
    for (; i > 0; i--)
        STAVE_MARK("turn");
}

void nested(int i)
{
    STAVE_SCOPE("outer", STAVE_KV("depth", 0));
    {
        STAVE_SCOPE("middle", STAVE_KV("depth", 1));
        {
            STAVE_SCOPE("inner", STAVE_KV("depth", 2));
            {
                STAVE_TRACE("root inside", STAVE_ID(i));
                STAVE_CUMULATIVE("innermost");
                STAVE_MARK("here", STAVE_KV("i", i));
                STAVE_SET(stave_current_span(), "i", i);
            }
        }
    }
}

/* clang-format off */
void two_on_a_line(int i)
{
    STAVE_TRACE("a"); STAVE_TRACE("b", STAVE_ID(1));
    STAVE_TRACE_SPAN(root, "c", STAVE_ID(2)); STAVE_SET(root, "d", 3); STAVE_TRACE_SPAN(other, "e"); stave_fail(other, "f");
    STAVE_SCOPE("a"); STAVE_SCOPE("a", STAVE_KV("a", i), STAVE_KV("a", i));
    STAVE_SPAN(one, "a"); STAVE_SPAN(two, "a", STAVE_KV("a", i));
    STAVE_SCOPE_NAMED(1u); STAVE_SCOPE_NAMED(2u, STAVE_KV("a", i));
    STAVE_FUNCTION(); STAVE_FUNCTION(i);
    STAVE_CUMULATIVE("a"); STAVE_CUMULATIVE("a");
    STAVE_CUMULATIVE_FUNCTION(); STAVE_CUMULATIVE_FUNCTION();
    STAVE_MARK("a"); STAVE_MARK("a", STAVE_KV("a", i), STAVE_ID(i));
    STAVE_COUNTER("a", i); STAVE_COUNTER("a", i);
    STAVE_SET(one, "a", i); STAVE_SET(two, "a", i);
}
/* clang-format on */

void named(uint32_t id)
{
    STAVE_SCOPE_NAMED(id);
    STAVE_SCOPE_NAMED(id ? id : stave_name_intern("none"), STAVE_KV("id", id), STAVE_KV("b", "c"));
    STAVE_SPAN(joined, "a "
                       "name in two parts");
    stave_fail(joined, "no reason");
}

static inline int doubled(int i)
{
    STAVE_FUNCTION(i);
    return 2 * i;
}

static int halved(int i)
{
    STAVE_CUMULATIVE_FUNCTION();
    STAVE_SCOPE("halved", STAVE_KV("i", i));
    return i / 2;
}

int small_functions(int i)
{
    return doubled(i) + halved(i);
}
