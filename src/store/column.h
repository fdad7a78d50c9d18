/* store/column.h - one column of numbers, or of texts, as bytes (docs/format.md, "Columns").
 *
 *     at = stave__column_put(at, number, STAVE__DELTA, values, count, NULL);
 *
 *     struct stave__column column;
 *     while ((at = stave__column_next(at, end, &column)) != NULL && column.number ...)
 *         if (!stave__column_get(&column, NULL, values)) ...          // not sound
 *
 * Everything is 64 bits wide here; a column that is narrower is the business of whoever has it.  */
#ifndef STAVE_STORE_COLUMN_H
#define STAVE_STORE_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STAVE__COLUMN_ROWS_MAX ((uint32_t)256 * 1024)

/* What is stored of a value; the numbers are those in files. */
enum stave__transform {
    STAVE__PLAIN = 0,
    STAVE__DELTA = 1,    /* from the row before, zigzag; the first row stands alone in front */
    STAVE__FROM_END = 2, /* from the value to the row's `end`, zigzag */
};

enum stave__mode {
    STAVE__SAME = 0,   /* one varint for all rows; no bytes when it is 0 */
    STAVE__VARINT = 1, /* one each */
    STAVE__FIXED = 2,  /* eight bytes each */
    STAVE__BYTES = 3,  /* of texts, one behind another */
};

struct stave__column {
    uint32_t number;
    uint32_t transform;
    uint32_t mode;
    uint32_t count; /* of values; with STAVE__BYTES of bytes */
    const uint8_t *bytes;
    size_t size;
};

/* Bytes that a column of `count` numbers takes at most. */
size_t stave__column_bound(size_t count);

/* `ends` is for STAVE__FROM_END. */
uint8_t *stave__column_put(uint8_t *at, uint32_t number, enum stave__transform transform,
                           const uint64_t *values, uint32_t count, const uint64_t *ends);

uint8_t *stave__column_put_bytes(uint8_t *at, uint32_t number, const void *bytes, uint32_t size);

/* The column at `at`, and where the next one is; NULL when it is not sound. */
const uint8_t *stave__column_next(const uint8_t *at, const uint8_t *end,
                                  struct stave__column *column);

/* All its values; false when it is not sound. `ends` may be NULL: then STAVE__FROM_END is not. */
bool stave__column_get(const struct stave__column *column, const uint64_t *ends, uint64_t *values);

#endif
