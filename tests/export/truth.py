"""What is in a .stave file, told by another reader (golden/read_stave.py) and nested here, by time."""

import math
import os
import struct
import sys
from collections import defaultdict
from fractions import Fraction

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden"))
import read_stave  # noqa: E402
from spans import NO_SOURCE, Span  # noqa: E402

NS_MAX = (1 << 62) - 1
SPANS, MARKS, GAPS, DOUBTS, COUNTERS, CUMULATIVES, ATTRIBUTES, LINKS = range(8)
HAS_VALUE, RESTART, UNFINISHED, FAILED, ATTACHED = 1 << 1, 1 << 3, 1 << 4, 1 << 5, 1 << 10
SIGNED, REAL, TEXT, BOOL = 1 << 11, 1 << 12, 1 << 13, 1 << 14
INTERRUPTED = 1 << 0
WORDS = {FAILED: "failed", INTERRUPTED: "interrupted", UNFINISHED: "unfinished", 1 << 6: "unwound",
         1 << 7: "overlap", 1 << 8: "uncertain", 1 << 9: "truncated", 1 << 2: "saturated"}
KINDS = ["task", "interrupt", "device", "thread", "core", "process"]


def text_of(data):
    """Each byte that is no UTF-8 is U+FFFD."""
    text = data.decode("utf-8", "surrogateescape")
    return "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text)


class Lane:
    def __init__(self, index, row, file, several):
        self.index, self.kind, self.priority, self.number = index, row["kind"], row["priority"], row["number"]
        self.name = text_of(file.strings[row["name"]])
        self.process = self.process_number = None
        if row["process"]:
            process = file.tables[read_stave.PROCESSES][row["process"] - 1]
            self.process, self.process_number = text_of(file.strings[process["name"]]), process["number"]
        self.process_index = row["process"]
        self.deadline_us = float(row["deadline_ms"]) * 1000 if row["has_deadline"] else math.inf
        self.shown = self.name or KINDS[self.kind]
        self.label = (self.process + ": " if several and self.process is not None else "") + self.shown
        if self.number:
            self.label += " (%d)" % self.number


class Moment:
    def __init__(self, lane, kind, time, end, name, value, serial):
        self.lane, self.kind, self.time, self.end = lane, kind, time, end
        self.name, self.value, self.serial = name, value, serial

    def label(self):
        if self.kind in (MARKS, COUNTERS):
            return self.name
        text = "gap: %d lost" % self.value if self.kind == GAPS else "times in doubt"
        return text + (" (%s)" % self.name if self.name else "")


def read(data):
    return read_stave.File(data, checks=False)


def find_sources(file):
    """{name: (file, line)} of the names of which one place is known, and no other."""
    places = defaultdict(set)
    for row in file.tables[read_stave.PLACES]:
        places[row["name"]].add((file.strings[row["file"]] if row["file"] else None, row["line"]))
    alone = {name: next(iter(found)) for name, found in places.items() if name and len(found) == 1}
    return {name: (text_of(path), line) for name, (path, line) in alone.items() if path is not None}


def find_functions(file):
    """{name: what it is in}; in several, the first by its bytes."""
    functions = defaultdict(list)
    for row in file.tables[read_stave.PLACES]:
        functions[row["name"]].append(file.strings[row["function"]] if row["function"] else b"")
    return {name: text_of(min(found)) for name, found in functions.items()}


class Truth:
    """`window`: (from, to) in us on the trace's time line; `lane_counts`, `name_counts`: of texts."""

    def __init__(self, file, depth=None, window=None, least=0, lane_counts=None, name_counts=None):
        self.file = file
        self.depth, self.least = depth, least
        self.name_counts = name_counts or (lambda name: True)
        self.is_part = bool(window or least or lane_counts or name_counts)
        several = len(self.file.tables[read_stave.PROCESSES]) > 1
        self.lanes = [Lane(i, row, self.file, several) for i, row in enumerate(self.file.tables[read_stave.LANES])]
        self.blocks = defaultdict(list)
        for h, rows, _ in self.file.blocks:
            if rows is not None:
                self.blocks[h["lane"], h["kind"]].append((h, rows))
        self.find_start()
        self.make_lines()
        self.window = (0, NS_MAX)
        if window:
            self.window = tuple(max(0, min(NS_MAX, self.from_us(us))) for us in window)
        self.sources, self.functions = find_sources(file), find_functions(file)
        self.spans, self.entries, self.moments, self.links = [], [], [], []
        self.identity = {}
        for lane in self.lanes:
            if lane_counts is None or lane_counts(lane.name):
                self.read_lane(lane)
            else:
                self.read_moments(lane, {}, (GAPS, DOUBTS))  # what was lost is told all the same
        self.find_links()

    # ---- times ----

    def us(self, boot, tick):
        anchors = self.file.anchors[boot]
        at = max([0] + [i for i, anchor in enumerate(anchors) if i and anchor["tick"] <= tick])
        return self.us_by(boot, at, tick)

    def us_by(self, boot, at, tick):
        anchor = self.file.anchors[boot][at]
        ticks = tick - anchor["tick"]
        us = Fraction(ticks, 1000) if anchor["hz"] == 0 else ticks * 10**6 / Fraction(anchor["hz"])
        us += Fraction(anchor["us"]) + Fraction(self.file.tables[read_stave.BOOTS][boot]["offset_us"])
        if at > 0:  # a clock that was put back stands still until it is there again
            us = max(us, self.us_by(boot, at - 1, anchor["tick"]))
        return us

    def make_lines(self):
        """Of each anchor: from which tick on, and ns = max(floor, (slope * tick + base) / under) there, in whole numbers."""
        self.lines = []
        for boot, anchors in enumerate(self.file.anchors):
            lines = []
            for at, anchor in enumerate(anchors):
                rate = Fraction(1) if anchor["hz"] == 0 else 10**9 / Fraction(anchor["hz"])
                offset = Fraction(anchor["us"]) + Fraction(self.file.tables[read_stave.BOOTS][boot]["offset_us"]) - self.start
                base = offset * 1000 - rate * anchor["tick"] + Fraction(1, 2)
                under = rate.denominator * base.denominator
                floor = -math.inf
                if at > 0:
                    floor = math.floor((self.us_by(boot, at - 1, anchor["tick"]) - self.start) * 1000 + Fraction(1, 2))
                lines.append((anchor["tick"], int(rate * under), int(base * under), under, floor))
            self.lines.append(lines)

    def find_start(self):
        firsts = [self.us(h["boot"], read_stave.signed(h["first"]))
                  for h, rows, _ in self.file.blocks if rows is not None and h["rows"]]
        self.start = min(firsts, default=Fraction(0))

    def from_us(self, us):
        return 0 if us == -math.inf else NS_MAX if us == math.inf else math.floor((Fraction(us) - self.start) * 1000)

    def ns(self, boot, tick):
        lines = self.lines[boot]
        line = lines[0]
        for other in lines[1:]:
            if other[0] > tick:
                break
            line = other
        _, slope, base, under, floor = line
        return max(0, min(NS_MAX, max((slope * tick + base) // under, floor)))

    def epoch(self):
        """Nanoseconds since 1970 at time 0; None: not known."""
        for boot, anchors in enumerate(self.file.anchors):
            for anchor in anchors:
                if anchor["realtime_ns"] > 0:
                    ns = (self.us(boot, anchor["tick"]) - self.start) * 1000
                    return anchor["realtime_ns"] - math.floor(ns)
        return None

    # ---- rows ----

    def value(self, flags, value):
        if flags & TEXT:
            return text_of(self.file.strings[value])
        if flags & REAL:
            return struct.unpack("<d", struct.pack("<Q", value))[0]
        if flags & SIGNED:
            return read_stave.signed(value)
        return value != 0 if flags & BOOL else value

    def rows_of(self, lane, kind):
        for h, rows in self.blocks[lane.index, kind]:
            for i in range(len(rows[0])):
                row = {read_stave.COLUMNS[n]: rows[n][i] for n in rows}
                for name in ("name", "depth", "other", "other_lane", "value", "serial"):
                    row.setdefault(name, 0)
                row["boot"] = h["boot"]
                yield row

    def clip(self, start, end):
        """The part in the window, and where it was cut; None: none of it is."""
        if start > self.window[1] or end < self.window[0]:
            return None
        cut = {"cut at the start"} if start < self.window[0] else set()
        cut |= {"cut at the end"} if end > self.window[1] else set()
        return max(start, self.window[0]), min(end, self.window[1]), cut

    def missed(self, lane, row):
        """When a deadline was missed; None: it was not."""
        if row["flags"] & (INTERRUPTED | UNFINISHED):
            return None
        if row["flags"] & HAS_VALUE:
            due = read_stave.signed(row["value"])
            return self.ns(row["boot"], due) if row["end"] > due else None
        us = self.us(row["boot"], row["end"]) - self.us(row["boot"], row["start"])
        if us <= lane.deadline_us:
            return None
        return self.ns(row["boot"], row["start"]) + round(lane.deadline_us * 1000)

    def read_lane(self, lane):
        spans = []
        for row in self.rows_of(lane, SPANS):
            start, end = self.ns(row["boot"], row["start"]), self.ns(row["boot"], row["end"])
            clipped = self.clip(start, end)
            if end - start < self.least or clipped is None:
                continue
            name = text_of(self.file.strings[row["name"]]) if row["name"] else lane.name
            span = Span(lane, name, clipped[0], clipped[1])
            span.serial, span.row_depth, span.flags = row["serial"], row["depth"], row["flags"]
            span.source = self.sources.get(row["name"], NO_SOURCE)
            span.function = self.functions[row["name"]] if row["name"] in self.sources else ""
            span.missed, span.attached = self.missed(lane, row), None
            flags = row["flags"] | (1 << 2 if end >= NS_MAX else 0)
            span.doubts = {word for flag, word in WORDS.items() if flags & flag} | clipped[2]
            span.doubts |= {"deadline missed"} if span.missed is not None else set()
            if row["flags"] & ATTACHED:
                span.attached = row["other_lane"], row["other"]
            span.attributes, span.marks, span.deeper = {}, [], 0
            spans.append(span)
        spans = self.nest(lane, spans)
        self.spans += spans
        by_serial = {span.serial: span for span in spans if not span.deeper}
        self.identity.update(((lane.index, serial), span) for serial, span in by_serial.items())
        self.read_details(lane, by_serial)
        self.read_entries(lane, by_serial)
        self.read_moments(lane, by_serial)

    def read_details(self, lane, by_serial):
        rows = sorted(self.rows_of(lane, ATTRIBUTES), key=lambda row: (self.us(row["boot"], row["start"])))
        for row in rows:
            if row["serial"] in by_serial:
                key = text_of(self.file.strings[row["name"]]) if row["name"] else lane.name
                by_serial[row["serial"]].attributes[key] = self.value(row["flags"], row["value"])

    def read_entries(self, lane, by_serial):
        known, entries = {}, []
        for row in self.rows_of(lane, CUMULATIVES):
            name = text_of(self.file.strings[row["name"]])
            first, last = (self.ns(row["boot"], row[end]) for end in ("start", "end"))
            if row["total"] < self.least or first > self.window[1] or last < self.window[0]:
                continue
            in_span = row["serial"] in by_serial and not name.startswith("homeless")
            if not in_span and not self.name_counts(name):
                continue
            first, last, cut = self.clip(first, last)
            total = min(row["total"], last - first) if cut else row["total"]  # it took no longer in there
            entry = Span(lane, name, 0, total)
            entry.source = self.sources.get(row["name"], NO_SOURCE)
            entry.doubts = {"uncertain"} if cut else set()
            entry.calls, entry.serial, entry.deeper = row["value"], row["serial"], 0
            entry.about = {"calls": row["value"], "min": row["least"], "max": row["most"], "first": first, "last": last}
            entry.around = row["other_lane"]
            known[row["serial"], row["other"]] = entry
            entries.append(entry)
        self.entries += entries
        for entry in entries:
            short_enough = entry.doubts and entry.name == "homeless long"  # in the window
            if short_enough or not entry.name.startswith("homeless"):
                around = known.get((entry.serial, entry.around)) if entry.around else by_serial.get(entry.serial)
                entry.parent = around

    def read_moments(self, lane, by_serial, kinds=(MARKS, GAPS, DOUBTS, COUNTERS)):
        for kind in kinds:
            for row in self.rows_of(lane, kind):
                start = self.ns(row["boot"], row["start"])
                end = self.ns(row["boot"], row["end"]) if "end" in row else start
                clipped = self.clip(start, end)
                name = text_of(self.file.strings[row["name"]])
                value = self.value(row["flags"], row["value"]) if row["flags"] & HAS_VALUE or kind != MARKS else None
                if kind in (MARKS, COUNTERS):
                    name = "restart" if row["flags"] & RESTART else name if row["name"] else lane.name
                if clipped is None or kind in (MARKS, COUNTERS) and not self.name_counts(name):
                    continue
                moment = Moment(lane, kind, clipped[0], clipped[1], name, value, row["serial"])
                self.moments.append(moment)
                if kind == MARKS and row["serial"] in by_serial:
                    by_serial[row["serial"]].marks.append(moment)

    def find_links(self):
        """(from, to, what) of spans that are there."""
        for lane in self.lanes:
            for row in self.rows_of(lane, LINKS):
                self.add_link((lane.index, row["serial"]), (row["other_lane"], row["other"]),
                              "dependency" if row["value"] == 1 else "context")
        for span in self.spans:
            if not span.deeper and span.attached:
                self.add_link(span.attached, (span.lane.index, span.serial), "child")

    def add_link(self, a, b, what):
        if a in self.identity and b in self.identity:
            self.links.append((self.identity[a], self.identity[b], what))

    # ---- nesting ----

    def nest(self, lane, spans):
        """Those that nest on track 0; what overlaps them side by side on as few others as do."""
        spans.sort(key=lambda s: (s.start, -s.end, s.row_depth, s.serial))
        stack, nested, apart, deeper = [], [], [], None
        for span in spans:
            while stack and self.is_over(stack[-1], span):
                stack.pop()
                deeper = None
            if not stack and not self.name_counts(span.name):
                continue
            if stack and span.end > stack[-1].end:
                if self.name_counts(span.name):
                    apart.append(span)
                continue
            if self.depth is not None and len(stack) == self.depth:
                deeper = self.add_deeper(lane, stack, nested, deeper, span)
                continue
            deeper = None
            span.parent = stack[-1] if stack else None
            stack.append(span)
            nested.append(span)
        free = []  # when each track is
        for span in sorted(apart, key=lambda s: (s.start, -s.end, s.serial)):
            track = min(range(len(free)), key=lambda i: (free[i], i), default=None)
            if track is None or free[track] > span.start:
                track = len(free)
                free.append(0)
            free[track], span.track = span.end, track + 1
        last = {}
        for span in nested + apart:
            last[span.track] = max(last.get(span.track, 0), span.start)
        for span in nested + apart:  # what comes behind tells that it had ended
            span.open = "unfinished" in span.doubts and last[span.track] < span.end
        return nested + apart

    @staticmethod
    def is_over(top, span):
        """What has no length may stand at the end of what is around it, if it says so."""
        if top.end != span.start:
            return top.end < span.start
        return span.end != span.start or span.row_depth <= top.row_depth

    @staticmethod
    def add_deeper(lane, stack, nested, deeper, span):
        if deeper is None or span.start >= deeper.end:
            deeper = Span(lane, "", span.start, span.end, stack[-1])
            deeper.deeper, deeper.serial, deeper.attached = 0, 0, None
            deeper.doubts, deeper.missed, deeper.attributes, deeper.marks = set(), None, {}, []
            deeper.flags = 0
            nested.append(deeper)
        deeper.end = max(deeper.end, span.end)
        deeper.deeper += 1
        deeper.calls = deeper.deeper
        deeper.name = "(%d deeper)" % deeper.deeper
        return deeper

    # ---- sums ----

    def all(self):
        return self.spans + self.entries
