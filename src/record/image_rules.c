#include "record/image_rules.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "record/record.h"
#include "record/rules.h"
#include "record/sessions.h"
#include "store/header.h"

#define ROWS_A_BLOCK 256u
#define COLUMNS_MAX 13u

/* Rows of a table that stand one behind another, column by column. */
struct batch {
    struct stave__image_file *file;
    enum stave__table_kind kind;
    uint32_t columns;
    uint32_t *put; /* rows of the table that are in the file, this batch included */
    uint32_t first, rows;
    uint64_t values[COLUMNS_MAX][ROWS_A_BLOCK];
};

static void begin(struct batch *batch, struct stave__image_file *file, enum stave__table_kind kind,
                  uint32_t columns, uint32_t *put)
{
    batch->file = file;
    batch->kind = kind;
    batch->columns = columns;
    batch->put = put;
    batch->first = *put;
    batch->rows = 0;
}

/* Behind the texts that it refers to. */
static void flush(struct batch *batch)
{
    struct stave__image_file *file = batch->file;
    if (batch->rows > 0) {
        stave__image_texts(file);
        struct stave__image_table table =
            stave__image_table_begin(file, batch->kind, batch->first, batch->rows);
        for (uint32_t i = 0; i < batch->columns; i++) {
            memcpy(file->values, batch->values[i], batch->rows * sizeof *file->values);
            stave__image_table_column(&table, i);
        }
        stave__image_table_end(&table);
    }
    batch->first = *batch->put;
    batch->rows = 0;
}

static void set(struct batch *batch, uint32_t row, const uint64_t *values)
{
    for (uint32_t i = 0; i < batch->columns; i++)
        batch->values[i][row - batch->first] = values[i];
}

/* The next row of the table: its number. */
static uint32_t add(struct batch *batch, const uint64_t *values)
{
    if (batch->rows == ROWS_A_BLOCK)
        flush(batch);
    batch->rows++;
    set(batch, *batch->put, values);
    return (*batch->put)++;
}

/* A row that is in the file, or in the batch. */
static void tell_again(struct batch *batch, uint32_t row, const uint64_t *values)
{
    if (row >= batch->first) {
        set(batch, row, values);
        return;
    }
    flush(batch);
    batch->first = row;
    batch->rows = 1;
    set(batch, row, values);
    flush(batch);
}

/* ---- rules ----------------------------------------------------------------------------------- */

/* The file's text of an id. */
static uint32_t text_of(struct stave__image_file *file, uint32_t id)
{
    size_t size;
    if (file->rules.ids[id] == 0) {
        const char *text = stave__dictionary_text(&stave__rules.ids, id, &size);
        file->rules.ids[id] = stave__image_text(file, text, size);
    }
    return file->rules.ids[id];
}

static void put_rule(struct batch *batch, uint32_t id)
{
    struct stave__image_file *file = batch->file;
    const struct stave__rule_known *known = &stave__rules.known[id];
    uint32_t name = __atomic_load_n(&known->name, __ATOMIC_ACQUIRE);
    uint32_t parent = __atomic_load_n(&known->parent, __ATOMIC_ACQUIRE);
    const uint64_t values[] = {stave__image_name(file, name), text_of(file, id), 0, parent != 0,
                               parent != 0 ? text_of(file, parent) : 0};
    if (file->rules.rows[id] == 0)
        file->rules.rows[id] = add(batch, values) + 1;
    else
        tell_again(batch, file->rules.rows[id] - 1, values);
}

static void put_other(struct batch *batch, enum stave__role role, uint32_t name)
{
    const uint64_t values[] = {stave__image_name(batch->file, name), 0, role - STAVE__NAME_RULE, 0,
                               0};
    if (name != STAVE__NO_ID)
        add(batch, values);
}

static void put_news(struct batch *batch, uint64_t word)
{
    enum stave__role role = (enum stave__role)(word >> STAVE__NEWS_ROLE_SHIFT);
    if (role == STAVE__NAME_RULE)
        put_rule(batch, (uint32_t)word);
    else
        put_other(batch, role, (uint32_t)word);
}

/* U4 */
static void put_rules(struct batch *batch, struct stave__image_file *file)
{
    uint64_t count = __atomic_load_n(&stave__rules.news_count, __ATOMIC_ACQUIRE), word;
    begin(batch, file, STAVE__RULES, 5, &file->rules.rows_put);
    while (file->rules.news_put < count && file->rules.news_put < STAVE__NEWS_MAX &&
           (word = __atomic_load_n(&stave__rules.news[file->rules.news_put], __ATOMIC_ACQUIRE)) !=
               0) {
        put_news(batch, word);
        file->rules.news_put++;
    }
    flush(batch);
}

static void put_dependency(struct batch *batch, uint64_t word)
{
    uint32_t rule = (uint32_t)(word >> STAVE__DEPENDENCY_RULE_SHIFT), on = (uint32_t)word;
    uint32_t name = __atomic_load_n(&stave__rules.known[rule].name, __ATOMIC_ACQUIRE);
    const uint64_t values[] = {stave__image_name(batch->file, name),
                               on != 0 ? text_of(batch->file, on) : 0};
    if (on != 0)
        add(batch, values);
}

static void put_dependencies(struct batch *batch, struct stave__image_file *file)
{
    uint64_t count = __atomic_load_n(&stave__rules.dependencies_count, __ATOMIC_ACQUIRE), word;
    uint64_t *at = &file->rules.words_put;
    begin(batch, file, STAVE__DEPENDENCIES, 2, &file->rules.dependencies_put);
    while (*at < count && *at < STAVE__WORDS_MAX &&
           (word = __atomic_load_n(&stave__rules.dependencies[*at], __ATOMIC_ACQUIRE)) != 0) {
        put_dependency(batch, word);
        (*at)++;
    }
    flush(batch);
}

static bool has_news(const struct stave__image_file *file)
{
    return __atomic_load_n(&stave__rules.news_count, __ATOMIC_RELAXED) > file->rules.news_put ||
           __atomic_load_n(&stave__rules.dependencies_count, __ATOMIC_RELAXED) >
               file->rules.words_put;
}

/* A recording in which no rule was met has none of these tables. */
static bool has_rules(void)
{
    return __atomic_load_n(&stave__rules.news_count, __ATOMIC_RELAXED) > STAVE__NEWS_FIRST;
}

/* Room for rows, on the heap: a drain's stack is small. NULL is an error. */
static struct batch *open_batch(struct stave__image_file *file)
{
    struct batch *batch = malloc(sizeof *batch);
    if (batch == NULL && file->status >= 0)
        file->status = stave__fail_memory(file->error);
    return batch;
}

void stave__image_rules(struct stave__image_file *file)
{
    struct batch *batch = has_rules() && has_news(file) ? open_batch(file) : NULL;
    if (batch == NULL)
        return;
    put_rules(batch, file);
    put_dependencies(batch, file);
    free(batch);
}

/* ---- sessions -------------------------------------------------------------------------------- */

static uint64_t ticks_of(uint64_t tick)
{
    return tick == UINT64_MAX ? (uint64_t)INT64_MAX : (uint64_t)stave__since_start(tick);
}

static void put_session(struct batch *batch, const struct stave_session *session)
{
    bool is_all = session->scope == STAVE__ALL_THREADS;
    uint64_t lane =
        is_all ? 0 : (uint64_t)stave__image_lane_of(batch->file, (uint32_t)session->scope) + 1;
    const uint64_t values[] = {session->number,         0,    ticks_of(session->start),
                               ticks_of(session->stop), lane, session->given_up,
                               session->dropped};
    add(batch, values);
}

static void put_sum(struct batch *batch, uint64_t session, const struct stave__session_sum *of)
{
    const stave_summary *sum = &of->sum;
    const uint64_t values[] = {session,        stave__image_name(batch->file, of->rule),
                               sum->calls,     sum->failed,
                               sum->skipped,   sum->cached,
                               sum->cancelled, sum->timed_out,
                               sum->total_ns,  sum->self_ns,
                               sum->first_ns,  sum->min_ns,
                               sum->max_ns};
    add(batch, values);
}

static void put_sums(struct stave__image_file *file, const struct stave_session *session)
{
    struct batch *batch = session->sums != NULL ? open_batch(file) : NULL;
    if (batch == NULL) {
        if (session->sums_count > 0 && file->status >= 0)
            file->status = stave__fail_memory(file->error);
        return;
    }
    begin(batch, file, STAVE__SUMMARIES, 13, &file->rules.summaries_put);
    for (size_t i = 0; i < session->sums_count; i++)
        put_sum(batch, session->number, &session->sums[i]);
    flush(batch);
    free(batch);
}

void stave__image_sessions(struct stave__image_file *file)
{
    struct batch *batch = stave__sessions_any() ? open_batch(file) : NULL;
    uint32_t places = stave__sessions_places();
    if (batch == NULL)
        return;
    begin(batch, file, STAVE__SESSIONS, 7, &file->rules.sessions_put);
    for (uint32_t i = 0; i < places; i++) {
        struct stave_session copy;
        if (!stave__session_copy(i, &copy))
            continue;
        if (file->rules.session == 0 || file->rules.session == copy.number) {
            put_session(batch, &copy);
            put_sums(file, &copy);
        }
        free(copy.sums);
    }
    flush(batch);
    free(batch);
}
