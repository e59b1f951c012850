# SPDX-License-Identifier: Apache-2.0
"""`advise`: which of several stacks to use for a job, from a question to an answer."""

import contextlib
import json
import signal
import sqlite3
import subprocess
import time
import unittest

from program import GONE, PATIENCE_S, PROGRAM, ProgramTest, SMALL, SOURCE, changed

# A run of it takes about a millisecond.
QUESTION = {
    "schema_version": 1,
    "name": "Copies at partners, or a new start",
    "scenario": {
        "platform": {"machine": "stampede", "processes": 8, "spare_nodes": 8},
        "workload": {"name": "try-blocks", "iterations": 40, "compute_s": 1,
                     "checkpoint_iterations": 5},
        "failure_detection": {"name": "oracle", "delay_s": 0.5},
        "faults": {"poisson": {"mtbf_s": 60, "victims": "ranks"}},
        "stop": {"when": "finished", "time_s": 10000},
    },
    "stacks": {
        "ulfm": {"transactions": {"name": "ulfm"}},
        "relaunch": {"transactions": {"name": "relaunch"}},
        "none": {"transactions": {"name": "none"}},
    },
    "compare_with": {"transactions": {"name": "relaunch"}},
}


class Advise(ProgramTest):
    def advice(self, *arguments, question=None, full=False):
        self.write("q.json", question or QUESTION)
        depth = [] if full else ["--quick"]
        result = self.faultline("advise", "q.json", "--quiet", "--format", "json", *depth,
                                *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def standings(self, advice):
        return {one["name"]: one["standing"] for one in advice["ranking"]}


class Pruning(Advise):
    """Without a recovery, e^(-40/60) of the jobs of 40 s see no death."""

    WHY = "completed at most 51.3 % by a closed form (1 x 40 s without a fault)"

    def test_what_cannot_complete_has_no_runs(self):
        advice = self.advice()
        self.assertEqual(advice["pruned"], [
            {"name": "none", "sets": QUESTION["stacks"]["none"], "why": self.WHY}])
        self.assertEqual([one["name"] for one in advice["ranking"]], ["ulfm", "relaunch"])
        text = self.faultline("advise", "q.json", "--quiet", "--quick").stdout
        self.assertIn("Pruned: none: " + self.WHY, text.replace("\n", " "))
        self.assertIn("Pruned: none: " + self.WHY,
                      self.faultline("advise", "q.json", "--dry-run").stdout.replace("\n", " "))

    def test_what_is_used_today_races_all_the_same(self):
        today = {"transactions": {"name": "none"}}
        advice = self.advice(question=changed(QUESTION, ["compare_with"], today))
        self.assertEqual(advice["pruned"], [])
        self.assertGreater(advice["ranking"][-1]["runs"], 0)

    def test_the_only_alternative_races(self):
        stacks = {"none": QUESTION["stacks"]["none"]}
        question = changed(changed(QUESTION, ["stacks"], stacks), ["compare_with"], GONE)
        advice = self.advice(question=question)
        self.assertEqual(advice["pruned"], [])
        self.assertIn("none comes nearest: completed", advice["answer"])

    def test_what_theory_allows_races(self):
        require = [{"metric": "completed", "at_least": 0.5}]
        advice = self.advice(question=changed(QUESTION, ["require"], require))
        self.assertEqual(advice["pruned"], [])


class Answers(Advise):
    def test_names_the_best_and_why_the_others_are_out(self):
        advice = self.advice(full=True)
        self.assertTrue(advice["decided"])
        self.assertEqual(advice["use"], "ulfm")
        self.assertEqual(self.standings(advice),
                         {"ulfm": "leads", "relaunch": "behind"})
        self.assertRegex(advice["answer"], r"^Use ulfm: time to solution \d.* s, completed .*\. "
                                           r"Today's relaunch is behind by \d+\.?\d* %\.$")
        self.assertEqual(advice["require"],
                         [{"metric": "completed", "at_least": 0.95, "at_most": None}])
        best = advice["ranking"][0]
        self.assertEqual(best["name"], "ulfm")
        self.assertLess(best["objective"]["low"], best["objective"]["mean"])
        self.assertGreaterEqual(best["required"]["completed"]["low"], 0.95)

    def test_says_it_in_a_table_of_80_columns(self):
        self.write("q.json", QUESTION)
        said = self.faultline("advise", "q.json", "--quiet").stdout
        self.assertTrue(said.startswith("Copies at partners, or a new start.\nUse ulfm: "), said)
        self.assertLessEqual(max(len(line) for line in said.splitlines()), 80)
        self.assertRegex(said, r"(?m)^relaunch \(today\) .*  behind by \d+ \+- \d+$")

    def test_a_scenario_is_a_question(self):
        job = {"schema_version": 1, **QUESTION["scenario"]}
        self.write("s.json", changed(job, ["transactions"], {"name": "ulfm"}))
        said = self.faultline("advise", "s.json", "--dry-run").stdout
        self.assertIn("s.json: 12 alternatives, 4 pruned\n", said)
        for name in ("fampi + swim", "relaunch + ulfm"):
            self.assertIn(f"\n  {name}\n", said)

    def test_a_scenario_may_have_a_list_of_components_and_replications(self):
        self.write("s.json", SMALL)
        answer = json.loads(self.answer("advise", "s.json", "--quick", "--quiet", "--format",
                                        "json"))
        self.assertEqual(answer["objective"], "detection_latency_s")
        self.assertEqual(answer["use"], "cda")
        self.assertIn("dijkstra-scholten", self.standings(answer))  # which the list does not have

    def test_the_stacks_of_a_scenario_are_its_alternatives(self):
        self.write("s.json", {"schema_version": 1, **QUESTION["scenario"], "replications": 3,
                              "stacks": QUESTION["stacks"]})
        said = self.answer("advise", "s.json", "--dry-run")
        self.assertEqual(said.splitlines()[:3],
                         ["s.json: 2 alternatives, 1 pruned", "  ulfm", "  relaunch"])

    def test_a_question_about_several_jobs_is_an_error(self):
        self.write("q.json", {"schema_version": 1, "scenario": {
            **QUESTION["scenario"], "failure_detection": [{"name": "oracle"}, {"name": "swim"}]},
            "choose": ["transactions"]})
        self.assertIn("q.json: a question is about one job, expected no lists of components but",
                      self.refusal("advise", "q.json"))

    def test_says_that_nobody_will_do_and_who_comes_nearest(self):
        question = changed(QUESTION, ["require"], [{"metric": "time_to_solution_s", "at_most": 1}])
        advice = self.advice(question=question)
        self.assertIsNone(advice["use"])
        self.assertRegex(advice["answer"], "^None of the alternatives keeps to time_to_solution_s "
                                           "at most 1. (ulfm|none) comes nearest: time to solution")

    def test_says_that_nothing_separates_them(self):
        question = changed(QUESTION, ["stacks"], {
            "a": {"failure_detection.delay_s": 0.5}, "b": {"failure_detection.delay_s": 0.52}})
        question = changed(question, ["scenario", "transactions"], {"name": "ulfm"})
        question = changed(question, ["compare_with"], {"seed": 3})
        del question["compare_with"]
        question["equivalent_within"] = 0
        question["budget"] = {"events": 1}
        advice = self.advice(question=question)
        self.assertFalse(advice["decided"])
        self.assertEqual(advice["end"], "budget")
        self.assertRegex(advice["answer"], "^(Nothing separates|Use) ")

    def test_what_cannot_run_the_job_is_refused_with_the_reason(self):
        question = {key: value for key, value in QUESTION.items()
                    if key not in ("stacks", "compare_with")}
        question["choose"] = ["transactions", "failure_detection"]
        question["scenario"] = changed(question["scenario"], ["workload"],
                                       {"name": "stencil", "objects_per_process": 4})
        self.write("q.json", question)
        said = self.faultline("advise", "q.json", "--dry-run").stdout
        self.assertRegex(said, r"(?s)\nRefused: fampi \+ connection-loss, .* and ulfm \+ ulfm:\s"
                         r"workload.objects_per_process: expected 1 ")


    def test_who_lacks_a_metric_that_is_required_is_refused(self):
        swim = {"failure_detection": {"name": "swim"}, "transactions": {"name": "ulfm"}}
        question = changed(QUESTION, ["stacks"], {"swim": swim, "ulfm": QUESTION["stacks"]["ulfm"]})
        question = changed(question, ["require"], [{"metric": "members_failed", "at_most": 1e6}])
        advice = self.advice(question=changed(question, ["compare_with"], GONE))
        self.assertEqual([one["name"] for one in advice["ranking"]], ["swim"])
        self.assertEqual([(one["name"], one["why"]) for one in advice["refused"]],
                         [("ulfm", "it has no members_failed")])

    def test_says_that_no_run_has_what_it_would_rank_by(self):
        advice = self.advice(question=changed(QUESTION, ["objective"], "control_messages.nothing"))
        self.assertEqual(advice["answer"], "Nothing can be ranked: none of the runs that completed "
                                           "has control_messages.nothing.")


class Tuned(Advise):
    """Checkpoints after other numbers of iterations, of which each takes a second."""

    ULFM = changed(QUESTION, ["stacks"], {"ulfm": {"transactions": {"name": "ulfm"}}})

    def test_names_the_best_values_and_what_does_as_well(self):
        question = {**self.ULFM, "tune": {"workload.checkpoint_iterations": [1, 20, 40]}}
        del question["compare_with"]
        advice = self.advice(question=question, full=True)
        standings = self.standings(advice)
        self.assertEqual(set(standings), {"ulfm"} | {f"ulfm, checkpoint_iterations {k}"
                                                     for k in (1, 20, 40)})
        self.assertEqual(standings["ulfm, checkpoint_iterations 40"], "behind")
        best = advice["ranking"][0]
        self.assertTrue(advice["answer"].startswith(
            f"Use {best['name'].replace(', ', ' with ')}: "), advice["answer"])
        said = self.faultline("advise", "q.json", "--quick", "--quiet").stdout
        self.assertEqual(said.count("\nulfm "), 1)
        self.assertIn("3 others raced", " ".join(said.split()))


    def test_tries_values_around_dalys_interval_of_each_stack(self):
        # Iterations of a second, a checkpoint that takes a third of one, a fault each minute.
        storage = {"checkpoint": "storage", "spawn": "same-node",
                   "storage_bandwidth_Bps": 24000000000}
        question = {**QUESTION, "stacks": {
            "ulfm": {"transactions": {"name": "ulfm", **storage}},
            "none": {"transactions": {"name": "none"}}},
            "tune": {"workload.checkpoint_iterations": "daly"}}
        question["scenario"] = {**question["scenario"], "workload": {
            **QUESTION["scenario"]["workload"], "iterations": 300, "state_bytes": 1000000000}}
        del question["compare_with"]
        advice = self.advice(question=question, full=True)
        tried = sorted(int(one["name"].rsplit(" ", 1)[1]) for one in advice["ranking"]
                       if one["name"].startswith("ulfm, "))
        # sqrt(2 / 3 * 60) is 6.3.
        self.assertTrue(set(tried) & {6, 7}, tried)
        self.assertTrue(set(tried) & {12, 13}, tried)
        self.assertLessEqual(len(tried), 5)
        self.assertFalse([one for one in advice["ranking"] if one["name"].startswith("none,")])
        said = self.faultline("advise", "q.json", "--dry-run").stdout
        self.assertIn("Runs will tell Daly's interval", said)


    def test_daly_finds_values_for_a_stack_that_is_pruned_as_it_is(self):
        question = {**self.ULFM, "tune": {"workload.checkpoint_iterations": "daly"}}
        del question["compare_with"]
        question = changed(question, ["scenario", "faults", "poisson", "mtbf_s"], 20)
        question = changed(question, ["scenario", "workload"], {
            "name": "stencil", "iterations": 300, "compute_s": 1, "checkpoint_iterations": 300,
            "object_bytes": 10**9})
        advice = self.advice(question=question)
        self.assertEqual([one["name"] for one in advice["pruned"]], ["ulfm"])
        self.assertRegex(advice["use"], "^ulfm, checkpoint_iterations [0-9]+$")


class Determinism(Advise):
    def test_neither_jobs_nor_what_is_stored_changes_the_answer(self):
        alone = self.advice(full=True)
        self.assertEqual(alone, self.advice("--jobs", "3", full=True))
        self.assertEqual(alone, self.advice("--store", "kept.sqlite", full=True))
        before = (self.folder / "kept.sqlite").read_bytes()
        self.assertEqual(alone, self.advice("--store", "kept.sqlite", full=True))
        self.assertEqual(before, (self.folder / "kept.sqlite").read_bytes())

    def test_a_wider_question_goes_on_from_a_narrower_one(self):
        narrow = changed(QUESTION, ["budget"], {"events": 1})
        first = self.advice("--store", "kept.sqlite", question=narrow)
        self.assertEqual(first["spent"]["looks"], 1)
        self.assertEqual(self.advice(), self.advice("--store", "kept.sqlite"))

    def test_a_narrower_question_takes_the_runs_of_a_wider_one(self):
        narrow = changed(QUESTION, ["stacks"], {"again": QUESTION["stacks"]["ulfm"]})
        wide = changed(QUESTION, ["stacks", "fampi"], {"transactions": {"name": "fampi"}})
        alone = self.advice(question=narrow)
        self.advice("--store", "kept.sqlite", question=wide)
        self.assertEqual(alone, self.advice("--store", "kept.sqlite", question=narrow))
        with contextlib.closing(sqlite3.connect(self.folder / "kept.sqlite")) as database:
            self.assertEqual(database.execute("SELECT count(*) FROM studies").fetchone(), (2,))
            for (counted,) in database.execute(
                    "SELECT count(DISTINCT wall_s || ' ' || peak_rss_bytes) FROM runs JOIN points "
                    "USING (study, point) GROUP BY points.hash, replication"):
                self.assertEqual(counted, 1)  # copied, and not simulated again

    def test_an_interrupt_keeps_what_is_stored(self):
        self.write("q.json", changed(QUESTION, ["scenario", "workload", "iterations"], 40000))
        with subprocess.Popen([PROGRAM, "advise", "q.json", "--store", "kept.sqlite"],
                              cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as process:
            end = time.monotonic() + PATIENCE_S
            while not (self.folder / "kept.sqlite").exists() and time.monotonic() < end:
                time.sleep(0.05)
            time.sleep(0.5)
            process.send_signal(signal.SIGINT)
            said, errors = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 130, errors)
        self.assertEqual(said, "")
        self.assertIn("interrupted", errors)


class BadQuestions(Advise):
    def test_each_is_one_error_with_its_place(self):
        for path, value, expected in (
                (["objective"], "tme_to_solution_s", 'objective: unknown metric "tme_to_'),
                (["stacks"], {}, "stacks: expected an object"),
                (["choose"], ["termination"], "stacks: the alternatives follow from choose"),
                (["scenario"], 3, "scenario: expected a scenario, or the path of its file, got 3"),
                (["scenario"], "gone.json", "gone.json: no such file"),
                (["scenario", "replications"], 3, "scenario.replications: a question decides"),
                (["stacks", "ulfm", "transactions", "name"], "ulmf", 'did you mean "ulfm"?'),
                (["choose"], [], "choose: names no family, expected transactions, termination"),
                (["objective"], "outcome", 'objective: "outcome" is text, expected a metric that'),
                (["objective"], "members_failed",
                 "q.json: objective: none of the alternatives has members_failed, which swim can"),
                (["require"], [{"metric": "waves", "at_most": 1}],
                 "q.json: require[0].metric: none of the alternatives has waves, which "),
        ):
            with self.subTest(path=path):
                question = changed(QUESTION, path, value)
                if path[0] == "stacks" and len(path) > 1:
                    question["stacks"] = {"ulfm": question["stacks"]["ulfm"]}
                    del question["compare_with"]
                self.write("q.json", question)
                self.assertIn(expected, self.refusal("advise", "q.json"))


class Shipped(Advise):
    def test_every_question_is_valid(self):
        questions = sorted((SOURCE / "scenarios/advice").glob("*.json"))
        self.assertGreater(len(questions), 0)
        for path in questions:
            said = self.faultline("advise", path, "--dry-run")
            self.assertEqual(said.returncode, 0, (path, said.stderr))
            self.assertIn(" alternatives", said.stdout)
            said = self.faultline("validate", path)
            self.assertEqual(said.returncode, 0, (path, said.stderr))
            self.assertRegex(said.stdout, r": valid, question with \d+ alternatives, and \d+ that ")


if __name__ == "__main__":
    unittest.main()
