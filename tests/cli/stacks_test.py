# SPDX-License-Identifier: Apache-2.0
"""Whole stacks as alternatives of a study, from the scenario to the table, the store and the page;
and comparisons by several paths together."""

import csv
import io
import json
import unittest
import xml.etree.ElementTree

from program import GONE, SMALL, ProgramTest, changed

FOUR = {"termination": {"name": "four-counter"}}
CREDITS = {"termination": {"name": "cda", "initial_credit": 64},
           "failure_detection": {"name": "oracle", "delay_s": 0.002}}
# A stack as somebody else might name it.
WILD = "<b>\"x\" & 'y'</b> $(touch canary); `touch canary`"

BARE = changed(SMALL, ["termination"], GONE)
STACKS = {**BARE, "stacks": {"four counters": FOUR, "credits + oracle": CREDITS},
          "sweep": {"platform.processes": [8, 16], "engine": ["loggp"]}}
ZIPPED = {**BARE, "sweep": {
    "zip": [{"termination": [FOUR["termination"], CREDITS["termination"]],
             "failure_detection": [{"name": "none"}, CREDITS["failure_detection"]]}],
    "platform.processes": [8, 16], "engine": ["loggp"]}}
BY_BOTH = ("--by", "termination,failure_detection", "--metric", "control_messages")


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


class Compared(StacksTest):
    def test_by_stacks_and_by_what_they_set(self):
        self.sweep(STACKS, "stacks.sqlite")
        self.sweep(ZIPPED, "zipped.sqlite")
        by_stacks = self.rows("compare", "stacks.sqlite", "--by", "stacks", "--metric",
                              "control_messages")
        by_both = self.rows("compare", "zipped.sqlite", *BY_BOTH)
        self.assertEqual(len(by_stacks), 2)
        names = {"four counters": {"termination": FOUR["termination"],
                                   "failure_detection": {"name": "none"}},
                 "credits + oracle": CREDITS}
        for stack, both in zip(by_stacks, by_both, strict=True):
            for column in ("first", "second", "verdict", "winner"):
                self.assertEqual(json.loads(both[column]), names[stack[column]])
            for column in ("platform.processes", "engine", "first_mean", "second_mean", "pairs",
                           "difference", "low", "high"):
                self.assertEqual(stack[column], both[column], column)

    def test_zipped_alternatives_of_the_case_at_hand(self):
        """Two families that advance together differ in neither alone."""
        self.sweep(ZIPPED, "r.sqlite")
        for path, other in (("termination", "failure_detection"),
                            ("failure_detection", "termination")):
            self.assertIn(
                f"compare: --by {path}: no two points differ only in this: {other} changes with "
                f"it; expected --by {path},{other}\n",
                self.refusal("compare", "r.sqlite", "--by", path, "--metric", "end_time_s"))
        text = self.answer("compare", "r.sqlite", *BY_BOTH)
        self.assertIn("cda, initial_credit 64 + oracle, delay_s 0.002", " ".join(text.split()))
        for arguments, message in (
                (("termination,termination",), 'names "termination" twice'),
                (("termination,",), '"": expected a path'),
                (("stacks,failure_detecton",),
                 '"failure_detecton" is no path of the points of the store, did you mean '
                 '"failure_detection"?'),
                (("termination,seed",), "different random numbers")):
            self.assertIn(message, self.refusal("compare", "r.sqlite", "--by", *arguments,
                                                "--metric", "end_time_s"))

    def test_one_table_says_who_wins_and_by_how_much(self):
        self.sweep(STACKS, "r.sqlite")
        text = self.answer("compare", "r.sqlite", "--by", "stacks", "--metric", "control_messages")
        for line in text.splitlines():
            self.assertLessEqual(len(line), 80)
        self.assertEqual(text.count("---\n"), 1)  # one rule, one table
        self.assertIn("\nAt every point: engine=loggp\n", text)
        self.assertEqual(text.count("loggp"), 1)
        pairs = {row["platform.processes"]: row for row in self.rows(
            "compare", "r.sqlite", "--by", "stacks", "--metric", "control_messages")}
        for processes, pair in pairs.items():
            self.assertIsNotNone(pair["winner"])
            first, second = [line for line in text.splitlines()
                             if line.startswith(f"{processes} ")]
            self.assertIn(pair["winner"], first)
            self.assertTrue(first.endswith(" winner"), first)
            loser, = {"four counters", "credits + oracle"} - {pair["winner"]}
            self.assertIn(loser, second)
            difference, sign, half = second.split()[-3:]
            self.assertEqual(sign, "+-")
            # Two digits of the half width are shown, and the difference up to the second of them.
            self.assertAlmostEqual(float(difference), abs(pair["difference"]),
                                   delta=0.06 * float(half))
            self.assertAlmostEqual(float(half), (pair["high"] - pair["low"]) / 2,
                                   delta=0.06 * float(half))

    def test_long_names_stand_in_a_legend(self):
        names = ("four counters, as Mattern described them in 1987, in waves over the ring",
                 "credits that are recovered, as Mattern described them in 1989, by the root")
        self.sweep({**BARE, "stacks": dict(zip(names, (FOUR, CREDITS))),
                    "sweep": {"platform.processes": [8, 16]}}, "r.sqlite")
        text = self.answer("compare", "r.sqlite", "--by", "stacks", "--metric", "end_time_s")
        for letter, name in zip("AB", names):
            self.assertIn(f"{letter}: {name}", " ".join(text.split()))
            self.assertRegex(text, rf"(?m)^16 +{letter} +\d")
        for line in text.splitlines():
            self.assertLessEqual(len(line), 80)
        self.assertEqual(text.count("---\n"), 1)

    def test_stacks_of_different_seeds_are_not_compared(self):
        self.sweep(with_stacks({"a": FOUR, "b": {**CREDITS, "seed": 8}}), "r.sqlite")
        self.assertIn("points 0 and 1 have different seeds", self.refusal(
            "compare", "r.sqlite", "--by", "stacks", "--metric", "end_time_s"))


class Page(StacksTest):
    def body(self, *arguments):
        result = self.faultline("report", "r.sqlite", "--html", "p.html", *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        text = (self.folder / "p.html").read_text()
        return xml.etree.ElementTree.fromstring(text[text.index("<body>"):text.index("</html>")])

    def table(self, body, caption):
        table, = [table for table in body.iter("table")
                  if "".join(table.find("caption").itertext()) == caption]
        return [["".join(cell.itertext()) for cell in row]
                for row in table.findall("tbody/tr")]

    def test_the_page_knows_the_axis(self):
        self.sweep(STACKS, "r.sqlite")
        body = self.body("--metric", "control_messages")
        text = "".join(body.itertext())
        self.assertIn("Which stack wins where", text)
        self.assertIn("At every point: engine=loggp.", text)
        self.assertIn("compare r.sqlite --by stacks", text)
        self.assertEqual(self.table(body, "The stacks"), [
            ["four counters", "workload: token-ring; termination: four-counter"],
            ["credits + oracle",
             "workload: token-ring; termination: cda; failure_detection: oracle"]])
        lines = {row[0] for table in body.iter("table")
                 if [cell.text for cell in table.findall("thead/tr/th")][:1] == ["line"]
                 for row in [["".join(cell.itertext()) for cell in row]
                             for row in table.findall("tbody/tr")]}
        self.assertLessEqual({"four counters", "credits + oracle"}, lines)
        self.body("--x", "stacks")

    def test_zipped_families_compete_together(self):
        self.sweep(ZIPPED, "r.sqlite")
        text = "".join(self.body("--metric", "control_messages").itertext())
        self.assertIn("Which termination and failure_detection wins where", text)
        self.assertIn("compare r.sqlite --by termination,failure_detection", text)
        self.assertNotIn("no two points differ", text)

    def test_a_name_from_outside_is_a_name(self):
        self.sweep({**BARE, "stacks": {WILD: FOUR, "=plain": CREDITS},
                    "sweep": {"platform.processes": [8, 16]}}, "r.sqlite")
        self.assertIn(WILD, "".join(self.body().itertext()))
        rows = list(csv.DictReader(io.StringIO(
            self.answer("query", "r.sqlite", "--runs", "--format", "csv"))))
        self.assertEqual({row["stacks"] for row in rows}, {WILD, "'=plain"})
        self.assertEqual([name for name in self.files() if "canary" in name], [])
        self.assertIn(WILD, " ".join(self.answer(
            "compare", "r.sqlite", "--by", "stacks", "--metric", "end_time_s").split()))


if __name__ == "__main__":
    unittest.main()
