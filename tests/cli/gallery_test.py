# SPDX-License-Identifier: Apache-2.0
"""The pictures of docs/gallery.md are those that `faultline reproduce` draws."""

import os
import pathlib
import re
import unittest

from program import ProgramTest

DOCS = pathlib.Path(os.environ["FAULTLINE_SOURCE_DIR"]) / "docs"


class Gallery(ProgramTest):
    def test_the_pictures_of_the_page_are_those_that_are_drawn(self):
        for paper in ("adoption-2013", "termination-2022"):
            self.answer("reproduce", paper + "/as-printed", "--quick", "--quiet", "--figures",
                        "drawn")
        drawn = {path.name: path.read_text() for path in (self.folder / "drawn").iterdir()}
        shown = re.findall(r"\]\(gallery/([\w-]+\.svg)\)", (DOCS / "gallery.md").read_text())
        self.assertEqual(sorted(shown), sorted(path.name for path in (DOCS / "gallery").iterdir()))
        self.assertEqual(len(shown), len(set(shown)))
        for name in shown:
            self.assertEqual((DOCS / "gallery" / name).read_text(), drawn.get(name), name)


if __name__ == "__main__":
    unittest.main()
