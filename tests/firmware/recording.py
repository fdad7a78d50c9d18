"""What the firmware tests share: build the images, run them in QEMU, read what they recorded."""
import csv
import json
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

HZ = 25_000_000
MS = HZ // 1000
NUMBERS = 16384  # sequence numbers wrap there

# A handler starts late by at most what a task or idle may be masked for, or what it takes to meet
# its name. The timers themselves are never late.
LATE_TICKS = 32

SPAN_START, SPAN_END, MARKER, NAME_REGISTERED, TRACE_START = 1, 2, 3, 4, 5


def call(*arguments, **options):
    return subprocess.run([str(a) for a in arguments], capture_output=True, text=True, **options)


def must(*arguments, status=0, **options):
    done = call(*arguments, **options)
    if done.returncode != status:
        raise AssertionError(f"{' '.join(map(str, arguments))}: status {done.returncode}\n"
                             f"{done.stdout}{done.stderr}")
    return done.stdout


def build(source, preset, packages):
    """The folder of what a preset builds, for which these tools are needed: {tool: package}."""
    for tool, package in packages.items():
        if shutil.which(tool) is None:
            sys.exit(f"{tool} is missing; this test needs it (Debian: apt-get install {package})")
    must("cmake", "--preset", preset, cwd=source)
    must("cmake", "--build", "--preset", preset, cwd=source)
    return source / "build" / preset / "firmware"


CORTEX_M3 = "cortex-m3", {"arm-none-eabi-gcc": "gcc-arm-none-eabi",
                          "qemu-system-arm": "qemu-system-arm"}
RISCV = "riscv", {"riscv64-unknown-elf-gcc": "gcc-riscv64-unknown-elf",
                  "qemu-system-riscv32": "qemu-system-misc"}


class Tools:
    """The checkout, whose firmware is built by the cortex-m3 preset, and the command."""

    def __init__(self, arguments):
        if len(arguments) != 3:
            sys.exit(f"usage: {Path(arguments[0]).name} SOURCE_DIR STAVE")
        self.source, self.stave = (Path(a).resolve() for a in arguments[1:])
        self.run = self.source / "firmware/run"
        self.images = self.source / "build/cortex-m3/firmware"

    def build(self):
        build(self.source, *CORTEX_M3)

    def record(self, image, path, status=0):
        must(self.run, self.images / f"{image}.elf", path, status=status)
        return Recording(self, path)


class Frame:
    """Of version 2: its fields by number, as docs/etrace.md's schema has them."""

    def __init__(self, offset, payload):
        self.offset, self.payload, self.fields = offset, payload, {}
        at = 0
        while at < len(payload):
            tag, at = varint(payload, at)
            if tag & 7 == 0:
                value, at = varint(payload, at)
            else:
                size, at = (4, at) if tag & 7 == 5 else varint(payload, at)
                value, at = payload[at:at + size], at + size
            self.fields[tag >> 3] = value
        self.kind, self.number = self.fields[3], self.fields.get(4, 0)
        zigzag = self.fields.get(1, 0)
        self.ticks = zigzag >> 1 ^ -(zigzag & 1)

    def names(self, text):
        return self.kind == NAME_REGISTERED and self.fields[6] == text.encode()


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift, at = shift + 7, at + 1
        if data[at - 1] < 0x80:
            return value, at


def frames(data):
    """Of a sound stream; a length is one byte, being under 128."""
    at, found = 0, []
    while at < len(data):
        found.append(Frame(at, data[at + 1:at + 1 + data[at]]))
        at += 1 + data[at]
    return found


class Span:
    def __init__(self, row):
        self.name, self.type = row["name"], row["type"]
        self.start_us, self.end_us = float(row["start_us"]), float(row["end_us"])
        self.start, self.end = ticks(self.start_us), ticks(self.end_us)
        self.priority, self.deadline = int(row["priority"]), row["deadline_us"]
        self.interrupted = row["interrupted"] == "1"
        self.index = None  # among those of its name, by start
        self.preempters = []  # directly, not those nested in them

    def missed(self):
        return self.deadline != "" and self.end_us > float(self.deadline)

    def response(self):
        return self.end - self.start

    def execution(self):
        return self.response() - sum(p.response() for p in self.preempters)


def ticks(us):
    return round(us * HZ / 1e6)


def nest(spans):
    """Gives each span its index, and each one that preempts to the one below it."""
    seen, stack = Counter(), []
    for span in sorted(spans, key=lambda s: (s.start, -s.end)):
        span.index = seen[span.name]
        seen[span.name] += 1
        while stack and stack[-1].end <= span.start:
            stack.pop()
        if stack:
            assert span.end <= stack[-1].end, "spans on one core overlap"
            assert span.priority > stack[-1].priority, (span.name, stack[-1].name)
            stack[-1].preempters.append(span)
        stack.append(span)


class Recording:
    """A file, and what `stave decode` makes of it."""

    def __init__(self, tools, path):
        self.path, self.data = path, path.read_bytes()
        self.stats = json.loads(must(tools.stave, "decode", path, "--stats", "json"))
        self.table = must(tools.stave, "decode", path)
        text = must(tools.stave, "decode", path, "--csv", "-")
        self.rows = list(csv.DictReader(text.splitlines()))
        self.spans = [Span(row) for row in self.rows if row["type"] in ("task", "isr")]
        self.marks = [row for row in self.rows if row["type"] == "marker"]
        self.gaps = [row for row in self.rows if row["type"] == "gap"]

    def of(self, name):
        return sorted((s for s in self.spans if s.name == name), key=lambda s: s.start)

    def marks_of(self, name):
        return [m for m in self.marks if m["name"] == name]

    def values(self, name):
        return [m["value"] for m in self.marks_of(name)]

    def value(self, name):
        (value,) = self.values(name)
        return int(value)
