"""Copies of libstave that meet in one process: they are one, or the later one is refused.

    test_copies.py DIRECTORY        where the programs and plugins of CMakeLists.txt are
"""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "golden"))
import read_stave

NAME = read_stave.COLUMNS.index("name")
TIMEOUT_SECONDS = 60

# The address sanitizer takes a variable that is there twice for a mistake. Here it is the matter.
ENVIRONMENT = dict(os.environ, ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") +
                   ":detect_odr_violation=0")
EMULATOR = os.environ.get("STAVE_TEST_EMULATOR", "").split()  # of the machine that the programs are for
STARTED = "-4 recording has been started already"
NOTHING = "-4 nothing has been recorded: call stave_start()"


def refused(path):
    return ("-4 another copy of libstave is in this process: link the program and all plugins "
            "with the shared one; it is in %s" % path)


# What work() of actor.c leaves in a file, by kind of row, of one thread.
ROWS = {
    "spans": ["named", "root", "span"],
    "cumulatives": ["inside", "sum"],
    "marks": ["mark"],
    "counters": ["counter"],
}
KEYS = ["error", "id", "more", "number", "run-time", "text"]


def work_of(*actors):
    """The rows of one work() of each."""
    rows = {kind: sorted("%s %s" % (actor, name) for actor in actors for name in names)
            for kind, names in ROWS.items()}
    rows["attributes"] = sorted(KEYS * len(actors))
    return rows


class Copies(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="stave-test-")
        self.addCleanup(directory.cleanup)
        self.file = directory.name + "/run.stave"

    def run_host(self, host, *steps, **environment):
        """What it says: a list of lines. FILE in a step is self.file."""
        steps = [step.replace("FILE", self.file) for step in steps]
        done = subprocess.run([*EMULATOR, "./" + host, *steps], cwd=DIRECTORY, capture_output=True, text=True,
                              timeout=TIMEOUT_SECONDS, check=False,
                              env=dict(ENVIRONMENT, **environment))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.stderr = done.stderr
        return [line.rstrip() for line in done.stdout.splitlines()]

    def rows(self):
        """The names of what is in the file, sorted, by kind of row."""
        found = {}
        file = read_stave.File(Path(self.file).read_bytes())
        for head, rows, _ in file.blocks:
            if rows is None or head["rows"] == 0:
                continue
            kind = read_stave.KINDS[head["kind"]][0]
            found.setdefault(kind, []).extend(file.strings[name].decode()
                                              for name in rows[NAME])
        return {kind: sorted(names) for kind, names in found.items()}

    # ---- the two ways in which it ends ----

    def expect_joined(self, host, a, b, *opens):
        """b is one with a: what either does is in what the other writes."""
        said = self.run_host(host, *opens, a + " start", b + " start", a + " work", b + " work",
                             b + " on", b + " dump FILE")
        self.assertEqual(said, [a + " start 0", "%s start %s" % (b, STARTED), b + " on 1",
                                b + " dump 0"])
        self.assertEqual(self.rows(), work_of(a, b))

    def expect_refused(self, host, a, b, path, *opens):
        """b is refused, off, and a's is as if b were not there; also when b was the first to do something."""
        said = self.run_host(host, *opens, b + " work", a + " start", b + " start", a + " work",
                             b + " work", b + " on", b + " stop", a + " on", b + " dump FILE",
                             a + " dump FILE")
        self.assertEqual(said, [a + " start 0", "%s start %s" % (b, refused(path)), b + " on 0",
                                a + " on 1", "%s dump %s" % (b, NOTHING), a + " dump 0"])
        self.assertEqual(self.rows(), work_of(a))

    # ---- which of them ----

    def test_two_plugins_of_which_none_sees_the_other(self):
        for a, b in (("static", "static"), ("static", "visible"), ("mapped", "mapped"),
                     ("static", "shared"), ("mapped", "shared")):
            with self.subTest(a=a, b=b):
                self.expect_refused("host_none", "a", "b", "./a_%s.so" % a,
                                    "open a ./a_%s.so local" % a, "open b ./b_%s.so local" % b)

    def test_two_plugins_of_which_one_is_seen(self):
        for a, b in (("static", "static"), ("static", "visible"), ("visible", "static"),
                     ("static", "shared"), ("shared", "static")):
            with self.subTest(a=a, b=b):
                self.expect_joined("host_none", "a", "b", "open a ./a_%s.so global" % a,
                                   "open b ./b_%s.so local" % b)

    def test_two_plugins_that_show_nothing(self):
        for other in "static", "mapped", "shared":
            with self.subTest(other=other):
                self.expect_refused("host_none", "a", "b", "./a_mapped.so",
                                    "open a ./a_mapped.so global",
                                    "open b ./b_%s.so global" % other)

    def test_two_plugins_with_the_shared_one(self):
        for scope in "local", "global":
            self.expect_joined("host_none", "a", "b", "open a ./a_shared.so " + scope,
                               "open b ./b_shared.so " + scope)

    def test_a_program_that_shows_nothing(self):
        for plugin in "static", "visible", "mapped", "shared":
            for scope in "local", "global":
                with self.subTest(plugin=plugin, scope=scope):
                    self.expect_refused("host_static", "host", "a", "./host_static",
                                        "open a ./a_%s.so %s" % (plugin, scope))

    def test_the_program_is_the_later_one(self):
        self.expect_refused("host_static", "a", "host", "./a_static.so",
                            "open a ./a_static.so global")

    def test_a_program_that_is_seen(self):
        for host in "host_exports", "host_shared", "host_beside":
            for plugin in "static", "visible", "shared":
                with self.subTest(host=host, plugin=plugin):
                    self.expect_joined(host, "host", "a", "open a ./a_%s.so local" % plugin)
                    self.expect_joined(host, "a", "host", "open a ./a_%s.so local" % plugin)

    def test_a_program_that_is_seen_and_a_plugin_that_does_not_look(self):
        for plugin in "mapped", "symbolic":
            self.expect_refused("host_exports", "host", "a", "./host_exports",
                                "open a ./a_%s.so local" % plugin)

    def test_a_program_and_a_library_that_it_is_linked_with(self):
        said = self.run_host("host_beside", "beside start", "host start", "host work",
                             "beside work", "host dump FILE")
        self.assertEqual(said, ["beside start 0", "host start " + STARTED, "host dump 0"])
        rows = work_of("host")
        rows["spans"] = sorted(rows["spans"] + ["beside span"])
        self.assertEqual(self.rows(), rows)

    def test_a_program_that_needs_little_has_all(self):
        said = self.run_host("host_few", "host start", "open a ./a_static.so local", "a start",
                             "a work", "a dump FILE")
        self.assertEqual(said, ["host start 0", "a start " + STARTED, "a dump 0"])
        self.assertEqual(self.rows(), work_of("a"))

    def test_a_program_of_which_parts_are_seen(self):
        """The plugin has some functions of the program's copy, some of its own, and is refused even alone."""
        for host, plugin in ("host_partly", "static"), ("host_exports", "functions"):
            for first, second in ("host", "a"), ("a", "host"):
                with self.subTest(host=host, first=first):
                    said = self.run_host(host, "open a ./a_%s.so local" % plugin, first + " start",
                                         second + " start", "host work", "a work", "a stop",
                                         "host on", "thread a", "join", "a dump FILE",
                                         "host dump FILE")
                    self.assertEqual(sorted(said[:2]), ["a start " + refused("./" + host),
                                                        "host start 0"])
                    self.assertEqual(said[2:], ["host on 1", "a dump " + NOTHING, "host dump 0"])
                    self.assertEqual(self.rows(), work_of("host"))

    # ---- coming and going ----

    def test_a_copy_that_was_not_started_is_in_nobodys_way(self):
        said = self.run_host("host_none", "open a ./a_static.so local", "a work", "a counts",
                             "open b ./b_static.so local", "b start", "close a", "b work",
                             "b dump FILE")
        self.assertEqual(said, ["a counts recorded=0 dropped_site=0 dropped_abi=0",
                                "b start 0", "host close gone", "b dump 0"])
        self.assertEqual(self.rows(), work_of("b"))

    def test_a_plugin_that_recorded_stays(self):
        """Its code runs at the end of threads, and in forks."""
        for plugin in "static", "mapped":
            with self.subTest(plugin=plugin):
                opening = "open a ./a_%s.so local" % plugin
                said = self.run_host("host_none", opening, "a start", "thread a", "a work",
                                     "close a", "fork", "join", "fork", opening, "a start",
                                     "a work", "a dump FILE")
                self.assertEqual(said, ["a start 0", "host close stays", "host fork 0",
                                        "host fork 0", "a start " + STARTED, "a dump 0"])
                self.assertEqual(self.rows(), work_of("a", "a", "a"))

    def test_a_plugin_that_was_refused_goes(self):
        said = self.run_host("host_static", "host start", "open a ./a_static.so local", "a start",
                             "thread a", "close a", "fork", "join", "host work", "host dump FILE")
        self.assertEqual(said, ["host start 0", "a start " + refused("./host_static"),
                                "host close gone", "host fork 0", "host dump 0"])
        self.assertEqual(self.rows(), work_of("host"))

    def test_what_a_plugin_recorded_outlives_it(self):
        """Its places and texts are gone from memory; another plugin may stand there by now."""
        for host, writer, opens in (("host_shared", "host", []),
                                    ("host_exports", "host", []),
                                    ("host_none", "b", ["open b ./b_shared.so local"])):
            with self.subTest(host=host):
                said = self.run_host(host, *opens, writer + " start", "open a ./a_shared.so local",
                                     "a work", "thread a", "close a", writer + " work",
                                     writer + " dump FILE", "open a ./a_shared.so local", "a work",
                                     "join", writer + " dump FILE")
                self.assertEqual(said, [writer + " start 0", "host close gone", writer + " dump 0",
                                        writer + " dump 0"])
                self.assertEqual(self.rows(), work_of("a", "a", "a", writer))

    # ---- the environment, other versions ----

    def test_the_environment_starts_one_and_says_so_of_the_other(self):
        said = self.run_host("host_none", "open a ./a_static.so local",
                             "open b ./b_static.so local", "a on", "b on", "b work", "a work",
                             "a dump FILE", STAVE_ENABLE="1")
        self.assertEqual(said, ["a on 1", "b on 0", "a dump 0"])
        self.assertEqual(self.stderr, "stave: %s\n" % refused("./a_static.so")[len("-4 "):])
        self.assertEqual(self.rows(), work_of("a"))

    def test_the_environment_starts_what_has_joined_once(self):
        for host in "host_exports", "host_shared", "host_beside":
            said = self.run_host(host, "open a ./a_static.so local", "host on", "a on", "a work",
                                 "host dump FILE", STAVE_ENABLE="1")
            self.assertEqual((said, self.stderr), (["host on 1", "a on 1", "host dump 0"], ""))
            self.assertEqual(self.rows(), work_of("a"))

    def test_a_plugin_compiled_for_another_version(self):
        """Its places are counted, and not touched; what has no place is recorded."""
        said = self.run_host("host_exports", "host start", "open a ./a_other.so local", "a work",
                             "host counts", "host work", "host dump FILE")
        self.assertEqual(said[:1] + said[2:], ["host start 0", "host dump 0"])
        self.assertRegex(said[1], r"^host counts recorded=\d+ dropped_site=0 dropped_abi=10$")
        rows = work_of("host")
        rows["spans"] = sorted(rows["spans"] + ["a named"])
        rows["attributes"] = sorted(rows["attributes"] + ["error"])
        self.assertEqual(self.rows(), rows)


if __name__ == "__main__":
    DIRECTORY = sys.argv.pop(1)
    unittest.main()
