/* clips/command/show.h - the tables of `stave-clips`.  */
#ifndef STAVE_CLIPS_SHOW_H
#define STAVE_CLIPS_SHOW_H

#include <stave/report.h>

/* How many rules have fired, also those that are not in the report. */
uint64_t show_firings(const stave_report *report);

/* A line about the run, and one about what is not in the report. */
void show_summary(const stave_report *report);

void show_report(const stave_report *report);
void show_tree(const stave_report *report, uint64_t limit);

#endif
