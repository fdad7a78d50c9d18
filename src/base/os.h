/* base/os.h - what is asked of the operating system: files, streams. os_process.h, os_objects.h and os_command.h have the
 * rest of what differs between systems.
 *
 * Every function sets *error with the system's own reason; messages name the path where there is one.  */
#ifndef STAVE_BASE_OS_H
#define STAVE_BASE_OS_H

#include <stdbool.h>

#include "stave/status.h"

/* A file without a name in `dir` (NULL: $TMPDIR, else /tmp), gone when its descriptor is closed. */
int stave__os_temporary(const char *dir, int *fd, stave_error *error);

/* All of `size` bytes at `offset`, or an error. */
int stave__os_write_at(int fd, const void *data, size_t size, uint64_t offset, stave_error *error);
int stave__os_read_at(int fd, void *data, size_t size, uint64_t offset, stave_error *error);

/* All of `size` bytes to a stream (a pipe, a file); `name` is what the error calls it. */
int stave__os_write(int fd, const char *name, const void *data, size_t size, stave_error *error);

/* "-" is standard input. A directory is refused; of a link that leads nowhere, the error says so. */
int stave__os_open_input(const char *path, int *fd, stave_error *error);

/* Another descriptor of the same file. */
int stave__os_open_again(int fd, int *again, stave_error *error);

/* Which file it is, whatever its name: equal for the same one. Not regular: a pipe, a device. */
struct stave__os_identity {
    bool regular;
    uint64_t device, inode;
};

struct stave__os_identity stave__os_identify(int fd);
/* False when there is no such file. */
bool stave__os_is_same_file(const char *path, const struct stave__os_identity *identity);

void stave__os_close(int fd);

/* Whether anything has this name, a link that leads nowhere included. */
bool stave__os_is_there(const char *path);

/* The path, from the root, of the file that `path` leads to over all links, to be freed. NULL when there
 * is none, or no memory. */
char *stave__os_real_path(const char *path);

/* The same into room for STAVE__OS_PATH_SIZE bytes. */
#define STAVE__OS_PATH_SIZE 4096
int stave__os_find(const char *path, char *real, stave_error *error);

/* A regular file, or nothing yet. */
bool stave__os_may_be_regular(const char *path);

/* Bytes of what has this name; 0 when there is none. */
uint64_t stave__os_size_of(const char *path);

/* Bytes of a regular file; STAVE_E_ARGUMENT when it is none. */
int stave__os_size(int fd, const char *path, uint64_t *size, stave_error *error);

/* ---- output files: whole or not at all ------------------------------------------------------- */

/* A file on its way. It gets its name when it is whole; until then, where the file system can do so, it
 * has none, so that nothing is left if the process ends. A file that was there keeps its mode, a
 * symbolic link to it stays one. What is no regular file (a pipe, /dev/stdout), and a file in a folder
 * that may not be written to, is written directly.
 *
 * A file that was there is locked, by flock(2), until the commit or discard: STAVE_E_STATE when another
 * process has locked it. */
struct stave__os_file {
    int fd;
    int lock_fd; /* of the file that was there, or -1 */
    char *path;
    char *temporary; /* its name until then; NULL: none, or written directly */
    bool direct;
};

int stave__os_create(const char *path, struct stave__os_file *file, stave_error *error);

/* The same for a path that is to be new; whether it is shows at the commit. */
int stave__os_create_new(const char *path, struct stave__os_file *file, stave_error *error);

/* Gives the file its name and closes it. With `exclusive`, STAVE_E_STATE and a file still open when
 * the name is taken: stave__os_rename_target() and try again. */
int stave__os_commit(struct stave__os_file *file, bool exclusive, stave_error *error);
int stave__os_rename_target(struct stave__os_file *file, const char *path, stave_error *error);

/* A file that others may read while it is written, and its writer too: made, with these permissions as far as
 * the umask lets it have them, or emptied once it is ours. STAVE_E_STATE while another process writes it. Gives way
 * to the next writer when its descriptor is closed. */
int stave__os_create_growing(const char *path, unsigned permissions, int *fd, stave_error *error);

/* For its owner alone, whatever the umask: mode 0600. Not what is no regular file. */
int stave__os_make_private(int fd, const char *path, stave_error *error);

/* Lets a file end there, and what is written next begin there. False: it is longer still. */
bool stave__os_cut(int fd, uint64_t size);

/* In one step; what has the other name is gone. */
int stave__os_rename(const char *from, const char *to, stave_error *error);
void stave__os_remove(const char *path);

/* Closes and removes it. Harmless after a commit. */
void stave__os_discard(struct stave__os_file *file);

/* A directory and those above it, as far as they are missing. */
int stave__os_make_dirs(const char *path, stave_error *error);

/* Makes `path` a symbolic link to `target`, in one step; replaces a link, and nothing else. */
int stave__os_replace_link(const char *path, const char *target, stave_error *error);

#endif
