#!/usr/bin/env python3
"""Reads an RTT up-buffer out of a device's memory, which a file maps, as a debugger does.

    rtt_reader.py FILE OUT.bin      FILE as firmware/run --psram makes it; OUT may be - for a pipe

It waits for the file and for a control block in it, reads while the device runs, goes on when the
device starts again, and ends by Ctrl-C or SIGTERM when it has read all that was there. For example

    firmware/run --psram psram.bin build/cortex-m3/firmware/demo-rtt-small.elf uart.bin &
    tests/firmware/rtt_reader.py psram.bin - | stave decode -

Source     SEGGER, RTT control block (wiki.segger.com/RTT)
"""
import mmap
import os
import signal
import sys
import threading
import time

ID = b"SEGGER RTT" + bytes(6)
BASE = 0x21000000  # the address of the file's first byte

# Offsets into the control block and its first up-buffer, in words. A device's words are
# little-endian; so, here, are the host's.
UP_COUNT, DOWN_COUNT, NAME, BYTES, SIZE, WRITE, READ, FLAGS = range(4, 12)
WORDS = 12

POLL_S = 0.001
SEARCH_S = 0.02  # a search looks at 16 MiB


class Reader:
    """The up-buffer of the first sound control block in the file."""

    def __init__(self, path, base=BASE):
        self.path, self.base = path, base
        self.memory = None  # bytes of the file
        self.words = None  # the same: each is read and written at once, as the device needs it
        self.at = None  # offset of the control block in the file

    def _map(self):
        """False while there is no file, or nothing in it."""
        if self.memory is None:
            try:
                with open(self.path, "r+b") as file:
                    self.memory = mmap.mmap(file.fileno(), 0)
            except (FileNotFoundError, ValueError):
                return False
            self.words = memoryview(self.memory).cast("I")
        return True

    def word(self, index):
        return self.words[self.at // 4 + index]

    def set_word(self, index, value):
        self.words[self.at // 4 + index] = value

    def has_id(self):
        return self.memory[self.at:self.at + len(ID)] == ID

    def buffer(self):
        """Its offset in the file."""
        return self.word(BYTES) - self.base

    def _is_sound(self):
        """Memory that was not cleared may have an ID and anything behind it."""
        return (self.has_id() and self.word(UP_COUNT) != 0 and self.word(SIZE) > 1
                and 0 <= self.buffer() <= len(self.memory) - self.word(SIZE)
                and self.word(WRITE) < self.word(SIZE))

    def find(self):
        """True where a control block is; it is searched for where it was not."""
        if not self._map():
            return False
        if self.at is not None and self._is_sound():
            return True
        self.at = self.memory.find(ID)
        while self.at >= 0:
            if self.at % 4 == 0 and self.at + 4 * WORDS <= len(self.memory) and self._is_sound():
                return True
            self.at = self.memory.find(ID, self.at + 1)
        self.at = None
        return False

    def _copy(self, begin, size):
        at = self.buffer()
        first = self.memory[at + begin:at + min(begin + size, self.word(SIZE))]
        return first + self.memory[at:at + size - len(first)]

    def read(self, most=None):
        """What is there, up to `most` bytes; b"" also where there is no control block."""
        if not self.find():
            return b""
        size, write, read = self.word(SIZE), self.word(WRITE), self.word(READ)
        if read >= size:
            return b""
        there = (write - read) % size
        data = self._copy(read, there if most is None else min(most, there))
        # A device that has started again meanwhile has no ID, or 0 for `read`: then these bytes may
        # be of either run, and to set `read` would offer the device's next reader what is no data.
        if not data or not self.has_id() or self.word(READ) != read:
            return b""
        self.set_word(READ, (read + len(data)) % size)
        return data


def copy(reader, write, stop):
    """Gives `write` all that comes, until `stop()`, and then what is there."""
    while not stop():
        data = reader.read()
        if data:
            write(data)
        else:
            time.sleep(POLL_S if reader.at is not None else SEARCH_S)
    write(reader.read())


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: rtt_reader.py FILE OUT.bin")
    told = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: told.set())
    with open(sys.stdout.fileno() if sys.argv[2] == "-" else sys.argv[2], "wb", buffering=0) as out:
        try:
            copy(Reader(sys.argv[1]), out.write, told.is_set)
        except BrokenPipeError:
            os._exit(1)  # nobody reads on: no message


if __name__ == "__main__":
    main()
