#include "decode/run.h"

#define RESET_NAME "device reset"

int stave__run_init(struct run *run, stave_trace *trace, stave_decode_stats *stats,
                    stave_error *error)
{
    *run = (struct run){.trace = trace, .stats = stats};
    stave__pairing_init(&run->pairing, trace, stats);
    stave_lane device = {.kind = STAVE_LANE_DEVICE};
    int status =
        stave__trace_string(trace, RESET_NAME, sizeof RESET_NAME - 1, &run->reset_name, error);
    if (status >= 0)
        status = stave__trace_lane(trace, &device, &run->device_lane, error);
    return status;
}

void stave__run_free(struct run *run)
{
    stave__pairing_free(&run->pairing);
}

int stave__run_begin(struct run *run, enum wire_version version, stave_error *error)
{
    double hz = version == WIRE_VERSION_1 ? 0 : run->last_hz;
    int status = stave__trace_boot(run->trace, run->offset_us, hz, &run->boot, error);
    if (status < 0)
        return status;
    struct stave__blocks *blocks = &run->trace->blocks;
    run->begun = true;
    run->version = version;
    run->clock_line = stave__boot_at(run->trace, run->boot);
    run->rate_known = false;
    run->has_clock = false;
    run->has_latest = false;
    stave__sequence_begin_run(&run->sequence, version);
    stave__pairing_begin_run(&run->pairing, run->boot);
    stave__doubts_begin_run(&run->doubts, run->stats, run->trace, run->device_lane, run->boot);
    stave__appender_init(&run->gaps, blocks, STAVE_GAPS, run->device_lane, run->boot);
    stave__appender_init(&run->resets, blocks, STAVE_MARKS, run->device_lane, run->boot);
    return STAVE_OK;
}

/* ---- what the sequence tells ----------------------------------------------------------------- */

static int effect_mark(struct writer *writer, const struct event *event, uint16_t flags,
                       stave_error *error)
{
    if (event->has_value)
        flags |= STAVE_FLAG_HAS_VALUE;
    return stave__append_mark(&writer->marks, event->tick, 0, event->value, flags, error);
}

static int on_effect(void *context, const struct event *event, uint64_t number, stave_error *error)
{
    struct run *run = context;
    if (!event->timed) {
        run->stats->unresolved++;
        return STAVE_OK;
    }
    if (!run->has_latest || event->tick > run->latest)
        run->latest = event->tick;
    run->has_latest = true;
    if (event->kind > WIRE_MARKER)
        return STAVE_OK;
    if (event->voice == NULL) {
        run->stats->unresolved++;
        return STAVE_OK;
    }
    uint16_t flags = event->saturated ? STAVE_FLAG_SATURATED : 0;
    switch (event->kind) {
    case WIRE_SPAN_START:
        pairing_start(&run->pairing, event->voice, event->writer, event->tick, number, flags);
        return STAVE_OK;
    case WIRE_SPAN_END:
        return pairing_end(&run->pairing, event->voice, event->tick, flags, error);
    default:
        return effect_mark(event->writer, event, flags, error);
    }
}

/* Rule 7; rule 5 where no time has taken effect yet. */
static int append_gap(struct run *run, uint64_t count, const struct event *behind,
                      stave_error *error)
{
    if (!run->has_latest && !behind->timed)
        return STAVE_OK;
    int64_t start = run->has_latest ? run->latest : behind->tick;
    int64_t end = behind->timed && behind->tick > start ? behind->tick : start;
    run->stats->gaps++;
    return stave__append_stretch(&run->gaps, start, end, count, 0, error);
}

static int on_lost(void *context, uint64_t first, uint64_t count, const struct event *behind,
                   stave_error *error)
{
    struct run *run = context;
    run->stats->frames_lost += count;
    int status = append_gap(run, count, behind, error);
    if (status >= 0)
        status = stave__pairing_cut(&run->pairing, run->latest, error);
    if (status >= 0)
        status = stave__doubts_lost(&run->doubts, first, error);
    return status;
}

static struct sequence_user sequence_user(struct run *run)
{
    return (struct sequence_user){.context = run, .effect = on_effect, .lost = on_lost};
}

int stave__run_arrive(struct run *run, const struct event *event, uint64_t number,
                      stave_error *error)
{
    struct sequence_user user = sequence_user(run);
    return stave__sequence_arrive(&run->sequence, &user, event, number, error);
}

/* ---- the end of a run ------------------------------------------------------------------------ */

static void close_boot(struct run *run)
{
    stave_boot *boot = &run->clock_line->shown;
    boot->rate_assumed = run->version == WIRE_VERSION_2 && !run->rate_known && run->has_latest;
    run->stats->rates_assumed += boot->rate_assumed;
    boot->end_us =
        run->has_latest ? stave_time_us(run->trace, run->boot, run->latest) : boot->offset_us;
    boot->ended = true;
    run->offset_us = boot->end_us;
}

int stave__run_end(struct run *run, bool restarted, stave_error *error)
{
    struct sequence_user user = sequence_user(run);
    int status = stave__sequence_flush(&run->sequence, &user, error);
    if (status >= 0)
        status = stave__pairing_cut(&run->pairing, run->latest, error);
    if (status >= 0)
        status = stave__doubts_end_run(&run->doubts, run->latest, error);
    if (status >= 0 && restarted)
        status = stave__append_mark(&run->resets, run->latest, run->reset_name, 0,
                                    STAVE_FLAG_RESTART, error);
    if (status < 0)
        return status;
    stave__appender_seal(&run->gaps, NULL);
    stave__appender_seal(&run->resets, NULL);
    status = stave__pairing_end_run(&run->pairing, error);
    if (status < 0)
        return status;
    close_boot(run);
    run->begun = false;
    return STAVE_OK;
}

int stave__run_restart(struct run *run, stave_error *error)
{
    int status = stave__run_end(run, true, error);
    if (status < 0)
        return status;
    run->stats->resets++;
    return stave__run_begin(run, run->version, error);
}

/* ---- small services -------------------------------------------------------------------------- */

int64_t stave__run_add_ticks(int64_t a, int64_t b, bool *saturated)
{
    int64_t sum;
    if (!__builtin_add_overflow(a, b, &sum))
        return sum;
    *saturated = true;
    return b < 0 ? INT64_MIN : INT64_MAX;
}

int stave__run_voice(struct run *run, uint32_t id, struct voice **voice, stave_error *error)
{
    int status = STAVE_OK;
    *voice = NULL;
    if (id == 0)
        return STAVE_OK;
    *voice = stave__pairing_find(&run->pairing, id);
    if (*voice == NULL)
        *voice = stave__pairing_add(&run->pairing, id, &status, error);
    return status;
}

void stave__run_damage(stave_decode_stats *stats, uint64_t offset, enum wire_damage damage)
{
    if (stats->damages == 0) {
        stats->first_damage = offset;
        stats->damage_text = stave__wire_damage_text(damage);
    }
    stats->damages++;
}
