#define _GNU_SOURCE /* O_TMPFILE, mkostemp */
#include "base/os.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

#define TRIES_MAX 1000 /* names that are taken before giving up */

#define PATH_SHOWN_MAX 120 /* bytes of a path's end, so that the reason behind it has room */

_Static_assert(sizeof(off_t) == 8, "files beyond 2 GiB: build with -D_FILE_OFFSET_BITS=64");

static const char *end_of_path(const char *path, const char **dots)
{
    size_t size = strlen(path);
    bool is_cut = size > PATH_SHOWN_MAX;
    *dots = is_cut ? "..." : "";
    return is_cut ? path + size - PATH_SHOWN_MAX : path;
}

static int fail_errno(stave_error *error, const char *what, const char *path)
{
    const char *dots, *end = end_of_path(path, &dots);
    return stave__fail(error, STAVE_E_IO, 0, "%s%s%s%s: %s", what, path[0] != '\0' ? " " : "", dots,
                       end, strerror(errno));
}

static int fail_locked(stave_error *error, const char *path)
{
    const char *dots, *end = end_of_path(path, &dots);
    return stave__fail(error, STAVE_E_STATE, 0,
                       "%s%s is being written by another process; wait for it or choose another "
                       "name",
                       dots, end);
}

/* For file systems without O_TMPFILE. */
static int temporary_by_name(const char *dir)
{
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/stave-XXXXXX", dir);
    if (n < 0 || (size_t)n >= sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    return fd;
}

int stave__os_temporary(const char *dir, int *fd, stave_error *error)
{
    if (dir == NULL)
        dir = secure_getenv("TMPDIR");
    if (dir == NULL || dir[0] == '\0')
        dir = "/tmp";
    int opened = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (opened < 0)
        opened = temporary_by_name(dir);
    if (opened < 0)
        return fail_errno(error, "cannot make a temporary file in", dir);
    *fd = opened;
    return STAVE_OK;
}

int stave__os_write_at(int fd, const void *data, size_t size, uint64_t offset, stave_error *error)
{
    const char *at = data;
    while (size > 0) {
        ssize_t n = pwrite(fd, at, size, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return fail_errno(error, "cannot write", "");
        at += n;
        offset += (uint64_t)n;
        size -= (size_t)n;
    }
    return STAVE_OK;
}

int stave__os_read_at(int fd, void *data, size_t size, uint64_t offset, stave_error *error)
{
    char *at = data;
    while (size > 0) {
        ssize_t n = pread(fd, at, size, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail_errno(error, "cannot read", "");
        if (n == 0)
            return stave__fail(error, STAVE_E_IO, offset, "the file ends too early");
        at += n;
        offset += (uint64_t)n;
        size -= (size_t)n;
    }
    return STAVE_OK;
}

int stave__os_write(int fd, const char *name, const void *data, size_t size, stave_error *error)
{
    const char *at = data;
    while (size > 0) {
        ssize_t n = write(fd, at, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return fail_errno(error, "cannot write", name);
        at += n;
        size -= (size_t)n;
    }
    return STAVE_OK;
}

/* After open(): a link can be there without its file. */
static int fail_open(stave_error *error, const char *path)
{
    char target[PATH_SHOWN_MAX + 1];
    int reason = errno;
    ssize_t size = reason == ENOENT ? readlink(path, target, sizeof target - 1) : -1;
    errno = reason;
    if (size < 0)
        return fail_errno(error, "cannot open", path);
    target[size] = '\0';
    const char *dots, *end = end_of_path(path, &dots);
    return stave__fail(error, STAVE_E_IO, 0,
                       "cannot open %s%s: it points to %s, which is not there", dots, end, target);
}

int stave__os_open_input(const char *path, int *fd, stave_error *error)
{
    if (strcmp(path, "-") == 0) {
        *fd = dup(STDIN_FILENO);
        return *fd < 0 ? fail_errno(error, "cannot read", "standard input") : STAVE_OK;
    }
    int opened = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (opened < 0)
        return fail_open(error, path);
    if (fstat(opened, &status) == 0 && S_ISDIR(status.st_mode)) {
        close(opened);
        return stave__fail(error, STAVE_E_IO, 0, "%s is a directory; name a file in it", path);
    }
    *fd = opened;
    return STAVE_OK;
}

int stave__os_open_again(int fd, int *again, stave_error *error)
{
    *again = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    return *again < 0 ? fail_errno(error, "cannot read", "the file") : STAVE_OK;
}

struct stave__os_identity stave__os_identify(int fd)
{
    struct stat status;
    if (fstat(fd, &status) != 0)
        return (struct stave__os_identity){0};
    return (struct stave__os_identity){
        .regular = S_ISREG(status.st_mode),
        .device = (uint64_t)status.st_dev,
        .inode = (uint64_t)status.st_ino,
    };
}

bool stave__os_is_same_file(const char *path, const struct stave__os_identity *identity)
{
    struct stat status;
    return stat(path, &status) == 0 && (uint64_t)status.st_dev == identity->device &&
           (uint64_t)status.st_ino == identity->inode;
}

void stave__os_close(int fd)
{
    if (fd >= 0)
        close(fd);
}

bool stave__os_is_there(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0;
}

char *stave__os_real_path(const char *path)
{
    return realpath(path, NULL);
}

_Static_assert(STAVE__OS_PATH_SIZE >= PATH_MAX, "realpath() writes up to PATH_MAX bytes");

int stave__os_find(const char *path, char *real, stave_error *error)
{
    return realpath(path, real) != NULL ? STAVE_OK : fail_errno(error, "cannot find", path);
}

bool stave__os_may_be_regular(const char *path)
{
    struct stat status;
    return stat(path, &status) != 0 || S_ISREG(status.st_mode);
}

uint64_t stave__os_size_of(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? (uint64_t)status.st_size : 0;
}

int stave__os_size(int fd, const char *path, uint64_t *size, stave_error *error)
{
    struct stat status;
    if (fstat(fd, &status) != 0)
        return fail_errno(error, "cannot read", path);
    if (!S_ISREG(status.st_mode))
        return stave__fail(error, STAVE_E_ARGUMENT, 0,
                           "%s is no regular file; save it to one first", path);
    *size = (uint64_t)status.st_size;
    return STAVE_OK;
}

/* ---- output files ---------------------------------------------------------------------------- */

static char *joined(const char *a, const char *b)
{
    size_t size = strlen(a) + strlen(b) + 1;
    char *text = malloc(size);
    if (text != NULL)
        snprintf(text, size, "%s%s", a, b);
    return text;
}

/* The folder of a path, to be freed. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL)
        return joined(".", "");
    size_t size = slash == path ? 1 : (size_t)(slash - path);
    char *folder = joined(path, "");
    if (folder != NULL)
        folder[size] = '\0';
    return folder;
}

static int open_directly(struct stave__os_file *file)
{
    file->direct = true;
    file->fd = open(file->path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    return file->fd;
}

/* Without a name, else under one beside the real one. */
static int open_unnamed(struct stave__os_file *file)
{
    char *folder = folder_of(file->path);
    if (folder == NULL)
        return -1;
    file->fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    free(folder);
    if (file->fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
        return file->fd;
    file->temporary = joined(file->path, ".XXXXXX");
    file->fd = file->temporary != NULL ? mkostemp(file->temporary, O_CLOEXEC) : -1;
    if (file->fd < 0) {
        free(file->temporary);
        file->temporary = NULL;
        return -1;
    }
    mode_t mask = umask(0);
    umask(mask);
    return fchmod(file->fd, 0666 & ~mask) == 0 ? file->fd : -1;
}

/* Locks what is there, so that of two processes that write a file the second is refused. A commit in
 * between puts another file in its place: then it is that one's turn. A file system without locks has
 * none to wait for. */
static int lock_existing(struct stave__os_file *file)
{
    for (unsigned try = 0; try < TRIES_MAX; try++) {
        struct stat locked, named;
        int fd = open(file->path, O_WRONLY | O_CLOEXEC);
        if (fd < 0)
            return -1;
        bool is_taken = flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
        if (!is_taken && fstat(fd, &locked) == 0 && stat(file->path, &named) == 0 &&
            locked.st_dev == named.st_dev && locked.st_ino == named.st_ino) {
            file->lock_fd = fd;
            return 0;
        }
        close(fd);
        if (is_taken)
            break;
    }
    errno = EWOULDBLOCK;
    return -1;
}

/* The file is there: the link is followed, the mode kept. */
static int open_in_place_of(struct stave__os_file *file, mode_t mode)
{
    char *real = realpath(file->path, NULL);
    if (real == NULL)
        return -1;
    free(file->path);
    file->path = real;
    if (lock_existing(file) != 0)
        return -1;
    if (open_unnamed(file) < 0)
        return errno == EACCES || errno == EROFS || errno == EPERM ? open_directly(file) : -1;
    return fchmod(file->fd, mode & 07777) == 0 ? file->fd : -1;
}

static int fail_to_create(struct stave__os_file *file, const char *path, stave_error *error)
{
    int status =
        errno == EWOULDBLOCK ? fail_locked(error, path) : fail_errno(error, "cannot write", path);
    stave__os_discard(file);
    return status;
}

static int create(const char *path, const struct stat *existing, struct stave__os_file *file,
                  stave_error *error)
{
    int fd;
    *file = (struct stave__os_file){.fd = -1, .lock_fd = -1, .path = joined(path, "")};
    if (file->path == NULL)
        return stave__fail_memory(error);
    if (existing == NULL)
        fd = open_unnamed(file);
    else if (S_ISREG(existing->st_mode))
        fd = open_in_place_of(file, existing->st_mode);
    else
        fd = open_directly(file);
    return fd >= 0 ? STAVE_OK : fail_to_create(file, path, error);
}

int stave__os_create(const char *path, struct stave__os_file *file, stave_error *error)
{
    struct stat status;
    if (stat(path, &status) == 0)
        return create(path, &status, file, error);
    if (lstat(path, &status) == 0 && S_ISLNK(status.st_mode))
        return stave__fail(
            error, STAVE_E_IO, 0,
            "%s is a symbolic link that leads nowhere; remove it, or make what it names", path);
    return create(path, NULL, file, error);
}

int stave__os_create_new(const char *path, struct stave__os_file *file, stave_error *error)
{
    return create(path, NULL, file, error);
}

int stave__os_rename_target(struct stave__os_file *file, const char *path, stave_error *error)
{
    char *copy = joined(path, "");
    if (copy == NULL)
        return stave__fail_memory(error);
    free(file->path);
    file->path = copy;
    return STAVE_OK;
}

/* Makes something under a name beside `path` that is free: the name, to be freed, or NULL and errno.
 * `make` fails with EEXIST where a name is taken. */
static char *under_new_name(const char *path, int (*make)(const void *context, const char *name),
                            const void *context)
{
    char suffix[32];
    for (unsigned try = 0; try < TRIES_MAX; try++) {
        snprintf(suffix, sizeof suffix, ".%ld.%u", (long)getpid(), try);
        char *name = joined(path, suffix);
        if (name == NULL || make(context, name) == 0)
            return name;
        free(name);
        if (errno != EEXIST)
            break;
    }
    return NULL;
}

/* Gives the file, which may have no name, a path that is free. Not every file system has links. */
static int take_name(const void *context, const char *path)
{
    const struct stave__os_file *file = context;
    char own[64];
    if (file->temporary != NULL)
        return renameat2(AT_FDCWD, file->temporary, AT_FDCWD, path, RENAME_NOREPLACE);
    snprintf(own, sizeof own, "/proc/self/fd/%d", file->fd);
    return linkat(AT_FDCWD, own, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

/* Gives the file a free name beside its own, unless it has one. */
static int name_it(struct stave__os_file *file)
{
    if (file->temporary == NULL)
        file->temporary = under_new_name(file->path, take_name, file);
    return file->temporary != NULL ? 0 : -1;
}

static void forget_temporary(struct stave__os_file *file)
{
    free(file->temporary);
    file->temporary = NULL;
}

static int give_name(struct stave__os_file *file, bool exclusive, stave_error *error)
{
    if (!exclusive) {
        if (name_it(file) != 0 || rename(file->temporary, file->path) != 0)
            return fail_errno(error, "cannot write", file->path);
    } else {
        if (take_name(file, file->path) != 0)
            return errno == EEXIST ? STAVE_E_STATE : fail_errno(error, "cannot write", file->path);
    }
    forget_temporary(file);
    return STAVE_OK;
}

int stave__os_commit(struct stave__os_file *file, bool exclusive, stave_error *error)
{
    int status = file->direct ? STAVE_OK : give_name(file, exclusive, error);
    if (status < 0)
        return status;
    int fd = file->fd;
    file->fd = -1;
    if (close(fd) != 0)
        status = fail_errno(error, "cannot write", file->path);
    stave__os_discard(file);
    return status;
}

void stave__os_discard(struct stave__os_file *file)
{
    stave__os_close(file->fd);
    if (file->temporary != NULL)
        unlink(file->temporary);
    forget_temporary(file);
    stave__os_close(file->lock_fd); /* not before all is done */
    free(file->path);
    *file = (struct stave__os_file){.fd = -1, .lock_fd = -1};
}

int stave__os_create_growing(const char *path, unsigned permissions, int *fd, stave_error *error)
{
    int opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC, permissions);
    if (opened < 0)
        return fail_errno(error, "cannot write", path);
    int status = STAVE_OK;
    if (!stave__os_identify(opened).regular)
        status = stave__fail(error, STAVE_E_IO, 0, "cannot write %s: it is no regular file", path);
    else if (flock(opened, LOCK_EX | LOCK_NB) != 0)
        status = errno == EWOULDBLOCK ? fail_locked(error, path)
                                      : fail_errno(error, "cannot lock", path);
    else if (ftruncate(opened, 0) != 0)
        status = fail_errno(error, "cannot write", path);
    if (status < 0) {
        close(opened);
        return status;
    }
    *fd = opened;
    return STAVE_OK;
}

int stave__os_make_private(int fd, const char *path, stave_error *error)
{
    struct stat status;
    if (fstat(fd, &status) == 0 && !S_ISREG(status.st_mode))
        return STAVE_OK; /* a device, a pipe: others' too */
    return fchmod(fd, 0600) == 0 ? STAVE_OK : fail_errno(error, "cannot keep to its owner", path);
}

bool stave__os_cut(int fd, uint64_t size)
{
    return lseek(fd, (off_t)size, SEEK_SET) >= 0 && ftruncate(fd, (off_t)size) == 0;
}

int stave__os_rename(const char *from, const char *to, stave_error *error)
{
    return rename(from, to) == 0 ? STAVE_OK : fail_errno(error, "cannot rename", from);
}

void stave__os_remove(const char *path)
{
    unlink(path);
}

static int make_dir(const char *path, stave_error *error)
{
    struct stat status;
    if (mkdir(path, 0777) == 0)
        return STAVE_OK;
    if (errno == EEXIST && stat(path, &status) == 0 && !S_ISDIR(status.st_mode))
        errno = ENOTDIR;
    return errno == EEXIST ? STAVE_OK : fail_errno(error, "cannot make the directory", path);
}

int stave__os_make_dirs(const char *path, stave_error *error)
{
    char *part = joined(path, "");
    if (part == NULL)
        return stave__fail_memory(error);
    int status = STAVE_OK;
    char *slash = part; /* the root, if it is one, is there */
    while (status >= 0 && part[0] != '\0' && (slash = strchr(slash + 1, '/')) != NULL) {
        *slash = '\0';
        status = make_dir(part, error);
        *slash = '/';
    }
    if (status >= 0)
        status = make_dir(part, error);
    free(part);
    return status;
}

static int link_to_target(const void *target, const char *name)
{
    return symlink(target, name);
}

int stave__os_replace_link(const char *path, const char *target, stave_error *error)
{
    struct stat status;
    if (lstat(path, &status) == 0 && !S_ISLNK(status.st_mode))
        return stave__fail(error, STAVE_E_IO, 0,
                           "%s is not a symbolic link and is left as it is; move it away", path);
    char *name = under_new_name(path, link_to_target, target);
    if (name == NULL)
        return errno == ENOMEM ? stave__fail_memory(error)
                               : fail_errno(error, "cannot make the link", path);
    int result = STAVE_OK;
    if (rename(name, path) != 0) {
        result = fail_errno(error, "cannot make the link", path);
        unlink(name);
    }
    free(name);
    return result;
}
