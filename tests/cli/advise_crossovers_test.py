# SPDX-License-Identifier: Apache-2.0
"""`over`: where the choice of `advise` changes along a path, against closed forms."""

import json
import math
import unittest

from advise_test import QUESTION, Advise
from program import changed


class Crossovers(Advise):
    """Where the choice changes along a path."""

    # What rollback loses outweighs what checkpoints cost where faults are frequent.
    OFTEN, RARELY = 2, 20
    QUESTION = {
        **QUESTION,
        "scenario": {
            "platform": {"machine": "stampede", "processes": 8},
            "workload": {"name": "try-blocks", "iterations": 200, "compute_s": 1,
                         "state_bytes": 1000000000},
            "failure_detection": {"name": "oracle", "delay_s": 0.01},
            "faults": {"poisson": {"mtbf_s": 60, "victims": "ranks"}},
            "stop": {"when": "finished", "time_s": 100000}},
        "stacks": {name: {"transactions": {"name": "relaunch", "spawn": "same-node",
                                           "checkpoint": "storage",
                                           "storage_bandwidth_Bps": 80000000000},
                          "workload.checkpoint_iterations": iterations}
                   for name, iterations in (("often", OFTEN), ("rarely", RARELY))},
        "over": {"faults.poisson.mtbf_s": {"from": 80, "to": 1280}},
        "equivalent_within": 0.01,
    }
    del QUESTION["compare_with"]

    def time_without_faults_s(self, stack):
        job = {**self.QUESTION["scenario"], "schema_version": 1, "name": "job"}
        job["transactions"] = self.QUESTION["stacks"][stack]["transactions"]
        job["workload"] = {**job["workload"], "checkpoint_iterations": getattr(self, stack.upper())}
        self.write("job.json", job)
        result = self.faultline("run", "job.json", "--set", "faults={}", "--format", "json")
        return json.loads(result.stdout)["runs"][0]["metrics"]["time_to_solution_s"]

    def crossover_s(self):
        """The work between checkpoints is half lost at a fault, so that the loss in the long run is
        as large where (dear - cheap) is work / mtbf * (RARELY - OFTEN) / 2."""
        dear_s, cheap_s = (self.time_without_faults_s(stack) for stack in ("often", "rarely"))
        return 200 * (self.RARELY - self.OFTEN) / 2 / (dear_s - cheap_s)

    def test_agree_with_a_closed_form_for_two_distances_of_checkpoints(self):
        advice = self.advice(question=self.QUESTION, full=True)
        self.assertEqual(len(advice["crossovers"]), 1)
        crossed = advice["crossovers"][0]
        self.assertEqual(crossed["end"], "decided")
        self.assertEqual([one["use"] for one in crossed["stretches"]], ["often", "rarely"])
        below, above = (crossed["stretches"][0]["to"], crossed["stretches"][1]["from"])
        self.assertLessEqual(above / below, 1.25)
        expected_s = self.crossover_s()
        self.assertLess(below / 1.5, expected_s)
        self.assertGreater(above * 1.5, expected_s)

    def test_agree_with_a_closed_form_for_a_new_start_and_none(self):
        """Without recovery, T seconds of work complete with a probability of e^(-T / MTBF). Where
        that is enough, none is best, for it has no checkpoints."""
        work_s, share = 200, 0.75
        question = {**self.QUESTION, "require": [{"metric": "completed", "at_least": share}],
                    "over": {"faults.poisson.mtbf_s": {"from": 100, "to": 6400}},
                    "equivalent_within": 0.02,
                    "stacks": {"none": {"transactions": {"name": "none"}}, "relaunch": {
                        "transactions": {"name": "relaunch", "spawn": "same-node",
                                         "checkpoint": "storage", "storage_bandwidth_Bps": 1e10},
                        "workload.checkpoint_iterations": 5}}}
        question = changed(question, ["scenario", "faults", "poisson", "mtbf_s"], 100)
        crossed = self.advice("--jobs", 2, question=question, full=True)["crossovers"][0]
        self.assertEqual([one["use"] for one in crossed["stretches"]], ["relaunch", "none"])
        expected_s = work_s / math.log(1 / share)
        self.assertLess(crossed["stretches"][0]["to"] / 1.5, expected_s)
        self.assertGreater(crossed["stretches"][1]["from"] * 1.5, expected_s)

    def test_a_path_that_all_alternatives_state_is_an_error(self):
        self.write("q.json", {**self.QUESTION,
                              "over": {"workload.checkpoint_iterations": {"from": 1, "to": 9}}})
        result = self.faultline("advise", "q.json")
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stderr,
                         'faultline: q.json: over["workload.checkpoint_iterations"]: changes no '
                         'alternative\n')

    def test_a_value_at_which_nobody_can_run_the_job_is_an_error_before_any_run(self):
        self.write("q.json", {**self.QUESTION,
                              "over": {"platform.processes": {"from": 2, "to": 1000000}}})
        result = self.faultline("advise", "q.json", "--dry-run")
        self.assertEqual(result.returncode, 2)
        self.assertIn("q.json: scenario.platform.processes: expected", result.stderr)

    def test_a_dry_run_lists_the_values(self):
        self.write("q.json", self.QUESTION)
        said = self.faultline("advise", "q.json", "--dry-run").stdout
        self.assertIn("Over faults.poisson.mtbf_s: [80,160,320,640,1280], and values between them",
                      " ".join(said.split()))

    def test_say_if_no_run_depends_on_the_path(self):
        self.write("q.json", {**self.QUESTION, "over": {"stop.time_s": {"from": 1e6, "to": 1e7}},
                              "budget": {"events": 1e7}})
        said = self.faultline("advise", "q.json", "--quick", "--quiet").stdout
        self.assertIn("No run depends on stop.time_s.", " ".join(said.split()))

    def test_end_with_the_budget_and_say_so(self):
        advice = self.advice(question={**self.QUESTION, "budget": {"events": 1}})
        self.assertEqual(advice["crossovers"][0]["end"], "budget")
        self.assertEqual(advice["crossovers"][0]["stretches"], [])
        said = self.faultline("advise", "q.json", "--quick", "--quiet").stdout
        self.assertIn("No further values of faults.poisson.mtbf_s were looked at",
                      " ".join(said.split()))


if __name__ == "__main__":
    unittest.main()
