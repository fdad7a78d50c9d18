/* analysis_roots.h - lists of the roots of a random trace against what a model of it says. */
#ifndef ANALYSIS_ROOTS_H
#define ANALYSIS_ROOTS_H

#include "analysis_model.h"

/* All of them; then some by name, attributes, length and window, in each order, with limits that `seed` chooses. The
 * program ends with a message if something is not as the model has it. */
void analysis_roots_check(const struct model *m, uint64_t seed);

#endif
