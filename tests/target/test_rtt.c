/* test_rtt.c - the RTT buffer: its layout, what fits, what a host may do to it, and a host that
 * reads while the device writes. */
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define STAVE_TARGET_RTT 131 /* a prime: no power of 2 is assumed */
#include "target/rtt.c"

#define UNTOUCHED 0xa5u
#define WORD sizeof(unsigned)
#define POINTER sizeof(void *)

static const char id[ID_SIZE] = "SEGGER RTT";

/* A host's view: its fields as bytes, without the struct that the test shares with the code. */
static unsigned word_at(size_t offset)
{
    unsigned word;
    memcpy(&word, (const char *)&stave__rtt + offset, sizeof word);
    return word;
}

static void set_offsets(unsigned write, unsigned read)
{
    stave__rtt.up.write = write;
    stave__rtt.up.read = read;
}

static void assert_offsets(unsigned write, unsigned read)
{
    assert_int_equal(stave__rtt.up.write, write);
    assert_int_equal(stave__rtt.up.read, read);
}

/* ---- the control block ----------------------------------------------------------------------- */

/* 24 and 24 bytes with 32-bit pointers; here the two pointers are wider. */
static void test_layout(void **state)
{
    assert_int_equal(offsetof(struct control_block, id), 0);
    assert_int_equal(offsetof(struct control_block, up_count), 16);
    assert_int_equal(offsetof(struct control_block, down_count), 20);
    assert_int_equal(offsetof(struct control_block, up.name), 24);
    assert_int_equal(offsetof(struct control_block, up.bytes), 24 + POINTER);
    assert_int_equal(offsetof(struct control_block, up.size), 24 + 2 * POINTER);
    assert_int_equal(offsetof(struct control_block, up.write), 24 + 2 * POINTER + WORD);
    assert_int_equal(offsetof(struct control_block, up.read), 24 + 2 * POINTER + 2 * WORD);
    assert_int_equal(offsetof(struct control_block, up.flags), 24 + 2 * POINTER + 3 * WORD);
    assert_int_equal(sizeof(struct control_block), 24 + 2 * POINTER + 4 * WORD);
    assert_int_equal((uintptr_t)&stave__rtt % 16, 0);
}

/* Whatever was in the memory. */
static void test_start(void **state)
{
    const uint8_t fill[] = {0, 0xff, 0x5a};

    for (size_t i = 0; i < sizeof fill; i++) {
        memset(&stave__rtt, fill[i], sizeof stave__rtt);
        stave_target_rtt_start();
        assert_memory_equal(&stave__rtt, id, sizeof id);
        assert_int_equal(word_at(16), 1);
        assert_int_equal(word_at(20), 0);
        assert_string_equal(stave__rtt.up.name, "etrace");
        assert_ptr_equal(stave__rtt.up.bytes, buffer);
        assert_int_equal(word_at(24 + 2 * POINTER), SIZE);
        assert_int_equal(word_at(24 + 2 * POINTER + WORD), 0);
        assert_int_equal(word_at(24 + 2 * POINTER + 2 * WORD), 0);
        assert_int_equal(word_at(24 + 2 * POINTER + 3 * WORD), 0);
    }
}

static void test_start_again_is_empty(void **state)
{
    const uint8_t byte = 1;

    stave_target_rtt_start();
    assert_int_equal(stave_target_rtt_write(NULL, &byte, 1), 1);
    assert_offsets(1, 0);
    stave_target_rtt_start();
    assert_offsets(0, 0);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* What a write of `size` bytes at these offsets does, in every byte of the buffer. */
static void check_write(unsigned write, unsigned read, unsigned size, unsigned taken)
{
    uint8_t bytes[2 * SIZE];
    uint8_t expected[SIZE];

    for (unsigned i = 0; i < size; i++)
        bytes[i] = (uint8_t)(i + 1);
    memset(expected, UNTOUCHED, sizeof expected);
    memset(buffer, UNTOUCHED, sizeof buffer);
    for (unsigned i = 0; i < taken; i++)
        expected[(write + i) % SIZE] = bytes[i];

    set_offsets(write, read);
    assert_int_equal(stave_target_rtt_write(NULL, bytes, size), taken);
    assert_offsets(taken != 0 ? (write + taken) % SIZE : write, read);
    assert_memory_equal(buffer, expected, sizeof buffer);
}

/* At each pair of offsets: what just fits, and one byte more. All or nothing. */
static void test_room(void **state)
{
    stave_target_rtt_start();
    for (unsigned write = 0; write < SIZE; write++) {
        for (unsigned read = 0; read < SIZE; read++) {
            unsigned free = (read + SIZE - write - 1) % SIZE;
            check_write(write, read, free, free);
            check_write(write, read, free + 1, 0);
        }
    }
}

static void test_wrap(void **state)
{
    stave_target_rtt_start();
    for (unsigned at = 0; at < SIZE; at++) {
        for (unsigned size = 0; size < SIZE; size++)
            check_write(at, at, size, size);
        check_write(at, at, SIZE, 0);
        check_write(at, at, 2 * SIZE, 0);
    }
}

/* ---- a host that writes nonsense ------------------------------------------------------------- */

static const unsigned outside[] = {SIZE,       SIZE + 1,     2 * SIZE, 0x7fffffff,
                                   0x80000000, UINT_MAX - 1, UINT_MAX};
#define OUTSIDE_COUNT (sizeof outside / sizeof *outside)

static void test_read_outside(void **state)
{
    stave_target_rtt_start();
    for (unsigned i = 0; i < OUTSIDE_COUNT; i++) {
        for (unsigned write = 0; write < SIZE; write++) {
            check_write(write, outside[i], 1, 0);
            check_write(write, outside[i], 64, 0);
        }
        check_write(5, 5, 64, 64); /* sane again: it goes on */
    }
}

static void test_write_outside(void **state)
{
    stave_target_rtt_start();
    for (unsigned i = 0; i < OUTSIDE_COUNT; i++) {
        for (unsigned read = 0; read < SIZE; read++) {
            check_write(outside[i], read, 1, 0);
            check_write(outside[i], read, 64, 0);
        }
    }
}

/* The mode that a host asks for, here to block, is its own affair. */
static void test_flags(void **state)
{
    stave_target_rtt_start();
    stave__rtt.up.flags = 2;
    check_write(3, 4, 1, 0);
    assert_int_equal(stave__rtt.up.flags, 2);
}

/* ---- a host that reads meanwhile ------------------------------------------------------------- */

#define STREAM_BYTES 100000u
#define FRAME_MAX 64u

struct host {
    uint32_t random;
    unsigned received;
    unsigned wrong;
};

static uint32_t next(uint32_t *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 17;
    *random ^= *random << 5;
    return *random;
}

/* What the stream has at a place; places that are SIZE apart differ. */
static uint8_t stream_byte(unsigned at)
{
    return (uint8_t)(at * 31u + (at >> 8));
}

static bool host_sees_id(void)
{
    for (int i = 0; i < ID_SIZE; i++) {
        if (__atomic_load_n(&stave__rtt.id[i], __ATOMIC_ACQUIRE) != id[i])
            return false;
    }
    return true;
}

static void host_read(struct host *host)
{
    unsigned write = __atomic_load_n(&stave__rtt.up.write, __ATOMIC_ACQUIRE);
    unsigned read = stave__rtt.up.read;
    unsigned there = (write + SIZE - read) % SIZE;
    unsigned size = there != 0 ? 1 + next(&host->random) % there : 0;

    for (unsigned i = 0; i < size; i++) {
        host->wrong += stave__rtt.up.bytes[read] != stream_byte(host->received++);
        read = read + 1 < stave__rtt.up.size ? read + 1 : 0;
    }
    if (size == 0)
        sched_yield();
    __atomic_store_n(&stave__rtt.up.read, read, __ATOMIC_RELEASE);
}

/* It attaches early: before the device has started. With the ID, it must see all the fields. */
static void *host_main(void *argument)
{
    struct host *host = argument;

    while (!host_sees_id())
        sched_yield();
    host->wrong += stave__rtt.up_count != 1;
    host->wrong += stave__rtt.down_count != 0;
    host->wrong += stave__rtt.up.name == NULL;
    host->wrong += stave__rtt.up.bytes != buffer;
    host->wrong += stave__rtt.up.size != SIZE;
    host->wrong += stave__rtt.up.flags != 0;
    while (host->received < STREAM_BYTES)
        host_read(host);
    return NULL;
}

static void send_stream(uint32_t random)
{
    uint8_t frame[FRAME_MAX];

    for (unsigned sent = 0; sent < STREAM_BYTES;) {
        unsigned left = STREAM_BYTES - sent;
        unsigned size = 1 + next(&random) % (left < FRAME_MAX ? left : FRAME_MAX);
        for (unsigned i = 0; i < size; i++)
            frame[i] = stream_byte(sent + i);
        while (stave_target_rtt_write(NULL, frame, size) == 0)
            sched_yield();
        sent += size;
    }
}

static void test_host_beside_device(void **state)
{
    struct host host = {.random = 2463534242u};
    pthread_t thread;

    memset(&stave__rtt, 0, sizeof stave__rtt);
    assert_int_equal(pthread_create(&thread, NULL, host_main, &host), 0);
    sched_yield();
    stave_target_rtt_start();
    send_stream(88675123u);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(host.received, STREAM_BYTES);
    assert_int_equal(host.wrong, 0);
    assert_int_equal(stave__rtt.up.read, stave__rtt.up.write);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_start),
        cmocka_unit_test(test_start_again_is_empty),
        cmocka_unit_test(test_room),
        cmocka_unit_test(test_wrap),
        cmocka_unit_test(test_read_outside),
        cmocka_unit_test(test_write_outside),
        cmocka_unit_test(test_flags),
        cmocka_unit_test(test_host_beside_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
