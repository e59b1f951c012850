# SPDX-License-Identifier: Apache-2.0
"""Traces from outside: they tell of the run that `run` simulates, other tools read them, and what
is refused leaves nothing."""

import collections
import json
import re
import signal
import subprocess
import time
import unittest

import tools
from program import (ENGINES, EXAMPLES, HAS_SIMGRID, PLATFORM_XML, PROGRAM, ProgramTest, SMALL,
                     changed)

ADOPTED = EXAMPLES / "adopted-children-intrepid.json"
TINY = changed(changed(SMALL, ["replications"], 2), ["platform", "processes"], 6)
FAULTY = {
    "schema_version": 1,
    "name": 'a name with "quotes" and </script>',
    "platform": {"machine": "intrepid", "processes": 12, "processes_per_node": 4,
                 "worker_cores": 2},
    "workload": {"name": "work-stealing", "preset": "n-queens", "board": 7},
    "termination": {"name": "lai-wu"},
    "failure_detection": {"name": "oracle", "delay_s": 0.00001},
    "faults": {"at": [{"time_s": 0.00004, "ranks": [5]}, {"time_s": 0.00007, "nodes": [2]}]},
}
DETECTED = {
    "schema_version": 1,
    "platform": {"machine": "intrepid", "processes": 8, "processes_per_node": 2},
    "workload": {"name": "flood", "fanout": 1},
    "failure_detection": {"name": "rdaemon", "heartbeat_period_s": 0.01, "timeout_s": 0.025},
    "faults": {"at": [{"time_s": 0.05, "nodes": [2]}]},
    "stop": {"when": "time", "time_s": 0.15},
}


class Perfetto(ProgramTest):
    def trace(self, *arguments, code=0):
        said = self.answer("trace", *arguments, "--out", "run.json", code=code)
        self.assertRegex(said, r"^run\.json: \d+ process")
        return json.loads((self.folder / "run.json").read_text())

    def check_format(self, trace):
        """What the trace event format asks of each kind of event."""
        kinds = collections.Counter()
        slices = collections.defaultdict(list)
        arrows = collections.defaultdict(list)
        for event in trace["traceEvents"]:
            kinds[event["ph"]] += 1
            for key, types in (("ph", str), ("ts", (int, float)), ("pid", int), ("tid", int),
                               ("name", str)):
                self.assertIsInstance(event[key], types, event)
            self.assertGreaterEqual(event["ts"], 0)
            if event["ph"] == "X":
                self.assertGreaterEqual(event["dur"], 0)
                slices[event["pid"], event["tid"]].append((event["ts"], event["dur"]))
            elif event["ph"] in "sf":
                self.assertIn(event["cat"], ("application", "control", "detection"))
                arrows[event["id"]].append(event)
            elif event["ph"] == "i":
                self.assertIn(event["s"], "gpt")
            else:
                self.assertEqual(event["ph"], "M", event)
        self.check_slices(slices)
        self.check_arrows(arrows, slices)
        return kinds

    def check_slices(self, slices):
        for track, spans in slices.items():
            for (begin, duration), (after, _) in zip(spans, spans[1:]):
                self.assertLessEqual(round(begin + duration, 3), after, track)

    def check_arrows(self, arrows, slices):
        for number, ends in arrows.items():
            self.assertEqual([end["ph"] for end in ends], ["s", "f"], number)
            first, last = ends
            self.assertLessEqual(first["ts"], last["ts"])
            self.assertEqual((first["name"], first["cat"]), (last["name"], last["cat"]))
            self.assertEqual(last["bp"], "e")
            for end in ends:
                self.assertTrue(any(begin <= end["ts"] <= begin + duration + 1e-6
                                    for begin, duration in slices[end["pid"], end["tid"]]), end)

    def test_the_format_on_both_engines(self):
        self.write("faulty.json", FAULTY)
        self.write("tiny.json", TINY)
        for engine in ENGINES:
            for file in ("tiny.json", "faulty.json", ADOPTED):
                kinds = self.check_format(self.trace(file, "--engine", engine))
                self.assertGreater(kinds["s"], 5)
                self.assertGreater(kinds["X"], kinds["s"])

    def test_it_is_the_run_that_run_simulates(self):
        self.write("tiny.json", TINY)
        runs = self.report("tiny.json")["runs"]
        self.assertEqual(len(runs), 4)
        for run in runs:
            trace = self.trace("tiny.json", "--point", run["point"], "--replication",
                               run["replication"])
            counts = collections.Counter()
            for event in trace["traceEvents"]:
                if event["ph"] == "s":
                    counts[event["cat"], event["name"]] += 1
                    counts[event["cat"]] += 1
            metrics = run["metrics"]
            # The last announcements may be on their way when the run ends.
            under_way = sum("on its way" in event["name"] for event in trace["traceEvents"])
            self.assertEqual(counts["application"], metrics["application_messages"])
            self.assertEqual(counts["control"] + under_way, metrics["control_messages"])
            for name, value in metrics.items():
                if name.startswith("control_messages.") and under_way == 0:
                    self.assertEqual(counts["control", name.partition(".")[2]], value)

    def test_deaths_and_announcements_are_marked(self):
        events = self.trace(ADOPTED)["traceEvents"]
        marks = collections.Counter((event["cat"], event["name"]) for event in events
                                    if event["ph"] == "i")
        self.assertEqual(marks["failure", "dies"], 1)
        self.assertEqual(marks["failure", "hears that process 1 is dead"], 6)
        self.assertEqual(marks["announcement", "hears that phase 0 is over"], 6)
        self.assertEqual(marks["truth", "the work is over"], 1)

    def test_nodes_are_groups(self):
        self.write("faulty.json", FAULTY)
        names = {event["args"]["name"] for event in self.trace("faulty.json")["traceEvents"]
                 if event["name"] == "process_name"}
        self.assertEqual(names, {"node 0", "node 1", "node 2", "run"})

    def arrows(self, trace):
        return collections.Counter((event["cat"], event["name"])
                                   for event in trace["traceEvents"] if event["ph"] == "s")

    def test_messages_of_failure_detection_are_a_group_and_can_be_left_out(self):
        self.write("ring.json", DETECTED)
        for engine in ENGINES:
            whole = self.trace("ring.json", "--engine", engine)
            heartbeats = self.arrows(whole)["detection", "heartbeat"]
            self.assertGreater(heartbeats, 20)
            self.assertEqual(self.arrows(whole)["control", "heartbeat"], 0)
            for option in (("--without", "heartbeat"), ("--without", "heartbeat,notice")):
                less = self.trace("ring.json", "--engine", engine, *option)
                self.check_format(less)
                expected = self.arrows(whole)
                for kind in option[1].split(","):
                    del expected["detection", kind]
                self.assertEqual(self.arrows(less), expected)
                self.assertEqual(less["otherData"]["without"], option[1].replace(",", ", "))
                handled = collections.Counter(event["name"] for event in less["traceEvents"]
                                              if event["ph"] == "X" and event["cat"] == "handling")
                self.assertEqual(handled["heartbeat"], 0)
                self.assertGreater(handled["report"], 0)
            said = self.answer("trace", "ring.json", "--without", "heartbeat", "--out", "run.html")
            self.assertIn(", without heartbeat", said)
            self.assertIn('"group":"detection"', (self.folder / "run.html").read_text())

    def test_the_same_bytes(self):
        self.write("faulty.json", FAULTY)
        for name in ("a.json", "b.json", "a.html", "b.html", "a.paje", "b.trace"):
            self.answer("trace", "faulty.json", "--out", name)
        for one, other in (("a.json", "b.json"), ("a.html", "b.html"), ("a.paje", "b.trace")):
            self.assertEqual((self.folder / one).read_bytes(), (self.folder / other).read_bytes())

    def test_a_violation_is_told_and_gives_3(self):
        self.write("crash.json", {
            **changed(TINY, ["termination"], {"name": "cda"}), "allow_unsafe": True,
            "failure_detection": {"name": "oracle", "delay_s": 1e-6},
            "faults": {"at": [{"time_s": 0.0, "ranks": [1]}]}})
        said = self.answer("trace", "crash.json", "--out", "run.json", code=3)
        self.assertRegex(said, r"(?m)^violation: \w+")

    @unittest.skipUnless(HAS_SIMGRID, "built without SimGrid")
    def test_a_platform_file(self):
        self.write("platform.xml", PLATFORM_XML)
        self.write("xml.json", changed(TINY, ["platform"], {"xml": "platform.xml",
                                                            "processes": 6}))
        for engine in ENGINES:
            self.check_format(self.trace("xml.json", "--engine", engine))


class Paje(ProgramTest):
    @tools.tested_with("Paje traces read by pajeng", commands={"pj_dump": "pajeng"})
    def test_pajeng_reads_what_is_there(self):
        self.write("faulty.json", FAULTY)
        for file in (ADOPTED, "faulty.json"):
            self.answer("trace", file, "--out", "run.paje")
            self.answer("trace", file, "--out", "run.json")
            dump = subprocess.run(["pj_dump", self.folder / "run.paje"], capture_output=True,
                                  text=True, check=False)
            self.assertEqual((dump.returncode, dump.stderr), (0, ""))
            lines = dump.stdout.splitlines()
            found = collections.Counter(line.split(", ")[0] for line in lines)
            groups = r"(application|control|detection) message, "
            links = collections.Counter(re.search(groups, line)[1]
                                        for line in lines if line.startswith("Link"))
            events = json.loads((self.folder / "run.json").read_text())["traceEvents"]
            arrows = collections.Counter(event["cat"] for event in events if event["ph"] == "s")
            self.assertEqual(links, arrows)
            # A span of no length is a slice, but not a state.
            slices = sum(event["ph"] == "X" and event["dur"] > 0 for event in events)
            self.assertGreaterEqual(found["State"], slices)
            self.assertEqual(found["Event"], sum(event["ph"] == "i" for event in events))


class Refusals(ProgramTest):
    def test_what_is_refused(self):
        self.write("tiny.json", TINY)
        for arguments, words in (
                ((), "expected a scenario file"),
                (("tiny.json",), "expected --out FILE"),
                (("tiny.json", "--out", "run.txt"), "expected a name that ends in"),
                (("tiny.json", "--out", "a.json", "--format", "xml"), "expected perfetto"),
                (("tiny.json", "--out", "a.json", "--point", 2), "1: termination=cda"),
                (("tiny.json", "--out", "a.json", "--replication", -1), "whole number"),
                (("tiny.json", "--out", "missing/a.json"), "cannot be written"),
                (("tiny.json", "--out", "a.json", "--without", "tokn"), 'did you mean "token"'),
                (("tiny.json", "--out", "a.json", "--without", ""), "--without: expected"),
                (("tiny.json", "--out", "a.json", "--limit-events", 20), "--limit-events")):
            self.assertIn(words, self.refusal("trace", *arguments), arguments)

    def test_the_limit_can_be_raised(self):
        self.write("tiny.json", TINY)
        events = self.report("tiny.json")["runs"][0]["performance"]["events"]
        self.assertIn(f"has {events} events or more",
                      self.refusal("trace", "tiny.json", "--out", "a.json", "--limit-events",
                                   events))
        self.answer("trace", "tiny.json", "--out", "a.json", "--limit-events", events + 1)

    def test_standard_output(self):
        trace = json.loads(self.answer("trace", ADOPTED, "--format", "perfetto"))
        self.assertEqual(trace["otherData"]["outcome"], "terminated")
        self.assertTrue(self.answer("trace", ADOPTED, "--format", "html").startswith("<!DOCTYPE"))

    def test_an_interrupt_leaves_nothing(self):
        self.write("long.json", changed(TINY, ["workload"], {"name": "token-ring",
                                                             "walk_length": 50_000_000}))
        process = subprocess.Popen([PROGRAM, "trace", "long.json", "--out", "a.json",
                                    "--limit-events", "100000000"], cwd=self.folder)
        time.sleep(0.5)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        self.assertNotEqual(process.wait(timeout=30), 0)
        self.assertEqual(self.files(), ["long.json"])

    def test_points_of_a_sweep(self):
        sweep = changed(TINY, ["sweep"], {"platform.processes": [4, 8]})
        self.write("sweep.json", changed(sweep, ["termination"], {"name": "cda"}))
        said = self.answer("trace", "sweep.json", "--out", "a.json", "--point", 1)
        self.assertIn("8 processes", said)

    def test_a_page_is_one_file(self):
        self.write("faulty.json", FAULTY)
        self.answer("trace", "faulty.json", "--out", "a.html")
        page = (self.folder / "a.html").read_text()
        self.assertEqual(len(re.findall("</script>", page)), 2)
        self.assertNotRegex(page, r"(src|href)=[\"']?(https?:)?//")


if __name__ == "__main__":
    unittest.main()
