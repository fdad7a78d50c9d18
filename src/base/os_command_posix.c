#define _GNU_SOURCE /* ppoll */
#include "base/os_command.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"

/* State of the process, not of the library: only the command reads streams. */
static volatile sig_atomic_t interrupted;
static bool catching;
static sigset_t usual_mask;

static void on_interrupt(int signal_number)
{
    interrupted = 1;
    signal(signal_number, SIG_DFL);
}

static void handle(int signal_number, void (*handler)(int))
{
    struct sigaction old, action = {.sa_handler = handler};
    if (sigaction(signal_number, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        sigaction(signal_number, &action, NULL);
}

/* Interrupts come through only while a read waits, so that none slips in just before it. */
void stave__os_catch_interrupts(bool on)
{
    sigset_t both;
    sigemptyset(&both);
    sigaddset(&both, SIGINT);
    sigaddset(&both, SIGTERM);
    if (on)
        sigprocmask(SIG_BLOCK, &both, &usual_mask);
    handle(SIGINT, on ? on_interrupt : SIG_DFL);
    handle(SIGTERM, on ? on_interrupt : SIG_DFL);
    if (!on)
        sigprocmask(SIG_SETMASK, &usual_mask, NULL);
    catching = on;
}

void stave__os_refuse_by_error(void)
{
    signal(SIGXFSZ, SIG_IGN);
}

bool stave__os_was_interrupted(void)
{
    return interrupted != 0;
}

/* Where bytes are always there, no wait lets an interrupt through. A second one ends the process. */
static void let_interrupts_through(void)
{
    sigset_t blocked;
    sigprocmask(SIG_SETMASK, &usual_mask, &blocked);
    if (!interrupted)
        sigprocmask(SIG_SETMASK, &blocked, NULL);
}

int64_t stave__os_read(int fd, void *data, size_t size, stave_error *error)
{
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    for (;;) {
        if (catching) {
            ppoll(&wait, 1, NULL, &usual_mask);
            let_interrupts_through();
        }
        if (interrupted)
            return 0;
        ssize_t n = read(fd, data, size);
        if (n >= 0)
            return n;
        if (errno != EINTR)
            return stave__fail(error, STAVE_E_IO, 0, "cannot read: %s", strerror(errno));
    }
}

bool stave__os_has_bytes(int fd)
{
    struct pollfd now = {.fd = fd, .events = POLLIN};
    return poll(&now, 1, 0) > 0;
}

int64_t stave__os_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int stave__os_terminal_width(int fd)
{
    struct winsize size;
    if (!isatty(fd))
        return 0;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}
