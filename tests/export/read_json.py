"""The formats that are JSON, each read to spans as its viewers read it (../../docs/export.md names their rules)."""

import json
from collections import defaultdict
from decimal import Decimal

from spans import Span, Wrong, sure


def load(data):
    """Strictly: no key twice, no NaN, UTF-8, nothing raw below 0x20."""
    def pairs(items):
        result = dict(items)
        sure(len(result) == len(items), "a key twice in %r" % (sorted(key for key, _ in items),))
        return result

    def constant(word):
        raise Wrong(word + " is no JSON")

    return json.loads(data.decode("utf-8"), object_pairs_hook=pairs, parse_float=Decimal, parse_constant=constant)


# ---- speedscope ----------------------------------------------------------------------------------

class Speedscope:
    """`profiles`: (name, start, end, spans) each; `frames`: (name, file, line)."""

    def __init__(self, data):
        file = load(data)
        sure(file["$schema"] == "https://www.speedscope.app/file-format-schema.json", "another schema")
        self.frames = file["shared"]["frames"]
        for frame in self.frames:
            sure(isinstance(frame["name"], str), "a frame without a name")
            sure(set(frame) <= {"name", "file", "line"} and frame.get("line", 1) > 0, "no frame: %r" % frame)
        self.frames = [(frame["name"], frame.get("file"), frame.get("line", 0)) for frame in self.frames]
        sure(len(set(self.frames)) == len(self.frames), "two frames for one (name, file, line)")
        sure(file["profiles"], "no profile")
        self.name = file["name"]
        self.profiles = [self.profile(row) for row in file["profiles"]]

    def profile(self, row):
        sure(row["type"] == "evented" and row["unit"] == "nanoseconds", "not an evented profile in ns")
        sure(0 <= row["startValue"] < row["endValue"], "a profile of no length")
        spans, stack, before = [], [], row["startValue"]
        for event in row["events"]:
            at, frame = event["at"], event["frame"]
            sure(type(at) is int and before <= at <= row["endValue"], "a time that goes back, or is outside")
            sure(0 <= frame < len(self.frames), "no such frame")
            before = at
            if event["type"] == "O":
                name, *source = self.frames[frame]
                span = Span(row["name"], name, at, None, stack[-1][0] if stack else None)
                span.source = tuple(source)
                stack.append((span, frame))
                sure(len(stack) <= 2000, "too deep")
                spans.append(span)
            else:
                sure(event["type"] == "C" and stack and stack[-1][1] == frame, "closes what is not on top")
                stack.pop()[0].end = at
        sure(not stack, "left open")
        return row["name"], row["startValue"], row["endValue"], spans


# ---- Chrome --------------------------------------------------------------------------------------

def ns_of(us):
    """Microseconds with three decimals."""
    ns = Decimal(us) * 1000
    sure(ns == int(ns), "a part of a ns")
    return int(ns)


def length_of(event):
    """The ns of a duration."""
    ns = round(Decimal(event["dur"]) * 1000)
    sure(abs(Decimal(event["dur"]) * 1000 - ns) < Decimal("0.001"), "no whole ns")
    return ns


class Chrome:
    """`processes`, `threads`: {pid: name}, {(pid, tid): name}; `orders`: {(pid, tid): sort index};
    `instants`, `counters`: (pid, tid, ns, name, args); `flows`: {id: ([starts], [ends])}, each (pid, tid, ns, name)."""

    def __init__(self, data):
        file = load(data)
        self.metadata = file["metadata"]
        self.processes, self.threads, self.orders = {}, {}, {}
        self.instants, self.counters, self.spans = [], [], []
        self.flows = defaultdict(lambda: ([], []))
        self.complete, self.begun, self.pairs = [], [], defaultdict(list)
        for event in file["traceEvents"]:
            self.take(event)
        self.nest_complete()
        for events in self.pairs.values():
            self.nest_pairs(events)

    def take(self, event):
        where = event["pid"], event["tid"]
        for number in where:
            sure(type(number) is int and 0 < number < 1 << 31, "pid and tid are small numbers")
        kind, args = event["ph"], event.get("args", {})
        sure(isinstance(event["name"], str), "an event without a name")
        if kind == "M":
            self.take_metadata(where, event["name"], args)
            return
        time = ns_of(event["ts"])
        sure(time >= 0, "a time before the start")
        if kind == "X":
            self.complete.append(Span(where, event["name"], time, time + length_of(event), None, args))
            self.complete[-1].dur = float(event["dur"])
        elif kind == "B":
            self.complete.append(Span(where, event["name"], time, None, None, args))
        elif kind == "E":
            opened = [span for span in self.complete if span.lane == where and span.end is None]
            sure(opened and opened[-1].name == event["name"] and opened[-1].start <= time, "ends what is not open")
            opened[-1].end = time
        elif kind in "be":
            sure(isinstance(event["cat"], str) and isinstance(event["id"], str), "a pair without cat and id")
            self.pairs[event["cat"], event["id"], where].append((kind, time, event["name"], args))
        elif kind == "i":
            sure(event["s"] in ("t", "p"), "an instant of no scope")
            self.instants.append((*where, time, event["name"], args, event["s"]))
        elif kind == "C":
            sure(args and all(type(value) in (int, Decimal) for value in args.values()), "a counter without a number")
            self.counters.append((*where, time, event["name"], args))
        elif kind in "sf":
            sure(kind == "s" or event["bp"] == "e", "a flow that would end at the next slice")
            int(event["id"], 16)
            self.flows[event["cat"], event["id"]][kind == "f"].append((*where, time, event["name"]))
        else:
            raise Wrong("an event %r" % kind)

    def take_metadata(self, where, name, args):
        if name == "process_name":
            sure(where[0] not in self.processes, "a process named twice")
            self.processes[where[0]] = args["name"]
        elif name == "thread_name":
            sure(where not in self.threads, "a thread named twice")
            self.threads[where] = args["name"]
        elif name == "thread_sort_index":
            self.orders[where] = args["sort_index"]
        else:
            sure(name == "process_sort_index", "metadata %r" % name)

    def nest_complete(self):
        """By time; of equal times by the file's order. What is open ends with its thread."""
        last = defaultdict(int)
        for span in self.complete:
            last[span.lane] = max(last[span.lane], span.end or span.start)
        stacks, firsts = defaultdict(list), {}
        for span in sorted(self.complete, key=lambda s: s.start):
            span.open = span.end is None
            span.end = last[span.lane] if span.open else span.end
            stack = stacks[span.lane]
            while stack and (stack[-1].end < span.start or stack[-1].end == span.start < span.end):
                stack.pop()
            while stack and stack[-1].start == stack[-1].end:
                stack.pop()
            span.parent = stack[-1] if stack else None
            sure(not stack or span.end <= stack[-1].end, "spans overlap: %r, %r" % (span.key(), stack and stack[-1].key()))
            first = firsts.setdefault(span.lane, span.start / 1000)
            sure(not hasattr(span, "dur") or span.start / 1000 - first + span.dur == span.end / 1000 - first,
                 "ts and dur miss the end in doubles, as speedscope adds them")
            sure(len(stack) < 512, "deeper than Perfetto bears")
            stack.append(span)
            self.spans.append(span)

    def nest_pairs(self, events):
        stack = []
        for kind, time, name, args in events:
            if kind == "b":
                span = Span(events_lane(self, events), name, time, None, stack[-1] if stack else None, args)
                span.track, span.open = id(events), False
                stack.append(span)
                self.spans.append(span)
            else:
                sure(stack and stack[-1].name == name, "closes what is not open")
                stack.pop().end = time
        for span in stack:
            span.open = True
            span.end = span.start


def events_lane(chrome, events):
    return next(key[2] for key, value in chrome.pairs.items() if value is events)


# ---- OTLP ----------------------------------------------------------------------------------------

def any_value(value):
    sure(len(value) == 1, "not one value")
    kind, content = next(iter(value.items()))
    if kind == "intValue":
        sure(isinstance(content, str) and -(1 << 63) <= int(content) < 1 << 63, "no int64 as text")
        return int(content)
    if kind == "doubleValue":
        return float(content)  # a text where it is no number
    sure(kind in ("stringValue", "boolValue") and isinstance(content, str if kind == "stringValue" else bool), kind)
    return content


def attributes(rows):
    result = {}
    for row in rows:
        sure(set(row) == {"key", "value"} and row["key"] not in result, "an attribute twice: %r" % row["key"])
        result[row["key"]] = any_value(row["value"])
    return result


def hexadecimal(text, size):
    sure(len(text) == 2 * size and text == text.lower() and int(text, 16) != 0, "no id: %r" % text)
    return text


SPAN_KEYS = {"traceId", "spanId", "parentSpanId", "name", "kind", "startTimeUnixNano", "endTimeUnixNano", "attributes",
             "events", "links", "status"}


class Otlp:
    """Spans: `lane` is (process attributes' pid or None, thread.name); start and end since 1970. `is_part`: parents and links
    may be missing, as where a window was exported."""

    def __init__(self, data, is_part=False):
        self.is_part = is_part
        file = load(data)
        sure(set(file) == {"resourceSpans"}, "more than resourceSpans")
        self.resources, self.spans, self.by_id = [], [], {}
        for resource in file["resourceSpans"]:
            about = attributes(resource["resource"]["attributes"])
            sure(about["service.name"] is not None, "no service.name")
            self.resources.append(about)
            for scope in resource["scopeSpans"]:
                sure(scope["scope"]["name"] == "stave", "another scope")
                for row in scope["spans"]:
                    self.take(about, row)
        self.connect()

    def take(self, about, row):
        sure(set(row) <= SPAN_KEYS, "keys %r" % (set(row) - SPAN_KEYS,))
        args = attributes(row["attributes"])
        start, end = (row[key + "TimeUnixNano"] for key in ("start", "end"))
        sure(isinstance(start, str) and isinstance(end, str), "64 bits that are no text")
        span = Span((about.get("process.pid"), args["thread.name"]), row["name"], int(start), int(end), None, args)
        span.trace, span.id = hexadecimal(row["traceId"], 16), hexadecimal(row["spanId"], 8)
        span.parent_id = hexadecimal(row["parentSpanId"], 8) if "parentSpanId" in row else None
        span.status = row.get("status", {})
        span.events = [(int(e["timeUnixNano"]), e["name"], attributes(e.get("attributes", [])))
                       for e in row.get("events", [])]
        span.links = [(hexadecimal(link["traceId"], 16), hexadecimal(link["spanId"], 8), attributes(link["attributes"]))
                      for link in row.get("links", [])]
        span.source = args.pop("code.file.path", None), args.pop("code.line.number", 0)
        span.function = args.pop("code.function.name", "")
        sure(row["kind"] == 1, "not internal")
        sure(span.id not in self.by_id, "an id twice")
        self.by_id[span.id] = span
        self.spans.append(span)

    def connect(self):
        roots = {}
        for span in self.spans:
            if self.is_part and span.parent_id not in self.by_id:
                continue
            if span.parent_id is not None:
                sure(span.parent_id in self.by_id, "a parent that is not there")
                span.parent = self.by_id[span.parent_id]
                sure(span.parent.trace == span.trace, "a parent in another trace")
            else:
                sure(span.trace not in roots, "two roots in a trace")
                roots[span.trace] = span
            for trace, other, _ in span.links:
                sure(self.is_part or other in self.by_id and self.by_id[other].trace == trace, "a link to nowhere")
