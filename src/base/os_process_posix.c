#define _GNU_SOURCE /* MAP_POPULATE, MAP_NORESERVE, MADV_DONTNEED, pthread_getname_np, secure_getenv */
#include "base/os_process.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"

static void *map(size_t size, int flags)
{
    void *memory =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
    return memory != MAP_FAILED ? memory : NULL;
}

void *stave__os_reserve(size_t size)
{
    return map(size, MAP_NORESERVE);
}

void *stave__os_take(size_t size)
{
    return map(size, MAP_POPULATE);
}

void stave__os_forget(void *memory, size_t size)
{
    madvise(memory, size, MADV_DONTNEED);
}

void stave__os_unmap(void *memory, size_t size)
{
    if (memory != NULL)
        munmap(memory, size);
}

uint64_t stave__os_thread_number(void)
{
    return (uint64_t)syscall(SYS_gettid);
}

uint64_t stave__os_process_number(void)
{
    return (uint64_t)getpid();
}

void stave__os_thread_name(char name[STAVE__OS_THREAD_NAME_SIZE])
{
    if (pthread_getname_np(pthread_self(), name, STAVE__OS_THREAD_NAME_SIZE) != 0)
        name[0] = '\0';
}

int stave__os_start_thread(pthread_t *thread, const char *name, void *(*run)(void *), void *context,
                           stave_error *error)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int reason = pthread_create(thread, NULL, run, context);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (reason != 0)
        return stave__fail(error, STAVE_E_MEMORY, 0, "no thread could be started: %s",
                           strerror(reason));
    pthread_setname_np(*thread, name);
    return STAVE_OK;
}

static void write_signals(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGXFSZ);
    sigaddset(set, SIGPIPE);
}

void stave__os_hold_write_signals(struct stave__os_signals *signals)
{
    sigset_t held;
    write_signals(&held);
    sigpending(&signals->pending);
    pthread_sigmask(SIG_BLOCK, &held, &signals->before);
}

void stave__os_release_write_signals(const struct stave__os_signals *signals)
{
    static const int numbers[] = {SIGXFSZ, SIGPIPE};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        sigset_t one;
        sigemptyset(&one);
        sigaddset(&one, numbers[i]);
        if (sigismember(&signals->pending, numbers[i]) == 0)
            sigtimedwait(&one, NULL, &(struct timespec){0});
    }
    pthread_sigmask(SIG_SETMASK, &signals->before, NULL);
}

/* A first thread that has ended stays, as a zombie, until all others have. */
static bool is_first_thread_gone(void)
{
    char text[256];
    int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    ssize_t size = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0)
        close(fd);
    text[size > 0 ? size : 0] = '\0';
    const char *name_end = strrchr(text, ')');
    return name_end != NULL && strncmp(name_end, ") Z", 3) == 0;
}

bool stave__os_is_last_thread(void)
{
    struct stat tasks;
    /* A link for each thread, and two. */
    return stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink == 4 && is_first_thread_gone();
}

const char *stave__os_environment(const char *name)
{
    return secure_getenv(name);
}

static int64_t read_ns(clockid_t id)
{
    struct timespec now;
    clock_gettime(id, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t stave__os_monotonic_ns(void)
{
    return read_ns(CLOCK_MONOTONIC);
}

int64_t stave__os_realtime_ns(void)
{
    return read_ns(CLOCK_REALTIME);
}

int64_t stave__os_cpu_ns(void)
{
    return read_ns(CLOCK_PROCESS_CPUTIME_ID);
}
