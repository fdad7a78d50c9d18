#include "store/column.h"

#include <assert.h>
#include <string.h>

#include "store/bytes.h"

#define HEAD_MAX (2 + 2 * STAVE__VARINT_MAX)

size_t stave__column_bound(size_t count)
{
    return HEAD_MAX + count * STAVE__VARINT_MAX;
}

/* ---- writing --------------------------------------------------------------------------------- */

static size_t varint_size(uint64_t value)
{
    return value < 128 ? 1 : (size_t)(70 - __builtin_clzll(value)) / 7;
}

/* What the transform makes of row i. */
static inline uint64_t transformed(enum stave__transform transform, const uint64_t *values,
                                   uint32_t i, const uint64_t *ends)
{
    switch (transform) {
    case STAVE__DELTA:
        return stave__zigzag(values[i] - (i > 0 ? values[i - 1] : 0));
    case STAVE__FROM_END:
        return stave__zigzag(ends[i] - values[i]);
    default:
        return values[i];
    }
}

struct survey {
    size_t varints; /* bytes of all as varints */
    bool same;
};

static inline struct survey survey(enum stave__transform transform, const uint64_t *values,
                                   uint32_t from, uint32_t count, const uint64_t *ends)
{
    struct survey s = {.same = true};
    uint64_t first = from < count ? transformed(transform, values, from, ends) : 0;
    for (uint32_t i = from; i < count; i++) {
        uint64_t value = transformed(transform, values, i, ends);
        s.varints += varint_size(value);
        s.same = s.same && value == first;
    }
    return s;
}

static uint8_t *put_head(uint8_t *at, uint32_t number, enum stave__transform transform,
                         enum stave__mode mode, uint32_t count, size_t size)
{
    *at++ = (uint8_t)number;
    *at++ = (uint8_t)((uint32_t)transform << 4 | (uint32_t)mode);
    at = stave__put_varint(at, count);
    return stave__put_varint(at, size);
}

static inline uint8_t *put_values(uint8_t *at, enum stave__transform transform,
                                  enum stave__mode mode, const uint64_t *values, uint32_t from,
                                  uint32_t count, const uint64_t *ends)
{
    for (uint32_t i = from; i < count; i++) {
        uint64_t value = transformed(transform, values, i, ends);
        at = mode == STAVE__FIXED ? stave__put_u64(at, value) : stave__put_varint(at, value);
    }
    return at;
}

/* Inline, so that the loops know the transform. */
static inline uint8_t *put(uint8_t *at, uint32_t number, enum stave__transform transform,
                           const uint64_t *values, uint32_t count, const uint64_t *ends)
{
    uint32_t from = transform == STAVE__DELTA && count > 0;
    uint64_t alone = from > 0 ? stave__zigzag(values[0]) : 0;
    size_t alone_size = from > 0 ? varint_size(alone) : 0;
    struct survey s = survey(transform, values, from, count, ends);
    uint64_t first = from < count ? transformed(transform, values, from, ends) : 0;
    enum stave__mode mode = STAVE__VARINT;
    size_t size = s.varints;
    if (s.same) {
        mode = STAVE__SAME;
        size = first != 0 ? varint_size(first) : 0;
    } else if (s.varints > (size_t)8 * (count - from)) {
        mode = STAVE__FIXED;
        size = (size_t)8 * (count - from);
    }
    at = put_head(at, number, transform, mode, count, alone_size + size);
    if (from > 0)
        at = stave__put_varint(at, alone);
    if (s.same)
        return first != 0 ? stave__put_varint(at, first) : at;
    return put_values(at, transform, mode, values, from, count, ends);
}

uint8_t *stave__column_put(uint8_t *at, uint32_t number, enum stave__transform transform,
                           const uint64_t *values, uint32_t count, const uint64_t *ends)
{
    assert(count <= STAVE__COLUMN_ROWS_MAX && number < 256);
    switch (transform) {
    case STAVE__DELTA:
        return put(at, number, STAVE__DELTA, values, count, NULL);
    case STAVE__FROM_END:
        return put(at, number, STAVE__FROM_END, values, count, ends);
    default:
        return put(at, number, STAVE__PLAIN, values, count, NULL);
    }
}

uint8_t *stave__column_put_bytes(uint8_t *at, uint32_t number, const void *bytes, uint32_t size)
{
    at = put_head(at, number, STAVE__PLAIN, STAVE__BYTES, size, size);
    memcpy(at, bytes, size);
    return at + size;
}

/* ---- reading --------------------------------------------------------------------------------- */

const uint8_t *stave__column_next(const uint8_t *at, const uint8_t *end,
                                  struct stave__column *column)
{
    uint64_t count, size;
    if (end - at < 2)
        return NULL;
    column->number = at[0];
    column->transform = at[1] >> 4;
    column->mode = at[1] & 15;
    at = stave__get_varint(at + 2, end, &count);
    if (at != NULL)
        at = stave__get_varint(at, end, &size);
    if (at == NULL || size > (uint64_t)(end - at) || count > UINT32_MAX)
        return NULL;
    column->count = (uint32_t)count;
    column->bytes = at;
    column->size = (size_t)size;
    return at + size;
}

/* What a stored value makes of the row; `sum` is the row before. */
static inline uint64_t restored(enum stave__transform transform, uint64_t stored, uint64_t sum,
                                const uint64_t *ends, uint32_t i)
{
    switch (transform) {
    case STAVE__DELTA:
        return sum + stave__unzigzag(stored);
    case STAVE__FROM_END:
        return ends[i] - stave__unzigzag(stored);
    default:
        return stored;
    }
}

/* Rows from varints: where they end, or NULL. Most are one or two bytes. Inline, so that the loops
 * know the transform. */
static inline const uint8_t *get_varints(const uint8_t *at, const uint8_t *end, uint64_t *values,
                                         uint32_t count, enum stave__transform transform,
                                         uint64_t sum, const uint64_t *ends)
{
    uint32_t i = 0;
    for (; i < count && end - at >= STAVE__VARINT_MAX; i++) {
        uint64_t stored = at[0];
        if (stored < 128) {
            at++;
        } else if (at[1] < 128) {
            stored = (stored & 127) | (uint64_t)at[1] << 7;
            at += 2;
        } else if ((at = stave__get_varint(at, end, &stored)) == NULL) {
            return NULL;
        }
        values[i] = sum = restored(transform, stored, sum, ends, i);
    }
    for (; i < count; i++) {
        uint64_t stored;
        if ((at = stave__get_varint(at, end, &stored)) == NULL)
            return NULL;
        values[i] = sum = restored(transform, stored, sum, ends, i);
    }
    return at;
}

/* The others are the rare case: first what is stored, then what it makes. */
static void restore_all(enum stave__transform transform, uint64_t *values, uint32_t count,
                        uint64_t sum, const uint64_t *ends)
{
    if (transform == STAVE__PLAIN)
        return;
    for (uint32_t i = 0; i < count; i++)
        values[i] = sum = restored(transform, values[i], sum, ends, i);
}

static bool get_same(const uint8_t *at, const uint8_t *end, uint64_t *values, uint32_t count)
{
    uint64_t value = 0;
    if (at < end)
        at = stave__get_varint(at, end, &value);
    for (uint32_t i = 0; i < count; i++)
        values[i] = value;
    return at == end;
}

static bool get_fixed(const uint8_t *at, const uint8_t *end, uint64_t *values, uint32_t count)
{
    if ((size_t)(end - at) != (size_t)8 * count)
        return false;
    for (uint32_t i = 0; i < count; i++)
        values[i] = stave__get_u64(at + (size_t)8 * i);
    return true;
}

/* `sum` is the row before the first. */
static bool get_rows(const uint8_t *at, const uint8_t *end, enum stave__mode mode,
                     enum stave__transform transform, uint64_t sum, const uint64_t *ends,
                     uint64_t *values, uint32_t count)
{
    if (mode == STAVE__VARINT) {
        switch (transform) {
        case STAVE__DELTA:
            return get_varints(at, end, values, count, STAVE__DELTA, sum, NULL) == end;
        case STAVE__FROM_END:
            return get_varints(at, end, values, count, STAVE__FROM_END, 0, ends) == end;
        default:
            return get_varints(at, end, values, count, STAVE__PLAIN, 0, NULL) == end;
        }
    }
    bool got = mode == STAVE__SAME    ? get_same(at, end, values, count)
               : mode == STAVE__FIXED ? get_fixed(at, end, values, count)
                                      : false;
    if (got)
        restore_all(transform, values, count, sum, ends);
    return got;
}

bool stave__column_get(const struct stave__column *column, const uint64_t *ends, uint64_t *values)
{
    const uint8_t *at = column->bytes, *end = at + column->size;
    if (column->count > STAVE__COLUMN_ROWS_MAX || column->transform > STAVE__FROM_END ||
        (column->transform == STAVE__FROM_END && ends == NULL))
        return false;
    enum stave__transform transform = (enum stave__transform)column->transform;
    enum stave__mode mode = (enum stave__mode)column->mode;
    if (transform != STAVE__DELTA || column->count == 0)
        return get_rows(at, end, mode, transform, 0, ends, values, column->count);
    uint64_t alone;
    at = stave__get_varint(at, end, &alone);
    if (at == NULL)
        return false;
    values[0] = stave__unzigzag(alone);
    return get_rows(at, end, mode, transform, values[0], NULL, values + 1, column->count - 1);
}
