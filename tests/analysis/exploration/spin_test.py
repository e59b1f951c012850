# SPDX-License-Identifier: Apache-2.0
"""SPIN counts the states of the models in promela/ that states.json states, all of them: no partial
order reduction, no compression, no hashing of states to bits."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import tools

FOLDER = pathlib.Path(os.environ["FAULTLINE_SOURCE_DIR"]) / "tests/analysis/exploration/promela"


def counted(model, processes, height):
    """How many states and transitions SPIN finds."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["spin", f"-DN={processes}", f"-DH={height}", "-a", "-o3",
                        str(FOLDER / f"{model}.pml")], cwd=folder, check=True, capture_output=True)
        subprocess.run(["cc", "-O1", "-w", "-DSAFETY", "-DNOREDUCE", "-DVECTORSZ=4096",
                        "-o", "pan", "pan.c"], cwd=folder, check=True)
        output = subprocess.run(["./pan", "-m1000000"], cwd=folder, check=True,
                                capture_output=True, text=True).stdout
    if "errors: 0" not in output or "hash conflicts" not in output or "bit-state" in output:
        raise AssertionError(output)
    return {what: int(re.search(rf"(\d+) {what}", output).group(1))
            for what in ("states", "transitions")}


class Spin(unittest.TestCase):
    def test_the_numbers_of_states_are_those_that_spin_finds(self):
        for detector, jobs in json.loads((FOLDER / "states.json").read_text()).items():
            for job in jobs:
                with self.subTest(detector=detector, **job):
                    found = counted(detector.replace("-", "_"), job["processes"], job["height"])
                    self.assertEqual(found, {what: job[what] for what in found})


if __name__ == "__main__":
    tools.need("that SPIN counts as many states", commands={"spin": "spin", "cc": "gcc"})
    unittest.main()
