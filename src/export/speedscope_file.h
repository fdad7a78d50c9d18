/* export/speedscope_file.h - speedscope's own format: frames, and evented profiles over them.
 *
 *     stave__speedscope_begin(&file, out, "run", 3);
 *     stave__speedscope_frame(&file, &key, &frame)                // the same for the same name, file, line
 *     stave__speedscope_profile(&file);
 *     stave__speedscope_open(&file, frame, at);
 *     stave__speedscope_close(&file, frame, at);
 *     stave__speedscope_profile_end(&file, name, size, start);
 *     stave__speedscope_end(&file);
 *
 * Rules of speedscope 1.25.0 that are obeyed here: `at` is a number and never descends; what closes is what was opened last,
 * by the frame's index, and all is closed at the end; the unit is one that it knows; a profile is longer than 0; there is at
 * least one profile; a frame has a name that is a text. Frames and a profile's name come behind what uses them, which
 * JSON does not mind: so a name can say what was met. Depth is the caller's: STAVE__SPEEDSCOPE_DEPTH.  */
#ifndef STAVE_EXPORT_SPEEDSCOPE_FILE_H
#define STAVE_EXPORT_SPEEDSCOPE_FILE_H

#include "base/out.h"
#include "base/strings.h"

/* Levels: at 5,000 its own recursion ends it, in some browsers earlier. */
#define STAVE__SPEEDSCOPE_DEPTH 2000u

struct stave__speedscope_key {
    const char *name, *file; /* bytes of any value; no file: size 0 */
    size_t name_size, file_size;
    uint32_t line; /* 0: none */
};

struct stave__speedscope {
    struct stave__out *out;
    struct stave__strings frames; /* a frame's number is its string's, less 1 */
    char *key;                    /* scratch */
    size_t key_room;
    uint32_t profiles;
    bool first;    /* no event yet in this profile */
    uint64_t last; /* event's time in it */
};

/* STAVE_E_MEMORY. */
int stave__speedscope_begin(struct stave__speedscope *file, struct stave__out *out,
                            const char *name, size_t size);
/* STAVE_E_MEMORY, STAVE_E_LIMIT. */
int stave__speedscope_frame(struct stave__speedscope *file, const struct stave__speedscope_key *key,
                            uint32_t *frame);
/* "(12 deeper)" */
int stave__speedscope_deeper(struct stave__speedscope *file, uint64_t count, uint32_t *frame);

void stave__speedscope_profile(struct stave__speedscope *file);
void stave__speedscope_open(struct stave__speedscope *file, uint32_t frame, uint64_t at);
void stave__speedscope_close(struct stave__speedscope *file, uint32_t frame, uint64_t at);
void stave__speedscope_profile_end(struct stave__speedscope *file, const char *name, size_t size,
                                   uint64_t start);
/* Frames; and where there is no profile, one that says so. `active`: which one is shown first, from 0. */
void stave__speedscope_end(struct stave__speedscope *file, uint32_t active);
void stave__speedscope_free(struct stave__speedscope *file);

#endif
