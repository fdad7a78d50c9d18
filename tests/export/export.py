#!/usr/bin/env python3
"""Traces through `stave export` in every format, read back, and compared with what is in the .stave file.

    export.py --stave STAVE --make MAKE_TRACES WHAT...       WHAT: see TESTS
"""

import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

import compare
from read_binary import Perfetto, Pprof, decode, read_folded
from read_json import Chrome, Otlp, Speedscope
from spans import Wrong, same, sums, sure
from truth import Truth, read

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


class Comparison:
    """Of one .stave file; `selection` is the Truth's."""

    def __init__(self, exporter, path, slack=0, status=0, **selection):
        self.exporter, self.path, self.slack, self.status, self.selection = exporter, path, slack, status, selection
        self.file, self.truths = read(pathlib.Path(path).read_bytes()), {}

    def truth(self, fmt):
        depth = DEPTHS[fmt]
        if depth not in self.truths:
            self.truths[depth] = Truth(self.file, depth=depth, **self.selection)
        return self.truths[depth]

    def run(self, *options):
        for fmt in FORMATS:
            self.one(fmt, options)

    def one(self, fmt, options=()):
        name, slack, no_args = os.path.basename(self.path), self.slack, "--no-args" in options
        truth = self.truth(fmt)
        out = self.exporter.export(self.path, fmt, *options, status=self.status)
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
            compare.otlp(truth, Otlp(out, truth.is_part), name, slack, no_args)


def check_order(exporter, what):
    """Rows in other places of their blocks, blocks in another order: the same bytes."""
    made, shuffled = exporter.make(what), exporter.make(what, shuffled=True)
    sure(pathlib.Path(made).read_bytes() != pathlib.Path(shuffled).read_bytes(), "nothing was shuffled")
    for fmt in FORMATS:
        sure(exporter.export(made, fmt) == exporter.export(shuffled, fmt), fmt + " depends on the order of rows")


# ---- tests ---------------------------------------------------------------------------------------

def everything(exporter):
    comparison = Comparison(exporter, exporter.make("everything"))
    comparison.run()
    comparison.run("--no-args")


def order(exporter):
    for what in ("everything", "hostile", "deadlines", "clocks", "stairs", "entries", "deeper"):
        check_order(exporter, what)


def options(exporter):
    """What the command leaves out is left out of the truth as well."""
    def check(arguments, what="everything", **selection):
        Comparison(exporter, exporter.make(what), **selection).run(*arguments)

    uptime = 5000 * 1e6  # us: the trace's own time line
    check(["--from", "5000002ms", "--to", "5000008.95ms"], window=(uptime + 2000, uptime + 8950))
    check(["--from", "5000007ms"], window=(uptime + 7000, math.inf))
    check(["--to", "5000002.9ms"], window=(-math.inf, uptime + 2900))
    check(["--min-dur", "900us"], least=900000)
    check(["--lane", "w*"], lane_counts=lambda name: name.startswith("w"))
    check(["--lane", "main", "--name", "check"], lane_counts=lambda name: name == "main",
          name_counts=lambda name: name == "check")
    check(["--name", "[lp]*"], name_counts=lambda name: name[:1] in ("l", "p"))
    check(["--min-dur", "97ns"], what="stairs", least=97)


def plain(what, **options):
    return lambda exporter: Comparison(exporter, exporter.make(what), **options).run()


LEVELS, LANES = 100000, 100000


def by_path(samples):
    """{(depth, last name): (spans, self)} of paths that differ in their lengths alone."""
    return {(len(path), path[-1][0]): (values["spans"], values["wall"]) for path, values, _ in samples}


def deep(exporter):
    """Level i of the trace is [i, 2 * LEVELS - i): each has a self of 2."""
    path = exporter.make("deep")
    for fmt in FORMATS:
        out, cap = exporter.export(path, fmt), DEPTHS[fmt] or LEVELS
        text = "(%d deeper)" % (LEVELS - cap)
        if fmt in ("folded", "pprof"):
            samples = (Pprof(out).samples if fmt == "pprof" else
                       [([(name,) for name in names], {"spans": 0, "wall": self}, None)
                        for names, self in read_folded(out)])
            counts = (0, 0) if fmt == "folded" else (1, LEVELS - cap)
            wanted = {(i + 1, "level"): (counts[0], 2) for i in range(cap)}
            same(fmt, by_path(samples), wanted | {(cap + 1, text): (counts[1], 2 * (LEVELS - cap))})
            continue
        spans = {"speedscope": lambda: Speedscope(out).profiles[0][3], "chrome": lambda: Chrome(out).spans,
                 "perfetto": lambda: Perfetto(out, HERE).spans, "otlp": lambda: Otlp(out).spans}[fmt]()
        wanted = {"level": (cap, sum(2 * (LEVELS - i) for i in range(cap)), 2 * cap)}
        if cap < LEVELS:
            wanted[text] = (1, 2 * (LEVELS - cap), 2 * (LEVELS - cap))
        same(fmt, sums(spans), wanted)
        sure(sum(span.parent is None for span in spans) == 1, fmt + ": not one root")


def lanes(exporter):
    """Lane i has one span [i, i + 100 + i % 7)."""
    path = exporter.make("lanes")
    names = {"lane %d" % i for i in range(LANES)}
    total = sum(100 + i % 7 for i in range(LANES))
    for fmt in FORMATS:
        out = exporter.export(path, fmt)
        if fmt == "speedscope":
            found = set(speedscope_lengths(json.loads(out)))
        elif fmt == "chrome":
            found = set(chrome_lengths(json.loads(out)))
        elif fmt == "otlp":
            found = set(otlp_lengths(json.loads(out)))
        elif fmt == "pprof":
            found = {(labels["thread"], values["wall"]) for _, values, labels in Pprof(out).samples}
        elif fmt == "folded":
            same(fmt, dict(read_folded(out)), {("work",): total})
            continue
        else:  # 100,000 packets are slow to read in Python
            text = decode(out, HERE)
            same(fmt, {what: text.count(what) for what in ("\n    type: 1\n", "\n    type: 2\n", '\n    name: "lane ')},
                 {"\n    type: 1\n": LANES, "\n    type: 2\n": LANES, '\n    name: "lane ': LANES})
            continue
        sure(len(found) == LANES and {name for name, _ in found} == names, fmt + ": other lanes")
        sure(sum(length for _, length in found) == total, fmt + ": another total")


def speedscope_lengths(file):
    for profile in file["profiles"]:
        opened, closed = profile["events"]
        yield profile["name"], closed["at"] - opened["at"]


def chrome_lengths(file):
    events = file["traceEvents"]
    names = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
    return ((names[e["tid"]], round(e["dur"] * 1000)) for e in events if e["ph"] == "X")


def otlp_lengths(file):
    for resource in file["resourceSpans"]:
        for span in resource["scopeSpans"][0]["spans"]:
            name = next(a["value"]["stringValue"] for a in span["attributes"] if a["key"] == "thread.name")
            yield name, int(span["endTimeUnixNano"]) - int(span["startTimeUnixNano"])


TESTS = {
    "everything": everything,
    "order": order,
    "options": options,
    "hostile": plain("hostile"),
    "deadlines": plain("deadlines"),
    "clocks": plain("clocks", slack=1),
    "far": plain("far"),
    "long": plain("long"),
    "deeper": plain("deeper"),
    "stairs": plain("stairs"),
    "entries": plain("entries"),
    "lanes": lanes,
    "deep": deep,
    "empty": plain("empty", status=1),
    "restarted": plain("restarted"),
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
