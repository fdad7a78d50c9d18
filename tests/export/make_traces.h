/* make_traces.h - what make_traces.c does not hold itself. */
#ifndef STAVE_TEST_EXPORT_MAKE_TRACES_H
#define STAVE_TEST_EXPORT_MAKE_TRACES_H

#include "export/put_rows.h"

void make_everything(void);
void make_small(void);
void make_solid(void);

#endif
