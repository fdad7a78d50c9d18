#!/usr/bin/env python3
"""Tests of the .stave format that need its second reader, read_stave.py.

    check.py                        each golden file here reads to the text beside it, and the example
                                    in docs/format.md has the bytes of smallest.stave
    check.py --written MAKE_GOLDEN  the golden files are those that are written today
    check.py --generated PROGRAM    random traces that the library saved read to what it had in memory
    check.py --damaged MAKE_GOLDEN [FIRST_SEED COUNT]
                                    golden files, changed at random places with checksums that fit, read
                                    alike by the library and by read_stave.py
"""

import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # beside the sources
import make_odd
import read_stave

HERE = pathlib.Path(__file__).resolve().parent
FORMAT = HERE.parent.parent / "docs" / "format.md"
FIRST_SEED, SEEDS = 1, 80
EMULATOR = os.environ.get("STAVE_TEST_EMULATOR", "").split()  # of the machine that a PROGRAM is for


def text_of(path, checks=True):
    try:
        return read_stave.text_of(path.read_bytes(), checks)
    except read_stave.NotStave:
        return "refused\n"


def difference(is_text, should_be):
    """The first line that differs, or None."""
    if is_text == should_be:
        return None
    lines, expected = is_text.split("\n"), should_be.split("\n")
    for number, (line, other) in enumerate(zip(lines, expected), 1):
        if line != other:
            return "line %d is      %s\n    should be %s" % (number, line, other)
    return "%d lines, should be %d" % (len(lines), len(expected))


def read_golden():
    problems = []
    for path in sorted(HERE.glob("*.stave")):
        try:
            wrong = difference(text_of(path), path.with_suffix(".txt").read_text())
        except read_stave.Unpackable as error:
            print("%s: not read: %s" % (path.name, error))
            continue
        if wrong:
            problems.append("%s: %s" % (path.name, wrong))
    if example_bytes() != (HERE / "smallest.stave").read_bytes():
        problems.append("docs/format.md: the example is not smallest.stave")
    return problems


def example_bytes():
    """The bytes of the lines `OFFSET: XX XX ...` of the document."""
    data = bytearray()
    for offset, line in re.findall(r"^([0-9a-f]{3}):((?: [0-9a-f]{2})+)", FORMAT.read_text(), re.M):
        if int(offset, 16) != len(data):
            return None
        data += bytes.fromhex(line)
    return bytes(data)


def written(program):
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([*EMULATOR, program, folder], check=True)
        make_odd.main(pathlib.Path(folder))
        for path in sorted(pathlib.Path(folder).iterdir()):
            golden = HERE / path.name
            if path.name != "packed.stave" and path.read_bytes() != golden.read_bytes():
                problems.append("%s is written otherwise now" % path.name)
    return problems


def generated(program):
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([*EMULATOR, program, "--write", folder, str(FIRST_SEED), str(SEEDS)], check=True)
        for path in sorted(pathlib.Path(folder).glob("*.stave")):
            try:
                text = text_of(path).split("\n", 1)[1]  # the trace in memory has no file
            except read_stave.Unpackable:
                continue
            wrong = difference(text, path.with_suffix(".txt").read_text())
            if wrong:
                problems.append("the trace with seed %s: %s" % (path.stem, wrong))
    return problems


# ---- damage --------------------------------------------------------------------------------------

def blocks_of(data):
    """(offset, header) of the blocks at a file's front."""
    at, blocks = read_stave.FILE_HEAD, []
    while (header := read_stave.header_at(data, at)) is not None:
        behind = at + read_stave.BLOCK_HEAD + header["size"]
        if behind > len(data):
            break
        blocks.append((at, header))
        at = behind
    return blocks


def change_byte(dice, data, at, size):
    """Changes the block at an offset, its header or its body; mostly its checksums fit then."""
    body = at + read_stave.BLOCK_HEAD
    if size > 0 and dice.random() < 0.5:
        place = body + dice.randrange(size)
    else:
        place = at + dice.choice([4, 5, 6, *range(16, 92)])
    old = data[place]
    data[place] = dice.choice([0, 1, 2, 127, 128, 255, dice.randrange(256),
                               old ^ 1 << dice.randrange(8), old + 1 & 255, old - 1 & 255])
    if dice.random() < 0.95:
        data[at + 92:body - 4] = struct.pack("<I", read_stave.crc32c(data[body:body + size]))
        data[body - 4:body] = struct.pack("<I", read_stave.crc32c(data[at:body - 4]))


def move_blocks(dice, data, blocks):
    """Blocks that change places, are lost or come twice; no index."""
    parts = [data[at:at + read_stave.BLOCK_HEAD + h["size"]] for at, h in blocks if h["kind"] != 63]
    how = dice.randrange(3)
    if how == 0:
        dice.shuffle(parts)
    elif how == 1:
        parts.pop(dice.randrange(len(parts)))
    else:
        parts.insert(dice.randrange(len(parts)), dice.choice(parts))
    return data[:read_stave.FILE_HEAD] + b"".join(parts)


def damage(dice, data):
    blocks = blocks_of(data)
    if not blocks:
        return data
    data = bytearray(data)
    for _ in range(dice.randint(1, 4)):
        at, header = dice.choice(blocks)
        change_byte(dice, data, at, header["size"])
    if dice.random() < 0.2:
        return move_blocks(dice, data, blocks)
    if dice.random() < 0.7:  # else the index stays, and says what was there before
        data = data[:next((at for at, h in blocks if h["kind"] == 63), len(data))]
    if dice.random() < 0.1:
        data = data[:dice.randint(0, len(data))]
    return data


def unpacks(program, folder):
    """Whether the library was built with zstd."""
    packed = folder / "packed"
    packed.write_bytes((HERE / "packed.stave").read_bytes())
    subprocess.run([*EMULATOR, program, "--text", packed], check=True)
    return packed.with_suffix(".txt").read_text() != "refused\n"


def damaged(program, first_seed=1, count=500):
    problems, paths = [], []
    sources = [path.read_bytes() for path in sorted(HERE.glob("*.stave"))]
    with tempfile.TemporaryDirectory() as folder:
        can_unpack = unpacks(program, pathlib.Path(folder))
        for seed in range(int(first_seed), int(first_seed) + int(count)):
            dice = random.Random(seed)
            paths.append(pathlib.Path(folder) / str(seed))
            paths[-1].write_bytes(damage(dice, dice.choice(sources)))
        subprocess.run([*EMULATOR, program, "--text", *paths], check=True)
        for path in paths:
            try:
                text = text_of(path, checks=False)
            except read_stave.Unpackable:
                continue
            if not can_unpack and re.match(r"file .*packed=1", text):
                continue
            wrong = difference(text, path.with_suffix(".txt").read_text())
            if wrong:
                problems.append("golden file damaged by seed %s, in the second reader: %s" %
                                (path.name, wrong))
    return problems


def main(arguments):
    tests = {"--written": written, "--generated": generated, "--damaged": damaged}
    if len(arguments) >= 2 and arguments[0] in tests:
        problems = tests[arguments[0]](*arguments[1:])
    elif not arguments:
        problems = read_golden()
    else:
        sys.exit(__doc__)
    print("\n".join(problems) or "ok")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
