#include "decode/version.h"

/* What one frame says: a version, or 0. The frame is sound in at least one of the two. */
static uint32_t decide(bool sound1, const struct stave__frame *v1, bool sound2,
                       const struct stave__frame *v2)
{
    if (sound2 && (v2->fields.kind == WIRE_TRACE_START || v2->fields.has_name_id))
        return WIRE_VERSION_2;
    if (sound1 && v1->fields.name != NULL)
        return WIRE_VERSION_1;
    return 0;
}

/* One step in frames; false when more bytes are needed. */
static bool step_frame(struct stave__version_finder *finder, const uint8_t *bytes, size_t size,
                       uint32_t *version)
{
    struct stave__frame v1, v2;
    enum stave__framing r1 = stave__framer_read(WIRE_VERSION_1, bytes, size, &v1);
    enum stave__framing r2 = stave__framer_read(WIRE_VERSION_2, bytes, size, &v2);
    if (r1 == STAVE__INCOMPLETE) /* the prefix says so: it is the same in both */
        return false;
    if (r1 == STAVE__DAMAGE && r2 == STAVE__DAMAGE) {
        finder->searching = true;
        finder->at++;
        return true;
    }
    *version = decide(r1 == STAVE__FRAME, &v1, r2 == STAVE__FRAME, &v2);
    if (!finder->framed)
        finder->first = finder->at;
    finder->framed = true;
    finder->at += r1 == STAVE__FRAME ? v1.size : v2.size;
    return true;
}

/* One step in damage; false when more bytes are needed. */
static bool step_search(struct stave__version_finder *finder, const uint8_t *bytes, size_t size,
                        bool final)
{
    enum stave__framing r1 = stave__framer_try(WIRE_VERSION_1, bytes, size, final);
    enum stave__framing r2 = stave__framer_try(WIRE_VERSION_2, bytes, size, final);
    if (r1 == STAVE__FRAME || r2 == STAVE__FRAME) {
        finder->searching = false;
        return true;
    }
    if (r1 == STAVE__MORE || r2 == STAVE__MORE)
        return false;
    finder->at++;
    return true;
}

uint32_t stave__version_find(struct stave__version_finder *finder, const uint8_t *bytes,
                             size_t size, bool final)
{
    uint32_t version = 0;
    while (version == 0 && finder->at < size) {
        const uint8_t *at = bytes + finder->at;
        size_t left = size - finder->at;
        bool moved = finder->searching ? step_search(finder, at, left, final)
                                       : step_frame(finder, at, left, &version);
        if (!moved)
            break;
    }
    return version == 0 && final ? WIRE_VERSION_2 : version;
}

size_t stave__version_useless(struct stave__version_finder *finder)
{
    size_t useless = finder->framed ? finder->first : finder->searching ? finder->at : 0;
    finder->at -= useless;
    finder->first = 0;
    return useless;
}
