/* export/whole.h - what is written to a sink, as a file that appears whole or not at all, or into memory.
 *
 *     static int write(void *context, stave_sink sink, stave_error *error) { ... }
 *     status = stave__write_file(path, write, context, error);
 *     status = stave__write_memory(write, context, &data, &size, error);      // to be given to free()
 */
#ifndef STAVE_EXPORT_WHOLE_H
#define STAVE_EXPORT_WHOLE_H

#include "stave/status.h"

typedef int stave__write_function(void *context, stave_sink sink, stave_error *error);

int stave__write_file(const char *path, stave__write_function *write, void *context,
                      stave_error *error);

/* A NUL behind it is not counted. */
int stave__write_memory(stave__write_function *write, void *context, char **data, size_t *size,
                        stave_error *error);

#endif
