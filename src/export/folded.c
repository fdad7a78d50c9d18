/* Folded stacks: a line for each call path, its self time in nanoseconds behind it.
 *
 * Rules of those who read it: the path is all up to the last space, its names are parted by ';'; the number is a whole one
 * (speedscope, Perfetto), above 0 (Perfetto); a line that begins with '#' is a comment (Perfetto). So these do not stand in
 * names. Lanes are not in it, nor flags: the format has no place for them. */
#include <stdlib.h>
#include <string.h>

#include "base/shortest.h"
#include "export/path_walk.h"
#include "export/json_text.h"
#include "trace/trace.h"

/* A frame: string id; or how many are deeper. */
#define DEEPER ((uint64_t)1 << 63)

struct state {
    struct stave__writing writing;
    struct stave__path_walk walk;
    uint32_t *firsts; /* by string id: the first with the same text plus 1; 0: not looked for yet */
    char **names;     /* by string id, cleaned; NULL: not yet */
    uint32_t *sizes;
    uint64_t frames[STAVE__PATH_DEPTH];
};

/* ---- names ----------------------------------------------------------------------------------- */

/* U+2028 and U+2029: for speedscope's expression a line ends there. */
static bool ends_line(const char *text, size_t size)
{
    return size >= 3 && memcmp(text, "\xe2\x80", 2) == 0 &&
           (text[2] == '\xa8' || text[2] == '\xa9');
}

static size_t fold(char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (text[i] == ';')
            text[i] = ':';
        else if ((unsigned char)text[i] < 0x20)
            text[i] = ' ';
        else if (ends_line(text + i, size - i))
            memcpy(text + i, "   ", 3);
    }
    if (size > 0 && text[0] == '#')
        text[0] = '_';
    return size;
}

static int clean_name(struct state *state, uint32_t id)
{
    static const char none[] = "(no name)";
    size_t size;
    const char *text = stave_trace_string(state->writing.trace, id, &size);
    char *clean = malloc(3 * size + sizeof none);
    if (clean == NULL)
        return STAVE_E_MEMORY;
    size = fold(clean, stave__utf8_clean(text, size, clean));
    if (size == 0) {
        memcpy(clean, none, sizeof none);
        size = sizeof none - 1;
    }
    state->names[id] = clean;
    state->sizes[id] = (uint32_t)size;
    return STAVE_OK;
}

/* Which of the places of a name it is has no place here. */
static uint32_t frame_of(struct state *state, uint32_t name)
{
    uint32_t *first = &state->firsts[name];
    if (*first == 0)
        *first = stave__trace_first_alike(state->writing.trace, name) + 1;
    return *first - 1;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static int put_frame(struct state *state, uint64_t frame)
{
    char text[STAVE__DEEPER_MAX];
    if (frame & DEEPER) {
        stave__out_bytes(state->writing.out, text, stave__deeper_text(frame & ~DEEPER, text));
        return STAVE_OK;
    }
    uint32_t id = (uint32_t)frame;
    int status = state->names[id] == NULL ? clean_name(state, id) : STAVE_OK;
    if (status >= 0)
        stave__out_bytes(state->writing.out, state->names[id], state->sizes[id]);
    return status;
}

static int put_path(void *context, const struct stave__path *path)
{
    struct state *state = context;
    struct stave__out *out = state->writing.out;
    int status = STAVE_OK;
    if (path->self == 0)
        return STAVE_OK;
    stave__path_frames(&state->walk, path, state->frames);
    for (uint32_t i = 0; i < path->depth && status >= 0; i++) {
        if (i > 0)
            stave__out_text(out, ";");
        status = put_frame(state, state->frames[i]);
    }
    stave__out_text(out, " ");
    stave__json_u64(out, path->self);
    stave__out_text(out, "\n");
    return status;
}

/* ---- spans ----------------------------------------------------------------------------------- */

static int begin(void *context, struct stave__walk *walk)
{
    struct state *state = context;
    size_t strings = (size_t)stave_trace_strings(walk->trace) + 1;
    state->firsts = calloc(strings, sizeof *state->firsts);
    state->names = calloc(strings, sizeof *state->names);
    state->sizes = calloc(strings, sizeof *state->sizes);
    bool begun = stave__path_walk_begin(&state->walk, put_path);
    return begun && state->firsts != NULL && state->names != NULL && state->sizes != NULL
               ? STAVE_OK
               : STAVE_E_MEMORY;
}

static int enter(void *context, const struct stave__shown *span, const struct stave__shown *parent)
{
    struct state *state = context;
    (void)parent;
    return stave__path_walk_enter(&state->walk, state,
                                  span->deeper != 0 ? DEEPER | span->deeper
                                                    : frame_of(state, span->name));
}

static int leave(void *context, const struct stave__shown *span, const struct stave__shown *parent)
{
    struct state *state = context;
    (void)parent;
    stave__path_walk_leave(&state->walk, span->self, 1);
    return STAVE_OK;
}

static int end(void *context)
{
    struct state *state = context;
    return stave__path_walk_flush(&state->walk, state);
}

static void close_state(void *context)
{
    struct state *state = context;
    for (uint32_t i = 0; state->names != NULL && i < stave_trace_strings(state->writing.trace); i++)
        free(state->names[i]);
    free(state->firsts);
    free(state->names);
    free(state->sizes);
    stave__path_walk_free(&state->walk);
}

const struct stave__format stave__folded_format = {
    .state_size = sizeof(struct state),
    .visitor = {.depth_max = STAVE__PATH_DEPTH - 1,
                .begin = begin,
                .enter = enter,
                .leave = leave,
                .end = end},
    .close = close_state,
};
