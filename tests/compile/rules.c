/* Rules, runs and sessions as engines write them; the same in C and C++. */
#include <stave/rules.h>

struct order {
    int number;
    int price;
};

static stave_rule price, total;

static void name_rules(void)
{
    price.id = "0f6c";
    price.description = "price is positive";
    total.id = "7b1e";
    total.depends_on = STAVE_RULES(&price);
    stave_rule_declare(&total);
}

static bool check_price(const struct order *order)
{
    STAVE_RULE(&price);
    if (order->price < 0)
        return stave_rule_fail("negative price"), false;
    return true;
}

static bool check_total(const struct order *order, stave_run run)
{
    STAVE_RULE_IN(run, &total, STAVE_KV("order", order->number));
    for (int i = 0; i < 3; i++) {
        STAVE_RULE_SPAN(span, &price, STAVE_KV("i", i), STAVE_KV("what", "a text"));
        if (i == 1)
            continue;
        STAVE_SET(span, "seen", true);
    }
    return order->price > 0;
}

static void by_handle(struct order *order)
{
    stave_run run = stave_run_begin("by handle");
    stave_evaluation evaluation = stave_rule_begin(&total, run);
    stave_set_i64(evaluation.span, "order", order->number);
    stave_rule_end(evaluation, order->price < 0 ? STAVE_FAILED : STAVE_DONE, NULL);
    stave_rule_skip(&price, evaluation.here, "not asked for");
    stave_rule_outcome(STAVE_CACHED, "known");
    stave_run_end(run);
    (void)stave_rule_here();
}

int run_order(struct order *order);
int run_order(struct order *order)
{
    stave_error error;
    stave_session *session = stave_session_start(NULL, &error);
    stave_session_lost lost;
    bool matches;
    name_rules();
    {
        STAVE_RUN(run, "order", STAVE_ID(order->number));
        matches = check_price(order) && check_total(order, run);
        STAVE_RUN(inner, "with nothing else");
    }
    by_handle(order);
    stave_session_stop(session);
    stave_session_lost_of(session, &lost);
    stave_session_dump(session, "orders.stave", &error);
    stave_session_free(session);
    return matches && lost.dropped == 0;
}
