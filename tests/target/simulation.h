/* simulation.h - board, recorder, model and two links as one thing, and names to record.
 *
 *     simulation_on();                       // after power on
 *     simulation_start(&link_a, HZ, false);
 *     do_begin(name_of(0));
 *     simulation_end();                      // sends the rest; the host sees what it must
 */
#ifndef SIMULATION_H
#define SIMULATION_H

#include "board.h"
#include "host.h"
#include "link.h"
#include "model.h"
#include "recorder.h"

#define HZ 168000000u

enum { NAMES_MAX = 300 };

extern struct link link_a, link_b;

void simulation_on(void);
int simulation_free(void **state); /* cmocka's teardown */
void simulation_start(struct link *link, uint32_t hz, bool drop);

/* The link takes everything from now on; polls until nothing waits; compares the counts and, unless
 * losses have made a host unsure, all rows. True when those were compared. */
bool simulation_end(struct link *link);

/* Name `index`, always the same: "name 0" ..., of all sources, with deadlines and without. */
const struct stave_target_name *name_of(uint32_t index);

#endif
