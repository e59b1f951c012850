"""The space-time diagram in a real browser: it draws, it can be gone through by keyboard, its boxes
hide what they name, and it asks nobody for anything."""

import unittest

from browser import BrowserTest, CONTRAST, colors, need_chromium
from program import EXAMPLES, ProgramTest

ADOPTED = EXAMPLES / "adopted-children-intrepid.json"


class Page(BrowserTest, ProgramTest):
    def setUp(self):
        super().setUp()
        self.page = self.folder / "run.html"
        self.answer("trace", ADOPTED, "--out", self.page)

    def reading(self):
        return self.browser.run("document.getElementById('reading').textContent")

    def rows(self):
        return self.browser.run("document.querySelectorAll('#body tr').length")

    def click(self, selector):
        self.browser.run(f"document.querySelector({selector!r}).click()")

    def test_every_width_and_color_scheme(self):
        seen = {}
        for width in (1280, 390):
            for dark in (False, True):
                self.browser.open(self.page, width=width, dark=dark)
                self.assert_alone(self.page)
                self.assertLessEqual(
                    self.browser.run("document.documentElement.scrollWidth"), width)
                for part in ("#stage", "#groups", "#events"):
                    seen[width, dark, part] = colors(self.browser.screenshot(part, 0.3))
                    self.assertGreater(len(seen[width, dark, part]), 20, (width, dark, part))
        self.assertTrue(seen[1280, False, "#stage"] - seen[1280, True, "#stage"])

    def test_the_table_has_every_event(self):
        self.browser.open(self.page)
        # 24 messages begin and end; 6 processes compute; 1 dies, 6 hear of it; 6 announce.
        self.assertEqual(self.rows(), min(100, 2 * 24 + 7 + 1 + 6 + 6 + 1))
        text = self.browser.run("document.getElementById('body').textContent")
        for words in ("sends flood to process 1", "dies", "hears that process 1 is dead",
                      "handles control reply-to-grandparent from process 4", "the work is over"):
            self.assertIn(words, text)

    def test_events_by_keyboard(self):
        self.browser.open(self.page)
        self.browser.run("document.getElementById('stage').focus()")
        self.browser.press("n")
        self.assertRegex(self.reading(), r"^Event 1 of \d+, 0 µs: process 0 sends flood")
        self.browser.press("n")
        self.assertRegex(self.reading(), r"^Event 2 of ")
        self.browser.press("p")
        self.assertRegex(self.reading(), r"^Event 1 of ")
        self.browser.press("End")
        self.assertIn("hears that phase 0 is over", self.reading())
        before = colors(self.browser.screenshot("#stage", 0.3))
        for key in ("+", "+", "ArrowRight", "-", "0", "Escape"):
            self.browser.press(key)
        self.assertEqual(self.reading(), "")
        self.assertNotEqual(before, colors(self.browser.screenshot("#stage", 0.3)))
        self.assert_alone(self.page)

    def test_boxes_hide_what_they_name(self):
        self.browser.open(self.page)
        every = self.rows()
        labels = self.browser.run(
            "[...document.querySelectorAll('#groups label')].map((label) => label.textContent)")
        self.assertIn("application messages (6)", labels)
        self.assertIn("control messages (18)", labels)
        before = self.browser.screenshot("#stage", 0.3)
        self.click("#groups label:nth-of-type(2) input")
        self.assertEqual(self.rows(), every - 2 * 18)
        self.assertNotEqual(before, self.browser.screenshot("#stage", 0.3))
        self.click("#groups label:nth-of-type(2) input")
        self.assertEqual(self.rows(), every)
        self.assertEqual(before, self.browser.screenshot("#stage", 0.3))
        self.click("#kinds label:nth-of-type(1) input")
        self.assertEqual(self.rows(), every - 2 * 6)

    def test_even_distances(self):
        self.browser.open(self.page)
        before = self.browser.screenshot("#stage", 0.3)
        self.click("#even")
        self.assertNotEqual(before, self.browser.screenshot("#stage", 0.3))
        self.assert_alone(self.page)

    def test_contrast(self):
        """Of all text at least 4.5 to what is behind it (WCAG AA)."""
        for dark in (False, True):
            self.browser.open(self.page, dark=dark)
            self.assertGreaterEqual(self.browser.run(CONTRAST), 4.5, f"dark: {dark}")

    def test_paper_is_white(self):
        self.browser.open(self.page, dark=True)
        dark = colors(self.browser.screenshot("#stage", 0.3))
        self.browser.ask("Emulation.setEmulatedMedia", media="print", features=[
            {"name": "prefers-color-scheme", "value": "dark"}])
        printed = colors(self.browser.screenshot("#stage", 0.3))
        self.browser.ask("Emulation.setEmulatedMedia", media="")
        night = bytes.fromhex("12161c")  # --back of the dark page
        self.assertIn(night, dark)
        self.assertNotIn(night, printed)
        self.assertIn(b"\xff\xff\xff", printed)

    def test_a_row_shows_its_event(self):
        self.browser.open(self.page)
        self.click("#body tr:nth-child(30) button")
        self.assertRegex(self.reading(), r"^Event 30 of ")
        self.assertEqual(self.browser.run(
            "document.querySelectorAll('#body tr[aria-current]').length"), 1)


if __name__ == "__main__":
    need_chromium("trace")
    unittest.main()
