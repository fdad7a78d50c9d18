/* disk.h - a disk whose n-th call fails, in one of several ways: linked into every fault test in place of
 * write, pwrite and pread. What goes to the standard streams is let through. */
#ifndef STAVE_TEST_FAULT_DISK_H
#define STAVE_TEST_FAULT_DISK_H

enum way {
    WHOLE,
    HALF,        /* half of the bytes, then the rest */
    INTERRUPTED, /* EINTR, then all is well */
    NOTHING,     /* 0 bytes: the end of the file, or a disk that takes no more */
    REFUSED,     /* ENOSPC, EIO */
    HALF_REFUSED /* half of the bytes, then REFUSED */
};

struct calls {
    unsigned count;
    unsigned fail_at;
    enum way way;
};

extern struct calls writes;    /* write(2) */
extern struct calls writes_at; /* pwrite(2) */
extern struct calls reads;     /* pread(2) */

/* Counts calls from here on. */
void disk_let_fail(struct calls *calls, unsigned call, enum way way);

#endif
