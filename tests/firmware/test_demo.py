"""The demo firmware: what it records in QEMU is what it does, to the tick.

    test_demo.py SOURCE_DIR STAVE

Builds the firmware, runs it twice, and holds every span that `stave decode` finds against what
schedule.py knows.
"""
import shutil
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

import schedule
from recording import (HZ, LATE_TICKS, MS, TRACE_START, Recording, Tools, frames, nest,
                       ticks)

# A time is a whole tick, so a length is at most 1 off.
TOLERANCE_TICKS = 2

RING = 128
MARKERS = ["boot", "reading", "overload", "logged"]
REPORT = ["frames sent", "ring drops", "transport drops", "unnamed", "ring peak", "systicks",
          "adcs"]

ZERO_STATS = ("gaps", "frames_lost", "resets", "unresolved", "duplicates", "duplicate_starts",
              "orphan_ends", "bytes_skipped", "cut_tail_bytes", "time_uncertain_us")


def setUpModule():
    global OUT, DEMO, FRAMES
    TOOLS.build()
    OUT = Path(tempfile.mkdtemp(prefix="stave-firmware-"))
    unittest.addModuleCleanup(shutil.rmtree, OUT)
    DEMO = TOOLS.record("demo", OUT / "demo.bin")
    FRAMES = frames(DEMO.data)
    nest(DEMO.spans)


def readings(count):
    """xorshift32, as the demo's sensor."""
    state, values = 2463534242, []
    for _ in range(count):
        state ^= state << 13 & 0xFFFFFFFF
        state ^= state >> 17
        state ^= state << 5
        state &= 0xFFFFFFFF
        values.append(state)
    return values


def on_time(name):
    """When this handler's first span would have started if it had not been late."""
    period = schedule.HANDLER_PERIODS[name]
    return min(s.start - period * s.index for s in DEMO.of(name))


class Stream(unittest.TestCase):
    """The bytes, and the decoder's counts."""

    def check_whole(self, stats):
        self.assertEqual({key: stats[key] for key in ZERO_STATS}, dict.fromkeys(ZERO_STATS, 0))

    def test_two_runs_are_identical(self):
        self.assertEqual(TOOLS.record("demo", OUT / "again.bin").data, DEMO.data)

    def test_nothing_is_lost(self):
        self.check_whole(DEMO.stats)
        self.assertEqual(DEMO.stats["wire_version"], 2)

    def test_counts(self):
        self.assertEqual(Counter(s.name for s in DEMO.spans), schedule.COUNTS)
        self.assertEqual(DEMO.stats["spans"], len(DEMO.spans))
        self.assertEqual(DEMO.stats["markers"], len(DEMO.marks))
        self.assertEqual(len(DEMO.rows), len(DEMO.spans) + len(DEMO.marks))

    def test_header(self):
        first = FRAMES[0]
        self.assertEqual((first.kind, first.number, first.ticks), (TRACE_START, 0, 0))
        self.assertEqual((first.fields[10], first.fields[11]), (1, HZ))  # cycles

    def test_dictionary(self):
        """First of all, then after 2 and 4 s with the names known by then, all of them."""
        known = [*schedule.LANES, *MARKERS]
        self.assertEqual(sum(f.kind == TRACE_START for f in FRAMES), 3)
        self.assertEqual({name: sum(f.names(name) for f in FRAMES) for name in known + REPORT},
                         {**dict.fromkeys(known, 3), **dict.fromkeys(REPORT, 1)})
        dictionary = 3 + 3 * len(known) + len(REPORT)
        self.assertEqual(DEMO.stats["frames"], 2 * len(DEMO.spans) + len(DEMO.marks) + dictionary)

    def test_late_host(self):
        """One that attaches at the dictionary's repeat misses nothing from there on."""
        start = [f for f in FRAMES if f.kind == TRACE_START][1]
        self.assertTrue(2 * HZ <= start.ticks < 2 * HZ + MS, start.ticks)
        path = OUT / "late.bin"
        path.write_bytes(DEMO.data[start.offset:])
        late = Recording(TOOLS, path)
        self.check_whole(late.stats)
        self.assertEqual(late.stats["spans"], sum(s.start >= start.ticks for s in DEMO.spans))


class Lanes(unittest.TestCase):
    def test_names_kinds_priorities(self):
        self.assertEqual({(s.name, s.type, s.priority) for s in DEMO.spans},
                         {(name, *lane[:2]) for name, lane in schedule.LANES.items()})

    def test_deadlines(self):
        for span in DEMO.spans:
            relative = schedule.LANES[span.name][2]
            if relative is None:
                self.assertEqual(span.deadline, "")
            else:
                self.assertEqual(float(span.deadline), span.start_us + relative)

    def test_nothing_is_cut(self):
        self.assertFalse(any(s.interrupted for s in DEMO.spans))


class Timing(unittest.TestCase):
    def check(self, measured, known, tolerance):
        wrong = []
        for span in DEMO.spans:
            expected = schedule.to_ticks(known(span.name, span.index))
            if abs(measured(span) - expected) > tolerance(span):
                wrong.append((span.name, span.index, measured(span), expected))
        self.assertEqual(wrong, [])

    def test_execution_times(self):
        """Of every span, with what its preempters take beside their own spans."""
        self.check(lambda span: span.execution(),
                   lambda *span: schedule.execution(*span) + schedule.all_hidden(*span),
                   lambda span: TOLERANCE_TICKS + len(span.preempters))

    def test_response_times(self):
        """Of every span, from the known execution times of all that preempt it."""
        self.check(lambda span: span.response(), schedule.response, lambda _: TOLERANCE_TICKS)

    def test_periods(self):
        for name, period in schedule.HANDLER_PERIODS.items():
            origin, spans = on_time(name), DEMO.of(name)
            late = [s.start - origin - period * s.index for s in spans]
            self.assertLessEqual(max(late), LATE_TICKS, (name, Counter(late)))
            self.assertGreater(sum(n <= 1 for n in late), len(late) * 3 // 4, Counter(late))

    def test_handlers_fill_the_time(self):
        """Timer 0 first 20 us after tick 2, both up to the last tick; then idle stops them."""
        offset = on_time("adc") - on_time("systick")
        self.assertAlmostEqual(offset, 2 * MS + MS // 50, delta=MS // 100)
        time = DEMO.of("systick")[-1].end - on_time("systick")
        self.assertEqual(time // MS + 1, 4200)
        self.assertEqual((time - offset) // schedule.HANDLER_PERIODS["adc"] + 1,
                         schedule.COUNTS["adc"])


class Preemption(unittest.TestCase):
    def test_of_every_span(self):
        wrong = [(s.name, s.index, [(p.name, p.index) for p in s.preempters]) for s in DEMO.spans]
        wrong = [w for w in wrong if w[2] != schedule.PREEMPTS[w[0]](w[1])]
        self.assertEqual(wrong, [])

    def test_counts(self):
        """Of tasks by tasks, and of SysTick's handler by timer 0's."""
        pairs = Counter((s.name, p.name) for s in DEMO.spans for p in s.preempters)
        tasks = {pair: n for pair, n in pairs.items() if pair[1] in schedule.TASKS}
        self.assertEqual(tasks, {("estimate", "control"): 420, ("telemetry", "estimate"): 105,
                                 ("telemetry", "control"): 105})
        self.assertEqual(pairs["systick", "adc"], 840)


class Releases(unittest.TestCase):
    """A release is a mark of the task's name in the span of its tick."""

    def test_each_has_its_tick(self):
        handlers = DEMO.of("systick")
        for name in schedule.TASKS:
            marks = DEMO.marks_of(name)
            self.assertEqual([m["value"] for m in marks],
                             [str(k) for k in range(schedule.COUNTS[name])])
            for k, mark in enumerate(marks):
                tick = handlers[schedule.FIRST[name] + schedule.PERIOD[name] * k]
                self.assertTrue(tick.start < ticks(float(mark["start_us"])) < tick.end, (name, k))

    def check_wait(self, span, before, instructions):
        wait = span.start - before.end
        self.assertLessEqual(abs(wait - schedule.to_ticks(instructions)), TOLERANCE_TICKS,
                             (span.name, span.index, wait))

    def test_start_follows_the_tick(self):
        handlers = DEMO.of("systick")
        for place, name in enumerate(("control", "estimate")):
            for span in DEMO.of(name):
                tick = handlers[schedule.FIRST[name] + schedule.PERIOD[name] * span.index]
                self.check_wait(span, tick, schedule.START + place * schedule.SKIP)

    def test_telemetry_waits_for_control(self):
        """Both are released by the same tick."""
        before = DEMO.of("control")
        for span in DEMO.of("telemetry"):
            self.check_wait(span, before[8 * span.index + 2],
                            schedule.NEXT + 2 * schedule.SKIP)


class Deadlines(unittest.TestCase):
    def test_missed_when_overloaded(self):
        self.assertEqual([s.index for s in DEMO.of("estimate") if s.missed()],
                         [49, 99, 149, 199, 249, 299, 349, 399])

    def test_not_missed_by_others(self):
        self.assertEqual({s.name for s in DEMO.spans if s.missed()}, {"estimate"})

    def test_known_to_be_missed(self):
        """By the known response times, with 0.1 ms to spare on both sides."""
        for name in schedule.TASKS:
            deadline = schedule.LANES[name][2] * HZ / 1e6
            for k in range(schedule.COUNTS[name]):
                late = schedule.to_ticks(schedule.response(name, k)) - deadline
                self.assertGreater(abs(late), MS // 10, (name, k))
                self.assertEqual(late > 0, name == "estimate" and schedule.overloaded(k))

    def test_in_the_table(self):
        """Its last columns: missed, cut, markers."""
        lines = [line.split() for line in DEMO.table.splitlines()]
        self.assertEqual({line[0]: line[-3:] for line in lines
                          if line[:1] and line[0] in schedule.TASKS},
                         {"control": ["0", "0", "840"], "estimate": ["8", "0", "420"],
                          "telemetry": ["0", "0", "105"]})


class Marks(unittest.TestCase):
    def test_without_value(self):
        self.assertEqual(DEMO.values("boot"), [""])
        self.assertEqual(DEMO.values("overload"), [""] * 8)

    def test_readings_are_whole_words(self):
        expected = readings(schedule.COUNTS["control"])
        self.assertGreater(max(expected), 0xFF000000)
        self.assertEqual(DEMO.values("reading"), [str(value) for value in expected])

    def test_logged(self):
        self.assertEqual(DEMO.values("logged"),
                         [str(n) for n in range(schedule.LOGGED)] * 4)

    def test_the_device_counted_the_same(self):
        self.assertEqual(DEMO.value("systicks"), schedule.COUNTS["systick"])
        self.assertEqual(DEMO.value("adcs"), schedule.COUNTS["adc"])
        for name in ("ring drops", "transport drops", "unnamed"):
            self.assertEqual(DEMO.value(name), 0)

    def test_frames_sent(self):
        """All before the report, whose first frame names this mark."""
        (place,) = [i for i, f in enumerate(FRAMES) if f.names("frames sent")]
        self.assertEqual(DEMO.value("frames sent"), place)
        self.assertEqual(len(FRAMES), place + 2 * len(REPORT))

    def test_ring_had_room(self):
        """Its peak is reached while telemetry keeps idle from sending."""
        self.assertTrue(60 < DEMO.value("ring peak") < RING, DEMO.value("ring peak"))

    def test_nothing_else(self):
        self.assertEqual({m["name"] for m in DEMO.marks}, {*schedule.TASKS, *MARKERS, *REPORT})


if __name__ == "__main__":
    TOOLS = Tools(sys.argv)
    unittest.main(argv=sys.argv[:1])
