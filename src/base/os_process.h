/* base/os_process.h - what a recorder asks of the operating system: memory, threads, clocks. With os.h, all that
 * differs between systems. */
#ifndef STAVE_BASE_OS_PROCESS_H
#define STAVE_BASE_OS_PROCESS_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stave/status.h"

/* ---- memory: whole pages, zero --------------------------------------------------------------- */

/* Address space that becomes memory where it is written to. NULL: there is none. */
void *stave__os_reserve(size_t size);

/* Memory that is there at once. NULL: there is none. */
void *stave__os_take(size_t size);

/* Makes it address space again, of zeros. */
void stave__os_forget(void *memory, size_t size);
void stave__os_unmap(void *memory, size_t size); /* NULL: nothing */

/* ---- threads --------------------------------------------------------------------------------- */

/* The system's number of the calling thread, and of the process. */
uint64_t stave__os_thread_number(void);
uint64_t stave__os_process_number(void);

/* What pthread_setname_np() called it, or the program's name. */
#define STAVE__OS_THREAD_NAME_SIZE 16
void stave__os_thread_name(char name[STAVE__OS_THREAD_NAME_SIZE]);

/* A thread that takes no signals, and is called `name`. */
int stave__os_start_thread(pthread_t *thread, const char *name, void *(*run)(void *), void *context,
                           stave_error *error);

/* Of the calling thread: writing beyond a file's limit, or to a pipe that nobody reads, is an error of the write; what is
 * sent for it in between is taken away. */
struct stave__os_signals {
    sigset_t before, pending;
};

void stave__os_hold_write_signals(struct stave__os_signals *signals);
void stave__os_release_write_signals(const struct stave__os_signals *signals);

/* Whether no thread is left but the calling one: the first has ended by pthread_exit(3), and all others too. */
bool stave__os_is_last_thread(void);

/* A variable of the environment; NULL: there is none, or the program runs with others' rights. */
const char *stave__os_environment(const char *name);

/* ---- clocks: nanoseconds --------------------------------------------------------------------- */

int64_t stave__os_monotonic_ns(void);
int64_t stave__os_realtime_ns(void); /* since 1970 */
int64_t stave__os_cpu_ns(void);      /* that all threads of the process have run */

#endif
