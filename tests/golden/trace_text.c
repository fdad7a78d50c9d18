#include "trace_text.h"

#include "trace/rules.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(bool right, const char *what)
{
    if (right)
        return;
    fprintf(stderr, "trace_text: %s\n", what);
    abort();
}

static void reserve(struct trace_text *text, size_t more)
{
    if (text->room - text->size > more)
        return;
    text->room = (text->room + more) * 2;
    text->bytes = realloc(text->bytes, text->room);
    must(text->bytes != NULL, "no memory");
}

__attribute__((format(printf, 2, 3))) static void put(struct trace_text *text, const char *format,
                                                      ...)
{
    va_list arguments;
    reserve(text, 512);
    va_start(arguments, format);
    int size = vsnprintf(text->bytes + text->size, 512, format, arguments);
    va_end(arguments);
    must(size >= 0 && size < 512, "a line that is too long");
    text->size += (size_t)size;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void put_strings(struct trace_text *text, const stave_trace *trace)
{
    for (uint32_t id = 0; id < stave_trace_strings(trace); id++) {
        size_t size;
        const unsigned char *bytes = (const unsigned char *)stave_trace_string(trace, id, &size);
        put(text, "string %" PRIu32 " \"", id);
        for (size_t i = 0; i < size; i++) {
            bool plain = bytes[i] >= ' ' && bytes[i] < 127 && bytes[i] != '"' && bytes[i] != '\\';
            put(text, plain ? "%c" : "\\x%02x", bytes[i]);
        }
        put(text, "\"\n");
    }
}

static void put_lane(struct trace_text *text, uint32_t id, const stave_lane *lane)
{
    put(text, "lane %" PRIu32 " name=%" PRIu32 " kind=%" PRIu32 " priority=%" PRIu32, id,
        lane->name, lane->kind, lane->priority);
    if (!lane->has_deadline)
        put(text, " deadline_ms=-");
    else if (isnan(lane->deadline_ms))
        put(text, " deadline_ms=nan");
    else
        put(text, " deadline_ms=%.9g", (double)lane->deadline_ms);
    put(text, " process=%" PRIu32 " number=%" PRIu64 "\n", lane->process, lane->number);
}

static void put_boot(struct trace_text *text, const stave_trace *trace, uint32_t id)
{
    const stave_boot *boot = stave_trace_boot(trace, id);
    put(text, "boot %" PRIu32 " offset_us=%.17g end_us=%.17g ended=%d rate_assumed=%d\n", id,
        boot->offset_us, boot->end_us, boot->ended, boot->rate_assumed);
}

static void put_anchors(struct trace_text *text, const stave_trace *trace, uint32_t boot)
{
    for (uint32_t i = 0; i < stave_trace_anchors(trace, boot); i++) {
        stave_anchor a = stave_trace_anchor(trace, boot, i);
        put(text, "anchor %" PRIu32 " %" PRIu32, boot, i);
        put(text, " tick=%" PRId64 " us=%.17g hz=%.17g realtime_ns=%" PRId64 "\n", a.tick, a.us,
            a.hz, a.realtime_ns);
    }
}

static void put_module(struct trace_text *text, uint32_t id, const stave_module *m)
{
    put(text, "module %" PRIu32 " path=%" PRIu32 " build_id=%" PRIu32 " process=%" PRIu32, id,
        m->path, m->build_id, m->process);
    put(text, " boot=%" PRIu32 " address=%" PRIu64 " size=%" PRIu64, m->boot, m->address, m->size);
    put(text, " loaded=%" PRId64 " unloaded=%" PRId64 "\n", m->loaded, m->unloaded);
}

static void put_rule(struct trace_text *text, uint32_t id, const struct stave__rule_row *row)
{
    put(text, "rule %" PRIu32 " name=%" PRIu32 " id=%" PRIu32 " role=%" PRIu32, id, row->name,
        row->id, row->role);
    put(text, " has_parent=%d parent=%" PRIu32 "\n", row->has_parent, row->parent);
}

static void put_session(struct trace_text *text, uint32_t id, const struct stave__session_row *row)
{
    put(text, "session %" PRIu32 " number=%" PRIu64 " boot=%" PRIu32 " start=%" PRId64, id,
        row->number, row->boot, row->start);
    put(text, " stop=%" PRId64 " lane=%" PRIu32 " given_up=%" PRIu64 " dropped=%" PRIu64 "\n",
        row->stop, row->lane, row->given_up, row->dropped);
}

static void put_summary(struct trace_text *text, uint32_t id, const struct stave__summary_row *row)
{
    put(text, "summary %" PRIu32 " session=%" PRIu64 " rule=%" PRIu32 " calls=%" PRIu64, id,
        row->session, row->rule, row->calls);
    put(text, " failed=%" PRIu64 " skipped=%" PRIu64 " cached=%" PRIu64, row->failed, row->skipped,
        row->cached);
    put(text, " cancelled=%" PRIu64 " timed_out=%" PRIu64 " total=%" PRIu64 " self=%" PRIu64,
        row->cancelled, row->timed_out, row->total, row->self);
    put(text, " first=%" PRIu64 " least=%" PRIu64 " most=%" PRIu64 "\n", row->first, row->least,
        row->most);
}

static void put_rules(struct trace_text *text, const struct stave__rule_tables *tables)
{
    for (uint32_t i = 0; i < tables->rules.rows; i++)
        put_rule(text, i, stave__table_at(&tables->rules, i));
    for (uint32_t i = 0; i < tables->dependencies.rows; i++) {
        const struct stave__dependency_row *row = stave__table_at(&tables->dependencies, i);
        put(text, "dependency %" PRIu32 " rule=%" PRIu32 " depends_on=%" PRIu32 "\n", i, row->rule,
            row->depends_on);
    }
    for (uint32_t i = 0; i < tables->sessions.rows; i++)
        put_session(text, i, stave__table_at(&tables->sessions, i));
    for (uint32_t i = 0; i < tables->summaries.rows; i++)
        put_summary(text, i, stave__table_at(&tables->summaries, i));
}

static void put_tables(struct trace_text *text, const stave_trace *trace)
{
    put_strings(text, trace);
    for (uint32_t i = 0; i < stave_trace_processes(trace); i++) {
        const stave_process *process = stave_trace_process(trace, i);
        put(text, "process %" PRIu32 " name=%" PRIu32 " number=%" PRIu64 "\n", i, process->name,
            process->number);
    }
    for (uint32_t i = 0; i < stave_trace_lanes(trace); i++)
        put_lane(text, i, stave_trace_lane(trace, i));
    for (uint32_t i = 0; i < stave_trace_boots(trace); i++) {
        put_boot(text, trace, i);
        put_anchors(text, trace, i);
    }
    for (uint32_t i = 0; i < stave_trace_modules(trace); i++)
        put_module(text, i, stave_trace_module(trace, i));
    for (uint32_t i = 0; i < stave_trace_properties(trace); i++) {
        const stave_property *property = stave_trace_property(trace, i);
        put(text, "property %" PRIu32 " key=%" PRIu32 " flags=%u value=%" PRIu64 "\n", i,
            property->key, (unsigned)property->flags, property->value);
    }
    for (uint32_t i = 0; i < stave_trace_places(trace); i++) {
        const stave_place *place = stave_trace_place(trace, i);
        put(text, "place %" PRIu32 " name=%" PRIu32 " file=%" PRIu32, i, place->name, place->file);
        put(text, " function=%" PRIu32 " line=%" PRIu32 "\n", place->function, place->line);
    }
    put_rules(text, stave__trace_rules(trace));
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static const char *const kind_names[] = {
#define NAME(kind, number, text, has, may_have) [number] = text,
    STAVE_ROW_KIND_TABLE(NAME)
#undef NAME
};

static const uint32_t kind_columns[] = {
#define COLUMNS(kind, number, text, has, may_have)                                                 \
    [number] = STAVE_COLUMN_START | STAVE_COLUMN_ORDER | STAVE_COLUMN_FLAGS | (has) | (may_have),
    STAVE_ROW_KIND_TABLE(COLUMNS)
#undef COLUMNS
};

static uint64_t column_value(const stave_block *block, uint32_t bit, uint32_t row)
{
    switch (bit) {
#define VALUE(name, number, member, type)                                                          \
    case STAVE_COLUMN_##name:                                                                      \
        return block->member != NULL ? (uint64_t)block->member[row] : 0;
        STAVE_COLUMN_TABLE(VALUE)
#undef VALUE
    default:
        return 0;
    }
}

static const char *const column_names[] = {
#define NAME(name, number, member, type) [number] = #member,
    STAVE_COLUMN_TABLE(NAME)
#undef NAME
};

static void put_open(struct trace_text *text, const stave_open_span *open)
{
    put(text, "open serial=%" PRIu64 " start=%" PRId64 " name=%" PRIu32, open->serial, open->start,
        open->name);
    if ((open->flags | open->other | open->other_lane) != 0)
        put(text, " flags=%u other=%" PRIu64 " other_lane=%" PRIu32, open->flags, open->other,
            open->other_lane);
    put(text, "\n");
}

static void put_row(struct trace_text *text, const stave_trace *trace, const stave_block *block,
                    uint32_t row)
{
    const char *kind = kind_names[block->kind];
    put(text, "%.*s", (int)strlen(kind) - 1, kind);
    for (uint32_t i = 0; i < STAVE_COLUMNS; i++) {
        uint32_t bit = 1u << i;
        if ((kind_columns[block->kind] & bit) == 0)
            continue;
        uint64_t value = column_value(block, bit, row);
        if (bit == STAVE_COLUMN_START || bit == STAVE_COLUMN_END)
            put(text, " %s=%" PRId64, column_names[i], (int64_t)value);
        else
            put(text, " %s=%" PRIu64, column_names[i], value);
    }
    put(text, " us=%.17g\n", stave_time_us(trace, block->boot, block->start[row]));
}

void trace_text_block(struct trace_text *text, const stave_trace *trace,
                      const stave_block_info *info, const stave_block *block)
{
    put(text, "block %s lane=%" PRIu32 " boot=%" PRIu32 " rows=%" PRIu32, kind_names[block->kind],
        block->lane, block->boot, block->rows);
    put(text, " first=%" PRId64 " last=%" PRId64 " begun=%" PRIu64, block->first, block->last,
        block->begun);
    put(text, " busy=%" PRIu64 " longest=%" PRIu64 " longest_name=%" PRIu32, info->busy,
        info->longest, info->longest_name);
    put(text, " deepest=%" PRIu32 " open=%" PRIu32 "\n", info->deepest, block->open_count);
    for (uint32_t i = 0; i < block->rows; i++)
        put_row(text, trace, block, i);
    for (uint32_t i = 0; i < block->open_count; i++)
        put_open(text, &block->open[i]);
}

static void put_blocks(struct trace_text *text, stave_trace *trace)
{
    stave_cursor *cursor;
    const stave_block *block;
    must(stave_cursor_open(trace, NULL, &cursor, NULL) >= 0, "no cursor");
    for (uint32_t i = 0; i < stave_trace_blocks(trace); i++) {
        stave_block_info info;
        must(stave_trace_block(trace, i, &info, NULL) >= 0, "a block that cannot be looked at");
        if (info.damaged || info.rows == 0 || info.lane == STAVE_NONE)
            continue;
        must(stave_cursor_next(cursor, &block, NULL) == 1, "a block that is not handed out");
        must(block->kind == info.kind && block->rows == info.rows, "another block");
        trace_text_block(text, trace, &info, block);
    }
    must(stave_cursor_next(cursor, &block, NULL) == 0, "more blocks than there are");
    stave_cursor_close(cursor);
}

static int compare_damages(const void *a, const void *b)
{
    const stave_damage *x = a, *y = b;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static void put_damages(struct trace_text *text, const stave_trace *trace)
{
    uint32_t count = stave_trace_damages(trace);
    stave_damage *damages = calloc((size_t)count + 1, sizeof *damages);
    must(damages != NULL, "no memory");
    for (uint32_t i = 0; i < count; i++)
        damages[i] = stave_trace_damage(trace, i);
    qsort(damages, count, sizeof *damages, compare_damages);
    for (uint32_t i = 0; i < count; i++)
        put(text, "damage offset=%" PRIu64 " size=%" PRIu64 " rows=%" PRIu64 "\n",
            damages[i].offset, damages[i].size, damages[i].rows);
    free(damages);
}

void trace_text_of(struct trace_text *text, stave_trace *trace)
{
    must(stave_trace_check(trace, (stave_progress){0}, NULL) >= 0, "a trace cannot be checked");
    put_tables(text, trace);
    put_blocks(text, trace);
    put_damages(text, trace);
}

void trace_text_of_file(struct trace_text *text, stave_trace *trace)
{
    stave_trace_file file;
    stave_trace_file_of(trace, &file);
    put(text, "file unknown=%" PRIu64 " cut=%" PRIu64 " indexed=%d packed=%d\n", file.unknown,
        file.cut, file.indexed, file.packed);
    trace_text_of(text, trace);
}

/* ---- to compare ------------------------------------------------------------------------------ */

bool trace_text_same(const struct trace_text *text, const char *expected, size_t expected_size)
{
    size_t same = 0, line = 0, number = 1;
    size_t shorter = text->size < expected_size ? text->size : expected_size;
    for (; same < shorter && text->bytes[same] == expected[same]; same++) {
        if (expected[same] != '\n')
            continue;
        line = same + 1;
        number++;
    }
    if (same == text->size && same == expected_size)
        return true;
    int got = (int)strcspn(text->bytes + line, "\n");
    const char *end = memchr(expected + line, '\n', expected_size - line);
    fprintf(stderr, "line %zu is      %.*s\n", number, got, text->bytes + line);
    fprintf(stderr, "      should be %.*s\n",
            end != NULL ? (int)(end - expected - (ptrdiff_t)line) : 0, expected + line);
    return false;
}

char *trace_text_read(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    size_t room = 4096, used = 0, n;
    char *bytes = malloc(room);
    while (bytes != NULL && (n = fread(bytes + used, 1, room - used, file)) > 0) {
        used += n;
        if (used == room)
            bytes = realloc(bytes, room *= 2);
    }
    fclose(file);
    *size = used;
    return bytes;
}
