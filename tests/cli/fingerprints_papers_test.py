# SPDX-License-Identifier: Apache-2.0
"""The scenarios of what `reproduce` measures give the results in fingerprints.txt."""

import json
import unittest

from fingerprints import Case, FingerprintTest, options
from program import SOURCE

# All other folders of scenarios/ hold the items of a paper.
NO_PAPERS = ("advice", "examples", "faults", "machines", "studies", "sweeps")

# What the item measures at 256 processes.
TOKEN_RING = {"platform.processes": 256, "workload.walk_length": 2560}

# One of the thirty days.
A_DAY = {"workload.iterations": 24}

# {name: what to set} where a scenario takes more than about a second as it is.
CUTS = {
    "adoption-2013/recovery-cost: by size": {"platform.processes": 256},
    "fampi-2015/figure-2a: faults": {"workload.iterations": 1},
    "fampi-2015/figure-2a: faults, few iterations": {"workload.iterations": 1},
    "fampi-2015/figure-2a: free": {"workload.iterations": 1},
    "fampi-2015/figure-2a: free, few iterations": {"workload.iterations": 1},
    "fampi-2015/figure-2b: faults": {"workload.iterations": 1},
    "fampi-2015/figure-2b: faults, few iterations": {"workload.iterations": 1},
    "fampi-2015/figure-2b: free": {"workload.iterations": 1},
    "fampi-2015/figure-2b: free, few iterations": {"workload.iterations": 1},
    "fampi-2015/timeouts: death": {"workload.iterations": 40},
    "fampi-2015/timeouts: death, invited": {"workload.iterations": 40},
    "fampi-2015/timeouts: stalls": {"workload.iterations": 40},
    "fast-message-logging/figure-1a: lulesh": {"platform.processes": 32},
    "fast-message-logging/figure-5: lulesh": {"platform.processes": 64},
    "fast-message-logging/figure-6: jacobi3d": {"platform.processes": 64},
    "fast-message-logging/figure-6: lulesh": {"platform.processes": 32},
    "fast-message-logging/figure-6: lulesh, 32 objects": {"platform.processes": 32},
    "fast-message-logging/figure-6: wave2d": {"platform.processes": 64},
    "fast-message-logging/figure-8: overhead": {"platform.processes": 32},
    "fast-message-logging/figure-8: parallel, 128": {
        "platform.processes": 40,
        "workload.objects_per_process": 32,
    },
    "fast-message-logging/figure-8: parallel, 512": {"platform.processes": 40},
    "fast-message-logging/figure-8: parallel, 2048": {"platform.processes": 40},
    "fast-message-logging/figure-8: two periods": {
        "platform.processes": 40,
        "workload.objects_per_process": 8,
    },
    "fast-message-logging/figure-7: jacobi3d": {"platform.processes": 16},
    "fast-message-logging/figure-7: lulesh": {"platform.processes": 16},
    "fast-message-logging/figure-7: wave2d": {"platform.processes": 16},
    "fast-message-logging/table-1: jacobi3d": {"platform.processes": 256},
    "fast-message-logging/table-1: lulesh": {"platform.processes": 32},
    "fast-message-logging/table-1: lulesh without logging": {"platform.processes": 32},
    "fast-message-logging/table-1: wave2d": {"platform.processes": 256},
    "fast-message-logging/total-time: jacobi3d": {"platform.processes": 64},
    "rdaemon-2019/figure-7: collective": {"workload.repetitions": 20},
    "rdaemon-2019/figure-7: computing collective": {"workload.repetitions": 20},
    "rdaemon-2019/figure-7: computing ping-pong": {"workload.repetitions": 2000},
    "rdaemon-2019/figure-7: ping-pong": {"workload.repetitions": 2000},
    "robustness/month: LANL, fampi": A_DAY,
    "robustness/month: LANL, fast": A_DAY,
    "robustness/month: LANL, fast, heartbeats": A_DAY,
    "robustness/month: LANL, relaunch": A_DAY,
    "robustness/month: Mira, fampi": A_DAY,
    "robustness/month: Mira, fast": A_DAY,
    "robustness/month: Mira, fast, heartbeats": A_DAY,
    "robustness/month: Mira, relaunch": A_DAY,
    "termination-2022/figure-6: pipeline": TOKEN_RING,
    "termination-2022/figure-6: random ranks: leaf tasks": TOKEN_RING,
    "termination-2022/figure-6: random ranks: walking tokens": TOKEN_RING,
}


class Fingerprints(FingerprintTest):
    def test_papers(self):
        cases, left_out = {}, {}
        for path in sorted((SOURCE / "scenarios").glob("*/*.json")):
            folder = path.parent.name
            if folder in NO_PAPERS:
                continue
            item = json.loads(path.read_text())
            scenarios = item.get("scenarios", {})
            if not scenarios:
                kinds = sorted({measure["kind"] for measure in item["measures"].values()})
                left_out[f"{folder}/{path.stem}", "loggp"] = \
                    f"measured without a scenario, by {', '.join(kinds)}"
            for title, scenario in scenarios.items():
                name = f"{folder}/{path.stem}: {title}"
                cases[name, scenario.get("engine", "loggp")] = Case(
                    path.relative_to(SOURCE).as_posix(), options(1, CUTS.get(name, {})), title)
        self.assertGreater(len(cases), 20)
        self.check(lambda folder: folder not in NO_PAPERS, cases, left_out)


if __name__ == "__main__":
    unittest.main()
