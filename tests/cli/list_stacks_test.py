# SPDX-License-Identifier: Apache-2.0
"""`list stacks`: what works above what, in general and in a scenario; and what `validate` notes."""

import csv
import io
import json
import unittest

from program import GONE, SMALL, ProgramTest, changed

GROUNDS = {"by nature", "not built", "by settings", "warning"}
RECOVERIES = {"none", "fampi", "relaunch", "ulfm", "causal", "checkpoint-restart", "fast",
              "pessimistic", "send-deterministic"}
STENCIL = {
    "schema_version": 1,
    "platform": {"machine": "intrepid", "processes": 16, "processes_per_node": 4},
    "workload": {"name": "stencil", "checkpoint_iterations": 5},
    "failure_detection": {"name": "oracle"},
    "faults": {"at": [{"time_s": 0.01, "nodes": [1]}]},
}
SPARE = changed(STENCIL, ["platform", "spare_nodes"], 1)


class ListStacks(ProgramTest):
    def listed(self, *arguments):
        return json.loads(self.answer("list", "stacks", *arguments, "--format", "json"))["stacks"]

    def pair(self, pairs, name, recovery):
        found = [pair for pair in pairs if pair["above"]["name"] == name
                 and pair["recovery"]["name"] == recovery]
        self.assertEqual(len(found), 1, (name, recovery))
        return found[0]

    def listing_of(self, scenario, *arguments):
        self.write("s.json", scenario)
        return self.listed("s.json", *arguments)


class InGeneral(ListStacks):
    def test_every_component_is_paired_with_every_recovery(self):
        pairs = self.listed()
        everything = json.loads(self.answer("list", "--format", "json"))
        names = {(part["family"], part["name"])
                 for part in everything["protocols"] + everything["workloads"]}
        above = {(pair["above"]["family"], pair["above"]["name"]) for pair in pairs}
        self.assertEqual(above - {("failure_detection", "none")},
                         {(family, name) for family, name in names if family != "message_logging"})
        self.assertEqual({pair["recovery"]["name"] for pair in pairs}, RECOVERIES)

    def test_a_refused_pair_has_a_reason_and_its_ground(self):
        pairs = self.listed()
        self.assertTrue(any(not pair["works"] for pair in pairs))
        for pair in pairs:
            grounds = {reason["ground"] for reason in pair["reasons"]}
            self.assertLessEqual(grounds, GROUNDS - {"by settings"}, pair)
            self.assertEqual(pair["works"], grounds <= {"warning"}, pair)
            for reason in pair["reasons"]:
                self.assertNotIn("\n", reason["reason"])
        self.assertEqual(self.pair(pairs, "cda", "causal")["verdict"], "works")
        self.assertEqual(self.pair(pairs, "lai-wu", "causal")["verdict"], "not built")
        self.assertEqual(self.pair(pairs, "indep", "causal")["verdict"], "warning")
        self.assertEqual(self.pair(pairs, "cda", "fast")["verdict"], "by nature")

    def test_the_table_is_small_and_has_every_name(self):
        table = self.answer("list", "stacks")
        for line in table.splitlines():
            self.assertLessEqual(len(line), 80, line)
            self.assertEqual(line, line.rstrip())
        self.assertLess(table.count("\n"), 70)
        words = set(table.replace(",", " ").replace(";", " ").replace(".", " ").split())
        for pair in self.listed():
            self.assertIn(pair["above"]["name"], words)

    def test_each_mark_of_the_table_is_explained(self):
        matrix, _, legend = self.answer("list", "stacks").partition("\n+   works\n")
        marks = {word for word in matrix.split() if word[0] in "nbsw" and word[1:].isdigit()}
        explained = {line.split()[0] for line in legend.splitlines()
                     if line.startswith("  ") and line[2] in "nbsw"}
        self.assertEqual(marks, explained)
        self.assertGreater(len(marks), 5)

    def test_csv_says_the_same(self):
        rows = list(csv.DictReader(io.StringIO(self.answer("list", "stacks", "--format", "csv"))))
        self.assertEqual([(row["family"], row["name"], row["recovery"], row["works"] == "TRUE",
                           row["verdict"]) for row in rows],
                         [(pair["above"]["family"], pair["above"]["name"],
                           pair["recovery"]["name"], pair["works"], pair["verdict"])
                          for pair in self.listed()])


class OfAScenario(ListStacks):
    def test_the_program_is_that_of_the_file(self):
        pairs = self.listing_of(SPARE)
        self.assertEqual({pair["above"]["name"] for pair in pairs
                          if pair["above"]["family"] == "workload"}, {"stencil"})
        self.assertEqual(self.pair(pairs, "stencil", "checkpoint-restart")["verdict"], "works")
        causal = self.pair(pairs, "stencil", "causal")
        self.assertTrue(causal["works"])
        self.assertIn("causal brings back one rank at a time", causal["reasons"][0]["words"])

    def test_settings_are_a_ground_of_their_own(self):
        pairs = self.listing_of(STENCIL)
        pair = self.pair(pairs, "stencil", "fast")
        self.assertFalse(pair["works"])
        self.assertEqual(pair["verdict"], "by settings")
        self.assertIn("platform.spare_nodes: fast restarts the ranks of a failed node",
                      pair["reasons"][0]["words"])

    def test_without_faults_more_works(self):
        self.write("s.json", SMALL)
        pairs = self.listed("s.json")
        self.assertEqual(self.pair(pairs, "cda", "none")["verdict"], "works")
        self.assertEqual(self.pair(pairs, "cda", "causal")["verdict"], "works")
        self.assertEqual(self.pair(pairs, "lai-wu", "causal")["verdict"], "not built")
        self.assertEqual(self.pair(pairs, "indep", "causal")["verdict"], "works")

    def test_a_combination_that_is_refused_is_no_error(self):
        refused = changed(SMALL, ["faults"], {"at": [{"time_s": 0.001, "ranks": [3]}]})
        self.write("s.json", refused)
        self.assertIn("cda tolerates no faults", self.refusal("validate", "s.json"))
        self.assertEqual(self.pair(self.listed("s.json"), "cda", "none")["verdict"], "by nature")

    def test_what_is_said_to_work_runs(self):
        self.write("s.json", SMALL)
        for pair in self.listed("s.json"):
            if pair["above"]["family"] != "termination" or pair["recovery"]["name"] != "causal":
                continue
            name = pair["above"]["name"]
            result = self.faultline("run", "s.json", "--quiet", "--set",
                                    f'termination={{"name": "{name}"}}', "--set",
                                    'message_logging={"name": "causal"}', "--replications", "1")
            self.assertEqual(result.returncode, 0 if pair["works"] else 2, (name, result.stderr))

    def test_the_first_point_of_a_sweep(self):
        swept = changed(SPARE, ["sweep"], {"workload.checkpoint_iterations": [5, 10]})
        self.assertEqual(self.listing_of(swept), self.listing_of(SPARE))
        stacks = changed(changed(SPARE, ["failure_detection"], GONE), ["stacks"], {
            "a": {"failure_detection": {"name": "swim"}, "message_logging": {"name": "causal"}},
            "b": {"failure_detection": {"name": "ulfm"}, "transactions": {"name": "ulfm"}}})
        self.assertEqual(self.pair(self.listing_of(stacks), "stencil", "ulfm")["verdict"], "works")

    def test_the_table_names_the_file_within_80_columns(self):
        for name in ("s.json", "\x1b[31m'\"$(touch x)" + "long" * 30 + ".json"):
            self.write(name, SPARE)
            table = self.answer("list", "stacks", name)
            self.assertNotIn("\x1b", table)
            for line in table.splitlines():
                self.assertTrue(len(line) <= 80 or "long" in line, line)
        self.assertNotIn("x", self.files())

    def test_bad_input(self):
        self.write("s.json", "{")
        self.assertIn("s.json:1:", self.refusal("list", "stacks", "s.json"))
        self.write("s.json", changed(SMALL, ["platform", "processes"], 0))
        self.assertIn("platform.processes: expected", self.refusal("list", "stacks", "s.json"))
        self.write("s.json", "[]")
        self.assertIn("expected an object", self.refusal("list", "stacks", "s.json"))
        self.assertIn("missing.json: no such file", self.refusal("list", "stacks", "missing.json"))
        self.write("s.json", SMALL)
        self.assertIn('unexpected word "s.json"', self.refusal("list", "machines", "s.json"))
        self.assertIn('unexpected word "x"', self.refusal("list", "stacks", "s.json", "x"))
        self.assertIn("only the section stacks has csv",
                      self.refusal("list", "machines", "--format", "csv"))


class Notes(ProgramTest):
    def test_validate_and_run_note_what_says_little(self):
        rare = changed(changed(SPARE, ["faults"], {"poisson": {"mtbf_s": 1e6, "victims": "ranks"}}),
                       ["message_logging"], {"name": "checkpoint-restart"})
        self.write("s.json", rare)
        for arguments in (("validate", "s.json"), ("run", "s.json", "--quiet", "--dry-run")):
            result = self.faultline(*arguments)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("faults.poisson[0]: no fault is expected: one strikes every 1e+06 s",
                          result.stderr)

    def test_a_swept_note_is_said_once(self):
        rare = changed(SPARE, ["faults"], {"poisson": {"mtbf_s": 1e6, "victims": "ranks"}})
        rare = changed(rare, ["message_logging"], {"name": "checkpoint-restart"})
        self.write("s.json", changed(rare, ["sweep"], {"workload.iterations": [10, 20, 30]}))
        result = self.faultline("validate", "s.json")
        self.assertEqual(result.stderr.count("no fault is expected"), 1, result.stderr)


if __name__ == "__main__":
    unittest.main()
