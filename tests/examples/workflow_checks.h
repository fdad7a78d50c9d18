/* workflow_checks.h - what tests of examples/workflow share; what fails fails the test. */
#ifndef WORKFLOW_CHECKS_H
#define WORKFLOW_CHECKS_H

#include <stave/rules.h>

#include "engine.h"

/* The place of a rule in its workflow. */
int number_of(const struct workflow *in, const char *id);

stave_session *start_session(void);

#endif
