/* grid: a data grid that is used by commands, to be traced. See README.md.  */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay.h"
#include "serve.h"

struct options {
    uint64_t rows, seed, commands, workers, port;
    bool is_replay, has_index, is_help;
};

static const char usage[] =
    "usage: grid [options]\n"
    "\n"
    "Reads commands from standard input, a line each, unless one of these is given:\n"
    "  --listen PORT      from clients on 127.0.0.1\n"
    "  --replay N         runs N commands of its own\n"
    "\n"
    "  --rows N           of the table (100000)\n"
    "  --seed N           of the table and of --replay (1)\n"
    "  --workers N        threads of --replay (2)\n"
    "  --index            keeps an index of where each row stands\n"
    "\n"
    "STAVE_FILE=grid.stave in the environment records what it does.\n";

static bool read_number(const char *text, uint64_t least, uint64_t most, uint64_t *number)
{
    char *end;
    errno = 0;
    *number = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0 && *number >= least &&
           *number <= most;
}

static bool read_option(struct options *options, const char *name, const char *value)
{
    if (strcmp(name, "--listen") == 0)
        return read_number(value, 1, UINT16_MAX, &options->port);
    if (strcmp(name, "--rows") == 0)
        return read_number(value, 1, TABLE_ROWS_MAX, &options->rows);
    if (strcmp(name, "--seed") == 0)
        return read_number(value, 0, UINT32_MAX, &options->seed);
    if (strcmp(name, "--workers") == 0)
        return read_number(value, 1, REPLAY_WORKERS_MAX, &options->workers);
    if (strcmp(name, "--replay") != 0)
        return false;
    options->is_replay = true;
    return read_number(value, 0, UINT32_MAX, &options->commands);
}

static bool read_options(struct options *options, int count, char **arguments)
{
    for (int i = 1; i < count; i++) {
        if (strcmp(arguments[i], "--index") == 0)
            options->has_index = true;
        else if (strcmp(arguments[i], "--help") == 0)
            options->is_help = true;
        else if (i + 1 == count || !read_option(options, arguments[i], arguments[i + 1]))
            return false;
        else
            i++;
    }
    return !(options->is_replay && options->port != 0);
}

static bool run(const struct options *options, const struct table *table)
{
    if (options->is_replay)
        return replay(table, options->has_index, (uint32_t)options->commands,
                      (unsigned)options->workers, options->seed);
    if (options->port == 0)
        return serve_stream(table, options->has_index, "c1", stdin, stdout);
    return serve_port(table, options->has_index, (uint16_t)options->port);
}

int main(int count, char **arguments)
{
    struct options options = {.rows = 100000, .seed = 1, .workers = 2};
    if (!read_options(&options, count, arguments)) {
        fputs(usage, stderr);
        return 2;
    }
    if (options.is_help) {
        fputs(usage, stdout);
        return 0;
    }
    struct table *table = table_new((uint32_t)options.rows, options.seed);
    bool is_done = table != NULL && run(&options, table);
    if (!is_done)
        fprintf(stderr, "grid: %s\n", strerror(errno));
    table_free(table);
    return is_done ? 0 : 1;
}
