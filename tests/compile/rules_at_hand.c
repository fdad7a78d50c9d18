/* What only probes of rules use is used with STAVE_DISABLED, too; a rule as the body of nothing. */
#include <stave/rules.h>

void evaluate(stave_rule *rule, stave_run run, int value);
void evaluate(stave_rule *rule, stave_run run, int value)
{
    STAVE_RULE_IN(run, rule, STAVE_KV("value", value));
    switch (value) {
    case 1: {
        STAVE_RULE(rule);
        break;
    }
    default:
        break;
    }
}
