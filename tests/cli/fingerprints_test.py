# SPDX-License-Identifier: Apache-2.0
"""Every shipped example, sweep and study gives the results in fingerprints.txt."""

import json
import unittest

from fingerprints import Case, FingerprintTest, SEPARATOR, fingerprint, options
from program import EXAMPLES, SOURCE

# Two, so that what one replication leaves to the next would show; simgrid has a process for each.
REPLICATIONS = {"loggp": 2, "simgrid": 1}

# {(name, engine): what to set} where a scenario takes more than about a second as it is.
CUTS = {
    ("examples/allreduce-stampede", "simgrid"): {"platform.processes": 256},
    ("examples/branching-walk-jaguar", "simgrid"): {"platform.processes": 60},
    ("examples/lulesh-objects-intrepid", "simgrid"): {"platform.processes": 16},
    ("examples/projection-mira", "simgrid"): {"platform.processes": 256},
    ("examples/stencil-cori", "simgrid"): {"platform.processes": 256},
    ("examples/token-ring-intrepid", "simgrid"): {"platform.processes": 32},
    ("examples/uniform-traffic-unordered", "simgrid"): {"platform.processes": 240},
}


def first(number, axis):
    """The axis of a sweep, cut to its first values."""
    if isinstance(axis, list):
        return axis[:number]
    if "from" not in axis:  # stacks
        return dict(list(axis.items())[:number])
    last = axis["from"]
    for _ in range(1, number):
        last = last * axis["times"] if "times" in axis else last + axis["step"]
    return {**axis, "to": min(axis["to"], last)}


def cut_sweep(sweep, number):
    """The sweep with the first values of each axis."""
    axes = {key: value if key in ("derive", "where", "precision") else first(number, value)
            for key, value in sweep.items() if key != "zip"}
    if "zip" in sweep:
        axes["zip"] = [{path: first(number, axis) for path, axis in together.items()}
                       for together in sweep["zip"]]
    return axes


class Hash(unittest.TestCase):
    METRICS = {"outcome": "terminated", "waves": None, "waits": 3, "end_time_s": 0.12345678901}
    VIOLATION = {"kind": "hung", "time_s": 0.5, "actor": 3, "detail": "nothing was announced"}

    def fingerprint(self, events=9, replication=0, metrics=(), violation=()):
        return fingerprint([(0, replication, {**self.METRICS, **dict(metrics)},
                             [{**self.VIOLATION, **dict(violation)}], events)])

    def test_sees_every_change_of_a_result(self):
        for change in ({"replication": 1}, {"metrics": {"outcome": "hung"}},
                       {"metrics": {"waves": 0}}, {"metrics": {"waits": 4}},
                       {"metrics": {"waits": None}}, {"metrics": {"end_time_s": 0.123456788}},
                       {"violation": {"kind": "late"}}, {"violation": {"actor": None}},
                       {"violation": {"time_s": 0.500000001}}):
            hashes = [found.split(SEPARATOR)[1]
                      for found in (self.fingerprint(), self.fingerprint(**change))]
            self.assertNotEqual(*hashes, change)

    def test_sees_nothing_else(self):
        for change in ({"metrics": {"end_time_s": 0.12345678902}}, {"metrics": {"new": None}},
                       {"violation": {"detail": "other words"}}):
            self.assertEqual(self.fingerprint(), self.fingerprint(**change))
        events, hashed = self.fingerprint(events=10).split(SEPARATOR)
        self.assertEqual(events, "10")
        self.assertEqual(hashed, self.fingerprint().split(SEPARATOR)[1])


class Fingerprints(FingerprintTest):
    def test_examples(self):
        cases = {}
        for path in sorted(EXAMPLES.glob("*.json")):
            for engine, replications in REPLICATIONS.items():
                key = f"examples/{path.stem}", engine
                cases[key] = Case(path.relative_to(SOURCE).as_posix(),
                                  options(replications, CUTS.get(key, {})))
        self.assertGreater(len(cases), 20)
        self.check("examples".__eq__, cases, {})

    def check_sweeps(self, folder, values, replications):
        """With so many values of each axis, but all stacks where they stand beside `sweep`."""
        cases = {}
        for path in sorted((SOURCE / "scenarios" / folder).glob("*.json")):
            scenario = json.loads(path.read_text())
            engine = scenario.get("engine", "loggp")
            cut = {"sweep": cut_sweep(scenario["sweep"], values)} if "sweep" in scenario else {}
            cases[f"{folder}/{path.stem}", engine] = Case(
                path.relative_to(SOURCE).as_posix(), options(replications[engine], cut))
        self.assertGreater(len(cases), 1)
        self.check(folder.__eq__, cases, {})

    def test_sweeps(self):
        self.check_sweeps("sweeps", 2, REPLICATIONS)

    # Each has all recoveries, so that one value of all else suffices.
    def test_studies(self):
        self.check_sweeps("studies", 1, {"loggp": 1})


if __name__ == "__main__":
    unittest.main()
