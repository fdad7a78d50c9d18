"""What the command does beside others: on a terminal while work is slow, and with files that others
write.

    test_surroundings.py BIN_DIR GENERATE
"""
import fcntl
import importlib.machinery
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
VECTORS = HERE.parent / "etrace/vectors"
TIMEOUT_SECONDS = 60
SLOW_SECONDS = 1.6  # progress shows after 1 s

loader = importlib.machinery.SourceFileLoader("terminal", str(HERE / "terminal"))
spec = importlib.util.spec_from_loader("terminal", loader)
terminal = importlib.util.module_from_spec(spec)
loader.exec_module(terminal)


class Surroundings(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory(prefix="stave-test-")
        self.addCleanup(self.directory.cleanup)
        self.tree = Path(self.directory.name)

    def path(self, name):
        return str(self.tree / name)

    def generate(self, what, name):
        (self.tree / name).write_bytes(subprocess.run([GENERATE, what], check=True,
                                                      capture_output=True).stdout)
        return self.path(name)

    def stave(self, *words, **keywords):
        return subprocess.run([STAVE, *words], cwd=self.tree, capture_output=True, text=True,
                              timeout=TIMEOUT_SECONDS, check=False, **keywords)

    def expect(self, done, status, stdout, stderr):
        self.assertEqual((done.returncode, done.stdout, done.stderr), (status, stdout, stderr))


# ---- progress --------------------------------------------------------------------------------------

class Progress(Surroundings):
    """A line on a terminal, and nothing of it left."""

    def feed_slowly(self, seconds):
        """Bytes of a recording into a pipe, in two parts with a pause between."""
        content = (VECTORS / "sequence-wraps.bin").read_bytes()
        ours, theirs = os.pipe()

        def write():
            with open(theirs, "wb", buffering=0) as pipe:
                pipe.write(content[:50000])
                time.sleep(seconds)
                pipe.write(content[50000:])

        thread = threading.Thread(target=write)
        thread.start()
        self.addCleanup(thread.join)
        return ours

    def decode_a_pipe(self, seconds):
        return terminal.run(80, [STAVE, "decode", "-", "--csv", self.path("out.csv")],
                            stdin=self.feed_slowly(seconds))

    def test_bytes_of_a_pipe(self):
        sent, status = self.decode_a_pipe(SLOW_SECONDS)
        self.assertEqual(status, 0)
        shown = re.findall(rb"\rreading standard input 0\.\d MB", sent)
        self.assertGreater(len(shown), 0)
        self.assertEqual(self.left_on_the_screen(sent)[0].split(":")[0], self.path("out.csv"))

    def test_not_when_it_is_fast(self):
        for _ in range(20):  # a busy machine may not let it be fast at once
            start = time.monotonic()
            sent, status = self.decode_a_pipe(0)
            self.assertEqual(status, 0)
            if time.monotonic() - start < 1:
                break
        self.assertNotIn(b"reading", sent)

    def test_not_without_a_terminal(self):
        with open(self.feed_slowly(SLOW_SECONDS), "rb") as pipe:
            done = self.stave("decode", "-", "--csv", "/dev/null", stdin=pipe)
        self.expect(done, 0, "", "")

    def write_slowly(self, name):
        """`stave decode -o -` into a pipe whose reader pauses: (sent to the terminal, exit)"""
        source = self.generate("many", name)
        ours, theirs = os.pipe()
        fcntl.fcntl(theirs, 1031, 4096)  # F_SETPIPE_SZ

        def read():
            with open(ours, "rb", buffering=0) as pipe:
                time.sleep(SLOW_SECONDS)
                while pipe.read(1 << 20):
                    pass

        thread = threading.Thread(target=read)
        thread.start()
        script = f"exec '{STAVE}' decode '{source}' -o - >&{theirs}"
        sent, status = terminal.run(60, ["sh", "-c", script], pass_fds=[theirs])
        os.close(theirs)
        thread.join()
        return sent, status

    def test_per_cent(self):
        sent, status = self.write_slowly("many.stave")
        self.assertEqual(status, 0)
        shown = [int(number) for number in re.findall(rb"\rwriting standard output +(\d+) %", sent)]
        self.assertGreater(len(shown), 0)
        self.assertEqual(shown, sorted(shown))
        self.assertLess(shown[0], 100)
        self.assertEqual(self.left_on_the_screen(sent), [])

    @staticmethod
    def left_on_the_screen(sent):
        """Lines that are not empty, as a terminal shows them."""
        lines = []
        for line in sent.replace(b"\r\n", b"\n").split(b"\n"):
            cells = []
            for part in line.decode().split("\r"):
                cells[:len(part)] = part
            lines.append("".join(cells).rstrip())
        return [line for line in lines if line]


# ---- files that others write -----------------------------------------------------------------------

class Locks(Surroundings):
    def refused(self, name):
        return (f"stave: {name} is being written by another process; wait for it or choose another "
                "name\n")

    def test_output_that_is_being_written(self):
        source = self.generate("nested", "in.stave")
        commands = [["decode", source, "--csv", "out"], ["decode", source, "-o", "out"],
                    ["recover", source, "-o", "out"], ["pack", source, "-o", "out"],
                    ["pack", source, "-o", "link"]]
        os.symlink("out", self.path("link"))
        for words in commands:
            with self.subTest(words=words):
                Path(self.path("out")).write_text("half of it", encoding="utf-8")
                with open(self.path("out"), "r+b") as held:
                    fcntl.flock(held, fcntl.LOCK_EX)
                    done = self.stave(*words)
                    self.assertEqual(done.returncode, 2)
                    self.assertIn(self.refused(words[-1]), done.stderr)
                    self.assertEqual(Path(self.path("out")).read_text(encoding="utf-8"),
                                     "half of it")
                done = self.stave(*words)  # nobody holds it any more
                self.assertEqual(done.returncode, 0)
                self.assertEqual(sorted(path.name for path in self.tree.iterdir()),
                                 ["in.stave", "link", "out"])

    def test_pack_in_place(self):
        source = self.generate("repeated", "in.stave")
        before = Path(source).read_bytes()
        with open(source, "rb") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            self.expect(self.stave("pack", "in.stave"), 2, "", self.refused("in.stave"))
            self.assertEqual(Path(source).read_bytes(), before)
            self.assertEqual(self.stave("ls", "in.stave").returncode, 0)  # reading is free
        self.assertEqual(self.stave("pack", "in.stave").returncode, 0)
        self.assertLess(os.path.getsize(source), len(before) / 2)

    def test_two_at_a_time(self):
        """One of many that write the same file may be refused; it is whole all the time."""
        source = self.generate("repeated", "in.stave")
        self.assertEqual(self.stave("pack", source, "-o", "out.stave").returncode, 0)
        running = [subprocess.Popen([STAVE, "pack", source, "-o", self.path("out.stave")],
                                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                   for _ in range(8)]
        for process in running:
            _, stderr = process.communicate(timeout=TIMEOUT_SECONDS)
            self.assertIn((process.returncode, stderr),
                          [(0, ""), (2, self.refused(self.path("out.stave")))])
        self.assertEqual(self.stave("verify", "out.stave").returncode, 0)


class Growing(Surroundings):
    """A file that is being written has no index yet."""

    def test_each_length(self):
        whole = Path(self.generate("nested", "whole.stave")).read_bytes()
        rows = []
        for size in range(16, len(whole), 61):
            Path(self.path("part.stave")).write_bytes(whole[:size])
            done = self.stave("ls", "part.stave")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("no index", done.stdout)
            self.assertIn("it is still being written, or was cut", done.stderr)
            rows.append(sum(int(n) for n in re.findall(r"(\d+) [a-z]+",
                                                       re.search("rows: (.*)", done.stdout)[1])))
        self.assertEqual(rows, sorted(rows))
        self.assertEqual((rows[0], rows[-1]), (0, 15))


if __name__ == "__main__":
    STAVE, GENERATE = str(Path(sys.argv[1]).resolve() / "stave"), sys.argv[2]
    os.environ.update(LC_ALL="C.UTF-8", TERM="xterm")
    unittest.main(argv=sys.argv[:1])
