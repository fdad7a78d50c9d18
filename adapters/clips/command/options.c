#include "options.h"

#include <stave/status.h>

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] = "usage: stave-clips [--tree] [--report] [--speedscope FILE] [-o "
                            "FILE.stave] [option ...] FILE.clp ...\n";

static const char help[] =
    "Loads the constructs in the files into CLIPS 6.30, resets, runs, and shows which firing "
    "caused which.\n"
    "\n"
    "  --tree             each firing below the one that caused it; this, if nothing else is asked "
    "for\n"
    "  --report           a line for each rule\n"
    "  --speedscope FILE  the tree, and the firings by the clock, for https://www.speedscope.app\n"
    "  -o FILE.stave      all of it, for stave report, tree and export\n"
    "  --firings N        stop after N firings, 1 or more\n"
    "  --limit N          only the first N firings of the tree\n"
    "  --details          in FILE.stave also the salience and the facts of each firing\n"
    "  --memory MIB       for the firings, 1 to 1048576; 64\n"
    "  -h, --help         this\n"
    "  --version          print the version\n"
    "\n"
    "Exits with 0: done; 1: nothing fired, or an error ended the run; 2: wrong use, unreadable "
    "input, constructs with\n"
    "errors, output that cannot be written.\n";

void message(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("stave-clips: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

static bool read_number(const char *name, const char *text, uint64_t min, uint64_t max,
                        uint64_t *number)
{
    char *end;
    errno = 0;
    uintmax_t value = strtoumax(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || value < min ||
        value > max) {
        message("--%s: %s is no number from %" PRIu64 " to %" PRIu64, name, text, min, max);
        return false;
    }
    *number = value;
    return true;
}

enum { MEMORY_MAX_MIB = 1 << 20 };

enum option_code {
    OPTION_TREE = 256,
    OPTION_REPORT,
    OPTION_SPEEDSCOPE,
    OPTION_FIRINGS,
    OPTION_LIMIT,
    OPTION_DETAILS,
    OPTION_MEMORY,
    OPTION_VERSION
};

static const struct option long_options[] = {
    {"tree", no_argument, NULL, OPTION_TREE},
    {"report", no_argument, NULL, OPTION_REPORT},
    {"speedscope", required_argument, NULL, OPTION_SPEEDSCOPE},
    {"firings", required_argument, NULL, OPTION_FIRINGS},
    {"limit", required_argument, NULL, OPTION_LIMIT},
    {"details", no_argument, NULL, OPTION_DETAILS},
    {"memory", required_argument, NULL, OPTION_MEMORY},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, OPTION_VERSION},
    {NULL, 0, NULL, 0},
};

static bool read_firings(struct options *options, const char *text)
{
    uint64_t firings;
    if (!read_number("firings", text, 1, INT64_MAX, &firings))
        return false;
    options->firings = (int64_t)firings;
    return true;
}

/* One that takes a value, or says what to show. */
static bool read_option(struct options *options, int option)
{
    switch (option) {
    case OPTION_TREE:
        return options->tree = true;
    case OPTION_REPORT:
        return options->report = true;
    case OPTION_DETAILS:
        return options->details = true;
    case OPTION_SPEEDSCOPE:
        options->speedscope = optarg;
        return true;
    case 'o':
        options->stave = optarg;
        return true;
    case OPTION_FIRINGS:
        return read_firings(options, optarg);
    case OPTION_LIMIT:
        return read_number("limit", optarg, 0, UINT64_MAX, &options->limit);
    case OPTION_MEMORY:
        return read_number("memory", optarg, 1, MEMORY_MAX_MIB, &options->memory_mib);
    default: /* getopt has said what is wrong */
        fputs(usage, stderr);
        return false;
    }
}

static bool is_question(int option)
{
    return option == 'h' || option == OPTION_VERSION;
}

static bool answer(int option)
{
    if (option == 'h')
        printf("%s%s", usage, help);
    else
        printf("stave-clips %s\n", stave_version());
    return true;
}

static bool read_options(struct options *options, int argc, char **argv, int *status)
{
    int option;
    while ((option = getopt_long(argc, argv, "ho:", long_options, NULL)) != -1) {
        *status = is_question(option) ? EXIT_DONE : EXIT_MISUSE;
        if (is_question(option) ? answer(option) : !read_option(options, option))
            return false;
    }
    return true;
}

bool options_read(struct options *options, int argc, char **argv, int *status)
{
    *options = (struct options){.limit = UINT64_MAX, .firings = -1};
    if (!read_options(options, argc, argv, status))
        return false;
    options->files = argv + optind;
    if (options->files[0] == NULL) {
        fputs(usage, stderr);
        *status = EXIT_MISUSE;
        return false;
    }
    if (!options->report && options->speedscope == NULL && options->stave == NULL)
        options->tree = true;
    return true;
}
