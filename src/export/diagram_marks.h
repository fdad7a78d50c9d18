/* export/diagram_marks.h - which marker stands on which lane.
 *
 * Markers of a device do not say where they belong: each goes to the first lane, in the order in which they
 * are drawn, with a span that holds its time, ends included.
 *
 *     stave__marks_begin(&marks, &gathered, error);         // all markers of a source; takes the rows
 *     stave__marks_claim(&marks, &spans, &of_lane, error);  // for each lane
 *     stave__marks_rest(&marks, &rest, error);
 *     stave__marks_free(&marks);
 */
#ifndef STAVE_EXPORT_DIAGRAM_MARKS_H
#define STAVE_EXPORT_DIAGRAM_MARKS_H

#include "export/diagram_rows.h"

struct stave__marks {
    struct stave__rows rows; /* sorted */
    uint32_t *next; /* of a claimed one: some later one, with none between that is unclaimed; of an
                       unclaimed one: itself. One more stands behind the last */
};

/* Takes over `rows`, also when it fails. */
int stave__marks_begin(struct stave__marks *marks, struct stave__rows *rows, stave_error *error);
void stave__marks_free(struct stave__marks *marks);

/* Adds to `of_lane` the unclaimed markers that one of these spans, sorted, holds. The time that takes
 * grows with the number of spans and claimed markers, not with that of the others. */
int stave__marks_claim(struct stave__marks *marks, const struct stave__rows *spans,
                       struct stave__rows *of_lane, stave_error *error);

/* Adds those that nobody claimed. */
int stave__marks_rest(struct stave__marks *marks, struct stave__rows *rest, stave_error *error);

/* Gives a lane's markers, sorted, the row of the innermost span that holds them, or 0. The spans are laid
 * out. */
void stave__marks_lay_out(struct stave__rows *marks, const struct stave__rows *spans);

#endif
