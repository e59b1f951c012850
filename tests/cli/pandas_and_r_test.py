# SPDX-License-Identifier: Apache-2.0
"""docs/pandas-and-r.md: its commands work, and its short programs find what query prints."""

import csv
import json
import re
import sqlite3
import subprocess
import sys
import unittest

import tools
from program import ProgramTest, SOURCE

PAGE = (SOURCE / "docs/pandas-and-r.md").read_text()


def block(kind):
    found, = re.findall(rf"^```{kind}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return found


class ThePage(ProgramTest):
    def setUp(self):
        super().setUp()
        (self.folder / "scenarios").symlink_to(SOURCE / "scenarios")
        for line in block("sh").splitlines():
            verb, *words = line.split()[1:]
            self.answer(verb, *words)

    def check(self, found):
        """The means that a program of the page has found are those of the points."""
        points = {}
        for row in json.loads(self.answer("query", "results.sqlite", "--format", "json",
                                          "--metric", "control_messages")):
            points[row["termination"], row["platform.processes"],
                   row["workload.stop_probability"]] = row["mean"]
        self.assertEqual(len(points), 16)
        with (self.folder / found).open() as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), len(points))
        for row in rows:
            mean = points[row["termination"], int(row["platform.processes"]),
                          float(row["workload.stop_probability"])]
            self.assertAlmostEqual(float(row["mean"]), mean, delta=1e-12 * mean)

    def test_programs_have_ten_lines(self):
        for kind in ("python", "r"):
            self.assertLessEqual(len(block(kind).splitlines()), 10, kind)

    @tools.tested_with("the page of pandas", modules={"pandas": "python3-pandas"})
    def test_pandas(self):
        program = block("python") + "messages.to_csv('found.csv')\n"
        result = subprocess.run([sys.executable, "-c", program], cwd=self.folder, check=True,
                                capture_output=True, text=True)
        self.check("found.csv")
        self.assertRegex(result.stdout, r"(?m)^platform.processes +workload.stop_probability")
        told = {line.split()[0]: line.split()[2] for line in result.stdout.splitlines()
                if len(line.split()) == 3 and line.split()[2] in ("s", "B", "B/s")}
        self.assertEqual({name: told.get(name) for name in
                          ("end_time_s", "detection_latency_s", "wall_s", "peak_rss_bytes")},
                         {"end_time_s": "s", "detection_latency_s": "s", "wall_s": "s",
                          "peak_rss_bytes": "B"})
        self.assertNotIn("control_messages", told)

    @tools.tested_with("the page of R", commands={"Rscript": "r-base-core"})
    def test_r(self):
        program = block("r") + 'write.csv(messages, "found.csv", row.names = FALSE)\n'
        subprocess.run(["Rscript", "-e", program], cwd=self.folder, check=True,
                       capture_output=True)
        self.check("found.csv")
        self.assertGreater((self.folder / "Rplots.pdf").stat().st_size, 1000)

    def test_every_store_has_units(self):
        with sqlite3.connect(self.folder / "results.sqlite") as store:
            units = dict(store.execute("SELECT metric, unit FROM units"))
        self.assertEqual((units["end_time_s"], units["peak_rss_bytes"]), ("s", "B"))
        self.assertNotIn("control_messages", units)


if __name__ == "__main__":
    unittest.main()
