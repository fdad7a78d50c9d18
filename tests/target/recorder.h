/* recorder.h - the recorder under test, on the simulated board, each call of it known to the model. */
#ifndef RECORDER_H
#define RECORDER_H

#include "stave/target.h"

/* The recorder as after power on: all of its memory at 0. */
void recorder_reset(void);

/* The recorder's own name, of the mark that says that the clock stands still. */
extern const struct stave_target_name *const recorder_still;

/* The five calls. */
void do_begin(const struct stave_target_name *name);
void do_begin_value(const struct stave_target_name *name, uint32_t value);
void do_end(const struct stave_target_name *name);
void do_mark(const struct stave_target_name *name);
void do_mark_value(const struct stave_target_name *name, uint32_t value);

/* The others. do_counts() also compares them with the model's. */
void do_start(const struct stave_target_config *config);
void do_rate(uint32_t hz);
struct stave_target_counts do_counts(void);

/* Polls `times` times; what the last returned. */
bool do_poll(uint32_t times);

#endif
