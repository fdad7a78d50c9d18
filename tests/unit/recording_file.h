/* recording_file.h - a file that the recorder writes, in a folder of the test's own; and processes of their own.
 *
 *     cmocka_run_group_tests(tests, make_folder, remove_folder)
 *
 *     begin_file();                                                  // what fails fails the test
 *     end_file();
 *     in_a_child(run, &given);                                       // run's *state is `given`  */
#ifndef RECORDING_FILE_H
#define RECORDING_FILE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

extern char folder[], path[64];

int make_folder(void **state);
int remove_folder(void **state); /* and `path`; other files are the test's to remove */

void begin_file(void);
void end_file(void);

void wait_ms(uint32_t ms);

/* Rows of every kind, over some chunks. */
void record_all_kinds(uint32_t from, uint32_t to);

/* The child's status with which the test is skipped instead. */
enum { NOT_HERE = 77 };

/* In a process of its own, whose memory is that of its first start: what fails there fails the test. */
void in_a_child(CMUnitTestFunction run, void *given);

#endif
