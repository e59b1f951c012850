"""docs/adding-a-protocol.md shows the files of the worked example as they are compiled and run."""

import os
import pathlib
import re
import unittest

SOURCE = pathlib.Path(os.environ["FAULTLINE_SOURCE_DIR"])
BLOCK = re.compile(r"^`([\w/.]+)`:\n\n```cpp\n(.*?)```$", re.MULTILINE | re.DOTALL)


class AddingAProtocol(unittest.TestCase):
    def test_every_file_is_shown_whole(self):
        page = (SOURCE / "docs/adding-a-protocol.md").read_text()
        shown = dict(BLOCK.findall(page))
        self.assertEqual(page.count("```cpp"), len(shown))
        folder = SOURCE / "tests/example"
        files = {str(path.relative_to(folder)): path.read_text()
                 for path in folder.rglob("*") if path.suffix in (".hpp", ".cpp")}
        self.assertEqual(shown, files)

    def test_the_scenario_is_the_one_that_is_run(self):
        page = (SOURCE / "docs/adding-a-protocol.md").read_text()
        scenario, = re.findall(r"`safra.json`:\n\n```json\n(.*?)```", page, re.DOTALL)
        test = (SOURCE / "tests/example/tests/protocols/termination/safra_test.cpp").read_text()
        shown = "".join(scenario.split())
        run, = re.findall(r'R"\((.*?)\)"', test, re.DOTALL)
        self.assertEqual(shown, "".join(run.split()))


if __name__ == "__main__":
    unittest.main()
