#include "fault/disk.h"

#include <errno.h>
#include <sys/types.h>
#include <unistd.h>

ssize_t __real_write(int fd, const void *data, size_t size);
ssize_t __real_pwrite(int fd, const void *data, size_t size, off_t offset);
ssize_t __real_pread(int fd, void *data, size_t size, off_t offset);
ssize_t __wrap_write(int fd, const void *data, size_t size);
ssize_t __wrap_pwrite(int fd, const void *data, size_t size, off_t offset);
ssize_t __wrap_pread(int fd, void *data, size_t size, off_t offset);

struct calls writes, writes_at, reads;

void disk_let_fail(struct calls *calls, unsigned call, enum way way)
{
    *calls = (struct calls){.fail_at = call, .way = way};
}

/* What happens in the call that begins now. */
static enum way next_way(struct calls *calls)
{
    calls->count++;
    if (calls->way == HALF_REFUSED && calls->count == calls->fail_at + 1)
        return REFUSED;
    if (calls->count != calls->fail_at)
        return WHOLE;
    return calls->way == HALF_REFUSED ? HALF : calls->way;
}

static ssize_t refuse(int reason)
{
    errno = reason;
    return -1;
}

ssize_t __wrap_write(int fd, const void *data, size_t size)
{
    switch (fd > STDERR_FILENO ? next_way(&writes) : WHOLE) {
    case HALF:
        return __real_write(fd, data, (size + 1) / 2);
    case INTERRUPTED:
        return refuse(EINTR);
    case NOTHING:
        return 0;
    case REFUSED:
        return refuse(ENOSPC);
    default:
        return __real_write(fd, data, size);
    }
}

ssize_t __wrap_pwrite(int fd, const void *data, size_t size, off_t offset)
{
    switch (next_way(&writes_at)) {
    case HALF:
        return __real_pwrite(fd, data, (size + 1) / 2, offset);
    case INTERRUPTED:
        return refuse(EINTR);
    case NOTHING:
        return 0;
    case REFUSED:
        return refuse(ENOSPC);
    default:
        return __real_pwrite(fd, data, size, offset);
    }
}

ssize_t __wrap_pread(int fd, void *data, size_t size, off_t offset)
{
    switch (next_way(&reads)) {
    case HALF:
        return __real_pread(fd, data, (size + 1) / 2, offset);
    case INTERRUPTED:
        return refuse(EINTR);
    case NOTHING:
        return 0;
    case REFUSED:
        return refuse(EIO);
    default:
        return __real_pread(fd, data, size, offset);
    }
}
