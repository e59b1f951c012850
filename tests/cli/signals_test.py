# SPDX-License-Identifier: Apache-2.0
"""SIGINT, SIGTERM and SIGHUP end every verb with 130 and one line; nothing stays of what it has not
completed, and none of its processes. Each case holds the program at a known moment."""

import errno
import os
import pathlib
import signal
import sqlite3
import subprocess
import tempfile
import time
import unittest

from program import HAS_SIMGRID, PATIENCE_S, PROGRAM, ProgramTest, SMALL, changed, without_progress

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
STUDY = changed(changed(SMALL, ["replications"], 2), ["sweep"], {"seed": [1, 2]})
LONG = changed(SMALL, ["replications"], 1000000)
ENDLESS = changed(changed(SMALL, ["termination"], {"name": "cda"}), ["workload"],
                  {"name": "token-ring", "walk_length": 2000000000})
COMPARE = ("--by", "termination.name", "--metric", "control_messages")
FIGURE = "termination-2022/figure-2"  # measured in a second

# In place of gnuplot: reports a version and draws for ever.
BLOCKED_GNUPLOT = """#!/bin/sh
case "$*" in *--version*) exit 0 ;; esac
echo > "$STARTED"
exec sleep 1000
"""


# A wrapper in place of gnuplot that waits for another process than the one it has started.
WRAPPED_GNUPLOT = """#!/bin/sh
case "$*" in *--version*) exit 0 ;; esac
sleep 1000 &
echo > "$STARTED"
sleep 1000
"""

# A wrapper that ends at once and leaves a process behind.
LEAVING_GNUPLOT = """#!/bin/sh
case "$*" in *--version*) exit 0 ;; esac
sleep 1000 &
echo > "$STARTED"
exit 1
"""


def processes_with(mark):
    """The numbers of the processes that have this in their environment."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark.encode() in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:  # it has ended, or is somebody else's
            pass
    return found


def catches(pid, number):
    """Whether a process has its own handler of a signal."""
    try:
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return False
    caught = next((line for line in status.splitlines() if line.startswith("SigCgt:")), "x: 0")
    return int(caught.split()[1], 16) >> (number - 1) & 1 == 1


def writes_to(pid, file):
    """Whether a process waits in a system call whose first argument is this descriptor."""
    try:
        words = pathlib.Path(f"/proc/{pid}/syscall").read_text().split()
    except OSError:
        return False
    return len(words) > 2 and words[1] == hex(file)


def full_pipe():
    """A pipe into which nothing more goes."""
    ours, theirs = os.pipe()
    os.set_blocking(theirs, False)
    try:
        while True:
            os.write(theirs, b"x" * 4096)
    except BlockingIOError:
        pass
    os.set_blocking(theirs, True)
    return ours, theirs


def default_signals():
    """As in a terminal, also where the tests themselves run under nohup."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)


class SignalsTest(ProgramTest):
    def setUp(self):
        super().setUp()
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.scratch = pathlib.Path(temporary.name) / "scratch"
        self.scratch.mkdir()
        self.tools = pathlib.Path(temporary.name) / "tools"
        self.tools.mkdir()
        self.turn = 0
        self.write("s.json", SMALL)
        self.write("study.json", STUDY)
        self.write("endless.json", ENDLESS)
        self.answer("sweep", "study.json", "--store", "r.sqlite")

    def start(self, *arguments, **settings):
        environment = dict(os.environ, TMPDIR=str(self.scratch),
                           STARTED=str(self.tools / "drawing"),
                           PATH=f"{self.tools}:{os.environ['PATH']}")
        process = subprocess.Popen(
            [PROGRAM, *map(str, arguments)], cwd=self.folder, text=True, start_new_session=True,
            preexec_fn=default_signals, env=environment,
            **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **settings})
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def wait_until(self, condition, process=None):
        end = time.monotonic() + PATIENCE_S
        while not condition():
            if process is not None and process.poll() is not None:
                self.fail(f"ended before: {process.communicate()}")
            self.assertLess(time.monotonic(), end, "does not happen")
            time.sleep(0.01)

    def everything(self):
        return sorted(str(path) for folder in (self.folder, self.scratch)
                      for path in folder.rglob("*"))

    def check_end(self, process, before):
        """Sends the signal whose turn it is to the whole group, as a terminal does."""
        number = SIGNALS[self.turn % len(SIGNALS)]
        self.turn += 1
        os.killpg(process.pid, number)
        out, errors = process.communicate(timeout=PATIENCE_S)
        errors = without_progress(errors)
        self.assertEqual(process.returncode, 130, (process.args, number, errors))
        self.assertEqual(errors, "faultline: interrupted\n", (process.args, number))
        self.wait_until(lambda: processes_with(f"TMPDIR={self.scratch}") == [])
        self.assertEqual(self.everything(), before, (process.args, number))
        return out, errors


class WhileItReads(SignalsTest):
    def check(self, fifo, *arguments):
        os.mkfifo(self.folder / fifo)
        before = self.everything()
        for _ in SIGNALS:
            with self.subTest(arguments):
                process = self.start(*arguments)
                # Opens when the program has opened it, which then waits for what is written.
                writer = self.open_when_read(self.folder / fifo, process)
                self.check_end(process, before)
                os.close(writer)
        (self.folder / fifo).unlink()

    def open_when_read(self, fifo, process):
        found = []

        def opened():
            try:
                found.append(os.open(fifo, os.O_WRONLY | os.O_NONBLOCK))
                return True
            except OSError as error:
                self.assertEqual(error.errno, errno.ENXIO)
                return False

        self.wait_until(opened, process)
        return found[0]

    def test_every_verb_that_reads_files(self):
        self.check("f", "run", "f", "--out", "out.json")
        self.check("f", "trace", "f", "--out", "out.html")
        self.check("f", "sweep", "f", "--store", "new.sqlite")
        self.check("f", "validate", "s.json", "f")
        self.check("f", "faults", "summarize", "f", "--counts", "out.json")
        self.check("f", "step-model", "--tree", "f", "--processes", 4)
        self.check("f.json", "report", "r.sqlite", "--reproduce", "./f.json", "--html", "out.html")


class WhileItWrites(SignalsTest):
    """Nobody reads standard output, so that the program waits there."""

    COMMANDS = (
        ("--help",), ("--version",), ("run", "--help"), ("run", "s.json"),
        ("run", "s.json", "--dry-run"), ("trace", "s.json", "--format", "html"),
        ("sweep", "study.json", "--store", "r.sqlite"),
        ("sweep", "study.json", "--dry-run"),
        ("query", "r.sqlite"), ("query", "r.sqlite", "--runs", "--format", "json"),
        ("compare", "r.sqlite", *COMPARE), ("merge", "--help"),
        ("validate", "s.json"), ("list",), ("schema",), ("schema", "--format", "markdown"),
        ("reproduce", FIGURE, "--quick", "--quiet"), ("survival",),
        ("faults", "generate", "poisson", "mtbf_s=1e4", "--nodes", "4", "--duration", "1e6"),
        ("step-model", "--tree", "tree.json", "--processes", "4"), ("tree",),
        ("bench", "--messages", "1000", "--processes", "16"),
        ("completion", "bash"), ("man",))

    def setUp(self):
        super().setUp()
        self.write("tree.json", {"parents": [None, 0, 0, 1]})

    def test_every_verb(self):
        before = self.everything()
        for arguments in self.COMMANDS:
            with self.subTest(arguments):
                ours, theirs = full_pipe()
                process = self.start(*arguments, stdout=theirs)
                os.close(theirs)
                self.wait_until(lambda started=process: writes_to(started.pid, 1), process)
                self.check_end(process, before)
                os.close(ours)

    def test_files_that_nobody_reads(self):
        os.mkfifo(self.folder / "f")
        before = self.everything()
        for arguments in (("query", "r.sqlite", "--out", "f"),
                          ("compare", "r.sqlite", *COMPARE, "--out", "f"),
                          ("report", "r.sqlite", "--html", "f"),
                          ("tree", "--out", "f"),
                          ("reproduce", FIGURE, "--quick", "--quiet", "--out", "f", "--html", "h",
                           "--figures", "new/folder")):
            with self.subTest(arguments):
                process = self.start(*arguments)
                # It may still be at work: the pipe is not opened for writing without a reader.
                self.wait_until(lambda started=process: catches(started.pid, signal.SIGPIPE),
                                process)
                self.check_end(process, before)

    def test_a_reader_that_has_gone(self):
        for arguments in (("query", "r.sqlite"), ("list",), ("run", "s.json", "--format", "json"),
                          ("--help",)):
            with self.subTest(arguments):
                ours, theirs = os.pipe()
                os.close(ours)
                process = self.start(*arguments, stdout=theirs)
                os.close(theirs)
                _, errors = process.communicate(timeout=PATIENCE_S)
                self.assertEqual((process.returncode, errors), (-signal.SIGPIPE, ""))


class AtWork(SignalsTest):
    def partial(self):
        return list(self.folder.glob("*.partial-*"))

    def check(self, condition, *arguments):
        before = self.everything()
        for _ in SIGNALS:
            with self.subTest(arguments):
                process = self.start(*arguments)
                self.wait_until(condition, process)
                self.check_end(process, before)

    def workers(self):
        return len(processes_with(f"TMPDIR={self.scratch}")) > 1

    def test_a_merge_that_waits_for_a_store(self):
        with sqlite3.connect(self.folder / "r.sqlite") as database:
            database.execute("BEGIN EXCLUSIVE")
            self.check(self.partial, "merge", "new.sqlite", "r.sqlite")
            database.rollback()

    def test_a_tree_that_is_drawn_again_and_again(self):
        self.check(self.partial, "tree", "--preset", "big", "--tasks", 9999, "--out", "tree.json")

    def test_a_benchmark(self):
        self.check(self.workers, "bench", "--messages", 10**11)

    def test_a_trace(self):
        self.check(lambda: self.workers() and self.partial(), "trace", "endless.json",
                   "--limit-events", 10**8, "--out", "out.html")

    def test_the_runs_with_which_a_dry_run_estimates_its_time(self):
        self.write("slow.json", changed(ENDLESS, ["sweep"], {"seed": [1, 2, 3]}))
        self.check(self.workers, "sweep", "slow.json", "--dry-run")

    def test_a_run_keeps_what_is_done_and_nothing_else(self):
        self.write("long.json", LONG)
        for number in SIGNALS:
            process = self.start("run", "long.json", "--quiet", "--jobs", 2, "--out",
                                 "out.txt")
            self.wait_until(self.workers, process)
            os.killpg(process.pid, number)
            _, errors = process.communicate(timeout=PATIENCE_S)
            self.assertEqual(process.returncode, 130, errors)
            self.assertRegex(errors, r"\Afaultline: interrupted: \d+ of 2000000 replications "
                                     r"are complete\n\Z")
            self.assertEqual(self.partial(), [])
            (self.folder / "out.txt").unlink()

    def test_a_sweep_on_simgrid_and_loggp(self):
        self.write("slow.json", changed(ENDLESS, ["sweep"], {"seed": [1, 2, 3]}))
        for engine in ("loggp", "simgrid") if HAS_SIMGRID else ("loggp",):
            process = self.start("sweep", "slow.json", "--set", f'engine="{engine}"', "--store",
                                 "new.sqlite", "--quiet")
            self.wait_until(self.workers, process)
            os.killpg(process.pid, signal.SIGHUP)
            _, errors = process.communicate(timeout=PATIENCE_S)
            self.assertEqual((process.returncode, errors),
                             (130, "faultline: interrupted: 0 of 3 points are stored\n"))
            self.wait_until(lambda: processes_with(f"TMPDIR={self.scratch}") == [])
            self.assertEqual(list(self.folder.glob("new.sqlite-*")), [])
            (self.folder / "new.sqlite").unlink()

    def drawing(self):
        return (self.tools / "drawing").exists()

    def test_figures_that_are_drawn(self):
        (self.tools / "gnuplot").write_text(BLOCKED_GNUPLOT)
        (self.tools / "gnuplot").chmod(0o755)
        for arguments in (("report", "r.sqlite", "--html", "out.html"),
                          ("report", "r.sqlite", "--figures", "new/figures"),
                          ("report", "--reproduce", FIGURE, "--quick", "--html", "out.html",
                           "--quiet", "--figures", "figures"),
                          ("reproduce", FIGURE, "--quick", "--quiet", "--figures", "figures",
                           "--out", "out.txt", "--html", "out.html")):
            before = self.everything()
            for _ in SIGNALS:
                with self.subTest(arguments):
                    (self.tools / "drawing").unlink(missing_ok=True)
                    process = self.start(*arguments)
                    self.wait_until(self.drawing, process)
                    self.check_end(process, before)

    def test_what_a_wrapped_gnuplot_has_started_ends_with_it(self):
        program = self.tools / "gnuplot"
        program.write_text(WRAPPED_GNUPLOT)
        program.chmod(0o755)
        gone = lambda: processes_with(f"TMPDIR={self.scratch}") == []
        for number in (*SIGNALS, signal.SIGKILL):
            with self.subTest(number):
                (self.tools / "drawing").unlink(missing_ok=True)
                process = self.start("report", "r.sqlite", "--html", "out.html")
                self.wait_until(self.drawing, process)
                self.assertFalse(gone())
                process.send_signal(number)
                process.communicate(timeout=PATIENCE_S)
                self.wait_until(gone)
        program.write_text(LEAVING_GNUPLOT)
        process = self.start("report", "r.sqlite", "--html", "out.html")
        process.communicate(timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 1)
        self.assertTrue(gone())

    def test_a_kill_ends_the_processes_too(self):
        process = self.start("bench", "--messages", 10**11)
        self.wait_until(self.workers, process)
        process.kill()
        process.wait()
        self.wait_until(lambda: processes_with(f"TMPDIR={self.scratch}") == [])

    def test_a_sighup_that_nohup_ignores(self):
        command = f'trap "" HUP; exec "{PROGRAM}" bench --messages 1000000000 --processes 16'
        process = subprocess.Popen(["sh", "-c", command], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True,
                                   env=dict(os.environ, TMPDIR=str(self.scratch)))
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        self.wait_until(lambda: catches(process.pid, signal.SIGPIPE), process)
        self.assertFalse(catches(process.pid, signal.SIGHUP))
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=PATIENCE_S)
        self.assertEqual((process.returncode, errors), (130, "faultline: interrupted\n"))


if __name__ == "__main__":
    unittest.main()
