/* A ring in memory that a debugger reads while the program runs (SEGGER's RTT).
 *
 * The host owns `read` and may write anything there at any time; the rest is ours. A host finds the
 * block by its first 16 bytes in memory or by the symbol _SEGGER_RTT. So that it never finds one
 * that is half filled: these bytes go first when a program starts again, and come last.
 *
 * Source     SEGGER, RTT control block (SEGGER_RTT.h; wiki.segger.com/RTT)  */
#include "stave/target.h"

#if defined STAVE_TARGET_RTT && !defined STAVE_TARGET_OFF

#define SIZE (STAVE_TARGET_RTT)
_Static_assert(SIZE >= 128, "STAVE_TARGET_RTT is the bytes of the buffer, at least 128");

#ifdef STAVE_TARGET_RTT_SECTION
#define PLACED __attribute__((section(STAVE_TARGET_RTT_SECTION)))
#else
#define PLACED
#endif

#define ID_SIZE 16

struct control_block {
    volatile char id[ID_SIZE];
    int up_count;
    int down_count;
    struct {
        const char *name;
        uint8_t *bytes;
        unsigned size;
        volatile unsigned write; /* where the next byte goes; equal to `read`: empty */
        volatile unsigned read;  /* the host's */
        unsigned flags;          /* for a host that asks: we skip a frame that has no room */
    } up;
};
_Static_assert(sizeof(void *) != 4 || sizeof(struct control_block) == 24 + 24, "SEGGER's layout");

/* Aligned, because pyOCD up to 2025 does not find an ID that crosses a multiple of 32. */
extern struct control_block stave__rtt __asm__("_SEGGER_RTT");
PLACED __attribute__((aligned(ID_SIZE))) struct control_block stave__rtt;
PLACED static uint8_t buffer[SIZE];

/* Whoever sees what PUBLISH wrote, sees what was written before it; OBSERVE is its other half. For a
 * processor without atomic instructions, a Cortex-M0, clang would call a library for these. */
#if defined __clang__ && __GCC_ATOMIC_INT_LOCK_FREE != 2
#define IN_ORDER() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define PUBLISH(at, what) (IN_ORDER(), *(at) = (what))
static unsigned OBSERVE(volatile unsigned *at)
{
    unsigned seen = *at;
    IN_ORDER();
    return seen;
}
#else
#define PUBLISH(at, what) __atomic_store_n(at, what, __ATOMIC_RELEASE)
#define OBSERVE(at) __atomic_load_n(at, __ATOMIC_ACQUIRE)
#endif

void stave_target_rtt_start(void)
{
    static const char id_backwards[] = "TTR REGGES"; /* so that a search does not find this */
    enum { ID_LENGTH = sizeof id_backwards - 1 };

    for (int i = 0; i < ID_SIZE; i++)
        PUBLISH(&stave__rtt.id[i], 0);
    __atomic_thread_fence(__ATOMIC_SEQ_CST); /* gone before anything changes */
    stave__rtt.up_count = 1;
    stave__rtt.down_count = 0;
    stave__rtt.up.name = "etrace";
    stave__rtt.up.bytes = buffer;
    stave__rtt.up.size = SIZE;
    stave__rtt.up.flags = 0;
    PUBLISH(&stave__rtt.up.write, 0);
    PUBLISH(&stave__rtt.up.read, 0);
    for (int i = 0; i < ID_LENGTH; i++)
        PUBLISH(&stave__rtt.id[ID_LENGTH - 1 - i], id_backwards[i]);
}

/* One byte stays free, or full would look like empty. What a host can write is not trusted. */
static unsigned room(unsigned write, unsigned read)
{
    if (read >= SIZE || write >= SIZE)
        return 0;
    return read > write ? read - write - 1 : SIZE - 1 - write + read;
}

/* Volatile, for others read it; so it also becomes no call of memcpy. */
static void put(unsigned write, const uint8_t *bytes, size_t size)
{
    volatile uint8_t *to = buffer + write;
    while (size-- > 0)
        *to++ = *bytes++;
}

/* Up to the buffer's end, and the rest from its start. */
size_t stave_target_rtt_write(void *context, const uint8_t *bytes, size_t size)
{
    unsigned write = stave__rtt.up.write;
    unsigned read = OBSERVE(&stave__rtt.up.read);
    size_t first = size < SIZE - write ? size : SIZE - write;
    (void)context;

    if (room(write, read) < size)
        return 0;
    put(write, bytes, first);
    put(0, bytes + first, size - first);
    write += (unsigned)size;
    PUBLISH(&stave__rtt.up.write, write < SIZE ? write : write - SIZE);
    return size;
}

#endif
