/* workflow: rules that are compiled while the program runs, and what each of them took. See README.md.  */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
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
    "  --orders N           how many, 1 to 10000000 (200000)\n"
    "  --seed N             of the orders, 0 to 4294967295 (1)\n"
    "  --threads N          of execute-parallel, 1 to 64 (one for each processor)\n"
    "  --memory MIB         of the recorder, of which a session holds half, 1 to 1048576 (as "
    "needed)\n"
    "  --passes N           to measure what capture costs, 0 to 99; 0: none (5)\n"
    "  --first N            orders that go into files, 1 to 10000000 (3000)\n"
    "  --speedscope FILE    the first orders' rules, for https://www.speedscope.app\n"
    "  --save FILE.stave    the same, for stave report, tree and export\n"
    "\n"
    "Exits with 0: done; 1: one thread and all of them came to different verdicts; 2: wrong use,\n"
    "a file that cannot be read, has mistakes or cannot be written, no memory.\n";

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

/* Always false, for `return wrong(...)`. */
static bool wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));

static bool wrong(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("workflow: ", stderr);
    vfprintf(stderr, format, arguments);
    fputs("\nworkflow --help says what there is\n", stderr);
    va_end(arguments);
    return false;
}

static bool read_number(const struct number_option *option, const char *text, uint64_t *number)
{
    char *end;
    errno = 0;
    *number = strtoull(text, &end, 10);
    if (*text >= '0' && *text <= '9' && *end == '\0' && errno == 0 && *number >= option->least &&
        *number <= option->most)
        return true;
    return wrong("%s: %s is no number from %" PRIu64 " to %" PRIu64, option->name, text,
                 option->least, option->most);
}

static const struct number_option *find_number(const char *name)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(name, numbers[i].name) == 0)
            return &numbers[i];
    return NULL;
}

/* `value` is NULL where the option is the last word. */
static bool read_option(struct demo_options *options, const char *name, const char *value)
{
    const struct number_option *number = find_number(name);
    bool is_speedscope = strcmp(name, "--speedscope") == 0, is_save = strcmp(name, "--save") == 0;
    if (number == NULL && !is_speedscope && !is_save)
        return wrong("there is no option %s", name);
    if (value == NULL)
        return wrong("%s: its value is missing", name);
    if (number != NULL)
        return read_number(number, value, (uint64_t *)(void *)((char *)options + number->offset));
    *(is_save ? &options->save : &options->speedscope) = value;
    return true;
}

static bool read_options(struct demo_options *options, int count, char **arguments)
{
    for (int i = 1; i < count; i++) {
        if (arguments[i][0] == '-') {
            if (!read_option(options, arguments[i], arguments[i + 1])) /* the last one is NULL */
                return false;
            i++;
        } else if (options->workflow == NULL) {
            options->workflow = arguments[i];
        } else {
            return wrong("%s: a second file, after %s; it takes one", arguments[i],
                         options->workflow);
        }
    }
    return options->workflow != NULL || wrong("the file of rules is missing");
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
    if (!read_options(&options, count, arguments))
        return 2;
    return demo(&options);
}
