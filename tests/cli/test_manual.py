"""What --help says, the manual pages and the completions say too, and nothing else.

    test_manual.py SOURCE_DIR BIN_DIR GENERATE NAME...

BIN_DIR holds `stave`, and its other names NAME... Pages are linted if there is a program for that,
the completion for zsh is parsed by zsh if it is there; all else needs Python and bash only.
"""
import csv
import functools
import json
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import NamedTuple

TIMEOUT_SECONDS = 60
PACKAGE = "/usr/share/bash-completion/bash_completion"

ENVIRONMENT = {**os.environ, "LC_ALL": "C.UTF-8", "TERM": "dumb", "INPUTRC": "/dev/null",
               "HISTFILE": ""}
ENVIRONMENT.pop("BASH_ENV", None)


def output_of(*command, **keywords):
    done = subprocess.run(command, env=ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=TIMEOUT_SECONDS, check=False, **keywords)
    if done.returncode != 0:
        raise AssertionError(f"{command}: exit {done.returncode}: {done.stderr}")
    return done.stdout


# ---- what --help says ----------------------------------------------------------------------------

class Option(NamedTuple):
    argument: str  # "" for a flag
    help: str


class Help:
    """Of `stave`, a subcommand of it (words has two) or another name."""

    def __init__(self, *words):
        self.words = words
        self.page = "-".join(words) + ".1"
        command = [str(BIN / words[0]), *words[1:]]
        self.text = output_of(*command, "--help")
        assert output_of(*command, "-h") == self.text
        self.usage = re.match(r"usage: (.*)\n", self.text).group(1)
        self.subcommands = dict(re.findall(r"^  ([a-z][a-z-]*) +(.*)$", self.text, re.MULTILINE))
        self.options = {
            name: Option(argument, text) for names, argument, text in
            re.findall(r"^  (--?[a-z-]+(?:, --?[a-z-]+)*)(?: (\S+))? +(\S.*)$", self.text,
                       re.MULTILINE)
            for name in names.split(", ")}
        if not self.options:  # the overview names them in a sentence
            self.options = {name: Option("", "") for name in re.findall(r"--[a-z-]+", self.text)}
        exits = re.search(r"^exit status: (.*)$", self.text, re.MULTILINE)
        self.exits = re.findall(r"\b\d\b", exits.group(1)) if exits else None


def setUpModule():
    global OVERVIEW, COMMANDS
    OVERVIEW = Help("stave")
    COMMANDS = [Help("stave", name) for name in OVERVIEW.subcommands]
    COMMANDS += [Help(name) for name in NAMES]


def arguments_of(options):
    return {name: option.argument for name, option in options.items()}


# ---- the manual ----------------------------------------------------------------------------------

class Page:
    def __init__(self, path):
        self.text = path.read_text(encoding="utf-8")
        parts = re.split(r"^\.Sh (.*)\n", self.text, flags=re.MULTILINE)
        self.head, self.sections = parts[0], dict(zip(parts[1::2], parts[2::2]))

    def part(self, title):
        """A subsection of OUTPUT."""
        return re.split(r"^\.S[hs] .*\n", self.text.split(f"\n.Ss {title}\n")[1],
                        flags=re.MULTILINE)[0]


def named_options(text):
    """With their dashes; -h, which stands beside --help, is in no list."""
    return {"-" + name for name in re.findall(r"\bFl (-?[a-z][a-z-]*)", text)} - {"-h"}


def split_names(text):
    """An option with two names, `Fl o | Fl -output Ar FILE`, is two options."""
    return re.sub(r"\bFl ([a-z]) [|,] (Fl -[a-z-]+)( (?:Ar|Cm) \S+)?", r"Fl \1\3 \2\3", text)


def listed_options(text):
    return {"-" + name: argument for name, argument in re.findall(
        r"\bFl (-?[a-z][a-z-]*)(?: (?:Ar|Cm) (\S+))?", text)}


def items(macro, text):
    return re.findall(rf"^\.It {macro}(.*)$", text, re.MULTILINE)


def on_each_page(test):
    @functools.wraps(test)
    def run(self):
        for help in [OVERVIEW] + COMMANDS:
            with self.subTest(page=help.page):
                test(self, help, self.pages[help.page])
    return run


class Manual(unittest.TestCase):
    def setUp(self):
        self.pages = {help.page: Page(SOURCE / "docs/man" / help.page)
                      for help in [OVERVIEW] + COMMANDS}

    def test_one_page_for_each_command(self):
        self.assertEqual(sorted(path.name for path in (SOURCE / "docs/man").iterdir()),
                         sorted(self.pages))

    @on_each_page
    def test_head(self, help, page):
        name = help.page.removesuffix(".1")
        self.assertRegex(page.head, rf"(?m)^\.Dt {name.upper()} 1$")
        # The version comes from include/stave/status.h when the page is installed.
        self.assertRegex(page.head, r"(?m)^\.Os Stave @STAVE_VERSION@$")
        self.assertEqual(page.text.count("@"), 2)
        self.assertNotRegex(page.text, r"\b\d+\.\d+\.\d+\b")
        self.assertRegex(page.sections["NAME"], rf"(?m)^\.Nm {name}$")
        for section in ("SYNOPSIS", "DESCRIPTION", "OPTIONS", "OUTPUT", "EXIT STATUS",
                        "EXAMPLES", "SEE ALSO"):
            self.assertIn(section, page.sections)

    @on_each_page
    def test_options(self, help, page):
        found = {}
        for item in re.findall(r"^\.It (Fl .*)$", page.sections["OPTIONS"], re.MULTILINE):
            listed = split_names(item.replace("Fl h , ", ""))
            self.assertRegex(listed, r"^(?:Fl -?[a-z][a-z-]*(?: (?:Ar|Cm) \S+)? ?)+$")
            found |= listed_options(listed)
        self.assertEqual(found, arguments_of(help.options))
        self.assertEqual(named_options(page.text), set(help.options))

    @on_each_page
    def test_synopsis(self, help, page):
        synopsis = page.sections["SYNOPSIS"]
        self.assertEqual(listed_options(split_names(synopsis)), arguments_of(help.options))
        if help is not OVERVIEW:
            operands = re.findall(r"^\.((?:Op )?Ar .*)$", synopsis, re.MULTILINE)
            found = [re.sub(r"^Op (.*)", r"[\1]", line).replace("Ar ", "").replace("Fl", "-")
                     .replace(" ", "") for line in operands]
            self.assertEqual(found, [help.usage.split()[-1]])

    def test_subcommands(self):
        section = self.pages[OVERVIEW.page].sections["DESCRIPTION"]
        self.assertEqual(dict(re.findall(r"^\.It Cm (.*)\n(.*)\.$", section, re.MULTILINE)),
                         OVERVIEW.subcommands)
        for name in NAMES:
            self.assertIn(f"\n.Nm {name} ", section)

    @on_each_page
    def test_exit_statuses(self, help, page):
        found = items("", page.sections["EXIT STATUS"])
        self.assertEqual(found, COMMANDS[0].exits if help is OVERVIEW else help.exits)

    @on_each_page
    def test_references(self, help, page):
        references = set(re.findall(r"\bXr (\S+) 1\b", page.text))
        self.assertEqual({name + ".1" for name in references} - set(self.pages), set())
        seen = re.findall(r"^\.Xr (\S+) 1(?: ,)?$", page.sections["SEE ALSO"], re.MULTILINE)
        others = set(self.pages) - {help.page}
        self.assertEqual(seen, sorted(name.removesuffix(".1") for name in others))

    @on_each_page
    def test_examples(self, help, page):
        """Commands that stand in examples are understood by the command."""
        known = {" ".join(help.words): help for help in COMMANDS}
        count = 0
        for line in re.findall(r"^\.Dl (.*)$", page.text, re.MULTILINE):
            self.assertNotRegex(line, r"(?<!\\)-", "a minus is \\-")
            for part in re.split(r"[|>]", line.replace("\\-", "-")):
                called = [name for name in known if f"{part.strip()} ".startswith(name + " ")]
                count += len(called)
                for name in called:
                    options = set(re.findall(r"(?<=\s)--?[a-z][a-z-]*", part))
                    self.assertEqual(options - set(known[name].options), set(), line)
        self.assertGreater(count, 0)

    def test_names_in_the_output(self):
        """Columns and counters, against a recording."""
        page = self.pages["stave-decode.1"]
        vectors = SOURCE / "tests/etrace/vectors"

        def decode(*options):
            return output_of(str(BIN / "stave"), "decode", str(vectors / "loop.bin"), *options)

        def listed(title):
            return items("Li ", page.part(title))

        self.assertEqual(listed("The summary"), re.split(r" {2,}", decode().split("\n", 1)[0]))
        self.assertEqual(listed("The CSV"), next(csv.reader(decode("--csv", "-").split("\n"))))
        counters = json.loads(decode("--stats", "json"))
        self.assertEqual(listed("The counters"), list(counters))
        strict = re.search(r"^\.It Fl -strict\n(.*?)^\.It ", page.sections["OPTIONS"],
                           re.MULTILINE | re.DOTALL)
        named = re.findall(r"^\.Li (\S+)", strict.group(1), re.MULTILINE)
        self.assertEqual(set(named) - set(counters), set())

    def test_csv_that_is_drawn(self):
        """Its columns, and the example, which is the same wherever it stands and can be read."""
        pages = [self.pages[f"{name}-diagram.1"] for name in ("stave", "etrace")]
        example = re.search(r"^\.Bd -literal[^\n]*\n(.*?)^\.Ed", pages[0].text,
                            re.MULTILINE | re.DOTALL).group(1)
        indented = "".join(f"    {line}\n" for line in example.splitlines())
        for page in pages:
            self.assertIn(example, page.text)
            self.assertEqual(items("Li ", page.part("Which CSVs are drawn")),
                             example.split("\n", 1)[0].split(","))
        for name in "docs/csv.md", "README.md":
            self.assertIn(f"\n\n{indented}\n", (SOURCE / name).read_text(encoding="utf-8"))
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory, "example.csv")
            path.write_text(example, encoding="utf-8")
            read = output_of(str(BIN / "stave"), "ls", str(path))
        self.assertIn("rows: 2 spans, 1 marks, 1 gaps\n", read)

    def test_names_in_reports(self):
        """What `ls`, `roots` and `report` print, as tables and as JSON, against a recording that knows what it cost."""
        with tempfile.TemporaryDirectory() as directory:
            recording = str(Path(directory, "costly.stave"))
            made = subprocess.run([GENERATE, "costly"], capture_output=True, check=True)
            Path(recording).write_bytes(made.stdout)
            for name in "ls", "roots", "report":
                page = self.pages[f"stave-{name}.1"]
                found = json.loads(output_of(str(BIN / "stave"), name, recording, "--json"))
                self.assertEqual(items("Li ", page.part("The JSON")), list(found))
            heads = output_of(str(BIN / "stave"), "report", recording).split("\n", 1)[0]
        keys = set(found["rollup"][0]) | set(found["cost"])
        self.assertEqual(keys - set(re.findall(r"\w+", page.part("The JSON"))), set())
        columns = [head.removesuffix(" us") for head in re.split(r" {2,}", heads)]
        self.assertEqual(items("Li ", page.sections["OUTPUT"])[:len(columns)], columns)

    @on_each_page
    def test_lint(self, help, page):
        version = output_of(str(BIN / "stave"), "--version").split()[1]
        linters = [["mandoc", "-T", "lint", "-W", "warning"],
                   ["groff", "-mandoc", "-ww", "-K", "utf8", "-T", "utf8", "-z"]]
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory, help.page)
            path.write_text(page.text.replace("@STAVE_VERSION@", version), encoding="utf-8")
            for linter in linters:
                if shutil.which(linter[0]) is None:
                    continue
                done = subprocess.run(linter + [str(path)], capture_output=True, text=True,
                                      timeout=TIMEOUT_SECONDS, check=False)
                self.assertEqual((done.stdout + done.stderr, done.returncode), ("", 0))


# ---- the completion for bash ---------------------------------------------------------------------

FILES = ["-o default"]  # what readline is asked for
DIRECTORIES = ["-o dirnames"]


class Bash(unittest.TestCase):
    """The completion function, called as bash calls it."""

    script = """
        compopt() { printf '%s\\n' "$*"; }
        . "$1" || exit
        name=$2
        shift 2
        function=$(complete -p "$name" | sed 's/.*-F \\([^ ]*\\) .*/\\1/')
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=(left behind)
        "$function" "$name" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        for word in "${COMPREPLY[@]}"; do printf '%s\\n' "$word"; done"""

    def offered(self, *words):
        """What is offered for the last of the words."""
        text = output_of("bash", "--norc", "--noprofile", "-c", self.script, "bash",
                         str(COMPLETION), Path(words[0]).name, *words)
        return text.splitlines()

    def argument(self, option):
        if not option.argument.isupper():
            return [option.argument]
        formats = re.findall(r"\w+", option.help.split(";")[0].replace(" or ", " "))
        return {"DIR": DIRECTORIES, "FILE": FILES, "FORMAT": formats}.get(option.argument, [])

    def test_subcommands(self):
        self.assertEqual(self.offered("stave", ""), list(OVERVIEW.subcommands))
        for name in OVERVIEW.subcommands:
            begun = [other for other in OVERVIEW.subcommands if other.startswith(name[:3])]
            self.assertEqual(self.offered("stave", name[:3]), begun)
        self.assertEqual(self.offered("/usr/bin/stave", "-"), list(OVERVIEW.options))
        self.assertEqual(self.offered("stave", "zzz"), [])
        self.assertEqual(self.offered("stave", "zzz", ""), [])
        self.assertEqual(self.offered("stave", "--help", ""), [])

    def test_options(self):
        for help in COMMANDS:
            for dashes in "-", "--":
                options = [name for name in help.options if name.startswith(dashes)]
                self.assertEqual(self.offered(*help.words, dashes), options)
                self.assertEqual(self.offered(*help.words, "file", dashes), options)
            for name in help.options:
                self.assertEqual(self.offered(*help.words, name), [name])
            self.assertEqual(self.offered(*help.words, "--no-such"), [])

    def test_arguments(self):
        for help in COMMANDS:
            for name, option in help.options.items():
                with self.subTest(command=help.words, option=name):
                    if not option.argument:
                        self.assertEqual(self.offered(*help.words, name, ""), FILES)
                        continue
                    expected = self.argument(option)
                    self.assertEqual(self.offered(*help.words, name, ""), expected)
                    self.assertEqual(self.offered(*help.words, name, "="), expected)
                    begun = expected[0][:1] if expected else "x"
                    if option.argument == "FORMAT":
                        expected = [word for word in expected if word.startswith(begun)]
                    self.assertEqual(self.offered(*help.words, name, begun), expected)
                    self.assertEqual(self.offered(*help.words, name, "=", begun), expected)
                    self.assertEqual(self.offered(*help.words, name, "x", ""), FILES)
                    self.assertEqual(self.offered(*help.words, name, "=", "x", ""), FILES)

    def test_operands(self):
        for help in COMMANDS:
            self.assertEqual(self.offered(*help.words, ""), FILES)
            self.assertEqual(self.offered(*help.words, "--", "-"), FILES)
            for name in help.options:
                self.assertEqual(self.offered(*help.words, "--", name, ""), FILES)


class Terminal(unittest.TestCase):
    """What is typed, with tabs, and what the command is then called with."""

    def called(self, typed, package):
        with tempfile.TemporaryDirectory() as directory:
            tree = Path(directory)
            (tree / "here/runs").mkdir(parents=True)
            (tree / "here/runs.bin").touch()
            (tree / "here/my recording.bin").touch()
            (tree / "profile").write_text(
                (f". {PACKAGE}\n" if package else "") + f". '{COMPLETION}'\n" + "".join(
                    f"{name}() {{ printf '%s\\n' \"$@\" > ../words; exit; }}\n"
                    for name in ["stave"] + NAMES), encoding="utf-8")
            try:
                ours, theirs = pty.openpty()
            except OSError:
                self.skipTest("there are no pseudo-terminals here")
            with subprocess.Popen(["bash", "--noprofile", "--rcfile", "../profile", "-i"],
                                  cwd=tree / "here", env=ENVIRONMENT, stdin=theirs, stdout=theirs,
                                  stderr=theirs, start_new_session=True) as bash:
                os.close(theirs)
                os.write(ours, f"{typed}\n".encode())
                shown = b""
                try:
                    while select.select([ours], [], [], TIMEOUT_SECONDS)[0]:
                        shown += os.read(ours, 4096)
                except OSError:  # the end of a terminal
                    pass
                finally:
                    os.close(ours)
                    bash.kill()
            self.assertTrue((tree / "words").exists(), shown.decode(errors="replace"))
            return (tree / "words").read_text(encoding="utf-8").splitlines()

    def test_tabs(self):
        cases = [
            ("stave dec\tmy\t", ["decode", "my recording.bin"]),
            ("stave decode --cs\tmy\t", ["decode", "--csv", "my recording.bin"]),
            ("stave decode --csv=my\t", ["decode", "--csv=my recording.bin"]),
            ("stave decode 'my r\t --sta\t\t", ["decode", "my recording.bin", "--stats", "json"]),
            ("stave decode --stats=\t--str\t", ["decode", "--stats=json", "--strict"]),
            ("stave di\t--ti\tx my\t", ["diagram", "--title", "x", "my recording.bin"]),
            ("etrace-diagram --o\tmy\t", ["--output", "my recording.bin"]),
            ("etrace-diagram -o my\t", ["-o", "my recording.bin"]),
            ("stave ve\tmy\t", ["verify", "my recording.bin"]),
            ("stave recover -o my\t", ["recover", "-o", "my recording.bin"]),
            ("stave tree --sl\tmy\t", ["tree", "--slowest", "my recording.bin"]),
            ("etrace-decode --o\tr\t", ["--output", "runs/"]),
            ("etrace-decode --output=r\t", ["--output=runs/"]),
            ("etrace-decode runs.\t", ["runs.bin"]),
        ]
        for package in [False] + [True] * os.path.exists(PACKAGE):
            for typed, expected in cases:
                with self.subTest(typed=typed, package=package):
                    self.assertEqual(self.called(typed, package), expected)


# ---- the completion for zsh ----------------------------------------------------------------------

class Zsh(unittest.TestCase):
    def setUp(self):
        self.text = (SOURCE / "tools/completion/_stave").read_text(encoding="utf-8")
        self.functions = dict(re.findall(r"^(_[a-z_]+)\(\) \{\n(.*?)^\}", self.text,
                                         re.MULTILINE | re.DOTALL))

    def specified(self, function):
        specs = re.findall(r'^ +"(?:\([^)]*\))?\*?(--?[a-z-]+)(=?)\[([^]]*)\](?::([\w=]+):[^"]+)?"',
                           self.functions[function], re.MULTILINE)
        for name, equals, _, argument in specs:
            self.assertEqual(equals != "", argument != "", name)
        return {name: Option(argument, text) for name, _, text, argument in specs}

    def test_names(self):
        self.assertTrue(self.text.startswith(f"#compdef {' '.join(['stave'] + NAMES)}\n"))
        listed = re.findall(r'^ +"([a-z-]+):((?:[^":\\]|\\.)*)"',
                            self.functions["_stave_subcommands"], re.MULTILINE)
        self.assertEqual({name: text.replace("\\", "") for name, text in listed},
                         OVERVIEW.subcommands)
        own = {"_stave", "_stave_subcommands"}
        functions = {"_stave_" + help.words[-1].replace("-", "_") for help in COMMANDS}
        self.assertEqual(set(self.functions), own | functions)
        for function in functions | own - {"_stave"}:
            self.assertRegex(self.functions["_stave"], rf"\b{function}\b")

    def test_options(self):
        self.assertEqual(set(self.specified("_stave")), set(OVERVIEW.options))
        for help in COMMANDS:
            with self.subTest(command=help.words):
                function = "_stave_" + help.words[-1].replace("-", "_")
                self.assertEqual(self.specified(function), help.options)

    def test_syntax(self):
        zsh = shutil.which("zsh")
        if zsh is not None:
            output_of(zsh, "-n", str(SOURCE / "tools/completion/_stave"))


if __name__ == "__main__":
    SOURCE, BIN = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    GENERATE, NAMES = sys.argv[3], sys.argv[4:]
    COMPLETION = SOURCE / "tools/completion/stave.bash"
    unittest.main(argv=sys.argv[:1])
