/* A rule's evaluation is a declaration: it cannot be the body of an `if`.
 * expect gcc: expected expression before
 * expect clang: expected expression */
#include <stave/rules.h>

void evaluate(stave_rule *rule);
void evaluate(stave_rule *rule)
{
    if (rule != NULL)
        STAVE_RULE(rule);
}
