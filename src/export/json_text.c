#include "export/json_text.h"

#include <math.h>
#include <stdlib.h>

#include "base/utf8.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */
#define EXACT ((uint64_t)1 << 53)  /* integers up to here are doubles */

/* ---- texts ----------------------------------------------------------------------------------- */

/* Bytes from `at` on that stand in a JSON text as they are. */
static size_t plain_run(const char *text, size_t at, size_t size)
{
    uint32_t point;
    size_t end = at;
    while (end < size) {
        unsigned char c = (unsigned char)text[end];
        size_t step = c < 0x80 ? 1 : stave__utf8_decode(text + end, size - end, &point);
        if (step == 0 || c < 0x20 || c == '"' || c == '\\')
            break;
        end += step;
    }
    return end - at;
}

/* One byte that does not. */
static void put_escaped(struct stave__out *out, unsigned char c)
{
    static const char hex[] = "0123456789abcdef";
    char text[] = {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};
    if (c >= 0x80)
        stave__out_text(out, REPLACEMENT);
    else if (c == '"' || c == '\\')
        stave__out_bytes(out, (const char[]){'\\', (char)c}, 2);
    else
        stave__out_bytes(out, text, sizeof text);
}

void stave__json_string(struct stave__out *out, const char *text, size_t size)
{
    stave__out_text(out, "\"");
    for (size_t at = 0; at < size; at++) {
        size_t run = plain_run(text, at, size);
        stave__out_bytes(out, text + at, run);
        at += run;
        if (at < size)
            put_escaped(out, (unsigned char)text[at]);
    }
    stave__out_text(out, "\"");
}

size_t stave__utf8_clean(const char *text, size_t size, char *clean)
{
    size_t used = 0;
    uint32_t point;
    for (size_t at = 0, step; at < size; at += step) {
        step = stave__utf8_decode(text + at, size - at, &point);
        memcpy(clean + used, step != 0 ? text + at : REPLACEMENT, step != 0 ? step : 3);
        used += step != 0 ? step : 3;
        step = step != 0 ? step : 1;
    }
    return used;
}

/* ---- numbers --------------------------------------------------------------------------------- */

void stave__json_s64(struct stave__out *out, int64_t number)
{
    if (number < 0)
        stave__out_text(out, "-");
    stave__json_u64(out, number < 0 ? 0 - (uint64_t)number : (uint64_t)number);
}

void stave__json_double(struct stave__out *out, double value)
{
    if (isfinite(value))
        stave__out_wrote(out, stave__shortest(value, stave__out_room(out, STAVE__SHORTEST_MAX)));
    else
        stave__out_text(out, isnan(value) ? "\"NaN\""
                             : value > 0  ? "\"Infinity\""
                                          : "\"-Infinity\"");
}

void stave__json_us(struct stave__out *out, uint64_t ns)
{
    char *room = stave__out_room(out, STAVE__U64_TEXT_MAX + 4);
    size_t used = stave__u64_text(ns / 1000, room);
    unsigned rest = (unsigned)(ns % 1000);
    room[used] = '.';
    room[used + 1] = (char)('0' + rest / 100);
    room[used + 2] = (char)('0' + rest / 10 % 10);
    room[used + 3] = (char)('0' + rest % 10);
    stave__out_wrote(out, used + 4);
}

/* In quotes where a reader would round it. */
static void put_integer(struct stave__out *out, bool negative, uint64_t magnitude)
{
    const char *quote = magnitude > EXACT ? "\"" : "";
    stave__out_text(out, quote);
    if (negative)
        stave__out_text(out, "-");
    stave__json_u64(out, magnitude);
    stave__out_text(out, quote);
}

void stave__json_value(struct stave__out *out, const stave_trace *trace, uint16_t flags,
                       uint64_t value)
{
    double real;
    size_t size;
    const char *text;
    switch (stave_value_type(flags)) {
    case STAVE_FLAG_TEXT:
        text = stave_trace_string(trace, (uint32_t)value, &size);
        stave__json_string(out, text, size);
        break;
    case STAVE_FLAG_REAL:
        memcpy(&real, &value, sizeof real);
        stave__json_double(out, real);
        break;
    case STAVE_FLAG_SIGNED:
        put_integer(out, (int64_t)value < 0, (int64_t)value < 0 ? 0 - value : value);
        break;
    case STAVE_FLAG_BOOL:
        stave__out_text(out, value != 0 ? "true" : "false");
        break;
    default:
        put_integer(out, false, value);
    }
}

/* ---- names ----------------------------------------------------------------------------------- */

struct buffer {
    char *bytes;
    size_t used;
};

static int into_buffer(void *context, const void *data, size_t size)
{
    struct buffer *buffer = context;
    char *larger = realloc(buffer->bytes, buffer->used + size);
    if (larger == NULL)
        return STAVE_E_MEMORY;
    memcpy(larger + buffer->used, data, size);
    buffer->bytes = larger;
    buffer->used += size;
    return STAVE_OK;
}

/* Makes room for all of the trace's strings. */
static bool reserve(struct stave__json_names *names)
{
    uint32_t count = stave_trace_strings(names->trace);
    char **texts = realloc(names->texts, ((size_t)count + 1) * sizeof *texts);
    if (texts == NULL)
        return false;
    names->texts = texts;
    uint32_t *sizes = realloc(names->sizes, ((size_t)count + 1) * sizeof *sizes);
    if (sizes == NULL)
        return false;
    names->sizes = sizes;
    for (; names->count < count; names->count++)
        texts[names->count] = NULL;
    return true;
}

static bool escape(struct stave__json_names *names, uint32_t id)
{
    struct stave__out *out = malloc(sizeof *out);
    struct buffer buffer = {0};
    size_t size;
    if (out == NULL)
        return false;
    const char *text = stave_trace_string(names->trace, id, &size);
    stave__out_init(out, (stave_sink){into_buffer, &buffer});
    stave__json_string(out, text, size);
    int status = stave__out_finish(out, NULL);
    free(out);
    if (status < 0) {
        free(buffer.bytes);
        return false;
    }
    names->texts[id] = buffer.bytes;
    names->sizes[id] = (uint32_t)buffer.used;
    return true;
}

bool stave__json_name(struct stave__json_names *names, struct stave__out *out, uint32_t id)
{
    if (id >= names->count && !reserve(names))
        return false;
    if (names->texts[id] == NULL && !escape(names, id))
        return false;
    stave__out_bytes(out, names->texts[id], names->sizes[id]);
    return true;
}

void stave__json_names_free(struct stave__json_names *names)
{
    for (uint32_t i = 0; i < names->count; i++)
        free(names->texts[i]);
    free(names->texts);
    free(names->sizes);
}
