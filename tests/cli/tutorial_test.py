# SPDX-License-Identifier: Apache-2.0
"""docs/tutorial.md and docs/advise-a-cluster.md, pages to follow: every command works, in order,
and prints what the page says."""

import json
import os
import re
import subprocess
import unittest

from program import PROGRAM, ProgramTest, SOURCE

FENCE = re.compile(r"(?:^`(?P<file>[\w.-]+)`:\n\n)?^```(?P<kind>\w+)\n(?P<text>.*?)^```$",
                   re.MULTILINE | re.DOTALL)
# The program that the tests are run with has been built so; scripts/fresh-machine builds it anew.
BUILT_ALREADY = "cmake --preset release && cmake --build --preset release"


class Tutorial(ProgramTest):
    def setUp(self):
        super().setUp()
        self.environment = dict(os.environ, HOME=str(self.folder),
                                PATH=f"{self.folder}/faultline/bin:/usr/bin:/bin")

    def run_command(self, command):
        """What a command prints, and whether it succeeds."""
        if command.startswith("cmake --install build/release "):
            build = os.environ["FAULTLINE_BUILD_DIR"]
            command = command.replace("build/release", f"'{build}'") + " >/dev/null"
        result = subprocess.run(["bash", "-c", command], cwd=self.folder, env=self.environment,
                                capture_output=True, text=True, check=False)
        return result.stdout or result.stderr, result.returncode == 0

    def check_output(self, shown, printed):
        if shown.endswith("\n...\n"):
            shown = shown[:-len("...\n")]
            self.assertTrue(printed.startswith(shown), printed)
        else:
            self.assertEqual(shown, printed)

    def follow(self, page):
        """Returns the number of commands."""
        printed, worked, ran = "", True, 0
        for block in FENCE.finditer((SOURCE / page).read_text()):
            if block["kind"] == "json":
                self.write(block["file"], block["text"])
                continue
            if block["kind"] == "text":
                self.assertEqual(worked, not block["text"].startswith("faultline: "), printed)
                self.check_output(block["text"], printed)
                worked = True
                continue
            self.assertEqual(block["kind"], "sh")
            self.assertTrue(worked, printed)
            printed = ""
            for command in block["text"].splitlines():
                if command in (BUILT_ALREADY, "export PATH=~/faultline/bin:$PATH"):
                    continue
                self.assertTrue(worked, printed)
                said, worked = self.run_command(command)
                printed += said if command.split()[1] != "report" else ""
                ran += 1
        self.assertTrue(worked, printed)
        return ran

    def test_the_page(self):
        self.assertIn(BUILT_ALREADY, (SOURCE / "README.md").read_text())
        self.assertGreater(self.follow("docs/tutorial.md"), 10)

    def test_advice_for_a_cluster_up_to_its_race(self):
        (self.folder / "faultline/bin").mkdir(parents=True)
        (self.folder / "faultline/bin/faultline").symlink_to(PROGRAM)
        self.assertEqual(self.follow("docs/advise-a-cluster.md"), 3)
        question = json.loads((self.folder / "question.json").read_text())
        fitted = json.loads((self.folder / "faults.json").read_text())
        self.assertEqual(question["scenario"]["faults"], fitted["faults"])


if __name__ == "__main__":
    unittest.main()
