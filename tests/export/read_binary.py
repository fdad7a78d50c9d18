"""The formats that are not JSON: Perfetto by protoc, folded stacks, pprof from its bytes."""

import gzip
import re
import subprocess
from collections import defaultdict

from spans import Span, sure

# ---- protoc's text -------------------------------------------------------------------------------

ESCAPES = {"n": 10, "r": 13, "t": 9, '"': 34, "'": 39, "\\": 92}


def unquote(text):
    """The text of protoc's quotes, which may not hold what is no UTF-8."""
    def byte(match):
        what = match.group(1)
        return bytes([ESCAPES[what] if what in ESCAPES else int(what, 8)]).decode("latin-1")

    return re.sub(r"\\([0-7]{3}|.)", byte, text[1:-1]).encode("latin-1").decode("utf-8")


def scalar(text):
    if text[0] == '"':
        return unquote(text)
    if text in ("true", "false"):
        return text == "true"
    if re.fullmatch(r"-?\d+", text):
        return int(text)
    return float(text)


def parse_text(lines):
    """[(field, value)...], a message's value such a list itself."""
    stack = [[]]
    for line in lines:
        line = line.strip()
        if line == "}":
            stack.pop()
        elif line.endswith(" {"):
            inner = []
            name = line[:-2]
            sure(not name.isdigit(), "a field that Perfetto does not know: " + name)
            stack[-1].append((name, inner))
            stack.append(inner)
        elif line:
            name, _, value = line.partition(": ")
            sure(not name.isdigit(), "a field that Perfetto does not know: " + name)
            stack[-1].append((name, scalar(value)))
    return stack[0]


def one(message, name, default=None):
    values = [value for field, value in message if field == name]
    sure(len(values) <= 1, name + " twice")
    return values[0] if values else default


def every(message, name):
    return [value for field, value in message if field == name]


# ---- Perfetto ------------------------------------------------------------------------------------

CLEARED, NEEDS_STATE = 1, 2
BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4
TABLES = ("event_names", "debug_annotation_names", "source_locations", "debug_annotation_string_values")


class Sequence:
    def __init__(self):
        self.cleared, self.track, self.clock = False, None, None
        self.texts = {table: {} for table in TABLES}

    def text(self, table, iid):
        sure(iid in self.texts[table], "%s %d comes later, or never" % (table, iid))
        return self.texts[table][iid]


def decode(data, proto_dir):
    """The text that protoc makes of a file; a field that the schema does not know is a bare number there."""
    done = subprocess.run(["protoc", "-I", proto_dir, "--decode=k.Trace", "perfetto_subset.proto"], input=data,
                          capture_output=True, check=False)
    sure(done.returncode == 0, "protoc: " + done.stderr.decode())
    text = done.stdout.decode("utf-8")
    sure(not re.search(r"^ *\d+( \{|:)", text, re.MULTILINE), "fields that Perfetto does not know")
    return text


class Perfetto:
    """`tracks`: {uuid: descriptor}; spans' `lane` is their track's uuid; `instants`: (uuid, ns, name, annotations); `counters`:
    (uuid, ns, value); `snapshot`: {clock: ns} or None."""

    def __init__(self, data, proto_dir):
        self.tracks, self.spans, self.instants, self.counters, self.snapshot = {}, [], [], [], None
        self.sequences = defaultdict(Sequence)
        self.stacks, self.last = defaultdict(list), {}
        for name, packet in parse_text(decode(data, proto_dir).split("\n")):
            sure(name == "packet", name)
            self.take(packet)
        for uuid, stack in self.stacks.items():
            for span in stack:
                span.open, span.end = True, self.last[uuid]
        for span in self.spans:
            sure(span.lane in self.tracks, "a track that is not described")
        for track in self.tracks.values():
            parent = one(track, "parent_uuid")
            sure(parent is None or parent in self.tracks, "a parent that is not described")

    def take(self, packet):
        snapshot = one(packet, "clock_snapshot")
        if snapshot is not None:
            self.snapshot = {one(clock, "clock_id"): one(clock, "timestamp") for clock in every(snapshot, "clocks")}
            return
        sequence_id, flags = one(packet, "trusted_packet_sequence_id", 0), one(packet, "sequence_flags", 0)
        sure(sequence_id > 0, "no sequence")
        sequence = self.sequences[sequence_id]
        if flags & CLEARED:
            self.sequences[sequence_id] = sequence = Sequence()
            sequence.cleared = True
        defaults = one(packet, "trace_packet_defaults")
        if defaults is not None:
            sequence.track = one(one(defaults, "track_event_defaults", []), "track_uuid")
            sequence.clock = one(defaults, "timestamp_clock_id")
            sure((sequence.clock is not None) == (self.snapshot is not None), "a clock that no snapshot tells of")
        self.take_interned(sequence, one(packet, "interned_data", []))
        descriptor = one(packet, "track_descriptor")
        if descriptor is not None:
            uuid = one(descriptor, "uuid")
            sure(uuid and uuid not in self.tracks, "a track described twice")
            self.tracks[uuid] = descriptor
        event = one(packet, "track_event")
        if event is not None:
            sure(flags & NEEDS_STATE and sequence.cleared, "needs state that it does not ask for")
            self.take_event(sequence, one(packet, "timestamp"), event)

    @staticmethod
    def take_interned(sequence, interned):
        for table, entry in interned:
            iid = one(entry, "iid")
            sure(iid and iid not in sequence.texts[table], "interned twice")
            sequence.texts[table][iid] = one(entry, "name", "") if table != "source_locations" else entry

    def annotations(self, sequence, event):
        result = []
        for row in every(event, "debug_annotations"):
            name = one(row, "name")
            if name is None:
                name = sequence.text("debug_annotation_names", one(row, "name_iid"))
            kind, value = next((field, value) for field, value in row if not field.startswith("name"))
            if kind == "string_value_iid":
                value = sequence.text("debug_annotation_string_values", value)
            result.append((name, value))
        return result

    def take_event(self, sequence, time, event):
        sure(time is not None and 0 <= time < 1 << 63, "an event without a time")
        uuid, kind = one(event, "track_uuid", sequence.track), one(event, "type")
        sure(uuid, "an event of no track")
        name = one(event, "name")
        if name is None and one(event, "name_iid") is not None:
            name = sequence.text("event_names", one(event, "name_iid"))
        if kind == COUNTER:
            value = one(event, "counter_value")
            value = one(event, "double_counter_value") if value is None else value
            sure(value is not None and one(event, "track_uuid"), "a counter without a value, or of no track")
            sure(uuid in self.tracks and one(self.tracks[uuid], "counter") is not None, "no counter's track")
            self.counters.append((uuid, time, value))
        elif kind == INSTANT:
            self.instants.append((uuid, time, name, self.annotations(sequence, event)))
        else:
            self.take_slice(sequence, uuid, time, kind, name, event)

    def take_slice(self, sequence, uuid, time, kind, name, event):
        sure(time >= self.last.get(uuid, 0), "slices of a track out of order")
        self.last[uuid] = time
        stack = self.stacks[uuid]
        if kind == END:
            sure(stack, "ends what has not begun")
            stack.pop().end = time
            return
        sure(kind == BEGIN and name is not None and len(stack) < 512, "no slice")
        span = Span(uuid, name, time, None, stack[-1] if stack else None, self.annotations(sequence, event))
        span.open = False
        location = one(event, "source_location_iid")
        if location is not None:
            location = sequence.text("source_locations", location)
            span.source = one(location, "file_name"), one(location, "line_number")
            span.function = one(location, "function_name") or ""
            sure(span.source[0], "a source without a file")
        span.flows_out, span.flows_in = every(event, "flow_ids"), every(event, "terminating_flow_ids")
        stack.append(span)
        self.spans.append(span)


# ---- folded --------------------------------------------------------------------------------------

def read_folded(data):
    """(names from the outermost on, self) of each line"""
    result = []
    text = data.decode("utf-8")
    sure(not text or text.endswith("\n"), "a line that does not end")
    for line in text.split("\n")[:-1]:
        match = re.fullmatch(r"(.*) (\d+)", line)
        sure(match is not None and not line.startswith("#"), "no line of stacks: %r" % line[:100])
        names = tuple(match.group(1).split(";"))
        sure(all(names) and int(match.group(2)) > 0, "an empty name, or nothing to count")
        sure(all(c >= " " and c not in "\u2028\u2029" for c in line), "a character that ends lines")
        result.append((names, int(match.group(2))))
    return result


# ---- pprof ---------------------------------------------------------------------------------------

def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    """(number, value) of a message: an integer, or bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        else:
            sure(key & 7 == 2, "a wire type that profile.proto has not")
            size, at = varint(data, at)
            value = data[at:at + size]
            sure(len(value) == size, "a message that is cut")
            at += size
        yield key >> 3, value


def packed(data):
    at = 0
    while at < len(data):
        value, at = varint(data, at)
        yield value


class Pprof:
    """`samples`: (frames from the outermost on, {type: value}, {label: text}) each, a frame (name, file, line)."""

    def __init__(self, data):
        parts = defaultdict(list)
        for number, value in fields(gzip.decompress(data)):
            parts[number].append(value)
        sure(set(parts) <= {1, 2, 4, 5, 6, 9, 10, 14}, "fields %r" % sorted(parts))
        self.strings = [text.decode("utf-8") for text in parts[6]]
        sure(self.strings and self.strings[0] == "", "string 0 is not the empty one")
        sure(len(set(self.strings)) == len(self.strings), "a string twice")
        types = [dict(fields(row)) for row in parts[1]]
        self.types = [(self.strings[row[1]], self.strings[row[2]]) for row in types]
        self.default = self.strings[parts[14][0]]
        self.time, self.duration = (parts[9] or [0])[0], (parts[10] or [0])[0]
        self.functions, self.locations = {}, {}
        for row in map(dict, map(fields, parts[5])):
            sure(row[1] > 0 and row[1] not in self.functions, "a function twice")
            self.functions[row[1]] = self.strings[row.get(2, 0)], self.strings[row.get(4, 0)] or None, row.get(5, 0)
        for row in map(dict, map(fields, parts[4])):
            sure(row[1] > 0 and row[1] not in self.locations, "a location twice")
            line = dict(fields(row[4]))
            self.locations[row[1]] = self.functions[line[1]]
            sure(line.get(2, 0) == self.locations[row[1]][2], "a location that is not where its function starts")
        self.samples = [self.sample(row) for row in parts[2]]

    def sample(self, data):
        rows = list(fields(data))
        places = [id for number, value in rows if number == 1 for id in packed(value)]
        values = [v for number, value in rows if number == 2 for v in packed(value)]
        sure(places and len(values) == len(self.types), "a sample without places, or without a value each")
        labels = {self.strings[label[1]]: self.strings[label[2]]
                  for label in (dict(fields(value)) for number, value in rows if number == 3)}
        frames = tuple(self.locations[place] for place in reversed(places))
        return frames, {kind: value for (kind, _), value in zip(self.types, values)}, labels
