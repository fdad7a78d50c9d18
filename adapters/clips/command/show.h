/* clips/command/show.h - the tables of `stave-clips`.  */
#ifndef STAVE_CLIPS_SHOW_H
#define STAVE_CLIPS_SHOW_H

#include <stave/report.h>

/* One line about the run, one each about what is not in it. */
void show_summary(const stave_report *report);

void show_report(const stave_report *report);
void show_tree(const stave_report *report, uint64_t limit);

#endif
