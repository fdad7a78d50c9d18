#define _GNU_SOURCE /* O_TMPFILE, mkostemp */
#include "base/os.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

static int fail_errno(stave_error *error, const char *what, const char *path)
{
    return stave__fail(error, STAVE_E_IO, 0, "%s%s%s: %s", what, path[0] != '\0' ? " " : "", path,
                       strerror(errno));
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

int stave__os_write(int fd, const void *data, size_t size, stave_error *error)
{
    const char *at = data;
    while (size > 0) {
        ssize_t n = write(fd, at, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return fail_errno(error, "cannot write", "");
        at += n;
        size -= (size_t)n;
    }
    return STAVE_OK;
}

int64_t stave__os_read(int fd, void *data, size_t size, stave_error *error)
{
    for (;;) {
        ssize_t n = read(fd, data, size);
        if (n >= 0)
            return n;
        if (errno != EINTR)
            return fail_errno(error, "cannot read", "");
    }
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
        return fail_errno(error, "cannot open", path);
    if (fstat(opened, &status) == 0 && S_ISDIR(status.st_mode)) {
        close(opened);
        return stave__fail(error, STAVE_E_IO, 0, "%s is a directory; name a file in it", path);
    }
    *fd = opened;
    return STAVE_OK;
}

void stave__os_close(int fd)
{
    if (fd >= 0)
        close(fd);
}

/* ---- output files ------------------------------------------------------------------------------ */

static char *joined(const char *a, const char *b)
{
    size_t size = strlen(a) + strlen(b) + 1;
    char *text = malloc(size);
    if (text != NULL)
        snprintf(text, size, "%s%s", a, b);
    return text;
}

/* The mode that creating a file in the usual way would give. */
static mode_t usual_mode(void)
{
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

static int create_directly(struct stave__os_file *file, stave_error *error)
{
    free(file->temporary);
    file->temporary = NULL;
    file->fd = open(file->path, O_WRONLY | O_CLOEXEC);
    return file->fd < 0 ? fail_errno(error, "cannot write", file->path) : STAVE_OK;
}

static int create_beside(struct stave__os_file *file, stave_error *error)
{
    file->fd = mkostemp(file->temporary, O_CLOEXEC);
    if (file->fd < 0) {
        free(file->temporary);
        file->temporary = NULL;
        return fail_errno(error, "cannot write", file->path);
    }
    fchmod(file->fd, usual_mode());
    return STAVE_OK;
}

int stave__os_create(const char *path, struct stave__os_file *file, stave_error *error)
{
    struct stat status;
    *file = (struct stave__os_file){
        .fd = -1, .path = joined(path, ""), .temporary = joined(path, ".XXXXXX")};
    int result;
    if (file->path == NULL || file->temporary == NULL) {
        free(file->temporary);
        file->temporary = NULL;
        result = stave__fail_memory(error);
    } else if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
        result = create_directly(file, error);
    } else {
        result = create_beside(file, error);
    }
    if (result < 0)
        stave__os_discard(file);
    return result;
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

static int give_name(struct stave__os_file *file, bool exclusive, stave_error *error)
{
    if (!exclusive) {
        if (rename(file->temporary, file->path) != 0)
            return fail_errno(error, "cannot write", file->path);
    } else {
        if (link(file->temporary, file->path) != 0)
            return errno == EEXIST ? STAVE_E_STATE : fail_errno(error, "cannot write", file->path);
        unlink(file->temporary);
    }
    free(file->temporary);
    file->temporary = NULL;
    return STAVE_OK;
}

int stave__os_commit(struct stave__os_file *file, bool exclusive, stave_error *error)
{
    int status = file->temporary != NULL ? give_name(file, exclusive, error) : STAVE_OK;
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
    free(file->temporary);
    free(file->path);
    *file = (struct stave__os_file){.fd = -1};
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

/* A symbolic link under a name that was free. */
static int link_under_new_name(const char *path, const char *target, char **name,
                               stave_error *error)
{
    char suffix[32];
    for (unsigned try = 0; try < 1000; try++) {
        snprintf(suffix, sizeof suffix, ".%ld.%u", (long)getpid(), try);
        *name = joined(path, suffix);
        if (*name == NULL)
            return stave__fail_memory(error);
        if (symlink(target, *name) == 0)
            return STAVE_OK;
        free(*name);
        *name = NULL;
        if (errno != EEXIST)
            break;
    }
    return fail_errno(error, "cannot make the link", path);
}

int stave__os_replace_link(const char *path, const char *target, stave_error *error)
{
    struct stat status;
    if (lstat(path, &status) == 0 && !S_ISLNK(status.st_mode))
        return stave__fail(error, STAVE_E_IO, 0,
                           "%s is not a symbolic link and is left as it is; move it away", path);
    char *name = NULL;
    int result = link_under_new_name(path, target, &name, error);
    if (name == NULL)
        return result;
    if (rename(name, path) != 0) {
        result = fail_errno(error, "cannot make the link", path);
        unlink(name);
    }
    free(name);
    return result;
}

int stave__os_terminal_width(int fd)
{
    struct winsize size;
    if (!isatty(fd))
        return 0;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}
