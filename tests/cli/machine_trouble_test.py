# SPDX-License-Identifier: Apache-2.0
"""Full disks, no memory, no more files or processes, no temporary folder, closed standard output:
one line that says so, the code that docs/exit-codes.md promises, and nothing half written."""

import os
import pathlib
import resource
import subprocess
import tempfile
import unittest

from program import (HAS_SIMGRID, PATIENCE_S, PLATFORM_XML, PROGRAM, SANITIZED, ProgramTest, SMALL,
                     changed)

STUDY = changed(changed(SMALL, ["replications"], 2), ["sweep"], {"seed": [1, 2]})
COMPARE = ("--by", "termination.name", "--metric", "control_messages")
FIGURE = "termination-2022/figure-2"  # measured in a second
GENERATE = ("faults", "generate", "poisson", "mtbf_s=1e4", "--nodes", "64", "--duration", "1e6")
MIB = 1 << 20

# Every command that writes a file, and the code with which a full disk ends it.
WRITERS = (
    (2, ("run", "s.json", "--out", "new")), (2, ("trace", "s.json", "--out", "new.html")),
    (2, ("query", "r.sqlite", "--out", "new")),
    (2, ("compare", "r.sqlite", *COMPARE, "--out", "new")),
    (2, ("reproduce", FIGURE, "--quick", "--quiet", "--out", "new")),
    (2, ("tree", "--out", "new")), (2, (*GENERATE, "--out", "new")),
    (2, ("faults", "summarize", "t.fta", "--counts", "new")),
    (1, ("merge", "new", "r.sqlite")))

# Every command that prints.
PRINTERS = (
    (), ("--version",), ("run", "s.json"), ("run", "s.json", "--format", "json"),
    ("run", "s.json", "--dry-run"), ("trace", "s.json", "--format", "paje"),
    ("sweep", "study.json", "--store", "r.sqlite"), ("query", "r.sqlite"),
    ("compare", "r.sqlite", *COMPARE), ("merge", "--help"), ("validate", "s.json"), ("list",),
    ("list", "--format", "json"), ("schema",), ("survival",),
    ("reproduce", FIGURE, "--quick", "--quiet"), GENERATE, ("faults", "summarize", "t.fta"),
    ("tree",), ("step-model", "--tree", "tree.json", "--processes", "4"),
    ("bench", "--messages", "1000", "--processes", "16", "--rounds", "1"),
    ("completion", "zsh"), ("man",))


def limited(kind, value):
    return lambda: resource.setrlimit(kind, (value, value))


class TroubleTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("s.json", SMALL)
        self.write("study.json", STUDY)
        self.write("tree.json", {"parents": [None, 0, 0, 1]})
        self.answer("sweep", "study.json", "--store", "r.sqlite")
        self.answer(*GENERATE, "--out", "t.fta")

    def content(self):
        return {str(path): path.read_bytes() if path.is_file() else None
                for path in self.folder.rglob("*")}

    def check_trouble(self, code, arguments, words="", **settings):
        """It ends with the code and one line, which it returns, and changes nothing."""
        before = self.content()
        settings = {"stdout": subprocess.PIPE, **settings}
        result = subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, text=True,
                                stderr=subprocess.PIPE, timeout=PATIENCE_S, check=False, **settings)
        self.assertEqual(result.returncode, code, (arguments, result.stderr))
        self.assertRegex(result.stderr, r"\Afaultline: [^\n]+\n\Z", arguments)
        self.assertIn(words, result.stderr, arguments)
        self.assertNotIn("std::", result.stderr)
        self.assertEqual(self.content(), before, arguments)
        return result.stderr


class FullDisks(TroubleTest):
    """A limit on the size of files stops every write as a full disk does."""

    def test_every_file_that_is_written(self):
        for code, arguments in WRITERS:
            with self.subTest(arguments):
                line = self.check_trouble(code, arguments,
                                          preexec_fn=limited(resource.RLIMIT_FSIZE, 0))
                self.assertIn("new", line)

    def test_a_page(self):
        self.check_trouble(2, ("report", "r.sqlite", "--html", "/dev/full"), "--html /dev/full: ")
        self.check_trouble(2, ("reproduce", FIGURE, "--quick", "--quiet", "--html", "/dev/full",
                               "--out", "new"), "--html /dev/full: ")

    def test_figures(self):
        line = self.check_trouble(1, ("report", "r.sqlite", "--figures", "new/folder"),
                                  preexec_fn=limited(resource.RLIMIT_FSIZE, 0))
        self.assertIn("to draw figures", line)

    def test_a_store(self):
        self.write("other.json", changed(STUDY, ["sweep"], {"seed": [7, 8]}))
        line = self.check_trouble(1, ("sweep", "other.json", "--store", "r.sqlite", "--add-study"),
                                  preexec_fn=limited(resource.RLIMIT_FSIZE, 0))
        self.assertIn("r.sqlite: ", line)

    def test_standard_output(self):
        for arguments in PRINTERS:
            with self.subTest(arguments), open("/dev/full", "w", encoding="utf-8") as full:
                self.check_trouble(1, arguments, "standard output cannot be written", stdout=full)

    def test_a_long_run_needs_no_disk_to_print(self):
        arguments = ("run", "s.json", "--replications", "1000", "--format", "csv", "--jobs", "2")
        whole = self.answer(*arguments)
        for settings in ({"preexec_fn": limited(resource.RLIMIT_FSIZE, 4096)},
                         {"env": dict(os.environ, TMPDIR="/nonexistent")}):
            result = self.faultline(*arguments, **settings)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertEqual(self.without_clock(result.stdout), self.without_clock(whole))

    @staticmethod
    def without_clock(text):
        return [line.rsplit(",", 2)[0] for line in text.splitlines()]


class ClosedOutput(TroubleTest):
    def test_every_verb(self):
        for arguments in PRINTERS:
            with self.subTest(arguments):
                self.check_trouble(1, arguments, "standard output cannot be written",
                                   stdout=None, preexec_fn=lambda: os.close(1))

    def test_a_file_does_not_get_what_is_printed(self):
        # Without standard output the next file that is opened would have its number.
        before = (self.folder / "r.sqlite").read_bytes()
        for arguments in (("tree", "--out", "new.json"), (*GENERATE, "--out", "new.fta")):
            whole = self.folder / arguments[-1]
            self.answer(*arguments)
            expected = whole.read_bytes()
            result = self.faultline(*arguments, preexec_fn=lambda: os.closerange(0, 3))
            self.assertEqual((result.returncode, whole.read_bytes()), (1, expected))
        self.assertEqual((self.folder / "r.sqlite").read_bytes(), before)


class TemporaryFolder(TroubleTest):
    def check(self, place, *arguments):
        line = self.check_trouble(1, arguments, env=dict(os.environ, TMPDIR=str(place)))
        self.assertIn(str(place), line)
        self.assertRegex(line, r": [A-Z][a-z ]+;")  # the reason

    def test_none(self):
        self.write("file", "no folder")
        for place in ("/nonexistent", "/proc", self.folder / "file"):
            with self.subTest(place):
                self.check(place, "report", "r.sqlite", "--html", "new")
                self.check(place, "reproduce", FIGURE, "--quick", "--quiet", "--html", "new")

    @unittest.skipUnless(HAS_SIMGRID, "built without SimGrid")
    def test_none_for_a_platform_file(self):
        self.write("p.xml", PLATFORM_XML)
        self.write("x.json", changed(SMALL, ["platform"], {"xml": "p.xml", "processes": 8,
                                                           "processes_per_node": 2}))
        self.check("/nonexistent", "validate", "x.json")
        self.check_trouble(1, ("validate", "x.json"), "TMPDIR",
                           preexec_fn=limited(resource.RLIMIT_FSIZE, 0))

    def test_not_named(self):
        environment = {name: value for name, value in os.environ.items() if name != "TMPDIR"}
        for settings in (environment, dict(environment, TMPDIR="")):
            result = self.faultline("report", "r.sqlite", "--html", "new", env=settings)
            self.assertEqual(result.returncode, 0, result.stderr)


class NoMore(TroubleTest):
    COMMANDS = (("run", "s.json", "--jobs", "2"), ("trace", "s.json", "--format", "html"),
                ("bench", "--messages", "1000", "--processes", "16", "--rounds", "1"),
                ("sweep", "other.json", "--store", "new.sqlite", "--jobs", "2"))

    def setUp(self):
        super().setUp()
        self.write("other.json", changed(STUDY, ["name"], "other"))

    def test_file_descriptors(self):
        """From too few for anything to enough."""
        for arguments in self.COMMANDS:
            codes = []
            for most in range(4, 16):
                result = self.faultline(*arguments,
                                        preexec_fn=limited(resource.RLIMIT_NOFILE, most))
                codes.append(result.returncode)
                self.assertIn(result.returncode, (0, 1), (most, arguments, result.stderr))
                if result.returncode == 1:
                    self.assertRegex(result.stderr, r"\Afaultline: [^\n]+\n\Z")
                self.assertEqual(list(self.folder.glob("*partial*")), [])
            self.assertEqual((codes[0], codes[-1]), (1, 0), arguments)
            (self.folder / "new.sqlite").unlink(missing_ok=True)

    @unittest.skipIf(SANITIZED, "the address sanitizer reserves more memory than any limit")
    def test_memory(self):
        """From the least in which the program can be loaded to enough."""
        least = next(size for size in range(16 * MIB, 1024 * MIB, 2 * MIB)
                     if self.faultline("--version", preexec_fn=limited(resource.RLIMIT_AS, size))
                     .returncode == 0)
        big = ("run", "s.json", "--set", "platform.processes=100000", "--set", "replications=1")
        wanting = 0
        for arguments in ((*big, "--out", "new"), ("query", "r.sqlite", "--out", "new"),
                          ("tree", "--preset", "big", "--out", "new"),
                          ("bench", "--processes", "100000", "--messages", "1000")):
            for more in (0, 1, 2, 4, 8, 16):
                result = self.faultline(
                    *arguments, preexec_fn=limited(resource.RLIMIT_AS, least + more * MIB))
                self.assertIn(result.returncode, (0, 1), (arguments, more, result.stderr))
                if result.returncode == 1:
                    wanting += 1
                    self.assertRegex(result.stderr,
                                     r"\A(faultline: [^\n]*out of memory[^\n]*\n)+\Z", arguments)
                self.assertEqual(list(self.folder.glob("*partial*")), [])
        self.assertGreater(wanting, 0)

    def test_processes(self):
        """As nobody, since root has no limit; the program may lie where nobody sees it."""
        program = os.open(PROGRAM, os.O_RDONLY)
        self.addCleanup(os.close, program)
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o777)
            for name in ("s.json", "other.json"):
                content = changed(STUDY if name == "other.json" else SMALL,
                                  ["platform", "machine"], "./m.json")
                self.write(pathlib.Path(folder) / name, content)
            machine = pathlib.Path(os.environ["FAULTLINE_SOURCE_DIR"], "scenarios/machines")
            self.write(pathlib.Path(folder) / "m.json", (machine / "intrepid.json").read_text())
            for arguments in self.COMMANDS:
                if arguments[0] == "bench":  # it needs a shipped machine
                    continue
                result = self.without_processes(program, arguments, folder)
                self.assertEqual(result.returncode, 1, result.stderr)
                self.assertRegex(result.stderr, r"\Afaultline: cannot start a worker: [^\n]+\n\Z")

    def without_processes(self, program, arguments, folder):
        def become_nobody():
            resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
            os.chdir(folder)
            if os.geteuid() == 0:
                os.setgroups([])
                os.setgid(65534)
                os.setuid(65534)
            os.set_inheritable(program, True)
            os.execve(program, ["faultline", *arguments], {"FAULTLINE_DATA": folder})

        return subprocess.run(["true"], preexec_fn=become_nobody, capture_output=True, text=True,
                              close_fds=False, timeout=PATIENCE_S, check=False)


if __name__ == "__main__":
    unittest.main()
