#include "stress/rules_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- tables ---------------------------------------------------------------------------------- */

static const char *text(const struct rules_read *read, uint32_t id)
{
    return stave_trace_string(read->seen.trace, id, NULL);
}

static const struct stave__rule_row *rule_at(const struct rules_read *read, uint32_t index)
{
    return stave__table_at(&read->tables->rules, index);
}

/* The row of a name. */
static const struct stave__rule_row *row_of(const struct rules_read *read, uint32_t name)
{
    for (uint32_t i = 0; i < read->tables->rules.rows; i++)
        if (rule_at(read, i)->name == name)
            return rule_at(read, i);
    return NULL;
}

static bool has_role(const struct rules_read *read, uint32_t name, uint32_t role)
{
    const struct stave__rule_row *row = row_of(read, name);
    return row != NULL && row->role == role;
}

const struct stave__rule_row *rules_row(const struct rules_read *read, const char *id)
{
    const struct stave__rule_row *found = NULL;
    for (uint32_t i = 0; i < read->tables->rules.rows; i++) {
        const struct stave__rule_row *row = rule_at(read, i);
        if (row->role != STAVE__ROLE_RULE || strcmp(text(read, row->id), id) != 0)
            continue;
        TRACES_MUST(found == NULL);
        found = row;
    }
    return found;
}

const char *rules_dependencies(const struct rules_read *read, const char *id)
{
    static char all[1024];
    const struct stave__rule_row *row = rules_row(read, id);
    size_t used = 0;
    all[0] = '\0';
    for (uint32_t i = 0; row != NULL && i < read->tables->dependencies.rows; i++) {
        const struct stave__dependency_row *dependency =
            stave__table_at(&read->tables->dependencies, i);
        if (dependency->rule == row->name)
            used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", used > 0 ? " " : "",
                                     text(read, dependency->depends_on));
        TRACES_MUST(used < sizeof all);
    }
    return all;
}

/* ---- evaluations ----------------------------------------------------------------------------- */

static const struct traces_row *span_of(const struct rules_read *read, uint32_t lane,
                                        uint64_t serial)
{
    for (size_t i = 0; i < read->seen.rows.count; i++) {
        const struct traces_row *row = &read->seen.rows.at[i];
        if (row->kind == STAVE_SPANS && row->lane == lane && row->columns.serial == serial)
            return row;
    }
    return NULL;
}

/* What is directly around a span: of its lane, or what it is attached to. */
static const struct traces_row *around(const struct rules_read *read,
                                       const struct traces_row *inner)
{
    const struct traces_row *found = NULL;
    if ((inner->columns.flags & STAVE_FLAG_ATTACHED) != 0)
        return span_of(read, inner->columns.other_lane, inner->columns.other);
    for (size_t i = 0; inner->columns.depth > 0 && i < read->seen.rows.count; i++) {
        const struct traces_row *row = &read->seen.rows.at[i];
        bool is_around = row->kind == STAVE_SPANS && row->lane == inner->lane &&
                         row->columns.serial < inner->columns.serial &&
                         row->columns.end >= inner->columns.end &&
                         row->columns.depth < inner->columns.depth;
        if (is_around && (found == NULL || row->columns.serial > found->columns.serial))
            found = row;
    }
    return found;
}

static const char *run_of(const struct rules_read *read, const struct traces_row *row)
{
    while (row != NULL && !has_role(read, row->columns.name, STAVE__ROLE_RUN))
        row = around(read, row);
    return row != NULL ? row->name : NULL;
}

static void take_attribute(const struct rules_read *read, struct rules_evaluation *e,
                           const struct traces_row *attribute)
{
    static const char *const texts[] = {[STAVE__ROLE_SKIPPED] = "skipped",
                                        [STAVE__ROLE_CACHED] = "cached",
                                        [STAVE__ROLE_CANCELLED] = "cancelled",
                                        [STAVE__ROLE_TIMED_OUT] = "timed out"};
    const struct stave__rule_row *key = row_of(read, attribute->columns.name);
    bool failed = (e->row->columns.flags & STAVE_FLAG_FAILED) != 0;
    if (key != NULL && key->role >= STAVE__ROLE_SKIPPED && key->role <= STAVE__ROLE_TIMED_OUT)
        e->outcome = attribute->columns.value != 0 ? texts[key->role] : failed ? "failed" : "done";
    if (strcmp(attribute->name, "error") == 0)
        e->reason = recorded_text(&read->seen, attribute, NULL);
}

static bool is_in_a_session(const struct rules_read *read, const struct traces_row *row)
{
    for (uint32_t i = 0; i < read->tables->sessions.rows; i++) {
        const struct stave__session_row *session = stave__table_at(&read->tables->sessions, i);
        if (row->columns.start >= session->start && row->columns.start < session->stop)
            return true;
    }
    return false;
}

static struct rules_evaluation evaluation_of(const struct rules_read *read,
                                             const struct traces_row *row)
{
    const struct stave__rule_row *rule = row_of(read, row->columns.name);
    bool failed = (row->columns.flags & STAVE_FLAG_FAILED) != 0;
    struct rules_evaluation e = {
        .id = text(read, rule->id),
        .description = row->name,
        .row = row,
        .outcome = failed ? "failed" : "done",
        .run = run_of(read, row),
        .is_in_session = is_in_a_session(read, row),
    };
    if ((row->columns.flags & STAVE_FLAG_ATTACHED) != 0) {
        const struct traces_row *place = span_of(read, row->columns.other_lane, row->columns.other);
        e.place = place != NULL ? place->name : "(lost)";
    }
    for (size_t i = 0; read->has_attributes && i < read->seen.rows.count; i++) {
        const struct traces_row *attribute = &read->seen.rows.at[i];
        if (attribute->kind == STAVE_ATTRIBUTES && attribute->lane == row->lane &&
            attribute->columns.serial == row->columns.serial)
            take_attribute(read, &e, attribute);
    }
    return e;
}

static int compare(const void *a, const void *b)
{
    const struct traces_row *x = ((const struct rules_evaluation *)a)->row,
                            *y = ((const struct rules_evaluation *)b)->row;
    if (x->columns.start != y->columns.start)
        return x->columns.start < y->columns.start ? -1 : 1;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    return x->columns.serial < y->columns.serial ? -1 : x->columns.serial > y->columns.serial;
}

static struct rules_read read_of(struct recorded seen)
{
    struct rules_read read = {.seen = seen,
                              .tables = stave__trace_rules(seen.trace),
                              .has_attributes = recorded_count(&seen, STAVE_ATTRIBUTES) > 0};
    read.at = malloc((seen.rows.count + 1) * sizeof *read.at);
    TRACES_MUST(read.at != NULL);
    for (size_t i = 0; i < seen.rows.count; i++) {
        const struct traces_row *row = &seen.rows.at[i];
        if (row->kind == STAVE_SPANS && has_role(&read, row->columns.name, STAVE__ROLE_RULE))
            read.at[read.count++] = evaluation_of(&read, row);
    }
    if (read.count > 0)
        qsort(read.at, read.count, sizeof *read.at, compare);
    return read;
}

struct rules_read rules_read_session(stave_session *session)
{
    char path[128];
    const char *dir = getenv("TMPDIR");
    stave_error error = {0};
    snprintf(path, sizeof path, "%.90s/stave-rules-XXXXXX", dir != NULL ? dir : "/tmp");
    int fd = mkstemp(path);
    TRACES_MUST(fd >= 0);
    close(fd);
    if (stave_session_dump(session, path, &error) < 0)
        traces_failed(__FILE__, __LINE__, error.message);
    struct recorded seen = recorded_file(path);
    unlink(path);
    return read_of(seen);
}

struct rules_read rules_read_file(const char *path)
{
    return read_of(recorded_file(path));
}

void rules_free(struct rules_read *read)
{
    recorded_free(&read->seen);
    free(read->at);
}

size_t rules_count(const struct rules_read *read, const char *id)
{
    size_t count = 0;
    for (size_t i = 0; i < read->count; i++)
        count += strcmp(read->at[i].id, id) == 0;
    return count;
}

const struct rules_evaluation *rules_find(const struct rules_read *read, const char *id)
{
    TRACES_MUST(rules_count(read, id) == 1);
    for (size_t i = 0;; i++)
        if (strcmp(read->at[i].id, id) == 0)
            return &read->at[i];
}
