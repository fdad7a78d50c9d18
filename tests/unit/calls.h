/* calls.h - small traces of spans, made row by row.
 *
 *     struct calls calls;
 *     calls_open(&calls, 0);                                          // 1 tick is 1 ns
 *     calls_span(&calls, &(struct stave__row){.start = 0, .end = 10, .serial = 1}, "main");
 *     calls_close(&calls);                                            // sealed: it can be asked now
 *     ...
 *     stave_trace_free(calls.trace);
 */
#ifndef CALLS_H
#define CALLS_H

#include "stave/analyze.h"
#include "trace/trace.h"

#define CALLS_LANES 8

struct calls {
    stave_trace *trace;
    uint32_t lane, boot; /* of the rows to come */
    uint64_t random;     /* state */
    bool begun[STAVE_ROW_KINDS][CALLS_LANES];
    struct stave__appender appenders[STAVE_ROW_KINDS][CALLS_LANES];
};

/* A trace with one boot whose clock runs at `hz`, and lanes named "lane 0" and so on. */
void calls_open(struct calls *calls, double hz);

/* The rows before it are sealed; a new boot. */
void calls_boot(struct calls *calls, double offset_us, double hz);

void calls_close(struct calls *calls);

/* What the recorder says that a span cost. */
void calls_cost(struct calls *calls, double span_ns, double inner_ns);

uint32_t calls_name(struct calls *calls, const char *name);

/* A row of any kind on calls->lane; the name may be NULL. */
void calls_row(struct calls *calls, stave_row_kind kind, const struct stave__row *row,
               const char *name);

static inline void calls_span(struct calls *calls, const struct stave__row *row, const char *name)
{
    calls_row(calls, STAVE_SPANS, row, name);
}

/* The usual ones: with the depth, serial and times that it has. */
void calls_add(struct calls *calls, const char *name, uint32_t depth, uint64_t serial,
               int64_t start, int64_t end);

/* A cumulative row from tick 10 to 90: of `count` calls that took `total` ticks together, the least 1,
 * the longest half of the total. */
void calls_cumulative(struct calls *calls, const char *name, uint64_t serial, uint32_t depth,
                      uint64_t count, uint64_t total);

/* The same that says where in its span it is: its number, and that of the one around it, 0: none. They begin in
 * the order of their numbers, up to 64. */
void calls_entry(struct calls *calls, const char *name, uint64_t serial, uint64_t number,
                 uint32_t around, uint64_t count, uint64_t total);

/* A counter's value. */
void calls_sample(struct calls *calls, const char *name, int64_t time, uint64_t value,
                  uint16_t flags);

uint32_t calls_random(struct calls *calls, uint32_t limit);

/* Calls as a program makes them, on calls->lane, with cumulative rows; unless `sound`, rows get lost,
 * swapped and bent now and then. Serials are from 1 on. */
void calls_random_lane(struct calls *calls, uint32_t steps, bool sound);

/* The roll-up's row of a name; the test fails when there is none. */
const stave_rollup_row *calls_row_of(const struct calls *calls, const stave_rollup *rollup,
                                     const char *name);

/* The roll-up both ways: lane by lane, and with all spans in memory. They must agree. The first is to
 * be freed. `config` may be NULL. */
stave_rollup *calls_rollup(stave_trace *trace, const stave_rollup_config *config);

/* Closes the calls; the rows of their roll-up are these, in this order. */
struct expected {
    const char *name;
    uint64_t calls;
    double total_ns, self_ns;
};

void calls_check(struct calls *calls, const stave_rollup_config *config,
                 const struct expected *expected, uint32_t count);

/* The trace's first tree is this, a line for each node: two blanks a level, its name, its calls, self,
 * total and busy. */
void calls_check_tree(stave_trace *trace, const char *expected);

#define CHECK(calls, config, ...)                                                                  \
    do {                                                                                           \
        const struct expected expected_[] = {__VA_ARGS__};                                         \
        calls_check((calls), (config), expected_, sizeof expected_ / sizeof expected_[0]);         \
    } while (0)

#endif
