/* A stream made by hand, and what the decoder makes of it: for tests of one rule at a time. */
#ifndef STAVE_TEST_STREAM_H
#define STAVE_TEST_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include "stave/decode.h"
#include "wire/frame.h"

#define HEAD "name,type,start_us,end_us,priority,deadline_us,value,interrupted\n"

struct stream {
    uint8_t bytes[1 << 22];
    size_t size;
};

struct result {
    stave_trace *trace;
    stave_decode_stats stats;
    char csv[1 << 16];
    size_t csv_size;
};

extern struct stream stream;
extern struct result result;

/* ---- writing ---- */

void begin(void);
void raw(const void *bytes, size_t size);
void put(enum wire_version version, struct wire_frame frame);
void start_frame(uint32_t sequence, int64_t ticks);
void name_frame(uint32_t sequence, int64_t ticks, uint32_t id, const char *name);
void event_frame(uint32_t kind, uint32_t sequence, int64_t delta, uint32_t id);
void v1_frame(uint32_t kind, uint32_t sequence, int64_t ns, const char *name);

/* ---- decoding: afterwards `result` holds everything; free_result() ends it ---- */

void decode_as(uint32_t version);
void free_result(void);

/* Rows of the CSV behind its head. */
void assert_decodes_to(const char *rows);

#endif
