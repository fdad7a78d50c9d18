#!/usr/bin/env python3
"""Traces through `stave export` in every format, read back, and compared with what is in the .stave file.

    export.py --stave STAVE --make MAKE_TRACES WHAT...       WHAT: see TESTS
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

import compare
from read_binary import Perfetto, Pprof, read_folded
from read_json import Chrome, Otlp, Speedscope
from spans import Wrong, same, sure
from truth import Truth

HERE = os.path.dirname(os.path.abspath(__file__))
FORMATS = ["speedscope", "chrome", "perfetto", "folded", "pprof", "otlp"]
DEPTHS = {"speedscope": 1999, "chrome": 511, "perfetto": 511, "folded": 1999, "pprof": 1999, "otlp": None}


class Exporter:
    def __init__(self, stave, make, folder):
        self.stave, self.make_traces, self.folder = stave, make, folder

    def make(self, what, shuffled=False):
        """A .stave file; of the same name, so that what viewers call it is the same."""
        folder = os.path.join(self.folder, "shuffled" if shuffled else "made")
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, what + ".stave")
        with open(path, "wb") as file:
            subprocess.run([self.make_traces, what] + ["shuffled"] * shuffled, stdout=file, check=True)
        return path

    def export(self, path, fmt, *options, status=0):
        done = subprocess.run([self.stave, "export", path, "--format", fmt, "-o", "-", *options],
                              capture_output=True, check=False)
        sure(done.returncode == status, "%s: exit %d: %s" % (fmt, done.returncode, done.stderr.decode()))
        return done.stdout


def compare_all(exporter, path, options=(), slack=0, status=0, formats=FORMATS, **selection):
    name, no_args = os.path.basename(path), "--no-args" in options
    data = pathlib.Path(path).read_bytes()
    for fmt in formats:
        truth = Truth(data, depth=DEPTHS[fmt], **selection)
        out = exporter.export(path, fmt, *options, status=status)
        if fmt == "speedscope":
            compare.speedscope(truth, Speedscope(out), slack)
        elif fmt == "chrome":
            compare.chrome(truth, Chrome(out), name, slack, no_args)
        elif fmt == "perfetto":
            compare.perfetto(truth, Perfetto(out, HERE), slack, no_args)
        elif fmt == "folded":
            compare.folded(truth, read_folded(out), slack)
        elif fmt == "pprof":
            compare.pprof(truth, Pprof(out), slack, no_args)
        else:
            compare.otlp(truth, Otlp(out), name, slack, no_args)


def check_order(exporter, what):
    """Rows in other places of their blocks, blocks in another order: the same bytes."""
    made, shuffled = exporter.make(what), exporter.make(what, shuffled=True)
    sure(pathlib.Path(made).read_bytes() != pathlib.Path(shuffled).read_bytes(), "nothing was shuffled")
    for fmt in FORMATS:
        sure(exporter.export(made, fmt) == exporter.export(shuffled, fmt), fmt + " depends on the order of rows")


# ---- tests ---------------------------------------------------------------------------------------

def everything(exporter):
    compare_all(exporter, exporter.make("everything"))
    compare_all(exporter, exporter.make("everything"), ["--no-args"])


def order(exporter):
    for what in ("everything", "hostile", "deadlines", "clocks", "stairs", "entries", "deeper"):
        check_order(exporter, what)


def plain(what, **options):
    return lambda exporter: compare_all(exporter, exporter.make(what), **options)


TESTS = {
    "everything": everything,
    "order": order,
    "hostile": plain("hostile"),
    "deadlines": plain("deadlines"),
    "clocks": plain("clocks", slack=1),
    "far": plain("far"),
    "long": plain("long"),
    "deeper": plain("deeper"),
    "stairs": plain("stairs"),
    "entries": plain("entries"),
    "lanes": plain("lanes"),
    "deep": plain("deep"),
    "empty": plain("empty", status=1),
    "zero": plain("zero"),
    "gaps": plain("gaps"),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stave", required=True)
    parser.add_argument("--make", required=True)
    parser.add_argument("what", nargs="+", choices=TESTS, metavar="WHAT")
    options = parser.parse_args()
    failed = 0
    for what in options.what:
        with tempfile.TemporaryDirectory(prefix="stave-export-") as folder:
            try:
                TESTS[what](Exporter(options.stave, options.make, folder))
            except Wrong as wrong:
                print("%s: %s" % (what, wrong))
                failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
