/* stave/status.h - results, errors and sinks: what every other header builds on.
 *
 *     stave_error error = {0};
 *     if (stave_decoder_feed(decoder, bytes, size, &error) < 0)
 *         fprintf(stderr, "%s: %s\n", stave_status_text(error.status), error.message);
 *
 * Results    A function that can fail returns a stave_status: STAVE_OK or more on success, a
 *            negative value of the table below on failure. Results are set on success only.
 * Errors     The error argument comes last and may be NULL. It is the caller's; the first error
 *            sticks: a call that is given an error already set leaves it as it is.
 * Sinks      Output goes through a stave_sink, so that it can reach a file, a socket or memory.
 * Configs    A function that takes a config struct is a macro over NAME_sized(config,
 *            sizeof *config, ...). Structs grow at the end only; what an older caller's struct lacks
 *            counts as zero, and zero is the default of every field. A struct larger than the
 *            library knows is refused (STAVE_E_ARGUMENT) unless the bytes beyond are zero.
 * Threads    Everything here is safe from any thread.  */
#ifndef STAVE_STATUS_H
#define STAVE_STATUS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STAVE_VERSION_MAJOR 0
#define STAVE_VERSION_MINOR 1
#define STAVE_VERSION_PATCH 0
#define STAVE_VERSION "0.1.0"

#if defined(__GNUC__)
#define STAVE_API __attribute__((visibility("default")))
#else
#define STAVE_API
#endif

/* name, value, text */
#define STAVE_STATUS_TABLE(X)                                                                      \
    X(STAVE_OK, 0, "ok")                                                                           \
    X(STAVE_E_MEMORY, -1, "out of memory")                                                         \
    X(STAVE_E_IO, -2, "input or output failed")                                                    \
    X(STAVE_E_ARGUMENT, -3, "argument not valid")                                                  \
    X(STAVE_E_STATE, -4, "not possible in this state")                                             \
    X(STAVE_E_FORMAT, -5, "not in the format expected")                                            \
    X(STAVE_E_LIMIT, -6, "a limit is reached")                                                     \
    X(STAVE_E_NOTHING, -7, "nothing to do")

typedef enum stave_status {
#define STAVE_STATUS_ENUM(name, value, text) name = value,
    STAVE_STATUS_TABLE(STAVE_STATUS_ENUM)
#undef STAVE_STATUS_ENUM
} stave_status;

/* What went wrong, and where. All zero means no error. */
typedef struct stave_error {
    int status;        /* a stave_status */
    uint64_t offset;   /* bytes from the start of the input; 0 where there is no input */
    char message[240]; /* one sentence without a newline, ends in NUL */
} stave_error;

/* Text of a status, never NULL; static storage. */
STAVE_API const char *stave_status_text(int status);

/* The version of the library that is linked, "MAJOR.MINOR.PATCH". */
STAVE_API const char *stave_version(void);

/* Where output goes. `write` takes all `size` bytes or fails with a negative stave_status; it is
 * called on the thread of the function that was given the sink. */
typedef struct stave_sink {
    int (*write)(void *context, const void *data, size_t size);
    void *context;
} stave_sink;

/* How far long work is: called now and then on the thread that does it, `done` of `total` (0: not
 * known). `report` may be NULL. */
typedef struct stave_progress {
    void (*report)(void *context, uint64_t done, uint64_t total);
    void *context;
} stave_progress;

#ifdef __cplusplus
}
#endif

#endif
