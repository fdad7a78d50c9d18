/* fuzz_stave.c - any bytes as a .stave file: opened by its index, by reading, and while it grows. What
 * is handed out is as stave/block.h promises; what can be opened can be saved, and comes back the same.
 *
 * The mutator mends checksums: without that all a fuzzer ever sees is how a wrong one is refused. */
#define _GNU_SOURCE /* memfd_create */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mend.h"
#include "outcome.h"
#include "stave/report.h"
#include "store/crc32c.h"
#include "store/header.h"
#include "store/rows.h"
#include "trace/rules.h"

/* Files of a few bytes with more rows and tables than this take a tenth of a second to save: one in 16 of
 * them is. */
#define HEAVY_ROWS 20000

/* ---- files in memory ------------------------------------------------------------------------- */

struct memory_file {
    int fd;
    char path[32];
};

static void append(struct memory_file *file, const void *data, size_t size)
{
    const char *at = data;
    while (size > 0) {
        ssize_t n = write(file->fd, at, size);
        REQUIRE(n > 0);
        at += n;
        size -= (size_t)n;
    }
}

static void open_file(struct memory_file *file, const void *data, size_t size)
{
    file->fd = memfd_create("fuzz", MFD_CLOEXEC);
    REQUIRE(file->fd >= 0);
    snprintf(file->path, sizeof file->path, "/proc/self/fd/%d", file->fd);
    append(file, data, size);
}

static uint64_t cache_bytes; /* 1: what the trace makes itself goes to disk and back */

/* NULL when it is no .stave file. */
static stave_trace *open_trace(const struct memory_file *file, bool ignore_index, bool follow)
{
    stave_trace *trace = NULL;
    stave_error error = {0};
    stave_trace_config config = {
        .cache_bytes = cache_bytes, .ignore_index = ignore_index, .follow = follow};
    int status = stave_trace_open(file->path, &config, &trace, &error);
    REQUIRE(status >= 0 || status == STAVE_E_FORMAT);
    REQUIRE(status == error.status && (status >= 0) == (error.message[0] == '\0'));
    return trace;
}

/* ---- what rows say, in a few numbers --------------------------------------------------------- */

struct digest {
    uint64_t rows, sequence, sum; /* of all */
    uint64_t sure_rows, sure;     /* but for those that nobody ended, and for lanes */
};

static uint64_t mixed(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static void digest_row(struct digest *digest, const stave_block *b, uint32_t i)
{
    uint64_t hash = mixed(b->kind, b->boot);
#define MIX(name, number, member, type)                                                            \
    hash = mixed(hash, b->member != NULL ? (uint64_t)b->member[i] : 0);
    STAVE_COLUMN_TABLE(MIX)
#undef MIX
    if ((b->flags[i] & STAVE_FLAG_UNFINISHED) == 0) {
        digest->sure_rows++;
        digest->sure = mixed(digest->sure, hash);
    }
    hash = mixed(hash, b->lane);
    digest->rows++;
    digest->sum += hash;
    digest->sequence = mixed(digest->sequence, hash);
}

static bool same_digest(const struct digest *a, const struct digest *b)
{
    return a->rows == b->rows && a->sequence == b->sequence;
}

static bool same_sure_rows(const struct digest *a, const struct digest *b)
{
    return a->sure_rows == b->sure_rows && a->sure == b->sure;
}

/* ---- promises -------------------------------------------------------------------------------- */

static void check_row(const stave_trace *trace, const stave_block *b, uint32_t i)
{
    uint32_t strings = stave_trace_strings(trace);
    REQUIRE(b->start[i] <= stave_block_end(b, i));
    REQUIRE(b->start[i] >= b->first && stave_block_end(b, i) <= b->last);
    REQUIRE(i == 0 || b->order[i] >= b->order[i - 1]);
    REQUIRE(stave_block_name(b, i) < strings);
    REQUIRE(b->value == NULL || (b->flags[i] & STAVE_FLAG_TEXT) == 0 || b->value[i] < strings);
    REQUIRE(stave_block_other_lane(b, i) == 0 || b->kind == STAVE_CUMULATIVES ||
            stave_block_other_lane(b, i) < stave_trace_lanes(trace));
}

static void check_block(const stave_trace *trace, const stave_block *b)
{
    REQUIRE(b->kind < STAVE_ROW_KINDS && b->rows > 0);
    REQUIRE(b->lane < stave_trace_lanes(trace) && b->boot < stave_trace_boots(trace));
    REQUIRE(b->open_count == 0 || b->kind == STAVE_SPANS);
    uint32_t has = 0;
#define HAS(name, number, member, type) has |= b->member != NULL ? STAVE_COLUMN_##name : 0u;
    STAVE_COLUMN_TABLE(HAS)
#undef HAS
    REQUIRE((has & stave__kind_has[b->kind]) == stave__kind_has[b->kind]);
    REQUIRE((has & ~stave__kind_may_have[b->kind]) == 0);
    for (uint32_t i = 0; i < b->open_count; i++)
        REQUIRE(b->open[i].name < stave_trace_strings(trace));
    for (uint32_t i = 0; i < b->rows; i++)
        check_row(trace, b, i);
    REQUIRE(!isnan(stave_time_us(trace, b->boot, b->first)));
    REQUIRE(isfinite(stave_duration_us(trace, b->boot, b->first, b->last)));
}

static void read_rows(const stave_trace *trace, stave_cursor *cursor, struct digest *digest)
{
    const stave_block *block;
    int status;
    while ((status = stave_cursor_next(cursor, &block, NULL)) > 0) {
        check_block(trace, block);
        for (uint32_t i = 0; i < block->rows; i++)
            digest_row(digest, block, i);
    }
    REQUIRE(status == 0);
}

static struct digest read_all(stave_trace *trace)
{
    struct digest digest = {0};
    stave_cursor *cursor;
    REQUIRE(stave_cursor_open(trace, NULL, &cursor, NULL) == STAVE_OK);
    read_rows(trace, cursor, &digest);
    stave_cursor_close(cursor);
    return digest;
}

/* The same rows as from a cursor, in the order in which they took effect. */
static void check_merge(stave_trace *trace, const struct digest *wanted)
{
    struct digest digest = {0};
    stave_merge *merge;
    const stave_block *block;
    uint32_t i;
    uint64_t order = 0;
    int status;
    REQUIRE(stave_merge_open(trace, NULL, &merge, NULL) == STAVE_OK);
    while ((status = stave_merge_next(merge, &block, &i, NULL)) > 0) {
        REQUIRE(block->order[i] >= order);
        order = block->order[i];
        digest_row(&digest, block, i);
    }
    stave_merge_close(merge);
    REQUIRE(status == 0 || status == STAVE_E_LIMIT);
    REQUIRE(status < 0 || (digest.rows == wanted->rows && digest.sum == wanted->sum));
}

static void check_rules(const stave_trace *trace)
{
    const struct stave__rule_tables *tables = stave__trace_rules(trace);
    uint32_t strings = stave_trace_strings(trace);
    for (uint32_t i = 0; i < tables->rules.rows; i++) {
        const struct stave__rule_row *rule = stave__table_at(&tables->rules, i);
        REQUIRE(rule->name < strings && rule->id < strings && rule->parent < strings);
    }
    for (uint32_t i = 0; i < tables->dependencies.rows; i++) {
        const struct stave__dependency_row *row = stave__table_at(&tables->dependencies, i);
        REQUIRE(row->rule < strings && row->depends_on < strings);
    }
    for (uint32_t i = 0; i < tables->sessions.rows; i++) {
        const struct stave__session_row *session = stave__table_at(&tables->sessions, i);
        REQUIRE(session->boot < stave_trace_boots(trace));
        REQUIRE(session->lane <= stave_trace_lanes(trace));
    }
    for (uint32_t i = 0; i < tables->summaries.rows; i++) {
        const struct stave__summary_row *row = stave__table_at(&tables->summaries, i);
        REQUIRE(row->rule < strings);
    }
}

static void check_places(const stave_trace *trace)
{
    uint32_t strings = stave_trace_strings(trace);
    for (uint32_t i = 0; i < stave_trace_places(trace); i++) {
        const stave_place *place = stave_trace_place(trace, i);
        REQUIRE(place->name < strings && place->file < strings && place->function < strings);
        const stave_place *one = stave_trace_place_of(trace, place->name);
        REQUIRE(one == NULL || (one->name == place->name && one->line == place->line));
    }
    REQUIRE(stave_trace_place_of(trace, 0) == NULL);
    REQUIRE(stave_trace_place_of(trace, strings) == NULL);
}

static void check_tables(const stave_trace *trace)
{
    uint32_t strings = stave_trace_strings(trace);
    size_t size;
    for (uint32_t i = 0; i < strings; i++)
        REQUIRE(stave_trace_string(trace, i, &size)[size] == '\0');
    for (uint32_t i = 0; i < stave_trace_lanes(trace); i++) {
        const stave_lane *lane = stave_trace_lane(trace, i);
        REQUIRE(lane->name < strings && lane->process <= stave_trace_processes(trace));
    }
    for (uint32_t i = 0; i < stave_trace_modules(trace); i++) {
        const stave_module *module = stave_trace_module(trace, i);
        REQUIRE(module->path < strings && module->build_id < strings);
        REQUIRE(module->boot < stave_trace_boots(trace));
        REQUIRE(module->process <= stave_trace_processes(trace));
    }
    for (uint32_t i = 0; i < stave_trace_properties(trace); i++)
        REQUIRE(stave_trace_property(trace, i)->key < strings);
    check_places(trace);
    check_rules(trace);
}

static void check_clocks(const stave_trace *trace)
{
    for (uint32_t boot = 0; boot < stave_trace_boots(trace); boot++) {
        uint32_t anchors = stave_trace_anchors(trace, boot);
        REQUIRE(anchors > 0 && stave_trace_anchor(trace, boot, 0).tick == 0);
        for (uint32_t i = 2; i < anchors; i++)
            REQUIRE(stave_trace_anchor(trace, boot, i).tick >
                    stave_trace_anchor(trace, boot, i - 1).tick);
        REQUIRE(isfinite(stave_time_us(trace, boot, INT64_MIN)));
        REQUIRE(isfinite(stave_time_us(trace, boot, INT64_MAX)));
        REQUIRE(isfinite(stave_trace_boot(trace, boot)->end_us));
    }
}

/* How many rows the blocks say they have, open spans included. */
static uint64_t check_summaries(stave_trace *trace, uint64_t size)
{
    uint64_t rows = 0;
    for (uint32_t i = 0; i < stave_trace_blocks(trace); i++) {
        stave_block_info info;
        REQUIRE(stave_trace_block(trace, i, &info, NULL) == STAVE_OK);
        REQUIRE(info.lane < stave_trace_lanes(trace) && info.boot < stave_trace_boots(trace));
        REQUIRE(info.first <= info.last && info.longest_name < stave_trace_strings(trace));
        REQUIRE(info.offset + info.size <= size);
        rows += info.rows + info.open_count;
    }
    return rows;
}

static void check_file(stave_trace *trace, uint64_t size)
{
    stave_trace_file file;
    stave_trace_file_of(trace, &file);
    REQUIRE(file.size == size && file.cut <= size);
    REQUIRE(file.blocks <= stave_trace_blocks(trace));
    int found = stave_trace_check(trace, (stave_progress){0}, NULL);
    REQUIRE(found >= 0 && (uint32_t)found == stave_trace_damages(trace));
    REQUIRE(stave_trace_check(trace, (stave_progress){0}, NULL) == found); /* each listed once */
    for (uint32_t i = 0; i < stave_trace_damages(trace); i++) {
        stave_damage damage = stave_trace_damage(trace, i);
        REQUIRE(damage.what != NULL && damage.size > 0);
        REQUIRE(damage.size <= size && damage.offset <= size - damage.size);
    }
}

/* ---- saving ---------------------------------------------------------------------------------- */

struct bytes {
    char *at;
    size_t size, room;
};

static int add(void *context, const void *data, size_t size)
{
    struct bytes *bytes = context;
    if (bytes->room - bytes->size < size) {
        bytes->room = 2 * (bytes->size + size);
        bytes->at = realloc(bytes->at, bytes->room);
        REQUIRE(bytes->at != NULL);
    }
    memcpy(bytes->at + bytes->size, data, size);
    bytes->size += size;
    return STAVE_OK;
}

static struct bytes save(stave_trace *trace, uint32_t zstd_level)
{
    struct bytes bytes = {0};
    stave_save_config config = {.zstd_level = zstd_level};
    stave_sink sink = {.write = add, .context = &bytes};
    REQUIRE(stave_trace_save(trace, sink, &config, NULL) == STAVE_OK);
    return bytes;
}

/* What was saved opens by its index and is sound. */
static stave_trace *reopen(const struct bytes *bytes, struct digest *digest)
{
    struct memory_file file;
    stave_trace_file about;
    open_file(&file, bytes->at, bytes->size);
    stave_trace *trace = open_trace(&file, false, false);
    close(file.fd);
    REQUIRE(trace != NULL);
    stave_trace_file_of(trace, &about);
    REQUIRE(about.indexed && about.cut == 0);
    *digest = read_all(trace);
    REQUIRE(stave_trace_check(trace, (stave_progress){0}, NULL) == 0);
    return trace;
}

/* Rows that are sure are the same; all are when the trace has no damage and was not followed, and then
 * the same bytes come of saving it again. Otherwise they come the next time: boots that went on have
 * ended; and where a lane's last block was lost, the one before it is the last, and what was open at
 * its end becomes rows. */
static void check_saved(stave_trace *trace, const struct digest *digest, uint32_t zstd_level,
                        bool followed)
{
    bool settled = !followed && stave_trace_damages(trace) == 0;
    struct digest first, second;
    struct bytes bytes = save(trace, zstd_level);
    stave_trace *saved = reopen(&bytes, &first);
    REQUIRE(same_sure_rows(&first, digest));
    REQUIRE(same_digest(&first, digest) || !settled);
    struct bytes again = save(saved, zstd_level);
    if (!settled) {
        stave_trace_free(saved);
        free(bytes.at);
        bytes = again;
        saved = reopen(&bytes, &second);
        REQUIRE(same_digest(&first, &second));
        again = save(saved, zstd_level);
    }
    REQUIRE(again.size == bytes.size && memcmp(again.at, bytes.at, bytes.size) == 0);
    stave_trace_free(saved);
    free(again.at);
    free(bytes.at);
}

/* ---- reports of rules ------------------------------------------------------------------------ */

static int swallow(void *context, const void *data, size_t size)
{
    (void)context;
    (void)data;
    (void)size;
    return STAVE_OK;
}

/* Whatever rules, sessions and handles a file makes up. */
static void check_report(stave_trace *trace)
{
    stave_report *report = stave_report_from_trace(trace, NULL, NULL);
    REQUIRE(report != NULL);
    for (uint32_t i = 0; i < stave_report_node_count(report); i++) {
        const stave_report_node *node = stave_report_node_at(report, i);
        REQUIRE(node->parent == STAVE_NONE || node->parent < i);
        REQUIRE(node->run < stave_report_run_count(report));
        REQUIRE(node->self_ns >= 0 && node->total_ns >= node->self_ns && node->slack_ns >= 0);
    }
    REQUIRE(stave_report_sink_speedscope(report, (stave_sink){swallow, NULL}, NULL) == STAVE_OK);
    REQUIRE(stave_report_sink_chrome(report, (stave_sink){swallow, NULL}, NULL) == STAVE_OK);
    stave_report_free(report);
}

/* ---- ways to open ---------------------------------------------------------------------------- */

struct opened {
    struct digest digest;
    uint32_t damages;
    bool heavy, indexed, cut;
};

/* The trace, looked through; NULL when it is no .stave file. */
static stave_trace *look_through(const struct memory_file *file, uint64_t size, bool ignore_index,
                                 struct opened *opened)
{
    stave_trace *trace = open_trace(file, ignore_index, false);
    if (trace == NULL)
        return NULL;
    stave_trace_file about;
    stave_trace_file_of(trace, &about);
    opened->indexed = about.indexed;
    opened->cut = about.cut > 0;
    check_tables(trace);
    check_clocks(trace);
    uint64_t rows = check_summaries(trace, size) + stave_trace_strings(trace) +
                    stave_trace_lanes(trace) + stave_trace_boots(trace);
    opened->heavy = rows > HEAVY_ROWS;
    opened->digest = read_all(trace);
    check_merge(trace, &opened->digest);
    check_file(trace, size);
    if (!opened->heavy && stave_trace_has_rules(trace))
        check_report(trace);
    opened->damages = stave_trace_damages(trace);
    return trace;
}

/* That a file may have more when it has grown is no damage of it. */
static bool is_sound(const stave_trace *trace)
{
    for (uint32_t i = 0; i < stave_trace_damages(trace); i++)
        if (strstr(stave_trace_damage(trace, i).what, "than its file can have") == NULL)
            return false;
    return true;
}

/* The first `half` bytes, then the rest: every row once. */
static void check_followed(const uint8_t *data, size_t size, size_t half,
                           const struct opened *whole)
{
    struct memory_file file;
    struct digest digest = {0};
    stave_cursor *cursor;
    open_file(&file, data, half);
    stave_trace *trace = open_trace(&file, true, true);
    REQUIRE(trace != NULL);
    REQUIRE(stave_cursor_open(trace, NULL, &cursor, NULL) == STAVE_OK);
    read_rows(trace, cursor, &digest);
    append(&file, data + half, size - half);
    close(file.fd);
    REQUIRE(stave_trace_refresh(trace, NULL) >= 0);
    read_rows(trace, cursor, &digest);
    stave_cursor_close(cursor);
    check_tables(trace);
    check_clocks(trace);
    check_file(trace, size);
    if (whole->damages == 0 && !whole->cut) {
        REQUIRE(is_sound(trace));
        REQUIRE(stave_trace_damages(trace) > 0 || same_sure_rows(&digest, &whole->digest));
    }
    digest = read_all(trace);
    check_merge(trace, &digest);
    check_saved(trace, &digest, 0, true);
    stave_trace_free(trace);
}

/* The index knows which lane rows are on at last; all else the blocks say, too. */
static void check_scanned(const struct memory_file *file, const uint8_t *data, size_t size,
                          const struct opened *usual)
{
    struct opened scanned;
    stave_trace *trace = look_through(file, size, true, &scanned);
    REQUIRE(trace != NULL && !scanned.indexed);
    REQUIRE(!usual->indexed || usual->damages > 0 || scanned.damages > 0 ||
            same_sure_rows(&usual->digest, &scanned.digest));
    check_saved(trace, &scanned.digest, 0, false);
    stave_trace_free(trace);
    check_followed(data, size, 16 + (size_t)data[size - 1] * (size - 16) / 256, &scanned);
}

/* A block that is packed in a way of later versions is an error, not damage: such a file says nothing
 * more. */
static bool is_of_a_later_codec(const uint8_t *data, size_t size)
{
    struct stave__header header;
    for (size_t at = 0; at + STAVE__HEADER_SIZE <= size; at++)
        if (data[at] == 'S' && stave__header_read(data + at, &header) &&
            header.codec > STAVE__CODEC_ZSTD)
            return true;
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (is_of_a_later_codec(data, size))
        return 0;
    struct memory_file file;
    struct opened usual;
    uint32_t way = stave__crc32c(0, data, size); /* all of them take long */
    cache_bytes = way >> 31;
    open_file(&file, data, size);
    stave_trace *trace = look_through(&file, size, false, &usual);
    if (trace == NULL || (usual.heavy && way / 3 % 16 != 0))
        ;
    else if (way % 3 < 2)
        check_saved(trace, &usual.digest, way % 3, false);
    else
        check_scanned(&file, data, size, &usual);
    stave_trace_free(trace);
    close(file.fd);
    return 0;
}

/* ---- the mutator ----------------------------------------------------------------------------- */

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    uint32_t random = seed * 2654435761u;
    if (random % 3 == 0)
        size = mend_change_block(data, size, max_size, random / 3);
    else
        size = LLVMFuzzerMutate(data, size, max_size);
    if (seed % 16 != 0)
        mend(data, size);
    if (seed % 4 == 1)
        size = mend_index(data, size, max_size);
    return size;
}
