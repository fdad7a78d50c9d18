/* show.h - a report as tables. */
#ifndef WORKFLOW_SHOW_H
#define WORKFLOW_SHOW_H

#include <stave/report.h>

/* A line for each rule, the most time of its own first. */
void show_rules(const stave_report *report);

/* The run that took longest; UINT32_MAX: there is none. */
uint32_t find_slowest(const stave_report *report);

/* What bounds its time, and by how much all else could be longer. */
void show_run(const stave_report *report, uint32_t index);

/* What was captured and is not in the report; says so also if nothing was. */
void show_lost(const stave_report *report);

#endif
