#include "analysis_model.h"

#include <math.h>
#include <stdlib.h>

#include "traces.h"

#define INTERVALS_MAX (2 * SPANS_MAX)

/* ---- intervals ------------------------------------------------------------------------------- */

struct interval {
    int64_t from, to;
};

static int compare_intervals(const void *a, const void *b)
{
    const struct interval *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

/* Nanoseconds that the intervals cover together. */
static double covered_ns(const struct model *m, uint32_t boot, struct interval *all, size_t count)
{
    double ns = 0;
    int64_t from = 0, to = 0;
    qsort(all, count, sizeof *all, compare_intervals);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && all[i].from <= to) {
            to = all[i].to > to ? all[i].to : to;
            continue;
        }
        if (i > 0)
            ns += stave_duration_us(m->trace, boot, from, to) * 1000;
        from = all[i].from;
        to = all[i].to;
    }
    return count > 0 ? ns + stave_duration_us(m->trace, boot, from, to) * 1000 : 0;
}

static bool is_below(const struct model *m, size_t i, size_t ancestor)
{
    while (i != RANDOM_NONE && i != ancestor)
        i = m->calls[i].parent;
    return i == ancestor;
}

static double cumulative_ns(const struct model *m, const struct random_row *row)
{
    return stave_duration_us(m->trace, row->boot, 0, 1) * 1000 * (double)row->column.total;
}

/* The first tick of a boot whose time is not before `us`, found from near it (ticks are ns). */
static int64_t tick_at(const struct model *m, uint32_t boot, double us)
{
    int64_t tick = (int64_t)((us - stave_trace_boot(m->trace, boot)->offset_us) * 1000);
    while (stave_time_us(m->trace, boot, tick) < us)
        tick++;
    while (stave_time_us(m->trace, boot, tick - 1) >= us)
        tick--;
    return tick;
}

static bool overlaps(const struct model *m, uint32_t boot, int64_t start, int64_t end)
{
    return !m->window.is || (stave_time_us(m->trace, boot, start) <= m->window.to_us &&
                             stave_time_us(m->trace, boot, end) >= m->window.from_us);
}

/* The part inside the window. */
static void clip(const struct model *m, uint32_t boot, int64_t *start, int64_t *end)
{
    if (stave_time_us(m->trace, boot, *start) < m->window.from_us)
        *start = tick_at(m, boot, m->window.from_us);
    if (stave_time_us(m->trace, boot, *end) > m->window.to_us) {
        *end = tick_at(m, boot, m->window.to_us);
        *end -= stave_time_us(m->trace, boot, *end) > m->window.to_us;
    }
}

/* Whether a row is a cumulative one of the window and of this span. */
static bool is_cumulative_of(const struct model *m, const struct random_row *row, uint32_t boot,
                             uint32_t lane, uint64_t serial)
{
    return row->kind == STAVE_CUMULATIVES && row->boot == boot && row->lane == lane &&
           row->column.serial == serial &&
           overlaps(m, row->boot, row->column.start, row->column.end);
}

/* The only cumulative row of the same span that has the number which a row names as the one around it. */
static size_t named_around(const struct model *m, const struct random_row *row)
{
    size_t found = RANDOM_NONE;
    if (row->column.other == 0 || row->column.other_lane == 0)
        return RANDOM_NONE;
    for (size_t i = 0; i < m->random->row_count; i++) {
        const struct random_row *other = &m->random->rows[i];
        if (!is_cumulative_of(m, other, row->boot, row->lane, row->column.serial) ||
            other->column.other != row->column.other_lane)
            continue;
        if (found != RANDOM_NONE)
            return RANDOM_NONE;
        found = i;
    }
    return found;
}

/* Whether a row is around itself. */
static bool is_on_a_circle(const struct model *m, size_t at)
{
    size_t up = m->around[at];
    for (size_t i = 0; i < m->random->row_count && up != RANDOM_NONE && up != at; i++)
        up = m->around[up];
    return up == at;
}

static void find_around(struct model *m)
{
    static bool circle[ROWS_MAX];
    size_t count = m->random->row_count;
    TRACES_MUST(count <= ROWS_MAX);
    for (size_t i = 0; i < count; i++) {
        const struct random_row *row = &m->random->rows[i];
        bool is = is_cumulative_of(m, row, row->boot, row->lane, row->column.serial);
        m->around[i] = is ? named_around(m, row) : RANDOM_NONE;
    }
    for (size_t i = 0; i < count; i++)
        circle[i] = is_on_a_circle(m, i);
    for (size_t i = 0; i < count; i++)
        if (circle[i])
            m->around[i] = RANDOM_NONE;
}

/* What cumulative rows take from the self time of their span. */
static double taken_ns(const struct model *m, const struct call *call)
{
    double ns = 0;
    for (size_t i = 0; i < m->random->row_count; i++) {
        const struct random_row *row = &m->random->rows[i];
        bool is_direct = row->column.other != 0 || row->column.depth == 0;
        if (is_cumulative_of(m, row, call->span->boot, call->span->lane, call->span->serial) &&
            m->around[i] == RANDOM_NONE && is_direct)
            ns += cumulative_ns(m, row);
    }
    return ns;
}

/* The self time of a cumulative row. */
static double own_ns(const struct model *m, size_t at)
{
    double ns = cumulative_ns(m, &m->random->rows[at]);
    for (size_t i = 0; i < m->random->row_count; i++)
        if (m->around[i] == at)
            ns -= cumulative_ns(m, &m->random->rows[i]);
    return ns > 0 ? ns : 0;
}

static void measure(struct model *m, size_t at)
{
    struct call *call = &m->calls[at];
    uint32_t boot = call->span->boot;
    struct interval children[INTERVALS_MAX], all[INTERVALS_MAX];
    size_t children_count = 0, count = 0;
    for (size_t i = 0; i < m->count; i++) {
        const struct call *c = &m->calls[i];
        if (!c->in)
            continue;
        if (is_below(m, i, at))
            all[count++] = (struct interval){c->start, c->end};
        if (c->parent == at && c->end > call->start && c->start < call->end)
            children[children_count++] =
                (struct interval){c->start > call->start ? c->start : call->start,
                                  c->end < call->end ? c->end : call->end};
    }
    double own = stave_duration_us(m->trace, boot, call->start, call->end) * 1000;
    double self = own - covered_ns(m, boot, children, children_count) - taken_ns(m, call);
    call->self_ns = self > 0 ? self : 0;
    call->total_ns = covered_ns(m, boot, all, count);
}

void model_make(struct model *m, const struct random_trace *random, stave_trace *trace,
                struct cost cost, struct window window)
{
    m->random = random;
    m->trace = trace;
    m->cost = cost;
    m->window = window;
    m->count = random->span_count;
    TRACES_MUST(m->count <= SPANS_MAX);
    for (size_t i = 0; i < m->count; i++) {
        const struct random_span *span = &random->spans[i];
        struct call *call = &m->calls[i];
        *call = (struct call){.span = span,
                              .parent = span->parent,
                              .name = span->name,
                              .start = span->start,
                              .end = span->end,
                              .in = overlaps(m, span->boot, span->start, span->end)};
        if (call->name == 0)
            call->name = stave_trace_lane(trace, span->lane)->name;
        if (window.is && call->in)
            clip(m, span->boot, &call->start, &call->end);
    }
    find_around(m);
    for (size_t i = 0; i < m->count; i++) /* who is outside is nobody's parent */
        if (m->calls[i].parent != RANDOM_NONE && !m->calls[m->calls[i].parent].in)
            m->calls[i].parent = RANDOM_NONE;
    m->longest_ns = 0;
    for (size_t i = 0; i < m->count; i++) {
        if (!m->calls[i].in)
            continue;
        measure(m, i);
        if (m->calls[i].total_ns > m->longest_ns)
            m->longest_ns = m->calls[i].total_ns;
    }
    for (size_t i = 0; i < m->count; i++)
        for (size_t j = 0; j < m->count; j++)
            if (m->calls[j].in && is_below(m, j, i))
                m->calls[i].busy_ns += m->calls[j].self_ns;
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* Whether no span around it has the name. */
static bool is_outermost_of(const struct model *m, size_t at, uint32_t name)
{
    for (size_t i = m->calls[at].parent; i != RANDOM_NONE; i = m->calls[i].parent)
        if (m->calls[i].name == name)
            return false;
    return true;
}

static void expect_duration(struct expected *e, double least, double most, double sum,
                            uint64_t count)
{
    if (count == 0)
        return;
    if (e->row.timed == 0 || least < e->row.min_ns)
        e->row.min_ns = least;
    if (e->row.timed == 0 || most > e->row.max_ns)
        e->row.max_ns = most;
    e->row.timed += count;
    e->timed_ns += sum;
}

static void expect_calls(const struct model *m, uint32_t name, struct expected *e)
{
    for (size_t i = 0; i < m->count; i++) {
        const struct call *call = &m->calls[i];
        uint16_t flags = call->span->flags;
        if (!call->in || call->name != name)
            continue;
        e->row.calls++;
        e->row.self_ns += call->self_ns;
        e->row.total_ns += is_outermost_of(m, i, name) ? call->total_ns : 0;
        e->row.failed += (flags & STAVE_FLAG_FAILED) != 0;
        e->row.uncertain += (flags & STAVE_FLAGS_DOUBT) != 0;
        if (flags & STAVE_FLAGS_END_UNKNOWN)
            continue;
        double ns = stave_duration_us(m->trace, call->span->boot, call->start, call->end) * 1000;
        expect_duration(e, ns, ns, ns, 1);
        e->durations[e->durations_count++] = ns;
    }
}

static bool is_cut(const struct model *m, const struct random_row *row)
{
    return m->window.is &&
           (stave_time_us(m->trace, row->boot, row->column.start) < m->window.from_us ||
            stave_time_us(m->trace, row->boot, row->column.end) > m->window.to_us);
}

static uint32_t name_of(const struct model *m, const struct random_row *row)
{
    return row->column.name != 0 ? row->column.name : stave_trace_lane(m->trace, row->lane)->name;
}

/* Whether something around a cumulative row has its name: then its total is in that one's. */
static bool is_inside_its_name(const struct model *m, size_t at, uint32_t name)
{
    const struct random_row *row = &m->random->rows[at];
    for (size_t i = m->around[at]; i != RANDOM_NONE; i = m->around[i])
        if (name_of(m, &m->random->rows[i]) == name)
            return true;
    for (size_t i = 0; i < m->count; i++) {
        const struct random_span *span = m->calls[i].span;
        if (span->boot != row->boot || span->lane != row->lane ||
            span->serial != row->column.serial || !m->calls[i].in)
            continue;
        return m->calls[i].name == name || !is_outermost_of(m, i, name);
    }
    return false;
}

static void expect_cumulatives(const struct model *m, uint32_t name, struct expected *e)
{
    for (size_t i = 0; i < m->random->row_count; i++) {
        const struct random_row *row = &m->random->rows[i];
        if (row->kind != STAVE_CUMULATIVES || name_of(m, row) != name ||
            !overlaps(m, row->boot, row->column.start, row->column.end))
            continue;
        double tick = stave_duration_us(m->trace, row->boot, 0, 1) * 1000;
        e->row.calls += row->column.value;
        e->row.self_ns += own_ns(m, i);
        e->row.total_ns += is_inside_its_name(m, i, name) ? 0 : cumulative_ns(m, row);
        if ((row->column.flags & STAVE_FLAG_FAILED) != 0)
            e->row.failed += row->column.value;
        if ((row->column.flags & STAVE_FLAGS_DOUBT) != 0 || is_cut(m, row))
            e->row.uncertain += row->column.value;
        expect_duration(e, tick * (double)row->column.least, tick * (double)row->column.most,
                        cumulative_ns(m, row), row->column.value);
    }
}

/* ---- what recording cost --------------------------------------------------------------------- */

static bool is_in_lane_of(const struct model *m, size_t i, size_t around)
{
    while (i != RANDOM_NONE && i != around)
        i = m->calls[i].span->lane_parent;
    return i == around;
}

static bool is_entry_of(const struct model *m, size_t row, const struct call *call)
{
    const struct random_span *span = call->span;
    return call->in &&
           is_cumulative_of(m, &m->random->rows[row], span->boot, span->lane, span->serial);
}

/* Calls made on the lane of a span within it. */
static double calls_within(const struct model *m, size_t at)
{
    double calls = 0;
    for (size_t i = 0; i < m->count; i++) {
        if (!m->calls[i].in || !is_in_lane_of(m, i, at))
            continue;
        calls += i != at;
        for (size_t row = 0; row < m->random->row_count; row++)
            if (is_entry_of(m, row, &m->calls[i]))
                calls += (double)m->random->rows[row].column.value;
    }
    return calls;
}

/* What is in the self of a span: its own part, and that of what is directly in it on its lane. */
static double self_cost(const struct model *m, size_t at)
{
    double outer = m->cost.span_ns - m->cost.inner_ns, ns = m->cost.inner_ns;
    for (size_t i = 0; i < m->count; i++) {
        const struct random_span *span = m->calls[i].span;
        if (!m->calls[i].in || span->lane_parent != at)
            continue;
        bool attached = (span->flags & STAVE_FLAG_ATTACHED) != 0;
        ns += attached ? m->cost.span_ns * (1 + calls_within(m, i)) : outer;
    }
    for (size_t i = 0; i < m->random->row_count; i++) {
        const struct stave__row *row = &m->random->rows[i].column;
        if (is_entry_of(m, i, &m->calls[at]) && m->around[i] == RANDOM_NONE &&
            (row->other != 0 || row->depth == 0))
            ns += outer * (double)row->value;
    }
    return ns;
}

static double entry_self_cost(const struct model *m, size_t at)
{
    double ns = m->cost.inner_ns * (double)m->random->rows[at].column.value;
    for (size_t i = 0; i < m->random->row_count; i++)
        if (m->around[i] == at)
            ns += (m->cost.span_ns - m->cost.inner_ns) * (double)m->random->rows[i].column.value;
    return ns;
}

static double entry_total_cost(const struct model *m, size_t at)
{
    double ns = m->cost.inner_ns * (double)m->random->rows[at].column.value;
    for (size_t i = 0; i < m->random->row_count; i++) {
        size_t up = m->around[i];
        while (up != RANDOM_NONE && up != at)
            up = m->around[up];
        if (up == at)
            ns += m->cost.span_ns * (double)m->random->rows[i].column.value;
    }
    return ns;
}

/* From total and self to the net ones. */
static void expect_net(const struct model *m, uint32_t name, stave_rollup_row *row)
{
    double total = row->total_ns, self = row->self_ns;
    for (size_t i = 0; i < m->count; i++) {
        if (!m->calls[i].in || m->calls[i].name != name)
            continue;
        self -= self_cost(m, i);
        if (is_outermost_of(m, i, name))
            total -= m->cost.inner_ns + m->cost.span_ns * calls_within(m, i);
    }
    for (size_t i = 0; i < m->random->row_count; i++) {
        const struct random_row *entry = &m->random->rows[i];
        if (entry->kind != STAVE_CUMULATIVES || name_of(m, entry) != name ||
            !overlaps(m, entry->boot, entry->column.start, entry->column.end))
            continue;
        self -= entry_self_cost(m, i);
        total -= is_inside_its_name(m, i, name) ? 0 : entry_total_cost(m, i);
    }
    row->net_self_ns = self > 0 ? self : 0;
    row->net_total_ns = total > 0 ? total : 0;
}

/* ---- a row ----------------------------------------------------------------------------------- */

static int compare_doubles(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Nearest rank. */
static double percentile(const struct expected *e, double p)
{
    if (e->durations_count == 0)
        return NAN;
    size_t rank = (size_t)ceil(p / 100 * (double)e->durations_count);
    return e->durations[rank > 0 ? rank - 1 : 0];
}

void model_expect(const struct model *m, uint32_t name, struct expected *e)
{
    *e = (struct expected){.row.name = name};
    expect_calls(m, name, e);
    expect_cumulatives(m, name, e);
    qsort(e->durations, e->durations_count, sizeof e->durations[0], compare_doubles);
    bool timed = e->row.timed > 0;
    e->row.min_ns = timed ? e->row.min_ns : NAN;
    e->row.max_ns = timed ? e->row.max_ns : NAN;
    e->row.mean_ns = timed ? e->timed_ns / (double)e->row.timed : NAN;
    e->row.p50_ns = percentile(e, 50);
    e->row.p90_ns = percentile(e, 90);
    e->row.p99_ns = percentile(e, 99);
    expect_net(m, name, &e->row);
}
