# SPDX-License-Identifier: Apache-2.0
"""A report in a real browser: no network, no error, no overflow, nothing blank, on screens of any
width and shade, by keyboard, and on paper."""

import base64
import re
import unittest

from browser import Browser, CONTRAST, colors, need_chromium
from report_test import ReportTest

PARTS = "header, nav, main > section > section, figcaption, figure svg"


class ReportInABrowser(ReportTest):
    def setUp(self):
        super().setUp()
        self.report("r.sqlite", "--reproduce", "termination-2022/figure-8", "--quick", "--quiet")
        self.page = self.folder / "page.html"
        self.browser = Browser()
        self.addCleanup(self.browser.close)

    def check_alone(self):
        self.assertEqual(self.browser.errors, [])
        self.assertEqual([url for url in self.browser.requests
                          if url != self.page.as_uri() and not url.startswith("data:")], [])

    def seen(self, width, dark):
        """The colors of each part of the page."""
        self.browser.open(self.page, width=width, dark=dark)
        self.assertLessEqual(self.browser.run("document.documentElement.scrollWidth"), width)
        parts = self.browser.run(
            f"[...document.querySelectorAll({PARTS!r})].map((part, i) => part.dataset.part = i)")
        self.assertGreater(len(parts), 12)
        # A phone shows the same parts, so that some are enough.
        every = 1 if width > 600 and not dark else 5
        seen = {i: colors(self.browser.screenshot(f'[data-part="{i}"]', 0.3))
                for i in parts[::every]}
        self.check_alone()
        return seen

    def test_page(self):
        """One browser for all: it takes seconds to begin."""
        for check in (self.check_every_part_on_every_screen, self.check_by_keyboard,
                      self.check_contrast, self.check_print):
            with self.subTest(check.__name__):
                check()

    def check_every_part_on_every_screen(self):
        for width in (1280, 390):
            light, dark = self.seen(width, False), self.seen(width, True)
            for i, found in [*light.items(), *dark.items()]:
                self.assertGreater(len(found), 4, f"part {i} is blank at a width of {width}")
            for i in light.keys() & dark.keys():
                self.assertNotEqual(light[i], dark[i], f"part {i} is not dark")

    def check_by_keyboard(self):
        self.browser.open(self.page)
        for kind in ("keyDown", "keyUp"):
            self.browser.ask("Input.dispatchKeyEvent", type=kind, key="Tab", code="Tab",
                             windowsVirtualKeyCode=9)
        self.assertEqual(self.browser.run("document.activeElement.className"), "skip")
        self.assertEqual(self.browser.run(
            "[...document.querySelectorAll('.scroll, .wide .drawing, pre')]"
            ".filter(box => box.tabIndex < 0).length"), 0, "a box that scrolls is out of reach")

    def check_contrast(self):
        """All text has a contrast of at least 4.5 to its background (WCAG AA)."""
        for dark in (False, True):
            self.browser.open(self.page, dark=dark)
            self.assertGreaterEqual(self.browser.run(CONTRAST), 4.5, f"dark: {dark}")

    def check_print(self):
        self.browser.open(self.page, dark=True)
        self.browser.ask("Emulation.setEmulatedMedia", media="print", features=[
            {"name": "prefers-color-scheme", "value": "dark"}])
        ground = self.browser.run("getComputedStyle(document.body).backgroundColor")
        self.assertEqual(ground, "rgb(255, 255, 255)", "paper is white")
        printed = base64.b64decode(self.browser.ask("Page.printToPDF")["data"])
        self.assertEqual(printed[:5], b"%PDF-")
        self.assertGreater(len(re.findall(rb"/Type\s*/Page\b", printed)), 2)
        self.check_alone()


if __name__ == "__main__":
    need_chromium("report")
    unittest.main()
