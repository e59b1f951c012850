# SPDX-License-Identifier: Apache-2.0
"""Explorations from outside: what is exhausted, what is refuted and can be repeated, what is
refused."""

import json
import pathlib
import re
import signal
import subprocess
import time
import unittest

from program import GONE, PATIENCE_S, PROGRAM, ProgramTest, changed

TINY = {
    "schema_version": 1,
    "name": "tiny",
    "platform": {"machine": "intrepid", "processes": 3},
    "workload": {"name": "token-ring", "walk_length": 2},
    "termination": {"name": "dijkstra-scholten"},
    "failure_detection": {"name": "oracle"},
}
# A walk in which ranks start further tokens. It tolerates deaths.
BRANCHING = {
    **TINY,
    "name": "branching",
    "workload": {"name": "token-ring", "walk_length": 3, "branch_probability": 0.5},
    "termination": {"name": "indep"},
}
# Credit is lost with a rank that dies, so this hangs.
MORTAL = {**BRANCHING, "name": "mortal", "termination": {"name": "cda"}, "allow_unsafe": True}

FIELDS = {"verdict", "states", "transitions", "depth", "states_per_s", "bytes_per_state",
          "violations", "counterexample", "largest_queue", "limit", "ends", "seed", "faults"}


def without_rate(report):
    return {key: value for key, value in report.items() if key != "states_per_s"}


class Explore(ProgramTest):
    def explored(self, *arguments, code=0):
        report = json.loads(self.answer("explore", *arguments, "--format", "json", "--quiet",
                                        code=code))
        self.assertLessEqual(FIELDS, set(report))
        return report

    def test_a_small_job_is_exhausted_with_the_same_numbers_for_every_number_of_jobs(self):
        self.write("s.json", BRANCHING)
        one = self.explored("s.json", "--faults", 1)
        self.assertEqual(one["verdict"], "exhausted")
        self.assertEqual(one["violations"], [])
        self.assertIsNone(one["counterexample"])
        self.assertIsNone(one["limit"])
        self.assertEqual(sum(one["ends"].values()),
                         one["ends"]["terminated"] + one["ends"]["fatal-reported"])
        for jobs in (2, 3):
            other = self.explored("s.json", "--faults", 1, "--jobs", jobs)
            self.assertEqual(without_rate(other), without_rate(one))
        depth = self.explored("s.json", "--faults", 1, "--search", "depth")
        for count in ("states", "transitions", "ends", "verdict"):
            self.assertEqual(depth[count], one[count])
        self.assertGreater(one["states"], self.explored("s.json", "--faults", 1, "--crash",
                                                        "between-events")["states"])
        for nobody in (["--faults", 1, "--crash", "none"], []):
            self.assertEqual(set(self.explored("s.json", *nobody)["ends"]), {"terminated"})

    def test_a_refuted_protocol_gives_a_scenario_that_run_and_trace_repeat(self):
        self.write("s.json", MORTAL)
        report = self.explored("s.json", "--faults", 1, "--counterexample", "case.json", "--trace",
                               "case.html", code=3)
        self.assertEqual(report["verdict"], "violated")
        kind = report["violations"][0]["kind"]
        self.assertEqual(report["counterexample"],
                         json.loads((self.folder / "case.json").read_text()))
        run = self.report("case.json", code=3)
        self.assertEqual([violation["kind"] for violation in run["runs"][0]["violations"]], [kind])
        self.assertEqual(run["runs"][0]["metrics"]["faults_struck"], 1)
        self.answer("validate", "case.json")
        self.answer("trace", "case.json", "--out", "again.html", code=3)
        self.assertIn("<svg", (self.folder / "case.html").read_text())
        table = self.answer("explore", "s.json", "--faults", 1, code=3)
        self.assertIn("violated: " + kind, table)
        self.assertIn("0. all start", table)

    def test_every_kind_of_search_refutes_it_to_the_same_violation(self):
        self.write("s.json", MORTAL)
        for search in ("breadth", "depth", "random"):
            report = self.explored("s.json", "--faults", 1, "--search", search, code=3)
            self.write("case.json", report["counterexample"])
            run = self.report("case.json", code=3)
            self.assertEqual(run["runs"][0]["violations"][0]["kind"],
                             report["violations"][0]["kind"])

    def test_limits_end_a_search_as_bounded(self):
        self.write("s.json", BRANCHING)
        for limit, word in ((["--states", 50], "states"), (["--depth", 3], "depth"),
                            (["--search", "random", "--walks", 5], "walks")):
            report = self.explored("s.json", *limit, code=1)
            self.assertEqual((report["verdict"], report["limit"]), ("bounded", word))
            self.assertEqual(report["violations"], [])
        self.assertEqual(self.explored("s.json", "--states", 50, code=1)["states"], 50)
        report = self.explored("s.json", "--states", 50, code=1)
        self.assertGreater(report["share_at_most"], 0)
        self.assertLess(report["share_at_most"], 1)

    def test_a_time_limit_and_an_interrupt_end_a_search_that_says_so(self):
        large = changed(changed(BRANCHING, ["platform", "processes"], 6),
                        ["workload", "walk_length"], 40)
        self.write("s.json", large)
        report = self.explored("s.json", "--faults", 2, "--time-limit", 0.5, code=1)
        self.assertEqual((report["verdict"], report["limit"]), ("bounded", "time"))
        process = subprocess.Popen(
            [PROGRAM, "explore", "s.json", "--faults", "2", "--quiet", "--format", "json", "--out",
             "report.json"], cwd=self.folder, stderr=subprocess.PIPE, text=True)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        errors = process.communicate(timeout=PATIENCE_S)[1]
        self.assertEqual(process.returncode, 130)
        self.assertIn("interrupted", errors)
        self.assertEqual(self.files(), ["report.json", "s.json"])
        report = json.loads((self.folder / "report.json").read_text())
        self.assertEqual((report["verdict"], report["limit"]), ("bounded", "interrupt"))

    def test_an_interrupt_ends_a_search_soon_whatever_it_is_at(self):
        """In a round of many states, and in the millions of steps that lead from one."""
        deep = changed(changed(BRANCHING, ["platform", "processes"], 6),
                       ["workload", "walk_length"], 40)
        wide = changed(deep, ["workload"],
                       {"name": "random-tree", "most_messages": 8, "choices": "all"})
        for scenario in (deep, wide):
            self.write("s.json", scenario)
            for jobs in ("1", "2"):
                process = subprocess.Popen(
                    [PROGRAM, "explore", "s.json", "--faults", "3", "--jobs", jobs, "--quiet"],
                    cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                status = pathlib.Path(f"/proc/{process.pid}/status")
                while not int(re.search(r"SigCgt:\s*(\w+)", status.read_text())[1], 16) & 2:
                    time.sleep(0.1)  # it has not begun
                time.sleep(3)
                sent = time.monotonic()
                process.send_signal(signal.SIGINT)
                errors = process.communicate(timeout=PATIENCE_S)[1]
                self.assertLess(time.monotonic() - sent, 5)  # on a busy machine; else a second
                self.assertEqual(process.returncode, 130)
                self.assertIn("interrupted", errors)

    def test_what_cannot_be_explored_is_refused_with_its_place_and_the_reason(self):
        refused = (
            (["platform", "processes"], 7, "s.json: platform.processes: expected 2 to 6"),
            (["platform", "processes"], 1, "s.json: platform.processes: expected 2 to 6"),
            (["platform", "delay_noise"], {"mean_s": 1e-6}, "s.json: platform.delay_noise: "),
            (["platform", "os_noise"], {"interval_s": 1, "length_s": 0.1},
             "s.json: platform.os_noise: "),
            (["platform", "start_delay_s"], 1, "s.json: platform.start_delay_s: "),
            (["platform", "detection_loss_probability"], 0.1,
             "s.json: platform.detection_loss_probability: "),
            (["faults"], {"slow": {"nodes": [0], "factor": 2}}, "s.json: faults.slow: "),
            (["faults"], {"partition": {"ranks": [[0], [1]]}}, "s.json: faults.partition: "),
            (["faults"], {"at": [{"time_s": 1, "ranks": [1]}]}, "s.json: faults.at: "),
            (["stop"], {"when": "time"}, "s.json: stop.when: "),
            (["order"], {"steps": []}, "s.json: order: "),
            (["termination"], [{"name": "indep"}, {"name": "rel-lazy"}], "s.json: has 2 points"),
            (["workload"], {"name": "script", "rules": ["0 at start: send a to 1",
                                                        "1 on a: send a to 0",
                                                        "0 on a: send a to 1"]},
             "s.json: workload: script cannot be explored, because its runs may never end: "
             "rules[1] can apply without end"),
            (["failure_detection"], {"name": "rdaemon"}, "rdaemon cannot be explored"))
        for path, value, words in refused:
            self.write("s.json", changed(BRANCHING, path, value))
            self.assertIn(words, self.refusal("explore", "s.json"))
        self.write("s.json", TINY)
        self.assertIn("dijkstra-scholten tolerates no faults",
                      self.refusal("explore", "s.json", "--faults", 1))
        for wrong in (["--faults", "x"], ["--crash", "x"], ["--search", "x"], ["--depth", 0],
                      ["--time-limit", "soon"], ["--time-limit", "-1"], ["--jobs", 0],
                      ["--out", "nowhere/x"], ["--out", "s.json"]):
            self.assertIn(wrong[0], self.refusal("explore", "s.json", *wrong))


    def test_victims_die_in_calm_and_in_their_order(self):
        self.write("s.json", BRANCHING)
        counts = [self.explored("s.json", "--faults", 2, *bounds)["states"] for bounds in (
            ["--crash", "calm", "--victims", "1,2", "--in-order"],
            ["--crash", "calm", "--victims", "1,2"],
            ["--crash", "calm-together", "--victims", "1,2"],
            ["--crash", "between-events", "--victims", "1,2"],
            ["--crash", "between-events"], [])]
        self.assertEqual(counts, sorted(set(counts)))
        report = self.explored("s.json", "--faults", 1, "--victims", "2")
        self.assertEqual((report["victims"], report["in_order"]), ([2], False))
        for wrong, words in ((["--victims", "3"], "--victims: expected a whole number"),
                             (["--victims", "1,"], "--victims: expected a whole number"),
                             (["--victims", "1,1"], "--victims: rank 1 is named twice"),
                             (["--in-order"], "--in-order: needs --victims")):
            self.assertIn(words, self.refusal("explore", "s.json", "--faults", 1, *wrong))
        self.assertIn("--victims: has no effect without --faults",
                      self.refusal("explore", "s.json", "--victims", "1"))

    def test_ranks_that_are_alike_are_exchanged_unless_they_are_to_be_kept(self):
        trees = {"name": "random-tree", "most_messages": 3, "choices": "all"}
        self.write("s.json", changed(TINY, ["workload"], trees))
        kept = self.explored("s.json", "--alike", "kept")
        exchanged = self.explored("s.json", "--alike", "exchanged")
        self.assertEqual(kept["exchanged"], [])
        self.assertEqual(exchanged["exchanged"], [[1, 2]])
        self.assertLess(exchanged["states"], kept["states"])
        self.assertGreaterEqual(2 * exchanged["states"], kept["states"])
        for field in ("verdict", "depth", "progress_checked", "fairness_checked", "violations"):
            self.assertEqual(exchanged[field], kept[field], field)
        self.assertEqual(without_rate(self.explored("s.json")), without_rate(exchanged))
        self.assertRegex(self.answer("explore", "s.json"), r"ranks exchanged +1, 2\n")
        self.assertEqual(without_rate(self.explored("s.json", "--jobs", 3)),
                         without_rate(exchanged))
        self.assertEqual(self.explored("s.json", "--search", "random", code=1)["exchanged"], [])
        self.assertIn("--alike exchanged: expected a search",
                      self.refusal("explore", "s.json", "--alike", "exchanged",
                                   "--search", "random"))
        self.assertIn("--alike", self.refusal("explore", "s.json", "--alike", "x"))

    def test_with_patient_timers_a_detector_that_lives_by_them_is_explored(self):
        watched = changed(TINY, ["termination"], {"name": "indep"})
        self.write("s.json", changed(watched, ["failure_detection"], {"name": "rdaemon"}))
        self.assertIn("--timers patient", self.refusal("explore", "s.json"))
        self.assertIn("--timers", self.refusal("explore", "s.json", "--timers", "x"))
        report = self.explored("s.json", "--timers", "patient")
        self.assertEqual((report["verdict"], report["timers"]), ("exhausted", "patient"))
        self.assertEqual(report["message_time_s"], 0)
        self.assertIn("--message-time: expected --timers patient",
                      self.refusal("explore", "s.json", "--message-time", "0.1"))
        for wrong in ("0", "x", "-1"):
            self.assertIn("--message-time: expected a number of seconds above 0",
                          self.refusal("explore", "s.json", "--timers", "patient",
                                       "--message-time", wrong))
        report = self.explored("s.json", "--timers", "patient", "--message-time", "0.11", code=3)
        self.assertEqual((report["verdict"], report["message_time_s"]), ("violated", 0.11))
        self.assertEqual(report["violations"][0]["kind"], "false-report")
        self.write("case.json", report["counterexample"])
        self.assertEqual(self.report("case.json", code=3)["runs"][0]["violations"][0]["kind"],
                         "false-report")
        report = self.explored("s.json", "--timers", "patient", "--faults", 1, "--goal",
                               "fatal-reported")
        self.assertEqual(report["verdict"], "reached")
        self.write("case.json", report["counterexample"])
        self.assertEqual(self.report("case.json")["runs"][0]["metrics"]["outcome"],
                         "fatal-reported")

    WATCHED = {
        "schema_version": 1,
        "name": "watched",
        "platform": {"machine": "intrepid", "processes": 2, "processes_per_node": 1},
        "workload": {"name": "token-ring", "walk_length": 1},
        "termination": {"name": "dijkstra-scholten"},
        "failure_detection": {"name": "ulfm", "heartbeat_period_s": 1, "timeout_s": 2.4},
    }

    def check_repeated(self, report):
        self.write("case.json", report["counterexample"])
        self.assertEqual(self.report("case.json", code=3)["runs"][0]["violations"][0]["kind"],
                         report["violations"][0]["kind"])

    def test_messages_are_lost_and_run_repeats_it(self):
        self.write("s.json", self.WATCHED)
        patient = ["--timers", "patient"]
        report = self.explored("s.json", *patient, "--losses", 1)
        self.assertEqual((report["verdict"], report["losses"]), ("exhausted", 1))
        report = self.explored("s.json", *patient, "--losses", 3, code=3)
        self.assertEqual(report["violations"][0]["kind"], "false-report")
        self.assertRegex("\n".join(report["steps"]),
                         "heartbeat from rank [01] to rank [01] is lost")
        self.check_repeated(report)
        for wrong in ("x", "-1", "13"):
            self.assertIn("--losses",
                          self.refusal("explore", "s.json", *patient, "--losses", wrong))
        self.write("s.json", changed(self.WATCHED, ["platform", "processes_per_node"], 2))
        self.assertIn("s.json: platform.processes_per_node: --losses: nothing is lost within a ",
                      self.refusal("explore", "s.json", *patient, "--losses", 1))
        self.write("s.json", TINY)
        self.assertIn("s.json: failure_detection: --losses: ",
                      self.refusal("explore", "s.json", "--losses", 1))

    def test_ranks_stall_and_run_repeats_it(self):
        self.write("s.json", self.WATCHED)
        stalls = ["--timers", "patient", "--stalls", 2, "--stall-time"]
        report = self.explored("s.json", *stalls, 1.2)
        self.assertEqual((report["verdict"], report["stalls"], report["stall_time_s"]),
                         ("exhausted", 2, 1.2))
        report = self.explored("s.json", *stalls, 1.2, "--set",
                               "failure_detection.late_loop_rule=false", code=3)
        self.assertIn(" stalls for 1.2 s", "\n".join(report["steps"]))
        self.assertIn("goes on", "\n".join(report["steps"]))
        self.check_repeated(report)
        for wrong, words in ((["--stalls", 1], "--stalls: needs --stall-time"),
                             (["--stall-time", 1], "--stall-time: has no effect"),
                             (["--stalls", 1, "--stall-time", 0], "a number of seconds above 0"),
                             (["--stalls", 1, "--stall-time", 1], "expected --timers patient")):
            self.assertIn(words, self.refusal("explore", "s.json", *wrong))

    def test_messages_wait_for_a_nic_that_is_shared(self):
        pairs = changed(changed(BRANCHING, ["platform", "processes"], 4),
                        ["platform", "processes_per_node"], 2)
        self.write("s.json", pairs)
        at_once = self.explored("s.json", "--faults", 1)
        waiting = self.explored("s.json", "--faults", 1, "--departures", "any")
        self.assertEqual((at_once["departures"], waiting["departures"]), ("at-once", "any"))
        self.assertEqual(waiting["verdict"], "exhausted")
        self.assertGreater(waiting["states"], at_once["states"])
        self.write("s.json", BRANCHING)
        self.assertIn("s.json: platform.processes_per_node: --departures any: ",
                      self.refusal("explore", "s.json", "--departures", "any"))
        self.assertIn("--departures", self.refusal("explore", "s.json", "--departures", "x"))

    def test_a_goal_is_reached_by_a_shortest_run_that_can_be_repeated(self):
        self.write("s.json", BRANCHING)
        report = self.explored("s.json", "--faults", 1, "--goal", "fatal-reported", "--trace",
                               "case.html")
        self.assertEqual((report["verdict"], report["goal"]), ("reached", "fatal-reported"))
        self.assertEqual(report["violations"], [])
        self.write("case.json", report["counterexample"])
        self.assertEqual(self.report("case.json")["runs"][0]["metrics"]["outcome"],
                         "fatal-reported")
        self.assertIn("reached: fatal-reported",
                      self.answer("explore", "s.json", "--faults", 1, "--goal", "fatal-reported"))
        report = self.explored("s.json", "--goal", "fatal-reported")
        self.assertEqual((report["verdict"], report["counterexample"]), ("exhausted", None))
        self.write("s.json", TINY)
        report = self.explored("s.json", "--goal", "all-engaged")
        self.assertEqual(report["verdict"], "exhausted")
        report = self.explored("s.json", "--set", "workload.branch_probability=1",
                               "--prune", "all-engaged", code=1)
        self.assertEqual((report["verdict"], report["limit"]), ("bounded", "prune"))
        self.assertGreater(report["pruned"], 0)
        for wrong, words in ((["--goal", "x"], "--goal: expected a property"),
                             (["--goal", "prematur"], "did you mean \"premature\"?"),
                             (["--prune", "premature"], "--prune: expected a property")):
            self.assertIn(words, self.refusal("explore", "s.json", *wrong))
        self.write("s.json", BRANCHING)
        self.assertIn("they declare none", self.refusal("explore", "s.json", "--prune", "x"))

    def test_what_a_workload_chose_is_told_in_words(self):
        self.write("s.json", {**TINY, "workload": {"name": "random-tree", "most_messages": 1,
                                                   "choices": "all"}})
        told = self.explored("s.json", "--goal", "terminated")["steps"]
        self.assertIn("all start; chosen: 0 of 0 to 1 (the number of messages of the tree)", told)

    def test_histories_tell_more_states_apart_and_change_no_verdict(self):
        self.write("s.json", BRANCHING)
        plain = self.explored("s.json", "--faults", 1)
        apart = self.explored("s.json", "--faults", 1, "--histories")
        self.assertEqual((plain["histories"], apart["histories"]), (False, True))
        self.assertEqual(apart["verdict"], "exhausted")
        self.assertGreater(apart["states"], plain["states"])


class Order(ProgramTest):
    """A scenario that states the order of events by itself."""

    def test_an_order_that_cannot_be_is_named(self):
        message = {"event": "message", "actor": 1, "peer": 2}
        self.write("s.json", {**TINY, "order": {"steps": [message]}})
        report = self.report("s.json", code=1)
        self.assertIn("order.steps[0]: this cannot happen now", report["failed_runs"][0]["error"])

    def test_wrong_orders_are_refused_with_their_places(self):
        for order, words in (
                ([], "order: expected an object"),
                ({}, "order.steps: missing"),
                ({"steps": 1}, "order.steps: expected a list"),
                ({"steps": [{}]}, "order.steps[0].event: "),
                ({"steps": [{"event": "mesage", "actor": 1}]}, "order.steps[0].event: "),
                ({"steps": [{"event": "death", "actor": 9}]}, "order.steps[0].actor: "),
                ({"steps": [{"event": "message", "actor": 1, "peer": 9}]}, "order.steps[0].peer: "),
                ({"steps": [{"event": "message", "actor": 1, "deaths": [{"actor": 9}]}]},
                 "order.steps[0].deaths[0].actor: "),
                ({"steps": [], "deaths_at_start": [{}]}, "order.deaths_at_start[0].actor: "),
                ({"steps": [{"event": "death", "actor": 1}]}, "tolerates no faults")):
            self.write("s.json", {**TINY, "order": order})
            self.assertIn(words, self.refusal("validate", "s.json"))
        self.write("s.json", {**changed(TINY, ["platform", "start_delay_s"], 1),
                              "order": {"steps": []}})
        self.assertIn("platform.start_delay_s: cannot be combined with a stated order",
                      self.refusal("run", "s.json"))
        self.write("s.json", {**changed(TINY, ["failure_detection"], GONE), "order": None})
        self.answer("run", "s.json")


if __name__ == "__main__":
    unittest.main()
