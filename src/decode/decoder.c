/* The decoder: bytes in any cut to frames, frames to the version's own code. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "base/error.h"
#include "decode/run.h"
#include "decode/told.h"
#include "decode/v1.h"
#include "decode/v2.h"
#include "decode/version.h"
#include "stave/decode.h"

/* Bytes that are kept while the version is undecided: a stream that says nothing for so long is
 * version 2. Afterwards only what one decision needs is kept. */
#define CARRY_MAX (64 * 1024)

struct stave_decoder {
    struct run run;
    struct v2 v2;
    stave_decode_stats stats;
    struct stave__version_finder finder;
    uint32_t version;                             /* 0 while undecided */
    bool searching;                               /* behind damage, looking for the next frame */
    enum wire_damage useless[WIRE_VERSION_2 + 1]; /* what is wrong at the start, by version */
    bool finished;
    bool failed;
    uint64_t offset; /* of the next byte to be looked at, in the stream */
    size_t carried;
    uint8_t carry[CARRY_MAX]; /* bytes that did not suffice for a decision */
};

int stave_decoder_new_sized(const stave_decoder_config *config, size_t config_size,
                            stave_trace *trace, stave_decoder **decoder, stave_error *error)
{
    stave_decoder_config own;
    int status = stave__config_copy(&own, sizeof own, config, config_size, error);
    if (status < 0)
        return status;
    if (own.wire_version > WIRE_VERSION_2)
        return stave__fail(error, STAVE_E_ARGUMENT, 0, "wire version %u; 1 and 2 are known",
                           (unsigned)own.wire_version);
    stave_decoder *d = calloc(1, sizeof *d);
    if (d == NULL)
        return stave__fail_memory(error);
    status = stave__run_init(&d->run, trace, &d->stats, error);
    if (status >= 0 && own.wire_version != 0)
        status = stave__run_begin(&d->run, own.wire_version, error);
    if (status < 0) {
        stave_decoder_free(d);
        return status;
    }
    d->v2.run = &d->run;
    d->version = own.wire_version;
    *decoder = d;
    return STAVE_OK;
}

void stave_decoder_free(stave_decoder *decoder)
{
    if (decoder == NULL)
        return;
    stave__run_free(&decoder->run);
    free(decoder);
}

void stave_decoder_stats_sized(const stave_decoder *decoder, stave_decode_stats *stats,
                               size_t stats_size)
{
    stave_decode_stats own = decoder->stats;
    own.wire_version = decoder->version;
    stave__config_give(stats, stats_size, &own, sizeof own);
}

/* ---- frames of a known version --------------------------------------------------------------- */

/* Bytes that are passed. */
struct input {
    const uint8_t *at;
    const uint8_t *end;
    bool final; /* the stream ends at `end` */
};

static void pass(stave_decoder *decoder, struct input *input, size_t size)
{
    input->at += size;
    decoder->offset += size;
}

/* The usual events, as long as there are any. */
static int take_usual(stave_decoder *decoder, struct input *input, stave_error *error)
{
    int status = STAVE_OK;
    if (decoder->version != WIRE_VERSION_2)
        return STAVE_OK;
    const uint8_t *end = stave__v2_take_usual(&decoder->v2, input->at, input->end, &status, error);
    pass(decoder, input, (size_t)(end - input->at));
    return status;
}

static int take_frame(stave_decoder *decoder, const struct stave__frame *frame, stave_error *error)
{
    if (decoder->version == WIRE_VERSION_1)
        return stave__v1_take(&decoder->run, &frame->fields, error);
    return stave__v2_take(&decoder->v2, &frame->fields, frame->size, decoder->offset, error);
}

static void skip_byte(stave_decoder *decoder, struct input *input)
{
    decoder->stats.bytes_skipped++;
    pass(decoder, input, 1);
}

/* One step in frames. *more is set when the bytes do not suffice. */
static int step_frame(stave_decoder *decoder, struct input *input, bool *more, stave_error *error)
{
    size_t left = (size_t)(input->end - input->at);
    struct stave__frame frame;
    int status = STAVE_OK;
    switch (stave__framer_read(decoder->version, input->at, left, &frame)) {
    case STAVE__FRAME:
        status = take_frame(decoder, &frame, error);
        pass(decoder, input, frame.size);
        break;
    case STAVE__DAMAGE:
        stave__run_damage(&decoder->stats, decoder->offset, frame.damage);
        decoder->searching = true;
        skip_byte(decoder, input);
        break;
    default:
        *more = true;
        if (input->final) {
            decoder->stats.cut_tail_bytes = left;
            pass(decoder, input, left);
        }
        break;
    }
    return status;
}

/* Looks for the next offset at which reading may go on. */
static void search(stave_decoder *decoder, struct input *input, bool *more)
{
    while (input->at < input->end) {
        switch (stave__framer_try(decoder->version, input->at, (size_t)(input->end - input->at),
                                  input->final)) {
        case STAVE__FRAME:
            decoder->searching = false;
            return;
        case STAVE__MORE:
            *more = true;
            return;
        default:
            skip_byte(decoder, input);
        }
    }
}

static int read_frames(stave_decoder *decoder, struct input *input, stave_error *error)
{
    bool more = false;
    int status = STAVE_OK;
    while (status >= 0 && !more && input->at < input->end) {
        if (decoder->searching) {
            search(decoder, input, &more);
            continue;
        }
        status = take_usual(decoder, input, error);
        if (status >= 0 && input->at < input->end)
            status = step_frame(decoder, input, &more, error);
    }
    return status;
}

/* ---- the version ----------------------------------------------------------------------------- */

/* What is wrong at the very start, in either version: only one of them will be told. */
static void look_at_useless(stave_decoder *decoder, const struct input *input)
{
    size_t left = (size_t)(input->end - input->at);
    for (uint32_t version = WIRE_VERSION_1; version <= WIRE_VERSION_2; version++) {
        struct stave__frame frame;
        stave__framer_read(version, input->at, left, &frame);
        decoder->useless[version] = frame.damage;
    }
}

/* What no version can use is damage now, so that it need not be kept. */
static void drop_useless(stave_decoder *decoder, struct input *input)
{
    size_t useless = stave__version_useless(&decoder->finder);
    if (useless == 0)
        return;
    if (!decoder->searching)
        look_at_useless(decoder, input);
    decoder->searching = true;
    decoder->stats.bytes_skipped += useless;
    pass(decoder, input, useless);
}

static int find_version(stave_decoder *decoder, struct input *input, stave_error *error)
{
    size_t size = (size_t)(input->end - input->at);
    uint32_t version = stave__version_find(&decoder->finder, input->at, size, input->final);
    drop_useless(decoder, input);
    if (version == 0 && input->end - input->at == CARRY_MAX)
        version = WIRE_VERSION_2;
    if (version == 0)
        return STAVE_OK;
    if (decoder->searching)
        stave__run_damage(&decoder->stats, 0, decoder->useless[version]);
    int status = stave__run_begin(&decoder->run, version, error);
    if (status >= 0)
        decoder->version = version;
    return status;
}

static int read_input(stave_decoder *decoder, struct input *input, stave_error *error)
{
    int status = STAVE_OK;
    if (decoder->version == 0)
        status = find_version(decoder, input, error);
    if (status >= 0 && decoder->version != 0)
        status = read_frames(decoder, input, error);
    return status;
}

/* ---- bytes in any cut ------------------------------------------------------------------------ */

/* Reads what is carried together with the next bytes; returns how many of those are done with. */
static int read_carried(stave_decoder *decoder, const uint8_t *bytes, size_t size, size_t *done,
                        stave_error *error)
{
    size_t before = decoder->carried;
    size_t room = CARRY_MAX - before;
    if (decoder->version != 0 && room > STAVE__FRAMER_ROOM)
        room = STAVE__FRAMER_ROOM;
    size_t added = size < room ? size : room;
    memcpy(decoder->carry + before, bytes, added);

    struct input input = {.at = decoder->carry, .end = decoder->carry + before + added};
    int status = read_input(decoder, &input, error);
    size_t used = (size_t)(input.at - decoder->carry);
    if (decoder->version != 0 && used >= before) {
        decoder->carried = 0;
        *done = used - before;
    } else {
        decoder->carried = before + added - used;
        memmove(decoder->carry, input.at, decoder->carried);
        *done = added;
    }
    return status;
}

static int feed(stave_decoder *decoder, const uint8_t *bytes, size_t size, stave_error *error)
{
    int status = STAVE_OK;
    while (status >= 0 && size > 0) {
        size_t done = 0;
        if (decoder->carried > 0 || decoder->version == 0) {
            status = read_carried(decoder, bytes, size, &done, error);
        } else {
            struct input input = {.at = bytes, .end = bytes + size};
            status = read_frames(decoder, &input, error);
            if (status < 0)
                break; /* any number of bytes may be left then */
            decoder->carried = (size_t)(input.end - input.at);
            assert(decoder->carried <= STAVE__FRAMER_ROOM);
            memcpy(decoder->carry, input.at, decoder->carried);
            done = size;
        }
        bytes += done;
        size -= done;
    }
    return status;
}

static int check_state(const stave_decoder *decoder, stave_error *error)
{
    if (decoder->failed)
        return stave__fail(error, STAVE_E_STATE, decoder->offset,
                           "the decoder failed before; make a new one");
    if (decoder->finished)
        return stave__fail(error, STAVE_E_STATE, decoder->offset,
                           "the stream was finished; a new one needs a new decoder");
    return STAVE_OK;
}

int stave_decoder_feed(stave_decoder *decoder, const void *bytes, size_t size, stave_error *error)
{
    int status = check_state(decoder, error);
    if (status < 0)
        return status;
    status = feed(decoder, bytes, size, error);
    decoder->failed = status < 0;
    return status;
}

int stave_decoder_tell(const stave_decoder *decoder, stave_error *error)
{
    stave_decode_stats stats;
    stave_decoder_stats(decoder, &stats);
    return stave__decode_tell(decoder->run.trace, &stats, error);
}

int stave_decoder_finish(stave_decoder *decoder, stave_error *error)
{
    int status = check_state(decoder, error);
    if (status < 0)
        return status;
    struct input input = {
        .at = decoder->carry, .end = decoder->carry + decoder->carried, .final = true};
    status = read_input(decoder, &input, error);
    if (status >= 0 && decoder->run.begun)
        status = stave__v2_finish(&decoder->v2, error);
    if (status >= 0 && decoder->run.begun)
        status = stave__run_end(&decoder->run, false, error);
    if (status >= 0)
        status = stave_decoder_tell(decoder, error);
    decoder->finished = true;
    decoder->failed = status < 0;
    return status;
}
