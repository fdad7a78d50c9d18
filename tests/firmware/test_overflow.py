"""Losses on purpose: what the host counts as lost is what the device says that it dropped.

    test_overflow.py SOURCE_DIR STAVE

Two images of firmware/demo.c. In one, telemetry's log is longer than the ring holds; in the other,
the transport pauses for longer than the ring lasts, and stave_target_config.drop is set.
"""
import shutil
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

import schedule
from recording import (HZ, LATE_TICKS, MS, NAME_REGISTERED, NUMBERS, TRACE_START, Recording, Tools,
                       frames, ticks)

RING = 128
LOGS = [k for k in range(schedule.COUNTS["telemetry"]) if schedule.logs(k)]
GAPS = 4
REPORT_FRAMES = 2 * 7  # a name and a mark for each counter
EXIT_LOST = 3

ZERO_STATS = ("resets", "unresolved", "duplicates", "duplicate_starts", "orphan_ends",
              "bytes_skipped", "cut_tail_bytes")


def setUpModule():
    global OUT
    TOOLS.build()
    OUT = Path(tempfile.mkdtemp(prefix="stave-firmware-"))
    unittest.addModuleCleanup(shutil.rmtree, OUT)


def events_of_a_whole_run(logged):
    """With so many marks each time that telemetry logs; without the report."""
    jobs = sum(schedule.COUNTS[task] for task in schedule.TASKS)
    overloads = sum(map(schedule.overloaded, range(schedule.COUNTS["estimate"])))
    marks = jobs + schedule.COUNTS["control"] + overloads + logged * len(LOGS) + 1  # boot
    return 2 * sum(schedule.COUNTS.values()) + marks


def jumps(found):
    """(numbers missing before it, frame) of each frame that does not follow the one before."""
    steps = [((b.number - a.number - 1) % NUMBERS, b) for a, b in zip(found, found[1:])]
    return [step for step in steps if step[0] != 0]


class Losses:
    """What holds for both images."""

    image = None

    @classmethod
    def setUpClass(cls):
        cls.demo = TOOLS.record(cls.image, OUT / f"{cls.image}.bin", status=EXIT_LOST)
        cls.frames = frames(cls.demo.data)

    def test_two_runs_are_identical(self):
        again = TOOLS.record(self.image, OUT / "again.bin", status=EXIT_LOST)
        self.assertEqual(again.data, self.demo.data)

    def test_host_and_device_agree(self):
        lost = self.demo.value("ring drops") + self.demo.value("transport drops")
        self.assertGreater(lost, 0)
        self.assertEqual(self.demo.stats["frames_lost"], lost)
        self.assertEqual(sum(int(gap["value"]) for gap in self.demo.gaps), lost)
        self.assertEqual(sum(missing for missing, _ in jumps(self.frames)), lost)

    def test_what_was_sent_has_come(self):
        """The device counts before its report, whose first frame names the count."""
        sent = self.demo.value("frames sent")
        self.assertTrue(self.frames[sent].names("frames sent"))
        self.assertEqual(self.demo.stats["frames"], sent + REPORT_FRAMES)
        self.assertEqual(len(self.frames), sent + REPORT_FRAMES)

    def test_nothing_else_is_wrong(self):
        self.assertEqual({key: self.demo.stats[key] for key in ZERO_STATS},
                         dict.fromkeys(ZERO_STATS, 0))
        self.assertEqual(self.demo.value("unnamed"), 0)
        self.assertEqual(self.demo.value("systicks"), schedule.COUNTS["systick"])
        self.assertEqual(self.demo.value("adcs"), schedule.COUNTS["adc"])

    def test_gaps(self):
        self.assertEqual(len(self.demo.gaps), GAPS)
        self.assertEqual(len(jumps(self.frames)), GAPS)

    def test_open_spans_are_cut(self):
        """Where their gap starts; and no span reaches over a gap."""
        starts = [float(gap["start_us"]) for gap in self.demo.gaps]
        for span in self.demo.spans:
            self.assertFalse(any(span.start_us < start < span.end_us for start in starts))
            if span.interrupted:
                self.assertIn(span.end_us, starts)


class RingFull(Losses, unittest.TestCase):
    """Telemetry logs 300 marks into a ring of 128, and idle cannot send before telemetry is done:
    so a gap reaches from the mark that found no place to the end of telemetry's job."""

    image, LOGGED = "demo-overflow", 300

    # In the ring before the log, from telemetry's release on: 2 events of its tick's handler and 2
    # releases, 5 of control and the handler in it, telemetry's start. While the log fills the ring:
    # nothing; the next tick comes when it is full.
    BEFORE = 10
    MEANWHILE = 0

    # After that, until telemetry is done: its end, and these spans, each with its start and end; of
    # tasks, also the release, and control's reading.
    SPANS = {"systick": 11, "adc": 8, "control": 2, "estimate": 1}
    MARKS = 2 * SPANS["control"] + SPANS["estimate"]

    def test_oldest_are_kept(self):
        kept = RING - self.BEFORE - self.MEANWHILE
        self.assertEqual(self.demo.values("logged"), [str(n) for n in range(kept)] * len(LOGS))

    def test_known_number_is_lost(self):
        kept = RING - self.BEFORE - self.MEANWHILE
        each = self.LOGGED - kept + 2 * sum(self.SPANS.values()) + self.MARKS + 1
        self.assertEqual([gap["value"] for gap in self.demo.gaps], [str(each)] * GAPS)

    def test_only_events_are_lost(self):
        """As many as are missing of a whole run: no name, no header."""
        come = sum(f.kind < NAME_REGISTERED for f in self.frames) - REPORT_FRAMES // 2
        self.assertEqual(events_of_a_whole_run(self.LOGGED) - come,
                         self.demo.stats["frames_lost"])

    def test_known_spans_are_lost(self):
        lost = Counter({name: n * GAPS for name, n in self.SPANS.items()})
        self.assertEqual(Counter(s.name for s in self.demo.spans),
                         Counter(schedule.COUNTS) - lost)

    def test_telemetry_is_cut(self):
        """By each of its logs; nothing else is open then."""
        telemetry = self.demo.of("telemetry")
        self.assertEqual([k for k, span in enumerate(telemetry) if span.interrupted], LOGS)
        self.assertEqual(sum(s.interrupted for s in self.demo.spans), GAPS)

    def test_counted_by_reason(self):
        self.assertEqual(self.demo.value("transport drops"), 0)
        self.assertEqual(self.demo.value("ring peak"), RING)


class TransportFull(Losses, unittest.TestCase):
    """The transport takes nothing for 100 ms of each second. In these come about 480 events: three times
    the ring is full, the poll drops all of it and goes on with a header. What comes between that and
    the poll has no place, as while telemetry keeps idle from polling."""

    image = "demo-drop"
    DROPS_A_PAUSE = 3
    PAUSES = [(second * HZ + 42258 * HZ // 100000, second * HZ + 52258 * HZ // 100000)
              for second in range(GAPS)]

    def test_counted_by_reason(self):
        """A drop takes the ring and the frame that was taken out of it last; and in the first pause
        the name of `overload`, which is two frames in one place."""
        self.assertEqual(self.demo.value("transport drops"),
                         GAPS * self.DROPS_A_PAUSE * (RING + 1) + 1)
        self.assertGreater(self.demo.value("ring drops"), 0)
        self.assertEqual(self.demo.value("ring peak"), RING)

    def test_a_header_follows_each_drop(self):
        self.assertEqual([f.kind for _, f in jumps(self.frames)], [TRACE_START] * GAPS)

    def test_newest_are_kept(self):
        """A gap ends in its pause, at the header, and what comes behind that is there: the next
        tick at once."""
        handlers = sorted(span.start for span in self.demo.of("systick"))
        for (start, end), gap, (_, header) in zip(self.PAUSES, self.demo.gaps,
                                                  jumps(self.frames)):
            self.assertEqual(ticks(float(gap["end_us"])), header.ticks)
            self.assertTrue(start < header.ticks < end, header.ticks)
            behind = next(start for start in handlers if start > header.ticks)
            self.assertLess(behind - header.ticks, MS + LATE_TICKS)

    def test_tasks_are_cut(self):
        """A pause begins while idle sends what has come during a job of telemetry: all that is
        known of that, and of the job that preempted it, is their starts."""
        for name in ("telemetry", "estimate"):
            cut = [span for span in self.demo.of(name) if span.interrupted]
            self.assertEqual([span.start // HZ for span in cut], list(range(GAPS)))
            self.assertEqual([span.end_us for span in cut],
                             [float(gap["start_us"]) for gap in self.demo.gaps])

    def test_times_stay_right(self):
        """Behind each gap, ticks are in step with those before it."""
        phases = [span.start % MS for span in self.demo.of("systick")]
        self.assertLessEqual(max(phases) - min(phases), LATE_TICKS)

    def test_dictionary_begins_anew(self):
        """A host that attaches at the header behind a drop loses no name."""
        for _, header in jumps(self.frames):
            path = OUT / "late.bin"
            path.write_bytes(self.demo.data[header.offset:])
            self.assertEqual(Recording(TOOLS, path).stats["unresolved"], 0)

    def test_name_met_in_a_pause(self):
        """Each other overload is in a pause, with the first its name: the dictionary tells it."""
        behind = jumps(self.frames)[0][1].offset
        named = [f.offset for f in self.frames if f.names("overload")]
        self.assertGreater(named[0], behind)
        self.assertEqual(self.demo.values("overload"), [""] * 4)


if __name__ == "__main__":
    TOOLS = Tools(sys.argv)
    unittest.main(argv=sys.argv[:1])
