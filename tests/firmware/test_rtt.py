"""RTT in QEMU: what a reader takes out of the running machine's memory is what the UART has.

    test_rtt.py SOURCE_DIR STAVE [CLASS[.TEST] ...]

The images demo-rtt (a buffer that has room for all frames) and demo-rtt-small (1 KiB) send each
frame to RTT and, if RTT takes it, to the UART. The reader is tests/firmware/rtt_reader.py. How fast
it is beside the machine is chance; what is asserted holds for every chance.
"""
import csv
import json
import mmap
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

import rtt_reader
from recording import CORTEX_M3, build, must
from rtt_reader import ID, READ, SIZE, WRITE, Reader

HZ = 25_000_000
SMALL, BIG = "demo-rtt-small.elf", "demo-rtt.elf"
SMALL_SIZE, BIG_SIZE = 1024, 512 * 1024
PSRAM_SIZE = 16 << 20
BLOCK_SIZE, PROGRESS_SIZE = 48, 8

EXIT_COMPLETE, EXIT_LOST = 0, 3
NUMBERS = 16384  # frames are numbered modulo this

# A run takes 1 to 2 s of the host's time, a waiting image as long as it is let wait.
RUN_TIMEOUT_S = 300
WAIT_TIMEOUT_S = 240

# The only value of a mark that may differ where sending takes longer.
MEASURED = {"ring peak"}

ZERO_STATS = ("gaps", "frames_lost", "resets", "unresolved", "duplicates", "duplicate_starts",
              "orphan_ends", "bytes_skipped", "cut_tail_bytes", "time_uncertain_us")


def symbol(image, name):
    for line in must("arm-none-eabi-nm", IMAGES / image).splitlines():
        address, *_, found = line.split()
        if found == name:
            return int(address, 16)
    raise AssertionError(f"{image} has no {name}")


def symbol_offset(image, name):
    """In the PSRAM, and so in its file."""
    return symbol(image, name) - rtt_reader.BASE


def setUpModule():
    global IMAGES, OUT
    IMAGES = build(SOURCE, *CORTEX_M3)
    OUT = Path(tempfile.mkdtemp(prefix="stave-rtt-"))
    unittest.addModuleCleanup(shutil.rmtree, OUT)


# ---- Streams -------------------------------------------------------------------------------------

def frames(data):
    """The payload of each frame; a length is one byte, being under 128."""
    at = 0
    while at < len(data):
        assert at + 1 + data[at] <= len(data), "a frame is cut"
        yield data[at + 1:at + 1 + data[at]]
        at += 1 + data[at]


def varint(payload, at):
    value = shift = 0
    while True:
        value |= (payload[at] & 0x7F) << shift
        shift += 7
        at += 1
        if payload[at - 1] < 0x80:
            return value, at


def number(payload):
    """The frame's sequence number, field 4; 0 where it is absent."""
    at = 0
    while at < len(payload):
        tag, at = varint(payload, at)
        if tag == 4 << 3:
            return varint(payload, at)[0]
        if tag & 7 == 0:
            _, at = varint(payload, at)
        elif tag & 7 == 2:
            size, at = varint(payload, at)
            at += size
        else:
            at += {1: 8, 5: 4}[tag & 7]
    return 0


def file_with(name, data):
    path = OUT / name
    path.write_bytes(data)
    return path


def stats(data):
    return json.loads(must(STAVE, "decode", file_with("stats.bin", data), "--stats", "json"))


def rows(data):
    path = file_with("rows.bin", data)
    return list(csv.DictReader(must(STAVE, "decode", path, "--csv", "-").splitlines()))


# ---- Machines and readers ------------------------------------------------------------------------

def wait_until(condition):
    deadline = time.monotonic() + WAIT_TIMEOUT_S
    while not condition():
        assert time.monotonic() < deadline, "it did not come to that"
        time.sleep(0.001)


class Machine:
    """A run of an image; its PSRAM is the file `psram`."""

    def __init__(self, test, image, psram=None):
        self.uart = OUT / f"{image}.uart"
        self.uart.write_bytes(b"")
        self.psram = psram
        self.seen = None
        self.seen_at = symbol_offset(image, "transport_progress") if psram else None
        if psram and psram.exists():
            with open(psram, "r+b") as file:
                file.seek(self.seen_at)
                file.write(bytes(PROGRESS_SIZE))
        command = [RUN, *(["--psram", psram] if psram else []), IMAGES / image, self.uart]
        self.process = subprocess.Popen(
            [str(a) for a in command], stderr=subprocess.DEVNULL, start_new_session=True,
            env={**os.environ, "STAVE_FIRMWARE_TIMEOUT": str(RUN_TIMEOUT_S)})
        test.addCleanup(self.kill)

    def kill(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def status(self):
        return self.process.wait(RUN_TIMEOUT_S + 30)

    def progress(self):
        """Frames that were offered to the transport, and dropped by then."""
        if self.seen is None:
            if not self.psram.exists() or self.psram.stat().st_size < PSRAM_SIZE:
                return 0, 0
            with open(self.psram, "rb") as file:
                memory = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
            self.seen = memoryview(memory).cast("I")
        at = self.seen_at // 4
        return self.seen[at], self.seen[at + 1]

    def wait_offers(self, count):
        """Until that many more frames were offered: the machine has gone on. False when it ended
        before that, as it does when the demo is over and RTT has taken all."""
        until = self.progress()[0] + count
        wait_until(lambda: self.progress()[0] >= until or self.process.poll() is not None)
        return self.progress()[0] >= until

    def wait_dropped(self, count):
        """While nobody reads it does not end."""
        def holds():
            assert self.process.poll() is None, "the machine ended before that"
            return self.progress()[1] >= count
        wait_until(holds)


class Collector:
    """A thread that reads, until stop()."""

    def __init__(self, test, path):
        self.reader = Reader(path)
        self.data = bytearray()
        self.told = threading.Event()
        self.thread = threading.Thread(
            target=rtt_reader.copy, args=(self.reader, self.data.extend, self.told.is_set))
        self.thread.start()
        test.addCleanup(self.stop)

    def stop(self):
        """All that was read, and what is there now."""
        self.told.set()
        self.thread.join()
        return bytes(self.data)


def psram_of(name, data=b"\0"):
    """A file of that byte, or of these bytes."""
    return file_with(name, data * (PSRAM_SIZE // len(data)))


class Case(unittest.TestCase):
    def run_and_read(self, image, psram):
        """(status, RTT's bytes, the UART's): the reader is there before the machine."""
        collector = Collector(self, psram)
        machine = Machine(self, image, psram)
        status = machine.status()
        return status, collector.stop(), machine.uart.read_bytes()

    def check_complete(self, data):
        found = stats(data)
        self.assertEqual({key: found[key] for key in ZERO_STATS}, dict.fromkeys(ZERO_STATS, 0))
        self.assertEqual(found["frames"], len(list(frames(data))))

    def check_counts(self, data, dropped):
        """What the host misses is what the device dropped. Of a hole, a host knows the size modulo
        the numbers; the tail is what was dropped after the last frame."""
        sent = [number(frame) for frame in frames(data)]
        tail = (len(sent) + dropped - 1 - sent[-1]) % NUMBERS
        self.assertEqual((stats(data)["frames_lost"] + tail - dropped) % NUMBERS, 0)

    def check_untouched(self, image, psram, buffer_used):
        """All else in the memory still is as before the run, 0xa5."""
        rest = bytearray(psram.read_bytes())
        for name, size in (("_SEGGER_RTT", BLOCK_SIZE), ("buffer", buffer_used),
                           ("transport_progress", PROGRESS_SIZE)):
            at = symbol_offset(image, name)
            rest[at:at + size] = b"\xa5" * size
        self.assertEqual(rest.count(b"\xa5"), PSRAM_SIZE, bytes(rest.strip(b"\xa5")[:64]))


# ---- Tests ---------------------------------------------------------------------------------------

class Layout(Case):
    """The control block in the memory of a machine whose run has ended: a reader comes late."""

    ended_run = None

    def ended(self):
        if Layout.ended_run is None:
            machine = Machine(self, BIG, psram_of("ended.psram", b"\xa5"))
            Layout.ended_run = (machine.status(), machine.psram, machine.uart.read_bytes())
        return Layout.ended_run

    def test_block(self):
        _, psram, uart = self.ended()
        memory, at = psram.read_bytes(), symbol_offset(BIG, "_SEGGER_RTT")
        fields = struct.unpack_from("<16s2i6I", memory, at)
        name, buffer = fields[3], fields[4]
        self.assertEqual(fields[:3], (b"SEGGER RTT\0\0\0\0\0\0", 1, 0))
        self.assertEqual(fields[5:], (BIG_SIZE, len(uart), 0, 0))  # size, write, read, flags
        self.assertEqual(buffer, symbol(BIG, "buffer"))
        self.assertEqual(at % 16, 0)
        code = OUT / "code.bin"
        must("arm-none-eabi-objcopy", "-O", "binary", "-j", ".text", IMAGES / BIG, code)
        self.assertEqual(code.read_bytes()[name:name + 7], b"etrace\0")

    def test_one_id_in_all_memory(self):
        """A debugger that searches finds the block, and no other, here or in the code."""
        self.assertEqual(self.ended()[1].read_bytes().count(ID[:10]), 1)
        self.assertEqual((IMAGES / BIG).read_bytes().count(ID[:10]), 0)

    def test_post_mortem(self):
        status, psram, uart = self.ended()
        reader = Reader(file_with("post-mortem.psram", psram.read_bytes()))
        self.assertEqual(reader.read(), uart)
        self.assertEqual((reader.read(), status), (b"", EXIT_COMPLETE))

    def test_nothing_else_is_written(self):
        _, psram, uart = self.ended()
        self.check_untouched(BIG, psram, len(uart))


class Live(Case):
    """The reader reads while the machine runs."""

    live_run = None

    def all_frames(self):
        if Live.live_run is None:
            Live.live_run = self.run_and_read(BIG, OUT / "live.psram")
        return Live.live_run

    def test_all_frames(self):
        status, rtt, uart = self.all_frames()
        self.assertEqual(status, EXIT_COMPLETE)
        self.assertEqual(rtt, uart)
        self.assertEqual(rows(rtt), rows(uart))
        self.check_complete(rtt)

    def test_reading_changes_nothing(self):
        """With a reader or without, to the byte."""
        _, rtt, _ = self.all_frames()
        alone = Machine(self, BIG)
        self.assertEqual(alone.status(), EXIT_COMPLETE)
        self.assertEqual(alone.uart.read_bytes(), rtt)

    def test_as_the_image_without_rtt(self):
        """The same spans, marks and values in the same order, and each span as long: sending takes
        longer, and so an activation may be late, but that is all."""
        _, rtt, _ = self.all_frames()
        plain = Machine(self, "demo.elf")
        self.assertEqual(plain.status(), EXIT_COMPLETE)
        ours, theirs = rows(rtt), rows(plain.uart.read_bytes())

        def kept(row):
            value = None if row["name"] in MEASURED else row["value"]
            return row["name"], row["type"], row["priority"], value, row["interrupted"]

        self.assertEqual([kept(row) for row in ours], [kept(row) for row in theirs])

        def ticks(row):
            return round((float(row["end_us"]) - float(row["start_us"])) * HZ / 1e6)

        longer = [(a["name"], ticks(a), ticks(b)) for a, b in zip(ours, theirs)
                  if abs(ticks(a) - ticks(b)) > 1]
        self.assertEqual(longer, [])

    def test_small_buffer(self):
        """It wraps up to 200 times; how often it is full is chance."""
        psram = psram_of("small.psram")
        status, rtt, uart = self.run_and_read(SMALL, psram)
        self.assertGreater(len(rtt), SMALL_SIZE)
        self.assertEqual(rtt, uart)
        dropped = struct.unpack_from(
            "<2I", psram.read_bytes(), symbol_offset(SMALL, "transport_progress"))[1]
        self.assertEqual(status, EXIT_LOST if dropped else EXIT_COMPLETE)
        self.check_counts(rtt, dropped)

    def test_command(self):
        """The reader as a program, ended by SIGTERM."""
        psram, out = psram_of("command.psram"), OUT / "command.out"
        reader = subprocess.Popen(
            [sys.executable, "-B", str(SOURCE / "tests/firmware/rtt_reader.py"), psram, out])
        self.addCleanup(lambda: reader.poll() is None and reader.kill())
        machine = Machine(self, SMALL, psram)
        machine.status()
        reader.terminate()
        self.assertEqual(reader.wait(60), 0)
        self.assertEqual(out.read_bytes(), machine.uart.read_bytes())


class Attaching(Case):
    """Before the machine starts, after the buffer is full, across two runs."""

    def test_late(self):
        """The program has filled the buffer, and waits; what it kept is the oldest."""
        psram = OUT / "late.psram"
        machine = Machine(self, SMALL, psram)
        machine.wait_dropped(500)
        collector = Collector(self, psram)
        self.assertEqual(machine.status(), EXIT_LOST)
        rtt = collector.stop()
        self.assertEqual(rtt, machine.uart.read_bytes())
        self.assertEqual(number(next(frames(rtt))), 0)
        self.check_counts(rtt, machine.progress()[1])

    def test_over_an_old_run(self):
        """The memory has the control block of a run before, and what that run left unread: it is
        read first. Then the new run begins with an empty buffer."""
        psram = psram_of("old.psram")
        old = Machine(self, BIG, psram)
        old.status()
        left = old.uart.read_bytes()
        collector = Collector(self, psram)
        wait_until(lambda: len(collector.data) == len(left))
        new = Machine(self, BIG, psram)
        self.assertEqual(new.status(), EXIT_COMPLETE)
        rtt, uart = collector.stop(), new.uart.read_bytes()
        self.assertEqual(rtt, left + uart)
        self.assertEqual(stats(rtt)["resets"], 1)

    def test_over_rubbish(self):
        """The ID is there, what follows makes no sense: the reader waits until it does."""
        for rubbish in (b"\xff", b"\0", b"\x01\0\0\0"):
            memory = bytearray(PSRAM_SIZE)
            at = symbol_offset(SMALL, "_SEGGER_RTT")
            memory[at:at + 16] = ID
            memory[at + 16:at + 1024] = rubbish * (1008 // len(rubbish))
            psram = file_with("rubbish.psram", memory)
            reader = Reader(psram)
            self.assertEqual((reader.find(), reader.read()), (False, b""))
        _, rtt, uart = self.run_and_read(SMALL, psram)
        self.assertEqual(rtt, uart)


class Slow(Case):
    def test_what_is_dropped_is_counted(self):
        """It reads what is there each time that 1000 more frames were dropped, five times, and
        then all. There are holes, the buffer wraps, and RTT and UART still are the same."""
        psram = psram_of("slow.psram")
        machine, reader = Machine(self, SMALL, psram), Reader(psram)
        rtt = bytearray()
        for dropped in range(1000, 6000, 1000):
            machine.wait_dropped(dropped)
            rtt += reader.read()
        collector = Collector(self, psram)
        self.assertEqual(machine.status(), EXIT_LOST)
        rtt += collector.stop()
        self.assertEqual(rtt, machine.uart.read_bytes())
        dropped = machine.progress()[1]
        self.assertGreaterEqual(dropped, 5000)
        self.check_counts(bytes(rtt), dropped)

    def test_a_byte_at_a_time(self):
        """The offset that a reader writes need not be that of a frame."""
        psram = psram_of("bytes.psram")
        machine, reader = Machine(self, SMALL, psram), Reader(psram)
        machine.wait_dropped(100)
        rtt = bytearray()
        for size in [1, 2, 3, 5, 7, 11, 13] * 300:
            part = reader.read(size)
            rtt += part
            if not part:
                time.sleep(0.001)
        collector = Collector(self, psram)
        machine.status()
        rtt += collector.stop()
        self.assertEqual(rtt, machine.uart.read_bytes())


class Hostile(Case):
    """A host that writes nonsense: the machine keeps to its buffer, and goes on afterwards."""

    def stop_at(self, machine, reader, read):
        """With `read` out of range the machine tries and does not send. Returns `write`, which then
        stays, and how much the UART has."""
        reader.set_word(READ, read)
        self.assertTrue(machine.wait_offers(2))  # one may have been under way
        write, size = reader.word(WRITE), machine.uart.stat().st_size
        self.assertTrue(machine.wait_offers(200))
        self.assertEqual((reader.word(WRITE), machine.uart.stat().st_size), (write, size), read)
        return write, size

    def start(self):
        machine = Machine(self, SMALL, psram_of("hostile.psram", b"\xa5"))
        reader = Reader(machine.psram)
        machine.wait_dropped(1)
        self.assertTrue(reader.find())
        return machine, reader

    def finish(self, machine, reader, size):
        """The offsets are sane again: from here, nothing is missing."""
        collector = Collector(self, machine.psram)
        self.assertEqual(machine.status(), EXIT_LOST)
        rtt, uart = collector.stop(), machine.uart.read_bytes()
        self.assertGreater(len(rtt), 0)
        self.assertEqual(rtt, uart[size:])
        self.check_counts(uart, machine.progress()[1])
        self.check_untouched(SMALL, machine.psram, SMALL_SIZE)

    def test_read_beyond_the_buffer(self):
        machine, reader = self.start()
        for read in (SMALL_SIZE, SMALL_SIZE + 1, 2 * SMALL_SIZE, 0x7FFFFFFF, 0x80000000,
                     0xFFFFFFFF):
            write, size = self.stop_at(machine, reader, read)
        reader.set_word(READ, write)  # all that was there counts as read
        self.finish(machine, reader, size)

    def test_read_moves_backwards(self):
        """And anywhere else in the buffer. What the machine took for read is lost to this host."""
        machine, reader = self.start()
        backwards = [(reader.word(READ) - back) % SMALL_SIZE for back in (1, 2, 17, 200)]
        for read in [*backwards, *range(SMALL_SIZE - 1, -1, -61)]:
            reader.set_word(READ, read)
            if not machine.wait_offers(20):
                break  # the demo was over, and so there was room for all the rest
            self.assertLess(reader.word(WRITE), SMALL_SIZE)
        reader.set_word(READ, SMALL_SIZE)
        if machine.wait_offers(2):
            write, size = self.stop_at(machine, reader, SMALL_SIZE)
            reader.set_word(READ, write)
            self.finish(machine, reader, size)
        else:
            self.assertEqual(machine.status(), EXIT_LOST)
            self.check_untouched(SMALL, machine.psram, SMALL_SIZE)

    def test_write_is_overwritten(self):
        """That offset is the machine's own. It does not follow it out of the buffer."""
        machine, reader = self.start()
        write, size = self.stop_at(machine, reader, SMALL_SIZE)
        for wrong in (SMALL_SIZE, 0x80000000, 0xFFFFFFFF):
            reader.set_word(WRITE, wrong)
            reader.set_word(READ, 0)
            self.assertTrue(machine.wait_offers(200))
            self.assertEqual((reader.word(WRITE), machine.uart.stat().st_size), (wrong, size))
        reader.set_word(WRITE, write)
        reader.set_word(READ, write)
        self.finish(machine, reader, size)


class ReaderAlone(unittest.TestCase):
    """The reader against memory that the test writes, where the device starts again in between."""

    BLOCK, BUFFER, BUFFER_SIZE = 256, 512, 16

    def setUp(self):
        self.path = OUT / "alone.psram"
        self.path.write_bytes(bytes(4096))
        self.reader = Reader(self.path)
        with open(self.path, "r+b") as file:
            self.memory = mmap.mmap(file.fileno(), 0)

    def put(self, data, write, read=0, at=BLOCK, buffer=BUFFER, identifier=ID):
        self.memory[buffer:buffer + len(data)] = data
        self.memory[at:at + BLOCK_SIZE] = struct.pack(
            "<16s2i6I", identifier, 1, 0, 0, rtt_reader.BASE + buffer, self.BUFFER_SIZE, write,
            read, 0)

    def offsets(self):
        return struct.unpack_from("<2I", self.memory, self.BLOCK + 4 * WRITE)

    def test_no_file(self):
        reader = Reader(OUT / "none.psram")
        self.assertEqual(reader.read(), b"")
        file_with("none.psram", b"")
        self.assertEqual(reader.read(), b"")
        file_with("none.psram", self.memory[:])
        self.assertEqual(reader.read(), b"")

    def test_wrap(self):
        self.put(b"0123456789abcdef", write=4, read=10)
        self.assertEqual(self.reader.read(), b"abcdef0123")
        self.assertEqual(self.offsets(), (4, 4))
        self.assertEqual(self.reader.read(), b"")

    def test_parts(self):
        self.put(b"0123456789abcdef", write=4, read=10)
        self.assertEqual([self.reader.read(4), self.offsets()], [b"abcd", (4, 14)])
        self.assertEqual([self.reader.read(4), self.offsets()], [b"ef01", (4, 2)])
        self.assertEqual([self.reader.read(4), self.offsets()], [b"23", (4, 4)])

    def test_id_goes_and_comes_back(self):
        self.put(b"first", write=5)
        self.assertEqual(self.reader.read(), b"first")
        self.memory[self.BLOCK] = 0
        self.assertEqual((self.reader.find(), self.reader.read()), (False, b""))
        self.put(b"again", write=5, identifier=bytes(1) + ID[1:])
        self.assertEqual(self.reader.read(), b"")
        self.memory[self.BLOCK:self.BLOCK + 1] = ID[:1]
        self.assertEqual(self.reader.read(), b"again")

    def test_it_comes_back_elsewhere(self):
        self.put(b"first", write=5)
        self.assertEqual(self.reader.read(), b"first")
        self.memory[self.BLOCK] = 0
        self.put(b"there", write=5, at=1024, buffer=2048)
        self.assertEqual(self.reader.read(), b"there")

    def test_starts_again_while_it_reads(self):
        """Between the copy and the new offset: what was copied is nobody's, the offset stays."""
        self.put(b"0123456789abcdef", write=9, read=5)
        whole_copy = self.reader._copy

        def copy(begin, size):
            data = whole_copy(begin, size)
            self.put(b"again", write=5)
            return data

        self.reader._copy = copy
        self.assertEqual([self.reader.read(), self.offsets()], [b"", (5, 0)])
        self.reader._copy = whole_copy
        self.assertEqual(self.reader.read(), b"again")

    def test_unsound(self):
        for write, read in ((16, 0), (0xFFFFFFFF, 0), (0, 16), (0, 0xFFFFFFFF)):
            self.put(b"", write, read)
            self.assertEqual(self.reader.read(), b"", (write, read))
            self.assertEqual(self.offsets(), (write, read))
        self.put(b"x", write=1)
        self.memory[self.BLOCK + 4 * SIZE:self.BLOCK + 4 * SIZE + 4] = struct.pack("<I", 3585)
        self.assertEqual(self.reader.read(), b"")  # one byte beyond the memory
        self.memory[self.BLOCK + 4 * SIZE:self.BLOCK + 4 * SIZE + 4] = struct.pack("<I", 3584)
        self.assertEqual(self.reader.read(), b"x")

    def test_an_id_without_a_block_comes_first(self):
        self.memory[100:116] = ID
        self.put(b"found", write=5)
        self.assertEqual(self.reader.read(), b"found")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("usage: test_rtt.py SOURCE_DIR STAVE [CLASS[.TEST] ...]")
    SOURCE, STAVE = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    RUN = SOURCE / "firmware/run"
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
