/* native.h - C code to functions in this process, by libtcc. */
#ifndef WORKFLOW_NATIVE_H
#define WORKFLOW_NATIVE_H

#include "workflow.h"

/* NULL: it did not compile, which is not the user's fault. */
void *native_compile(const char *code, struct complaint *complaint);
condition_function *native_find(void *native, int number); /* rule_NUMBER */
void native_free(void *native);                            /* takes NULL; its functions are gone */

#endif
