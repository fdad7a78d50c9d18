#define _GNU_SOURCE /* MAP_POPULATE, MAP_NORESERVE, MADV_DONTNEED, pthread_getname_np, secure_getenv */
#include "base/os_process.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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
