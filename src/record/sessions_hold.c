/* The chunks that sessions hold, and what of theirs is given up. */
#include "record/record.h"
#include "record/rules.h"
#include "record/sessions.h"

/* ---- a record -------------------------------------------------------------------------------- */

static struct stave__record load(const struct stave__record *from)
{
    return (struct stave__record){
        .start = __atomic_load_n(&from->start, __ATOMIC_RELAXED),
        .end = __atomic_load_n(&from->end, __ATOMIC_RELAXED),
        .serial = __atomic_load_n(&from->serial, __ATOMIC_RELAXED),
        .what = __atomic_load_n(&from->what, __ATOMIC_RELAXED),
    };
}

/* How many evaluations it is. */
static uint64_t evaluations_in(const struct stave__record *record, const struct stave__record *next)
{
    bool is_sum = stave__record_is(record, STAVE__SUM);
    if ((!is_sum && !stave__record_is_span(record)) ||
        stave__role_of(stave__what_name(record->what)) != STAVE__NAME_RULE)
        return 0;
    return is_sum ? __atomic_load_n(&next->start, __ATOMIC_RELAXED) : 1;
}

static bool began_in(const struct stave__record *record, const struct stave_session *session)
{
    return record->start - session->start < session->stop - session->start;
}

/* ---- holding --------------------------------------------------------------------------------- */

/* Spans, entries and marks; of attributes nothing is known but whose they are. */
static bool is_of_its_time(const struct stave__record *record, const struct stave_session *session)
{
    bool has_start = stave__record_is_span(record) || stave__record_is(record, STAVE__SUM);
    if (stave__record_is(record, STAVE__ATTRIBUTE) || (int64_t)(record->end - session->start) < 0)
        return false;
    uint64_t start = has_start ? record->start : record->end;
    return session->stop == UINT64_MAX || (int64_t)(session->stop - start) > 0;
}

/* Of another thread it wants what was begun by a handle, and what may be in that. */
static bool is_wanted(const struct stave__chunk *chunk, uint32_t used,
                      const struct stave_session *session, bool is_in_attached)
{
    uint32_t owner = __atomic_load_n(&chunk->owner, __ATOMIC_RELAXED), length;
    bool in_scope =
        session->scope == STAVE__ALL_THREADS || session->scope == owner || is_in_attached;
    for (uint32_t i = 0; i < used; i += length) {
        struct stave__record record = load(&chunk->records[i]);
        length = stave__record_length(&record);
        if ((in_scope || stave__record_is_attached(&record)) && is_of_its_time(&record, session))
            return true;
    }
    return false;
}

static bool is_wanted_by_any(const struct stave__chunk *chunk, uint32_t used, bool is_in_attached)
{
    uint32_t places = stave__sessions_places();
    for (uint32_t i = 0; i < places; i++) {
        struct stave_session seen;
        if (stave__session_look(stave__session_at(i), &seen) &&
            is_wanted(chunk, used, &seen, is_in_attached))
            return true;
    }
    return false;
}

enum { HELD = 1, HELD_IN_ATTACHED = 2 };

static void unpin(uint32_t number)
{
    struct stave__chunk *chunk = stave__pool_at(&stave__recorder.pool, number);
    if (__atomic_exchange_n(&chunk->session_pin, 0, __ATOMIC_ACQ_REL) != 0)
        stave__pool_unpin(&stave__recorder.pool, number);
}

void stave__sessions_hold(const struct stave__lane *lane, uint32_t number, uint32_t used)
{
    struct stave__chunk *chunk = stave__pool_at(&stave__recorder.pool, number);
    bool is_in_attached = lane->attached_open > 0;
    uint64_t changes = stave__sessions_changes();
    if (!is_wanted_by_any(chunk, used, is_in_attached) ||
        !stave__pool_pin(&stave__recorder.pool, number, chunk->taken))
        return;
    __atomic_store_n(&chunk->session_pin, is_in_attached ? HELD_IN_ATTACHED : HELD,
                     __ATOMIC_SEQ_CST);
    if (stave__sessions_changes() != changes && !is_wanted_by_any(chunk, used, is_in_attached))
        unpin(number);
}

/* One that is being sealed looks for itself. */
void stave__sessions_let_go(void)
{
    const struct stave__pool *pool = &stave__recorder.pool;
    for (uint32_t i = 0; i < pool->count; i++) {
        const struct stave__chunk *chunk = stave__pool_at(pool, i);
        uint32_t pin = __atomic_load_n(&chunk->session_pin, __ATOMIC_SEQ_CST);
        uint32_t used = __atomic_load_n(&chunk->used, __ATOMIC_ACQUIRE);
        if (pin != 0 && used != STAVE__BEING_WRITTEN &&
            !is_wanted_by_any(chunk, used, pin == HELD_IN_ATTACHED))
            unpin(i);
    }
}

/* ---- giving up ------------------------------------------------------------------------------- */

static void count(const struct stave__record *record, uint64_t evaluations)
{
    uint32_t places = stave__sessions_places();
    for (uint32_t i = 0; i < places; i++) {
        struct stave_session seen;
        if (stave__session_look(stave__session_at(i), &seen) && began_in(record, &seen))
            __atomic_fetch_add(&stave__session_at(i)->given_up, evaluations, __ATOMIC_RELAXED);
    }
}

void stave__sessions_forget(const struct stave__chunk *chunk, uint32_t used)
{
    uint32_t length;
    if (!stave__sessions_any())
        return;
    for (uint32_t i = 0; i < used; i += length) {
        struct stave__record record = load(&chunk->records[i]);
        length = stave__record_length(&record);
        uint64_t evaluations = evaluations_in(&record, &chunk->records[i] + 1);
        if (evaluations > 0)
            count(&record, evaluations);
    }
}
