# SPDX-License-Identifier: Apache-2.0
"""The unit of a study is the replication: workers, shards, several sweeps on one store and kills
share the batches of a single point as they share those of many."""

import json
import random
import re
import signal
import time
import unittest

from program import SMALL, changed
from sweep_test import PATIENCE_S, SweepTest, children, rows, stored_runs

KILLS_OF_FOUR = 50

# One point, whose 100 replications make 50 batches.
ONE_POINT = changed(changed(SMALL, ["replications"], 100), ["termination"], {"name": "cda"})


class Batches(SweepTest):
    """A study of one point is shared as one of many points is."""

    def setUp(self):
        super().setUp()
        self.write("s.json", ONE_POINT)

    def test_each_shard_has_work_once_a_point_has_four_replications_for_it(self):
        for count, replications in ((2, 8), (4, 16), (16, 64), (100, 400)):
            study = changed(ONE_POINT, ["replications"], replications)
            self.write("s.json", study)
            left = [int(re.search(r"; (\d+) replication", self.sweep(
                "--dry-run", "--shard", f"{index}/{count}")).group(1))
                    for index in range(1, count + 1)]
            self.assertEqual(sum(left), replications)
            self.assertGreaterEqual(min(left), 1)
            self.assertLessEqual(max(left) - min(left), 4)

    def test_several_workers_share_a_point(self):
        whole = self.whole()
        self.write("slow.json", changed(ONE_POINT, ["replications"], 100000))
        process = self.start("--jobs", 3, file="slow.json", store="slow.sqlite")
        self.wait_until(lambda: len(children(process.pid)) == 3)
        process.kill()
        self.sweep("--jobs", 3)
        self.assertEqual(rows(self.store), whole)
        names = [f"{index}.sqlite" for index in range(1, 17)]
        for index, name in enumerate(names, 1):
            self.assertIn("1 of 1 point stored as far as",
                          self.sweep("--shard", f"{index}/16", store=name))
        self.answer("merge", "merged.sqlite", *names)
        self.assertEqual(rows(self.folder / "merged.sqlite"), whole)

    def test_a_kill_keeps_the_batches_before(self):
        whole = self.whole()
        process = self.start("--jobs", 2)
        self.wait_until(lambda: len(stored_runs(self.store)) >= 10)
        process.kill()
        process.communicate(timeout=PATIENCE_S)
        known = stored_runs(self.store)
        self.assertGreaterEqual(len(known), 10)
        self.sweep()
        now = stored_runs(self.store)
        self.assertEqual({key: now[key] for key in known}, known)
        self.assertEqual(rows(self.store), whole)

    def test_an_interrupt_keeps_the_replications_that_have_finished(self):
        # A batch of 25 replications.
        self.write("s.json", changed(ONE_POINT, ["replications"], 25600))
        process = self.start("--jobs", 1)
        self.wait_until(lambda: len(stored_runs(self.store)) >= 25)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE_S)
        self.assertEqual((process.returncode, errors),
                         (130, "faultline: interrupted: 0 of 1 points are stored\n"))
        numbers = sorted(key[2] for key in stored_runs(self.store))
        self.assertEqual(numbers, list(range(len(numbers))))

    def test_what_is_missing_is_told(self):
        self.sweep("--shard", "1/4")
        stored = len(stored_runs(self.store))
        self.assertGreater(stored, 20)
        note = f"{100 - stored} replications of 1 point are missing"
        self.assertIn(note, " ".join(self.answer("query", "r.sqlite").split()))
        told = json.loads(self.answer("query", "r.sqlite", "--format", "json", "--metric",
                                      "control_messages"))
        self.assertEqual([row["count"] for row in told], [stored])
        self.faultline("report", "r.sqlite", "--html", "p.html")
        self.assertIn(note, (self.folder / "p.html").read_text())
        self.sweep()
        self.assertNotIn("missing", self.answer("query", "r.sqlite"))
        # Two points, of which three batches in four are missing: 64 replications, one in each.
        self.write("two.json", changed(SMALL, ["replications"], 32))
        self.sweep("--shard", "1/4", file="two.json", store="two.sqlite")
        self.assertIn("48 replications of 2 points are missing", " ".join(self.answer(
            "compare", "two.sqlite", "--by", "termination", "--metric",
            "control_messages").split()))

    def test_the_order_in_which_batches_come_changes_no_answer(self):
        self.sweep("--jobs", 2, store="whole.sqlite")
        chance = random.Random(20264)
        shards = list(range(1, 26))
        chance.shuffle(shards)
        for shard in shards:
            self.sweep("--shard", f"{shard}/25")
        for arguments in ([], ["--format", "csv"], ["--format", "json"]):
            self.assertEqual(self.answer("query", "r.sqlite", *arguments),
                             self.answer("query", "whole.sqlite", *arguments))

    def test_a_metric_that_no_run_has_fails_the_point_alike_for_any_jobs(self):
        self.write("s.json", changed(ONE_POINT, ["sweep"], {
            "precision": {"metric": "nothing", "relative_half_width": 0.2}}))
        told = set()
        for jobs in (1, 3):
            name = f"{jobs}.sqlite"
            result = self.faultline("sweep", "s.json", "--store", name, "--jobs", jobs)
            self.assertEqual(result.returncode, 1)
            told.add((result.stderr, str(rows(self.folder / name))))
        self.assertEqual(len(told), 1, told)


class KillsOfFour(SweepTest):
    def test_four_sweeps_on_one_store(self):
        whole = self.whole()
        chance = random.Random(20265)
        runs, kills = {}, 0
        sweeps = [self.start("--jobs", 1) for _ in range(4)]
        while kills < KILLS_OF_FOUR:
            time.sleep(chance.uniform(0, 0.15))
            chosen = chance.randrange(4)
            sweeps[chosen].kill()
            out, errors = sweeps[chosen].communicate(timeout=PATIENCE_S)
            if sweeps[chosen].returncode != -signal.SIGKILL:
                self.assertEqual((sweeps[chosen].returncode, errors), (0, ""), out)
            kills += sweeps[chosen].returncode == -signal.SIGKILL
            # Nothing is lost, and nothing is measured again.
            before, runs = runs, stored_runs(self.store)
            self.assertLessEqual(before.items(), runs.items())
            if len(runs) == 144:
                self.end(sweeps)
                self.assertEqual(rows(self.store), whole)
                self.store.unlink()
                runs = {}
                sweeps = [self.start("--jobs", 1) for _ in range(4)]
            else:
                sweeps[chosen] = self.start("--jobs", 1)
        self.end(sweeps)
        self.assertEqual(rows(self.store), whole)

    def end(self, sweeps):
        for process in sweeps:
            _, errors = process.communicate(timeout=PATIENCE_S)
            self.assertIn((process.returncode, errors), ((0, ""), (-signal.SIGKILL, "")))


if __name__ == "__main__":
    unittest.main()
