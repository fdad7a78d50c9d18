/* replay.h - a load: what clients would do, the same for the same seed. */
#ifndef GRID_REPLAY_H
#define GRID_REPLAY_H

#include "table.h"

enum { REPLAY_WORKERS_MAX = 64 };

/* `commands` commands, shared out among `workers` threads with a client each. False: no memory, no thread. */
bool replay(const struct table *table, bool has_index, uint32_t commands, unsigned workers,
            uint64_t seed);

#endif
