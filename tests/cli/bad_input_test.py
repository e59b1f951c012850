# SPDX-License-Identifier: Apache-2.0
"""Bad scenarios and bad arguments: one clear message that names the place, exit code 2, nothing
printed and nothing written."""

import json
import os
import subprocess
import unittest

import tools
from program import (ENGINES, GONE, HAS_SIMGRID, PATIENCE_S, PLATFORM_XML, PROGRAM, ProgramTest,
                     SMALL, SOURCE, changed)

DEEP = 100_000

# Files that are no JSON scenario: (what, content, what the message says after the file's name).
BROKEN_TEXTS = [
    ("an empty file", "", ["s.json: is empty"]),
    ("blanks", " \n\t\n", ["s.json: is empty"]),
    ("truncated", json.dumps(SMALL, indent=1)[:150], ["s.json:", "not valid JSON"]),
    ("truncated in a word", '{"schema_version": 1, "name": tr', ["s.json:1:", "not valid JSON"]),
    ("an equals sign", '{"schema_version" = 1}', ["s.json:1:19: ", "; write a colon between"]),
    ("a comma at the end", '{"schema_version": 1,\n}', ["s.json:2:1: ", "; leave out the comma"]),
    ("a comment", '{"seed": 1, // first\n "name": "x"}', ["s.json:1:13: ", "JSON has no comments"]),
    ("YAML", "schema_version: 1\nname: x\n", ["s.json:1:1: ", "looks like YAML"]),
    ("UTF-16", json.dumps(SMALL).encode("utf-16"), ["s.json: is a text in UTF-16, expected UTF-8"]),
    ("two documents", "{}{}", ["s.json:1:3", "not valid JSON"]),
    ("a zero byte", '{"schema_version": 1}\0', ["s.json:1:22"]),
    ("not UTF-8", b'{"name": "\xff\xfe"}', ["s.json:1:", "UTF-8"]),
    ("not an object", "[1, 2]", ["s.json: expected an object, got a list"]),
    ("a bare word", "hello", ["s.json:1:1: not valid JSON"]),
    ("a duplicate key", '{"schema_version": 1, "platform": {"machine": 1, "machine": 2}}',
     ["s.json: platform.machine: duplicate key"]),
    ("deep lists", '{"a": ' + "[" * DEEP, ["s.json: ", "nested too deeply, expected at most 64"]),
    ("deep closed lists", "[" * DEEP + "]" * DEEP, ["s.json: ", "nested too deeply"]),
    ("deep objects", '{"a":' * DEEP + "1" + "}" * DEEP, ["s.json: ", "nested too deeply"]),
    ("NaN", '{"schema_version": 1, "seed": NaN}', ["s.json:1:31: not valid JSON"]),
    ("Infinity", '{"schema_version": 1, "seed": -Infinity}', ["s.json:1:32: not valid JSON"]),
    ("a number over the range", '{"schema_version": 1,\n "seed": 1e400}',
     ["s.json:2:14: a number is beyond the range of double precision"]),
]

# Scenarios with one wrong value: (path, value, what the message says).
BROKEN_VALUES = [
    (["schema_version"], 2, ["schema_version: expected an integer: 1, got 2"]),
    (["schema_version"], GONE, ["schema_version: missing"]),
    (["schema_version"], "1", ["schema_version: expected an integer: 1"]),
    (["platform", "machine"], "intrepd",
     ['platform.machine: unknown machine "intrepd", did you mean "intrepid"?']),
    (["platform", "machine"], "nowhere.json", ["platform.machine: ", "nowhere.json"]),
    (["termination"], {"name": "cdaa"},
     ['termination.name: unknown termination "cdaa", did you mean "cda"?']),
    (["termination"], {"radix": 2}, ["s.json: termination.name: missing, expected cda, "]),
    (["termination", 0], {"name": "cda", "zzz": 2},
     ["s.json: termination[0].zzz: unknown key, expected name, initial_credit, "]),
    (["termination", 1, "name"], "dcda", ['termination[1].name: unknown termination "dcda"']),
    (["workload", "name"], "token-wring", ["workload.name: ", '"token-ring"?']),
    (["engine"], "simgird", ["engine: expected one of loggp or simgrid"]),
    (["platform.processes"], 4,
     ["s.json: [\"platform.processes\"]: unknown key; in a file it is a key inside \"platform\""]),
    (["platfrom"], {}, ['platfrom: unknown key, did you mean "platform"?']),
    (["workload", "stop_probabilty"], 0.1,
     ['workload.stop_probabilty: unknown key, did you mean "stop_probability"?']),
    (["workload", "step_compute_ms"], 1, ['expected "step_compute_s" in seconds']),
    (["workload"], {"name": "try-script"}, ["s.json: workload.steps: missing"]),
    (["workload"], {"name": "try-script", "steps": []},
     ["s.json: workload.steps: expected a list of 1 to 100 steps"]),
    (["workload"], {"name": "try-script", "steps": ["try", 7, "finish"]},
     ["s.json: workload.steps[1]: expected a string, got 7"]),
    (["workload"], {"name": "try-script", "steps": ["try"]},
     ['s.json: workload.steps[0]: expected "finish" in a step after this one']),
    (["workload"], {"name": "try-script", "steps": ["try", "\x1b[2J\u202e", "finish"]},
     ["s.json: workload.steps[1]: character 1: expected ", r'got "\x1b[2J\u202e"']),
    (["workload"], {"name": "try-script", "steps": ["try", "allreduce 8 B among 0-999", "finish"]},
     ["s.json: workload.steps[1]: character 21: expected ranks, ", 'got "0-999"']),
    (["workload"], {"name": "try-script", "steps": [
        "try", "try local among 0-3", "allreduce 8 B among 2-6", "finish", "finish"]},
     ["s.json: workload.steps[2]: expected ranks of the group of the TryBlock of steps[1], which "
      "are ranks 0 to 3, got also ranks 4 to 6, which its commit would ignore"]),
    (["platform", "processes"], -16, ["platform.processes: expected", "got -16"]),
    (["platform", "processes"], 0, ["platform.processes: expected", "got 0"]),
    (["platform", "processes"], 1.5, ["platform.processes: expected an integer", "got 1.5"]),
    (["platform", "processes"], 1e30, ["platform.processes: expected an integer", "got 1e+30"]),
    (["platform", "processes"], 2**63, ["platform.processes: expected an integer"]),
    (["platform", "processes_per_node"], 0, ["platform.processes_per_node: expected"]),
    (["platform", "processes_per_node"], 5, ["platform.processes_per_node: ", "4"]),
    (["platform", "processes"], 163_841, ["platform.processes: ", "163840"]),
    (["platform", "spare_nodes"], 40_957, ["platform.spare_nodes: "]),
    (["replications"], 0, ["replications: expected", "got 0"]),
    (["replications"], -1, ["replications: expected", "got -1"]),
    (["replications"], 1e30, ["replications: expected an integer", "got 1e+30"]),
    (["seed"], -1, ["seed: expected", "got -1"]),
    (["seed"], 2**53 + 1, ["seed: expected", "the largest integer is 9007199254740992"]),
    (["workload", "stop_probability"], 1.5, ["workload.stop_probability: expected", "got 1.5"]),
    (["workload", "stop_probability"], -0.1, ["workload.stop_probability: expected", "got -0.1"]),
    (["workload", "stop_probability"], "0.5",
     ["workload.stop_probability: ", "without quotes or unit: 0.5"]),
    (["workload", "branch_probability"], 1e308, ["workload.branch_probability: expected"]),
    (["workload", "stop_probability"], [0.5], ["workload.stop_probability: ", "got a list"]),
    (["stop"], {"events": 0}, ["stop.events: expected"]),
    (["stop"], {"time_s": -1}, ["stop.time_s: expected"]),
    (["stop"], {"when": "anounced"}, ["stop.when: ", 'did you mean "announced"?']),
    (["faults"], {"at": [{"time_s": 1, "nodes": [4]}]}, ["faults.at[0].nodes[0]: ", "0 to 3"]),
    (["platform", "xml"], "p.xml", ["platform"]),
]

BROKEN_XML = [
    ("cut", PLATFORM_XML[:200]),
    ("not XML", "hello"),
    ("an unknown tag", PLATFORM_XML.replace("cluster id", "clutser id")),
    ("a bandwidth that is not a number", PLATFORM_XML.replace("125MBps", "fast")),
    ("a version of the past", PLATFORM_XML.replace('version="4.1"', 'version="1"')),
    ("a host twice", PLATFORM_XML.replace("</zone>", '<host id="node-1" speed="1f"/></zone>')),
    ("empty", ""),
]

ARGUMENTS = [
    (["rum"], ['unknown verb "rum", did you mean "run"?']),
    (["--jobs"], ['unknown verb "--jobs"']),
    (["run"], ["run: expected a scenario file"]),
    (["run", "s.json", "t.json"], ['run: unexpected word "t.json"']),
    (["run", "s.json", "--job", "2"], ['unknown option "--job", did you mean "--jobs"?']),
    (["run", "s.json", "--jobs"], ["run: ", "--jobs"]),
    (["run", "s.json", "--jobs", "0"], ["run: --jobs: expected a whole number from 1 to 4096"]),
    (["run", "s.json", "--jobs", "-1"], ["run: --jobs: "]),
    (["run", "s.json", "--jobs", "two"], ['run: --jobs: ', 'got "two"']),
    (["run", "s.json", "--jobs", "1e3"], ["run: --jobs: "]),
    (["run", "s.json", "--jobs", "2", "--jobs", "3"], ["run: ", "--jobs"]),
    (["run", "s.json", "--seed", "-1"], ["run: --seed: "]),
    (["run", "s.json", "--seed", "9007199254740993"], ["run: --seed: "]),
    (["run", "s.json", "--replications", "0"], ["run: --replications: "]),
    (["run", "s.json", "--replications", "1.5"], ["run: --replications: "]),
    (["run", "s.json", "--engine", "simgird"],
     ["run: --engine: expected loggp or simgrid", 'did you mean "simgrid"?']),
    (["run", "s.json", "--format", "jsn"], ["run: --format: ", 'did you mean "json"?']),
    (["run", "s.json", "--out", ""], ['--out: expected the name of a file, got ""']),
    (["run", "s.json", "--set", "seed"], ['--set "seed": expected PATH=VALUE']),
    (["run", "s.json", "--set", "=1"], ["--set"]),
    (["run", "s.json", "--set", "platform..x=1"], ["--set"]),
    (["run", "s.json", "--set", "termination[7]=1"], ["--set", "has 2 entries"]),
    (["run", "s.json", "--set", "seed.x=1"], ["--set", "has no key"]),
    (["run", "s.json", "--set", "platform.processes=-4"],
     ['s.json: platform.processes: expected', '(from --set "platform.processes=-4")']),
    (["run", "s.json", "--set", "a.b=1"], ["s.json: a: unknown key", '(from --set "a.b=1")']),
    (["run", "s.json", "--set", "platform.network.latency_s=1"],
     ["s.json: platform.network: unknown key", '(from --set "platform.network.latency_s=1")']),
    (["run", "s.json", "--out", "no/such/r.json"],
     ['--out no/such/r.json: cannot be written: there is no folder "no"\n']),
    (["sweep", "s.json", "--store", "no/r.sqlite"],
     ['no/r.sqlite: cannot be opened: there is no folder "no"\n']),
    (["query", "no/r.sqlite"], ['no/r.sqlite: no such file, there is no folder "no"\n']),
    (["validate", "no/s.json"], ['no/s.json: no such file, there is no folder "no"\n']),
    (["run", "s.json", "--set", "workload.stop_probability=1e400"],
     ['--set "workload.stop_probability=1e400"', "beyond the range of double precision"]),
    (["run", "s.json", "--set", "workload.stop_probability=NaN"], ["workload.stop_probability"]),
    (["run", "s.json", "--set", 'termination={"name": "cda"'], ["--set", "not valid JSON"]),
    (["run", "s.json", "--set", "termination=" + "[" * 100_000], ["--set", "nested too deeply"]),
    (["validate"], ["validate: expected at least one file"]),
    (["validate", "--format", "json", "s.json"], ['validate: unknown option "--format"']),
    (["list", "protocol"], ["list: expected protocols, ",
                            'got "protocol", did you mean "protocols"?']),
    (["list", "protocols", "machines"], ['list: unexpected word "machines"']),
    (["list", "--format", "csv"], ["list: --format: expected table or json"]),
    (["schema", "x"], ["schema: "]),
    (["survival", "--processes", "0"], ["survival: --processes: "]),
    (["survival", "--processes", "1e3"], ["survival: --processes: "]),
    (["survival", "--fanout", "2,,8"], ["survival: --fanout: "]),
    (["survival", "--fanout", "1024"], ["survival: --fanout: ", "0 to 1023"]),
    (["survival", "--faults", "jagaur"], ["did you mean", "jaguar"]),
    (["survival", "--faults", "none.json"], ["none.json: "]),
    (["survival", "--format", "xml"], ["survival: --format: "]),
    (["survival", "x"], ['survival: unexpected word "x"']),
    (["step-model", "--tree", "none.json", "--processes", "4"], ["none.json"]),
    (["step-model", "--processes", "4"], ["step-model: "]),
    (["step-model", "x"], ["step-model: "]),
    (["tree", "--nodes", "4"], ["tree: unknown option"]),
    (["tree", "x"], ["tree: "]),
    (["tree", "--tasks", "2"], ["tree: --tasks: no binary tree has 2 tasks, expected an odd"]),
    (["tree", "--tasks", "1-5"], ["tree: --tasks: no tree of this shape has 1 to 5 tasks, but from "
                                  "7 to "]),
    (["tree", "--tasks", "1-2", "--subtree-heights", "1-1"], ["but from 7 to "]),
    (["tree", "--tasks", "9", "--subtree-heights", "1-1"], ["no tree of this shape with 9 tasks"]),
    (["bench", "--processes", "0"], ["bench: --processes: "]),
    (["bench", "--processes", "100000000"],
     ["bench: --processes: expected at most 3145728, the hardware threads of mira"]),
    (["bench", "--in-flight", "0"], ["bench: --in-flight: "]),
    (["bench", "--messages", "-1"], ["bench: --messages: "]),
    (["bench", "--engine", "fast"], ["bench: --engine: "]),
    (["bench", "--machine", "intrepd"], ["bench: --machine: ", 'did you mean "intrepid"?']),
    (["bench", "--termination", "cdaa"], ["bench: --termination: "]),
    (["bench", "--format", "csv"], ["bench: --format: "]),
    (["bench", "--message-logging", "fats"],
     ["bench: --message-logging: ", 'did you mean "fast"?']),
    (["bench", "--message-logging", "fast", "--termination", "cda"],
     ["bench: --message-logging: cannot be combined with --termination"]),
    (["bench", "--failure-detection", "swin"],
     ["bench: --failure-detection: ", 'did you mean "swim"?']),
    (["bench", "--failure-detection", "swim", "--processes", "3"], ["bench: --processes: "]),
    (["bench", "--failure-detection", "swim", "--processes", "49153"],
     ["bench: --processes: expected at most 49152, the nodes of mira"]),
    (["bench", "--failure-detection", "swim", "--seconds", "0"], ["bench: --seconds: "]),
    (["bench", "--failure-detection", "swim", "--messages", "9"],
     ["bench: --failure-detection: cannot be combined with --messages"]),
    (["bench", "--seconds", "9"], ["bench: --seconds: needs --failure-detection"]),
    (["bench", "--transactions", "famp"],
     ["bench: --transactions: ", 'did you mean "fampi"?']),
    (["bench", "--transactions", "fampi", "--processes", "7"], ["bench: --processes: "]),
    (["bench", "--transactions", "fampi", "--processes", "102385"],
     ["bench: --processes: expected at most 102384, the hardware threads of stampede but for a "
      "spare node"]),
    (["bench", "--transactions", "fampi", "--message-logging", "fast"],
     ["bench: --transactions: cannot be combined with --message-logging"]),
    (["bench", "x"], ['bench: unexpected word "x"']),
]


class BadScenarios(ProgramTest):
    def check_refused(self, what, words, *more):
        """Both verbs say the same of the file."""
        said = {verb: self.refusal(verb, "s.json", *more) for verb in ("run", "validate")}
        self.assertEqual(said["run"], said["validate"], what)
        for word in words:
            self.assertIn(word, said["run"], what)
        self.assertLess(len(said["run"]), 1200, what)
        return said["run"]

    def test_missing_file_and_directory(self):
        self.check_refused("missing", ["s.json: no such file"])
        (self.folder / "s.json").mkdir()
        self.check_refused("a directory", ["s.json: is a directory, expected a file"])

    def test_texts_that_are_no_scenario(self):
        for what, text, words in BROKEN_TEXTS:
            with self.subTest(what):
                self.write("s.json", text)
                message = self.check_refused(what, words)
                self.assertEqual(message.count("\n"), max(1, message.count("s.json:")), message)

    def test_values_that_cannot_be(self):
        for path, value, words in BROKEN_VALUES:
            with self.subTest(path=path, value=str(value)):
                self.write("s.json", changed(SMALL, path, value))
                for line in self.check_refused(path, words).splitlines():
                    self.assertIn("s.json: ", line)

    def test_all_errors_are_reported_at_once(self):
        document = changed(SMALL, ["platform", "processes"], 0)
        document = changed(document, ["workload", "stop_probability"], 2)
        document = changed(document, ["colour"], "red")
        self.write("s.json", document)
        message = self.check_refused("three errors", ["platform.processes", "colour"])
        self.assertEqual(len(message.splitlines()), 3, message)

    def test_validate_reports_every_file(self):
        self.write("good.json", SMALL)
        self.write("bad.json", changed(SMALL, ["seed"], -1))
        result = self.faultline("validate", "bad.json", "good.json", "missing.json")
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stdout, "good.json: valid, 2 points\n")
        self.assertIn("bad.json: seed: ", result.stderr)
        self.assertIn("missing.json: no such file", result.stderr)

    def test_a_broken_machine_file_is_named(self):
        self.write("s.json", changed(SMALL, ["platform", "machine"], "./m.json"))
        self.write("m.json", '{"schema_version": 1, "name": ')
        self.check_refused("broken machine", ["s.json: platform.machine: ", "m.json:1:31"])
        machine = json.loads((SOURCE / "scenarios/machines/intrepid.json").read_text())
        del machine["gap_s"]["unit"]
        self.write("m.json", machine)
        self.check_refused("no unit", ["s.json: platform.machine: ", "m.json: gap_s.unit: missing"])

    @unittest.skipUnless(HAS_SIMGRID, "built without SimGrid")
    def test_platform_files_that_simgrid_refuses(self):
        document = changed(SMALL, ["platform"],
                           {"xml": "p.xml", "processes": 8, "processes_per_node": 2})
        for engine in ENGINES:
            self.write("s.json", changed(document, ["engine"], engine))
            self.write("p.xml", PLATFORM_XML)
            self.assertEqual(self.faultline("validate", "s.json").returncode, 0)
            for what, xml in BROKEN_XML:
                with self.subTest(what=what, engine=engine):
                    self.write("p.xml", xml)
                    message = self.check_refused(what, ["s.json: platform.xml: ", "p.xml"])
                    self.assertEqual(message.count("\n"), 1, message)
            (self.folder / "p.xml").unlink()
            self.check_refused("missing XML", ["s.json: platform.xml: ", "p.xml"])


class BadOutput(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("s.json", SMALL)

    def test_places_that_cannot_be_written(self):
        (self.folder / "taken").mkdir()
        for place in ("missing/out.json", "taken", "taken/", "new/", "s.json/out.json",
                      "/proc/faultline-out.json"):
            with self.subTest(place):
                message = self.refusal("run", "s.json", "--out", place)
                self.assertIn(f"--out {place}: ", message)
                self.assertEqual(message.count("\n"), 1, message)

    def test_a_file_without_write_permission(self):
        self.write("out.json", "precious")
        (self.folder / "out.json").chmod(0o444)
        self.folder.chmod(0o777)
        # Root may write everywhere, and so this is nobody's run.
        user = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        try:
            result = self.faultline("run", "s.json", "--out", "out.json", **user)
        except PermissionError:
            tools.leave_out("a file without write permission",
                            "a checkout where every user may read")
            self.skipTest("the program lies where nobody else may run it")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("--out out.json: cannot be written: Permission denied", result.stderr)
        self.assertEqual((self.folder / "out.json").read_text(), "precious")
        self.assertEqual(self.files(), ["out.json", "s.json"])

    def test_a_full_disk(self):
        self.assertIn("--out /dev/full: ", self.refusal("run", "s.json", "--out", "/dev/full"))
        with open("/dev/full", "w", encoding="utf-8") as full:
            for arguments in (["run", "s.json"], ["run", "s.json", "--dry-run"], ["list"],
                              ["schema"], ["survival"], ["validate", "s.json"], ["--help"]):
                with self.subTest(arguments):
                    message = self.end_with_full_output(arguments, full)
                    self.assertIn("standard output", message)

    def end_with_full_output(self, arguments, full):
        result = subprocess.run([PROGRAM, *arguments], cwd=self.folder, stdout=full,
                                stderr=subprocess.PIPE, text=True, timeout=PATIENCE_S, check=False)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        return result.stderr

    def test_a_refused_run_leaves_an_older_result_alone(self):
        self.write("out.json", "precious")
        self.refusal("run", "s.json", "--set", "seed=-1", "--out", "out.json")

    def test_a_dry_run_writes_nothing(self):
        self.write("out.json", "precious")
        self.answer("run", "s.json", "--dry-run", "--out", "out.json")
        self.assertEqual((self.folder / "out.json").read_text(), "precious")
        self.assertEqual(self.files(), ["out.json", "s.json"])

    def test_a_result_replaces_the_older_one_and_nothing_else_stays(self):
        self.write("out.json", "old")
        self.assertEqual(self.answer("run", "s.json", "--out", "out.json", "--format", "json"), "")
        self.assertEqual(len(json.loads((self.folder / "out.json").read_text())["runs"]), 16)
        self.assertEqual(self.files(), ["out.json", "s.json"])


class BadArguments(ProgramTest):
    def test_of_every_verb(self):
        self.write("s.json", SMALL)
        for arguments, words in ARGUMENTS:
            with self.subTest(" ".join(arguments)[:60]):
                message = self.refusal(*arguments)
                for word in words:
                    self.assertIn(word, message)
                self.assertLess(len(message), 600)


if __name__ == "__main__":
    unittest.main()
