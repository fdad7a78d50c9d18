/* fuzz_workflow.c - any bytes are the rules of examples/workflow, or a complaint of the reader; never one of the compiler, to which
 * only code of ours goes. Of each order each rule then passes, fails or is skipped. */
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "outcome.h"

enum { ORDERS = 20 };

static void check_complaint(const struct complaint *complaint)
{
    REQUIRE(complaint->text[0] != '\0');
    REQUIRE(strncmp(complaint->text, "<string>:", 9) != 0 &&
            strncmp(complaint->text, "tcc:", 4) != 0);
    REQUIRE(strcmp(complaint->text, "the rules' code does not compile") != 0);
}

static void check_verdict(const struct workflow *workflow, const struct order *order)
{
    struct verdict verdict;
    workflow_execute(workflow, order, &verdict);
    uint64_t all = workflow->count == RULES_MAX ? UINT64_MAX : (1ull << workflow->count) - 1;
    REQUIRE((verdict.passed | verdict.failed | verdict.skipped) == all);
    REQUIRE((verdict.passed & verdict.failed) == 0 && (verdict.skipped & verdict.failed) == 0 &&
            (verdict.passed & verdict.skipped) == 0 && (verdict.threw & ~verdict.failed) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct orders *orders;
    struct complaint complaint;
    char *text = calloc(1, size + 1);
    if (orders == NULL)
        orders = orders_new(ORDERS, 1);
    REQUIRE(text != NULL && orders != NULL);
    memcpy(text, data, size);
    struct workflow *workflow = workflow_read(text, &complaint);
    if (workflow == NULL)
        check_complaint(&complaint);
    for (int i = 0; workflow != NULL && i < ORDERS; i++)
        check_verdict(workflow, &orders->at[i]);
    workflow_free(workflow);
    free(text);
    return 0;
}
