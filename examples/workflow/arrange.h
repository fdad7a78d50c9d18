/* arrange.h - rules that have been read and compiled, in the order in which they are evaluated. */
#ifndef WORKFLOW_ARRANGE_H
#define WORKFLOW_ARRANGE_H

#include "workflow.h"

/* Numbers them anew, by priority as far as what they come after allows; finds their functions, links them with each other, and
 * makes what Stave knows of them. False: no memory. */
bool workflow_arrange(struct workflow *workflow);

#endif
