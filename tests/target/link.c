#include "link.h"
#include "board.h"
#include "model.h"

#include <stdlib.h>
#include <string.h>

void link_reset(struct link *link)
{
    uint8_t *bytes = link->bytes;
    size_t size = link->size;
    *link = (struct link){.bytes = bytes, .size = size, .room = LINK_ANY, .at_a_time = LINK_ANY};
}

void link_free(struct link *link)
{
    free(link->bytes);
    *link = (struct link){0};
}

bool link_is_half(const struct link *link)
{
    return link->frame != link->count;
}

/* No field but those of its kind, each as short as it can be: as the general encoder makes it. */
static void check_bytes(const uint8_t *bytes, size_t size, const struct wire_frame *frame)
{
    uint8_t again[WIRE_FRAME_MAX];
    struct wire_frame only = {
        .kind = frame->kind, .sequence = frame->sequence, .ticks = frame->ticks};
    if (frame->kind == WIRE_TRACE_START) {
        only.timebase = frame->timebase;
        only.hz = frame->hz;
        only.source_mask = frame->source_mask;
    } else {
        only.name_id = frame->name_id;
    }
    if (frame->kind == WIRE_NAME_REGISTERED) {
        only.name = frame->name;
        only.name_size = frame->name_size;
        only.source = frame->source;
        only.priority = frame->priority;
        only.has_deadline = frame->has_deadline;
        only.deadline_ms = frame->deadline_ms;
    } else if (frame->kind == WIRE_MARKER) {
        only.has_value = frame->has_value;
        only.value = frame->value;
    }
    CHECK_SAME(stave__wire_frame_encode(WIRE_VERSION_2, &only, again), size);
    CHECK(memcmp(again, bytes, size) == 0);
}

static void count_dictionary(struct link *link, const struct wire_frame *frame, size_t size)
{
    if (frame->kind != WIRE_TRACE_START && frame->kind != WIRE_NAME_REGISTERED)
        return;
    link->dictionary_bytes += size;
    link->headers += frame->kind == WIRE_TRACE_START;
    link->names += frame->kind == WIRE_NAME_REGISTERED;
}

static void take_frame(struct link *link, size_t size)
{
    const uint8_t *bytes = link->bytes + link->frame;
    struct wire_frame frame;
    CHECK(stave__wire_frame_decode(WIRE_VERSION_2, bytes + 1, size - 1, &frame) == WIRE_SOUND);
    check_bytes(bytes, size, &frame);

    bool absolute = frame.kind == WIRE_TRACE_START || frame.kind == WIRE_NAME_REGISTERED;
    link->ticks = absolute ? (uint64_t)frame.ticks : link->ticks + (uint64_t)frame.ticks;
    count_dictionary(link, &frame, size);
    link->frames++;
    model_sent(&frame, link->ticks);
}

static void append(struct link *link, const uint8_t *bytes, size_t size)
{
    if (link->count + size > link->size) {
        link->size = 2 * link->size + 4096;
        link->bytes = realloc(link->bytes, link->size);
        CHECK(link->bytes != NULL);
    }
    memcpy(link->bytes + link->count, bytes, size);
    link->count += size;
    for (size_t whole; link->frame < link->count; link->frame += whole) {
        whole = 1u + link->bytes[link->frame];
        if (link->frame + whole > link->count)
            break;
        bool run_before = model.half_sent;
        take_frame(link, whole);
        if (run_before)
            link->run = link->frame + whole;
    }
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t link_write(void *context, const uint8_t *bytes, size_t size)
{
    struct link *link = context;
    CHECK(!board.locked);
    CHECK(size >= 1 && size <= 64);
    board_point();
    link->calls++;
    if (link->most < size)
        link->most = (uint32_t)size;
    size_t taken = least(size, least(link->room, link->at_a_time));
    if (link->whole && taken < size)
        taken = 0;
    if (link->room != LINK_ANY)
        link->room -= taken;
    link->refused += taken == 0;
    append(link, bytes, taken);
    board_point();
    return link->lies && taken == size ? SIZE_MAX : taken;
}
