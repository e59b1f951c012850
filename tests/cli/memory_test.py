# SPDX-License-Identifier: Apache-2.0
"""Memory of `run` is that of its statistics, however many replications there are. What a scenario
asks for ends at a limit."""

import json
import os
import subprocess
import time
import unittest

from program import PROGRAM, SANITIZED, ProgramTest, SMALL, changed

FEW, MANY = 1500, 30000

# What a replication may add. Its record has about a thousand bytes. The peaks of two equal runs may
# differ by some megabytes: lines wait for a slow worker, and the system counts pages in batches. So
# MANY is large enough for such a difference to stay far below the bound.
BOUND_B = 200

TINY = changed(changed(SMALL, ["termination"], {"name": "cda"}), ["platform"],
               {"machine": "intrepid", "processes": 2, "processes_per_node": 1})
TINY = changed(TINY, ["workload"], {"name": "token-ring", "walk_length": 2})


@unittest.skipIf(SANITIZED, "the address sanitizer keeps what is freed")
class Memory(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("s.json", TINY)

    def peak_B(self, replications, *arguments):
        """The largest resident set of the program; that of a worker is smaller."""
        with subprocess.Popen([PROGRAM, "run", "s.json", "--replications", str(replications),
                               *arguments], cwd=self.folder, stdout=subprocess.DEVNULL) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        return usage.ru_maxrss * 1024

    def test_it_does_not_grow_with_the_replications(self):
        for arguments in (["--format", "table"], ["--format", "json"],
                          ["--format", "csv", "--out", "out.csv"]):
            with self.subTest(arguments):
                growth_B = self.peak_B(MANY, *arguments) - self.peak_B(FEW, *arguments)
                self.assertLess(growth_B / (MANY - FEW), BOUND_B)


# Tokens are messages of 128 bytes: they would take 550 GB.
GREEDY = changed(changed(SMALL, ["platform"], {"machine": "mira", "processes": 2}),
                 ["workload"], {"name": "uniform-traffic", "tokens": 4294967295, "hops": 1})
LIMIT_B = 300000000


@unittest.skipIf(SANITIZED, "the address sanitizer takes more memory than the program")
class Limit(ProgramTest):
    def setUp(self):
        super().setUp()
        greedy = changed(changed(GREEDY, ["stop"], {"memory_bytes": LIMIT_B}), ["termination"],
                         {"name": "cda"})
        self.write("greedy.json", changed(greedy, ["replications"], 2))
        self.write("both.json", changed(changed(greedy, ["replications"], 1), ["workload"],
                                        [GREEDY["workload"], {**GREEDY["workload"], "tokens": 1}]))
        self.write("study.json", changed(changed(greedy, ["replications"], 1), ["sweep"],
                                         {"workload.tokens": [1, 4294967295]}))

    why = f"out of memory: needs more than stop.memory_bytes, {LIMIT_B}"

    def test_a_run_beyond_it_fails_with_the_outcome_memory(self):
        begin = time.monotonic()
        result = self.faultline("run", "greedy.json", "--format", "json")
        self.assertLess(time.monotonic() - begin, 60)
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stderr.splitlines(),
                         [f"faultline: point 0, replication {i}: {self.why}" for i in (0, 1)])
        report = json.loads(result.stdout)
        self.assertIs(report["complete"], False)
        self.assertEqual(report["runs"], [])
        share = report["summary"][0]["metrics"]["completed"]
        self.assertEqual((share["count"], share["mean"]), (2, 0))
        self.assertEqual(report["failed_runs"], [
            {"point": 0, "replication": i, "outcome": "memory", "error": self.why}
            for i in (0, 1)])

    def test_the_others_go_on(self):
        for jobs in ("1", "2"):
            result = self.faultline("run", "both.json", "--format", "json", "--jobs", jobs)
            self.assertEqual(result.returncode, 1, result.stderr)
            report = json.loads(result.stdout)
            self.assertEqual([run["point"] for run in report["runs"]], [1])
            self.assertEqual([run["point"] for run in report["failed_runs"]], [0])

    def test_a_sweep_keeps_no_record_of_it(self):
        result = self.faultline("sweep", "study.json", "--store", "r.sqlite")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn(self.why, result.stderr)
        rows = json.loads(self.answer("query", "r.sqlite", "--format", "json"))
        self.assertEqual({row["workload.tokens"] for row in rows
                          if row["count"] and row["metric"] != "completed"}, {1})
        self.assertEqual({row["workload.tokens"]: (row["count"], row["mean"]) for row in rows
                          if row["metric"] == "completed"}, {1: (1, 1), 4294967295: (1, 0)})

    def test_it_is_no_part_of_the_hash(self):
        hashes = set()
        for limit in (10**9, 2 * 10**9, None):
            self.write("s.json", TINY if limit is None
                       else changed(TINY, ["stop"], {"memory_bytes": limit}))
            report = json.loads(self.answer("run", "s.json", "--format", "json",
                                            "--replications", "1"))
            hashes.add(report["scenario"]["hash"])
        self.assertEqual(len(hashes), 1)


if __name__ == "__main__":
    unittest.main()
