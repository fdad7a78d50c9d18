/* report/read.h - a trace to a model: what the files of src/report/read*.c share. */
#ifndef STAVE_REPORT_READ_H
#define STAVE_REPORT_READ_H

#include "analyze/nesting.h"
#include "analyze/reading.h"
#include "report/axis.h"
#include "report/model.h"

/* What a string of the trace is the name of. Those of rules and runs, keys of outcomes are enum stave__rule_role. */
enum stave__meaning {
    STAVE__MEANS_NOTHING = 6, /* behind the roles */
    STAVE__MEANS_ERROR,
    STAVE__MEANS_ID,
};

struct stave__rule_reading {
    stave_trace *trace;
    struct stave__model *model;
    struct stave__reading reading;
    uint8_t *meanings;   /* of each string */
    uint32_t *declared;  /* of each string that is a rule's name, which */
    uint32_t *texts;     /* of each string its text in the model plus 1; 0: not yet */
    uint32_t *lanes;     /* of the boot at hand: of each lane its number in the model plus 1 */
    uint32_t lanes_size; /* of the model's names */
    struct stave__axis axis;
    struct stave__around around;
    bool out_of_memory;
    /* Of cumulative entries: the scope of the model, which rows know by themselves. */
    uint32_t scope_lane;
};

/* The text of a string in the model. Out of memory it is the empty one, and noted. */
uint32_t stave__read_text(struct stave__rule_reading *r, uint32_t string);
/* The model's number of a lane of the boot at hand. */
uint32_t stave__read_lane(struct stave__rule_reading *r, uint32_t lane);

/* The rows of one lane and boot: choices [from, end). read_rows.c */
int stave__read_rows(struct stave__rule_reading *r, uint32_t from, uint32_t end,
                     stave_error *error);

#endif
