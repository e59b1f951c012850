# SPDX-License-Identifier: Apache-2.0
"""Each shipped question against a full sweep: all alternatives run equally often, with other faults
than those of the race. What `advise` names must keep to what is required, and be as good as the
best that does, but for chance. What it prunes must not keep to it."""

import csv
import io
import json
import math
import os
import unittest

import program
from program import SOURCE, ProgramTest

program.PATIENCE_S = 1200
REPLICATIONS = 60
JOBS = os.cpu_count()
DEVIATIONS = 3.5  # so many standard errors are chance, over some hundred comparisons


def number(cell):
    words = {"": None, "TRUE": 1.0, "FALSE": 0.0}
    return words[cell] if cell in words else float(cell)


def mean(values):
    return sum(values) / len(values)


def standard_error(values):
    if len(values) < 2:
        return math.inf
    about = mean(values)
    return math.sqrt(sum((value - about) ** 2 for value in values) / (len(values) - 1)
                     / len(values))


class AgainstASweep(ProgramTest):
    def faultline(self, *arguments, **settings):
        return super().faultline(*arguments, "--quiet", **settings)

    def race(self, path):
        result = self.faultline("advise", path, "--quick", "--jobs", JOBS, "--format", "json")
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def sweep(self, path, advice):
        """By stack and replication: what each metric is."""
        scenario = json.loads(path.read_text())["scenario"]
        self.write("study.json", {
            "schema_version": 1, "name": path.stem, **scenario, "seed": 20261201,
            "replications": REPLICATIONS,
            "stacks": {one["name"]: one["sets"]
                       for one in advice["ranking"] + advice["pruned"]}})
        swept = self.faultline("sweep", "study.json", "--store", "study.sqlite", "--jobs", JOBS)
        self.assertIn(swept.returncode, (0, 3), swept.stderr)  # 3: some runs break a promise
        metrics = {advice["objective"], "completed"} | {one["metric"] for one in advice["require"]}
        rows = super().faultline("query", "study.sqlite", "--runs", "--format", "csv", "--metric",
                                 ",".join(sorted(metrics)))
        self.assertEqual(rows.returncode, 0, rows.stderr)
        runs = {}
        for row in csv.DictReader(io.StringIO(rows.stdout)):
            runs.setdefault(row["stacks"], {})[row["replication"]] = {
                metric: number(row[metric]) for metric in metrics}
        (self.folder / "study.sqlite").unlink()
        self.assertEqual(len(runs), len(advice["ranking"]) + len(advice["pruned"]))
        return runs

    def keeps(self, runs, requirement):
        values = [run[requirement["metric"]] for run in runs.values()
                  if run.get(requirement["metric"]) is not None]
        slack = DEVIATIONS * standard_error(values)
        low, high = requirement["at_least"], requirement["at_most"]
        return ((low is None or mean(values) >= low - slack)
                and (high is None or mean(values) <= high + slack))

    def check(self, path):
        advice = self.race(path)
        runs = self.sweep(path, advice)
        fit = [name for name, of_one in runs.items()
               if all(self.keeps(of_one, requirement) for requirement in advice["require"])]
        self.assertIn(advice["use"], fit)
        self.assertFalse({one["name"] for one in advice["pruned"]} & set(fit))

        def objectives(name):
            return {replication: run[advice["objective"]] for replication, run in runs[name].items()
                    if run["completed"] != 0 and run.get(advice["objective"]) is not None}

        used = objectives(advice["use"])
        for name in fit:
            other = objectives(name)
            excess = [used[i] - other[i] for i in used if i in other]
            if len(excess) < REPLICATIONS / 4:
                continue
            counts = advice["equivalent_within"] * abs(mean(list(other.values())))
            self.assertLessEqual(mean(excess) - DEVIATIONS * standard_error(excess), counts,
                                 f"{name} is better than {advice['use']}")
        print(f"{path.stem}: {advice['use']}, {len(fit)} of {len(runs)} fit; the race took "
              f"{sum(one['runs'] for one in advice['ranking'])} runs of "
              f"{len(runs) * max(one['runs'] for one in advice['ranking'])}")

    def test_each_shipped_question(self):
        questions = sorted((SOURCE / "scenarios/advice").glob("*.json"))
        self.assertEqual(len(questions), 6)
        for path in questions:
            with self.subTest(question=path.stem):
                self.check(path)


if __name__ == "__main__":
    unittest.main()
