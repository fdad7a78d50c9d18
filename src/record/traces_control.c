/* What is kept of traces: the defaults, and changes of them at any moment. */
#include "base/config.h"
#include "base/error.h"
#include "record/traces.h"

#define SLOWEST_DEFAULT 4u
#define AROUND_NS_DEFAULT ((uint64_t)5000000000)
#define RATE_NS_LEAST 1000000

void stave__traces_begin(uint32_t keep_newest)
{
    struct stave__traces *traces = &stave__traces;
    traces->keep = keep_newest != 0 ? keep_newest : STAVE__KEEP_DEFAULT;
    traces->slowest = SLOWEST_DEFAULT;
    traces->one_in = 1;
    traces->longer_than = traces->trigger_until = 0;
    traces->around_ns = AROUND_NS_DEFAULT;
}

/* The counter's rate is known once some time has passed since the start. */
static uint64_t ticks_of(uint64_t ns)
{
    const struct stave__clock *clock = &stave__recorder.clock;
    struct stave__moment now = stave__clock_moment(clock);
    if (clock->own != NULL)
        return ns;
    while (now.monotonic_ns - clock->start.monotonic_ns < RATE_NS_LEAST)
        now = stave__clock_moment(clock);
    return (uint64_t)((double)ns * stave__clock_rate(clock, &clock->start, &now) / 1e9);
}

static int check_controls(const stave_controls *controls, stave_error *error)
{
    int status = stave__check_started(error);
    if (status < 0)
        return status;
    if (controls->slowest > STAVE_SLOWEST_MAX)
        return stave__fail(error, STAVE_E_ARGUMENT, 0, "slowest is %u, at most %d can be kept",
                           controls->slowest, STAVE_SLOWEST_MAX);
    return STAVE_OK;
}

static int control(const stave_controls *controls, stave_error *error)
{
    struct stave__traces *traces = &stave__traces;
    int status = check_controls(controls, error);
    if (status < 0)
        return status;
    uint32_t slowest = controls->slowest != 0 ? controls->slowest : SLOWEST_DEFAULT;
    STAVE__STORE(traces->slowest, slowest);
    STAVE__STORE(traces->one_in, controls->one_in != 0 ? controls->one_in : 1);
    STAVE__STORE(traces->longer_than,
                 controls->longer_than_ns != 0 ? ticks_of(controls->longer_than_ns) : 0);
    STAVE__STORE(traces->around_ns,
                 controls->around_ns != 0 ? controls->around_ns : AROUND_NS_DEFAULT);
    stave__traces_trim(slowest);
    return STAVE_OK;
}

static int control_command(const char *name, uint32_t one_in, stave_error *error)
{
    uint32_t id = stave_name_intern(name);
    if (id == 0)
        return stave__fail(error, STAVE_E_ARGUMENT, 0, "the command has no name");
    struct stave__command *command = stave__command_of(id);
    if (command == NULL)
        return stave__fail(
            error, STAVE_E_ARGUMENT, 0,
            "there are more than %d commands: no further one has a one_in of its own",
            STAVE_COMMANDS_MAX);
    uint32_t before = __atomic_exchange_n(&command->one_in, one_in, __ATOMIC_RELAXED);
    __atomic_fetch_add(&stave__traces.commands_limited, (one_in != 0) - (before != 0),
                       __ATOMIC_RELAXED);
    return STAVE_OK;
}

/* ---- for programs ---------------------------------------------------------------------------- */

int stave_control_sized(const stave_controls *controls, size_t controls_size, stave_error *error)
{
    stave_controls own;
    int status = stave__config_copy(&own, sizeof own, controls, controls_size, error);
    if (status < 0)
        return status;
    stave__control_lock();
    status = control(&own, error);
    stave__control_unlock();
    return status;
}

int stave_control_command(const char *name, uint32_t one_in, stave_error *error)
{
    stave__control_lock();
    int status = control_command(name, one_in, error);
    stave__control_unlock();
    return status;
}

void stave_trigger(const char *reason)
{
    struct stave__lane *lane = stave__is_on() ? stave__lane_of_thread() : NULL;
    if (lane == NULL)
        return;
    stave__mark_text(lane, "trigger", reason);
    uint64_t around = ticks_of(__atomic_load_n(&stave__traces.around_ns, __ATOMIC_RELAXED));
    uint64_t now = stave__clock_tick(&stave__recorder.clock);
    STAVE__STORE(stave__traces.trigger_until, now + around);
    stave__traces_hold_since(now > around ? now - around : 0);
}

void stave_clear(void)
{
    struct stave__recorder *recorder = &stave__recorder;
    stave__control_lock();
    if (recorder->made && recorder->stream != NULL)
        stave__traces_clear();
    else if (recorder->made)
        stave__begin_anew(recorder->pool.keep_newest, stave__clock_tick(&recorder->clock));
    stave__control_unlock();
}
