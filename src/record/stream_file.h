/* record/stream_file.h - the files that the drain writes: one, or one after another under the same name; and a disk that
 * takes no more for a while.
 *
 *     status = stave__stream_file_open(&file, path, &bell, &error)
 *     status = stave__stream_file_write(&file, data, size)       // waits for room, once it is `patient`
 *
 *     status = stave__stream_file_find_next(&file, 3)            // "path.1" to "path.2", "path" to "path.1", a new "path"
 *     ... what the old one still lacks is written ...
 *     stave__stream_file_go_on(&file)                            // from here on the new one
 *
 * Invariants
 * F1  A failed write leaves nothing behind: the file is cut back to what was written before, and the same bytes are
 *     written again. So a disk that is full for a while costs what memory gives up meanwhile, and no more.
 * F2  A file that has the name, or one with a number, is one that opens: it gets it with its head in it. A process that is
 *     killed between any two steps leaves files that open, and perhaps no file of the name, or of a number.
 * F3  `fd` and `next_fd` change under the bell's lock, which a fork takes: a child closes both.
 * F4  A program may close descriptors that it does not know, and open others in their places. Before each write the drain
 *     looks whether `fd` is still its file.  */
#ifndef STAVE_RECORD_STREAM_FILE_H
#define STAVE_RECORD_STREAM_FILE_H

#include "base/os.h"
#include "record/bell.h"

#define STAVE__FILES_MAX 10000u /* of one name */
#define STAVE__FILE_NAME_SIZE (STAVE__OS_PATH_SIZE + 16)

struct stave__stream_file {
    struct stave__bell *bell;
    int fd, next_fd;               /* F3 */
    struct stave__os_identity own; /* of `fd`: F4 */
    uint64_t size;                 /* bytes, of whole writes */
    uint32_t behind;               /* files of this recording with a number behind their name */
    bool patient;       /* waits for room on the disk; before, a failure is one at once */
    stave_error *error; /* the first failure sticks */
    char *given;        /* the name as it was given: for messages */
    /* As it is from the root, wherever the process goes; and names that are made of it. */
    char path[STAVE__FILE_NAME_SIZE], from[STAVE__FILE_NAME_SIZE], to[STAVE__FILE_NAME_SIZE];
};

int stave__stream_file_open(struct stave__stream_file *file, const char *path,
                            struct stave__bell *bell, stave_error *error);
void stave__stream_file_close(struct stave__stream_file *file);

/* An error, once it is patient, only when the drain is to end and the disk still takes nothing. */
int stave__stream_file_write(void *given, const void *data, size_t size);

/* Makes the next file, under the name that this one has had. On failure the names are as they were, or there is none of
 * that name and all others are whole: it may be tried again. */
int stave__stream_file_find_next(struct stave__stream_file *file, uint32_t files);
void stave__stream_file_go_on(struct stave__stream_file *file);

#endif
