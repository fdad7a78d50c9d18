/* trace/file.h - the file that a trace was opened from. */
#ifndef STAVE_TRACE_FILE_H
#define STAVE_TRACE_FILE_H

#include "stave/trace.h"

struct stave__file;

void stave__file_free(struct stave__file *file);

#endif
