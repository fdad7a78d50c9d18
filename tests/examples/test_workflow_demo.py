"""examples/workflow: what its demo prints and writes, and how it refuses.

    test_workflow_demo.py WORKFLOW ORDERS.WORKFLOW [STAVE]       the program, its rules; and the command
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

WORKFLOW = RULES = STAVE = ""
TIMEOUT_SECONDS = 300
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("STAVE_")}


class Demo(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="stave-test-")
        self.addCleanup(directory.cleanup)
        self.directory = directory.name

    def path(self, name):
        return os.path.join(self.directory, name)

    def run_it(self, program, *arguments, status=0):
        done = subprocess.run([program, *arguments], env=ENVIRONMENT, text=True, capture_output=True,
                              timeout=TIMEOUT_SECONDS, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def demo(self, *arguments):
        return self.run_it(WORKFLOW, *arguments, RULES).stdout

    def table(self, said):
        """The rows of the table of rules: calls, failed, skipped, by what the rule says."""
        rows = {}
        for line in said.partition("\nrule ")[2].partition("\n\n")[0].splitlines()[1:]:
            rows[line[:30].strip()] = [float(cell) for cell in line[30:].split()]
        return rows

    def test_counts_agree(self):
        said = self.demo("--orders", "3000", "--passes", "1", "--threads", "3")
        rules = re.search(r"rules: (\d+) passed, (\d+) failed, of which (\d+) threw, (\d+) were skipped", said)
        passed, failed, _, skipped = (int(number) for number in rules.groups())
        rows = self.table(said)
        self.assertEqual(len(rows), 15)
        self.assertEqual(sum(row[0] for row in rows.values()), passed + failed)
        self.assertEqual(sum(row[1] for row in rows.values()), failed)
        self.assertEqual(sum(row[2] for row in rows.values()), skipped)
        self.assertEqual(passed + failed + skipped, 3000 * 15)
        self.assertIn("lost: 0 evaluations given up, 0 dropped; 0 without their run", said)
        self.assertRegex(said, r"execute-parallel, 3 threads: \d+ ms, the same verdicts; lost: 0 given up, 0 dr")
        self.assertRegex(said, r"execute-parallel +[0-9.]+ +[0-9.]+ +-?[0-9.]+ %")

    def test_one_order(self):
        said = self.demo("--orders", "1", "--passes", "0", "--threads", "1")
        self.assertRegex(said, r"\n1 order with 9 lines\n")
        self.assertRegex(said, r"\nexecute: \d+ ms; 1 order passed, 0 did not\n")
        self.assertRegex(said, r"\nreport: 19 evaluations and spans in 1 run, made in ")
        self.assertRegex(said, r"\nexecute-parallel, 1 thread: ")

    def test_the_cold_outlier(self):
        rows = self.table(self.demo("--orders", "2000", "--passes", "0"))
        first, median, _, _, most = rows["tax is that of the place"][6:]
        self.assertGreater(first, 50 * median)
        self.assertGreaterEqual(most, first)

    def test_what_is_lost_is_told(self):
        said = self.demo("--orders", "20000", "--passes", "0", "--memory", "8", "--first", "10")
        lost = re.search(r"lost: (\d+) evaluations given up, (\d+) dropped", said)
        rows = self.table(said)
        kept = sum(row[0] + row[2] for row in rows.values())
        self.assertGreater(int(lost[1]), 0)
        self.assertEqual(kept + int(lost[1]) + int(lost[2]), 20000 * 15)

    def test_speedscope(self):
        file = self.path("orders.speedscope.json")
        self.demo("--orders", "500", "--first", "200", "--passes", "0", "--speedscope", file)
        with open(file, encoding="utf-8") as opened:
            written = json.load(opened)
        names = [frame["name"] for frame in written["shared"]["frames"]]
        profile = written["profiles"][0]
        self.assertEqual(profile["type"], "evented")
        opened = [names[event["frame"]] for event in profile["events"] if event["type"] == "O"]
        self.assertEqual(len(opened), 200 * 15 + 4)
        self.assertEqual(opened.count("no product stands twice"), 200)
        # Once, in the first order, which has read the rates when it needed them.
        self.assertEqual(opened.count("load_rates"), 1)
        self.assertLess(opened.index("load_rates"), 15)
        self.assertEqual(opened[opened.index("load_rates") - 1], "tax is that of the place")

    def test_the_saved_file(self):
        if not STAVE:
            self.skipTest("no command")
        file = self.path("orders.stave")
        self.demo("--orders", "500", "--first", "1", "--passes", "0", "--save", file)
        said = self.run_it(STAVE, "report", file).stdout
        self.assertIn("no product stands twice", said)
        self.assertIn("load_rates", self.run_it(STAVE, "tree", file).stdout)

    def test_wrong_files(self):
        file = self.path("wrong.workflow")
        with open(file, "w", encoding="utf-8") as opened:
            opened.write("workflow w\n\nrule net \"net is right\"\n    when order.nett > 0\n")
        done = self.run_it(WORKFLOW, file, status=2)
        self.assertEqual(done.stdout, "")
        self.assertTrue(done.stderr.startswith(
            f"workflow: {file}:4:10: there is no 'order.nett'; there are number, customer, "), done.stderr)
        done = self.run_it(WORKFLOW, self.path("none"), status=2)
        self.assertRegex(done.stderr, "none: it cannot be read: No such file")
        self.assertRegex(self.run_it(WORKFLOW, self.directory, status=2).stderr, "cannot be read")
        with open(file, "wb") as opened:
            opened.write(b"rule a \"a\"\n when 1 == 1\n\0")
        self.assertRegex(self.run_it(WORKFLOW, file, status=2).stderr, "is no text")
        with open(file, "wb") as opened:
            opened.write(b"#" * 70000)
        self.assertRegex(self.run_it(WORKFLOW, file, status=2).stderr, "65536 bytes at most")

    def test_unwritable(self):
        file = self.path("no/such")
        for options in (["--save"], ["--speedscope"], ["--speedscope", file, "--save"]):
            with self.subTest(options=options):
                done = self.run_it(WORKFLOW, "--orders", "100", "--passes", "1", *options, file, RULES, status=2)
                self.assertIn("\nexecute-parallel ", done.stdout)
                self.assertEqual(done.stderr.splitlines(),
                                 [f"workflow: cannot write {file}: No such file or directory"] * ((len(options) + 1) // 2))

    def refused(self, *arguments):
        done = self.run_it(WORKFLOW, *arguments, status=2)
        self.assertEqual(done.stdout, "")
        message, hint = done.stderr.splitlines()
        self.assertEqual(hint, "workflow --help says what there is")
        return message

    def test_wrong_use(self):
        for option, value, least, most in (
                ("--orders", "x", 1, 10000000), ("--orders", "9x", 1, 10000000), ("--orders", "0", 1, 10000000),
                ("--threads", "0", 1, 64), ("--threads", "1000", 1, 64), ("--memory", "0", 1, 1048576),
                ("--first", "0", 1, 10000000), ("--passes", "100", 0, 99), ("--seed", "-1", 0, 4294967295)):
            with self.subTest(option=option, value=value):
                self.assertEqual(self.refused(option, value, RULES),
                                 f"workflow: {option}: {value} is no number from {least} to {most}")
                self.assertRegex(self.run_it(WORKFLOW, "--help").stdout, f"\n  {option} .* {least} to {most}[ ,;]")
        self.assertEqual(self.refused("--bogus", RULES), "workflow: there is no option --bogus")
        self.assertEqual(self.refused("-x", RULES), "workflow: there is no option -x")
        self.assertEqual(self.refused(RULES, "--orders"), "workflow: --orders: its value is missing")
        self.assertEqual(self.refused(RULES, "more"), f"workflow: more: a second file, after {RULES}; it takes one")
        self.assertEqual(self.refused(), "workflow: the file of rules is missing")


def main():
    global WORKFLOW, RULES, STAVE
    WORKFLOW, RULES, STAVE = (sys.argv[1:] + [""])[:3]
    unittest.main(argv=sys.argv[:1])


if __name__ == "__main__":
    main()
