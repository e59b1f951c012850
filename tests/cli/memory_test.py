"""Memory of `run` is that of its statistics, however many replications there are."""

import os
import subprocess
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


if __name__ == "__main__":
    unittest.main()
