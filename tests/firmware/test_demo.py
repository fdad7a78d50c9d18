"""The demo firmware: what it records in QEMU is what it does, to the tick.

    test_demo.py SOURCE_DIR STAVE

Builds the firmware by the cortex-m3 preset, runs it twice, and reads the recording with
`stave decode`. The expected numbers below are firmware/demo.c's; firmware/README.md derives them.
"""
import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

HZ = 25_000_000
MS = HZ // 1000

# name: type, priority, deadline in us from the start
LANES = {
    "adc": ("isr", 3, None),
    "systick": ("isr", 2, None),
    "control": ("task", 1, 3000.0),
    "sense": ("task", 1, None),
    "compute": ("task", 1, None),
    "actuate": ("task", 1, None),
    "empty": ("task", 1, None),
}
SYSTICKS, ADCS, ACTIVATIONS, EMPTIES = 4200, 3360, 420, 8
PERIODS = {"systick": MS, "adc": MS * 5 // 4}
COUNTS = {"systick": SYSTICKS, "adc": ADCS, "control": ACTIVATIONS, "sense": ACTIVATIONS,
          "compute": ACTIVATIONS, "actuate": ACTIVATIONS, "empty": EMPTIES}
QUEUE = 32

# Known lengths, in instructions: work(n) is 2 n of them, and one more that loads n. An instruction
# is 32 ns, which is 0.8 ticks.
WORK = {name: [2 * n + 1 for n in iterations] for name, iterations in {
    "systick": [1000], "adc": [250], "sense": [5000], "compute": [25000], "actuate": [6000],
    "control": [5000, 25000, 6000], "empty": []}.items()}
OVERLOAD = 2 * (40000 - 25000)
TICKS_PER_INSTRUCTION = 0.8

# What recording takes, in instructions, as measured with the preset (gcc 12.2 -Os): another
# compiler can make it other numbers. PROBE: from one recorded time to the next with nothing between
# them. HIDDEN: what a handler runs before its first and after its last recorded time, which the
# interrupted span's own time still contains.
PROBE = 44
HIDDEN = {"systick": 50, "adc": 55}
PROBES = {"control": 8}  # recorded times after the start; of all others, 1

# An own time is a sum of differences of whole ticks; at most 1 tick off is there.
TOLERANCE_TICKS = 2

# A handler starts late by at most what main may be masked for. Its period is exact on average.
LOCK_TICKS = 30

# Sending the four events of a tick that timer 0 interrupted, with two new names at first.
SEND_TICKS = 3000

ZERO_STATS = ("gaps", "frames_lost", "resets", "unresolved", "duplicates", "duplicate_starts",
              "orphan_ends", "bytes_skipped", "cut_tail_bytes", "time_uncertain_us")

TRACE_START = bytes.fromhex("5001 58c0f0f50b 6003")  # its last fields: cycles, 25 MHz, sources


def overloaded(activation):
    return activation % 50 == 49


def readings(count):
    """xorshift32, as the demo's sensor."""
    state, values = 2463534242, []
    for _ in range(count):
        state ^= state << 13 & 0xFFFFFFFF
        state ^= state >> 17
        state ^= state << 5 & 0xFFFFFFFF
        values.append(state)
    return values


def frames(data):
    """(offset, payload) of each frame; a length is one byte, being under 128."""
    at = 0
    while at < len(data):
        yield at, data[at + 1:at + 1 + data[at]]
        at += 1 + data[at]


def absolute_ticks(payload):
    """Of a frame that starts with its time, as a varint in zigzag (here never negative)."""
    value = 0
    for i, byte in enumerate(payload[1:]):
        value |= (byte & 0x7F) << 7 * i
        if byte < 0x80:
            return value // 2


class Span:
    def __init__(self, row):
        self.name, self.type = row["name"], row["type"]
        self.start_us, self.end_us = float(row["start_us"]), float(row["end_us"])
        self.start, self.end = (round(us * HZ / 1e6) for us in (self.start_us, self.end_us))
        self.priority, self.deadline = int(row["priority"]), row["deadline_us"]
        self.interrupted = row["interrupted"]
        self.index = None  # among those of its name, by start
        self.handlers = []  # that interrupted it directly, not those nested in them

    def own(self):
        return self.end - self.start - sum(h.end - h.start for h in self.handlers)

    def expected(self):
        instructions = sum(WORK[self.name]) + PROBE * PROBES.get(self.name, 1)
        if self.name in ("control", "compute") and overloaded(self.index):
            instructions += OVERLOAD
        instructions += sum(HIDDEN[h.name] for h in self.handlers)
        return instructions * TICKS_PER_INSTRUCTION


def nest(spans):
    """Gives each span its index, and each handler to the spans that it interrupted: a handler to
    the handler below it, or else to every task's span that is open."""
    seen, open_spans = Counter(), []
    for span in sorted(spans, key=lambda s: (s.start, -s.end)):
        span.index = seen[span.name]
        seen[span.name] += 1
        while open_spans and open_spans[-1].end <= span.start:
            open_spans.pop()
        assert not open_spans or span.end <= open_spans[-1].end, "spans on one core overlap"
        if span.type == "isr":
            below = open_spans[-1:] if open_spans and open_spans[-1].type == "isr" else open_spans
            for interrupted in below:
                interrupted.handlers.append(span)
        open_spans.append(span)


def call(*arguments, **options):
    return subprocess.run([str(a) for a in arguments], capture_output=True, text=True, **options)


def must(*arguments, **options):
    done = call(*arguments, **options)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, arguments))}: status {done.returncode}\n"
                             f"{done.stdout}{done.stderr}")
    return done.stdout


def build(source):
    for tool, package in (("arm-none-eabi-gcc", "gcc-arm-none-eabi"),
                          ("qemu-system-arm", "qemu-system-arm")):
        if shutil.which(tool) is None:
            sys.exit(f"{tool} is missing; this test needs it (Debian: apt-get install {package})")
    must("cmake", "--preset", "cortex-m3", cwd=source)
    must("cmake", "--build", "--preset", "cortex-m3", cwd=source)
    return source / "build/cortex-m3/firmware"


def stats(path):
    return json.loads(must(STAVE, "decode", path, "--stats", "json"))


def setUpModule():
    global IMAGES, OUT, RECORDING, STATS, ROWS, SPANS, MARKS
    IMAGES = build(SOURCE)
    OUT = Path(tempfile.mkdtemp(prefix="stave-firmware-"))
    unittest.addModuleCleanup(shutil.rmtree, OUT)
    RECORDING = OUT / "demo.bin"
    must(RUN, IMAGES / "demo.elf", RECORDING)
    STATS = stats(RECORDING)
    ROWS = list(csv.DictReader(must(STAVE, "decode", RECORDING, "--csv", "-").splitlines()))
    SPANS = [Span(row) for row in ROWS if row["type"] in ("task", "isr")]
    MARKS = [row for row in ROWS if row["type"] == "marker"]
    nest(SPANS)


def of(name):
    return sorted((s for s in SPANS if s.name == name), key=lambda s: s.start)


class Running(unittest.TestCase):
    """firmware/run tells how an image ended."""

    def check(self, status, message, *arguments, **options):
        done = call(RUN, *arguments, **options)
        self.assertEqual((done.returncode, message in done.stderr), (status, True), done.stderr)

    def test_status(self):
        out = OUT / "ends.bin"
        self.check(7, "ended with status 7", IMAGES / "ends-status.elf", out)
        self.assertEqual(out.read_bytes(), b"ends\n")

    def test_fault(self):
        self.check(4, "an exception", IMAGES / "ends-fault.elf", OUT / "ends.bin")

    def test_timeout(self):
        self.check(124, "not done after 1 seconds", IMAGES / "ends-never.elf", OUT / "ends.bin",
                   env={**os.environ, "STAVE_FIRMWARE_TIMEOUT": "1"})

    def test_misuse(self):
        self.check(2, "usage:", IMAGES / "demo.elf")
        self.check(2, "cannot read", OUT / "no.elf", OUT / "ends.bin")

    def test_no_qemu(self):
        self.check(127, "qemu-system-arm is not installed", IMAGES / "demo.elf", OUT / "ends.bin",
                   env={"PATH": str(OUT)})


class Stream(unittest.TestCase):
    """The bytes, and the decoder's counts."""

    def test_two_runs_are_identical(self):
        again = OUT / "again.bin"
        must(RUN, IMAGES / "demo.elf", again)
        self.assertEqual(again.read_bytes(), RECORDING.read_bytes())

    def test_nothing_is_lost(self):
        self.assertEqual({key: STATS[key] for key in ZERO_STATS}, dict.fromkeys(ZERO_STATS, 0))
        self.assertEqual(STATS["wire_version"], 2)

    def test_counts(self):
        self.assertEqual(STATS["spans"], sum(COUNTS.values()))
        self.assertEqual(STATS["markers"], len(MARKS))
        self.assertEqual(len(ROWS), len(SPANS) + len(MARKS))

    def test_dictionary(self):
        """First of all, then after 2 and 4 s, with the names known by then."""
        found = [frame for _, frame in frames(RECORDING.read_bytes())]
        self.assertEqual(found[0], b"\x18\x05" + TRACE_START)  # at 0, numbered 0
        self.assertEqual(sum(frame.endswith(TRACE_START) for frame in found), 3)
        self.assertEqual(sum(frame.endswith(b"2\x03adc8\x01@\x03") for frame in found), 3)
        # markers of the end are named once, all other names three times
        dictionary = 3 + (len(LANES) + 4) * 3 + 4
        self.assertEqual(STATS["frames"], 2 * len(SPANS) + len(MARKS) + dictionary)

    def test_late_host(self):
        """One that attaches at the dictionary's repeat misses nothing from there on."""
        data = RECORDING.read_bytes()
        start, ticks = [(at, absolute_ticks(frame)) for at, frame in frames(data)
                        if frame.endswith(TRACE_START)][1]
        self.assertTrue(2 * HZ <= ticks < 2 * HZ + MS, ticks)
        late = OUT / "late.bin"
        late.write_bytes(data[start:])
        late_stats = stats(late)
        self.assertEqual({key: late_stats[key] for key in ZERO_STATS},
                         dict.fromkeys(ZERO_STATS, 0))
        self.assertEqual(late_stats["spans"], sum(s.start >= ticks for s in SPANS))


class Lanes(unittest.TestCase):
    def test_names_kinds_priorities(self):
        self.assertEqual({(s.name, s.type, s.priority) for s in SPANS},
                         {(name, lane[0], lane[1]) for name, lane in LANES.items()})

    def test_deadlines(self):
        for span in SPANS:
            relative = LANES[span.name][2]
            if relative is None:
                self.assertEqual(span.deadline, "")
            else:
                self.assertEqual(float(span.deadline), span.start_us + relative)

    def test_nothing_is_interrupted(self):
        self.assertEqual({s.interrupted for s in SPANS}, {"0"})


class Timing(unittest.TestCase):
    def test_activations(self):
        self.assertEqual(Counter(s.name for s in SPANS), COUNTS)

    def test_activations_fill_the_time(self):
        """From the first to the last mark, which main sets when it has stopped the timers."""
        stop = round(float(next(m for m in MARKS if m["name"] == "systicks")["start_us"]) * 25)
        for name, period in PERIODS.items():
            self.assertEqual((stop - of(name)[0].start) // period + 1, COUNTS[name], name)

    def test_periods(self):
        for name, period in PERIODS.items():
            first = of(name)[0].start
            late = [s.start - first - period * s.index for s in of(name)]
            self.assertTrue(all(abs(ticks) <= LOCK_TICKS for ticks in late), (name, Counter(late)))
            exact = sum(abs(ticks) <= 1 for ticks in late)
            self.assertGreaterEqual(exact, len(late) * 99 // 100, (name, Counter(late)))

    def test_known_lengths(self):
        wrong = [(s.name, s.index, s.own(), s.expected(), len(s.handlers))
                 for s in SPANS if abs(s.own() - s.expected()) > TOLERANCE_TICKS]
        self.assertEqual(wrong, [])

    def test_deadline_missed_when_overloaded(self):
        missed = [s.index for s in of("control") if s.end_us > float(s.deadline)]
        self.assertEqual(missed, [k for k in range(ACTIVATIONS) if overloaded(k)])


class Preemption(unittest.TestCase):
    """Timer 0 comes 20 us after tick 0 and then each 1.25 ms, the task with each 10th tick."""

    def check(self, name, expected):
        for span in of(name):
            self.assertEqual([(h.name, h.index) for h in span.handlers], expected(span.index),
                             (name, span.index))

    def test_adc_interrupts_systick(self):
        self.check("systick", lambda k: [("adc", k // 5 * 4)] if k % 5 == 0 else [])

    def test_nothing_interrupts_adc(self):
        self.check("adc", lambda k: [])

    def test_sense(self):
        self.check("sense", lambda k: [])

    def test_compute(self):
        def expected(k):
            usual = [("systick", 10 * k + 1), ("adc", 8 * k + 1), ("systick", 10 * k + 2)]
            more = [("adc", 8 * k + 2), ("systick", 10 * k + 3)]
            return usual + more if overloaded(k) else usual
        self.check("compute", expected)

    def test_actuate(self):
        self.check("actuate", lambda k: [] if overloaded(k) else [("adc", 8 * k + 2)])

    def test_control_follows_its_tick(self):
        """At once, or after the tick's events where it came just before main sent what waited."""
        ticks = of("systick")
        for span in of("control"):
            released = ticks[10 * span.index].end
            self.assertTrue(0 < span.start - released < SEND_TICKS, span.index)


class Marks(unittest.TestCase):
    def values(self, name):
        return [m["value"] for m in MARKS if m["name"] == name]

    def test_without_value(self):
        self.assertEqual(self.values("boot"), [""])
        self.assertEqual(self.values("overload"), [""] * (ACTIVATIONS // 50))

    def test_activations_count_from_zero(self):
        self.assertEqual(self.values("activation"), [str(k) for k in range(ACTIVATIONS)])

    def test_readings_are_whole_words(self):
        expected = readings(ACTIVATIONS)
        self.assertGreater(max(expected), 0xFF000000)
        self.assertEqual(self.values("reading"), [str(value) for value in expected])

    def test_the_device_counted_the_same(self):
        self.assertEqual(self.values("systicks"), [str(SYSTICKS)])
        self.assertEqual(self.values("adcs"), [str(ADCS)])
        self.assertEqual(self.values("events lost"), ["0"])

    def test_queue_had_room(self):
        (peak,) = self.values("queue peak")
        self.assertTrue(0 < int(peak) < QUEUE, peak)

    def test_nothing_else(self):
        self.assertEqual({m["name"] for m in MARKS},
                         {"boot", "overload", "activation", "reading", "systicks", "adcs",
                          "events lost", "queue peak"})


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: test_demo.py SOURCE_DIR STAVE")
    SOURCE, STAVE = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    RUN = SOURCE / "firmware/run"
    unittest.main(argv=sys.argv[:1])
