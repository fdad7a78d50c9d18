#!/usr/bin/env python3
"""Writes the golden files that the library reads but never writes, and their texts (README.md).

    make_odd.py FOLDER

Run by hand when the format changes. The encoder here says itself what each column and header looks like,
so that it can write what is odd; read_stave.py gives the texts, and unit.golden compares the library.
"""

import pathlib
import struct
import sys

import read_stave as rs

PLAIN, DELTA, FROM_END = 0, 1, 2
SAME, VARINT, FIXED, BYTES = 0, 1, 2, 3


def varint(value, size=0):
    """A varint; of `size` bytes where it is given, which is overlong."""
    out = bytearray()
    while value >= 128 or len(out) + 1 < size:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def zigzag(value):
    value &= rs.M64
    return value << 1 & rs.M64 ^ (rs.M64 if value >> 63 else 0)


def column(number, values, transform=PLAIN, mode=VARINT, ends=None, size=0):
    count, front = len(values), b""
    if transform == DELTA:
        values = [zigzag(v - w) for v, w in zip(values, [0] + list(values))]
        front, values = varint(values[0]), values[1:]
    elif transform == FROM_END:
        values = [zigzag(end - v) for v, end in zip(values, ends)]
    values = [v & rs.M64 for v in values]
    if mode == SAME:
        data = varint(values[0], size)
    elif mode == VARINT:
        data = b"".join(varint(v, size) for v in values)
    else:
        data = struct.pack("<%dQ" % len(values), *values)
    return raw_column(number, transform << 4 | mode, count, front + data)


def raw_column(number, how, count, data):
    return bytes([number, how]) + varint(count) + varint(len(data)) + data


def block(kind, rows, body, version=1, **fields):
    """A whole block. `broken_header`, `broken_body`: its checksum is wrong."""
    h = {name: 0 for name, _, _ in rs.FIELDS}
    h.update(version=version, kind=kind, rows=rows, size=len(body), raw_size=len(body),
             body_crc=rs.crc32c(body))
    broken_header, broken_body = fields.pop("broken_header", 0), fields.pop("broken_body", 0)
    reserved = fields.pop("reserved", 0)
    h.update(fields)
    head = bytearray(b"STVB" + bytes(92))
    head[7] = reserved
    for name, place, size in rs.FIELDS:
        head[place:place + size] = (h[name] & (1 << 8 * size) - 1).to_bytes(size, "little")
    head += struct.pack("<I", rs.crc32c(head) ^ broken_header)
    if broken_body:
        body = bytes([body[0] ^ 1]) + body[1:]
    return bytes(head) + body


def strings(texts, first=0, more=b"", **fields):
    texts = [text.encode() for text in texts]
    body = (column(0, [len(text) for text in texts]) +
            raw_column(1, BYTES, sum(map(len, texts)), b"".join(texts)) + more)
    return block(rs.STRINGS, len(texts), body, first=first, **fields)


def table(kind, rows, first=0, more=b"", **fields):
    """`rows`: tuples of the table's columns."""
    forms = [form for _, form in rs.TABLES[kind]]
    body = b""
    for number, (form, values) in enumerate(zip(forms, zip(*rows))):
        if form == "f64":
            values = [struct.unpack("<Q", struct.pack("<d", value))[0] for value in values]
        elif form == "f32":
            values = [struct.unpack("<I", struct.pack("<f", value))[0] for value in values]
        body += column(number, [value & rs.M64 for value in values])
    return block(kind, len(rows), body + more, first=first, **fields)


def lanes(names, first=0, priority=0, more=b""):
    return table(rs.LANES, [(name, 0, priority, 0, 0, 0, 0) for name in names], first, more)


def boots(count, ended=1):
    return (table(rs.BOOTS, [(0, 100 if ended else 0, ended, 0)] * count) +
            table(rs.ANCHORS, [(boot, 0, 0, 1e6, 0, 0) for boot in range(count)]))


def rows_block(kind, values, body, lane=0, boot=0, opens=(), **fields):
    """`values`: {column: values}, for the header; `body` holds the bytes of them."""
    busy, longest, name, deepest = rs.File.summary(values)
    says = dict(lane=lane, boot=boot, columns=sum(1 << number for number in values),
                first=min(values[0]), last=max(values.get(3, values[0])), first_order=values[1][0], open_count=len(opens), busy=busy, longest=longest,
                longest_name=name, deepest=deepest)
    if opens:
        for i in range(3):
            body += column(32 + i, [span[i] for span in opens])
    says.update(fields)
    return block(kind, len(values[0]), body, **says)


def spans(rows, order=1, more=b"", **fields):
    """`rows`: (start, end, serial, name)."""
    columns = {0: [r[0] for r in rows], 1: [order + i for i in range(len(rows))], 2: [0] * len(rows),
               3: [r[1] for r in rows], 4: [r[2] for r in rows], 6: [r[3] for r in rows]}
    body = (column(3, columns[3]) + column(0, columns[0], FROM_END, VARINT, columns[3]) +
            b"".join(column(number, columns[number]) for number in (1, 2, 4, 6)))
    return rows_block(0, columns, body + more, **fields)


def whole(blocks, more=b"", says=None, broken=0):
    """A file with an index. `says`: {block: {field: value}}, what the index has instead."""
    data, offsets, blocks = head(), [], split(blocks)
    for each in blocks:
        offsets.append(len(data))
        data += each
    headers = [rs.header_at(data, offset) for offset in offsets]
    for number, fields in (says or {}).items():
        headers[number].update(fields)
    body = column(0, offsets, DELTA)
    for number, (name, _, _) in enumerate(rs.FIELDS):
        body += column(1 + number, [h[name] for h in headers], DELTA)
    index = block(rs.INDEX, len(blocks), body + more, broken_body=broken)
    foot = struct.pack("<QQ", len(data), len(blocks))
    return data + index + foot + struct.pack("<I", rs.crc32c(foot)) + b"STVX"


def split(blocks):
    """Blocks one by one: what boots() gives are two."""
    out = []
    for data in blocks:
        while data:
            size = rs.BLOCK_HEAD + int.from_bytes(data[8:12], "little")
            out.append(data[:size])
            data = data[size:]
    return out


def head(version=1):
    start = b"\x89STV\r\n\x1a\n" + struct.pack("<I", version)
    return start + struct.pack("<I", rs.crc32c(start))


# ---- the files -----------------------------------------------------------------------------------

TABLES = [strings(["", "lane", "a", "b", "c"]), lanes([1, 1]), boots(1)]


def newer():
    """A later version's blocks, kinds and columns among known ones."""
    later = raw_column(50, 0x99, 7, b"what")
    columns = {0: [1], 1: [2], 2: [0], 5: [3], 6: [2]}
    body = b"".join(column(number, values) for number, values in columns.items())
    body += column(13, [77]) + later
    return whole([
        strings(["", "lane", "a"], more=raw_column(2, 0x31, 9, b"???")),
        block(33, 12345678, b"\xff" * 40, version=2, raw_size=1, codec=9, lane=99),
        lanes([1], more=later),
        boots(1), block(9, 4, b"rows of a later kind", lane=5), block(61, 1, b""),
        table(rs.PLACES, [(2, 1, 0, 7)], more=later),
        rows_block(4, columns, body, columns=sum(1 << n for n in columns) | 1 << 13, reserved=5),
        spans([(10, 20, 1, 2)], order=3, more=later),
        block(rs.INDEX, 3, b"an index in the midst", version=2),
    ], more=raw_column(20, 0x20, 9, b"later"))


def told_again():
    """Rows of tables told again: the later ones hold. A text stays what it was."""
    return whole([
        strings(["", "lane", "old", "key"]),
        table(rs.PROCESSES, [(2, 1), (2, 2)]), lanes([1, 1, 1]), boots(2, ended=0),
        table(rs.PROPERTIES, [(3, 0, 5)]), table(rs.PLACES, [(2, 3, 1, 10), (2, 3, 1, 20)]),
        spans([(100, 200, 1, 2)]),
        strings(["new", "more"], first=2), strings(["only more", "last"], first=3),
        table(rs.PROCESSES, [(4, 22), (2, 3)], first=1),
        lanes([4], first=1, priority=9),
        table(rs.BOOTS, [(500, 600, 1, 1)], first=1),
        table(rs.ANCHORS, [(0, 50, 60, 2e6, 7, 1), (0, 150, 170, 0, 0, 2)]),
        table(rs.ANCHORS, [(0, 120, 120, 3e6, 0, 2), (1, 0, 0, 0, 9, 0), (1, -5, 1, 1, 0, 1)]),
        table(rs.PROPERTIES, [(3, rs.TEXT, 4), (1, 0, 6)]),
        table(rs.PLACES, [(4, 3, 2, 21), (2, 1, 1, 30)], first=1),
        spans([(100, 201, 2, 2)], order=2),
    ])


def odd_columns():
    """Columns as the library would not write them, though it may."""
    values = [5, 6, 7, 300, rs.M64, 1]
    columns = {0: [-3, 2, 2, 9, 9, 10], 1: [7, 7, 8, 9, 9, 9], 2: [2, 8194, 2, 2050, 2, 4098], 3: None,
               4: values, 6: [2, 3, 4, 2, 2, 0], 7: [0] * 6, 8: [0] * 6, 9: [1, 0, 1, 0, 1, 0]}
    columns[3] = [start + 3 for start in columns[0]]
    body = (column(8, columns[8], PLAIN, SAME) + column(9, columns[9], DELTA, FIXED) +
            column(7, columns[7], DELTA, SAME, size=10) + column(6, columns[6], DELTA, VARINT, size=3) +
            column(2, columns[2], DELTA, FIXED) + column(1, columns[1], PLAIN, FIXED) +
            column(3, columns[3], PLAIN, VARINT) + column(4, columns[4], FROM_END, FIXED, columns[3]) +
            column(0, columns[0], FROM_END, SAME, columns[3], size=2))
    marks = {0: [4], 1: [11], 2: [0], 4: [1], 5: [0], 6: [3]}
    marks_body = b"".join(column(n, v, DELTA, FIXED) for n, v in reversed(marks.items()))
    return whole(TABLES + [rows_block(0, columns, body),
                                           rows_block(1, marks, marks_body)])


def damaged():
    """An index, and a block whose body is not what its checksum says, the last of its lane."""
    return whole(TABLES + [spans([(0, 5, 1, 2)], begun=1),
                           spans([(6, 8, 3, 3), (5, 9, 2, 3)], order=2, begun=3, broken_body=1,
                                 opens=[(4, 9, 2)]),
                           spans([(0, 50, 1, 4)], order=4, lane=1)])


def damaged_names():
    """No index; tables lost, whole blocks lost, junk between blocks, and a lane that nobody told."""
    return b"".join([
        head(), strings(["", "lane", "a"]), strings(["b", "c"], first=3, broken_body=1),
        strings(["d"], first=5, broken_header=1), b"junk STVB junk", strings(["e"], first=6),
        lanes([1, 3]), boots(1), spans([(0, 5, 1, 2), (6, 9, 2, 5), (9, 12, 3, 6)]),
        spans([(1, 2, 1, 4), (3, 4, 2, 99)], order=4, lane=3),
        table(rs.LANES, [(77, 0, 0, 0, 0, 0, 0)], first=4),
        table(rs.PLACES, [(2, 1, 77, 5), (5, 88, 1, 6)]), table(rs.PLACES, [(2, 2, 2, 2)], first=2, broken_body=1),
        table(rs.PLACES, [(99, 3, 0, 7)], first=4), bytes(60)])


def cut():
    """A recording that ended in the midst of a block, with spans and a boot that nobody ended."""
    return b"".join(
        [head()] + TABLES[:2] + [boots(1, ended=0)] +
        [spans([(3, 4, 3, 3)], begun=3, opens=[(1, 0, 2), (2, 2, 3)]),
         spans([(7, 9, 1, 2)], order=2, lane=1, begun=1),
         spans([(6, 11, 4, 4)], order=3, begun=4, opens=[(1, 0, 2), (2, 2, 3), (5, 12, 4)]),
         spans([(12, 14, 5, 4)], order=4, begun=5, opens=[(1, 0, 2), (2, 2, 3)])])[:-3]


def settled():
    """Rows whose lane was another one at last: the index knows."""
    blocks = TABLES + [spans([(0, 5, 1, 2)]), spans([(6, 7, 2, 2)], order=2)]
    return whole(blocks, says={4: {"lane": 1}})


def index_damaged():
    """The index is not sound, the blocks are."""
    return whole(TABLES + [spans([(0, 5, 1, 2)])], broken=1)


def index_lies():
    """The index says of two blocks what they do not say of themselves."""
    return whole(TABLES + [spans([(0, 5, 1, 2)]), spans([(6, 7, 2, 2)], order=2),
                           spans([(8, 9, 3, 2)], order=3)],
                 says={4: {"busy": 4}, 5: {"first_order": 1}})


def newer_file():
    """A later version of the whole."""
    return head(version=2) + b"who knows"


FILES = {"newer": newer, "told-again": told_again, "odd-columns": odd_columns, "damaged": damaged,
         "damaged-names": damaged_names, "cut": cut, "settled": settled,
         "index-damaged": index_damaged, "index-lies": index_lies, "newer-file": newer_file}


def main(folder):
    for name, make in FILES.items():
        data = make()
        (folder / (name + ".stave")).write_bytes(data)
        try:
            text = rs.text_of(data)
        except rs.NotStave:
            text = "refused\n"
        (folder / (name + ".txt")).write_text(text)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
