# SPDX-License-Identifier: Apache-2.0
"""The search from outside: nothing is found in the scenarios that are drawn here, and what is found
can be kept and replayed."""

import json
import re
import unittest

from program import ProgramTest

# About 30 seconds of processor time.
SCENARIOS = 1500


class Search(ProgramTest):
    def searched(self, *arguments, code=0):
        return json.loads(self.answer("search", *arguments, "--format", "json", "--quiet",
                                      code=code))

    def test_nothing_is_found(self):
        told = self.searched("--scenarios", SCENARIOS, "--jobs", 2)
        self.assertEqual(told["found"], [])
        self.assertEqual(told["scenarios"], SCENARIOS)
        # What is rare has been refused each time; the declarations are drawn completely.
        self.assertLessEqual(len(told["never_drawn"]), 3, told["never_drawn"])
        self.assertGreater(told["runs"], 0.8 * SCENARIOS)
        # Faults strike, and many amid what another one has begun.
        self.assertGreater(told["struck"], 0.9 * told["may_die"])
        self.assertGreater(told["struck_amid"], 0.3 * told["may_die"])
        self.assertGreater(told["explored"], 0)
        self.assertLess(told["outcomes"].get("limit", 0), told["runs"] / 5)
        self.assertEqual(told["runs"] + sum(told["refused"].values()), SCENARIOS)

    def test_what_is_found_is_kept_and_replayed(self):
        # Which numbers draw a mistake changes with the declarations. One of these does.
        said = self.answer("search", "--seed", 79, "--scenarios", 1000, "--jobs", 2,
                           "--as-printed", "--shrink", 1, "--keep", "kept", "--quiet", code=3)
        self.assertLessEqual(max(map(len, said.splitlines())), 80)
        number = re.search(r"hung: \d+ scenarios?, numbers? (\d+)", said).group(1)
        kept = self.folder / "kept" / f"search-{number}.json"
        small = json.loads(kept.read_text())
        self.assertIn("cornet", small["termination"]["as_printed"])
        drawn = json.loads(self.answer("search", "--draw", number))
        self.assertLess(len(json.dumps(small)), len(json.dumps(drawn)))
        self.assertIn("hung", self.answer("run", kept, code=3))

    def test_a_file_is_judged_as_the_search_judges_it(self):
        fine = self.folder / "fine.json"
        fine.write_text(self.answer("search", "--draw", 7))
        self.assertIn("Nothing was found.", self.answer("search", "--judge", fine))
        printed = json.dumps({
            "schema_version": 1, "seed": 743,
            "platform": {"machine": "nacl", "processes": 60, "local_exit_delay_s": 0.00133,
                         "link_lost_delay_s": 0.0431, "daemon_core": "shared",
                         "start_delay_s": 1.71e-06},
            "workload": {"name": "ordered-stencil", "iterations": 7, "object_mapping": "linear"},
            "termination": {"name": "dijkstra-scholten", "control_bytes": 0,
                            "as_printed": ["cornet"]}})
        wrong = self.folder / "wrong.json"
        wrong.write_text(printed)
        self.assertIn("hung", self.answer("search", "--judge", wrong, "--as-printed", code=3))
        self.answer("search", "--judge", wrong)
        refused = self.faultline("search", "--judge", str(self.folder / "none.json"))
        self.assertEqual(refused.returncode, 2)

    def test_it_ends_when_the_time_is_over(self):
        self.assertGreater(self.searched("--seconds", 2, "--seed", 5)["scenarios"], 0)

    def test_options_that_are_wrong(self):
        for arguments, said in ((["--scenarios", 0], "search: --scenarios: "),
                                (["--seconds", "soon"], "search: --seconds: expected a number"),
                                (["--jobs", 0], "search: --jobs: "),
                                (["--seed", -1], "search: --seed: ")):
            result = self.faultline("search", *map(str, arguments))
            self.assertEqual(result.returncode, 2)
            self.assertIn(said, result.stderr)


if __name__ == "__main__":
    unittest.main()
