/* Finding the blocks of a file by reading it from its start: a recording that goes on, was cut, or whose
 * index is damaged. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/os.h"
#include "trace/file.h"

/* Bytes looked through at a time for where the next block is: few, since those of a window that cannot be
 * read are passed over together. */
#define WINDOW ((size_t)16 * 1024)

bool stave__file_header_at(const stave_trace *trace, uint64_t offset, struct stave__header *header)
{
    uint8_t bytes[STAVE__HEADER_SIZE];
    return trace->file->size >= offset && trace->file->size - offset >= sizeof bytes &&
           stave__os_read_at(trace->blocks.file_fd, bytes, sizeof bytes, offset, NULL) >= 0 &&
           stave__header_read(bytes, header);
}

/* A block that the file's end cuts is none. */
static bool is_whole(const stave_trace *trace, uint64_t offset, const struct stave__header *header)
{
    return header->size <= trace->file->size - offset - STAVE__HEADER_SIZE;
}

/* The rest of a block is still to come: what its body holds is not looked through. */
static bool is_awaited(const stave_trace *trace, uint64_t offset)
{
    struct stave__header header;
    return trace->file->follow && stave__file_header_at(trace, offset, &header) &&
           !is_whole(trace, offset, &header);
}

static bool is_foot(const stave_trace *trace, uint64_t offset)
{
    uint8_t bytes[STAVE__FILE_FOOT_SIZE];
    uint64_t index_offset, blocks;
    return trace->file->size - offset == sizeof bytes &&
           stave__os_read_at(trace->blocks.file_fd, bytes, sizeof bytes, offset, NULL) >= 0 &&
           stave__file_foot_read(bytes, &index_offset, &blocks);
}

/* The first sound header in the window's bytes whose block is whole, or is awaited; or `size`. */
static size_t find_in_window(const stave_trace *trace, uint64_t offset, const uint8_t *window,
                             size_t size)
{
    struct stave__header header;
    for (size_t at = 0; at < size; at++) {
        const uint8_t *s = memchr(window + at, 'S', size - at);
        if (s == NULL)
            return size;
        at = (size_t)(s - window);
        bool may_be = size - at < 4 || memcmp(s, "STVB", 4) == 0;
        if (may_be && stave__file_header_at(trace, offset + at, &header) &&
            (trace->file->follow || is_whole(trace, offset + at, &header)))
            return at;
    }
    return size;
}

/* Where the next block begins, or the file's size. */
static int find_next(const stave_trace *trace, uint64_t from, uint64_t *found, stave_error *error)
{
    uint64_t size = trace->file->size;
    uint8_t *window = malloc(WINDOW);
    if (window == NULL)
        return stave__fail_memory(error);
    *found = size;
    for (uint64_t at = from; at < size; at += WINDOW) {
        size_t n = size - at < WINDOW ? (size_t)(size - at) : WINDOW;
        if (stave__os_read_at(trace->blocks.file_fd, window, n, at, NULL) < 0)
            continue;
        size_t in = find_in_window(trace, at, window, n);
        if (in < n) {
            *found = at + in;
            break;
        }
    }
    free(window);
    return STAVE_OK;
}

/* No block begins where one should: passes over what is there. False when nothing comes behind it. */
static int pass_over(stave_trace *trace, bool *more, stave_error *error)
{
    struct stave__file *file = trace->file;
    uint64_t next = file->size;
    int status = STAVE_OK;
    if (!is_awaited(trace, file->scanned))
        status = find_next(trace, file->scanned + 1, &next, error);
    if (status < 0)
        return status;
    *more = next < file->size;
    if (!*more) {
        file->cut = file->size - file->scanned;
        return STAVE_OK;
    }
    stave_damage damage = {
        .offset = file->scanned,
        .size = next - file->scanned,
        .what = "no block begins here",
    };
    status = stave__blocks_damage(&trace->blocks, &damage, error);
    if (status >= 0)
        file->scanned = next;
    return status;
}

int stave__file_scan(stave_trace *trace, stave_error *error)
{
    struct stave__file *file = trace->file;
    bool more = true;
    int status = STAVE_OK;
    file->cut = 0;
    for (uint64_t steps = 1; status >= 0 && more && file->scanned < file->size; steps++) {
        struct stave__header header;
        if (stave__file_header_at(trace, file->scanned, &header) &&
            is_whole(trace, file->scanned, &header)) {
            status = stave__file_take(trace, file->scanned, &header, error);
            if (status >= 0) /* else it is tried again */
                file->scanned += STAVE__HEADER_SIZE + header.size;
        } else if (is_foot(trace, file->scanned)) {
            file->finished = true;
            file->scanned = file->size;
        } else {
            status = pass_over(trace, &more, error);
        }
        if (file->progress.report != NULL && steps % 64 == 0)
            file->progress.report(file->progress.context, file->scanned, file->size);
    }
    return status;
}
