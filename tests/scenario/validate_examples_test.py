#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the generated JSON Schema against an independent validator (python3-jsonschema).

Every shipped scenario and machine must pass it, every broken one must fail it, and for each
scenario schema and `faultline validate` must agree.
"""

import copy
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import tools

tools.need("the schema against an independent validator",
           modules={"jsonschema": "python3-jsonschema"})
import jsonschema

SOURCE = pathlib.Path(os.environ.get("FAULTLINE_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
PROGRAM = os.environ.get("FAULTLINE_PROGRAM")

BASE = {
    "schema_version": 1,
    "platform": {"machine": "intrepid", "processes": 16, "processes_per_node": 4},
    "workload": {"name": "token-ring", "stop_probability": 0.1},
    "termination": {"name": "cda"},
}

GONE = object()  # in place of a value: the key is left out

# What a schema can see. Each entry: what is broken, the path to set, the value.
BROKEN = [
    ("schema_version of the future", ["schema_version"], 2),
    ("no schema_version", ["schema_version"], GONE),
    ("no workload", ["workload"], GONE),
    ("unknown key", ["colour"], "red"),
    ("unknown engine", ["engine"], "simgird"),
    ("negative seed", ["seed"], -1),
    ("no replications", ["replications"], 0),
    ("half a process", ["platform", "processes"], 1.5),
    ("zero processes", ["platform", "processes"], 0),
    ("no processes", ["platform", "processes"], GONE),
    ("no machine", ["platform", "machine"], GONE),
    ("machine and xml", ["platform", "xml"], "p.xml"),
    ("a word as a bandwidth", ["platform", "overheads"], {"link_bandwidth_Bps": "fast"}),
    ("wrong unit in a key", ["platform", "unordered_delay_ms"], 1),
    ("unknown mapping", ["platform", "mapping"], "blocked"),
    ("unknown workload", ["workload", "name"], "token-rings"),
    ("protocol as workload", ["workload", "name"], "cda"),
    ("probability above 1", ["workload", "stop_probability"], 1.5),
    ("probability in quotes", ["workload", "stop_probability"], "0.5"),
    ("negative time", ["workload", "step_compute_s"], -1),
    ("unknown option", ["workload", "stop_probabilty"], 0.1),
    ("word instead of an object", ["termination"], "cda"),
    ("empty list of components", ["termination"], []),
    ("unknown detector in a list", ["termination"], [{"name": "cda"}, {"name": "cdaa"}]),
    ("options of none", ["termination"], {"name": "none", "initial_credit": 1}),
    ("fault without moment", ["faults"], {"at": [{"nodes": [0]}]}),
    ("fault with two moments", ["faults"], {"at": [{"time_s": 1, "event": 1, "nodes": [0]}]}),
    ("fault without victim", ["faults"], {"at": [{"time_s": 1}]}),
    ("fault of a negative node", ["faults"], {"at": [{"time_s": 1, "nodes": [-1]}]}),
    ("fault twice on a rank", ["faults"], {"at": [{"time_s": 1, "ranks": [1, 1]}]}),
    ("mark without value", ["faults"], {"at": [{"mark": {"name": "step"}, "ranks": [1]}]}),
    ("mark that nobody sets", ["faults"],
     {"at": [{"mark": {"name": "stepp", "value": 1}, "ranks": [1]}]}),
    ("unknown source of faults", ["faults"], {"poison": {"mtbf_s": 1}}),
    ("mean of zero between faults", ["faults"], {"poisson": {"mtbf_s": 0}}),
    ("unknown placement in a list", ["faults"], {"weibull": [{"placement": "rack"}]}),
    ("faults of a kind without moment", ["faults"], {"jaguar": {}}),
    ("trace without file", ["faults"], {"trace": {"system": 3}}),
    ("unknown stop", ["stop"], {"when": "anounced"}),
    ("no time", ["stop"], {"time_s": 0}),
    ("no stack", ["stacks"], {}),
    ("stack without a name", ["stacks"], {"": {"seed": 1}}),
    ("stack with a line break in its name", ["stacks"], {"a\nb": {"seed": 1}}),
    ("stack without keys", ["stacks"], {"a": {}}),
    ("unknown key in a stack", ["stacks"], {"a": {"transaction": {"name": "fampi"}}}),
    ("unknown detector in a stack", ["stacks"], {"a": {"failure_detection": {"name": "swimm"}}}),
    ("list in a stack", ["stacks"], {"a": {"message_logging": [{"name": "causal"}]}}),
    ("stack within a stack", ["stacks"], {"a": {"stacks": {"b": {"seed": 1}}}}),
    ("stack without keys in a sweep", ["sweep"], {"stacks": {"a": {}}}),
]

GOOD = [
    ("integers as floats", ["platform", "processes"], 16.0),
    ("none", ["termination"], {"name": "none"}),
    ("a list", ["termination"], [{"name": "cda"}, {"name": "four-counter"}]),
    ("null option", ["workload", "walk_length"], None),
    ("faults", ["faults"], {"at": []}),
    ("no source of faults", ["faults"], {"poisson": [], "trace": []}),
    ("stop", ["stop"], {"when": "time", "time_s": 5}),
    ("stacks", ["stacks"], {"a + b": {"termination": {"name": "edod"}, "platform.processes": 8},
                            "c": {"seed": 3}}),
    ("one stack", ["stacks"], {"a": {"faults.at[0]": {"time_s": 99, "nodes": [0]},
                                     "allow_unsafe": True}}),
    ("stacks in a sweep", ["sweep"], {"stacks": {"a": {"seed": 1}, "b": {"seed": 2}}}),
    ("zipped stacks", ["sweep"], {"zip": [{"stacks": {"a": {"seed": 1}, "b": {"seed": 2}},
                                           "platform.processes": [4, 8]}]}),
]


def changed(document, path, value):
    result = copy.deepcopy(document)
    place = result
    for key in path[:-1]:
        place = place.setdefault(key, {})
    if value is GONE:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return result


def program_accepts(document, folder):
    path = pathlib.Path(folder) / "scenario.json"
    path.write_text(json.dumps(document))
    run = subprocess.run([PROGRAM, "validate", str(path)], capture_output=True, check=False)
    if run.returncode not in (0, 2):
        raise SystemExit(f"validate ended with {run.returncode}: {run.stderr.decode()}")
    return run.returncode == 0


def main():
    if not PROGRAM:
        raise SystemExit("FAULTLINE_PROGRAM is not set: where is the program to be tested?")
    schema = json.loads(subprocess.run([PROGRAM, "schema"], capture_output=True, check=True).stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    scenario = jsonschema.Draft202012Validator(schema)
    machine = jsonschema.Draft202012Validator({"$ref": "#/$defs/machine", "$defs": schema["$defs"]})
    failures = []

    def expect(condition, what):
        if not condition:
            failures.append(what)

    shipped = [
        path
        for path in sorted((SOURCE / "scenarios").rglob("*.json"))
        if path.parent.name not in ("advice", "machines", "faults")
    ]
    # Only the data files of `reproduce` have groups of cells; they are no scenarios.
    items = [path for path in shipped if "groups" in json.loads(path.read_text())]
    scenarios = [path for path in shipped if path not in items]
    machines = sorted((SOURCE / "scenarios" / "machines").glob("*.json"))
    expect(len(scenarios) >= 5, f"only {len(scenarios)} shipped scenarios found")
    expect(len(machines) >= 6, f"only {len(machines)} shipped machines found")
    for path in scenarios:
        errors = [error.message for error in scenario.iter_errors(json.loads(path.read_text()))]
        expect(not errors, f"{path}: refused by the schema: {errors}")
        run = subprocess.run([PROGRAM, "validate", str(path)], capture_output=True, check=False)
        expect(run.returncode == 0, f"{path}: refused: {run.stderr.decode()}")
    expect(len(items) >= 4, f"only {len(items)} shipped data files of reproduce found")
    for path in items:
        expect(not scenario.is_valid(json.loads(path.read_text())), f"{path}: taken for a scenario")
        run = subprocess.run([PROGRAM, "validate", str(path)], capture_output=True, check=False)
        expect(run.returncode == 0, f"{path}: refused: {run.stderr.decode()}")
    for path in machines:
        document = json.loads(path.read_text())
        errors = [error.message for error in machine.iter_errors(document)]
        expect(not errors, f"{path}: refused by the schema: {errors}")
        for key in ("hop_latency_s", "topology", "nodes"):
            expect(not machine.is_valid(changed(document, [key], GONE)), f"{path} without {key}")
        expect(not machine.is_valid(changed(document, ["gap_s", "unit"], "us")), f"{path} in us")
        expect(not machine.is_valid(changed(document, ["gap_s", "source"], GONE)), "no source")
    with tempfile.TemporaryDirectory() as folder:
        expect(scenario.is_valid(BASE) and program_accepts(BASE, folder), "the base is refused")
        for what, path, value in BROKEN:
            document = changed(BASE, path, value)
            expect(not scenario.is_valid(document), f"{what}: accepted by the schema")
            expect(not program_accepts(document, folder), f"{what}: accepted by validate")
        for what, path, value in GOOD:
            document = changed(BASE, path, value)
            expect(scenario.is_valid(document), f"{what}: refused by the schema")
            expect(program_accepts(document, folder), f"{what}: refused by validate")
    for failure in failures:
        print("FAILED:", failure)
    print(f"{len(scenarios)} scenarios, {len(machines)} machines, {len(BROKEN)} broken documents")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
