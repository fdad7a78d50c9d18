"""firmware/run tells how an image ended.

    test_run.py SOURCE_DIR STAVE
"""
import os
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

from recording import Tools, call


def setUpModule():
    global OUT
    TOOLS.build()
    OUT = Path(tempfile.mkdtemp(prefix="stave-firmware-"))
    unittest.addModuleCleanup(shutil.rmtree, OUT)


class Running(unittest.TestCase):
    def check(self, status, message, image, *arguments, **options):
        done = call(TOOLS.run, TOOLS.images / image, *arguments, **options)
        self.assertEqual((done.returncode, message in done.stderr), (status, True), done.stderr)

    def test_status(self):
        out = OUT / "ends.bin"
        self.check(7, "ended with status 7", "ends-status.elf", out)
        self.assertEqual(out.read_bytes(), b"ends\n")

    def test_fault(self):
        self.check(4, "an exception", "ends-fault.elf", OUT / "ends.bin")

    def test_timeout(self):
        self.check(124, "not done after 1 seconds", "ends-never.elf", OUT / "ends.bin",
                   env={**os.environ, "STAVE_FIRMWARE_TIMEOUT": "1"})

    def test_misuse(self):
        self.check(2, "usage:", "demo.elf")
        self.check(2, "cannot read", "no.elf", OUT / "ends.bin")

    def test_no_qemu(self):
        self.check(127, "qemu-system-arm is not installed", "demo.elf", OUT / "ends.bin",
                   env={"PATH": str(OUT)})


if __name__ == "__main__":
    TOOLS = Tools(sys.argv)
    unittest.main(argv=sys.argv[:1])
