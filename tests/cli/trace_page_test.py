# SPDX-License-Identifier: Apache-2.0
"""The space-time diagram in a real browser: it draws, in physical and in logical time, its rows say
what they are, it can be gone through by keyboard, its boxes hide what they name, and it asks nobody
for anything."""

import collections
import unittest

from browser import BrowserTest, CONTRAST, colors, need_chromium
from program import EXAMPLES, ProgramTest

ADOPTED = EXAMPLES / "adopted-children-intrepid.json"
# A process dies, and a node with its daemon and four processes.
FAULTY = {
    "schema_version": 1,
    "name": "</script><b>a name",
    "platform": {"machine": "intrepid", "processes": 12, "processes_per_node": 4},
    "workload": {"name": "work-stealing", "preset": "n-queens", "board": 7},
    "termination": {"name": "lai-wu"},
    "failure_detection": {"name": "oracle", "delay_s": 0.00001},
    "faults": {"at": [{"time_s": 0.00004, "ranks": [5]}, {"time_s": 0.00007, "nodes": [2]}]},
}
PING_PONG = {
    "schema_version": 1,
    "name": "one ball",
    "platform": {"machine": "intrepid", "processes": 2, "processes_per_node": 1},
    "workload": {"name": "ping-pong", "repetitions": 1, "bytes": 100},
}
# Messages of microseconds between computations of a second.
LONG = {
    "schema_version": 1,
    "name": "long computations",
    "platform": {"machine": "intrepid", "processes": 7, "processes_per_node": 1},
    "workload": {"name": "flood", "graph": "tree", "fanout": 2, "compute_s": 1},
    "termination": {"name": "indep"},
}

# All words that the diagram draws.
WORDS = """(() => {
  const words = [];
  pen.fillText = (text) => words.push(text);
  paint();
  delete pen.fillText;
  return words;
})()"""

# How far messages go to the right on the screen.
WIDTHS = "run.messages.map((message) => { const e = endsOf(message); return e.x2 - e.x1; })"

# What the script of the page knows of each event, in the order of the table.
EVENTS = """allEvents.map((event) => ({
  time: event.time, actor: event.actor, what: event.what, message: event.message,
  verdict: event.actor === null || event.what.startsWith("violation: "), logical: event.logical }))
"""


def logical_times(events):
    """Lamport's clocks, and the two rules that docs/trace.md adds to them."""
    times, rows, sent, verdict = [], collections.Counter(), {}, 0
    died, faults = {}, {}
    for event in events:
        actor, message = event["actor"], event.get("message")
        if event["verdict"]:
            verdict = max(times, default=0) + 1
            times.append(verdict)
            continue
        causes = [rows[actor], verdict]
        if message in sent:
            causes.append(sent[message])
        if event["what"].startswith("hears that process "):
            causes.append(died.get(int(event["what"].split()[3]), 0))
        if event["what"] == "dies":
            if event["time"] not in faults:
                victims = [other["actor"] for other in events
                           if (other["time"], other["what"]) == (event["time"], "dies")]
                faults[event["time"]] = max(rows[victim] for victim in victims)
            causes.append(faults[event["time"]])
        rows[actor] = max(causes) + 1
        times.append(rows[actor])
        if event["what"] == "dies":
            died[actor] = rows[actor]
        if message is not None:
            sent.setdefault(message, rows[actor])
    return times


class Page(BrowserTest, ProgramTest):
    def setUp(self):
        super().setUp()
        self.page = self.folder / "run.html"
        self.answer("trace", ADOPTED, "--out", self.page)

    def show(self, scenario, **options):
        """Opens the page of the run of a scenario, a file or an object."""
        if isinstance(scenario, dict):
            self.write("s.json", scenario)
            scenario = "s.json"
        self.answer("trace", scenario, "--out", self.page)
        self.browser.open(self.page, **options)

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

    def test_every_row_says_what_it_is(self):
        for width, process, daemon in ((1280, ["process 5, node 1"], ["daemon of node 2"]),
                                       (390, ["process 5", "node 1"], ["daemon", "of node 2"])):
            self.show(FAULTY, width=width)
            words = self.browser.run(WORDS)
            for line in process + daemon:
                self.assertIn(line, words)
            self.assertEqual(sum(word.startswith("process ") for word in words), 12)
            meaning = self.browser.run("document.getElementById('rows-mean').textContent")
            self.assertIn("is rank 0 of the job, which starts on node 0", meaning)
            self.assertIn("“daemon of node 2” is a program that runs on the node", meaning)
            self.assertIn("no protocol of this run works there", meaning)
        self.assertEqual(self.browser.run(
            "[...document.querySelectorAll('#who option')].map((option) => option.textContent)")[5],
            "process 4, node 1")

    def test_a_row_without_room_for_lines_has_a_short_name(self):
        self.show(FAULTY, width=390)
        self.browser.run("view.lane = 20; layOut()")
        words = self.browser.run(WORDS)
        self.assertIn("p5 n1", words)
        self.assertIn("daemon n2", words)
        self.assertIn("“p0 n0” is rank 0 of the job",
                      self.browser.run("document.getElementById('rows-mean').textContent"))

    def test_pointing_at_the_name_of_a_row(self):
        self.show(FAULTY)
        self.browser.run("""(() => {
          const box = canvas.getBoundingClientRect();
          canvas.dispatchEvent(new PointerEvent("pointermove",
            { clientX: box.left + 20, clientY: box.top + y(5) }));
        })()""")
        self.assertEqual(self.browser.run("document.getElementById('tip').textContent"),
                         "process 5, node 1: rank 5 of the job, which starts on node 1, "
                         "a computer of the machine")

    def test_logical_times_by_hand(self):
        self.show(PING_PONG)
        rows = self.browser.run("[...document.querySelectorAll('#body tr')].map((row) => "
                                "[...row.children].slice(2, 5).map((cell) => cell.textContent))")
        told = {(who, what): int(logical) for logical, who, what in rows}
        self.assertEqual(told["process 0", "sends ball to process 1"], 1)
        self.assertEqual(told["process 1", "handles ball from process 0"], 2)
        # One process does not do two things at one logical time.
        self.assertEqual({told["process 1", "has finished"],
                          told["process 1", "sends ball to process 0"]}, {3, 4})
        self.assertEqual(told["process 0", "handles ball from process 1"],
                         told["process 1", "sends ball to process 0"] + 1)
        self.assertEqual(told["run", "the work is over"], max(told.values()))

    def test_logical_times_of_whole_runs(self):
        for scenario in (ADOPTED, FAULTY):
            self.show(scenario)
            events = self.browser.run(EVENTS)
            self.assertEqual([event["logical"] for event in events], logical_times(events))
            self.assertTrue(any(event["what"].startswith("hears that process ")
                                for event in events))

    def test_messages_go_to_the_right_in_logical_time(self):
        self.show(LONG)
        self.assertLess(max(self.browser.run(WIDTHS)), 1)
        before = self.browser.screenshot("#stage", 0.3)
        self.click("#logical")
        self.assertGreater(min(self.browser.run(WIDTHS)), 20)
        self.assertNotEqual(before, self.browser.screenshot("#stage", 0.3))
        self.assertIn("logical time", self.browser.run(WORDS))
        self.assertIn("Lamport",
                      self.browser.run("document.getElementById('axis-words').textContent"))
        self.assert_alone(self.page)
        for scenario in (ADOPTED, FAULTY):
            for width in (1280, 390):
                self.show(scenario, width=width)
                self.click("#logical")
                self.assertGreater(min(self.browser.run(WIDTHS)), 0, (scenario, width))

    def test_kinds_of_time_by_keyboard(self):
        self.browser.open(self.page)
        self.browser.run("document.getElementById('physical').focus()")
        for kind in ("keyDown", "keyUp"):
            self.browser.ask("Input.dispatchKeyEvent", type=kind, key="ArrowRight",
                             windowsVirtualKeyCode=39)
        checked = "document.querySelector('#axes input:checked').value"
        self.assertEqual(self.browser.run(f"[axis, {checked}]"), ["logical", "logical"])
        self.browser.run("document.getElementById('stage').focus()")
        self.browser.press("n")
        self.assertRegex(self.reading(), r"^Event 1 of \d+, 0 µs, logical time 1: process 0 sends")
        for name in ("even", "physical", "logical"):
            self.browser.press("t")
            self.assertEqual(self.browser.run(f"[axis, {checked}]"), [name, name])
        self.assertRegex(self.reading(), r"^Event 1 of \d+, 0 µs, logical time 1: ")

    def test_a_row_of_boxes_in_logical_time(self):
        """A computation begins at its event, and ends after the last event of its row within it."""
        self.browser.open(self.page)
        self.click("#logical")
        spans = self.browser.run("""run.spans.filter((span) => span[S.kind] === COMPUTING)
          .map((span) => ({ actor: span[S.actor], ends: stretch(span) }))""")
        self.assertEqual(len(spans), 7)
        events = self.browser.run(EVENTS)
        for span in spans:
            begin, end = span["ends"]
            own = {event["logical"]: event for event in events if event["actor"] == span["actor"]}
            self.assertEqual(own[begin]["what"], "computes")
            self.assertIn(end - 0.5, own)
        # Process 1 dies in the middle of its own.
        self.assertEqual([own["what"] for own in events if own["actor"] == 1][-1], "dies")

    def test_contrast(self):
        """All text has a contrast of at least 4.5 to its background (WCAG AA)."""
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

    def test_paper_keeps_proportions(self):
        self.browser.open(self.page)
        for logical in (False, True):
            if logical:
                self.click("#logical")
            self.browser.ask("Emulation.setEmulatedMedia", media="print")
            self.browser.run("document.body.style.width = '600px'")
            drawn, shown = self.browser.run("""(() => {
              const box = canvas.getBoundingClientRect();
              return [canvas.width / canvas.height, box.width / box.height];
            })()""")
            self.assertAlmostEqual(drawn, shown, places=2)
            self.browser.run("document.body.style.width = ''")
            self.browser.ask("Emulation.setEmulatedMedia", media="")

    def test_a_row_shows_its_event(self):
        self.browser.open(self.page)
        self.click("#body tr:nth-child(30) button")
        self.assertRegex(self.reading(), r"^Event 30 of ")
        self.assertEqual(self.browser.run(
            "document.querySelectorAll('#body tr[aria-current]').length"), 1)


if __name__ == "__main__":
    need_chromium("trace")
    unittest.main()
