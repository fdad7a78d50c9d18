#!/usr/bin/env python3
"""The recorder on RISC-V, in QEMU's board `virt`: what firmware/virt/demo.c records, it does.

    test_virt.py SOURCE_DIR STAVE

Builds the images by the riscv preset and runs each twice. All three run the same program: `cycles`
records with mcycle, `nanoseconds` with mtime, `semihosting` with mcycle into a file of the host.

An instruction takes 32 ns, and mcycle counts nanoseconds, so that what a span took is told to the
instruction; mtime counts tenths of microseconds. What is known of a span is its work. What
recording and handlers take beside it is the compiler's: it has bounds, and all spans of a kind took
the same.
"""
import csv
import json
import os
import shutil
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

from recording import RISCV, build, call, must

INSTRUCTION_NS = 32
MS = 1_000_000  # in ns, as all times here

# name: type, priority, deadline in us from the start
LANES = {
    "urgent": ("isr", 3, None),
    "tick": ("isr", 2, None),
    "control": ("task", 1, 2500.0),
    "empty": ("task", 1, None),
    "known": ("task", 1, None),
}
TICKS, ACTIVATIONS = 1200, 120
URGENTS = TICKS // 4 + ACTIVATIONS
COUNTS = {"urgent": URGENTS, "tick": TICKS, "control": ACTIVATIONS, "empty": 8,
          "known": 8}
OVERLOADED = [39, 79, 119]
MARKERS = {"boot": 1, "control": ACTIVATIONS, "raised": ACTIVATIONS, "overload": len(OVERLOADED),
           "ticks": 1, "urgents": 1, "events lost": 1, "ring peak": 1}
RING = 32

# Instructions: work(n) is 2 n of them, and 1 or 2 that load n.
WORK = {"urgent": 2 * 150, "tick": 2 * 2 * 600, "control": 2 * 2 * 12000, "empty": 0,
        "known": 2 * 1000}
OVERLOAD = 2 * 20000
RECORDED = {"control": 2}  # times after the start; of all others, 1

# Instructions beside the work and a probe for each recorded time: of the span's own function, and
# of each handler outside its own span. With a longer clock they are more.
BESIDE, HANDLER = 60, 180

# The first event of a name gives it its number.
FIRST = 80

# A handler starts late by at most what interrupts are off for; mtime takes long to read.
LOCK = 100

ZERO_STATS = ("gaps", "frames_lost", "resets", "unresolved", "duplicates", "duplicate_starts",
              "orphan_ends", "bytes_skipped", "cut_tail_bytes", "time_uncertain_us")

# The last fields of a header: time base, rate, source mask.
CYCLES = bytes.fromhex("5001 588094ebdc03 60ffffffff0f")  # of 1 GHz
NANOSECONDS = bytes.fromhex("60ffffffff0f")


def record(name):
    """What an image sends. The one with semihosting sends nothing on the UART."""
    folder = Path(tempfile.mkdtemp(dir=OUT))
    must(RUN, IMAGES / f"virt-{name}.elf", folder / "uart.bin", cwd=folder)
    if name == "semihosting":
        assert (folder / "uart.bin").read_bytes() == b""
        return folder / "virt.bin"
    return folder / "uart.bin"


def frames(data):
    """(offset, payload) of each frame; a length is one byte, being under 128."""
    at = 0
    while at < len(data):
        yield at, data[at + 1:at + 1 + data[at]]
        at += 1 + data[at]


def kind(payload):
    """Behind the time and the number of a name."""
    at = 0
    while payload[at] in (0x08, 0x10):
        at += 1
        while payload[at] >= 0x80:
            at += 1
        at += 1
    assert payload[at] == 0x18, payload
    return payload[at + 1]


def is_header(payload):
    return kind(payload) == 5


def absolute_ticks(payload):
    """Of a frame that starts with its time, as a varint in zigzag (here never negative)."""
    value = 0
    for i, byte in enumerate(payload[1:]):
        value |= (byte & 0x7F) << 7 * i
        if byte < 0x80:
            return value // 2


def ns(us):
    return round(float(us) * 1000)


class Span:
    def __init__(self, row):
        self.name, self.type, self.priority = row["name"], row["type"], int(row["priority"])
        self.start, self.end = ns(row["start_us"]), ns(row["end_us"])
        self.start_us, self.end_us = float(row["start_us"]), float(row["end_us"])
        self.deadline, self.interrupted = row["deadline_us"], row["interrupted"]
        self.index = None  # among those of its name
        self.handlers = []  # that interrupted it directly, not those nested in them

    def own(self):
        """In instructions."""
        handlers = sum(h.end - h.start for h in self.handlers)
        return (self.end - self.start - handlers) / INSTRUCTION_NS

    def kind(self):
        return self.name, tuple(h.name for h in self.handlers)


class Trace:
    def __init__(self, path):
        self.path = path
        self.bytes = path.read_bytes()
        self.stats = json.loads(must(STAVE, "decode", path, "--stats", "json"))
        self.rows = list(csv.DictReader(must(STAVE, "decode", path, "--csv", "-").splitlines()))
        self.spans = [Span(row) for row in self.rows if row["type"] in ("task", "isr")]
        self.marks = [row for row in self.rows if row["type"] == "marker"]
        self.spans.sort(key=lambda s: (s.start, -s.end))
        self.nest()

    def nest(self):
        """Gives each span its index, and each handler to the span that it interrupted."""
        seen, open_spans = Counter(), []
        for span in self.spans:
            span.index = seen[span.name]
            seen[span.name] += 1
            while open_spans and open_spans[-1].end <= span.start:
                open_spans.pop()
            if open_spans:
                assert span.end <= open_spans[-1].end, "spans on one core overlap"
                open_spans[-1].handlers.append(span)
            open_spans.append(span)

    def of(self, name):
        return [s for s in self.spans if s.name == name]

    def marks_of(self, name):
        return [m for m in self.marks if m["name"] == name]

    def values(self, name):
        return [m["value"] for m in self.marks_of(name)]

    def own_by_kind(self):
        """Own instructions of each kind of span: a sorted list without those that met a name
        first."""
        kinds = {}
        for span in self.spans:
            met = span.index == 0 or (span.name, span.index) == ("control", OVERLOADED[0])
            if not met:
                kinds.setdefault(span.kind(), []).append(span.own())
        return {kind: sorted(own) for kind, own in kinds.items()}


def setUpModule():
    global IMAGES, OUT, TRACES
    IMAGES = build(SOURCE, *RISCV) / "virt"
    OUT = Path(tempfile.mkdtemp(prefix="stave-virt-"))
    unittest.addModuleCleanup(shutil.rmtree, OUT)
    TRACES = {name: Trace(record(name)) for name in ("cycles", "nanoseconds", "semihosting")}


class Running(unittest.TestCase):
    """firmware/run tells how a RISC-V image ended."""

    def check(self, status, message, *arguments, **options):
        done = call(RUN, *arguments, **options)
        self.assertEqual((done.returncode, message in done.stderr), (status, True), done.stderr)

    def test_status(self):
        self.check(7, "ended with status 7", IMAGES / "virt-ends-status.elf", OUT / "ends.bin")
        self.assertEqual((OUT / "ends.bin").read_bytes(), b"ends\n")

    def test_fault(self):
        self.check(4, "an exception", IMAGES / "virt-ends-fault.elf", OUT / "ends.bin")

    def test_timeout(self):
        self.check(124, "not done after 1 seconds", IMAGES / "virt-ends-never.elf",
                   OUT / "ends.bin", env={**os.environ, "STAVE_FIRMWARE_TIMEOUT": "1"})

    def test_no_image(self):
        for content in (b"", Path(STAVE).read_bytes()[:64]):
            (OUT / "other.elf").write_bytes(content)
            self.check(2, "is no image for Arm or RISC-V", OUT / "other.elf", OUT / "ends.bin")

    def test_no_qemu(self):
        self.check(127, "qemu-system-riscv32 is not installed", IMAGES / "virt-cycles.elf",
                   OUT / "ends.bin", env={"PATH": str(OUT)})


class Every:
    """What holds whatever the clock and the way out, of the image `name`."""

    name = header = None

    @property
    def trace(self):
        return TRACES[self.name]

    def test_two_runs_are_identical(self):
        trace = self.trace
        self.assertEqual(record(self.name).read_bytes(), trace.bytes)

    def test_nothing_is_lost(self):
        trace = self.trace
        self.assertEqual({key: trace.stats[key] for key in ZERO_STATS},
                         dict.fromkeys(ZERO_STATS, 0))
        self.assertEqual(trace.stats["wire_version"], 2)
        self.assertEqual(trace.values("events lost"), ["0"])

    def test_counts(self):
        trace = self.trace
        self.assertEqual(Counter(s.name for s in trace.spans), COUNTS)
        self.assertEqual(Counter(m["name"] for m in trace.marks), MARKERS)
        self.assertEqual(len(trace.rows), sum(COUNTS.values()) + sum(MARKERS.values()))
        self.assertEqual(trace.values("ticks"), [str(TICKS)])
        self.assertEqual(trace.values("urgents"), [str(URGENTS)])
        (peak,) = trace.values("ring peak")
        self.assertTrue(0 < int(peak) < RING, peak)

    def test_dictionary(self):
        """First of all, then after 0.5 and 1 s, with the names known by then."""
        trace = self.trace
        found = [frame for _, frame in frames(trace.bytes)]
        self.assertEqual(found[0], b"\x18\x05" + self.header)  # at 0, numbered 0
        headers = [frame for frame in found if is_header(frame)]
        self.assertEqual([frame.endswith(self.header) for frame in headers], [True] * 3)
        names = sum(kind(frame) == 4 for frame in found)
        self.assertEqual(names, 3 * 8 + 4)  # the last four marks are named once
        self.assertEqual(len(found), 2 * len(trace.spans) + len(trace.marks) + 3 + names)

    def test_late_host(self):
        """One that attaches at the dictionary's repeat misses nothing from there on."""
        trace = self.trace
        start, ticks = [(at, absolute_ticks(frame)) for at, frame in frames(trace.bytes)
                        if is_header(frame)][1]
        self.assertTrue(500 * MS <= ticks < 501 * MS, ticks)
        (OUT / "late.bin").write_bytes(trace.bytes[start:])
        late = Trace(OUT / "late.bin")
        self.assertEqual({key: late.stats[key] for key in ZERO_STATS},
                         dict.fromkeys(ZERO_STATS, 0))
        self.assertEqual(late.stats["spans"], sum(s.start >= ticks for s in trace.spans))

    def test_lanes(self):
        trace = self.trace
        self.assertEqual({(s.name, s.type, s.priority) for s in trace.spans},
                         {(name, lane[0], lane[1]) for name, lane in LANES.items()})
        self.assertEqual({s.interrupted for s in trace.spans}, {"0"})
        for span in trace.spans:
            relative = LANES[span.name][2]
            if relative is None:
                self.assertEqual(span.deadline, "")
            else:
                self.assertEqual(float(span.deadline), span.start_us + relative)

    def test_deadline_missed_when_overloaded(self):
        trace = self.trace
        late = [s.index for s in trace.of("control") if s.end_us > float(s.deadline)]
        self.assertEqual(late, OVERLOADED)

    def test_preemption(self):
        """Each 4th tick and the middle of the task are interrupted by `urgent`, nothing else is
        but the task by ticks."""
        trace = self.trace
        for span in trace.spans:
            handlers = {"tick": ["urgent"] if span.index % 4 == 0 else [],
                        "control": ["urgent", "tick"]}.get(span.name, [])
            if span.name == "control" and span.index in OVERLOADED:
                handlers = ["urgent", "tick", "tick", "tick"]
            self.assertEqual([h.name for h in span.handlers], handlers, vars(span))

    def test_values(self):
        """begin_value: a mark at the time of the start. The other value has all 32 bits."""
        trace = self.trace
        self.assertEqual(trace.values("boot"), [""])
        self.assertEqual([(ns(m["start_us"]), m["value"]) for m in trace.marks_of("control")],
                         [(s.start, str(s.index)) for s in trace.of("control")])
        self.assertEqual(trace.values("raised"),
                         [str(0xFFFFFFFF - k) for k in range(ACTIVATIONS)])

    def test_overload_is_marked(self):
        trace = self.trace
        spans = [trace.of("control")[k] for k in OVERLOADED]
        for span, mark in zip(spans, trace.marks_of("overload")):
            self.assertTrue(span.start < ns(mark["start_us"]) < span.end)


class Cycles(Every, unittest.TestCase):
    name, header = "cycles", CYCLES


class Nanoseconds(Every, unittest.TestCase):
    name, header = "nanoseconds", NANOSECONDS


class Semihosting(Every, unittest.TestCase):
    name, header = "semihosting", CYCLES


class Timing(unittest.TestCase):
    def check_ticks(self, trace):
        """Each ms of mtime; from the second tick on, because the first meets its name."""
        late = [s.start - s.index * MS for s in trace.of("tick")[1:]]
        self.assertLessEqual(max(late) - min(late), LOCK * INSTRUCTION_NS)

    def check_bounds(self, kinds):
        """All work, a probe for each recorded time, and not much more."""
        probe = kinds["empty", ()][0]
        for (name, handlers), own in kinds.items():
            least = WORK[name] + probe * RECORDED.get(name, 1)
            if len(handlers) == 4:  # the task that was overloaded
                least += OVERLOAD + probe
            self.assertGreaterEqual(own[0], least, (name, handlers))
            self.assertLessEqual(own[-1], least + BESIDE + HANDLER * len(handlers),
                                 (name, handlers))

    def test_mcycle(self):
        for name in ("cycles", "semihosting"):
            with self.subTest(name):
                trace = TRACES[name]
                kinds = trace.own_by_kind()
                for kind, own in kinds.items():
                    self.assertEqual((own[0], own[0] % 1), (own[-1], 0), kind)
                # the work, and one instruction that loads its count
                self.assertEqual(kinds["known", ()][0] - kinds["empty", ()][0], 2 * 1000 + 1)
                self.check_bounds(kinds)
                self.check_ticks(trace)

    def test_mtime(self):
        """Two readings make a length, and two more for each handler that is taken out."""
        trace = TRACES["nanoseconds"]
        kinds = trace.own_by_kind()
        for (name, handlers), own in kinds.items():
            spread = (own[-1] - own[0]) * INSTRUCTION_NS
            self.assertLessEqual(spread, 100 * 2 * (1 + len(handlers)), (name, handlers))
        self.assertEqual({s.start % 100 for s in trace.spans}, {0})
        self.check_bounds(kinds)
        self.check_ticks(trace)

    def test_the_way_out_does_not_show(self):
        self.assertEqual({kind: own[0] for kind, own in TRACES["cycles"].own_by_kind().items()},
                         {kind: own[0] for kind, own in
                          TRACES["semihosting"].own_by_kind().items()})

    def test_a_name_is_met_once(self):
        for name, trace in TRACES.items():
            kinds = trace.own_by_kind()
            for span in trace.spans:
                typical = kinds.get(span.kind())
                if span.index == 0 and typical:
                    self.assertLessEqual(abs(span.own() - typical[0]), FIRST, (name, span.kind()))

    def test_urgent_comes_at_once(self):
        """From the mark before it was raised to its span."""
        for name, trace in TRACES.items():
            raised = trace.marks_of("raised")
            for span in trace.of("control"):
                after = span.handlers[0].start - ns(raised[span.index]["start_us"])
                self.assertTrue(0 < after < 150 * INSTRUCTION_NS, (name, span.index, after))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: test_virt.py SOURCE_DIR STAVE")
    SOURCE, STAVE = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    RUN = SOURCE / "firmware/run"
    unittest.main(argv=sys.argv[:1])
