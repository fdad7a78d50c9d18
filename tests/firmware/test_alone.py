#!/usr/bin/env python3
"""The firmware recorder's two files, compiled alone for each processor, option and level.

    test_alone.py SOURCE_DIR

Everything is compiled with the house's warnings as errors. What is looked at: what it asks of
others, what it defines, what is left of a group, or of the whole recorder, that is off, and what the
compiler says to a name, a group or an option that is wrong.
"""
import re
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

import alone
from alone import OPTIONS, PROCESSORS, RTT, SEMIHOSTING, Object

# Long multiplication, and division, which a Cortex-M0 lacks. No memcpy, memset nor memmove, under
# whatever name (__aeabi_memcpy, ...).
LIBGCC = {"__aeabi_lmul", "__aeabi_idiv", "__aeabi_uidiv", "__aeabi_uidivmod"}
ARITHMETIC = {"cortex-m0": LIBGCC, "cortex-m0, clang": LIBGCC}

FUNCTIONS = {"stave_target_" + name for name in (
    "begin begin_value end mark mark_value start poll rate get_counts").split()}
OF_RTT = {"stave_target_rtt_start", "stave_target_rtt_write", "_SEGGER_RTT"}
OF_SEMIHOSTING = {"stave_target_semihosting_" + name for name in "open write exit".split()}

LANGUAGES = {"c": ["c11", "gnu11", "c17"], "c++": ["c++11", "c++17", "gnu++20"]}
HEADER_COMPILERS = {"c": ["arm-none-eabi-gcc", "riscv64-unknown-elf-gcc", "clang"],
                    "c++": ["arm-none-eabi-g++", "clang++"]}
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]


def setUpModule():
    global BUILDER, BUILT, OUT, PROBES
    PROBES = SOURCE / "tests/firmware/probes"
    missing = alone.missing_tools()
    if missing:
        sys.exit("; ".join(missing))
    OUT = Path(tempfile.mkdtemp(prefix="stave-alone-"))
    unittest.addModuleCleanup(shutil.rmtree, OUT)
    BUILDER = alone.Builder(SOURCE)
    BUILT = BUILDER.build_all()


def compile_with(processor, level, path, *options):
    """An object of a file of probes."""
    made = OUT / "probes.o"
    as_written = [] if processor.compiler == "clang" else ["-fno-ipa-icf"]  # functions stay apart
    alone.output([processor.compiler, *processor.flags.split(), *alone.FREESTANDING, level,
                  *WARNINGS, *as_written, *options, "-I", BUILDER.folder, "-c", path, "-o", made])
    return Object(made, processor)


def without(word, path):
    """The same file with the lines left out that have a probe or a call in them."""
    made = OUT / path.name
    made.write_text("".join(line for line in path.read_text().splitlines(keepends=True)
                            if not re.match(rf"\s*{word}\w+\(", line)))
    return made


class Alone(unittest.TestCase):
    def test_every_build_is_there(self):
        each = len(OPTIONS) + len(alone.AT_ALL_LEVELS) * (len(alone.LEVELS) - 1)
        self.assertEqual(len(BUILT), len(PROCESSORS) * each)

    def test_asks_for_nothing(self):
        """But for the clock, and for what a processor without the instruction needs."""
        for configuration, built in BUILT.items():
            processor, option, level = configuration
            with self.subTest(f"{processor.name}, {option}, {level}"):
                asked = built.undefined()
                clock = "-DSTAVE_TARGET_OWN_CLOCK" in BUILDER.command(configuration)
                self.assertEqual("stave_target_clock" in asked, clock and option != "off")
                asked -= {"stave_target_clock"} | ARITHMETIC.get(processor.name, set())
                self.assertEqual(asked, set())

    def test_defines_its_own_names(self):
        for (processor, option, level), built in BUILT.items():
            with self.subTest(f"{processor.name}, {option}, {level}"):
                defined = set(built.symbols("-g", "--defined-only"))
                public = {name for name in defined if not name.startswith("stave__")}
                expected = set() if option == "off" else set(FUNCTIONS)
                if RTT in OPTIONS[option] and option != "off":
                    expected |= OF_RTT
                if SEMIHOSTING in OPTIONS[option]:
                    expected |= OF_SEMIHOSTING
                self.assertEqual(public, expected)

    def test_needs_no_initialised_data(self):
        for configuration, built in BUILT.items():
            self.assertEqual(built.sizes()[1], 0, configuration)

    def test_off_is_nothing(self):
        for (processor, option, level), built in BUILT.items():
            if option == "off":
                self.assertEqual((built.sizes(), built.symbols(), built.sections()),
                                 ((0, 0, 0), {}, {}), (processor.name, level))

    def test_memory_is_as_said(self):
        """12 bytes for each place of the ring (16 with a long clock), on 32 bits; 4 for a name."""
        for processor in PROCESSORS:
            if processor.name != "rv64imac":
                ram = {option: BUILT[processor, option, "-Os"].sizes()[2] for option in OPTIONS}
                self.assertEqual(ram["as it is"] - ram["ring 16, names 16"], 48 * 12 + 24 * 4)
                longer = ram["own clock, 64 bits"] - ram["own clock"]
                self.assertTrue(64 * 4 <= longer <= 64 * 4 + 40, longer)


class Header(unittest.TestCase):
    def test_compiles_alone(self):
        for language, standards in LANGUAGES.items():
            for compiler in HEADER_COMPILERS[language]:
                for standard in standards:
                    for option in ("as it is", "all of these", "off"):
                        alone.output([compiler, "-x", language, f"-std={standard}", *WARNINGS,
                                      *OPTIONS[option], "-fsyntax-only", "-ffreestanding",
                                      "-include", BUILDER.folder / "stave_target.h", "/dev/null"])

    def test_every_macro(self):
        """In both languages; C++ calls the same functions."""
        for language, standards in LANGUAGES.items():
            for compiler in HEADER_COMPILERS[language]:
                for standard in standards:
                    made = OUT / "every.o"
                    alone.output([compiler, "-x", language, f"-std={standard}", "-Os", *WARNINGS,
                                  "-Wconversion", "-Wsign-conversion", "-ffreestanding",
                                  "-fno-exceptions", "-I", BUILDER.folder, "-c",
                                  PROBES / "every_macro.c", "-o", made])
                    asked = alone.run(["nm", "-u", made]).stdout.split()[1::2]
                    unused = {"stave_target_mark"}  # the other branch
                    self.assertEqual(set(asked), FUNCTIONS - unused | {"write_bytes"})


class Groups(unittest.TestCase):
    """Group 2 of probes/groups.c is off."""

    OFF = "-DSTAVE_TARGET_GROUPS=~(1u<<2)"
    PAIRS = [("hidden_alone", "nothing"), ("mixed", "plain")]

    @classmethod
    def setUpClass(cls):
        cls.built = []
        for processor in PROCESSORS:
            for level in alone.LEVELS:
                built = compile_with(processor, level, PROBES / "groups.c", cls.OFF)
                kept = built.path.rename(OUT / f"{len(cls.built)}.o")
                cls.built.append((processor, level, Object(kept, processor)))

    def test_functions_are_as_large_as_without(self):
        for processor, level, built in self.built:
            symbols = built.symbols()
            for probed, empty in self.PAIRS:
                self.assertEqual(symbols[probed], symbols[empty], (processor.name, level, probed))

    def test_on_they_are_larger(self):
        for processor in PROCESSORS:
            symbols = compile_with(processor, "-Os", PROBES / "groups.c").symbols()
            for probed, empty in self.PAIRS:
                self.assertGreater(symbols[probed][1], symbols[empty][1], (processor.name, probed))

    def test_only_the_other_group_is_called(self):
        for processor, level, built in self.built:
            self.assertEqual(built.undefined(), {"work", "stave_target_begin", "stave_target_end"},
                             (processor.name, level))

    def test_descriptors_go(self):
        """With their text. Without optimisation a compiler may keep them; the linker drops them."""
        for processor, level, built in self.built:
            if level != "-O0":
                hidden = [name for name in built.symbols() if "hidden_task" in name]
                self.assertEqual(hidden, [], (processor.name, level))
                self.assertNotIn(b"hidden mark", built.path.read_bytes(), (processor.name, level))

    def test_linker_drops_descriptors(self):
        for processor in PROCESSORS:
            built = compile_with(processor, "-O0", PROBES / "groups.c", self.OFF,
                                 "-ffunction-sections", "-fdata-sections")
            linked = OUT / "linked"
            emulation = ["-m", "elf32lriscv"] if processor.name.startswith("rv32") else []
            alone.output([processor.tools + "ld", *emulation, "--gc-sections",
                          "--unresolved-symbols=ignore-all", "-e", "mixed", built.path, "-o",
                          linked])
            names = set(Object(linked, processor).symbols())
            self.assertIn("stave_target_name_handler", names)
            self.assertEqual({name for name in names if "hidden" in name}, set(), processor.name)

    def test_a_mask_may_be_an_expression(self):
        check = OUT / "expression.c"
        check.write_text('#include "stave_target.h"\nSTAVE_TARGET_MARKER(zero, 0, "0");\n'
                         'STAVE_TARGET_MARKER(one, 1, "1");\nSTAVE_TARGET_MARKER(two, 2, "2");\n'
                         "int on[STAVE_TARGET_ON(zero) && !STAVE_TARGET_ON(one) && "
                         "STAVE_TARGET_ON(two) ? 1 : -1];\n")
        compile_with(PROCESSORS[1], "-Os", check, "-DSTAVE_TARGET_GROUPS=1|4")


class Off(unittest.TestCase):
    """STAVE_TARGET_OFF: a program is as if it had no probes."""

    def check(self, word, name, levels):
        for processor in PROCESSORS:
            for level in levels:
                path = PROBES / name
                off = compile_with(processor, level, path, "-DSTAVE_TARGET_OFF")
                found = off.sections(), off.symbols()
                bare = compile_with(processor, level, without(word, path), "-Wno-unused",
                                    "-DSTAVE_TARGET_OFF")
                self.assertEqual(found, (bare.sections(), bare.symbols()), (processor.name, level))
                self.assertEqual([s for s in found[1] if "stave" in s], [], (processor.name, level))

    def test_probes(self):
        self.check("STAVE_TARGET_", "groups.c", alone.LEVELS)

    def test_calls(self):
        """Without optimisation, the config that they are given stays."""
        self.check("stave_target_", "program.c", ["-Os", "-O2", "-O1"])

    def test_no_function_and_no_call(self):
        """Also without optimisation: no name of the recorder, no memset."""
        for processor in PROCESSORS:
            for level in alone.LEVELS:
                built = compile_with(processor, level, PROBES / "every_macro.c",
                                     "-DSTAVE_TARGET_OFF")
                symbols = built.symbols()
                self.assertEqual([s for s in symbols if "stave" in s], [], (processor.name, level))
                self.assertLessEqual(built.undefined(), {"write_bytes"}, (processor.name, level))


class Refused(unittest.TestCase):
    """What cannot be right is an error, which names the cause and the line of the program."""

    COMPILERS = [["arm-none-eabi-gcc", "-std=c11"], ["arm-none-eabi-g++", "-std=c++11"],
                 ["riscv64-unknown-elf-gcc", "-std=gnu17"], ["clang", "-std=c11"],
                 ["clang++", "-std=c++17"]]

    def refused(self, line, message):
        path = OUT / "refused.cc"
        path.write_text(f'#include "stave_target.h"\n\n\n{line}\n')
        for compiler in self.COMPILERS:
            for off in ([], ["-DSTAVE_TARGET_OFF"]):
                language = "c++" if "++" in compiler[0] else "c"
                done = alone.run([*compiler, "-x", language, *off, "-fsyntax-only",
                                  "-ffreestanding", "-I", BUILDER.folder, path])
                self.assertNotEqual(done.returncode, 0, (compiler, off, line))
                self.assertRegex(done.stderr, message, (compiler, off, line))
                self.assertIn("refused.cc:4:", done.stderr, (compiler, off, line))

    def test_long_name(self):
        too_long = "a name of more than 32 bytes"
        self.refused(f'STAVE_TARGET_ISR(n, 0, "{"x" * 33}", 1);', too_long)
        self.refused(f'STAVE_TARGET_MARKER(n, 0, "{"ä" * 16}x");', too_long)
        self.refused(f'STAVE_TARGET_TASK(n, 0, "{"€" * 11}", 1);', too_long)
        self.refused(f'STAVE_TARGET_TASK_DEADLINE(n, 0, "{"x" * 255}", 1, 1);', too_long)

    def test_empty_name(self):
        self.refused('STAVE_TARGET_ISR(n, 0, "", 1);', "an empty name")

    def test_group(self):
        outside = "a group outside 0 to 31"
        self.refused('STAVE_TARGET_ISR(n, 32, "n", 1);', outside)
        self.refused('STAVE_TARGET_MARKER(n, -1, "n");', outside)

    def test_what_is_not_constant(self):
        self.refused('extern int g; STAVE_TARGET_ISR(n, g, "n", 1);', "constant")
        self.refused("extern const char t[2]; STAVE_TARGET_ISR(n, 0, t, 1);", r"expected '?\)'?")

    def test_twice(self):
        self.refused('STAVE_TARGET_ISR(n, 0, "a", 1); STAVE_TARGET_ISR(n, 0, "b", 1);',
                     "redeclaration of|redefinition of|conflict")

    def test_unknown(self):
        self.refused("void f(void); void f(void) { STAVE_TARGET_BEGIN(nobody); }", "nobody")

    def test_options(self):
        for processor, option, message in (
                (PROCESSORS[1], "-DSTAVE_TARGET_RING=48", "STAVE_TARGET_RING is a power of 2"),
                (PROCESSORS[1], "-DSTAVE_TARGET_RING=65536", "STAVE_TARGET_RING is a power of 2"),
                (PROCESSORS[1], "-DSTAVE_TARGET_NAMES=254", "STAVE_TARGET_NAMES is 1 to 253"),
                (PROCESSORS[1], "-DSTAVE_TARGET_REPEAT_PERCENT=0", "is nothing"),
                (PROCESSORS[1], "-DSTAVE_TARGET_RTT=64", "at least 128"),
                (PROCESSORS[1], "-DSTAVE_TARGET_CLOCK_BITS=64", "STAVE_TARGET_OWN_CLOCK"),
                (PROCESSORS[0], "-DSTAVE_TARGET_NAMES=40", "STAVE_TARGET_OWN_CLOCK"),
                (PROCESSORS[3], "-DSTAVE_TARGET_CLOCK_BITS=64", "STAVE_TARGET_OWN_CLOCK")):
            with self.assertRaisesRegex(alone.Refused, message):
                compile_with(processor, "-Os", BUILDER.folder / "stave_target.c", option)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: test_alone.py SOURCE_DIR")
    SOURCE = Path(sys.argv[1]).resolve()
    unittest.main(argv=sys.argv[:1])
