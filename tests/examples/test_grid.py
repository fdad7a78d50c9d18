"""examples/grid: what it answers, and that its recordings hold what docs/grid.md finds in them.

    test_grid.py GRID [STAVE]       the program; and the command, for the tests of recordings
"""
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

GRID = STAVE = ""
TIMEOUT_SECONDS = 120
ROOTS = ["Navigate", "Select", "Sort", "Filter", "Find", "Sum", "Unknown", "Open"]
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("STAVE_")}


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def connect(port):
    """A client's stream, as soon as there is a server."""
    end = time.monotonic() + TIMEOUT_SECONDS
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), TIMEOUT_SECONDS).makefile("rw")
        except ConnectionRefusedError:
            if time.monotonic() > end:
                raise
            time.sleep(0.02)


def ask(client, command):
    """The last line of an answer; of the greeting, if no command is given."""
    if command is not None:
        client.write(command + "\n")
        client.flush()
    return next(line.rstrip("\n") for line in client if not line.startswith(" "))


class Grid(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="stave-test-")
        self.addCleanup(directory.cleanup)
        self.file = os.path.join(directory.name, "grid.stave")
        self.environment = dict(ENVIRONMENT, STAVE_FILE=self.file)

    def grid(self, *arguments, commands=(), status=0):
        """What it prints, by lines."""
        done = subprocess.run([GRID, *arguments], input="".join(line + "\n" for line in commands),
                              env=self.environment, text=True, capture_output=True,
                              timeout=TIMEOUT_SECONDS, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout.splitlines()


class Runs(Grid):
    def test_kept(self):
        self.environment["STAVE_ENABLE"] = "1"
        del self.environment["STAVE_FILE"]
        found = self.grid(commands=[
            "Select 0 2000", "Sort price", "Navigate first", "Sum shelf", "Kept Navigate", "Kept",
            "Show c1-3", "Show c1-99"])
        end = found.index("ok c1-5")
        self.assertRegex(found[end - 1], r"^  c1-3 +Navigate +\d+\.\d{3} ms +\d+ spans  newest slowest$")
        kept = found[end + 1:found.index("ok c1-6")]
        self.assertEqual([line.split()[0] for line in kept], ["c1-4", "c1-3", "c1-2", "c1-1", "c1"])
        self.assertTrue(kept[0].endswith(" newest slowest failed"))
        tree = found[found.index("ok c1-6") + 1:found.index("ok c1-7")]
        names = [(len(line) - len(line.lstrip()), line.split()[0]) for line in tree]
        self.assertEqual(names[:2], [(2, "Navigate"), (4, "grid_go")])
        self.assertIn((8, "find_row"), names)
        row = next(line for line in tree if line.split()[0] == "find_row")
        self.assertIn("2001 times", row)
        self.assertEqual(found[-1], "error c1-8 it is not kept")

    def test_kept_when_nothing_is_recorded(self):
        del self.environment["STAVE_FILE"]
        self.assertEqual(self.grid(commands=["Kept"])[-1],
                         "error c1-1 nothing is recorded: STAVE_ENABLE=1")

    def test_answers(self):
        found = self.grid(commands=[
            "Navigate 7", "Select where hall hall-2 hall-3", "Sort item down", "Navigate first",
            "Filter arrived 2024-02-29", "Filter checked maybe", "Sum price", "Sum shelf",
            "Navigate 100000", "Jump", ""])
        ends = [line for line in found if not line.startswith(" ")]
        self.assertEqual(ends, [
            "ok c1", "ok c1-1", "ok c1-2", "ok c1-3", "ok c1-4", "ok c1-5",
            "error c1-6 'maybe' is no value of checked", "ok c1-7", "error c1-8 shelf has no sum",
            "error c1-9 row '100000' is not shown", "error c1-10 there is no command 'Jump'",
            "error c1-11 there is no command ''"])
        cursors = [line.split()[1:] for line in found if line[2:3] == ">"]
        self.assertEqual(cursors[0][0], "7")
        self.assertEqual(cursors[1][1], "valve-90")
        dates = found[found.index("ok c1-4") + 1]
        self.assertRegex(dates, r"^  \d\d rows are shown$")

    def test_the_same_seed_is_the_same_table(self):
        drawn, again, other = (self.grid("--seed", seed, commands=["Sort weight", "Navigate 9"])
                               for seed in ("5", "5", "6"))
        self.assertEqual(drawn, again)
        self.assertNotEqual(drawn, other)

    def test_an_index_changes_no_answer(self):
        commands = ["Sort shelf", "Select where supplier S-3", "Navigate 500", "Filter stock 0 900",
                    "Navigate last", "Navigate 501", "Sort none", "Navigate page-up",
                    "Filter none", "Navigate page-up"]
        self.assertEqual(self.grid("--index", commands=commands), self.grid(commands=commands))

    def test_replay(self):
        said, = self.grid("--replay", "120", "--workers", "3", "--rows", "3000")
        self.assertRegex(said, r"^120 commands by 3 clients in \d+ ms, [0-9.]+ ms each; "
                               r"\d+ were refused$")

    def test_clients(self):
        port = free_port()
        server = subprocess.Popen([GRID, "--listen", str(port), "--rows", "1000"],
                                  env=self.environment)
        self.addCleanup(server.kill)
        clients = [connect(port) for _ in range(2)]
        ends = sorted(ask(client, None) for client in clients)
        self.assertEqual(ends, ["ok c1", "ok c2"])
        for client in clients:
            self.assertRegex(ask(client, "Navigate down"), "^ok c[12]-1$")
        server.send_signal(signal.SIGTERM)
        self.assertEqual(server.wait(TIMEOUT_SECONDS), 0)
        self.assertEqual(clients[0].readline(), "")

    def test_wrong_use(self):
        for arguments in (["--rows", "0"], ["--seed"], ["--seed", "-1"], ["--replay", "9x"],
                          ["--workers", "65"], ["--replay", "1", "--listen", "4000"], ["extra"]):
            with self.subTest(arguments=arguments):
                self.grid(*arguments, status=2)


class Recordings(Grid):
    def stave(self, *arguments):
        """What it prints: as JSON, if it is asked for that."""
        done = subprocess.run([STAVE, *arguments], env=ENVIRONMENT, text=True, capture_output=True,
                              timeout=TIMEOUT_SECONDS, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout) if "--json" in arguments else done.stdout

    def report(self):
        """The rows of a recording from which nothing is missing, by name."""
        return {row["name"]: row
                for row in self.stave("report", self.file, "--json", "--strict")["rollup"]}

    def slowest(self):
        """The attributes of the slowest root, and its tree's rows by name."""
        tree = self.stave("tree", self.file, "--slowest", "--json")["spans"]
        attributes = {one["key"]: one["value"] for one in tree[0]["attributes"]}
        return tree[0], attributes, {span["name"]: span for span in tree}

    def test_what_was_run_is_there(self):
        said = self.grid(commands=[
            *["Navigate down"] * 20, "Select where supplier S-3", *["Navigate page-down"] * 10,
            "Sort shelf", *["Navigate down"] * 3, "Sort none", *["Navigate up"] * 5,
            "Filter stock 0 9", "Find item pump", "Sum stock", "Sort colour", "Jump"])
        selected = next(int(line.split()[0]) for line in said if "rows are selected" in line)
        rows = self.report()
        calls = {name: rows[name]["calls"] for name in ROOTS}
        self.assertEqual(calls, {"Navigate": 38, "Select": 1, "Sort": 3, "Filter": 1, "Find": 1,
                                 "Sum": 1, "Unknown": 1, "Open": 1})
        failed = {name: rows[name]["failed"] for name in ROOTS if rows[name]["failed"] > 0}
        self.assertEqual(failed, {"Sort": 1, "Unknown": 1})
        self.assertEqual(rows["find_row"]["calls"], selected * (10 + 3 + 5 + 1))
        self.assertEqual(rows["draw_cell"]["calls"], rows["draw_row"]["calls"] * 12)

    def test_the_slow_command(self):
        said = self.grid(commands=[
            *["Navigate down"] * 20, "Select where supplier S-3", *["Navigate page-down"] * 10,
            "Sort shelf", *["Navigate down"] * 3, "Select cursor", *["Navigate up"] * 5])
        selected = next(int(line.split()[0]) for line in said if "rows are selected" in line)
        root, attributes, spans = self.slowest()
        self.assertEqual(root["name"], "Navigate")
        self.assertIn(attributes["id"], ["c1-33", "c1-34", "c1-35"])
        self.assertEqual(attributes["sorted_by"], "shelf")
        self.assertEqual(spans["find_row"]["calls"], selected)
        self.assertTrue(spans["find_row"]["cumulative"])
        self.assertGreater(spans["find_row"]["total_ns"], root["total_ns"] / 2)
        self.assertGreater(root["total_ns"], 5 * self.report()["Navigate"]["p50_ns"])

    def test_a_replay_is_whole_and_the_same(self):
        said, = self.grid("--replay", "400", "--workers", "3", "--seed", "7")
        rows = self.report()
        self.assertEqual(sum(rows[name]["calls"] for name in ROOTS if name in rows), 400 + 3)
        self.assertEqual(sum(rows[name]["failed"] for name in ROOTS if name in rows),
                         int(said.split()[-3]))
        lanes = self.stave("ls", self.file, "--json")["lanes"]
        self.assertEqual(sorted(lane["name"] for lane in lanes), ["w1", "w2", "w3"])
        self.stave("verify", self.file)
        self.grid("--replay", "400", "--workers", "3", "--seed", "7")
        again = self.report()
        self.assertEqual({name: row["calls"] for name, row in again.items()},
                         {name: row["calls"] for name, row in rows.items()})

    def test_the_index_mends_it(self):
        replay = "--replay", "300", "--seed", "1"
        self.grid(*replay)
        slow = self.report()
        self.grid(*replay, "--index")
        mended = self.report()
        self.assertEqual({name: row["calls"] for name, row in mended.items() if name != "note_places"},
                         {name: row["calls"] for name, row in slow.items()})
        self.assertGreater(slow["find_row"]["calls"], 10000)
        self.assertLess(mended["find_row"]["total_ns"], slow["find_row"]["total_ns"] / 5)


def main():
    global GRID, STAVE
    GRID, STAVE = (sys.argv[1:] + [""])[:2]
    names = ["Recordings"] if STAVE else ["Runs"]
    unittest.main(argv=sys.argv[:1] + names)


if __name__ == "__main__":
    main()
