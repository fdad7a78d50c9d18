"""What firmware/demo.c does: who runs when, what preempts it, and how long it takes.

All follows from the constants of demo.c, which stand here once more, and from what the recorder and
the scheduler take, which is measured. Times are in instructions; one is 32 ns, 0.8 ticks.
"""
from recording import MS

TICKS_PER_INSTRUCTION = 0.8

# name: type, priority, deadline in us from the start
LANES = {
    "adc": ("isr", 5, None),
    "systick": ("isr", 4, None),
    "control": ("task", 3, 1000.0),
    "estimate": ("task", 2, 4000.0),
    "telemetry": ("task", 1, 15000.0),
    "empty": ("task", 0, None),
}
TASKS = ["control", "estimate", "telemetry"]  # as the scheduler looks for one that has a job
FIRST = {"control": 0, "estimate": 3, "telemetry": 10}
PERIOD = {"control": 5, "estimate": 10, "telemetry": 40}

COUNTS = {"adc": 3358, "systick": 4200, "control": 840, "estimate": 420, "telemetry": 105,
          "empty": 8}
HANDLER_PERIODS = {"systick": MS, "adc": MS * 5 // 4}

# ---- Who preempts whom ---------------------------------------------------------------------------
# Tick t is at t ms, timer 0's interrupt number n at 2.02 ms + n * 1.25 ms: so numbers 4 c - 1 to
# 4 c + 2 are at 0.77, 2.02, 3.27 and 4.52 ms of the 5 ms that begin with tick 5 c.


def overloaded(k):
    return k % 50 == 49


def logs(k):
    return k % 25 == 24


def released(tick):
    return [t for t in TASKS if tick % PERIOD[t] == FIRST[t]]


def systicks(*numbers):
    return [("systick", t) for t in numbers]


def preempts_systick(t):
    return [("adc", t // 5 * 4)] if t % 5 == 2 else []


def preempts_control(k):
    return [("adc", 4 * k - 1)] if k > 0 else []


def preempts_estimate(k):
    """Released 2 ms before control's job 2 k + 1."""
    tick, c = 10 * k + 3, 2 * k
    return [("adc", 4 * c + 1), *systicks(tick + 1), ("adc", 4 * c + 2),
            *systicks(tick + 2), ("control", c + 1), *systicks(tick + 3),
            *(systicks(tick + 4) if overloaded(k) else [])]


def preempts_telemetry(k):
    """Released with control's job 8 k + 2, so it starts when that is done. Where estimate takes
    longer, that has one tick more of the beginning, and the end is a tick later."""
    tick, c = 40 * k + 10, 8 * k + 3
    late = overloaded(4 * k + 1)
    return [*systicks(tick + 1, tick + 2, tick + 3), ("estimate", 4 * k + 1),
            *([] if late else systicks(tick + 7)), *systicks(tick + 8), ("adc", 4 * c + 1),
            *systicks(tick + 9), ("adc", 4 * c + 2), *systicks(tick + 10), ("control", c + 1),
            *systicks(tick + 11), *(systicks(tick + 12) if late else [])]


PREEMPTS = {"adc": lambda k: [], "systick": preempts_systick, "control": preempts_control,
            "estimate": preempts_estimate, "telemetry": preempts_telemetry, "empty": lambda k: []}

# ---- How long it takes ---------------------------------------------------------------------------
# work(n) is 2 n instructions, and one more that loads n.

WORK = {"adc": 250, "systick": 1000, "control": 12000, "estimate": 37500, "telemetry": 85000}
WORK_OVERLOAD = 55000
LOGGED = 8

# What else is run, as measured with the preset (gcc 12.2 -Os) and found again in the disassembly:
# another compiler can make it other numbers.
PROBE = 32      # from one recorded time to the next with nothing between them
MEET = 47       # more, behind the time of a name's first event
AROUND = {"adc": 0, "systick": 45, "control": 10, "estimate": 11, "telemetry": 10, "empty": 0}
OVERLOAD = -1   # around work, where estimate is overloaded
RELEASE = 10    # and PROBE, for each task that a tick releases
LOG, LOGS = 3, 2  # and PROBE, for each mark that telemetry logs; and for all of them
HIDDEN = {"adc": 44, "systick": 39}  # a handler's, before its first and after its last time
SWITCH = 77     # to a task and back, without its span
SKIP = 6        # for each more urgent task that has no job, at each switch
START = 60      # from the end of the tick that releases a task to its start
NEXT = 60       # from the end of one task to the start of the next

# The names whose first event is recorded within these spans, a span's own at its start.
MEETS = {("adc", 0): ["adc"], ("systick", 0): ["systick", "control"], ("systick", 3): ["estimate"],
         ("systick", 10): ["telemetry"], ("control", 0): ["reading"], ("empty", 0): ["empty"],
         ("estimate", 49): ["overload"], ("telemetry", 24): ["logged"]}


def marks(name, k):
    """That are recorded within span k of this name."""
    if name == "systick":
        return len(released(k))
    if name == "telemetry":
        return LOGGED if logs(k) else 0
    return {"control": 1, "estimate": int(overloaded(k))}.get(name, 0)


def work(name, k):
    if name == "empty":
        return 0
    return 2 * (WORK_OVERLOAD if name == "estimate" and overloaded(k) else WORK[name]) + 1


def execution(name, k):
    """Of span k of this name, without what preempts it."""
    count = marks(name, k)
    instructions = work(name, k) + AROUND[name] + PROBE * (1 + count)
    if name == "systick":
        instructions += RELEASE * count
    elif name == "estimate" and overloaded(k):
        instructions += OVERLOAD
    elif name == "telemetry" and logs(k):
        instructions += LOG * count + LOGS
    return instructions + MEET * len(MEETS.get((name, k), []))


def hidden(name, k, below):
    """What span k of this name takes from the one below it, beside its own length."""
    if name in HIDDEN:
        return HIDDEN[name]
    return SWITCH + SKIP * (TASKS.index(name) + TASKS.index(below))


def all_hidden(name, k):
    return sum(hidden(*preempter, name) for preempter in PREEMPTS[name](k))


def response(name, k):
    """From start to end."""
    return (execution(name, k) + all_hidden(name, k) +
            sum(response(*preempter) for preempter in PREEMPTS[name](k)))


def to_ticks(instructions):
    return instructions * TICKS_PER_INSTRUCTION
