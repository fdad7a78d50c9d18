/* serve.h - commands that others send: a line each, from a stream or over TCP on this machine only. */
#ifndef GRID_SERVE_H
#define GRID_SERVE_H

#include <stdio.h>

#include "table.h"

enum { SERVE_CLIENTS_MAX = 16 };

/* Until the stream ends. False: no memory. */
bool serve_stream(const struct table *table, bool has_index, const char *client, FILE *from,
                  FILE *to);

/* On 127.0.0.1, a thread for each client, until SIGINT or SIGTERM. False, with errno: the port or a thread cannot be had. */
bool serve_port(const struct table *table, bool has_index, uint16_t port);

#endif
