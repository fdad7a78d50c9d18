/* workflow: rules that are compiled while the program runs, and what each of them took. See README.md.  */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cost.h"
#include "demo.h"

static const char usage[] =
    "usage: workflow [options] FILE\n"
    "\n"
    "Evaluates the rules of a workflow for a lot of orders, and shows what took the time.\n"
    "  --orders N           how many (200000)\n"
    "  --seed N             of the orders (1)\n"
    "  --threads N          of execute-parallel (one for each processor)\n"
    "  --memory MIB         of the recorder, of which a session holds half (as needed)\n"
    "  --passes N           to measure what capture costs; 0: none (5)\n"
    "  --first N            orders that go into files (3000)\n"
    "  --speedscope FILE    the first orders' rules, for https://www.speedscope.app\n"
    "  --save FILE.stave    the same, for stave report, tree and export\n";

static const struct number_option {
    const char *name;
    size_t offset;
    uint64_t least, most;
} numbers[] = {
    {"--orders", offsetof(struct demo_options, orders), 1, ORDERS_MAX},
    {"--seed", offsetof(struct demo_options, seed), 0, UINT32_MAX},
    {"--threads", offsetof(struct demo_options, threads), 1, POOL_THREADS_MAX},
    {"--memory", offsetof(struct demo_options, memory_mib), 1, 1u << 20},
    {"--passes", offsetof(struct demo_options, passes), 0, COST_PASSES_MAX},
    {"--first", offsetof(struct demo_options, first), 1, ORDERS_MAX},
};

static bool read_number(const char *text, uint64_t least, uint64_t most, uint64_t *number)
{
    char *end;
    errno = 0;
    *number = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0 && *number >= least &&
           *number <= most;
}

static bool read_option(struct demo_options *options, const char *name, const char *value)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(name, numbers[i].name) == 0)
            return read_number(value, numbers[i].least, numbers[i].most,
                               (uint64_t *)(void *)((char *)options + numbers[i].offset));
    if (strcmp(name, "--speedscope") == 0)
        options->speedscope = value;
    else if (strcmp(name, "--save") == 0)
        options->save = value;
    else
        return false;
    return true;
}

static bool read_options(struct demo_options *options, int count, char **arguments)
{
    for (int i = 1; i < count; i++) {
        if (strncmp(arguments[i], "--", 2) == 0) {
            if (i + 1 == count || !read_option(options, arguments[i], arguments[i + 1]))
                return false;
            i++;
        } else if (options->workflow == NULL) {
            options->workflow = arguments[i];
        } else {
            return false;
        }
    }
    return options->workflow != NULL;
}

static uint64_t processors(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > POOL_THREADS_MAX ? POOL_THREADS_MAX : (uint64_t)count;
}

int main(int count, char **arguments)
{
    struct demo_options options = {
        .orders = 200000, .seed = 1, .threads = processors(), .first = 3000, .passes = 5};
    if (count == 2 && strcmp(arguments[1], "--help") == 0) {
        fputs(usage, stdout);
        return 0;
    }
    if (!read_options(&options, count, arguments)) {
        fputs(usage, stderr);
        return 2;
    }
    return demo(&options);
}
