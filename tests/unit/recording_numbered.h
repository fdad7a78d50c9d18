/* recording_numbered.h - files of stave_record_to() with limits, "run.stave", "run.stave.1" and so on, and in them spans that are
 * numbered, so that none is missing.
 *
 *     start(LEAST, 3);
 *     uint64_t before = ended;
 *     record_slowly(60000);
 *     end_file();
 *     struct recorded file = recorded_file(name_of(1));
 *     last = check_spans(&file, before);
 *     recorded_free(&file);  */
#ifndef RECORDING_NUMBERED_H
#define RECORDING_NUMBERED_H

#include "stress/recorded.h"
#include "unit/recording_file.h"

#define LEAST ((uint64_t)64 * 1024) /* that a limit may be */

/* ---- files ----------------------------------------------------------------------------------- */

/* 0: the newest. Valid until the next call. */
const char *name_of(uint32_t number);
uint32_t files_behind(void);
void remove_files(void);
int remove_files_and_folder(void **state);

void limit(uint64_t max_bytes, uint32_t files);
/* Begins with no other file there. */
void start(uint64_t max_bytes, uint32_t files);

uint64_t size_now(void);
bool is_larger(uint32_t size);
/* False: after some seconds it still is not. */
bool wait_until(bool (*is_so)(uint32_t), uint32_t given);

/* ---- what is recorded ------------------------------------------------------------------------ */

extern uint64_t ended; /* spans, which are numbered by their lengths */

void record(uint32_t spans);
/* At a pace that the drain keeps up with. */
void record_slowly(uint32_t spans);

/* ---- what is in a file ----------------------------------------------------------------------- */

/* 0: it has none. */
uint64_t property(const stave_trace *trace, const char *key);
bool is_open(const struct traces_row *row);
bool is_whole(const struct recorded *file);

/* Its ended spans: that they go on behind `last`, and that its counts say how many. The last of them. */
uint64_t check_spans(const struct recorded *file, uint64_t last);

#endif
