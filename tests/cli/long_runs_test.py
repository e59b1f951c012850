# SPDX-License-Identifier: Apache-2.0
"""What happens while a run takes long: progress, interrupts, and workers that die."""

import contextlib
import json
import os
import pathlib
import pty
import re
import signal
import subprocess
import time
import unittest

from program import (ENGINES, PATIENCE_S, PROGRAM, SOURCE, ProgramTest, read_terminal,
                     without_progress)

# A replication takes some milliseconds.
WALK = {
    "schema_version": 1,
    "replications": 5000,
    "platform": {"machine": "intrepid", "processes": 64, "processes_per_node": 4},
    "workload": {"name": "token-ring", "walk_length": 5000},
    "termination": {"name": "cda"},
}


def children(pid):
    try:
        text = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except FileNotFoundError:
        return []
    return [int(word) for word in text.split()]


def cpu_ticks(pid):
    """How long a process has computed: fields 14 and 15 of its stat, see proc(5)."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


class LongRun(ProgramTest):
    def start(self, *arguments, **settings):
        self.write("s.json", WALK)
        quiet = [] if "stderr" in settings else ["--quiet"]
        process = subprocess.Popen(
            [PROGRAM, "run", "s.json", "--format", "json", *quiet, *map(str, arguments)],
            text=True, cwd=self.folder, start_new_session=True,
            **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **settings})
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def wait_for_workers(self, process, count, ticks=30):
        """Until they have computed for a while, and so have finished some replications."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            found = children(process.pid)
            if len(found) >= count and sum(map(cpu_ticks, found)) >= ticks:
                return found
            time.sleep(0.02)
        return self.fail(f"{count} workers do not come to work")

    def errors_of(self, *arguments, terminal, seconds):
        """What standard error gets in the first seconds of a run, and after an interrupt."""
        ours, theirs = pty.openpty() if terminal else os.pipe()
        process = self.start(*arguments, stdout=subprocess.DEVNULL, stderr=theirs)
        os.close(theirs)
        try:
            process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
        shown = read_terminal(ours)
        process.wait(timeout=PATIENCE_S)
        return shown


class Interrupts(LongRun):
    def check_interrupted(self, process, signal_number, planned):
        os.killpg(process.pid, signal_number)  # as Ctrl-C does: the workers get it, too
        out, errors = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 130, errors)
        told = re.fullmatch(r"faultline: interrupted: (\d+) of (\d+) replications are complete\n",
                            errors)
        self.assertIsNotNone(told, errors)
        self.assertEqual(int(told[2]), planned)
        return out, int(told[1])

    def check_complete_runs(self, report, count, planned):
        self.assertEqual(len(report["runs"]), count)
        self.assertGreater(count, 0)
        self.assertLess(count, planned)
        self.assertIs(report["complete"], False)
        self.assertEqual(report["failed_runs"], [])
        self.assertEqual({run["metrics"]["outcome"] for run in report["runs"]}, {"terminated"})
        self.assertEqual(report["summary"][0]["metrics"]["control_messages"]["count"], count)

    def test_what_has_finished_is_printed(self):
        for signal_number in (signal.SIGINT, signal.SIGTERM):
            process = self.start("--jobs", 2)
            self.wait_for_workers(process, 2)
            out, count = self.check_interrupted(process, signal_number, 5000)
            self.check_complete_runs(json.loads(out), count, 5000)

    def test_what_has_finished_is_the_same_as_in_a_whole_run(self):
        process = self.start("--jobs", 3, "--replications", 4000)
        self.wait_for_workers(process, 3)
        out, _ = self.check_interrupted(process, signal.SIGINT, 4000)
        run = json.loads(out)["runs"][-1]
        whole = self.report("s.json", "--replications", run["replication"] + 1, "--jobs", 2)
        self.assertEqual(run["metrics"], whole["runs"][-1]["metrics"])

    def test_into_a_file(self):
        process = self.start("--jobs", 2, "--out", "out.json")
        self.wait_for_workers(process, 2)
        out, count = self.check_interrupted(process, signal.SIGINT, 5000)
        self.assertEqual(out, "")
        self.assertEqual(self.files(), ["out.json", "s.json"])
        self.check_complete_runs(json.loads((self.folder / "out.json").read_text()), count, 5000)

    @unittest.skipUnless("simgrid" in ENGINES, "built without SimGrid")
    def test_on_simgrid(self):
        process = self.start("--jobs", 2, "--engine", "simgrid", "--set",
                             "workload.walk_length=100")
        # Each replication has a process of its own there: watch them change.
        first = set(self.wait_for_workers(process, 2, ticks=0))
        end = time.monotonic() + PATIENCE_S
        while first & set(children(process.pid)) and time.monotonic() < end:
            time.sleep(0.02)
        time.sleep(0.3)
        out, count = self.check_interrupted(process, signal.SIGINT, 5000)
        self.check_complete_runs(json.loads(out), count, 5000)

    @unittest.skipUnless("simgrid" in ENGINES, "built without SimGrid")
    def test_a_worker_on_simgrid_leaves_an_interrupt_to_its_parent(self):
        process = self.start("--engine", "simgrid", "--replications", 8, "--set",
                             "workload.walk_length=20000")
        struck = set()
        while process.poll() is None:
            for worker in set(children(process.pid)) - struck:
                with contextlib.suppress(ProcessLookupError, FileNotFoundError):
                    if cpu_ticks(worker) >= 2:
                        os.kill(worker, signal.SIGINT)
                        struck.add(worker)
            time.sleep(0.005)
        out, errors = process.communicate()
        self.assertGreater(len(struck), 1)
        self.assertEqual((process.returncode, errors), (0, ""))
        self.assertEqual(len(json.loads(out)["runs"]), 8)


class DeadWorkers(LongRun):
    def test_a_killed_worker_costs_one_replication(self):
        process = self.start("--jobs", 2, "--replications", 300)
        os.kill(self.wait_for_workers(process, 2, ticks=5)[0], signal.SIGKILL)
        out, errors = process.communicate(timeout=2 * PATIENCE_S)
        self.assertEqual(process.returncode, 1, errors)
        self.assertRegex(errors, r"\Afaultline: point 0, replication \d+: "
                                 r"the worker process was killed: Killed\n\Z")
        report = json.loads(out)
        self.assertIs(report["complete"], False)
        failed, = report["failed_runs"]
        self.assertEqual(failed["point"], 0)
        self.assertIn("Killed", failed["error"])
        numbers = [run["replication"] for run in report["runs"]]
        self.assertEqual(sorted(numbers + [failed["replication"]]), list(range(300)))

    def test_workers_do_not_outlive_the_program(self):
        process = self.start("--jobs", 2)
        workers = self.wait_for_workers(process, 2, ticks=0)
        process.kill()
        process.communicate(timeout=PATIENCE_S)
        end = time.monotonic() + PATIENCE_S
        while any(pathlib.Path(f"/proc/{pid}").exists() for pid in workers):
            self.assertLess(time.monotonic(), end, "a worker goes on")
            time.sleep(0.02)


class Progress(LongRun):
    INTERRUPTED = re.compile(r"faultline: interrupted: \d+ of 5000 replications are complete\r?\n")

    def test_on_a_terminal(self):
        shown = self.errors_of(terminal=True, seconds=2.5)
        lines = re.findall(r"(\d+) / 5000 replications, ([\d.e+]+)/s, ([\dhmins ]+) left", shown)
        self.assertGreater(len(lines), 1, shown[:300])
        done = [int(line[0]) for line in lines]
        self.assertEqual(done, sorted(done))
        # The line is cleared before anything else is said.
        self.assertRegex(shown.rsplit("\r\x1b[K", 1)[1], self.INTERRUPTED)

    def test_short_work_shows_nothing(self):
        self.assertEqual(self.errors_of("--replications", 2, terminal=True, seconds=60), "")

    def test_quiet_shows_nothing(self):
        shown = self.errors_of("--quiet", terminal=True, seconds=2)
        self.assertRegex(shown, self.INTERRUPTED)
        self.assertEqual(self.INTERRUPTED.sub("", shown), "")

    def test_a_pipe_gets_lines_that_stay(self):
        """After ten seconds, which tests/analysis/runs/progress_test.cpp does not wait for."""
        shown = self.errors_of(terminal=False, seconds=2)
        self.assertRegex(shown, self.INTERRUPTED)
        self.assertEqual(self.INTERRUPTED.sub("", without_progress(shown)), "")


class Lemmas(LongRun):
    SCHEDULES = 10_000_000

    def start(self, *arguments, **settings):
        """The search for counterexamples, in place of a run."""
        item = json.loads((SOURCE / "scenarios/adoption-2013/lemmas.json").read_text())
        item["measures"]["search"]["loggp_schedules"] = self.SCHEDULES
        item["measures"]["search"]["simgrid_schedules"] = 1
        self.write("item.json", item)
        process = subprocess.Popen(
            [PROGRAM, "reproduce", "item.json", "--jobs", "2", *arguments], text=True,
            cwd=self.folder, start_new_session=True, **settings)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def test_the_search_shows_how_far_it_is_and_can_be_interrupted(self):
        shown = self.errors_of(terminal=True, seconds=3)
        lines = re.findall(r"([\d.]+) % done, (?:about [\dhmins ]+ left on this machine|"
                           r"time left unknown), at ", shown)
        self.assertGreater(len(lines), 1, shown[:300])
        done = [float(line) for line in lines]
        self.assertEqual(done, sorted(done))
        self.assertIn("faultline: interrupted: nothing is written", shown)


if __name__ == "__main__":
    unittest.main()
