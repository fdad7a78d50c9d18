#include "record/sessions.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "base/error.h"
#include "record/rules.h"

uint32_t stave__rules_on;
uint32_t stave__sessions_live;

static struct stave_session sessions[STAVE_SESSIONS_MAX];
static uint64_t numbers; /* that were given out */
static uint64_t changes; /* of what sessions there are */
static uint32_t places;  /* up to the highest that was ever used */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* V1 */

/* ---- looking --------------------------------------------------------------------------------- */

uint32_t stave__sessions_places(void)
{
    return __atomic_load_n(&places, __ATOMIC_ACQUIRE);
}

struct stave_session *stave__session_at(uint32_t index)
{
    return &sessions[index];
}

uint64_t stave__sessions_changes(void)
{
    return __atomic_load_n(&changes, __ATOMIC_SEQ_CST);
}

/* V1 */
bool stave__session_look(const struct stave_session *session, struct stave_session *seen)
{
    seen->number = __atomic_load_n(&session->number, __ATOMIC_ACQUIRE);
    seen->start = __atomic_load_n(&session->start, __ATOMIC_ACQUIRE);
    seen->stop = __atomic_load_n(&session->stop, __ATOMIC_ACQUIRE);
    seen->scope = __atomic_load_n(&session->scope, __ATOMIC_ACQUIRE);
    return seen->number != 0 && __atomic_load_n(&session->number, __ATOMIC_RELAXED) == seen->number;
}

static bool is_scope_of(const struct stave_session *session, const struct stave__lane *lane)
{
    if (session->scope == STAVE__ALL_THREADS)
        return true;
    return lane != NULL && session->scope == stave__owner(lane->index, lane->life);
}

bool stave__sessions_capture(const struct stave__lane *lane)
{
    uint32_t on = __atomic_load_n(&stave__rules_on, __ATOMIC_RELAXED), count;
    if ((on & 1) != 0 || on == 0)
        return on != 0;
    if (lane->attached_open > 0)
        return true;
    count = stave__sessions_places();
    for (uint32_t i = 0; i < count; i++) {
        struct stave_session seen;
        if (stave__session_look(&sessions[i], &seen) && seen.stop == UINT64_MAX &&
            is_scope_of(&seen, lane))
            return true;
    }
    return false;
}

void stave__sessions_drop(const struct stave__lane *lane, uint64_t tick, bool by_handle)
{
    uint32_t count = stave__sessions_places();
    for (uint32_t i = 0; i < count; i++) {
        struct stave_session seen;
        if (stave__session_look(&sessions[i], &seen) &&
            tick - seen.start < seen.stop - seen.start && (by_handle || is_scope_of(&seen, lane)))
            __atomic_fetch_add(&sessions[i].dropped, 1, __ATOMIC_RELAXED);
    }
}

int stave__session_check(const stave_session *session, stave_error *error)
{
    if (session == NULL)
        return stave__fail(error, STAVE_E_ARGUMENT, 0, "there is no session");
    if (session->is_left)
        return stave__fail(error, STAVE_E_STATE, 0,
                           "the session is that of the process that this one was forked from");
    return STAVE_OK;
}

/* ---- starting -------------------------------------------------------------------------------- */

static struct stave_session *free_place(void)
{
    for (uint32_t i = 0; i < STAVE_SESSIONS_MAX; i++) {
        if (sessions[i].number != 0)
            continue;
        if (i >= places)
            __atomic_store_n(&places, i + 1, __ATOMIC_RELEASE);
        return &sessions[i];
    }
    return NULL;
}

/* Bit 0 stands for any number of sessions of all threads. */
static void set_switch(void)
{
    uint32_t on = 0;
    for (uint32_t i = 0; i < STAVE_SESSIONS_MAX; i++) {
        const struct stave_session *session = &sessions[i];
        if (session->number != 0 && session->is_on)
            on = session->scope == STAVE__ALL_THREADS ? on | 1 : on + 2;
    }
    __atomic_store_n(&stave__rules_on, on, __ATOMIC_RELEASE);
}

/* V2 */
static int begin(uint64_t scope, struct stave_session **session, stave_error *error)
{
    struct stave_session *place = free_place();
    if (place == NULL)
        return stave__fail(error, STAVE_E_LIMIT, 0,
                           "%d sessions have not been freed; there is no room for more",
                           STAVE_SESSIONS_MAX);
    STAVE__STORE(place->start, stave__clock_tick(&stave__recorder.clock));
    STAVE__STORE(place->stop, UINT64_MAX);
    STAVE__STORE(place->scope, scope);
    STAVE__STORE(place->given_up, 0);
    STAVE__STORE(place->dropped, 0);
    place->is_left = false;
    place->is_on = true;
    STAVE__PUBLISH(place->number, ++numbers);
    __atomic_fetch_add(&stave__sessions_live, 1, __ATOMIC_ACQ_REL);
    __atomic_fetch_add(&changes, 1, __ATOMIC_SEQ_CST);
    set_switch();
    *session = place;
    return STAVE_OK;
}

/* The calling thread's; it gets a lane for that. */
static int scope_of_thread(uint64_t *scope, stave_error *error)
{
    const struct stave__lane *lane = stave__lane_of_thread_anyway();
    if (lane == NULL)
        return stave__fail_memory(error);
    *scope = stave__owner(lane->index, lane->life);
    return STAVE_OK;
}

static int start(const stave_session_config *config, struct stave_session **session,
                 stave_error *error)
{
    uint64_t scope = STAVE__ALL_THREADS;
    int status = stave__make_for_sessions(config->max_bytes, error);
    if (status >= 0 && config->this_thread)
        status = scope_of_thread(&scope, error);
    if (status < 0)
        return status;
    pthread_mutex_lock(&lock);
    status = begin(scope, session, error);
    pthread_mutex_unlock(&lock);
    return status;
}

stave_session *stave_session_start_sized(const stave_session_config *config, size_t config_size,
                                         stave_error *error)
{
    stave_session_config own;
    struct stave_session *session = NULL;
    int status = stave__config_copy(&own, sizeof own, config, config_size, error);
    if (status < 0)
        return NULL;
    stave__control_lock();
    start(&own, &session, error);
    stave__control_unlock();
    return session;
}

/* ---- ending ---------------------------------------------------------------------------------- */

/* What begins at this very tick has begun before it. */
static void stop(struct stave_session *session)
{
    if (!session->is_on)
        return;
    session->is_on = false;
    set_switch();
    STAVE__STORE(session->stop, stave__clock_tick(&stave__recorder.clock) + 1);
}

uint64_t stave_session_number(const stave_session *session)
{
    return session != NULL ? session->number : 0;
}

void stave_session_stop(stave_session *session)
{
    if (session == NULL)
        return;
    pthread_mutex_lock(&lock);
    stop(session);
    pthread_mutex_unlock(&lock);
}

static void let_go(struct stave_session *session)
{
    bool was_here = !session->is_left;
    free(session->sums);
    session->sums = NULL;
    session->sums_count = session->sums_room = 0;
    __atomic_store_n(&session->number, 0, __ATOMIC_RELEASE);
    if (!was_here)
        return;
    __atomic_fetch_sub(&stave__sessions_live, 1, __ATOMIC_ACQ_REL);
    __atomic_fetch_add(&changes, 1, __ATOMIC_SEQ_CST);
    stave__sessions_let_go();
}

void stave_session_free(stave_session *session)
{
    if (session == NULL)
        return;
    pthread_mutex_lock(&lock);
    if (session->number != 0) {
        stop(session);
        let_go(session);
    }
    pthread_mutex_unlock(&lock);
}

void stave__sessions_before_fork(void)
{
    pthread_mutex_lock(&lock);
}

void stave__sessions_after_fork(bool in_child)
{
    if (in_child) {
        for (uint32_t i = 0; i < STAVE_SESSIONS_MAX; i++) {
            sessions[i].is_left = sessions[i].number != 0;
            sessions[i].is_on = false;
            sessions[i].start = sessions[i].stop = 0; /* nothing begins in it */
        }
        stave__sessions_live = 0;
        set_switch();
    }
    pthread_mutex_unlock(&lock);
}

/* ---- what is lost, what was added ------------------------------------------------------------ */

void stave_session_lost_of_sized(const stave_session *session, stave_session_lost *lost,
                                 size_t lost_size)
{
    stave_session_lost own = {0};
    if (session != NULL) {
        own.given_up = __atomic_load_n(&session->given_up, __ATOMIC_RELAXED);
        own.dropped = __atomic_load_n(&session->dropped, __ATOMIC_RELAXED);
    }
    if (lost != NULL)
        stave__config_give(lost, lost_size, &own, sizeof own);
}

static int check_outcomes(const stave_summary *sum, stave_error *error)
{
    uint64_t left = sum->calls;
    const uint64_t outcomes[] = {sum->failed, sum->cached, sum->cancelled, sum->timed_out};
    for (size_t i = 0; i < sizeof outcomes / sizeof outcomes[0]; i++) {
        if (outcomes[i] > left)
            return stave__fail(error, STAVE_E_ARGUMENT, 0,
                               "a summary has more outcomes than its %llu calls",
                               (unsigned long long)sum->calls);
        left -= outcomes[i];
    }
    return STAVE_OK;
}

static bool exceeds(uint64_t part, uint64_t whole)
{
    return part != STAVE_UNKNOWN && whole != STAVE_UNKNOWN && part > whole;
}

static int check_times(const stave_summary *sum, stave_error *error)
{
    if (exceeds(sum->self_ns, sum->total_ns) || exceeds(sum->max_ns, sum->total_ns))
        return stave__fail(error, STAVE_E_ARGUMENT, 0,
                           "a summary has more time in itself, or in one call, than in total");
    if (exceeds(sum->min_ns, sum->max_ns))
        return stave__fail(error, STAVE_E_ARGUMENT, 0,
                           "the shortest call of a summary is longer than its longest; what is not "
                           "known is STAVE_UNKNOWN");
    return STAVE_OK;
}

static uint64_t add_times(uint64_t a, uint64_t b)
{
    return a == STAVE_UNKNOWN || b == STAVE_UNKNOWN ? STAVE_UNKNOWN : a + b;
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
    return a < b ? a : b; /* what is not known is the greatest */
}

static uint64_t greater(uint64_t a, uint64_t b)
{
    if (a == STAVE_UNKNOWN || b == STAVE_UNKNOWN)
        return a == STAVE_UNKNOWN ? b : a;
    return a > b ? a : b;
}

static void add_to(stave_summary *to, const stave_summary *sum)
{
    to->calls += sum->calls;
    to->failed += sum->failed;
    to->skipped += sum->skipped;
    to->cached += sum->cached;
    to->cancelled += sum->cancelled;
    to->timed_out += sum->timed_out;
    to->total_ns = add_times(to->total_ns, sum->total_ns);
    to->self_ns = add_times(to->self_ns, sum->self_ns);
    to->first_ns = to->first_ns != STAVE_UNKNOWN ? to->first_ns : sum->first_ns;
    to->min_ns = lesser(to->min_ns, sum->min_ns);
    to->max_ns = greater(to->max_ns, sum->max_ns);
}

static struct stave__session_sum *sum_of(struct stave_session *session, uint32_t rule)
{
    for (size_t i = 0; i < session->sums_count; i++)
        if (session->sums[i].rule == rule)
            return &session->sums[i];
    return NULL;
}

static struct stave__session_sum *make_sum(struct stave_session *session, uint32_t rule)
{
    if (session->sums_count == session->sums_room) {
        size_t room = session->sums_room != 0 ? session->sums_room * 2 : 16;
        struct stave__session_sum *larger = realloc(session->sums, room * sizeof *larger);
        if (larger == NULL)
            return NULL;
        session->sums = larger;
        session->sums_room = room;
    }
    struct stave__session_sum *made = &session->sums[session->sums_count++];
    *made = (struct stave__session_sum){
        .rule = rule,
        .sum = {.first_ns = STAVE_UNKNOWN, .min_ns = STAVE_UNKNOWN, .max_ns = STAVE_UNKNOWN}};
    return made;
}

static int add(struct stave_session *session, uint32_t rule, const stave_summary *summary,
               stave_error *error)
{
    if (session->number == 0 || !session->is_on)
        return stave__fail(error, STAVE_E_STATE, 0, "the session is stopped");
    struct stave__session_sum *sum = sum_of(session, rule);
    if (sum == NULL)
        sum = make_sum(session, rule);
    if (sum == NULL)
        return stave__fail_memory(error);
    add_to(&sum->sum, summary);
    return STAVE_OK;
}

int stave__session_add(stave_session *session, stave_rule *rule, size_t rule_size,
                       const stave_summary *summary, size_t summary_size, stave_error *error)
{
    stave_summary own;
    (void)rule_size; /* all have what this one has */
    if (session == NULL || rule == NULL || summary == NULL)
        return stave__fail(error, STAVE_E_ARGUMENT, 0, "no session, no rule, or no summary");
    int status = stave__config_copy(&own, sizeof own, summary, summary_size, error);
    if (status >= 0)
        status = check_outcomes(&own, error);
    if (status >= 0)
        status = check_times(&own, error);
    if (status < 0)
        return status;
    if (own.self_ns == STAVE_UNKNOWN)
        own.self_ns = own.total_ns;
    uint32_t name = stave__rule_name(rule);
    if (!stave__is_name(name))
        return stave__fail(error, STAVE_E_LIMIT, 0, "there are too many rules and names");
    pthread_mutex_lock(&lock);
    status = add(session, name, &own, error);
    pthread_mutex_unlock(&lock);
    return status;
}

/* ---- for files ------------------------------------------------------------------------------- */

static void copy_sums(const struct stave_session *session, struct stave_session *copy)
{
    copy->sums = malloc((session->sums_count + 1) * sizeof *copy->sums);
    if (copy->sums != NULL && session->sums_count > 0)
        memcpy(copy->sums, session->sums, session->sums_count * sizeof *copy->sums);
}

bool stave__session_copy(uint32_t index, struct stave_session *copy)
{
    const struct stave_session *session = &sessions[index];
    pthread_mutex_lock(&lock);
    bool is_there = session->number != 0 && !session->is_left;
    if (is_there) {
        *copy = (struct stave_session){
            .number = session->number,
            .start = session->start,
            .stop = session->stop,
            .scope = session->scope,
            .given_up = __atomic_load_n(&session->given_up, __ATOMIC_RELAXED),
            .dropped = __atomic_load_n(&session->dropped, __ATOMIC_RELAXED),
            .sums_count = session->sums_count,
        };
        copy_sums(session, copy);
    }
    pthread_mutex_unlock(&lock);
    return is_there;
}
