/* From reset to main(): stack, initialised data, trap vectors. What main() returns is the exit
 * status. There is no C library, and no memcpy: nothing here calls it. */
#include "board.h"

/* From the linker script: addresses, not values. */
extern uint32_t data_start[], data_end[], data_load[];
extern uint32_t bss_start[], bss_end[];

int main(void);

void Reset_Handler(void);
void Start(void);
void Vectors(void);
void Unexpected_Handler(void);
void Timer_Handler(void);
void Software_Handler(void);

/* The names that an image does not define end the machine. */
#pragma weak Timer_Handler = Unexpected_Handler
#pragma weak Software_Handler = Unexpected_Handler

/* The first instruction of the machine. */
__attribute__((naked, used, section(".reset"))) void Reset_Handler(void)
{
    __asm__ volatile("la sp, stack_top\n\t"
                     "j Start");
}

/* mtvec's vectored mode: a jump of four bytes for each cause of an interrupt; exceptions take the
 * first. */
__attribute__((naked, used, aligned(64))) void Vectors(void)
{
    __asm__ volatile(".option norvc\n\t"
                     "j Unexpected_Handler\n\t"
                     "j Unexpected_Handler\n\t"
                     "j Unexpected_Handler\n\t"
                     "j Software_Handler\n\t" /* 3 */
                     "j Unexpected_Handler\n\t"
                     "j Unexpected_Handler\n\t"
                     "j Unexpected_Handler\n\t"
                     "j Timer_Handler\n\t" /* 7 */
                     "j Unexpected_Handler\n\t"
                     "j Unexpected_Handler\n\t"
                     "j Unexpected_Handler\n\t"
                     "j Unexpected_Handler"); /* 11, external */
}

__attribute__((used)) void Start(void)
{
    const uint32_t *from = data_load;
    for (uint32_t *to = data_start; to < data_end; to++)
        *to = *from++;
    for (uint32_t *to = bss_start; to < bss_end; to++)
        *to = 0;
    __asm__ volatile("csrw mtvec, %0" ::"r"((uint32_t)Vectors | 1u));
    board_exit((uint32_t)main());
}

void Unexpected_Handler(void)
{
    board_exit(BOARD_EXIT_FAULT);
}
