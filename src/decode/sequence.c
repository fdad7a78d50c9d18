#include "decode/sequence.h"

#include <assert.h>

static uint32_t number_bits(const struct sequence *sequence)
{
    return sequence->version == WIRE_VERSION_1 ? 32 : 14;
}

void stave__sequence_begin_run(struct sequence *sequence, enum wire_version version)
{
    assert(sequence->held_count == 0);
    sequence->version = version;
    sequence->started = false;
    sequence->taken = 0;
}

uint64_t stave__sequence_unroll(const struct sequence *sequence, uint32_t number)
{
    uint32_t bits = number_bits(sequence);
    if (!sequence->started) { /* the first of its run: in the round after all before */
        uint64_t round = (sequence->highest >> bits) + 1;
        return round << bits | (number & ((UINT64_C(1) << bits) - 1));
    }
    uint64_t from = sequence->highest + 1;
    return from + (uint64_t)stave__number_step(sequence->version, from, number);
}

void stave__sequence_took(struct sequence *sequence, uint64_t count)
{
    assert(sequence->held_count == 0);
    if (count == 0)
        return;
    uint64_t ones = count < 64 ? (UINT64_C(1) << count) - 1 : UINT64_MAX;
    sequence->taken = (count < 64 ? sequence->taken << count : 0) | ones;
    sequence->next += count;
    sequence->highest = sequence->next - 1;
}

/* ---- what is held ---------------------------------------------------------------------------- */

static uint64_t held_bit(uint64_t number)
{
    return UINT64_C(1) << (number % 64);
}

static uint64_t *held_word(struct sequence *sequence, uint64_t number)
{
    return &sequence->is_held[number % SEQUENCE_HELD_MAX / 64];
}

static bool is_held(const struct sequence *sequence, uint64_t number)
{
    return (sequence->is_held[number % SEQUENCE_HELD_MAX / 64] & held_bit(number)) != 0;
}

static void hold(struct sequence *sequence, const struct event *event, uint64_t number)
{
    assert(number - sequence->next < SEQUENCE_HELD_MAX);
    *held_word(sequence, number) |= held_bit(number);
    sequence->held[number % SEQUENCE_HELD_MAX] = *event;
    sequence->held_count++;
}

bool stave__sequence_is_duplicate(const struct sequence *sequence, uint64_t number)
{
    if (!sequence->started)
        return false;
    if (number >= sequence->next)
        return number <= sequence->highest && is_held(sequence, number);
    uint64_t back = sequence->next - 1 - number;
    return back < 64 && (sequence->taken >> back & 1) != 0;
}

/* ---- turns ----------------------------------------------------------------------------------- */

static int take_held(struct sequence *sequence, const struct sequence_user *user,
                     stave_error *error)
{
    uint64_t number = sequence->next;
    *held_word(sequence, number) &= ~held_bit(number);
    sequence->held_count--;
    sequence->taken = sequence->taken << 1 | 1;
    sequence->next++;
    return user->effect(user->context, &sequence->held[number % SEQUENCE_HELD_MAX], number, error);
}

/* Gives up the numbers before `end`, whose event is known. */
static int lose(struct sequence *sequence, const struct sequence_user *user, uint64_t end,
                const struct event *behind, stave_error *error)
{
    uint64_t first = sequence->next;
    uint64_t count = end - first;
    sequence->taken = count < 64 ? sequence->taken << count : 0;
    sequence->next = end;
    return user->lost(user->context, first, count, behind, error);
}

static int lose_to_held(struct sequence *sequence, const struct sequence_user *user,
                        stave_error *error)
{
    uint64_t end = sequence->next;
    while (!is_held(sequence, end))
        end++;
    return lose(sequence, user, end, &sequence->held[end % SEQUENCE_HELD_MAX], error);
}

/* Lets events take effect while their turn has come. A hole more than `patience` old is lost. */
static int turn(struct sequence *sequence, const struct sequence_user *user, uint64_t patience,
                bool give_up, stave_error *error)
{
    int status = STAVE_OK;
    while (status >= 0 && sequence->held_count > 0) {
        if (is_held(sequence, sequence->next))
            status = take_held(sequence, user, error);
        else if (give_up || sequence->highest - sequence->next > patience)
            status = lose_to_held(sequence, user, error);
        else
            break;
    }
    return status;
}

int stave__sequence_flush(struct sequence *sequence, const struct sequence_user *user,
                          stave_error *error)
{
    return turn(sequence, user, 0, true, error);
}

/* A number so far ahead that every hole before it is lost. */
static int arrive_far(struct sequence *sequence, const struct sequence_user *user,
                      const struct event *event, uint64_t number, stave_error *error)
{
    int status = stave__sequence_flush(sequence, user, error);
    if (status >= 0)
        status = lose(sequence, user, number, event, error);
    if (status < 0)
        return status;
    stave__sequence_took(sequence, 1);
    return user->effect(user->context, event, number, error);
}

static int arrive_late(struct sequence *sequence, const struct sequence_user *user,
                       const struct event *event, uint64_t number, stave_error *error)
{
    uint64_t back = sequence->next - 1 - number;
    if (back < 64)
        sequence->taken |= UINT64_C(1) << back;
    return user->effect(user->context, event, number, error);
}

int stave__sequence_arrive(struct sequence *sequence, const struct sequence_user *user,
                           const struct event *event, uint64_t number, stave_error *error)
{
    if (!sequence->started) {
        sequence->started = true;
        sequence->next = number;
        sequence->highest = number - 1;
    }
    if (number < sequence->next)
        return arrive_late(sequence, user, event, number, error);
    if (number > sequence->highest + 1 + STAVE__NEAR)
        return arrive_far(sequence, user, event, number, error);
    if (number == sequence->next && sequence->held_count == 0) {
        stave__sequence_took(sequence, 1);
        return user->effect(user->context, event, number, error);
    }
    hold(sequence, event, number);
    if (number > sequence->highest)
        sequence->highest = number;
    return turn(sequence, user, STAVE__NEAR, false, error);
}
