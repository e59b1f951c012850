# SPDX-License-Identifier: Apache-2.0
"""The pages of docs/adding/ show the files of the examples as they are compiled and run."""

import os
import pathlib
import re
import unittest

SOURCE = pathlib.Path(os.environ["FAULTLINE_SOURCE_DIR"])
EXAMPLE = SOURCE / "tests/example"
BLOCK = re.compile(r"^`([\w/.]+)`:\n\n```cpp\n(.*?)```$", re.MULTILINE | re.DOTALL)
MOST_LINES = 400


def pages():
    """(name, text) of the pages, one for each family."""
    return [(path.name, path.read_text()) for path in sorted((SOURCE / "docs/adding").glob("*.md"))]


class AddingAProtocol(unittest.TestCase):
    def test_every_file_is_shown_whole_and_once(self):
        shown = [block for _, page in pages() for block in BLOCK.findall(page)]
        self.assertEqual(sum(page.count("```cpp") for _, page in pages()), len(shown))
        files = [(str(path.relative_to(EXAMPLE)), path.read_text())
                 for path in EXAMPLE.rglob("*") if path.suffix in (".hpp", ".cpp")]
        self.assertEqual(sorted(shown), sorted(files))

    def test_the_scenario_is_the_one_that_is_run(self):
        page = (SOURCE / "docs/adding/termination.md").read_text()
        scenario, = re.findall(r"`safra.json`:\n\n```json\n(.*?)```", page, re.DOTALL)
        test = (EXAMPLE / "tests/protocols/termination/safra_test.cpp").read_text()
        shown = "".join(scenario.split())
        run, = re.findall(r'R"\((.*?)\)"', test, re.DOTALL)
        self.assertEqual(shown, "".join(run.split()))

    def test_every_family_has_a_short_page(self):
        overview = (SOURCE / "docs/adding-a-protocol.md").read_text()
        for name, page in pages():
            self.assertIn(f"](adding/{name})", overview)
            self.assertLessEqual(page.count("\n"), MOST_LINES, name)
        self.assertEqual({name for name, _ in pages()},
                         {"failure-detection.md", "message-logging.md", "termination.md",
                          "transactions.md", "workload.md"})


if __name__ == "__main__":
    unittest.main()
