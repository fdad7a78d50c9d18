/* demo.h - a few hundred thousand orders through a workflow, captured; what took the time, and what capturing it did. */
#ifndef WORKFLOW_DEMO_H
#define WORKFLOW_DEMO_H

#include "workflow.h"

struct demo_options {
    const char *workflow;   /* path */
    const char *speedscope; /* path; NULL: none is written */
    const char *save;       /* likewise, a .stave file */
    uint64_t orders, seed, threads, first;
    uint64_t memory_mib; /* 0: as much as is expected to be needed */
    uint64_t passes;     /* of measuring what capture costs */
};

/* The exit status: 0 done, 1 one thread and all of them came to different verdicts, 2 it could not be done. */
int demo(const struct demo_options *options);

#endif
