/* base/os.h - what is asked of the operating system. The one file that differs between systems.
 *
 * Every function sets *error with the system's own reason; messages name the path.  */
#ifndef STAVE_BASE_OS_H
#define STAVE_BASE_OS_H

#include <stdbool.h>

#include "stave/status.h"

/* A file without a name in `dir` (NULL: $TMPDIR, else /tmp), gone when its descriptor is closed. */
int stave__os_temporary(const char *dir, int *fd, stave_error *error);

/* All of `size` bytes at `offset`, or an error. */
int stave__os_write_at(int fd, const void *data, size_t size, uint64_t offset, stave_error *error);
int stave__os_read_at(int fd, void *data, size_t size, uint64_t offset, stave_error *error);

/* All of `size` bytes to a stream (a pipe, a file). */
int stave__os_write(int fd, const void *data, size_t size, stave_error *error);

/* Up to `size` bytes from a stream: the number read, 0 at its end, or an error. */
int64_t stave__os_read(int fd, void *data, size_t size, stave_error *error);

/* "-" is standard input. A directory is refused. */
int stave__os_open_input(const char *path, int *fd, stave_error *error);

void stave__os_close(int fd);

/* ---- output files: whole or not at all --------------------------------------------------------- */

/* A file on its way: written under a name of its own beside `path`, then given its real one. What is
 * no regular file (a pipe, /dev/stdout) is written directly. */
struct stave__os_file {
    int fd;
    char *path;
    char *temporary; /* NULL: written directly */
};

int stave__os_create(const char *path, struct stave__os_file *file, stave_error *error);

/* Gives the file its name and closes it. With `exclusive`, STAVE_E_STATE and a file still open when
 * the name is taken: stave__os_rename_target() and try again. */
int stave__os_commit(struct stave__os_file *file, bool exclusive, stave_error *error);
int stave__os_rename_target(struct stave__os_file *file, const char *path, stave_error *error);

/* Closes and removes it. Harmless after a commit. */
void stave__os_discard(struct stave__os_file *file);

/* A directory and those above it, as far as they are missing. */
int stave__os_make_dirs(const char *path, stave_error *error);

/* Makes `path` a symbolic link to `target`, in one step; replaces a link, and nothing else. */
int stave__os_replace_link(const char *path, const char *target, stave_error *error);

/* Columns of a terminal, or 0 when the descriptor is none. */
int stave__os_terminal_width(int fd);

#endif
