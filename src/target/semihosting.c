/* Files and the exit status of the debugger's host, or of QEMU's: for tests and benchmarks.
 *
 * Source     github.com/ARM-software/abi-aa, semihosting.rst; for RISC-V
 *            github.com/riscv-non-isa/riscv-semihosting  */
#include "stave/target.h"

#ifdef STAVE_TARGET_SEMIHOSTING

#define SYS_OPEN 0x01u
#define SYS_WRITE 0x05u
#define SYS_EXIT_EXTENDED 0x20u

#define OPEN_WB 5u
#define APPLICATION_EXIT 0x20026u

static intptr_t call(uintptr_t operation, const uintptr_t *arguments)
{
#if defined __arm__
    register uintptr_t r0 __asm__("r0") = operation;
    register const uintptr_t *r1 __asm__("r1") = arguments;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return (intptr_t)r0;
#elif defined __riscv
    register uintptr_t a0 __asm__("a0") = operation;
    register const uintptr_t *a1 __asm__("a1") = arguments;
    __asm__ volatile(".balign 16\n\t" /* the three lie in one page */
                     ".option push\n\t"
                     ".option norvc\n\t"
                     "slli x0, x0, 0x1f\n\t"
                     "ebreak\n\t"
                     "srai x0, x0, 7\n\t"
                     ".option pop"
                     : "+r"(a0)
                     : "r"(a1)
                     : "memory");
    return (intptr_t)a0;
#else
#error "semihosting is for Arm and RISC-V"
#endif
}

int32_t stave_target_semihosting_open(const char *path)
{
    const volatile char *end = path; /* volatile: so it becomes no call of strlen */
    while (*end != '\0')
        end++;
    uintptr_t length = (uintptr_t)(end - path);
    const uintptr_t arguments[3] = {(uintptr_t)path, OPEN_WB, length};
    return (int32_t)call(SYS_OPEN, arguments);
}

size_t stave_target_semihosting_write(void *context, const uint8_t *bytes, size_t size)
{
    const int32_t *handle = (const int32_t *)context;
    const uintptr_t arguments[3] = {(uintptr_t)*handle, (uintptr_t)bytes, size};
    intptr_t left = call(SYS_WRITE, arguments); /* bytes that were not written */
    return left < 0 || (size_t)left > size ? 0 : size - (size_t)left;
}

void stave_target_semihosting_exit(uint32_t status)
{
    const uintptr_t arguments[2] = {APPLICATION_EXIT, status};
    call(SYS_EXIT_EXTENDED, arguments);
}

#endif
