/* record/file_limits.h - the limits of files: as a program gives them, and as the environment does. */
#ifndef STAVE_RECORD_FILE_LIMITS_H
#define STAVE_RECORD_FILE_LIMITS_H

#include "stave/stave.h"

/* STAVE_E_ARGUMENT */
int stave__file_limits_check(const stave_file_config *limits, stave_error *error);

/* Of the values of STAVE_FILE_MAX_BYTES, a number that K, M or G may follow (times 1024, once, twice, thrice), and
 * STAVE_FILE_COUNT. NULL and empty: the default. STAVE_E_ARGUMENT. */
int stave__file_limits_read(const char *max_bytes, const char *files, stave_file_config *limits,
                            stave_error *error);

#endif
