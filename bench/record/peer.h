/* bench/record/peer.h - a recording peer: a program of its own that lives through all rounds, and for each
 * line that it reads runs its loop once and says how many seconds of CPU time that took.
 *
 *     struct peer peer;
 *     if (peer_start(&peer, "exec uftrace record peer_uftrace"))
 *         seconds = peer_ask(&peer);
 */
#ifndef STAVE_BENCH_RECORD_PEER_H
#define STAVE_BENCH_RECORD_PEER_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct peer {
    FILE *to, *from;
    pid_t child;
};

/* By /bin/sh; false: there is no such peer. */
bool peer_start(struct peer *peer, const char *command);
double peer_ask(struct peer *peer);
void peer_stop(struct peer *peer);

/* The peer's side: returns when there are no more lines. */
void peer_serve(void (*loop)(void));

#endif
