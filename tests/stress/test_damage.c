/* test_damage.c - one byte of a stream is damaged: each byte in turn, each of its bits, all of them,
 * dropped, doubled. The project decodes what is left as the reference does, and is soon in step.
 *
 * Back in step: of the frames behind the damaged one, at most two are not found. By the rules of the
 * format there are two exceptions, and the test holds that there is no third:
 *
 *   - Near the end of the stream the damage can make something look like a frame that is not all
 *     there (rule 1), so that up to a frame's length is taken for a cut tail.
 *   - A frame whose damaged number is another within 64 takes that number; the frame that it belongs
 *     to comes up to 64 frames later and is found, but dropped as a duplicate (rule 4). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "project.h"

#ifdef STAVE_SLOWED
#define STEP 3 /* bytes: some of each frame, of other places in each */
#else
#define STEP 1
#endif

enum { FRAMES = 200, WAYS = 11, FRAME_MAX = 130 };

/* Ways 0 to 7 flip that bit. */
enum { FLIP_ALL = 8, DROP = 9, DOUBLE = 10 };

struct stream {
    unsigned char *bytes;
    size_t size;
    struct reference_frame *frames;
    size_t frame_count;
    struct reference_counters counters;
    char *csv;
};

static struct stream plain;

struct tally {
    unsigned damages, noticed, changed;
    unsigned missed[4];    /* frames behind the damaged one that are not found: 0, 1, 2, more */
    unsigned number_taken; /* a later frame was dropped as a duplicate */
};

static void read_frames(struct stream *stream)
{
    size_t count;
    struct reference_counters counters;
    stream->frames = reference_frames(stream->bytes, stream->size, &count);
    stream->frame_count = count;
    stream->csv = reference_decode(stream->bytes, stream->size, &counters);
    stream->counters = counters;
}

static void free_stream(struct stream *stream)
{
    free(stream->bytes);
    free(stream->frames);
    free(stream->csv);
}

static void damage(struct stream *stream, size_t at, int way)
{
    stream->bytes = malloc(plain.size + 1);
    assert_non_null(stream->bytes);
    memcpy(stream->bytes, plain.bytes, plain.size);
    stream->size = plain.size;
    if (way == DROP) {
        memmove(stream->bytes + at, stream->bytes + at + 1, plain.size - at - 1);
        stream->size--;
    } else if (way == DOUBLE) {
        memmove(stream->bytes + at + 1, stream->bytes + at, plain.size - at);
        stream->size++;
    } else {
        stream->bytes[at] = (unsigned char)(plain.bytes[at] ^ (way == FLIP_ALL ? 0xff : 1 << way));
    }
}

static size_t frame_at(size_t offset)
{
    size_t i = 0;
    while (i + 1 < plain.frame_count && plain.frames[i + 1].offset <= offset)
        i++;
    return i;
}

/* The frame of the plain stream as the damaged one has it, `offset` bytes in; NULL when it is not
 * found there. */
static const struct reference_frame *find(const struct stream *stream,
                                          const struct reference_frame *original, size_t offset)
{
    for (size_t i = 0; i < stream->frame_count; i++) {
        const struct reference_frame *frame = &stream->frames[i];
        if (frame->offset == offset && frame->size == original->size &&
            memcmp(stream->bytes + offset, plain.bytes + original->offset, frame->size) == 0)
            return frame;
    }
    return NULL;
}

static bool anything_noticed(const struct reference_counters *c)
{
    const struct reference_counters *p = &plain.counters;
    return c->gaps != p->gaps || c->frames_lost != p->frames_lost || c->resets != p->resets ||
           c->unresolved != p->unresolved || c->duplicates != p->duplicates ||
           c->duplicate_starts != p->duplicate_starts || c->orphan_ends != p->orphan_ends ||
           c->bytes_skipped != p->bytes_skipped || c->cut_tail_bytes != p->cut_tail_bytes ||
           c->unbounded_doubts != p->unbounded_doubts || c->times_saturated != p->times_saturated ||
           c->rates_assumed != p->rates_assumed || c->wire_version != p->wire_version;
}

/* ---- back in step ---------------------------------------------------------------------------- */

static bool frames_before_are_used(const struct stream *stream, size_t damaged)
{
    for (size_t i = 0; i < damaged; i++) {
        const struct reference_frame *found =
            find(stream, &plain.frames[i], plain.frames[i].offset);
        if (found == NULL || found->fate != REFERENCE_USED)
            return false;
    }
    return true;
}

static bool is_in_step(const struct stream *stream, size_t damaged, int way, struct tally *tally)
{
    size_t shift_up = way == DOUBLE, shift_down = way == DROP;
    size_t tail = stream->size - stream->counters.cut_tail_bytes;
    unsigned missed = 0, missed_in_tail = 0, duplicates = 0, found_behind = 0;
    for (size_t i = damaged + 1; i < plain.frame_count; i++) {
        size_t offset = plain.frames[i].offset + shift_up - shift_down;
        const struct reference_frame *found = find(stream, &plain.frames[i], offset);
        found_behind += found != NULL;
        if (found == NULL) {
            missed++;
            missed_in_tail += offset >= tail;
        } else if (found->fate == REFERENCE_DUPLICATE) {
            duplicates++;
        } else if (found->fate != REFERENCE_USED) {
            return false;
        }
    }
    tally->missed[missed < 3 ? missed : 3]++;
    tally->number_taken += duplicates;
    size_t made_up = stream->frame_count - damaged - found_behind; /* from what the damage left */
    return missed - missed_in_tail <= 2 && duplicates <= 1 && made_up <= 2 &&
           stream->counters.cut_tail_bytes <= FRAME_MAX;
}

static bool decodes_alike(const struct stream *stream)
{
    struct outcome outcome;
    project_decode(stream->bytes, stream->size, &(struct cuts){0}, &outcome);
    bool same = outcome_is_reference(&outcome, stream->csv, &stream->counters);
    outcome_free(&outcome);
    return same;
}

static void check_damage(size_t at, int way, struct tally *tally)
{
    struct stream stream = {0};
    damage(&stream, at, way);
    read_frames(&stream);
    size_t damaged = frame_at(at);
    bool same = decodes_alike(&stream);
    bool in_step = is_in_step(&stream, damaged, way, tally);
    bool before = frames_before_are_used(&stream, damaged);

    tally->damages++;
    if (anything_noticed(&stream.counters))
        tally->noticed++;
    else if (stream.counters.csv_size != plain.counters.csv_size ||
             memcmp(stream.csv, plain.csv, plain.counters.csv_size) != 0)
        tally->changed++;
    free_stream(&stream);
    if (!same || !in_step || !before) {
        print_error("byte %zu, way %d: %s%s%s\n", at, way, same ? "" : "decoded otherwise ",
                    in_step ? "" : "not in step ", before ? "" : "a frame before it is lost");
        fail();
    }
}

static void test_damage(void **state)
{
    (void)state;
    struct tally tally = {0};
    plain.bytes = device_plain(FRAMES, &plain.size);
    read_frames(&plain);
    assert_int_equal(plain.frame_count, FRAMES);
    assert_int_equal(plain.counters.frames, FRAMES);
    assert_false(anything_noticed(&(struct reference_counters){.wire_version = 2}));

    for (size_t at = 0; at < plain.size; at += STEP)
        for (int way = 0; way < WAYS; way++)
            check_damage(at, way, &tally);

    print_message(
        "note: %u damages: %.1f %% noticed, %.1f %% not, of which %.1f %% change the CSV\n",
        tally.damages, 100.0 * tally.noticed / tally.damages,
        100.0 - 100.0 * tally.noticed / tally.damages,
        100.0 * tally.changed / (tally.damages - tally.noticed));
    print_message(
        "note: frames missed behind the damaged one: 0 in %u, 1 in %u, 2 in %u, more in %u "
        "(all in a cut tail); a number taken in %u\n",
        tally.missed[0], tally.missed[1], tally.missed[2], tally.missed[3], tally.number_taken);
    free_stream(&plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_damage)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
