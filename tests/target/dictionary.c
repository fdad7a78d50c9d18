#include "dictionary.h"

#include <string.h>

struct dictionary_seen seen;

/* 32 bytes of text and a deadline: as long as they can be. */
static const struct stave_target_name *long_name(uint32_t index)
{
    static char texts[DICTIONARY_NAMES][32];
    static uint8_t numbers[DICTIONARY_NAMES];
    static struct stave_target_name names[DICTIONARY_NAMES];
    if (names[index].text != NULL && model.names_count != 0)
        return &names[index];
    memset(texts[index], 'a' + (int)index % 26, sizeof texts[index]);
    numbers[index] = 0;
    names[index] = (struct stave_target_name){.text = texts[index],
                                              .number = &numbers[index],
                                              .size = 32,
                                              .source = STAVE_TARGET_SOURCE_TASK,
                                              .priority = 200,
                                              .has_deadline = true,
                                              .deadline_ms = 10};
    return &names[index];
}

void dictionary_look(size_t from)
{
    seen.count = seen.headers = seen.names = 0;
    seen.bytes = seen.largest = 0;
    uint64_t clock = 0;
    for (size_t at = 0; at < link_a.count; at += 1u + link_a.bytes[at]) {
        struct wire_frame frame;
        size_t size = 1u + link_a.bytes[at];
        CHECK(stave__wire_frame_decode(WIRE_VERSION_2, link_a.bytes + at + 1, size - 1, &frame) ==
              WIRE_SOUND);
        clock = frame.kind > WIRE_MARKER ? (uint64_t)frame.ticks : clock + (uint64_t)frame.ticks;
        if (at < from || frame.kind <= WIRE_MARKER)
            continue;
        CHECK(seen.count < DICTIONARY_MAX);
        seen.frames[seen.count++] = (struct dictionary_frame){clock, size, at, frame.name_id};
        seen.headers += frame.kind == WIRE_TRACE_START;
        seen.names += frame.kind == WIRE_NAME_REGISTERED;
        seen.bytes += size;
        seen.largest = size > seen.largest ? size : seen.largest;
    }
}

/* `names` of them; then a poll each `poll_us`, and a mark each 10 ms, for so many seconds. The link
 * carries what it is said to. */
void dictionary_simulate(uint32_t hz, uint32_t names, bool longest, uint32_t poll_us,
                         uint32_t seconds)
{
    uint64_t second = hz != 0 ? hz : 1000000000, begin = board.now;
    simulation_start(&link_a, hz, false);
    for (uint32_t i = 0; i < names; i++)
        do_mark(longest ? long_name(i) : name_of(i));
    do_poll(1);
    size_t from = link_a.count;
    for (uint64_t us = 0; us < UINT64_C(1000000) * seconds; us += poll_us) {
        board.now = begin + us * second / 1000000;
        if (us % 10000 == 0)
            do_mark(longest ? long_name(0) : name_of(0));
        link_a.room = from + us * STAVE_TARGET_LINK_BYTES / 1000000 - link_a.count;
        if (from + us * STAVE_TARGET_LINK_BYTES / 1000000 < link_a.count)
            link_a.room = 0;
        do_poll(1);
    }
    simulation_end(&link_a);
    dictionary_look(from);
}
