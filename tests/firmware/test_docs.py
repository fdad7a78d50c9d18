"""The C in docs/firmware.md: each block compiles as a file of its own for a Cortex-M3, without a warning.

    test_docs.py SOURCE_DIR

Also: the blocks of "Ten minutes" link with the recorder and what they declare as the firmware's, and the
recorder compiles with the port of "Porting".
"""
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

GCC = ["arm-none-eabi-gcc", "-mcpu=cortex-m3", "-mthumb", "-std=c11", "-Os", "-ffreestanding",
       "-Wall", "-Wextra", "-Wpedantic", "-Wmissing-prototypes", "-Werror"]

# What the blocks leave to the firmware.
REST = """
#include <stdint.h>
int uart_can_send(void); void uart_send(uint8_t); void application(void);
uint32_t adc_read(void); void control_step(void); void start(void); int main(void);
int uart_can_send(void) { return 1; }
void uart_send(uint8_t byte) { (void)byte; }
void application(void) {}
uint32_t adc_read(void) { return 0; }
void control_step(void) {}
void start(void) { (void)main(); }
"""


class Blocks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        text = (SOURCE / "docs/firmware.md").read_text(encoding="utf-8")
        cls.blocks = re.findall(r"^```c\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
        scratch = tempfile.TemporaryDirectory(prefix="stave-docs-")
        cls.addClassCleanup(scratch.cleanup)
        cls.out = Path(scratch.name)
        cls.run_tool(SOURCE / "tools/amalgamate_target", cls.out)
        (cls.out / "rest.c").write_text(REST)
        for i, block in enumerate(cls.blocks):
            (cls.out / f"block{i}.c").write_text(block)

    @classmethod
    def run_tool(cls, *command):
        done = subprocess.run([str(part) for part in command], cwd=cls.out, capture_output=True,
                              text=True)
        if done.returncode != 0:
            raise AssertionError(f"{command}\n{done.stderr}")

    def block_with(self, text):
        found = [i for i, block in enumerate(self.blocks) if text in block]
        self.assertEqual(len(found), 1, text)
        return found[0]

    def test_each_compiles(self):
        self.assertEqual(len(self.blocks), 5)
        for i, block in enumerate(self.blocks):
            options = [f"-D{name}" for name in ("STAVE_TARGET_OWN_CLOCK",) if name in block]
            options += ["-DSTAVE_TARGET_RTT=1024"] if "rtt" in block else []
            if "stave_port_lock" not in block:
                self.run_tool(*GCC, *options, "-c", f"block{i}.c")

    def test_quick_start_links(self):
        names, main = self.block_with("STAVE_TARGET_ISR("), self.block_with("int main(void)")
        self.run_tool(*GCC, "-nostdlib", "-Wl,-e,start", f"block{names}.c", f"block{main}.c",
                      "rest.c", "stave_target.c", "-lgcc", "-o", "quick.elf")

    def test_port(self):
        port = self.block_with("stave_port_lock")
        self.run_tool(*GCC, f'-DSTAVE_TARGET_PORT="block{port}.c"', "-c", "stave_target.c")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: test_docs.py SOURCE_DIR")
    SOURCE = Path(sys.argv[1]).resolve()
    unittest.main(argv=sys.argv[:1])
