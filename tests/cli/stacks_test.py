# SPDX-License-Identifier: Apache-2.0
"""Whole stacks as alternatives of a study, from the scenario to the store."""

import json
import unittest

from program import GONE, SMALL, ProgramTest, changed

FOUR = {"termination": {"name": "four-counter"}}
CREDITS = {"termination": {"name": "cda", "initial_credit": 64},
           "failure_detection": {"name": "oracle", "delay_s": 0.002}}
BARE = changed(SMALL, ["termination"], GONE)
STACKS = {**BARE, "stacks": {"four counters": FOUR, "credits + oracle": CREDITS},
          "sweep": {"platform.processes": [8, 16], "engine": ["loggp"]}}
ZIPPED = {**BARE, "sweep": {
    "zip": [{"termination": [FOUR["termination"], CREDITS["termination"]],
             "failure_detection": [{"name": "none"}, CREDITS["failure_detection"]]}],
    "platform.processes": [8, 16], "engine": ["loggp"]}}


def with_stacks(stacks):
    return {**BARE, "stacks": stacks}


class StacksTest(ProgramTest):
    def sweep(self, scenario, store, *arguments, code=0):
        self.write("s.json", scenario)
        return self.answer("sweep", "s.json", "--store", store, *arguments, code=code)

    def rows(self, *arguments):
        return json.loads(self.answer(*arguments, "--format", "json"))


class Study(StacksTest):
    def test_dry_run_and_validate(self):
        self.write("s.json", STACKS)
        self.assertEqual(self.answer("sweep", "s.json", "--dry-run"), """\
s.json: 4 points, 32 runs
  point 0: stacks=four counters, platform.processes=8, engine=loggp
  point 1: stacks=four counters, platform.processes=16, engine=loggp
  point 2: stacks=credits + oracle, platform.processes=8, engine=loggp
  point 3: stacks=credits + oracle, platform.processes=16, engine=loggp
""")
        self.answer("validate", "s.json")

    def test_the_same_runs_as_of_what_the_stacks_set(self):
        self.sweep(STACKS, "stacks.sqlite")
        self.sweep(ZIPPED, "zipped.sqlite")

        def runs(store):
            # Axes that advance together are one dimension, wherever it stands.
            return sorted((row["platform.processes"], row["scenario_hash"], row["replication"],
                           row["outcome"], row["control_messages"], row["end_time_s"])
                          for row in self.rows("query", store, "--runs"))
        self.assertEqual(len(runs("stacks.sqlite")), 32)
        self.assertEqual(runs("stacks.sqlite"), runs("zipped.sqlite"))

    def test_queries_know_the_axis(self):
        self.sweep(STACKS, "r.sqlite")
        found = self.rows("query", "r.sqlite", "--metric", "end_time_s", "--where",
                          "stacks == 'credits + oracle'")
        self.assertEqual([row["stacks"] for row in found], ["credits + oracle"] * 2)
        found = self.rows("query", "r.sqlite", "--group-by", "stacks", "--metric", "end_time_s")
        self.assertEqual([(row["stacks"], row["points"]) for row in found],
                         [("four counters", 2), ("credits + oracle", 2)])
        # What a stack sets is in the resolved scenario of its points.
        found = self.rows("query", "r.sqlite", "--where", "failure_detection.delay_s == 0.002",
                          "--group-by", "stacks,termination.initial_credit", "--metric",
                          "end_time_s")
        self.assertEqual([(row["stacks"], row["termination.initial_credit"]) for row in found],
                         [("credits + oracle", 64)])
        self.assertIn('"stack" is no path of the points of the store, did you mean "stacks"?',
                      self.refusal("query", "r.sqlite", "--group-by", "stack"))
        self.assertIn("credits + oracle", self.answer("query", "r.sqlite"))

    def test_it_grows(self):
        self.sweep(STACKS, "r.sqlite")
        self.assertEqual(
            self.sweep(changed(STACKS, ["stacks", "late"], {"termination": {"name": "cda"}}),
                       "r.sqlite"), "r.sqlite: 6 of 6 points stored, 4 before\n")
        # The same name for something else is another study.
        self.write("s.json", changed(STACKS, ["stacks", "late"], {"termination": {"name": "hcda"}}))
        self.assertIn("another scenario", self.refusal("sweep", "s.json", "--store", "r.sqlite"))
        # A condition leaves a stack out.
        self.assertIn("4 of 4 points stored, 4 before", self.sweep(
            changed(changed(STACKS, ["stacks", "late"], {"termination": {"name": "cda"}}),
                    ["sweep", "where"], ["stacks != 'late'"]), "r.sqlite"))

    def test_any_family_can_be_swept(self):
        blocks = {"schema_version": 1,
                  "platform": {"machine": "stampede", "processes": 8, "spare_nodes": 2},
                  "workload": {"name": "try-blocks", "iterations": 3, "compute_s": 0.01},
                  "failure_detection": {"name": "oracle"}}
        both = [{"name": "fampi"}, {"name": "ulfm"}]
        self.sweep({**blocks, "sweep": {"transactions": both}}, "r.sqlite")
        self.assertEqual({row["transactions"] for row in self.rows("query", "r.sqlite")},
                         {"fampi", "ulfm"})
        self.sweep({**blocks, "sweep": {"zip": [{"transactions": both, "seed": [1, 2]}]}},
                   "z.sqlite")
        self.sweep({**blocks, "stacks": {"a": {"transactions": both[0]},
                                         "b": {"transactions": both[1]}}}, "s.sqlite")
        self.assertEqual({row["stacks"] for row in self.rows("query", "s.sqlite")}, {"a", "b"})

    def test_what_is_refused(self):
        for stacks, message in (
                ({}, "stacks: expected an object of names"),
                ({"": FOUR}, 'stacks[""]: expected a name for the stack, got ""'),
                ({"a\x1b[1m": FOUR}, "expected a name of one line without control characters"),
                ({"a b": {}},
                 'stacks["a b"]: expected an object with the keys that the stack sets, got none'),
                ({"a b": {"terminatoin": {"name": "cda"}}},
                 'stacks["a b"].terminatoin: a scenario has no key "terminatoin", did you mean '
                 '"termination"?'),
                ({"a b": {"termination": {"name": "cda", "credit": 1}}},
                 '(from stacks["a b"].termination) (point 0: stacks=a b)')):
            self.write("s.json", with_stacks(stacks))
            for verb in (("sweep", "s.json", "--dry-run"), ("validate", "s.json")):
                self.assertIn("s.json: ", self.refusal(*verb))
                self.assertIn(message, self.refusal(*verb))
        self.write("s.json", json.dumps(with_stacks({"a": FOUR, "b": CREDITS})).replace(
            '"b":', '"a":'))
        self.assertIn("stacks.a: duplicate key", self.refusal("validate", "s.json"))
        self.write("s.json", {**with_stacks({"a": FOUR}),
                              "sweep": {"termination": [{"name": "cda"}]}})
        self.assertIn("stacks.a.termination: is set by sweep.termination, too",
                      self.refusal("validate", "s.json"))
        self.write("s.json", with_stacks({"a": FOUR}))
        self.assertIn("stacks: needs the verb sweep", self.refusal("run", "s.json"))
        self.answer("sweep", "s.json", "--dry-run", "--set", "stacks.b.termination.name=cda")


if __name__ == "__main__":
    unittest.main()
