/* host.h - what a host makes of the stream: by the real decoder, and what it must be by the model.
 *
 *     host_check(&link);            // the run since the last start, row by row
 *
 *     struct host host;             // or by hand
 *     host_decode(&host, bytes, size);
 *     const struct host_row *row = host_find(&host, STAVE_SPANS, "adc", 0);
 *     host_free(&host);  */
#ifndef HOST_H
#define HOST_H

#include "link.h"
#include "stave/decode.h"

struct host_row {
    uint32_t kind; /* enum stave_row_kind: spans, marks, gaps */
    uint32_t lane_kind;
    uint32_t priority;
    uint32_t flags;
    char name[40]; /* empty: of a gap or a restart */
    int64_t start; /* ticks */
    int64_t end;
    uint64_t value;
    double start_us;
    double end_us;
    float deadline_ms;
    bool has_deadline;
    uint32_t boot;
};

struct host {
    stave_trace *trace;
    stave_decode_stats stats;
    struct host_row *rows; /* in the order in which they took effect */
    uint32_t count;
};

void host_decode(struct host *host, const uint8_t *bytes, size_t size);
void host_free(struct host *host);

/* Row `index`, from 0, of those of this kind and name. */
const struct host_row *host_find(const struct host *host, uint32_t kind, const char *name,
                                 uint32_t index);
uint32_t host_count(const struct host *host, uint32_t kind, const char *name);

/* Decodes what came since the last start and compares rows and counters with the model. False, and
 * nothing compared, where losses are of a shape of which the format lets a host not be sure (rule 3 of
 * docs/etrace.md, or close to 16384 frames). */
bool host_check(const struct link *link);
void host_forget(void); /* what it keeps for the next time */

#endif
