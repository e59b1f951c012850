# SPDX-License-Identifier: Apache-2.0
"""Faults sampled by strata, from the scenario to tables, stores and comparisons. Weighted means are
computed here once more, from the runs themselves, and held against closed forms."""

import json
import math
import unittest
from fractions import Fraction

from program import GONE, ProgramTest, changed

RANKS = 64
COUNTS = {1: 80, 2: 12, 3: 6, 8: 2}
# Two thirds of the ranks send to one rank each: some deaths of two are fatal, most are not.
FLOOD = {
    "schema_version": 1,
    "name": "strata",
    "seed": 7,
    "replications": 400,
    "platform": {"machine": "intrepid", "processes": RANKS, "processes_per_node": 1},
    "workload": {"name": "flood", "fanout": 4},
    "termination": [{"name": "indep"}, {"name": "rel-eager"}],
    "failure_detection": {"name": "oracle", "delay_s": 0.001},
    "faults": {"counts": {"distribution": "./counts.json", "sampling": "stratified",
                          "time_s": 0.5, "victims": "ranks", "spare_root": True}},
    "stop": {"time_s": 1000, "grace_s": 10},
}


def weighted_mean(runs, value_of):
    """The mean over strata, and over those runs that have a value; exact for whole numbers."""
    strata = {}
    for run in runs:
        strata.setdefault(run["metrics"]["stratum"], []).append(value_of(run))
    top, bottom = Fraction(0), Fraction(0)
    for size, values in strata.items():
        weight = Fraction(COUNTS[int(size)], sum(COUNTS.values()))
        present = [Fraction(value) for value in values if value is not None]
        top += weight * sum(present) / len(values)
        bottom += weight * len(present) / len(values)
    return float(top / bottom)


def survival_of_flood(processes, fanout, sizes):
    """Closed form of adoption-2013 for INDEP, where rank 0 is spared: section 5.4, by hand."""
    total = sum(sizes.values())
    survival = Fraction(0)
    for failed, count in sizes.items():
        alone = Fraction(math.comb(processes - failed, fanout), math.comb(processes - 1, fanout))
        survival += Fraction(count, total) * (alone ** failed if failed > 1 else 1)
    return float(survival)


class StrataTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("counts.json", {"schema_version": 1, "name": "counts",
                                   "counts": {str(size): count for size, count in COUNTS.items()}})

    def runs(self, scenario):
        self.write("s.json", scenario)
        return json.loads(self.answer("run", "s.json", "--format", "json"))

    def test_means_are_weighted_in_run_query_and_compare_alike(self):
        report = self.runs(FLOOD)
        self.answer("sweep", "s.json", "--store", "s.sqlite")
        rows = json.loads(self.answer("query", "s.sqlite", "--group-by", "termination.name",
                                      "--metric", "completed", "--metric", "control_messages",
                                      "--metric", "detection_latency_s", "--format", "json"))
        for point, name in enumerate(("indep", "rel-eager")):
            runs = [run for run in report["runs"] if run["point"] == point]
            summary = report["summary"][point]["metrics"]
            stored = {row["metric"]: row for row in rows if row["termination.name"] == name}
            for metric, value_of in (
                    ("completed", lambda run: int(run["derived"]["completed"])),
                    ("control_messages", lambda run: run["metrics"]["control_messages"]),
                    ("detection_latency_s", lambda run: run["metrics"]["detection_latency_s"])):
                with self.subTest(name=name, metric=metric):
                    self.assertAlmostEqual(summary[metric]["mean"],
                                           weighted_mean(runs, value_of), places=12)
                    self.assertEqual(stored[metric]["mean"], summary[metric]["mean"])
                    low, high = summary[metric]["confidence_interval_95"]
                    self.assertEqual((stored[metric]["low"], stored[metric]["high"]), (low, high))
        (pair,) = json.loads(self.answer("compare", "s.sqlite", "--by", "termination.name",
                                         "--metric", "control_messages", "--format", "json"))
        means = [point["metrics"]["control_messages"]["mean"] for point in report["summary"]]
        self.assertAlmostEqual(pair["difference"], means[0] - means[1], places=9)

    def test_rare_sizes_have_most_of_the_runs_under_every_protocol_the_same(self):
        report = self.runs(FLOOD)
        sizes = [[run["metrics"]["stratum"] for run in report["runs"] if run["point"] == point]
                 for point in (0, 1)]
        self.assertEqual(sizes[0], sizes[1])
        self.assertEqual(set(sizes[0]), set(COUNTS))
        self.assertLess(sizes[0].count(1), 100)
        self.assertGreater(sizes[0].count(8), 20)
        for run in report["runs"]:
            self.assertEqual(run["metrics"]["failed_ranks"], run["metrics"]["stratum"])
            self.assertEqual(run["metrics"]["stratum_sure"], int(run["metrics"]["stratum"] == 1))

    def test_survival_of_a_flood_is_that_of_the_closed_form_to_a_tenth_of_plain_drawing(self):
        scenario = changed(FLOOD, ["replications"], 3000)
        scenario = changed(scenario, ["termination"], {"name": "indep"})
        expected = survival_of_flood(RANKS, 4, COUNTS)

        def half_width_of(sampling):
            report = self.runs(changed(scenario, ["faults", "counts", "sampling"], sampling))
            completed = report["summary"][0]["metrics"]["completed"]
            low, high = completed["confidence_interval_95"]
            self.assertLess(low, expected)
            self.assertLess(expected, high)
            return (high - low) / 2

        # The same interval by plain drawing takes some four times as many runs.
        self.assertLess(half_width_of("stratified"), 0.55 * half_width_of("plain"))

    def test_a_precision_ends_when_the_weighted_share_is_known(self):
        scenario = changed(FLOOD, ["termination"], {"name": "rel-eager"})
        scenario = changed(scenario, ["replications"], 20)
        scenario["sweep"] = {"precision": {"metric": "completed", "relative_half_width": 0.01,
                                           "most_replications": 3000}}
        self.write("s.json", scenario)
        self.answer("sweep", "s.json", "--store", "p.sqlite", "--jobs", "2")
        (row,) = json.loads(self.answer("query", "p.sqlite", "--metric", "completed",
                                        "--format", "json"))
        self.assertLessEqual(row["high"] - row["low"], 0.02)
        self.assertLess(row["count"], 1500)

    def test_points_of_other_strata_do_not_count_together(self):
        self.write("other.json", {"schema_version": 1, "name": "other",
                                  "counts": {"1": 1, "2": 1}})
        scenario = changed(FLOOD, ["replications"], 10)
        scenario["sweep"] = {"faults.counts.distribution": ["./counts.json", "./other.json"]}
        self.write("s.json", scenario)
        self.answer("sweep", "s.json", "--store", "o.sqlite")
        errors = self.refusal("query", "o.sqlite", "--group-by", "termination.name",
                              "--metric", "completed")
        self.assertIn("its strata are not those of the points that would count with it", errors)
        self.answer("query", "o.sqlite", "--metric", "completed")

    def test_what_cannot_be_sampled_so_is_refused_by_name(self):
        counts = ["faults", "counts"]
        for scenario, words in (
                (changed(FLOOD, counts + ["limit"], 2), 'faults.counts.sampling: "stratified"'
                                                        " needs limit 1"),
                (changed(changed(FLOOD, counts + ["distribution"], GONE), counts + ["size"], 2),
                 'faults.counts.sampling: "stratified" needs a distribution of sizes'),
                (changed(FLOOD, counts, [FLOOD["faults"]["counts"]] * 2),
                 'faults.counts[1].sampling: "stratified" already holds for faults.counts[0]')):
            self.write("s.json", scenario)
            self.assertIn(words, self.refusal("run", "s.json"))


if __name__ == "__main__":
    unittest.main()
