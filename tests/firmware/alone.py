"""The firmware recorder alone: its two files, amalgamated, and compiled without anything else.

    builder = Builder(source)
    for configuration in configurations():
        built = builder.build(configuration)      # or raises Refused
        built.sizes()                             # text, data and bss in bytes

Objects are kept in build/target-alone and made once for the same files, command and compiler: so
that tools/target_sizes, which prints their sizes, and test_alone.py, which looks into them, share
them.
"""
import concurrent.futures
import hashlib
import itertools
import os
import re
import shutil
import subprocess
import tempfile
from collections import namedtuple
from pathlib import Path

# `tools` is what the names of nm and size begin with; `clock`: it has a clock that the port knows.
Processor = namedtuple("Processor", "name compiler flags tools clock")

PROCESSORS = [
    Processor("cortex-m0", "arm-none-eabi-gcc", "-mcpu=cortex-m0 -mthumb", "arm-none-eabi-", False),
    Processor("cortex-m3", "arm-none-eabi-gcc", "-mcpu=cortex-m3 -mthumb", "arm-none-eabi-", True),
    Processor("cortex-m4", "arm-none-eabi-gcc",
              "-mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16", "arm-none-eabi-", True),
    Processor("rv32imac", "riscv64-unknown-elf-gcc", "-march=rv32imac_zicsr -mabi=ilp32",
              "riscv64-unknown-elf-", True),
    Processor("rv64imac", "riscv64-unknown-elf-gcc",
              "-march=rv64imac_zicsr -mabi=lp64 -mcmodel=medany", "riscv64-unknown-elf-", True),
    Processor("cortex-m0, clang", "clang",
              "--target=thumbv6m-none-eabi -mcpu=cortex-m0 -fno-crash-diagnostics",
              "arm-none-eabi-", False),
    Processor("cortex-m3, clang", "clang",
              "--target=thumbv7m-none-eabi -mcpu=cortex-m3 -fno-crash-diagnostics",
              "arm-none-eabi-", True),
    Processor("rv32imac, clang", "clang",
              "--target=riscv32-none-elf -march=rv32imac -fno-crash-diagnostics",
              "riscv64-unknown-elf-", True),
]

OWN_CLOCK = ["-DSTAVE_TARGET_OWN_CLOCK"]
WIDE_CLOCK = [*OWN_CLOCK, "-DSTAVE_TARGET_CLOCK_BITS=64"]
RTT, SEMIHOSTING = "-DSTAVE_TARGET_RTT=1024", "-DSTAVE_TARGET_SEMIHOSTING"
OPTIONS = {
    "as it is": [],
    "ring 16, names 16": ["-DSTAVE_TARGET_RING=16", "-DSTAVE_TARGET_NAMES=16"],
    "ring 512, names 253": ["-DSTAVE_TARGET_RING=512", "-DSTAVE_TARGET_NAMES=253"],
    "header alone again": ["-DSTAVE_TARGET_REPEAT_MS=0"],
    "own clock": OWN_CLOCK,
    "own clock, 64 bits": WIDE_CLOCK,
    "RTT, 1024 bytes": [RTT],
    "semihosting": [SEMIHOSTING],
    "all of these": [RTT, SEMIHOSTING, *WIDE_CLOCK],
    "off": ["-DSTAVE_TARGET_OFF", RTT, *WIDE_CLOCK],
}
LEVELS = ["-Os", "-O2", "-O0"]
AT_ALL_LEVELS = ["as it is", "all of these", "off"]  # the other options at -Os alone

FREESTANDING = ["-std=c11", "-ffreestanding", "-nostdlib", "-fno-common"]

Configuration = namedtuple("Configuration", "processor option level")


def configurations():
    return [Configuration(*c) for c in itertools.product(PROCESSORS, OPTIONS, LEVELS)
            if c[2] == LEVELS[0] or c[1] in AT_ALL_LEVELS]


def house_warnings(source, compiler):
    """As cmake/StaveTargets.cmake has them, as errors."""
    text = (source / "cmake/StaveTargets.cmake").read_text()
    lists = re.findall(r"(?:set|list)\((?:APPEND )?STAVE_WARNINGS\s+([^)]*)\)", text)
    common, gcc, clang, error = (words.split() for words in lists)
    assert "-Wconversion" in common and error == ["-Werror"], lists
    return common + (clang if compiler == "clang" else gcc) + error


def missing_tools():
    """Of all that is needed here, with the packages that have them in Debian."""
    packages = {"arm-none-eabi-gcc": "gcc-arm-none-eabi", "clang": "clang",
                "riscv64-unknown-elf-gcc": "gcc-riscv64-unknown-elf"}
    return [f"{tool} is missing (Debian: apt-get install {package})"
            for tool, package in packages.items() if shutil.which(tool) is None]


class Refused(Exception):
    """What the compiler said."""


def run(command, **options):
    words = [str(word) for word in command]
    return subprocess.run(words, capture_output=True, text=True, **options)


def output(command):
    done = run(command)
    if done.returncode != 0 or done.stderr:
        raise Refused(f"{' '.join(map(str, command))}\n{done.stderr}")
    return done.stdout


class Object:
    """An object file, as the tools of its processor see it."""

    def __init__(self, path, processor):
        self.path, self.tools = path, processor.tools

    def sizes(self):
        """text, data, bss"""
        line = output([self.tools + "size", "-B", self.path]).splitlines()[1]
        return tuple(int(word) for word in line.split()[:3])

    def symbols(self, *arguments):
        """{name: (type, size)}; the assembler's own names left out."""
        found = {}
        for line in output([self.tools + "nm", "-S", *arguments, self.path]).splitlines():
            words = line.split()
            size = int(words[1], 16) if len(words) == 4 else 0
            if not re.match(r"[$.]", words[-1]):
                found[words[-1]] = (words[-2], size)
        return found

    def undefined(self):
        return set(self.symbols("-u"))

    def sections(self):
        """{name: size} of those that take memory on the target."""
        found = {}
        for line in output([self.tools + "objdump", "-h", "-w", self.path]).splitlines():
            words = line.split()
            if len(words) > 3 and words[0].isdigit() and "ALLOC" in line and int(words[2], 16):
                found[words[1]] = int(words[2], 16)
        return found


class Builder:
    """The two files of a checkout, and objects made of them."""

    def __init__(self, source):
        self.source = Path(source)
        self.kept = self.source / "build/target-alone"
        with tempfile.TemporaryDirectory() as made:
            output([self.source / "tools/amalgamate_target", made])
            self.folder = self.keep(Path(made))

    def keep(self, made):
        """Moves the files to a folder that is named by what is in them; others' objects go."""
        files = sorted(made.iterdir())
        folder = self.kept / digest(*(path.read_bytes() for path in files))
        if self.kept.exists():
            for old in self.kept.iterdir():
                if old != folder:
                    shutil.rmtree(old)
        folder.mkdir(parents=True, exist_ok=True)
        for path in files:
            shutil.copy(path, folder)
        return folder

    def command(self, configuration):
        processor, option, level = configuration
        own_clock = [] if processor.clock or option == "off" else OWN_CLOCK
        return [processor.compiler, *processor.flags.split(), *FREESTANDING, level,
                *house_warnings(self.source, processor.compiler), *own_clock, *OPTIONS[option]]

    def build(self, configuration):
        """stave_target.o; raises Refused if there is so much as a warning."""
        command = self.command(configuration)
        name = digest(version(command[0]).encode(), "\n".join(command).encode())
        path = self.folder / f"{name}.o"
        if not path.exists():
            part = self.folder / f"{name}.{os.getpid()}.part"
            output([*command, "-c", self.folder / "stave_target.c", "-o", part])
            part.rename(path)
        return Object(path, configuration.processor)

    def build_all(self):
        """{configuration: Object}, a compiler for each core at a time."""
        jobs = int(os.environ.get("STAVE_JOBS") or os.cpu_count())
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            return dict(zip(configurations(), pool.map(self.build, configurations())))


def digest(*parts):
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]


VERSIONS = {}


def version(compiler):
    if compiler not in VERSIONS:
        VERSIONS[compiler] = output([compiler, "--version"])
    return VERSIONS[compiler]
