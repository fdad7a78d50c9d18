#include "record/file_limits.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "record/stream_file.h"

#define BYTES_LEAST ((uint64_t)64 * 1024)

int stave__file_limits_check(const stave_file_config *limits, stave_error *error)
{
    if (limits->max_bytes != 0 && limits->max_bytes < BYTES_LEAST)
        return stave__fail(error, STAVE_E_ARGUMENT, 0,
                           "a file's max_bytes is %" PRIu64 ", the least is %" PRIu64,
                           limits->max_bytes, BYTES_LEAST);
    if (limits->files > STAVE__FILES_MAX)
        return stave__fail(error, STAVE_E_ARGUMENT, 0, "files is %" PRIu32 ", the most is %u",
                           limits->files, STAVE__FILES_MAX);
    return STAVE_OK;
}

/* The digits that a text begins with; NULL: there are none, or they are beyond 64 bits. Else what follows. */
static const char *read_digits(const char *text, uint64_t *number)
{
    const char *at = text;
    *number = 0;
    for (; *at >= '0' && *at <= '9'; at++) {
        uint64_t digit = (uint64_t)(*at - '0');
        if (*number > (UINT64_MAX - digit) / 10)
            return NULL;
        *number = *number * 10 + digit;
    }
    return at != text ? at : NULL;
}

/* Of text without one: 0. */
static bool read_unit(const char *text, unsigned *shift)
{
    static const char units[] = "KMG";
    const char *unit = text[0] != '\0' ? strchr(units, text[0]) : NULL;
    *shift = unit != NULL ? 10 * (unsigned)(unit - units + 1) : 0;
    return text[0] == '\0' || (unit != NULL && text[1] == '\0');
}

static bool read_bytes(const char *text, uint64_t *bytes)
{
    unsigned shift;
    const char *unit = read_digits(text, bytes);
    if (unit == NULL || !read_unit(unit, &shift) || *bytes > UINT64_MAX >> shift)
        return false;
    *bytes <<= shift;
    return true;
}

static bool read_count(const char *text, uint32_t *count)
{
    uint64_t number;
    const char *end = read_digits(text, &number);
    *count = (uint32_t)number;
    return end != NULL && end[0] == '\0' && number <= UINT32_MAX;
}

int stave__file_limits_read(const char *max_bytes, const char *files, stave_file_config *limits,
                            stave_error *error)
{
    *limits = (stave_file_config){0};
    if (max_bytes != NULL && max_bytes[0] != '\0' && !read_bytes(max_bytes, &limits->max_bytes))
        return stave__fail(error, STAVE_E_ARGUMENT, 0,
                           "STAVE_FILE_MAX_BYTES is %.40s, and no file is written; a number is "
                           "wanted, such as 500M (K, M, G: 1024, its square, its cube)",
                           max_bytes);
    if (files != NULL && files[0] != '\0' && !read_count(files, &limits->files))
        return stave__fail(error, STAVE_E_ARGUMENT, 0,
                           "STAVE_FILE_COUNT is %.40s, and no file is written; a number is wanted",
                           files);
    return STAVE_OK;
}
