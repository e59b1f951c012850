# SPDX-License-Identifier: Apache-2.0
"""The program's messages are in its own words, never in those of a library that it uses."""

import copy
import json
import os
import resource
import signal
import unittest

from program import HAS_SIMGRID, PLATFORM_XML, ProgramTest, SMALL, SOURCE, changed

# Words of the C++ library, of nlohmann's JSON, and of SimGrid.
FOREIGN = ("std::", "stoi", "stod", "stoul", "variant", "[json.", "filesystem error", "basic_",
           "map::", "vector::", "bad_", "Backtrace", "CRITICAL", "internal error")

VALUES = (None, True, -1, 0.5, 1e300, 2**53, "x", "", [], ["x"], {}, {"x": 1})

WALK = {
    "schema_version": 1,
    "platform": {"machine": "intrepid", "processes": 4, "processes_per_node": 4},
    "workload": {"name": "token-ring", "stop_probability": 0.1},
    "termination": [{"name": "hcda"}, {"name": "cda"}],
}

# Every kind of measure and of cell.
ITEM = {
    "schema_version": 1, "title": "t", "note": "n", "time_s": 1, "quick_time_s": 1,
    "evidence": "own theory",
    "scenarios": {"walk": WALK},
    "measures": {
        "runs": {"kind": "runs", "scenario": "walk", "metric": "control_messages",
                 "relative_to": "cda", "replications": 2, "quick_replications": 2,
                 "quick_every": 1, "changes": [{"platform.processes": 4}],
                 "known_mean": {"metric": "application_messages", "mean": 10}},
        "series": {"kind": "series", "scenario": "walk", "over": "platform.processes",
                   "changes": [{"platform.processes": 4}, {"platform.processes": 8}],
                   "metrics": ["control_messages"], "drawn_relative_to": "cda",
                   "replications": [2, 2], "quick_replications": 2, "quick_points": 2},
        "steps": {"kind": "step-model", "preset": "small", "mapping": "round-robin",
                  "rules": "literal", "fewest_processes": 2, "most_processes": 3,
                  "quick_trees": 1, "tree_seeds": [1]},
        "survival": {"kind": "survival", "faults": "jaguar", "processes": 64},
        "lemmas": {"kind": "lemmas", "family": "termination", "loggp_schedules": 1,
                   "simgrid_schedules": 0, "quick_schedules": 1, "quick_simgrid_schedules": 0}},
    "curves": ["series"],
    "groups": [
        {"measure": "runs", "why": "w", "place": "p", "cells": [
            {"cell": "a", "detector": "hcda", "paper": 1, "tolerance": 0.1, "exact": 1,
             "exact_formula": "f", "exact_tolerance": 0.5, "printed_as": "equal",
             "absolute_tolerance": 1, "expected": "differs", "reason": "r", "quick": True}]},
        {"measure": "series", "why": "w", "place": "p", "cells": [
            {"cell": "b", "detector": "hcda", "metric": "control_messages", "relative_to": "cda",
             "ratio_of_means": True, "at": 8},
            {"cell": "f", "detector": "hcda", "metric": "control_messages", "fit": "slope",
             "scale": "log2", "over": "platform.processes"}]},
        {"measure": "steps", "why": "w", "place": "p", "cells": [
            {"cell": "c", "detector": "edod"}]},
        {"measure": "survival", "why": "w", "place": "p", "cells": [
            {"cell": "d", "figure": "share-percent", "fanout": 2, "failed": [1, 2]}]},
        {"measure": "lemmas", "why": "w", "place": "p", "cells": [
            {"cell": "e", "detector": "indep", "figure": "hung"}]}],
}


def places(value, path=()):
    """The path of every value in a document."""
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) \
        if isinstance(value, list) else ()
    for key, member in inner:
        yield from places(member, (*path, key))


def mutants(document):
    """The document with each of its values replaced by one of each type, or left out."""
    for path in places(document):
        if not path:
            continue
        for value in VALUES:
            yield path, value, changed(document, path, value)
        left_out = copy.deepcopy(document)
        parent = left_out
        for key in path[:-1]:
            parent = parent[key]
        del parent[path[-1]]
        yield path, "left out", left_out


class PlainWordsTest(ProgramTest):
    def assert_plain(self, text, what):
        for word in FOREIGN:
            self.assertNotIn(word, text, what)


class Mutations(PlainWordsTest):
    def test_the_item_itself_is_sound(self):
        self.write("item.json", ITEM)
        self.answer("validate", "item.json")

    def test_data_files_of_reproduce(self):
        files = {}
        for number, (path, value, document) in enumerate(mutants(ITEM)):
            if path[:2] != ("scenarios", "walk"):  # which other tests change
                files[self.write(f"{number}.json", document)] = (path, value)
        self.assertGreater(len(files), 1000)
        sound = set(files)
        names = list(files)
        for begin in range(0, len(names), 250):
            result = self.faultline("validate", *names[begin:begin + 250])
            self.assertIn(result.returncode, (0, 2), result.stderr)
            self.assert_plain(result.stderr, "validate")
            for line in result.stderr.splitlines():
                self.assertRegex(line, r"^faultline: \d+\.json: .+")
                sound.discard(line.split(": ")[1])
        self.assertGreater(len(sound), 100)
        self.assertLess(len(sound), len(files) / 2)

    def test_what_reproduce_writes(self):
        item = {**ITEM, "measures": {"survival": ITEM["measures"]["survival"]},
                "groups": [ITEM["groups"][3]]}
        del item["curves"]
        self.write("item.json", item)
        saved = json.loads(self.faultline("reproduce", "item.json", "--format", "json",
                                          "--quiet").stdout)
        for path, value, document in list(mutants(saved))[::3]:
            self.write("saved.json", document)
            result = self.faultline("report", "--reproduce", "saved.json", "--html", "page.html")
            self.assertIn(result.returncode, (0, 2, 3), (path, value, result.stderr))
            self.assert_plain(result.stderr, (path, value))
            if result.returncode == 2:
                self.assertIn("faultline: saved.json", result.stderr)


class Limits(PlainWordsTest):
    def refused(self, *arguments, code=2):
        result = self.faultline(*arguments)
        self.assertEqual(result.returncode, code, (arguments, result.stderr))
        self.assertRegex(result.stderr, r"^faultline: .+")
        self.assert_plain(result.stderr, arguments)
        return result.stderr

    def test_seconds(self):
        self.write("s.json", SMALL)
        for seconds in ("1e308", "1e400", "0", "-1", "nan", "x"):
            self.assertIn("above 0 and at most 1e9", self.refused(
                "sweep", "s.json", "--store", "r.sqlite", "--time-limit", seconds))

    def test_names_that_are_too_long_for_a_file(self):
        long = "x" * 300
        self.write("s.json", SMALL)
        self.answer("sweep", "s.json", "--store", "r.sqlite")
        for arguments in (("report", "r.sqlite", "--html", "p.html", "--figures", long),
                          ("report", "r.sqlite", "--html", long),
                          ("run", long), ("run", "s.json", "--out", long),
                          ("run", "s.json", "--set", f"platform.machine={long}.json"),
                          ("sweep", "s.json", "--store", long), ("query", long),
                          ("merge", long, "r.sqlite"), ("reproduce", long + ".json"),
                          ("faults", "summarize", long), ("survival", "--faults", long + ".json"),
                          ("step-model", "--processes", "2", "--tree", long),
                          ("trace", "s.json", "--out", long + ".json")):
            self.assertIn("xxx", self.refused(*arguments))
        self.write("xml.json", changed(SMALL, ["platform"], {"xml": long, "processes": 4}))
        self.refused("run", "xml.json")

    def test_a_loop_of_links_among_the_data(self):
        data = self.folder / "data"
        data.mkdir()
        for entry in (SOURCE / "scenarios").iterdir():
            (data / entry.name).symlink_to(entry)
        (data / "loop").symlink_to("loop")
        (data / "nowhere").symlink_to("nowhere else")
        (data / "adoption-2013").unlink()
        (data / "adoption-2013").mkdir()
        (data / "adoption-2013/loop.json").symlink_to("loop.json")
        result = self.faultline("reproduce", "no-such-paper",
                                env={**os.environ, "FAULTLINE_DATA": str(data)})
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("fast-message-logging", result.stderr)
        self.assert_plain(result.stderr, "a loop")

    @unittest.skipUnless(HAS_SIMGRID, "SimGrid is not built in")
    def test_latencies_and_bandwidths_of_a_machine(self):
        self.write("s.json", {**SMALL, "engine": "simgrid", "replications": 1, "platform": {
            "machine": "./m.json", "processes": 8, "processes_per_node": 2}})
        machine = json.loads((SOURCE / "scenarios/machines/intrepid.json").read_text())
        for key, least in (("nic_latency_s", 1e-15), ("hop_latency_s", 1e-15),
                           ("local_latency_s", 1e-15), ("link_bandwidth_Bps", 1),
                           ("local_bandwidth_Bps", 1), ("nic_bandwidth_Bps", 1)):
            for value in (5e-324, 1e-310, least * 0.99):
                self.write("m.json", changed(machine, [key, "value"], value))
                self.assertIn(f"{key}.value: expected", self.refused("run", "s.json"))
            self.write("m.json", changed(machine, [key, "value"], least))
            result = self.faultline("run", "s.json", "--set", "stop.events=2000")
            self.assertIn(result.returncode, (0, 1, 3), result.stderr)  # a run, however it ended
            self.assertIn("8 processes on intrepid", result.stdout)
            self.assert_plain(result.stderr, key)

    @unittest.skipUnless(HAS_SIMGRID, "SimGrid is not built in")
    def test_a_temporary_directory_that_is_full(self):
        self.write("p.xml", PLATFORM_XML)
        self.write("s.json", changed(SMALL, ["platform"], {"xml": "p.xml", "processes": 4}))

        def no_file_grows():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

        result = self.faultline("validate", "s.json", preexec_fn=no_file_grows)
        self.assertNotEqual(result.returncode, 0)
        self.assertRegex(result.stderr, r"p\.xml: .*temporary directory .*full")


if __name__ == "__main__":
    unittest.main()
