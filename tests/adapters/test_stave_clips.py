"""stave-clips: what it shows, that CLIPS counts the same, and what it says of bad input.

    test_stave_clips.py STAVE_CLIPS RULES SOURCE STAVE [CLIPS]

The command; a rule base of some size; Stave's folder; the command `stave`; CLIPS' own.
"""
import collections
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest

COMMAND = RULES = SOURCE = STAVE = CLIPS = ""
TIMEOUT_SECONDS = 300
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("STAVE_")}
MODULES = ["MAIN"] + [f"M{number:02}" for number in range(12)]


class StaveClips(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="stave-test-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def file(self, text, name="rules.clp"):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def run_it(self, *arguments, status=0):
        """(lines of stdout, stderr)"""
        done = subprocess.run([COMMAND, *arguments], env=ENVIRONMENT, text=True, capture_output=True,
                              timeout=TIMEOUT_SECONDS, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout.splitlines(), done.stderr


def tree(lines):
    """[(level, firing)] of what --tree prints."""
    head = next(at for at, line in enumerate(lines) if line.endswith("  firing"))
    found = []
    for line in lines[head + 1:]:
        match = re.match(r" *\d+\.\d{3} +\d+\.\d\d +\d+\.\d\d  ( *)(\S.*)$", line)
        if match:
            found.append((len(match[1]) // 2, match[2]))
    return found


def counts(lines):
    """{rule: firings} of what --report prints."""
    head = next(at for at, line in enumerate(lines) if line.endswith("  rule"))
    return {line.split()[-1]: int(line.split()[0]) for line in lines[head + 1:] if line}


class Shows(StaveClips):
    def test_example(self):
        lines, _ = self.run_it(os.path.join(SOURCE, "adapters/clips/examples/orders.clp"))
        self.assertEqual(lines[:3], ["order 2, cup: shipped", "order 1, tea: shipped", "order 3, pot: refused"])
        self.assertRegex(lines[3], r"^14 firings in \d+\.\d{3} ms, ")
        self.assertEqual(tree(lines), EXAMPLE)

    def test_report(self):
        lines, _ = self.run_it("--report", os.path.join(SOURCE, "adapters/clips/examples/orders.clp"))
        self.assertEqual(counts(lines), collections.Counter(name for _, name in EXAMPLE))

    def test_several_files(self):
        one = self.file("(deftemplate a (slot n)) (deffacts f (a (n 1)))", "one.clp")
        other = self.file("(defrule two (a (n ?n)) =>)", "two.clp")
        lines, _ = self.run_it(one, other)
        self.assertEqual(tree(lines), [(0, "MAIN::two")])

    def test_limits(self):
        chain = self.file("(deffacts f (n 0)) (defrule next ?f <- (n ?n) => (retract ?f) (assert (n (+ ?n 1))))")
        lines, _ = self.run_it("--firings", "100", "--limit", "40", chain)
        found = tree(lines)
        self.assertEqual(found[:31], [(level, "MAIN::next") for level in range(31)])
        self.assertEqual(found[31], (30, "(31) MAIN::next"))
        self.assertEqual(len(found), 40)
        self.assertEqual(lines[-1], "(60 more)")

    def test_little_memory(self):
        chain = self.file("(deffacts f (n 0)) (defrule next ?f <- (n ?n) => (retract ?f) (assert (n (+ ?n 1))))")
        lines, _ = self.run_it("--report", "--memory", "1", "--firings", "100000", chain)
        self.assertRegex(lines[0], r"^100000 firings in \d+\.\d{3} ms, \d+\.\d{3} ms of it in those in the report; "
                                   r"longest chain in the report: \d+ firings, ")
        lost = re.match(r"not in the report: (\d+) firings, for want of memory", lines[1])
        self.assertIsNotNone(lost, lines[1])
        self.assertEqual(counts(lines), {"MAIN::next": 100000 - int(lost[1])})

    def test_one_firing(self):
        lines, _ = self.run_it(self.file("(defrule one (initial-fact) =>)"))
        self.assertRegex(lines[0], r"^1 firing in .*; longest chain: 1 firing, ")

    def test_exit(self):
        lines, _ = self.run_it(self.file('(defrule one (initial-fact) => (printout t "x" crlf) (exit 7))'))
        self.assertEqual(lines[0], "x")
        self.assertEqual(tree(lines), [(0, "MAIN::one  ! cancelled: it was left before its end")])

    def test_speedscope(self):
        profile = self.path("rules.speedscope.json")
        self.run_it("--speedscope", profile, os.path.join(SOURCE, "adapters/clips/examples/orders.clp"))
        with open(profile, encoding="utf-8") as file:
            document = json.load(file)
        frames = [frame["name"] for frame in document["shared"]["frames"]]
        opened, level = [], 0
        for event in document["profiles"][0]["events"]:
            if event["type"] == "O":
                opened.append((level, frames[event["frame"]]))
            level += 1 if event["type"] == "O" else -1
        self.assertEqual(opened, EXAMPLE)

    def test_stave_file(self):
        path = self.path("rules.stave")
        lines, _ = self.run_it("-o", path, "--details", os.path.join(SOURCE, "adapters/clips/examples/orders.clp"))
        self.assertEqual(len(lines), 4)
        done = subprocess.run([STAVE, "tree", path, "--json"], capture_output=True, timeout=TIMEOUT_SECONDS, check=True)
        found = []
        for node in json.loads(done.stdout)["nodes"]: # parents are places in this list
            level = found[node["parent"]][0] + 1 if node["parent"] is not None else 0
            found.append((level, node["rule"]))
        self.assertEqual(found, EXAMPLE)
        with open(path, "rb") as file:
            self.assertIn(b"basis", file.read())
        done = subprocess.run([STAVE, "export", path, "--format", "speedscope", "-o", self.path("rules.json")], text=True,
                              capture_output=True, timeout=TIMEOUT_SECONDS, check=True)
        self.assertTrue(done.stdout.endswith(": 14 evaluations and spans, 1 run\n"), done.stdout)

    def test_signal(self):
        endless = self.file("(deffacts f (n 0)) (defrule next ?f <- (n ?n) => (retract ?f) (assert (n (+ ?n 1)))"
                            "  (if (= ?n 1000) then (printout t started crlf)))")
        with subprocess.Popen([COMMAND, "--report", endless], env=dict(ENVIRONMENT), text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
            program.stdout.readline()
            program.send_signal(signal.SIGINT)
            out, err = program.communicate(timeout=TIMEOUT_SECONDS)
        self.assertEqual(program.returncode, 0, err)
        self.assertIn("stave-clips: stopped: ", err)
        self.assertGreater(counts(out.splitlines())["MAIN::next"], 1000)


# By hand: what asserts or retracts the last fact that a rule waits for.
EXAMPLE = [
    (0, "MAIN::begin"),
    (0, "CHECK::unknown-article"),
    (1, "SHIP::tell"),
    (0, "CHECK::too-few"),
    (1, "CHECK::delivery"),
    (2, "CHECK::enough"),
    (3, "PRICE::full"),
    (4, "SHIP::ship"),
    (5, "SHIP::tell"),
    (0, "CHECK::enough"),
    (1, "PRICE::many"),
    (2, "PRICE::reduced"),
    (3, "SHIP::ship"),
    (4, "SHIP::tell"),
]


class CountsAsClips(StaveClips):
    def profile(self):
        """{rule: entries} by (profile constructs), without Stave."""
        batch = ["(unwatch all)", f'(load "{RULES}")', "(reset)", "(profile constructs)", "(run)"]
        for module in MODULES:
            batch += [f"(set-current-module {module})", f"(printout t \"module {module}\" crlf)", "(profile-info)"]
        done = subprocess.run([CLIPS, "-f2", self.file("\n".join(batch + ["(exit)\n"]), "profile.bat")], text=True,
                              capture_output=True, timeout=TIMEOUT_SECONDS, check=True)
        found, module, in_rules = {}, None, False
        for line in done.stdout.splitlines():
            words = line.split()
            if line.startswith("module "):
                module, in_rules = words[1], False
            elif line.startswith("***"):
                in_rules = "Defrules" in line
            elif in_rules and len(words) == 6:
                found[f"{module}::{words[0]}"] = int(words[1])
        return found

    def test_counts(self):
        if not CLIPS:
            self.skipTest("there is no program `clips`")
        clips = self.profile()
        lines, _ = self.run_it("--report", RULES)
        ours = counts(lines)
        # Of a rule with `or` (profile-info) shows the first half alone.
        for rule in [rule for rule in ours if rule.endswith("::either")]:
            self.assertGreaterEqual(ours.pop(rule), clips.pop(rule, 0))
        self.assertEqual(ours, clips)
        self.assertGreater(len(ours), 280)
        self.assertGreater(sum(ours.values()), 8000)


class BadInput(StaveClips):
    def refused(self, *arguments):
        lines, err = self.run_it(*arguments, status=2)
        self.assertEqual(lines, [])
        return err

    def test_misuse(self):
        self.assertIn("usage: stave-clips", self.refused())
        self.assertIn("usage: stave-clips", self.refused("--nonsense", RULES))
        self.assertIn("--limit: x is no number", self.refused("--limit", "x", RULES))
        self.assertEqual(self.refused("--firings", "0", RULES),
                         "stave-clips: --firings: 0 is no number from 1 to 9223372036854775807\n")
        for memory in ("0", "-1", "1048577"):
            self.assertEqual(self.refused("--memory", memory, RULES),
                             f"stave-clips: --memory: {memory} is no number from 1 to 1048576\n")

    def test_unreadable(self):
        self.assertEqual(self.refused(self.path("none.clp")),
                         f"stave-clips: {self.path('none.clp')}: No such file or directory\n")
        self.assertEqual(self.refused(self.folder), f"stave-clips: {self.folder}: Is a directory\n")

    def test_syntax(self):
        bad = self.file("(deftemplate a (slot n))\n\n(defrule x (a (m 1)) =>)\n(defrule y (a (n 1)) => (b ?c))\n")
        err = self.refused(self.path("none.clp"), bad)
        self.assertIn("none.clp: No such file", err)
        self.assertIn(f"stave-clips: {bad}:3: [TMPLTDEF1] Invalid slot m ", err)
        self.assertIn(f"stave-clips: {bad}:4: [EXPRNPSR3] Missing function declaration for b.", err)

    def test_no_constructs(self):
        bad = self.file("(printout t hello crlf)\n")
        self.assertIn(f"stave-clips: {bad}:1: [CSTRCPSR1] Expected the beginning of a construct.", self.refused(bad))

    def test_nothing_fired(self):
        lines, err = self.run_it(self.file("(defrule one (a) =>) (defrule two (b) =>)"), status=1)
        self.assertEqual((lines, err), ([], "stave-clips: nothing fired: none of 2 rules was activated\n"))
        _, err = self.run_it(self.file(""), status=1)
        self.assertEqual(err, "stave-clips: nothing fired: there is no rule\n")
        _, err = self.run_it(self.file("(defrule one (a) =>)"), status=1)
        self.assertEqual(err, "stave-clips: nothing fired: the one rule was not activated\n")

    def test_activated_without_focus(self):
        _, err = self.run_it(self.file("(defmodule MAIN (export ?ALL)) (deffacts f (a)) (defmodule B (import MAIN ?ALL))"
                                       "(defrule B::one (a) =>) (defrule B::two (b) =>)"), status=1)
        self.assertEqual(err, "stave-clips: nothing fired: 1 activation is on the agenda of a module without the focus\n")

    def test_error_in_actions(self):
        lines, err = self.run_it(self.file("(defrule one (initial-fact) => (/ 1 0))"), status=1)
        self.assertEqual(tree(lines), [(0, "MAIN::one  ! failed: execution was halted in its actions")])
        self.assertIn("[PRNTUTIL7] Attempt to divide by zero in / function.", err)
        self.assertTrue(err.endswith("stave-clips: an error in the actions of MAIN::one ended the run\n"))

    def test_unwritable(self):
        rules = self.file("(defrule one (initial-fact) =>)")
        for option in ("-o", "--speedscope"):
            _, err = self.run_it(option, self.path("no/such"), rules, status=2)
            self.assertRegex(err, f"^stave-clips: cannot write {self.path('no/such')}: No such file")
            self.assertEqual(err.count(self.path("no/such")), 1)

    def test_help(self):
        lines, _ = self.run_it("--help")
        self.assertIn("usage: stave-clips", lines[0])
        self.assertRegex(self.run_it("--version")[0][0], r"^stave-clips \d+\.\d+\.\d+$")


if __name__ == "__main__":
    COMMAND, RULES, SOURCE, STAVE = sys.argv[1:5]
    CLIPS = sys.argv[5] if len(sys.argv) > 5 and os.path.exists(sys.argv[5]) else ""
    unittest.main(argv=sys.argv[:1], verbosity=2)
