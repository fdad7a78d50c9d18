#!/usr/bin/env python3
"""Reads .stave files and prints all that is in them, a line for each row (README.md).

    read_stave.py FILE...

Written from docs/format.md alone, so that the document is known to suffice. It also checks what a reader
may take on trust: the index against the blocks, the summaries, which spans were open. Exits 0, 1 when a
file contradicts itself, 2 when it is no .stave file that this can read.
"""

import os
import shutil
import struct
import subprocess
import sys

FILE_HEAD, BLOCK_HEAD, FOOT = 16, 100, 24
BODY_MAX, ROWS_MAX, OPEN_MAX, STRING_MAX, TABLE_ROWS = 32 << 20, 65536, 262144, 16 << 20, 65536
M64 = (1 << 64) - 1
U32_MAX = (1 << 32) - 1

# name, place, bytes
FIELDS = [("version", 4, 1), ("kind", 5, 1), ("codec", 6, 1), ("size", 8, 4), ("raw_size", 12, 4),
          ("rows", 16, 4), ("columns", 20, 4), ("lane", 24, 4), ("boot", 28, 4), ("first", 32, 8),
          ("last", 40, 8), ("first_order", 48, 8), ("begun", 56, 8), ("open_count", 64, 4),
          ("deepest", 68, 4), ("busy", 72, 8), ("longest", 80, 8), ("longest_name", 88, 4),
          ("body_crc", 92, 4)]

COLUMNS = ["start", "order", "flags", "end", "serial", "value", "name", "depth", "other",
           "other_lane", "total", "least", "most"]
COLUMN_MAX = {2: 0xffff, 6: U32_MAX, 7: U32_MAX, 9: U32_MAX}

# name, columns it always has, columns it may have
KINDS = [("spans", {0, 1, 2, 3, 4}, {5, 6, 7, 8, 9}), ("marks", {0, 1, 2, 5, 6}, {4}),
         ("gaps", {0, 1, 2, 3, 5}, {6}), ("doubts", {0, 1, 2, 3, 5}, set()),
         ("counters", {0, 1, 2, 5, 6}, set()),
         ("cumulatives", {0, 1, 2, 3, 4, 5, 6, 10, 11, 12}, {7, 8, 9}),
         ("attributes", {0, 1, 2, 4, 5, 6}, set()), ("links", {0, 1, 2, 4, 5, 8, 9}, set())]
LOST = (1 << 32) - 1  # the name of a lane that is named when all is read
TEXT, REAL, ATTACHED, UNFINISHED = 1 << 13, 1 << 12, 1 << 10, 1 << 4
UNFINISHED_COLUMNS = 0, 1, 2, 3, 4, 6, 7, 8, 9

STRINGS, LANES, PROCESSES, BOOTS, ANCHORS, MODULES, PROPERTIES, PLACES, INDEX = 32, 33, 34, 35, 36, 37, 38, 39, 63
RULES, DEPENDENCIES, SESSIONS, SUMMARIES = 40, 41, 42, 43
MADE_UP = STRINGS, LANES, BOOTS, PLACES  # tables whose rows are made up where they were lost

# of each table's columns: name, type (bits; f: a real number of that size; s: signed; b: 0 or 1)
TABLES = {
    LANES: [("name", "32"), ("kind", "32"), ("priority", "32"), ("has_deadline", "b"),
            ("deadline_ms", "f32"), ("process", "32"), ("number", "64")],
    PROCESSES: [("name", "32"), ("number", "64")],
    BOOTS: [("offset_us", "f64"), ("end_us", "f64"), ("ended", "b"), ("rate_assumed", "b")],
    ANCHORS: [("boot", "32"), ("tick", "s64"), ("us", "f64"), ("hz", "f64"), ("realtime_ns", "s64"),
              ("index", "32")],
    MODULES: [("path", "32"), ("build_id", "32"), ("process", "32"), ("boot", "32"),
              ("address", "64"), ("size", "64"), ("loaded", "s64"), ("unloaded", "s64")],
    PROPERTIES: [("key", "32"), ("flags", "16"), ("value", "64")],
    PLACES: [("name", "32"), ("file", "32"), ("function", "32"), ("line", "32")],
    RULES: [("name", "32"), ("id", "32"), ("role", "32"), ("has_parent", "b"), ("parent", "32")],
    DEPENDENCIES: [("rule", "32"), ("depends_on", "32")],
    SESSIONS: [("number", "64"), ("boot", "32"), ("start", "s64"), ("stop", "s64"), ("lane", "32"),
               ("given_up", "64"), ("dropped", "64")],
    SUMMARIES: [("session", "64"), ("rule", "32"), ("calls", "64"), ("failed", "64"), ("skipped", "64"),
                ("cached", "64"), ("cancelled", "64"), ("timed_out", "64"), ("total", "64"),
                ("self", "64"), ("first", "64"), ("least", "64"), ("most", "64")],
}


class NotStave(Exception):
    """The file cannot be read at all."""


class Unpackable(Exception):
    """A block is packed, and this machine has nothing to unpack it."""


class Damage(Exception):
    """A block is not sound."""


class Contradiction(Exception):
    """What a block says of its rows is not so."""


def sure(true, what, kind=Damage):
    if not true:
        raise kind(what)


# ---- bytes ---------------------------------------------------------------------------------------

CRC_TABLE = []
for entry in range(256):
    for _ in range(8):
        entry = entry >> 1 ^ (0x82f63b78 if entry & 1 else 0)
    CRC_TABLE.append(entry)


def crc32c(data):
    crc, table = 0xffffffff, CRC_TABLE
    for byte in data:
        crc = crc >> 8 ^ table[(crc ^ byte) & 255]
    return crc ^ 0xffffffff


def varint(data, at):
    value = shift = 0
    while True:
        sure(at < len(data) and shift < 64, "a varint that does not end")
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            sure(value <= M64, "a varint beyond 64 bits")
            return value, at


def unzigzag(value):
    return value >> 1 ^ -(value & 1)


def signed(value):
    return value - (1 << 64) if value >> 63 else value


def columns_of(body):
    """(number, transform, mode, count, bytes) of each column of a body."""
    at = 0
    while at < len(body):
        sure(len(body) - at >= 2, "a column that is cut")
        number, how = body[at], body[at + 1]
        count, at = varint(body, at + 2)
        size, at = varint(body, at)
        sure(size <= len(body) - at and count <= U32_MAX, "a column that is cut")
        yield number, how >> 4, how & 15, count, body[at:at + size]
        at += size


def column_values(column, ends=None):
    """The values of a column, each 0 to 2^64 - 1."""
    _, transform, mode, count, data = column
    sure(count <= OPEN_MAX and transform <= 2 and mode <= 2, "a column of an unknown form")
    values, at = [], 0
    if transform == 1 and count > 0:
        value, at = varint(data, at)
        values.append(value)
    rest = count - len(values)
    if mode == 0:
        value = 0
        if at < len(data):
            value, at = varint(data, at)
        values += [value] * rest
    elif mode == 1:
        for _ in range(rest):
            value, at = varint(data, at)
            values.append(value)
    else:
        sure(len(data) - at == 8 * rest, "a column of another size")
        values += struct.unpack_from("<%dQ" % rest, data, at)
        at = len(data)
    sure(at == len(data), "bytes behind a column")
    if transform == 1:
        total = 0
        for i, value in enumerate(values):
            total = values[i] = total + unzigzag(value) & M64
    elif transform == 2:
        sure(ends is not None, "no ends to count from")
        values = [end - unzigzag(value) & M64 for value, end in zip(values, ends)]
    return values


def header_at(data, at):
    """The header of the block at an offset, or None."""
    head = data[at:at + BLOCK_HEAD]
    if len(head) < BLOCK_HEAD or head[:4] != b"STVB":
        return None
    if int.from_bytes(head[96:], "little") != crc32c(head[:96]):
        return None
    header = {name: int.from_bytes(head[place:place + size], "little")
              for name, place, size in FIELDS}
    return header if header["version"] > 0 and header["size"] <= BODY_MAX else None


def unpack_zstd(body, raw_size):
    try:
        import zstandard
        raw = zstandard.ZstdDecompressor().decompress(body, max_output_size=raw_size)
    except ImportError:
        if shutil.which("zstd") is None:
            raise Unpackable("packed; reading it needs the module zstandard or the command zstd")
        raw = subprocess.run(["zstd", "-dcq"], input=body, capture_output=True, check=False).stdout
    sure(len(raw) == raw_size, "zstd data not sound")
    return raw


def is_sane(h):
    return (h["rows"] <= ROWS_MAX and h["raw_size"] <= BODY_MAX and h["open_count"] <= OPEN_MAX and
            h["raw_size"] <= 256 * h["size"] and (h["codec"] or h["raw_size"] == h["size"]))


# ---- a file --------------------------------------------------------------------------------------

class File:
    """All that is in the bytes of a file. `checks`: what a reader may take on trust is looked at too."""

    def __init__(self, data, checks=True):
        self.data = data
        self.checks = checks
        self.strings = [b""]
        self.tables = {kind: [] for kind in TABLES}
        self.anchors = []  # of each boot
        self.blocks = []   # of rows: (offset, header), later with their rows
        self.unknown = []
        self.damages = []  # (offset, size, rows)
        self.cut = 0
        self.table_rows = 0
        self.packed = False
        self.check_head()
        found = self.indexed_blocks()
        self.indexed = found is not None
        for offset, header in found if self.indexed else self.scanned_blocks():
            self.take(offset, header)
        self.lost_name = None
        if self.damages:
            self.lost_name = self.string_id(b"(lost name)")
        for lane in self.tables[LANES]:
            if lane["name"] == LOST:
                lane["name"] = self.string_id(b"(lost lane)")
        self.read_rows()
        self.end_spans()
        self.end_boots()

    def check_head(self):
        head = self.data[:FILE_HEAD]
        sure(len(head) == FILE_HEAD and head[:8] == b"\x89STV\r\n\x1a\n" and
             struct.unpack("<I", head[12:])[0] == crc32c(head[:12]), "not a .stave file", NotStave)
        version = struct.unpack("<I", head[8:12])[0]
        sure(version == 1, "version %d of the format; this reads 1" % version, NotStave)

    def string_id(self, text):
        if text not in self.strings:
            self.strings.append(text)
        return self.strings.index(text)

    # ---- where the blocks are ----

    def foot_at(self, at):
        foot = self.data[at:at + FOOT]
        if len(foot) != FOOT or foot[20:] != b"STVX":
            return None
        offset, blocks, crc = struct.unpack("<QQI", foot[:20])
        return (offset, blocks) if crc == crc32c(foot[:16]) else None

    def indexed_blocks(self):
        """What the index says, or None when there is no sound one."""
        foot_at = len(self.data) - FOOT
        foot = self.foot_at(foot_at) if foot_at >= FILE_HEAD else None
        if foot is None or foot[0] > foot_at:
            return None
        at, rows = foot[0], []
        while at < foot_at:
            h = header_at(self.data, at)
            if h is None or h["version"] != 1 or h["kind"] != INDEX or h["codec"] or h["rows"] == 0:
                return None
            try:
                body, columns = self.body(at, h), {}
                for column in columns_of(body):
                    if column[0] <= len(FIELDS):
                        sure(column[0] not in columns and column[3] == h["rows"], "a column twice")
                        columns[column[0]] = column_values(column)
                sure(len(columns) == 1 + len(FIELDS), "a column that is not there")
            except Damage:
                return None
            for i in range(h["rows"]):
                header = {field[0]: columns[1 + f][i] for f, field in enumerate(FIELDS)}
                rows.append((columns[0][i], header))
            at += BLOCK_HEAD + h["size"]
        end = FILE_HEAD
        for offset, header in rows:
            if offset != end or header["size"] > BODY_MAX or header["version"] == 0:
                return None
            end += BLOCK_HEAD + header["size"]
        return rows if at == foot_at and len(rows) == foot[1] and end == foot[0] else None

    def scanned_blocks(self):
        """The blocks from the file's head on, past what is damaged."""
        at, size = FILE_HEAD, len(self.data)

        def whole(at):
            h = header_at(self.data, at)
            return h if h is not None and h["size"] <= size - at - BLOCK_HEAD else None

        while at < size:
            header = whole(at)
            if header is not None:
                yield at, header
                at += BLOCK_HEAD + header["size"]
            elif self.foot_at(at) is not None and size - at == FOOT:
                return
            else:
                next_at = self.data.find(b"STVB", at + 1)
                while next_at >= 0 and whole(next_at) is None:
                    next_at = self.data.find(b"STVB", next_at + 1)
                if next_at < 0:
                    self.cut = size - at
                    return
                self.damages.append((at, next_at - at, 0))
                at = next_at

    # ---- blocks ----

    def body(self, offset, header):
        """The unpacked body of a block, its checksums and its header checked."""
        own = header_at(self.data, offset)
        sure(own is not None and own["size"] == header["size"], "another block")
        sure(is_sane(own), "a block beyond the limits")
        data = self.data[offset + BLOCK_HEAD:offset + BLOCK_HEAD + own["size"]]
        sure(len(data) == own["size"] and crc32c(data) == own["body_crc"], "a wrong checksum")
        lane_may_differ = own["kind"] < len(KINDS)
        sure(all(own[f] == header[f] for f, _, _ in FIELDS if f != "lane" or not lane_may_differ),
             "not the block that the index names")
        sure(own["codec"] <= 1, "a block is packed in a way that this does not know", NotStave)
        return unpack_zstd(data, own["raw_size"]) if own["codec"] == 1 else data

    def take(self, offset, h):
        if h["kind"] == INDEX:
            return
        if h["version"] == 1 and h["kind"] < len(KINDS):
            self.take_rows(offset, h)
        elif h["version"] == 1 and (h["kind"] == STRINGS or h["kind"] in TABLES):
            try:
                self.take_table(offset, h)
            except Damage:
                self.damage(offset, h)
                if (h["kind"] in MADE_UP and h["first"] <= len(self.known(h["kind"])) and
                        h["rows"] <= ROWS_MAX and self.has_room()):
                    self.make_up(h["kind"], h["first"] + h["rows"])
        else:
            self.unknown.append((offset, h))

    def damage(self, offset, h):
        rows = h["rows"] if h["kind"] < 32 else 0
        self.damages.append((offset, BLOCK_HEAD + h["size"], rows))

    def make_up(self, kind, count):
        """Stands rows in for those that were lost below a number."""
        if kind == STRINGS:
            self.strings += [b"(lost name)"] * (count - len(self.strings))
        while kind == LANES and len(self.tables[LANES]) < count:
            self.tables[LANES].append({"name": LOST, "kind": 3, "priority": 0,
                                       "has_deadline": 0, "deadline_ms": 0,
                                       "process": 0, "number": 0})
        while kind == BOOTS and len(self.tables[BOOTS]) < count:
            self.tables[BOOTS].append({"offset_us": 0.0, "end_us": 0.0, "ended": 0,
                                       "rate_assumed": 1})
            self.anchors.append([{"tick": 0, "us": 0.0, "hz": 0.0, "realtime_ns": 0}])
        while kind == PLACES and len(self.tables[PLACES]) < count:
            self.tables[PLACES].append({"name": 0, "file": 0, "function": 0, "line": 0})

    # ---- tables ----

    def has_room(self):
        """Nobody's file has more rows of tables: no memory is had by a number in a file."""
        return self.table_rows <= len(self.data) + TABLE_ROWS

    def known(self, kind):
        return self.strings if kind == STRINGS else self.tables[kind]

    def take_table(self, offset, h):
        kind = h["kind"]
        sure(is_sane(h), "a block beyond the limits")
        self.table_rows += h["rows"]
        sure(self.has_room(), "more rows than a file can have")
        sure(h["codec"] == 0, "a table that is packed")
        body = self.body(offset, h)
        known = self.known(kind)
        lost = h["first"] - len(known)
        if self.damages and kind in MADE_UP and 0 < lost <= TABLE_ROWS:
            self.table_rows += lost
            if self.has_room():
                self.make_up(kind, h["first"])
        sure(h["rows"] > 0 and h["first"] <= (U32_MAX if kind == ANCHORS else len(known)), "rows that do not follow")
        if kind == STRINGS:
            self.take_strings(h, body)
            return
        columns = {}
        for column in columns_of(body):
            if column[0] < len(TABLES[kind]):
                sure(column[0] not in columns and column[3] == h["rows"], "a column twice")
                columns[column[0]] = column_values(column)
        sure(len(columns) == len(TABLES[kind]), "a column that is not there")
        rows = [{} for _ in range(h["rows"])]
        for number, (name, form) in enumerate(TABLES[kind]):
            for row, value in zip(rows, columns[number]):
                row[name] = self.field(form, value)
        for i, row in enumerate(rows):
            self.take_row(kind, h["first"] + i, row)

    def take_strings(self, h, body):
        columns = list(columns_of(body))[:2]
        sure([c[0] for c in columns] == [0, 1] and columns[0][3] == h["rows"], "no texts")
        sizes, (_, form, mode, count, texts) = column_values(columns[0]), columns[1]
        sure(form == 0 and mode == 3 and count == len(texts) == sum(sizes) and max(sizes) <= STRING_MAX, "texts")
        at = 0
        for i, size in enumerate(sizes):
            if h["first"] + i >= len(self.strings):
                self.strings.append(texts[at:at + size])
            at += size

    @staticmethod
    def field(form, value):
        if form == "64":
            return value
        if form == "s64":
            return signed(value)
        if form == "f64":
            return struct.unpack("<d", struct.pack("<Q", value))[0]
        sure(value < {"b": 2, "16": 1 << 16}.get(form, 1 << 32), "a number beyond its width")
        return struct.unpack("<f", struct.pack("<I", value))[0] if form == "f32" else value

    def settle(self, kind, row):
        """After damage: what refers to lost rows refers to none, or to rows that are made up."""
        strings = len(self.strings)
        for name in ("path", "build_id", "key", "name", "file", "function"):
            if row.get(name, 0) >= strings:
                row[name] = LOST if kind == LANES else 0
        if row.get("process", 0) > len(self.tables[PROCESSES]):
            row["process"] = 0
        if kind == PROPERTIES and row["flags"] & TEXT and row["value"] >= strings:
            row["value"] = 0
        if row.get("lane", 0) > len(self.tables[LANES]):
            row["lane"] = 0
        self.settle_rules(row)
        if row.get("boot", TABLE_ROWS) < TABLE_ROWS:
            self.make_up(BOOTS, row["boot"] + 1)

    def settle_rules(self, row):
        """What is said of a rule without its name, or of one without its id, is said of none."""
        strings = len(self.strings)
        if row.get("id", 0) >= strings:
            row["id"] = row["name"] = 0
        if row.get("parent", 0) >= strings:
            row["has_parent"] = row["parent"] = 0
        if row.get("depends_on", 0) >= strings:
            row["rule"] = row["depends_on"] = 0
        if row.get("rule", 0) >= strings:
            row["rule"] = 0

    def take_row(self, kind, number, row):
        """One row of a table: a new one, or in place of one that is there."""
        if self.damages:
            self.settle(kind, row)
        strings, processes = len(self.strings), len(self.tables[PROCESSES])
        boots = len(self.tables[BOOTS])
        sure((row.get("name", 0) < strings or self.damages and row["name"] == LOST) and row.get("process", 0) <= processes and
             all(row.get(name, 0) < strings for name in ("path", "build_id", "file", "function")) and
             row.get("key", 0) < strings and row.get("boot", -1) < boots, "no such row")
        for name, value in row.items():
            sure(not name.endswith("_us") and name != "us" or abs(value) <= 1e100, "no time")
        sure(all(row.get(name, 0) < strings for name in ("id", "parent", "rule", "depends_on")) and
             row.get("lane", 0) <= len(self.tables[LANES]), "no such row")
        if kind == PROPERTIES:
            sure(not row["flags"] & TEXT or row["value"] < strings, "no such text")
        if kind == ANCHORS:
            anchors, i = self.anchors[row["boot"]], row["index"]
            sure((row["hz"] == 0 or 1e-6 <= row["hz"] <= 1e15) and i <= len(anchors) and
                 (i > 0 or row["tick"] == 0) and
                 (i < 2 or row["tick"] > anchors[i - 1]["tick"]), "no anchor")
            anchors[i:] = [row]
            return
        table = self.tables[kind]
        if kind == BOOTS and number == len(table):
            self.make_up(BOOTS, number + 1)
        table[number:number + 1] = [row]

    # ---- rows ----

    def take_rows(self, offset, h):
        _, has, may = KINDS[h["kind"]]
        mask = {i for i in range(len(COLUMNS)) if h["columns"] >> i & 1}
        sound = (is_sane(h) and (h["rows"] > 0 or h["kind"] == 0 and h["open_count"] > 0) and has <= mask <= has | may and
                 (h["kind"] == 0 or h["open_count"] == 0) and signed(h["first"]) <= signed(h["last"]))
        if sound and self.damages and max(h["lane"], h["boot"]) < TABLE_ROWS:
            self.make_up(LANES, h["lane"] + 1)
            self.make_up(BOOTS, h["boot"] + 1)
        if not sound or h["lane"] >= len(self.tables[LANES]) or h["boot"] >= len(self.tables[BOOTS]):
            self.damage(offset, h)
            return
        self.packed |= h["codec"] != 0
        h = dict(h, shown_name=h["longest_name"] if h["longest_name"] < len(self.strings) else 0)
        self.blocks.append((offset, h))

    def decode(self, h, body):
        """{column: values} and [(serial, start, name)] of a block of rows."""
        rows, opens, ends = {}, {}, None
        for column in columns_of(body):
            number, count = column[0], column[3]
            if number < len(COLUMNS):
                sure(h["columns"] >> number & 1 and number not in rows and count == h["rows"],
                     "a column that should not be")
                rows[number] = values = column_values(column, ends)
                sure(max(values, default=0) <= COLUMN_MAX.get(number, M64), "a number beyond its width")
                ends = values if number == 3 else ends
            elif 32 <= number <= 37:
                sure(number not in opens and count == h["open_count"], "open spans twice")
                opens[number] = column_values(column)
        sure(set(rows) == {i for i in range(len(COLUMNS)) if h["columns"] >> i & 1} and
             len(opens) in ((3, 6) if h["open_count"] else (0,)) and
             set(opens) <= set(range(32, 32 + len(opens))), "a column that is not there")
        for number in (0, 3):
            if number in rows:
                rows[number] = [signed(value) for value in rows[number]]
        sure(max(opens.get(34, []) + opens.get(37, []), default=0) < 1 << 32 and
             max(opens.get(35, []), default=0) < 1 << 16, "a number beyond its width")
        none = [0] * h["open_count"]
        opens = list(zip(opens.get(32, []), map(signed, opens.get(33, [])), opens.get(34, []),
                         *(opens.get(number, none) for number in (35, 36, 37))))
        self.check_rows(h, rows)
        return rows, self.settle_names(h, rows, opens)

    def check_rows(self, h, rows):
        order = h["first_order"]
        for start, end, now in zip(rows[0], rows.get(3, rows[0]), rows[1]):
            sure(signed(h["first"]) <= start <= end <= signed(h["last"]) and order <= now,
                 "times that contradict the block's own")
            order = now

    def settle_names(self, h, rows, opens):
        """Rows may refer to what is there only, or where names were lost to the one that stands for them."""
        def settled(name):
            if name < len(self.strings):
                return name
            sure(self.lost_name is not None, "no such text")
            return self.lost_name

        if 6 in rows:
            rows[6] = [settled(name) for name in rows[6]]
        if 5 in rows:
            rows[5] = [settled(value) if flags & TEXT else value
                       for value, flags in zip(rows[5], rows[2])]
        if KINDS[h["kind"]][0] != "cumulatives":
            sure(max(rows.get(9, []), default=0) < len(self.tables[LANES]), "no such lane")
        sure(max((o[5] for o in opens), default=0) < len(self.tables[LANES]), "no such lane")
        return [(serial, start, settled(name), *rest) for serial, start, name, *rest in opens]

    def read_rows(self):
        kept, before = [], {}
        for offset, h in self.blocks:
            try:
                rows, opens = self.decode(h, self.body(offset, h))
            except Damage:
                self.damage(offset, h)
                kept.append((h, None, []))
                continue
            if self.checks:
                self.check_summary(h, rows)
                if h["kind"] == 0 and not self.damages:
                    self.check_open(h, rows, opens, before)
            kept.append((h, rows, opens))
        self.blocks = kept
        for offset, h in self.unknown:
            data = self.data[offset + BLOCK_HEAD:offset + BLOCK_HEAD + h["size"]]
            if header_at(self.data, offset) != h or crc32c(data) != h["body_crc"]:
                self.damage(offset, h)

    # ---- what a block says of its rows ----

    @staticmethod
    def summary(rows):
        busy = longest = at = 0
        low = 1 << 63
        for i in reversed(range(len(rows[0]) if 3 in rows else 0)):
            start, end = rows[0][i], rows[3][i]
            if end - start >= longest:
                longest, at = end - start, i
            if start < low:
                busy += min(end, low) - start
                low = start
        name = rows[6][at] if rows.get(6) else 0
        return busy, longest, name, max(rows.get(7, []), default=0)

    def check_summary(self, h, rows):
        says = (h["busy"], h["longest"], h["longest_name"], h["deepest"])
        sure(says == self.summary(rows) or self.lost_name is not None, "a wrong summary", Contradiction)
        sure(h["first_order"] == (rows[1] or [0])[0], "a wrong first_order", Contradiction)

    @staticmethod
    def check_open(h, rows, opens, before):
        """The spans that were open when the block before ended, ended in this one, or are still open."""
        serials = [o[0] for o in opens]
        sure(serials == sorted(set(serials)), "open spans out of order", Contradiction)
        here = {serial: (start, name) for serial, start, name in
                zip(rows[4], rows[0], rows.get(6, [0] * h["rows"]))}
        sure(len(here) == h["rows"], "a serial twice", Contradiction)
        sure(not set(here) & set(serials), "a span that ended and is open", Contradiction)
        here.update({serial: (start, name) for serial, start, name, *_ in opens})
        was_open, was_begun = before.get((h["lane"], h["boot"]), ([], 0))
        sure(h["begun"] >= was_begun, "begun goes back", Contradiction)
        for serial, start, name, *_ in was_open:
            sure(serial <= h["begun"] and here.get(serial) == (start, name),
                 "an open span is forgotten", Contradiction)
        left = {serial for serial, *_ in was_open}
        for serial in here:
            sure(serial > h["begun"] or serial in left or serial > was_begun,
                 "a span that was not open before", Contradiction)
        before[h["lane"], h["boot"]] = opens, h["begun"]

    # ---- what nobody ended ----

    def end_spans(self):
        left, last = {}, {}
        for h, _, opens in self.blocks:
            key = h["lane"], h["boot"]
            last[key] = max(last.get(key, -1 << 63), signed(h["last"]))
            if h["kind"] == 0:
                left[key] = opens
        order = 1 << 63
        for (lane, boot), opens in sorted(left.items()):
            rows, end = {i: [] for i in UNFINISHED_COLUMNS}, last[lane, boot]
            for depth, (serial, start, name, flags, other, other_lane) in reversed(list(enumerate(opens))):
                end = max(end, start)
                for number, value in zip(UNFINISHED_COLUMNS, (start, order, flags | UNFINISHED, end, serial,
                                                              name, depth, other, other_lane)):
                    rows[number].append(value)
                order += 1
            # as blocks of at most so many rows as their maker likes: 16, 64, 256, 1024 ...
            at, room = 0, 16
            while at < len(opens):
                part = {number: values[at:at + room] for number, values in rows.items()}
                busy, longest, name, deepest = self.summary(part)
                h = {"kind": 0, "lane": lane, "boot": boot, "rows": len(part[0]),
                     "first": min(part[0]) & M64, "last": max(part[3]) & M64, "begun": opens[-1][0],
                     "busy": busy, "longest": longest, "longest_name": name, "deepest": deepest}
                self.blocks.append((h, part, []))
                at += room
                room = min(room * 4, 1024)

    def end_boots(self):
        for number, boot in enumerate(self.tables[BOOTS]):
            if not boot["ended"]:
                boot["end_us"] = max([boot["offset_us"]] +
                                     [self.us(number, signed(h["last"]))
                                      for h, _, _ in self.blocks if h["boot"] == number])
                boot["ended"] = 1

    def us(self, boot, tick):
        """A tick in microseconds on the trace's time line."""
        anchors = self.anchors[boot]
        anchor = anchors[0]
        for other in anchors[1:]:
            if other["tick"] > tick:
                break
            anchor = other
        ticks = float(tick - anchor["tick"])
        us = ticks / 1000.0 if anchor["hz"] == 0 else ticks * 1000000.0 / anchor["hz"]
        return anchor["us"] + us + self.tables[BOOTS][boot]["offset_us"]


# ---- text ----------------------------------------------------------------------------------------

def number_text(value):
    return "%.17g" % value if isinstance(value, float) else str(value)


def fields_text(row, names):
    return "".join(" %s=%s" % (name, number_text(row[name])) for name in names)


def string_text(text):
    return "".join(chr(b) if 32 <= b < 127 and b not in b'"\\' else "\\x%02x" % b for b in text)


def table_lines(file):
    for i, text in enumerate(file.strings):
        yield 'string %d "%s"' % (i, string_text(text))
    for i, row in enumerate(file.tables[PROCESSES]):
        yield "process %d" % i + fields_text(row, ["name", "number"])
    for i, row in enumerate(file.tables[LANES]):
        deadline = "%.9g" % row["deadline_ms"] if row["has_deadline"] else "-"
        yield ("lane %d" % i + fields_text(row, ["name", "kind", "priority"]) +
               " deadline_ms=" + deadline + fields_text(row, ["process", "number"]))
    for i, row in enumerate(file.tables[BOOTS]):
        yield "boot %d" % i + fields_text(row, ["offset_us", "end_us", "ended", "rate_assumed"])
        for n, anchor in enumerate(file.anchors[i]):
            yield "anchor %d %d" % (i, n) + fields_text(anchor, ["tick", "us", "hz", "realtime_ns"])
    for kind, name in ((MODULES, "module"), (PROPERTIES, "property"), (PLACES, "place"), (RULES, "rule"),
                       (DEPENDENCIES, "dependency"), (SESSIONS, "session"), (SUMMARIES, "summary")):
        for i, row in enumerate(file.tables[kind]):
            yield "%s %d" % (name, i) + fields_text(row, [field for field, _ in TABLES[kind]])


def block_lines(file, h, rows, opens):
    name, has, may = KINDS[h["kind"]]
    shown = dict(h, longest_name=h.get("shown_name", h["longest_name"]), first=signed(h["first"]), last=signed(h["last"]), open=len(opens))
    yield "block " + name + fields_text(shown, ["lane", "boot", "rows", "first", "last", "begun", "busy",
                                                "longest", "longest_name", "deepest", "open"])
    numbers = sorted(has | may)
    for i, start in enumerate(rows[0]):
        row = {COLUMNS[n]: rows[n][i] if n in rows else 0 for n in numbers}
        row["us"] = file.us(h["boot"], start)
        yield name[:-1] + fields_text(row, [COLUMNS[n] for n in numbers] + ["us"])
    for serial, start, name, *rest in opens:
        yield "open serial=%d start=%d name=%d" % (serial, start, name) + (
            " flags=%d other=%d other_lane=%d" % tuple(rest) if any(rest) else "")


def lines(file):
    yield "file unknown=%d cut=%d indexed=%d packed=%d" % (
        len(file.unknown), file.cut, file.indexed, file.packed)
    yield from table_lines(file)
    for h, rows, opens in file.blocks:
        if rows is not None and h["rows"] > 0:
            yield from block_lines(file, h, rows, opens)
    for damage in sorted(file.damages):
        yield "damage offset=%d size=%d rows=%d" % damage


def text_of(data, checks=True):
    return "".join(line + "\n" for line in lines(File(data, checks)))


def main(paths):
    status = 0
    for path in paths:
        try:
            with open(path, "rb") as stream:
                sys.stdout.write(text_of(stream.read()))
        except (Contradiction, NotStave, Unpackable, OSError) as error:
            print("%s: %s" % (path, error), file=sys.stderr)
            status = max(status, 1 if isinstance(error, Contradiction) else 2)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
