#include "record/stream_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/os_process.h"
#include "store/header.h"

#define SECOND ((int64_t)1000000000)
#define WAIT_FIRST (1 * SECOND) /* for room on the disk; then twice as long */
#define WAIT_MOST (60 * SECOND)

/* ---- opening --------------------------------------------------------------------------------- */

static int create(const char *path, int *fd, stave_error *error)
{
    int status = stave__os_create_growing(path, 0600, fd, error);
    return status >= 0 ? stave__os_make_private(*fd, path, error) : status;
}

int stave__stream_file_open(struct stave__stream_file *file, const char *path,
                            struct stave__bell *bell, stave_error *error)
{
    size_t size = strlen(path) + 1;
    *file = (struct stave__stream_file){.bell = bell, .fd = -1, .next_fd = -1, .error = error};
    file->given = malloc(size);
    if (file->given == NULL)
        return stave__fail_memory(error);
    memcpy(file->given, path, size);
    int status = create(path, &file->fd, error);
    file->own = stave__os_identify(file->fd);
    return status >= 0 ? stave__os_find(path, file->path, error) : status;
}

/* F4. Else the descriptor is the program's now, and left alone. */
static bool is_own(struct stave__stream_file *file)
{
    struct stave__os_identity now = stave__os_identify(file->fd);
    if (now.device == file->own.device && now.inode == file->own.inode)
        return true;
    file->fd = -1;
    return false;
}

void stave__stream_file_close(struct stave__stream_file *file)
{
    if (is_own(file))
        stave__os_close(file->fd);
    stave__os_close(file->next_fd);
    free(file->given);
}

/* ---- a full disk ----------------------------------------------------------------------------- */

/* False: the drain is to end. */
static bool wait_for_room(struct stave__stream_file *file, int64_t *wait)
{
    bool ending = stave__bell_wait(file->bell, stave__os_monotonic_ns() + *wait);
    *wait = stave__longer_wait(*wait, WAIT_MOST);
    return !ending;
}

/* F1. Also when the drain is to end it tries once more. */
int stave__stream_file_write(void *given, const void *data, size_t size)
{
    struct stave__stream_file *file = given;
    int64_t wait = WAIT_FIRST;
    bool may_wait = file->patient;
    int status;
    if (!is_own(file))
        return stave__fail(file->error, STAVE_E_STATE, 0,
                           "%s: the program has closed the descriptor, which is not its own: let "
                           "it close only what "
                           "it has opened, or begin the recording later",
                           file->given);
    while ((status = stave__os_write(file->fd, file->given, data, size, file->error)) < 0) {
        stave__os_cut(file->fd, file->size);
        if (!may_wait)
            return status;
        may_wait = wait_for_room(file, &wait);
    }
    file->size += size;
    return STAVE_OK;
}

/* ---- the next -------------------------------------------------------------------------------- */

static const char *numbered(const struct stave__stream_file *file, char *name, uint32_t number)
{
    snprintf(name, STAVE__FILE_NAME_SIZE, "%.*s.%u", STAVE__OS_PATH_SIZE - 1, file->path, number);
    return name;
}

/* Makes the name with number 1 free: up to the first that is not taken, else the last one goes. */
static int move_up(struct stave__stream_file *file, uint32_t files)
{
    uint32_t free = 1;
    int status = STAVE_OK;
    while (free + 1 < files && stave__os_is_there(numbered(file, file->to, free)))
        free++;
    for (; free > 1 && status >= 0; free--)
        status = stave__os_rename(numbered(file, file->from, free - 1),
                                  numbered(file, file->to, free), file->error);
    return status;
}

/* Those that it has made itself and that are too many now. */
static void remove_oldest(struct stave__stream_file *file, uint32_t files)
{
    for (; file->behind >= files; file->behind--)
        stave__os_remove(numbered(file, file->to, file->behind));
    file->behind += file->behind + 1 < files;
}

/* Somebody may have moved it away already. What has its name instead is not ours. */
static int move_away(struct stave__stream_file *file, uint32_t files)
{
    struct stave__os_identity own = stave__os_identify(file->fd);
    if (!stave__os_is_there(file->path))
        return STAVE_OK;
    if (!stave__os_is_same_file(file->path, &own))
        return stave__fail(file->error, STAVE_E_STATE, 0,
                           "%s is another file by now, and is left as it is", file->given);
    int status = move_up(file, files);
    if (status >= 0)
        status = stave__os_rename(file->path, numbered(file, file->to, 1), file->error);
    if (status >= 0)
        remove_oldest(file, files);
    return status;
}

/* F2 */
static int create_next(struct stave__stream_file *file, const char *name)
{
    uint8_t head[STAVE__FILE_HEAD_SIZE];
    stave__file_head_write(head);
    int status = create(name, &file->next_fd, file->error);
    return status >= 0 ? stave__os_write_at(file->next_fd, head, sizeof head, 0, file->error)
                       : status;
}

static int find_next(struct stave__stream_file *file, uint32_t files)
{
    char name[STAVE__FILE_NAME_SIZE];
    snprintf(name, sizeof name, "%.*s.next", STAVE__OS_PATH_SIZE - 1, file->path);
    int status = create_next(file, name);
    if (status >= 0)
        status = move_away(file, files);
    if (status >= 0)
        status = stave__os_rename(name, file->path, file->error);
    if (status < 0 && file->next_fd >= 0) {
        stave__os_remove(name);
        stave__os_close(file->next_fd);
        file->next_fd = -1;
    }
    return status;
}

int stave__stream_file_find_next(struct stave__stream_file *file, uint32_t files)
{
    pthread_mutex_lock(&file->bell->lock);
    int status = find_next(file, files);
    pthread_mutex_unlock(&file->bell->lock);
    return status;
}

void stave__stream_file_go_on(struct stave__stream_file *file)
{
    pthread_mutex_lock(&file->bell->lock);
    stave__os_close(file->fd);
    file->fd = file->next_fd;
    file->own = stave__os_identify(file->fd);
    file->next_fd = -1;
    file->size = 0;
    pthread_mutex_unlock(&file->bell->lock);
}
