/* export/format.h - a format: what it does on the way through a trace, and the table of them.
 *
 * A new one is a file with a struct stave__format, a line in STAVE_EXPORT_FORMATS (stave/export.h), and one in the table of
 * export.c.  */
#ifndef STAVE_EXPORT_FORMAT_H
#define STAVE_EXPORT_FORMAT_H

#include "base/out.h"
#include "export/walk.h"

/* What every format's state begins with. */
struct stave__writing {
    struct stave__walk *walk;
    stave_trace *trace;
    struct stave__out *out;
    const char *name; /* what the viewer is to call it */
};

struct stave__format {
    size_t state_size; /* zeroed, but for its struct stave__writing */
    struct stave__visitor visitor;
    bool packed; /* its bytes go through gzip, where that is built in */
    /* Before the walk, and what it may walk by itself. NULL: nothing. */
    int (*open)(void *state, stave_error *error);
    void (*close)(void *state);
};

extern const struct stave__format stave__speedscope_format, stave__chrome_format,
    stave__perfetto_format, stave__folded_format, stave__pprof_format, stave__otlp_format;

/* Levels of a lane: Perfetto drops what is below (kMaxDepth), of its own format and of Chrome's. */
#define STAVE__PERFETTO_DEPTH 512

/* ---- what several say the same way ----------------------------------------------------------- */

/* The place in the source that a span's name has, or an entry's. NULL: none is known. */
struct stave__source {
    const char *file, *function;
    size_t file_size, function_size; /* 0: not known */
    uint32_t line;
};
struct stave__source stave__source_of_name(const stave_trace *trace, uint32_t name);
struct stave__source stave__source_of(const stave_trace *trace, const struct stave__shown *span);

/* What is called as its lane, having no name, is not from where others of that name are. */
static inline bool stave__has_own_name(const struct stave__shown *span)
{
    return span->deeper == 0 && !span->unnamed;
}

/* "failed, interrupted, cut at the start": what is to be known of a span beside its times; "" when nothing is. */
#define STAVE__DOUBTS_MAX 128
size_t stave__doubts_text(const struct stave__shown *span, char text[STAVE__DOUBTS_MAX]);

/* A lane's name, or what it is where it has none; a process's name likewise. */
const char *stave__lane_name_text(const stave_trace *trace, uint32_t lane, size_t *size);
const char *stave__process_name_text(const stave_trace *trace, uint32_t process, size_t *size);

/* Where it stands among all: interrupts first, then tasks, each by priority; then all others as they come. */
uint64_t stave__lane_rank(const stave_trace *trace, uint32_t lane);

/* "task", "interrupt" ... */
const char *stave__lane_kind_text(const stave_lane *lane);

/* What a lane, or a track of it, is called where there is one text for it: "worker (4711)", "worker (4711), overlapping 2";
 * with its process in front where there are several. To be freed; NULL: out of memory. */
char *stave__lane_label(const stave_trace *trace, uint32_t lane, uint32_t track, size_t *size);

/* As for frames of speedscope, pprof and others: "(12 deeper)". */
#define STAVE__DEEPER_MAX 40
size_t stave__deeper_text(uint64_t count, char text[STAVE__DEEPER_MAX]);

/* The name of a link or an attachment. */
const char *stave__link_text(const struct stave__detail *link);

/* What a moment without a name of its own, or a gap, a doubt, is called: "gap: 12 lost (ring full)". To be freed; NULL: out
 * of memory. */
char *stave__moment_label(const stave_trace *trace, uint32_t lane,
                          const struct stave__moment *moment, size_t *size);

#endif
