#include "record/traces_copy.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "record/pieces.h"
#include "record/record.h"
#include "record/sums.h"

struct stave__scale stave__scale_now(void)
{
    const struct stave__clock *clock = &stave__recorder.clock;
    struct stave__moment now = stave__clock_moment(clock);
    double rate = stave__clock_rate(clock, &clock->start, &now);
    return (struct stave__scale){.ns_a_tick = rate > 0 ? 1e9 / rate : 1};
}

/* ---- its records ----------------------------------------------------------------------------- */

struct records {
    struct stave__record *at;
    uint32_t count;
};

/* How many chunks it is in. 0: they are not all there any more. */
static uint32_t chunks_of(const struct stave__kept *kept)
{
    const struct stave__pool *pool = &stave__recorder.pool;
    uint64_t first = kept->root.from.taken;
    struct stave__position at = kept->root.to;
    for (uint32_t chunks = 1; at.taken >= first && chunks <= pool->count; chunks++) {
        uint64_t taken = __atomic_load_n(&stave__pool_at(pool, at.chunk)->taken, __ATOMIC_ACQUIRE);
        if (taken != at.taken)
            return 0;
        if (taken == first)
            return chunks;
        at = stave__position_before(at);
    }
    return 0;
}

/* No fewer than there are of it: in the first chunk those from its start on, in the last one those before its end. */
static uint32_t records_of(const struct stave__kept *kept, uint32_t chunks)
{
    uint32_t before = kept->root.from.at;
    uint32_t up_to_end = (chunks - 1) * (uint32_t)STAVE__CHUNK_RECORDS + kept->root.to.at;
    return up_to_end > before ? up_to_end - before : 0;
}

/* The chunk whose end stands at `at`, to where it belongs, from behind. False: it is not there any more. */
static bool copy_chunk(const struct stave__kept *kept, struct stave__position at,
                       struct records *records)
{
    const struct stave__chunk *chunk = stave__pool_at(&stave__recorder.pool, at.chunk);
    uint32_t used = __atomic_load_n(&chunk->used, __ATOMIC_ACQUIRE);
    struct stave__piece piece = {
        .taken = at.taken,
        .chunk = at.chunk,
        .from = at.taken == kept->root.from.taken ? kept->root.from.at : 0,
        .to = at.taken == kept->root.to.taken ? kept->root.to.at : used,
    };
    if (piece.to > STAVE__CHUNK_RECORDS || piece.from > piece.to ||
        piece.to - piece.from > records->count)
        return false;
    records->count -= piece.to - piece.from;
    return stave__piece_copy(&piece, records->at + records->count);
}

/* False: they are not there any more, or some in the midst. The first stands at records->at + records->count then. */
static bool copy_records(const struct stave__kept *kept, struct records *records)
{
    uint64_t first = kept->root.from.taken;
    struct stave__position at = kept->root.to;
    while (at.taken > first) {
        struct stave__position next = stave__position_before(at);
        if (!copy_chunk(kept, at, records))
            return false;
        at = next;
    }
    return at.taken == first && copy_chunk(kept, at, records);
}

/* ---- what is made of them -------------------------------------------------------------------- */

/* A cumulative entry's place in its span. */
struct entry {
    uint64_t owner;
    uint32_t number, around, node;
};

/* A record of it. */
struct found {
    const struct stave__record *record;
};

/* When a node starts. */
struct start {
    uint64_t ns;
    uint32_t node;
};

struct copy {
    stave_kept_trace trace; /* first: the caller has its address */
    const struct stave__kept *kept;
    const struct stave__scale *scale;
    struct stave__record *all;
    struct found *spans; /* by serial; the root is the first */
    struct found *attributes;
    struct entry *entries;
    uint32_t span_count, entry_count, attribute_count;
    size_t text_size;
    stave_kept_span *nodes;
    stave_kept_value *values;
    struct start *starts; /* of nodes */
    char *texts, *texts_end;
};

static void sort_out(struct copy *copy, const struct stave__record *record)
{
    if (record->serial < copy->kept->root.serial)
        return;
    if (stave__record_is_span(record)) {
        copy->spans[copy->span_count++].record = record;
    } else if (stave__record_is(record, STAVE__SUM)) {
        copy->entries[copy->entry_count++] = (struct entry){
            .owner = record->serial,
            .number = (uint32_t)(record->what >> STAVE__SUM_NUMBER_SHIFT) & STAVE__SUM_NUMBER_MAX,
            .around = (uint32_t)(record->what >> STAVE__SUM_AROUND_SHIFT) & STAVE__SUM_NUMBER_MAX,
            .node = (uint32_t)(record - copy->all), /* until it has one */
        };
    } else if (stave__record_is(record, STAVE__ATTRIBUTE)) {
        copy->attributes[copy->attribute_count++].record = record;
        copy->text_size += stave__record_has_text(record) ? (size_t)record->start + 1 : 0;
    }
}

static int compare_spans(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    return x->record->serial < y->record->serial ? -1 : x->record->serial > y->record->serial;
}

/* Attributes of a span stay in the order in which they were set: records stand in it. */
static int compare_attributes(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    if (x->record->serial != y->record->serial)
        return x->record->serial < y->record->serial ? -1 : 1;
    return x->record < y->record ? -1 : x->record > y->record;
}

static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->owner != y->owner)
        return x->owner < y->owner ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static const char *text_of(uint32_t name)
{
    size_t size;
    const char *text = name != 0 && name != STAVE__NO_ID
                           ? stave__dictionary_text(&stave__recorder.names, name, &size)
                           : NULL;
    return text != NULL ? text : "";
}

/* ---- attributes ------------------------------------------------------------------------------ */

static void set_text(struct copy *copy, const struct stave__record *record, stave_kept_value *value)
{
    size_t size = (size_t)record->start;
    value->type = STAVE_VALUE_TEXT;
    value->text_size = size;
    value->value.text = copy->texts_end;
    memcpy(copy->texts_end, record + 1, size);
    copy->texts_end[size] = '\0';
    copy->texts_end += size + 1;
}

static uint32_t kind_of(uint16_t flags)
{
    switch (stave_value_type(flags)) {
    case STAVE_FLAG_REAL:
        return STAVE_VALUE_F64;
    case STAVE_FLAG_SIGNED:
        return STAVE_VALUE_I64;
    case STAVE_FLAG_BOOL:
        return STAVE_VALUE_BOOL;
    default:
        return STAVE_VALUE_U64;
    }
}

static void set_value(struct copy *copy, const struct stave__record *record,
                      stave_kept_value *value)
{
    uint16_t flags = stave__what_flags(record->what);
    value->key = text_of(stave__what_name(record->what));
    value->flags = flags & STAVE_FLAG_TRUNCATED;
    value->type = kind_of(flags);
    if (stave__record_has_text(record))
        set_text(copy, record, value);
    else if (value->type == STAVE_VALUE_BOOL)
        value->value.boolean = record->start != 0;
    else
        memcpy(&value->value, &record->start, sizeof record->start);
}

/* Attributes and spans stand in the order of their serials. */
static void set_data(struct copy *copy)
{
    uint32_t at = 0, count = copy->attribute_count;
    for (uint32_t i = 0; i < copy->span_count; i++) {
        stave_kept_span *node = &copy->nodes[i];
        uint64_t serial = copy->spans[i].record->serial;
        while (at < count && copy->attributes[at].record->serial < serial)
            at++;
        node->data = &copy->values[at];
        for (; at < count && copy->attributes[at].record->serial == serial; at++) {
            set_value(copy, copy->attributes[at].record, &copy->values[at]);
            node->data_count++;
        }
    }
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static uint64_t since_root(const struct copy *copy, uint64_t tick)
{
    return tick > copy->kept->root.start
               ? stave__scale_ns(copy->scale, tick - copy->kept->root.start)
               : 0;
}

static stave_kept_span node_of(const struct copy *copy, const struct stave__record *record)
{
    uint32_t name = stave__what_name(record->what);
    return (stave_kept_span){
        .name = text_of(name),
        .start_ns = since_root(copy, record->start),
        .duration_ns = stave__scale_ns(copy->scale, record->end - record->start),
    };
}

static void make_spans(struct copy *copy)
{
    uint32_t root_depth = stave__what_depth(copy->spans[0].record->what);
    for (uint32_t i = 0; i < copy->span_count; i++) {
        const struct stave__record *record = copy->spans[i].record;
        copy->nodes[i] = node_of(copy, record);
        copy->nodes[i].flags = stave__what_flags(record->what);
        copy->nodes[i].depth = stave__what_depth(record->what) - root_depth;
    }
}

/* By serial a span comes after all that are around it: the nearest one that is not as deep. */
static void find_parents(struct copy *copy)
{
    for (uint32_t i = 1; i < copy->span_count; i++) {
        uint32_t parent = i - 1;
        while (parent > 0 && copy->nodes[parent].depth >= copy->nodes[i].depth)
            parent = copy->nodes[parent].parent;
        copy->nodes[i].parent = parent;
    }
}

static uint32_t span_of(const struct copy *copy, uint64_t serial)
{
    const struct stave__record wanted = {.serial = serial};
    const struct found key = {&wanted};
    const struct found *found =
        bsearch(&key, copy->spans, copy->span_count, sizeof *copy->spans, compare_spans);
    return found != NULL ? (uint32_t)(found - copy->spans) : 0;
}

static const struct entry *entry_around(const struct copy *copy, const struct entry *entry)
{
    struct entry wanted = {.owner = entry->owner, .number = entry->around};
    return entry->around != 0 ? bsearch(&wanted, copy->entries, copy->entry_count,
                                        sizeof *copy->entries, compare_entries)
                              : NULL;
}

static void make_entry(struct copy *copy, struct entry *entry, uint32_t node)
{
    const struct stave__record *record = &copy->all[entry->node];
    stave_kept_span *made = &copy->nodes[node];
    *made = node_of(copy, record);
    made->count = record[1].start;
    made->total_ns = stave__scale_ns(copy->scale, record[1].end);
    made->min_ns = stave__scale_ns(copy->scale, record[1].serial);
    made->max_ns = stave__scale_ns(copy->scale, record[1].what);
    made->avg_ns = (double)record[1].end * copy->scale->ns_a_tick / (double)record[1].start;
    entry->node = node;
}

/* Numbers are given from the outside in: what is around an entry has a lower one, and stands before it. */
static void make_entries(struct copy *copy)
{
    for (uint32_t i = 0; i < copy->entry_count; i++)
        make_entry(copy, &copy->entries[i], copy->span_count + i);
    for (uint32_t i = 0; i < copy->entry_count; i++) {
        const struct entry *entry = &copy->entries[i], *around = entry_around(copy, entry);
        uint32_t parent = around != NULL ? around->node : span_of(copy, entry->owner);
        copy->nodes[entry->node].parent = parent;
        copy->nodes[entry->node].depth = copy->nodes[parent].depth + 1;
    }
}

static int compare_starts(const void *a, const void *b)
{
    const struct start *x = a, *y = b;
    if (x->ns != y->ns)
        return x->ns < y->ns ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

/* From the last to the first, each in front of its parent's children. */
static void link_children(struct copy *copy)
{
    uint32_t count = copy->trace.span_count;
    for (uint32_t i = 0; i < count; i++)
        copy->starts[i] = (struct start){.ns = copy->nodes[i].start_ns, .node = i};
    qsort(copy->starts, count, sizeof *copy->starts, compare_starts);
    for (uint32_t i = count; i-- > 0;) {
        uint32_t node = copy->starts[i].node;
        stave_kept_span *parent = &copy->nodes[copy->nodes[node].parent];
        if (node == 0)
            continue;
        copy->nodes[node].next = parent->first_child;
        parent->first_child = node;
    }
}

/* ---- the trace ------------------------------------------------------------------------------- */

static bool is_id(const stave_kept_value *value)
{
    return value->key != NULL && strcmp(value->key, "id") == 0;
}

/* The id in front of the root's other attributes. */
static void find_id(struct copy *copy)
{
    stave_kept_trace *trace = &copy->trace;
    stave_kept_value *values = copy->values;
    uint32_t count = copy->nodes[0].data_count, at = 0;
    while (at < count && !is_id(&values[at]))
        at++;
    trace->arguments = values;
    trace->argument_count = count;
    if (at == count)
        return;
    stave_kept_value id = values[at];
    memmove(values + 1, values, at * sizeof *values);
    values[0] = id;
    trace->id = values;
    trace->arguments = values + 1;
    trace->argument_count = count - 1;
}

static void describe(struct copy *copy)
{
    const struct stave__kept *kept = copy->kept;
    const struct stave__moment *start = &stave__recorder.clock.start;
    stave_kept_trace *trace = &copy->trace;
    trace->number = kept->root.number;
    trace->name = text_of(kept->root.name);
    trace->kept = __atomic_load_n(&kept->why, __ATOMIC_RELAXED);
    trace->started_ns =
        start->realtime_ns + (int64_t)stave__scale_ns(copy->scale, kept->root.start - start->tick);
    trace->duration_ns = stave__scale_ns(copy->scale, kept->root.end - kept->root.start);
    trace->thread = text_of(kept->root.thread);
    trace->spans = copy->nodes;
    copy->nodes[0].flags |= kept->root.is_cut ? STAVE_FLAG_TRUNCATED : 0;
}

static void build(struct copy *copy)
{
    qsort(copy->spans, copy->span_count, sizeof *copy->spans, compare_spans);
    qsort(copy->attributes, copy->attribute_count, sizeof *copy->attributes, compare_attributes);
    qsort(copy->entries, copy->entry_count, sizeof *copy->entries, compare_entries);
    make_spans(copy);
    find_parents(copy);
    make_entries(copy);
    set_data(copy);
    link_children(copy);
    find_id(copy);
    describe(copy);
}

/* Room for what a trace is made of is given up once it is there. */
static void free_parts(struct copy *copy)
{
    free(copy->all);
    free(copy->spans);
    free(copy->attributes);
    free(copy->entries);
    free(copy->starts);
    copy->all = NULL;
    copy->spans = copy->attributes = NULL;
    copy->entries = NULL;
    copy->starts = NULL;
}

void stave_trace_release(stave_kept_trace *trace)
{
    struct copy *copy = (struct copy *)trace;
    if (copy == NULL)
        return;
    free_parts(copy);
    free(copy->nodes);
    free(copy->values);
    free(copy->texts);
    free(copy);
}

static bool make_parts(struct copy *copy, uint32_t records)
{
    size_t count = (size_t)records + 1;
    copy->spans = malloc(count * sizeof *copy->spans);
    copy->attributes = malloc(count * sizeof *copy->attributes);
    copy->entries = malloc(count * sizeof *copy->entries);
    return copy->spans != NULL && copy->attributes != NULL && copy->entries != NULL;
}

static bool make_room(struct copy *copy)
{
    uint32_t nodes = copy->span_count + copy->entry_count;
    copy->trace.span_count = nodes;
    copy->nodes = calloc((size_t)nodes + 1, sizeof *copy->nodes);
    copy->starts = malloc(((size_t)nodes + 1) * sizeof *copy->starts);
    copy->values = calloc((size_t)copy->attribute_count + 1, sizeof *copy->values);
    copy->texts = malloc(copy->text_size + 1);
    copy->texts_end = copy->texts;
    return copy->nodes != NULL && copy->starts != NULL && copy->values != NULL &&
           copy->texts != NULL;
}

/* 0: the root is not among the records. */
static int make(struct copy *copy, const struct stave__record *records, uint32_t count)
{
    if (!make_parts(copy, count))
        return STAVE_E_MEMORY;
    for (uint32_t i = 0; i < count; i += stave__record_length(&records[i]))
        sort_out(copy, &records[i]);
    if (!make_room(copy))
        return STAVE_E_MEMORY;
    if (copy->span_count == 0)
        return 0;
    build(copy);
    free_parts(copy);
    return 1;
}

/* All of its records in one row. */
static int copy_all(struct copy *copy)
{
    uint32_t chunks = chunks_of(copy->kept);
    if (chunks == 0)
        return 0;
    struct records records = {.count = records_of(copy->kept, chunks)};
    uint32_t room = records.count;
    records.at = copy->all = malloc((size_t)room * sizeof *records.at + 1);
    if (records.at == NULL)
        return STAVE_E_MEMORY;
    if (!copy_records(copy->kept, &records))
        return 0;
    return make(copy, records.at + records.count, room - records.count);
}

int stave__trace_copy(const struct stave__kept *kept, const struct stave__scale *scale,
                      stave_kept_trace **trace, stave_error *error)
{
    struct copy *copy = calloc(1, sizeof *copy);
    if (copy == NULL)
        return stave__fail_memory(error);
    copy->kept = kept;
    copy->scale = scale;
    int status = copy_all(copy);
    if (status > 0)
        *trace = &copy->trace;
    else
        stave_trace_release(&copy->trace);
    return status < 0 ? stave__fail_memory(error) : status;
}
