/* record/copies.h - of several copies of libstave in a process, one records.
 *
 * A program and its plugins may each have one linked in. Where the dynamic linker makes one of all their
 * symbols, they are one: the first that it finds, and the others are never called. Else there are several, and
 * a probe may even have one function of this and one of that, since a program exports what the libraries that
 * it is linked with ask for, and no more.
 *
 * Invariants
 * C1  At most one copy is ever started, so that numbers of names, lanes and chunks are all of one.
 * C2  In one that is not started, `made` of record/recorder.h is false, and every function does nothing,
 *     also for probes that read another's stave__on and stave__self.
 * C3  Inside the library stave__own is the thread's place, not stave__self, which may be another copy's. A
 *     probe that reads that of a copy which is not started finds no room in it by R4, and calls.  */
#ifndef STAVE_RECORD_COPIES_H
#define STAVE_RECORD_COPIES_H

#include <stdbool.h>

#include "stave/status.h"

/* Makes this copy the one that records. STAVE_E_STATE when another is, or has some of the symbols of this one;
 * the message says where that is. */
int stave__copies_claim(stave_error *error);
void stave__copies_give_up(void);

/* Whether this copy was ever refused. */
bool stave__copies_refused(void);

#endif
