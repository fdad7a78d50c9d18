/* target/port.h - which port: STAVE_TARGET_PORT's header, or the one of the compiler's processor.
 *
 * A port defines, as static inline functions:
 *
 *     void     stave_port_start(void);            // the clock runs from here on
 *     uint32_t stave_port_lock(void);             // keeps out whatever else records, and what polls
 *     void     stave_port_unlock(uint32_t before);  // `before` is what the lock returned
 *     uint32_t stave_port_clock(void);            // ticks, up, wrapping; under the lock
 *
 * With STAVE_TARGET_CLOCK_BITS 64 the clock is a uint64_t. The lock is not taken twice by one context,
 * but may be taken where interrupts are off already. It is a barrier to the compiler, and where several
 * cores record, to them: there it must keep them out too. docs/firmware.md has an example.  */
#ifndef STAVE_TARGET_PORT_H
#define STAVE_TARGET_PORT_H

#include "stave/target.h"

#if defined STAVE_TARGET_OFF /* needs none */
#elif defined STAVE_TARGET_PORT && defined STAVE_TARGET_OWN_CLOCK
#error "a port by STAVE_TARGET_PORT has its own stave_port_clock(): no STAVE_TARGET_OWN_CLOCK"
#elif defined STAVE_TARGET_PORT
#include STAVE_TARGET_PORT
#elif defined __ARM_ARCH_PROFILE && __ARM_ARCH_PROFILE == 'M'
#include "target/port_cortex_m.h"
#elif defined __riscv && !defined __unix__
#include "target/port_riscv.h"
#elif defined __unix__
#include "target/port_host.h"
#else
#error "Stave has no port for this processor: name a header by STAVE_TARGET_PORT"
#endif

#ifndef STAVE_TARGET_CLOCK_BITS
#define STAVE_TARGET_CLOCK_BITS 32
#endif

/* A reading of the clock, and the step from one to a later one. */
#if STAVE_TARGET_CLOCK_BITS == 64
typedef uint64_t stave__ticks;
typedef int64_t stave__ticks_step;
#elif STAVE_TARGET_CLOCK_BITS == 32
typedef uint32_t stave__ticks;
typedef uint32_t stave__ticks_step;
#else
#error "STAVE_TARGET_CLOCK_BITS is 32 or 64"
#endif

#endif
