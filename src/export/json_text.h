/* export/json_text.h - what files of JSON are made of: texts, numbers, names that come again and again.
 *
 *     stave__json_string(out, text, size);                  // "text", in quotes
 *     stave__json_us(out, 12345);                           // 12.345
 *     stave__json_name(&names, out, id, error)              // a text of the trace
 *
 * Strict JSON (RFC 8259) in UTF-8: what is none becomes U+FFFD. Only what has to be escaped is, since Perfetto leaves other
 * escapes in keys as they are.  */
#ifndef STAVE_EXPORT_JSON_TEXT_H
#define STAVE_EXPORT_JSON_TEXT_H

#include "base/out.h"
#include "base/shortest.h"
#include "stave/trace.h"

void stave__json_string(struct stave__out *out, const char *text, size_t size);

static inline void stave__json_word(struct stave__out *out, const char *word)
{
    stave__json_string(out, word, strlen(word));
}

static inline void stave__json_u64(struct stave__out *out, uint64_t number)
{
    stave__out_wrote(out, stave__u64_text(number, stave__out_room(out, STAVE__U64_TEXT_MAX)));
}

void stave__json_s64(struct stave__out *out, int64_t number);

/* A finite one; else its name as a text: "NaN", "Infinity", "-Infinity". */
void stave__json_double(struct stave__out *out, double value);

/* Nanoseconds as microseconds with three decimals: exact, where a double of them need not be. */
void stave__json_us(struct stave__out *out, uint64_t ns);

/* A value by its flags (stave_value_type()). Integers that a double does not hold are texts. */
void stave__json_value(struct stave__out *out, const stave_trace *trace, uint16_t flags,
                       uint64_t value);

/* Texts of a trace, escaped once. Zero but for the trace: empty. */
struct stave__json_names {
    const stave_trace *trace;
    char **texts; /* by string id; NULL: not yet */
    uint32_t *sizes;
    uint32_t count;
};

/* False when out of memory. */
bool stave__json_name(struct stave__json_names *names, struct stave__out *out, uint32_t id);
void stave__json_names_free(struct stave__json_names *names);

/* Bytes of `text` into `clean`, of 3 * size: U+FFFD for each that is no UTF-8. Returns how many. */
size_t stave__utf8_clean(const char *text, size_t size, char *clean);

#endif
