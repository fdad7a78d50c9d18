/* record/image_rules.h - the tables of rules in a .stave file (docs/format.md, "Rules"), from what record/rules.h and
 * record/sessions.h know. */
#ifndef STAVE_RECORD_IMAGE_RULES_H
#define STAVE_RECORD_IMAGE_RULES_H

#include "record/image_tables.h"

/* What is new of rules, and what they depend on. */
void stave__image_rules(struct stave__image_file *file);

/* The sessions that have not been freed, with what they lost and what was added to them, or the one that the file is of:
 * once, at a file's end. */
void stave__image_sessions(struct stave__image_file *file);

#endif
