/* fuzz_export.c - any bytes as a .stave file, exported in every format: what can be opened can be exported, twice to the same
 * bytes, and what is to be seen in them (braces, line ends) fits. */
#define _GNU_SOURCE /* memfd_create */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mend.h"
#include "outcome.h"

#define ROWS_MAX 20000 /* a file of a few bytes may have many, which only takes time */

struct digest {
    uint64_t hash, size;
    char last;
    bool failed;
};

static int take(void *context, const void *data, size_t size)
{
    struct digest *digest = context;
    const unsigned char *bytes = data;
    REQUIRE(size > 0);
    for (size_t i = 0; i < size; i++)
        digest->hash = (digest->hash ^ bytes[i]) * 0x100000001b3u;
    digest->size += size;
    digest->last = (char)bytes[size - 1];
    return STAVE_OK;
}

static struct digest export(stave_trace *trace, stave_export_format format,
                            const stave_export_config *config, stave_export_counts *counts)
{
    struct digest digest = {.hash = 1};
    stave_error error = {0};
    stave_sink sink = {take, &digest};
    int status = stave_export(trace, format, config, sink, counts, &error);
    REQUIRE(status == STAVE_OK || status == STAVE_E_STATE); /* a block is packed in another way */
    REQUIRE(error.status == status);
    if (status < 0)
        memset(counts, 0, sizeof *counts);
    digest.failed = status < 0;
    return digest;
}

/* What counts, and what the last byte is, is the same for each format. */
static void check_format(stave_trace *trace, stave_export_format format,
                         const stave_export_config *config)
{
    stave_export_counts counts, again;
    struct digest first = export(trace, format, config, &counts);
    struct digest second = export(trace, format, config, &again);
    REQUIRE(first.failed == second.failed);
    if (first.failed)
        return;
    REQUIRE(first.hash == second.hash && first.size == second.size);
    REQUIRE(memcmp(&counts, &again, sizeof counts) == 0);
    bool is_text = format != STAVE_EXPORT_PERFETTO && format != STAVE_EXPORT_PPROF;
    REQUIRE(!is_text || first.size == 0 || first.last == '\n');
    REQUIRE(counts.overlapping <= counts.spans + counts.cumulatives);
    REQUIRE(counts.deeper <= counts.spans && counts.lanes <= stave_trace_lanes(trace));
    REQUIRE(counts.failed <= counts.spans && counts.missed <= counts.spans);
}

static bool one_lane(void *context, uint32_t lane)
{
    return lane % 2 == *(const uint8_t *)context % 2;
}

static bool some_names(void *context, uint32_t name)
{
    return name % 3 == *(const uint8_t *)context % 3;
}

/* All of it, or a part that the last byte chooses. */
static void check_trace(stave_trace *trace, uint8_t choice)
{
    stave_export_config config = {.no_args = (choice & 1) != 0};
    if (choice & 2)
        config.lane_counts = one_lane;
    if (choice & 4)
        config.name_counts = some_names;
    if (choice & 8)
        config.least_ns = choice;
    if (choice & 16) {
        config.windowed = true;
        config.from_us = choice >> 5;
        config.to_us = 10.0 * (choice >> 4);
    }
    config.lane_context = config.name_context = &choice;
    for (stave_export_format format = 0; format < STAVE_EXPORT_COUNT; format++)
        check_format(trace, format, choice & 31 ? &config : NULL);
}

static bool is_small(stave_trace *trace)
{
    uint64_t rows = (uint64_t)stave_trace_lanes(trace) + stave_trace_strings(trace);
    for (uint32_t i = 0; i < stave_trace_blocks(trace); i++) {
        stave_block_info info;
        REQUIRE(stave_trace_block(trace, i, &info, NULL) == STAVE_OK);
        rows += info.rows;
    }
    return rows < ROWS_MAX;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[32];
    stave_trace *trace = NULL;
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    REQUIRE(fd >= 0);
    REQUIRE(size == 0 || write(fd, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int status = stave_trace_open(path, NULL, &trace, NULL);
    close(fd);
    REQUIRE(status >= 0 || status == STAVE_E_FORMAT || status == STAVE_E_STATE);
    if (status >= 0 && is_small(trace))
        check_trace(trace, data[size - 1]);
    stave_trace_free(trace);
    return 0;
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    if (seed % 4 == 0)
        size = mend_change_block(data, size, max_size, seed / 4);
    else
        size = LLVMFuzzerMutate(data, size, max_size);
    mend(data, size);
    return seed % 2 == 0 ? mend_index(data, size, max_size) : size;
}
