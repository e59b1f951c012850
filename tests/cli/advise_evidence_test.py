# SPDX-License-Identifier: Apache-2.0
"""What an answer of `advise` rests on, and its page."""

import unittest
import xml.etree.ElementTree

import advise_crossovers_test
from advise_test import QUESTION, Advise
from program import HAS_SIMGRID, changed

CROSSED = advise_crossovers_test.Crossovers.QUESTION


class Evidence(Advise):
    """What an answer rests on."""

    ULFM = {"name": "ulfm"}

    def test_the_parts_of_a_difference_tell_where_it_comes_from(self):
        question = {**QUESTION, "stacks": {
            "at once": {"transactions": self.ULFM,
                        "failure_detection": {"name": "oracle", "delay_s": 0.01}},
            "late": {"transactions": self.ULFM,
                     "failure_detection": {"name": "oracle", "delay_s": 2}},
            "relaunch": {"transactions": {"name": "relaunch"},
                         "failure_detection": {"name": "oracle", "delay_s": 0.01}}}}
        del question["compare_with"]
        advice = self.advice(question=question, full=True)
        self.assertEqual(advice["use"], "at once")
        late, relaunch = sorted(advice["gaps"], key=lambda gap: gap["name"])
        # The same recovery, told 1.99 s later of each death.
        self.assertAlmostEqual(late["without_faults"], 0)
        self.assertAlmostEqual(late["recovery"], 0)
        self.assertAlmostEqual(late["detection"], late["together"])
        self.assertGreater(late["together"], 0.5)
        # The same detector below another recovery, which ends the job and begins it again.
        self.assertGreater(relaunch["recovery"], 20 * abs(relaunch["detection"]))
        for gap in (late, relaunch):
            self.assertAlmostEqual(gap["together"], gap["without_faults"] + gap["recovery"] +
                                   gap["detection"])
            self.assertLessEqual(gap["runs"], 20)

    def test_the_table_has_them_at_80_columns(self):
        self.write("q.json", QUESTION)
        said = self.faultline("advise", "q.json", "--quiet").stdout
        self.assertIn("\nWhere the differences from ulfm in time to solution come from, in s:\n",
                      said)
        self.assertRegex(said, r"(?m)^alternative +faults +recovery +detection +together +runs$")
        self.assertRegex(said, r"(?m)^relaunch +-?\d")
        self.assertLessEqual(max(len(line) for line in said.splitlines()), 80)

    def test_what_weighs_most_and_whether_it_changes_the_choice(self):
        # Where the mean time between faults is above a crossover, but half of it below.
        crossed = advise_crossovers_test.Crossovers()
        crossed.setUp()
        self.addCleanup(crossed.doCleanups)
        crossover_s = crossed.crossover_s()
        question = changed(CROSSED, ["scenario", "faults", "poisson", "mtbf_s"],
                           1.6 * crossover_s)
        del question["over"]
        advice = self.advice(question=question, full=True)
        self.assertEqual(advice["use"], "rarely")
        weightiest = advice["sensitive_to"][0]
        self.assertEqual(weightiest["path"], "faults.poisson.mtbf_s")
        self.assertEqual((weightiest["use_at_half"], weightiest["use_at_double"]),
                         ("often", "rarely"))
        weights = [one["weight"] for one in advice["sensitive_to"]]
        self.assertEqual(weights, sorted(weights, reverse=True))
        self.assertLessEqual(len(weights), 5)
        said = " ".join(self.faultline("advise", "q.json", "--quiet").stdout.split())
        self.assertIn("With faults.poisson.mtbf_s half as large, use often.", said)

    @unittest.skipUnless(HAS_SIMGRID, "built without SimGrid")
    def test_the_other_engine_is_asked_once_more(self):
        check = self.advice(full=True)["simgrid"]
        self.assertTrue(check["agrees"])
        self.assertEqual((check["leader"], check["runner_up"], check["runs"]),
                         ("ulfm", "relaunch", 10))
        self.assertGreater(check["runner_up_mean"], check["leader_mean"])
        on_it = changed(QUESTION, ["scenario", "engine"], "simgrid")
        on_it["budget"] = {"events": 1}
        self.assertIsNone(self.advice(question=on_it, full=True)["simgrid"])

    def test_a_quick_answer_has_none_of_it(self):
        advice = self.advice()
        self.assertEqual((advice["use"], advice["gaps"], advice["sensitive_to"], advice["simgrid"]),
                         ("ulfm", [], [], None))
        self.assertLessEqual(max(one["runs"] for one in advice["ranking"]), 40)

    def test_node_hours_count_spare_nodes(self):
        # Eight spare nodes and a job on eight nodes, of one rank each.
        advice = self.advice(question={**QUESTION, "objective": "node_hours"})
        self.assertEqual(advice["use"], "ulfm")
        self.assertEqual(advice["objective"], "node_hours")
        time_s = self.advice()["ranking"][0]["objective"]["mean"]
        self.assertAlmostEqual(advice["ranking"][0]["objective"]["mean"], 16 * time_s / 3600,
                               delta=16 * time_s / 3600 * 0.05)


class Page(Advise):
    def test_has_the_answer_the_chart_and_the_tables_and_nothing_of_the_names_as_html(self):
        question = {**CROSSED, "name": "<b>often</b> & rarely"}
        self.write("q.json", question)
        result = self.faultline("advise", "q.json", "--quick", "--quiet", "--html", "page.html")
        self.assertEqual(result.returncode, 0, result.stderr)
        page = (self.folder / "page.html").read_text()
        root = xml.etree.ElementTree.fromstring(page.split("\n", 1)[1])
        words = " ".join("".join(root.itertext()).split())
        said = " ".join(result.stdout.split("\n\n")[0].split())
        self.assertIn("<b>often</b> & rarely", words)
        self.assertIn(said.split(". ", 1)[1].replace("+-", "\u00b1"), words)
        for part in ("Where the choice changes along faults.poisson.mtbf_s", "Ranking",
                     "How it was found", "time to solution over faults.poisson.mtbf_s"):
            self.assertIn(part, words)
        self.assertNotIn("<b>often", page)

    def test_is_not_written_by_a_dry_run_or_into_nowhere(self):
        self.write("q.json", QUESTION)
        self.faultline("advise", "q.json", "--dry-run", "--html", "page.html")
        self.assertFalse((self.folder / "page.html").exists())
        self.assertIn("--html no/where.html: cannot be written",
                      self.refusal("advise", "q.json", "--html", "no/where.html"))


if __name__ == "__main__":
    unittest.main()
