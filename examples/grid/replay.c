#include "replay.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <stave/stave.h>

#include "commands.h"
#include "random.h"

struct worker {
    pthread_t thread;
    const struct table *table;
    bool has_index, is_done;
    unsigned number;
    uint32_t commands;
    uint64_t state; /* of its random numbers */
    unsigned refused;
};

/* ---- what a client does next ----------------------------------------------------------------- */

enum { LINE_SIZE = 80 };

struct chance {
    uint32_t per_mille;
    const char *line; /* #: a number from 1 on, below `limit` */
    uint32_t limit;
};

/* People look around, pick a few rows, and now and then arrange the list anew or add something up. */
static const struct chance chances[] = {
    {292, "Navigate down", 0},     {190, "Navigate page-down", 0},
    {100, "Navigate up", 0},       {60, "Navigate page-up", 0},
    {15, "Navigate first", 0},     {5, "Navigate last", 0},
    {100, "Navigate #", 100000},   {90, "Select cursor", 0},
    {15, "Select none", 0},        {7, "Select where supplier S-#", 48},
    {18, "Find item pump-#", 90},  {10, "Find price #", 2500},
    {15, "Sort shelf", 0},         {8, "Sort price down", 0},
    {5, "Sort arrived down", 0},   {22, "Sort none", 0},
    {10, "Filter hall hall-#", 9}, {5, "Filter stock 0 #", 5000},
    {20, "Filter none", 0},        {8, "Sum stock", 0},
    {3, "Sum supplier", 0},        {2, "Sort colour", 0},
};

static void write_line(char line[LINE_SIZE], const struct chance *chance, uint64_t *state)
{
    const char *number = chance->limit > 0 ? strchr(chance->line, '#') : NULL;
    if (number == NULL)
        snprintf(line, LINE_SIZE, "%s", chance->line);
    else
        snprintf(line, LINE_SIZE, "%.*s%u", (int)(number - chance->line), chance->line,
                 random_below(state, chance->limit - 1) + 1);
}

static void next_line(char line[LINE_SIZE], uint64_t *state)
{
    uint32_t drawn = random_below(state, 1000);
    const struct chance *chance = chances;
    while (drawn >= chance->per_mille) {
        drawn -= chance->per_mille;
        chance++;
    }
    write_line(line, chance, state);
}

/* ---- the threads ----------------------------------------------------------------------------- */

static void *work(void *context)
{
    struct worker *worker = context;
    struct session session;
    char client[16], line[LINE_SIZE];
    snprintf(client, sizeof client, "w%u", worker->number);
    stave_thread_name(client);
    if (!session_begin(&session, worker->table, worker->has_index, client))
        return NULL;
    for (uint32_t i = 0; i < worker->commands; i++) {
        next_line(line, &worker->state);
        session_run(&session, line);
    }
    worker->refused = session.refused;
    worker->is_done = true;
    session_end(&session);
    return NULL;
}

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* How many there are; errno says why there are not more. */
static unsigned start(struct worker *workers, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        errno = pthread_create(&workers[i].thread, NULL, work, &workers[i]);
        if (errno != 0)
            return i;
    }
    return count;
}

bool replay(const struct table *table, bool has_index, uint32_t commands, unsigned workers,
            uint64_t seed)
{
    struct worker all[REPLAY_WORKERS_MAX];
    bool is_done = true;
    unsigned refused = 0;
    for (unsigned i = 0; i < workers; i++)
        all[i] = (struct worker){.table = table,
                                 .has_index = has_index,
                                 .number = i + 1,
                                 .commands = commands / workers + (i < commands % workers),
                                 .state = seed * 1000 + i};
    double begin_ms = now_ms();
    unsigned started = start(all, workers);
    for (unsigned i = 0; i < started; i++) {
        pthread_join(all[i].thread, NULL);
        is_done = is_done && all[i].is_done;
        refused += all[i].refused;
    }
    double ms = now_ms() - begin_ms;
    printf("%u commands by %u clients in %.0f ms, %.2f ms each; %u were refused\n", commands,
           started, ms, commands > 0 ? ms * started / commands : 0, refused);
    return is_done && started == workers;
}
