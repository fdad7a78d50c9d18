/* recording.h - around each test of the recorder: it begins with nothing recorded and ends without an open span.
 *
 *     cmocka_unit_test_setup_teardown(test, set_up, tear_down)
 *
 * In the test, look() shows what has been recorded by then in `seen`.  */
#ifndef RECORDING_H
#define RECORDING_H

#include "stress/recorded.h"

int set_up(void **state);
int tear_down(void **state);

extern struct recorded seen;
void look(void);

extern stave_counts before; /* by earlier tests */
#define COUNTED(name) (recorded_counts().name - before.name)

#endif
