# SPDX-License-Identifier: Apache-2.0
"""Sweeps from outside: what is stored is the same however often they are killed, on any number of
jobs, and with another sweep on the same store."""

import json
import os
import pathlib
import pty
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time
import unittest

import tools
from program import ENGINES, PATIENCE_S, PROGRAM, ProgramTest, SANITIZED, SMALL, changed
from stored_rows import COLUMNS, changing

KILLS = 30

# 24 points of some milliseconds each.
STUDY = changed(changed(SMALL, ["replications"], 6), ["sweep"], {
    "platform.processes": {"from": 8, "to": 64, "times": 2},
    "seed": [1, 2, 3],
    "derive": {"workload.stop_probability": "0.1 / platform.processes"},
})


def slower(factor):
    """The study with walks that many times as long."""
    study = changed(STUDY, ["stop"], {"time_s": 1e6})
    return changed(study, ["sweep", "derive", "workload.stop_probability"],
                   f"{0.1 / factor} / platform.processes")



def rows(path, clock=False):
    """Everything in a store but what depends on the clock."""
    with sqlite3.connect(path) as database:
        measured = ", wall_s, peak_rss_bytes" if clock else ""
        studies = COLUMNS["studies"]
        points = COLUMNS["points"].replace(", runs_checksum", "")
        return {
            "studies": database.execute(f"SELECT {studies} FROM studies ORDER BY study").fetchall(),
            "points": database.execute(
                f"SELECT {points} FROM points ORDER BY study, point").fetchall(),
            "runs": database.execute(
                "SELECT study, point, replication, metrics, violations, events" + measured +
                " FROM runs ORDER BY study, point, replication").fetchall()}


def asked_of(path, question):
    """What a store answers, [] where it is not there yet."""
    try:
        with sqlite3.connect(f"file:{path}?mode=rw", uri=True) as database:
            return database.execute(question).fetchall()
    except sqlite3.OperationalError:
        return []


def stored_points(path):
    """The points of a store that have all their replications, or have failed: why."""
    return dict(asked_of(path, """
        SELECT point, failure FROM points WHERE failure <> '' OR wanted = (
          SELECT count(*) FROM runs WHERE runs.study = points.study AND runs.point = points.point
          AND replication < wanted)"""))


def stored_runs(path):
    """The replications of a store, with everything that was measured."""
    return {row[:3]: row[3:] for row in asked_of(path, f"SELECT {COLUMNS['runs']} FROM runs")}


def children(pid):
    try:
        text = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except FileNotFoundError:
        return []
    return [int(word) for word in text.split()]


class SweepTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("s.json", STUDY)
        self.store = self.folder / "r.sqlite"

    def sweep(self, *arguments, code=0, store="r.sqlite", file="s.json"):
        return self.answer("sweep", file, "--store", store, *arguments, code=code)

    def start(self, *arguments, store="r.sqlite", file="s.json", **settings):
        quiet = [] if "stderr" in settings else ["--quiet"]
        process = subprocess.Popen(
            [PROGRAM, "sweep", file, "--store", store, *quiet, *map(str, arguments)], text=True,
            cwd=self.folder, start_new_session=True,
            **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **settings})
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def wait_until(self, condition):
        end = time.monotonic() + PATIENCE_S
        while not condition():
            self.assertLess(time.monotonic(), end, "does not happen")
            time.sleep(0.01)

    def whole(self):
        """The rows of a sweep that nothing disturbs."""
        self.sweep("--jobs", 2, store="whole.sqlite")
        return rows(self.folder / "whole.sqlite")


class Results(SweepTest):
    def test_dry_run(self):
        text = self.answer("sweep", "s.json", "--dry-run")
        self.assertTrue(text.startswith("s.json: 24 points, 144 runs\n"), text)
        self.assertIn("  point 23: termination=cda, platform.processes=64, seed=3,", text)
        self.assertEqual(self.files(), ["s.json"])

    def test_dry_run_of_a_long_study_says_how_long_it_would_take(self):
        long = self.answer("sweep", "s.json", "--dry-run", "--replications", 1000000)
        found = re.search(r"\nabout (.*) with one job: a run of 8 of the 24 points took (.*) s on "
                          r"average\n", long)
        self.assertIsNotNone(found, long)
        # 24 million runs of some milliseconds each.
        self.assertRegex(found.group(1), r"\A[1-9]\d* h \d\d min\Z")
        self.assertGreaterEqual(float(found.group(2)), 0.0)
        # 24 runs, also where each takes half a second.
        self.assertNotIn("with one job",
                         self.answer("sweep", "s.json", "--dry-run", "--replications", 1))
        self.assertEqual(self.files(), ["s.json"])

    def dry_run(self, *arguments):
        """The output of a dry run about the store, which it leaves as it is."""
        before = self.store.read_bytes() if self.store.exists() else None
        lines = self.sweep("--dry-run", *arguments).splitlines()
        self.assertRegex(lines[0], r"\As\.json: \d+ points, ")
        self.assertEqual(self.store.read_bytes() if self.store.exists() else None, before)
        return lines[1]

    def test_dry_run_with_a_store(self):
        self.assertEqual(self.dry_run(), "r.sqlite: 0 of 24 points stored; 144 replications would "
                                         "be simulated")
        self.assertEqual(self.files(), ["s.json"])
        # Batches of three: the first half of every second point.
        self.assertEqual(self.sweep("--shard", "1/4"),
                         "r.sqlite: 12 of 12 points stored as far as shard 1/4 goes\n")
        self.assertEqual(self.dry_run(), "r.sqlite: 0 of 24 points stored, 12 begun; 108 "
                                         "replications would be simulated")
        self.assertEqual(self.dry_run("--shard", "1/2"), "r.sqlite: 12 of 24 points stored; 36 "
                                                         "replications would be simulated")
        self.assertEqual(self.dry_run("--replications", 9),
                         "r.sqlite: 0 of 24 points stored, 12 begun; 180 replications would be "
                         "simulated")
        # Another axis, which gives the stored points other numbers.
        self.write("s.json", changed(STUDY, ["sweep", "platform.processes"], [4, 16, 8, 32, 64]))
        self.assertEqual(self.dry_run(), "r.sqlite: 0 of 30 points stored, 12 begun; 144 "
                                         "replications would be simulated")
        self.write("s.json", changed(STUDY, ["sweep", "precision"], {
            "metric": "control_messages", "relative_half_width": 0.5}))
        # At least ten of each.
        self.assertEqual(self.dry_run(), "r.sqlite: 0 of 24 points stored, 12 begun; at least 204 "
                                         "replications would be simulated")

    def test_dry_run_says_what_the_sweep_does(self):
        self.sweep("--shard", "1/3")
        self.write("s.json", changed(STUDY, ["replications"], 8))
        said = re.search(r"; (\d+) replications", self.dry_run())
        count = len(rows(self.store)["runs"])
        self.sweep()
        self.assertEqual(len(rows(self.store)["runs"]) - count, int(said.group(1)))
        self.assertEqual(self.dry_run(), "r.sqlite: 24 of 24 points stored; 0 replications would "
                                         "be simulated")

    def test_dry_run_with_failed_points(self):
        self.sweep()
        with changing(self.store) as database:
            database.execute("DELETE FROM runs WHERE point=3")
            database.execute("UPDATE points SET failure='lost' WHERE point=3")
        self.assertEqual(self.dry_run(), "r.sqlite: 24 of 24 points stored, 1 failed; 0 "
                                         "replications would be simulated")
        self.assertEqual(self.dry_run("--retry-failed"), "r.sqlite: 23 of 24 points stored, 1 "
                                                         "failed; 6 replications would be "
                                                         "simulated")

    def test_dry_run_refuses_what_the_sweep_refuses(self):
        self.sweep()
        self.write("other.json", changed(STUDY, ["stop"], {"time_s": 1e6}))
        self.write("no-store", "text")
        with sqlite3.connect(self.folder / "foreign.sqlite") as database:
            database.execute("CREATE TABLE mine(a)")
        (self.folder / "folder").mkdir()
        for file, store in (("other.json", "r.sqlite"), ("s.json", "no-store"),
                            ("s.json", "foreign.sqlite"), ("s.json", "folder"),
                            ("s.json", ":memory:"), ("s.json", "")):
            command = ("sweep", file, "--store", store)
            self.assertEqual(self.refusal(*command, "--dry-run"), self.refusal(*command))
        self.assertIn("; 144 replications", self.sweep("--dry-run", "--add-study",
                                                       file="other.json"))

    def test_the_same_for_any_jobs(self):
        whole = self.whole()
        self.assertEqual(len(whole["points"]), 24)
        self.assertEqual(len(whole["runs"]), 144)
        for jobs in (1, 3, 64):
            name = f"{jobs}.sqlite"
            self.assertEqual(self.sweep("--jobs", jobs, store=name),
                             f"{name}: 24 of 24 points stored\n")
            self.assertEqual(rows(self.folder / name), whole)

    def test_the_same_as_run(self):
        self.sweep()
        with sqlite3.connect(self.store) as database:
            stored = database.execute(
                "SELECT replication, metrics, violations, events, scenario_hash FROM results "
                "WHERE point=17 ORDER BY replication").fetchall()
        alone = changed(SMALL, ["termination"], {"name": "cda"})
        alone = changed(changed(alone, ["replications"], 6), ["seed"], 3)
        alone = changed(alone, ["workload", "stop_probability"], 0.1 / 16)
        self.write("alone.json", alone)
        report = self.report("alone.json")
        self.assertEqual(len(stored), 6)
        for row, run in zip(stored, report["runs"]):
            self.assertEqual(row[0], run["replication"])
            self.assertEqual(json.loads(row[1]), run["metrics"])
            self.assertEqual(json.loads(row[2]), run["violations"])
            self.assertEqual(row[3], run["performance"]["events"])
            self.assertEqual(row[4], report["scenario"]["hash"])

    def test_protocols_meet_the_same_random_numbers(self):
        self.sweep()
        with sqlite3.connect(self.store) as database:
            walks = {}
            for parameters, replication, metrics in database.execute(
                    "SELECT parameters, replication, metrics FROM points JOIN runs "
                    "USING (study, point)"):
                values = json.loads(parameters)
                key = values["platform.processes"], values["seed"], replication
                walks.setdefault(key, {})[values["termination"]["name"]] = \
                    json.loads(metrics)["application_messages"]
        self.assertEqual(len(walks), 72)
        for pair in walks.values():
            self.assertEqual(pair["cda"], pair["four-counter"])
        self.assertGreater(len({pair["cda"] for pair in walks.values()}), 60)

    @unittest.skipUnless("simgrid" in ENGINES, "built without SimGrid")
    def test_both_engines(self):
        study = changed(changed(SMALL, ["sweep"], {"engine": ["loggp", "simgrid"]}),
                        ["replications"], 3)
        self.write("s.json", study)
        self.sweep("--jobs", 3)
        stored = rows(self.store)
        self.assertEqual([row[4] for row in stored["points"]], ["loggp", "simgrid"] * 2)
        self.assertEqual(len(stored["runs"]), 12)

    def test_replications_until_a_mean_is_known(self):
        study = changed(STUDY, ["sweep", "precision"],
                        {"metric": "control_messages", "relative_half_width": 0.2,
                         "most_replications": 40})
        self.write("s.json", study)
        self.sweep("--jobs", 1)
        stored = rows(self.store)
        counts = {}
        for row in stored["runs"]:
            counts.setdefault(row[1], []).append(json.loads(row[3])["control_messages"])
        stopped = 0
        for values in counts.values():
            self.assertGreaterEqual(len(values), 10)
            self.assertLessEqual(len(values), 40)
            # The first number of replications that is enough, not a later one.
            narrow = [n for n in range(10, len(values) + 1) if self.is_narrow(values[:n], 0.2)]
            self.assertEqual(narrow, [len(values)] if len(values) < 40 else narrow[-1:])
            stopped += len(values) < 40
        self.assertGreater(stopped, 0)
        self.sweep("--jobs", 5, store="more.sqlite")
        self.assertEqual(rows(self.folder / "more.sqlite"), stored)

    def test_replications_until_a_share_is_known(self):
        # All survive: half of Clopper and Pearson's interval, from 0.025^(1/n) to 1, is at most a
        # tenth from n = 17 on.
        precision = {"metric": "terminated", "relative_half_width": 0.1, "most_replications": 40}
        self.write("s.json", changed(SMALL, ["sweep"], {"precision": precision}))
        self.sweep()
        runs = rows(self.store)["runs"]
        self.assertEqual([sum(row[1] == point for row in runs) for point in (0, 1)], [17, 17])

    def test_runs_that_were_cut_off_have_not_completed_and_count_for_that(self):
        # The interval of 6 in 10 is narrow enough, but 6 results alone would be too few to stop.
        precision = {"metric": "completed", "relative_half_width": 0.9}
        study = changed(SMALL, ["stop"], {"time_s": 0.05})  # ends a third of the walks
        self.write("s.json", changed(study, ["sweep"], {"precision": precision}))
        self.sweep(code=1)
        for point in (0, 1):
            ends = [json.loads(row[3])["outcome"] for row in rows(self.store)["runs"]
                    if row[1] == point]
            self.assertEqual(len(ends), 10)
            self.assertIn("limit", ends)

    def test_runs_that_were_cut_off_make_no_mean_more_precise(self):
        precision = {"metric": "application_messages", "relative_half_width": 0.35}
        study = changed(SMALL, ["stop"], {"time_s": 0.05})  # ends a third of the walks
        self.write("s.json", changed(study, ["sweep"], {"precision": precision}))
        self.sweep(code=1)
        stored = rows(self.store)["runs"]
        for point in (0, 1):
            runs = [json.loads(row[3]) for row in stored if row[1] == point]

            def results(count):
                return [run["application_messages"] for run in runs[:count]
                        if run["outcome"] != "limit"]
            enough = [count for count in range(10, len(runs) + 1)
                      if len(results(count)) >= 10 and self.is_narrow(results(count), 0.35)]
            self.assertEqual(enough, [len(runs)])
            self.assertGreater(len(runs), len(results(len(runs))))

    def test_a_point_without_results_has_as_many_replications_as_it_may(self):
        precision = {"metric": "end_time_s", "relative_half_width": 0.1, "most_replications": 13}
        study = changed(SMALL, ["stop"], {"time_s": 1e-5})  # each run ends then
        self.write("s.json", changed(study, ["sweep"], {"precision": precision}))
        self.sweep(code=1)
        runs = rows(self.store)["runs"]
        self.assertEqual([sum(row[1] == point for row in runs) for point in (0, 1)], [13, 13])

    @staticmethod
    def is_narrow(values, share):
        # The 0.975 quantiles of Student's t for 9 to 39 degrees of freedom, from printed tables.
        quantile = [2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093,
                    2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
                    2.040, 2.037, 2.035, 2.032, 2.030, 2.028, 2.026, 2.024, 2.023][len(values) - 10]
        mean = sum(values) / len(values)
        variance = sum((value - mean) ** 2 for value in values) / (len(values) - 1)
        return quantile * (variance / len(values)) ** 0.5 <= share * mean

    def test_a_metric_that_no_run_has(self):
        self.write("s.json", changed(STUDY, ["sweep"], {
            "precision": {"metric": "cotrol_messages", "relative_half_width": 0.2}}))
        result = self.faultline("sweep", "s.json", "--store", "r.sqlite")
        self.assertEqual(result.returncode, 1)
        self.assertIn('the runs have no metric "cotrol_messages"', result.stderr)


class Again(SweepTest):
    def test_the_same_command_does_nothing_more(self):
        self.sweep()
        before = rows(self.store, clock=True)
        self.assertEqual(self.sweep(), "r.sqlite: 24 of 24 points stored, 24 before\n")
        self.assertEqual(rows(self.store, clock=True), before)

    def test_a_changed_scenario_is_refused_or_added(self):
        self.sweep()
        before = rows(self.store, clock=True)
        self.write("s.json", changed(STUDY, ["stop"], {"time_s": 1e6}))
        message = self.refusal("sweep", "s.json", "--store", "r.sqlite")
        self.assertIn('has results of another scenario than s.json describes now: "small" (24 '
                      "points); --add-study", message)
        self.sweep("--add-study")
        after = rows(self.store, clock=True)
        self.assertEqual(len(after["studies"]), 2)
        for table in ("studies", "points", "runs"):
            self.assertEqual([row for row in after[table] if row[0] == 1], before[table])
        self.assertEqual(sum(row[0] == 2 for row in after["runs"]), 24 * 6)

    def test_results_of_another_version_are_refused_as_such(self):
        self.sweep()
        with sqlite3.connect(self.store) as database:
            (faultline, simgrid), = database.execute("SELECT faultline, simgrid FROM studies")
        def words(faultline, simgrid):
            return f"Faultline {faultline} " + (f"with SimGrid {simgrid}" if simgrid
                                                else "without SimGrid")
        for other in ((faultline, "3.11"), (faultline, ""), ("0.0.9", simgrid)):
            if other == (faultline, simgrid):
                continue
            with changing(self.store) as database:
                database.execute("UPDATE studies SET faultline=?, simgrid=?", other)
            message = self.refusal("sweep", "s.json", "--store", "r.sqlite")
            self.assertEqual(
                message, f"faultline: r.sqlite: has results of s.json by {words(*other)}, but this "
                f"is {words(faultline, simgrid)}: results of different versions are not mixed; "
                "--add-study keeps both, another --store starts a new store\n")

    def test_results_of_another_build_of_the_release_are_gone_on_with(self):
        self.sweep()
        before = rows(self.store)
        with changing(self.store) as database:
            (this,), = database.execute("SELECT faultline FROM studies")
            other = this.split("+")[0] + "+g0123456789"
            database.execute("UPDATE studies SET faultline=?", (other,))
        note = (f"faultline: r.sqlite: has results by Faultline {other}, but this is {this}, "
                "another build of the release: their results may differ\n")

        def go_on():
            result = self.faultline("sweep", "s.json", "--store", "r.sqlite")
            self.assertEqual((result.returncode, result.stderr), (0, note), result.stdout)
            with sqlite3.connect(self.store) as database:
                return database.execute("SELECT faultline FROM studies").fetchall()
        # A build that has nothing to do is not named.
        self.assertEqual(go_on(), [(other,)])
        with changing(self.store) as database:
            for table in ("points", "runs"):
                database.execute(f"DELETE FROM {table} WHERE point=3")
        self.assertEqual(go_on(), [(f"{other}, {this}",)])
        after = rows(self.store)
        for table in ("points", "runs"):
            self.assertEqual(after[table], before[table])

    def test_another_text_that_says_the_same_goes_on(self):
        self.sweep()
        self.write("s.json", json.dumps(changed(
            STUDY, ["sweep", "platform.processes"], [8, 16, 32, 64]), indent=3))
        self.assertIn("24 before", self.sweep())

    def test_options(self):
        for arguments, message in (
                ([], "expected --store"),
                (["--store", "r.sqlite", "--shard", "3/2"], "from 1 to 2"),
                (["--store", "r.sqlite", "--shard", "2"], "expected I/N"),
                (["--store", "r.sqlite", "--time-limit", "0"], "expected a number of seconds"),
                (["--store", "r.sqlite", "--jobs", "0"], "from 1 to 4096"),
                (["--store", "none/r.sqlite"], "cannot be opened"),
                (["--store", ""], 'a store: expected the name of a file, got ""'),
                (["--store", ":memory:"], ":memory:: expected the name of a file"),
                (["--store", "file:r.sqlite?mode=memory"], "expected the name of a file"),
                (["--store", "/dev/null"], "it is not a regular file"),
                (["--store", "."], "cannot be opened")):
            self.assertIn(message, self.refusal("sweep", "s.json", *arguments))


class Failures(SweepTest):
    def failed(self, *arguments):
        """Standard error of a sweep of which points fail."""
        result = self.faultline("sweep", "s.json", "--store", "r.sqlite", *arguments)
        self.assertEqual(result.returncode, 1, result.stderr)
        return result.stderr

    def test_a_point_that_takes_too_long(self):
        self.write("s.json", changed(changed(slower(1), ["replications"], 1), ["sweep"],
                                     {"workload.walk_length": [10, 3000000000]}))
        errors = self.failed("--time-limit", 4, "--jobs", 4)
        self.assertEqual(errors.count("took longer than 4 s"), 2, errors)
        stored = stored_points(self.store)
        self.assertEqual([stored[i] for i in (0, 2)], ["", ""])
        self.assertEqual([stored[i] for i in (1, 3)], ["took longer than 4 s"] * 2)

    @unittest.skipIf(SANITIZED, "under the sanitizer nothing runs within a limit of memory")
    def test_a_point_that_takes_too_much_memory(self):
        self.write("s.json", changed(SMALL, ["sweep"], {"platform.processes": [16, 120000]}))
        errors = self.failed("--memory-limit", 40)
        self.assertEqual(errors.count("out of memory"), 2, errors)
        self.assertEqual([bool(why) for _, why in sorted(stored_points(self.store).items())],
                         [False, True] * 2)

    def test_a_killed_worker_costs_its_point_and_can_be_tried_again(self):
        whole = self.whole()
        self.write("slow.json", slower(8))
        process = self.start("--jobs", 1, file="slow.json")
        self.wait_until(lambda: len(stored_points(self.store)) > 2 and children(process.pid))
        os.kill(children(process.pid)[0], signal.SIGSEGV)
        _, errors = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 1, errors)
        end = "exited with 1" if SANITIZED else "was killed: Segmentation fault"
        self.assertRegex(errors, rf"\Afaultline: point \d+ \(.*\): the worker process {end}\n\Z")
        failed = [point for point, why in stored_points(self.store).items() if why]
        self.assertEqual(len(failed), 1)
        self.assertEqual(len(stored_points(self.store)), 24)
        result = self.faultline("sweep", "slow.json", "--store", "r.sqlite")
        self.assertEqual(result.returncode, 1)  # it is not forgotten
        self.assertEqual(result.stdout, "r.sqlite: 24 of 24 points stored, 24 before, 1 failed\n")
        self.sweep("--retry-failed", file="slow.json")
        self.assertEqual(set(stored_points(self.store).values()), {""})
        self.assertEqual(len(rows(self.store)["runs"]), len(whole["runs"]))

    def test_the_exit_code_is_of_the_whole_study(self):
        self.write("s.json", changed(SMALL, ["sweep"], {"stop.events": [10, 1000000]}))
        for _ in range(2):
            self.assertIn("4 of 4", self.sweep(code=1))


class Kills(SweepTest):
    def test_nothing_is_lost_and_nothing_comes_twice(self):
        whole = self.whole()
        chance = random.Random(20250)
        seen, runs, kills = {}, {}, 0
        moment_s = 0.25
        while kills < KILLS:
            if len(seen) == 24:  # done: begin anew, so that there is something to kill
                self.store.unlink()
                seen, runs = {}, {}
            process = self.start("--jobs", 2)
            time.sleep(chance.uniform(0, moment_s))
            process.kill()
            process.communicate(timeout=PATIENCE_S)
            kills += process.returncode == -signal.SIGKILL
            # What was stored is still there. The store heals when it is opened.
            now = stored_points(self.store)
            self.assertLessEqual(seen.keys(), now.keys())
            seen = now
            before, runs = runs, stored_runs(self.store)
            self.assertLessEqual(before.items(), runs.items())
            if process.returncode == 0:
                moment_s /= 2
        self.sweep()
        self.assertEqual(rows(self.store), whole)
        self.assertEqual(self.files(), ["r.sqlite", "s.json", "whole.sqlite"])

    def test_interrupts(self):
        process = self.start("--jobs", 2, file=self.write("slow.json", slower(8)))
        self.wait_until(lambda: len(stored_points(self.store)) > 2)
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 130)
        told = re.fullmatch(r"faultline: interrupted: (\d+) of 24 points are stored\n", errors)
        self.assertIsNotNone(told, errors)
        self.assertEqual(len(stored_points(self.store)), int(told[1]))
        self.assertIn(f"24 of 24 points stored, {told[1]} before", self.sweep(file="slow.json"))


class Together(SweepTest):
    def test_two_sweeps_on_one_store(self):
        whole = self.whole()
        for _ in range(4):
            processes = [self.start("--jobs", 2) for _ in range(3)]
            for process in processes:
                out, errors = process.communicate(timeout=PATIENCE_S)
                self.assertEqual((process.returncode, errors), (0, ""))
                self.assertIn("24 of 24 points stored", out)
            self.assertEqual(rows(self.store), whole)
            self.store.unlink()

    def test_one_takes_over_what_a_killed_one_was_at(self):
        whole = self.whole()
        first, second = self.start("--jobs", 2), self.start("--jobs", 1)
        self.wait_until(lambda: len(stored_points(self.store)) > 3)
        first.kill()
        second.communicate(timeout=PATIENCE_S)
        self.assertEqual(second.returncode, 0)
        self.assertEqual(rows(self.store), whole)


class Damage(SweepTest):
    def test_a_truncated_store_is_reported(self):
        self.sweep()
        content = self.store.read_bytes()
        chance = random.Random(7)
        lengths = [1, 15, 16, 99, 100, 511, 512, 4095, 4096, 8192, len(content) - 4096,
                   len(content) - 1] + [chance.randrange(1, len(content)) for _ in range(20)]
        for length in lengths:
            self.store.write_bytes(content[:length])
            message = self.refusal("sweep", "s.json", "--store", "r.sqlite")
            refused = r"\Afaultline: r\.sqlite: is (damaged|not a store of results)"
            self.assertRegex(message, refused, length)
            self.assertEqual(message.count("\n"), 1)

    def test_other_files_are_left_alone(self):
        self.store.write_text("something else\n" * 100)
        message = self.refusal("sweep", "s.json", "--store", "r.sqlite")
        self.assertIn("is not an SQLite file", message)
        self.store.unlink()
        with sqlite3.connect(self.store) as database:
            database.execute("CREATE TABLE mine(a)")
        self.assertIn("is not a store of results",
                      self.refusal("sweep", "s.json", "--store", "r.sqlite"))

    @tools.tested_with("a sweep on a full disk", root=True)
    def test_a_full_disk_loses_nothing(self):
        whole = self.whole()
        disk = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=96k", "tmpfs", disk],
                          capture_output=True, check=False).returncode != 0:
            tools.leave_out("a sweep on a full disk", "root that may mount")
            self.skipTest("this machine mounts nothing")
        self.addCleanup(subprocess.run, ["umount", "-l", disk], check=False)
        result = self.faultline("sweep", "s.json", "--store", disk / "r.sqlite")
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertRegex(result.stderr, r"r\.sqlite: .*(full|disk I/O).*; what was stored before "
                                        r"stays, and the same command goes on\n\Z")
        count = len(stored_points(disk / "r.sqlite"))
        self.assertGreater(count, 0)
        self.assertLess(count, 24)
        subprocess.run(["mount", "-o", "remount,size=8m", disk], check=True)
        out = self.answer("sweep", "s.json", "--store", disk / "r.sqlite")
        self.assertIn(f"24 of 24 points stored, {count} before", out)
        shutil.copy(disk / "r.sqlite", self.store)
        self.assertEqual(rows(self.store), whole)


class Progress(SweepTest):
    LEFT = r", [\d.e+-]+/s, [\dhmins ]+ left"

    def check_shown(self, expected, *command):
        """A terminal shows that before the program has ended, or is killed."""
        ours, theirs = pty.openpty()
        process = subprocess.Popen([PROGRAM, *command], cwd=self.folder, start_new_session=True,
                                   stdout=subprocess.DEVNULL, stderr=theirs)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        os.close(theirs)
        shown = b""
        try:
            while block := os.read(ours, 4096):
                shown += block
                if re.search(expected.encode(), shown):
                    break
        except OSError:
            pass
        process.kill()
        os.close(ours)
        self.assertRegex(shown, expected.encode())

    def test_replications_are_counted(self):
        self.write("s.json", slower(100))
        self.check_shown(r"\d+ / 144 replications" + self.LEFT, "sweep", "s.json", "--store",
                         "r.sqlite")

    def test_within_a_run_the_simulated_time_counts(self):
        study = {**SMALL, "replications": 1, "workload": {"name": "uniform-traffic"},
                 "failure_detection": {"name": "swim"},
                 "stop": {"when": "time", "time_s": 1e7}}
        del study["termination"]
        self.write("s.json", study)
        for command in (("run", "s.json"), ("sweep", "s.json", "--store", "r.sqlite")):
            # A thousandth of it takes a second; the first tenth is enough to see.
            self.check_shown(r"0\.\d\d / 1 replications" + self.LEFT, *command)


if __name__ == "__main__":
    unittest.main()
