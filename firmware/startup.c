/* From reset to main(): the vector table, initialised data, and the three functions that a
 * freestanding compiler may call. What main() returns is the exit status. */
#include "board.h"

/* From the linker script: addresses, not values. */
extern uint32_t stack_top[];
extern uint32_t data_start[], data_end[], data_load[];
extern uint32_t bss_start[], bss_end[];

int main(void);

void Reset_Handler(void);
void Unexpected_Handler(void);
void PendSV_Handler(void);
void SysTick_Handler(void);
void TIMER0_Handler(void);

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memset(void *to, int byte, size_t size);
void *memmove(void *to, const void *from, size_t size);

/* The names that an image does not define end the machine. */
#pragma weak PendSV_Handler = Unexpected_Handler
#pragma weak SysTick_Handler = Unexpected_Handler
#pragma weak TIMER0_Handler = Unexpected_Handler

struct vectors {
    uint32_t *stack;
    void (*system[15])(void);
    void (*irq[32])(void); /* of which only timer 0's is ever enabled */
};

/* clang-format off */
const struct vectors vectors __attribute__((section(".vectors"), used)) = {
    .stack = stack_top,
    .system = {
        Reset_Handler,
        Unexpected_Handler, Unexpected_Handler, Unexpected_Handler, /* NMI, hard fault, memory */
        Unexpected_Handler, Unexpected_Handler, NULL, NULL,         /* bus, usage, reserved */
        NULL, NULL, Unexpected_Handler, Unexpected_Handler,         /* reserved, SVC, debug */
        NULL, PendSV_Handler, SysTick_Handler,                      /* reserved */
    },
    .irq = {
        [BOARD_IRQ_TIMER] = TIMER0_Handler,
    },
};
/* clang-format on */

void Reset_Handler(void)
{
    const uint32_t *from = data_load;
    for (uint32_t *to = data_start; to < data_end; to++)
        *to = *from++;
    for (uint32_t *to = bss_start; to < bss_end; to++)
        *to = 0;
    board_exit((uint32_t)main());
}

void Unexpected_Handler(void)
{
    board_exit(BOARD_EXIT_FAULT);
}

/* Built with -fno-tree-loop-distribute-patterns, or each would become a call of itself. */
void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    uint8_t *out = to;
    const uint8_t *in = from;
    for (size_t i = 0; i < size; i++)
        out[i] = in[i];
    return to;
}

void *memset(void *to, int byte, size_t size)
{
    uint8_t *out = to;
    for (size_t i = 0; i < size; i++)
        out[i] = (uint8_t)byte;
    return to;
}

void *memmove(void *to, const void *from, size_t size)
{
    uint8_t *out = to;
    const uint8_t *in = from;
    if (out <= in)
        return memcpy(to, from, size);
    while (size-- > 0)
        out[size] = in[size];
    return to;
}
