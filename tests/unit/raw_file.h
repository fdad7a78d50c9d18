/* raw_file.h - a .stave file that is made block by block, as no writer makes it, under a name of the test's own.
 *
 *     cmocka_run_group_tests(tests, raw_make_path, raw_remove_path)
 *
 *     raw_begin();                                                   // what fails fails the test
 *     raw_add((struct stave__header){.kind = STAVE__BOOTS, .rows = 1}, body, size);
 *     stave_trace *trace = raw_open(NULL);
 *     raw_assert_damage(trace, "a table that is not sound");
 *     free(raw_file.at);  */
#ifndef RAW_FILE_H
#define RAW_FILE_H

#include "store/block.h"
#include "stress/traces.h"

extern char raw_path[64];
extern struct traces_bytes raw_file; /* to be freed by each test */

int raw_make_path(void **state);
int raw_remove_path(void **state);

/* No block yet. */
void raw_begin(void);
void raw_add(struct stave__header header, const void *body, size_t size);

/* The file as it is now; `config` may be NULL. */
stave_trace *raw_open(const stave_trace_config *config);
/* What has its name, whoever wrote it. */
stave_trace *raw_open_path(const stave_trace_config *config);

/* It has this one, and no other. */
void raw_assert_damage(const stave_trace *trace, const char *what);

#endif
