# SPDX-License-Identifier: Apache-2.0
"""Tables are as wide as the terminal, and elsewhere the same everywhere."""

import fcntl
import os
import pty
import struct
import subprocess
import termios
import unittest

from program import PROGRAM, ProgramTest, SMALL, changed, read_terminal

METRICS = ("announce_time_s,application_messages,busy_transitions,control_messages,"
           "detection_latency_s,end_time_s,idle_transitions,termination_time_s")
QUERY = ("query", "r.sqlite", "--metric", METRICS)


def environment(columns):
    others = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    return others if columns is None else {**others, "COLUMNS": columns}


def widest(text):
    return max(map(len, text.splitlines()))


class TableWidth(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("s.json", changed(SMALL, ["sweep"], {"platform.processes": [4, 8]}))
        self.answer("sweep", "s.json", "--store", "r.sqlite")
        self.write("one.json", SMALL)

    def on_terminal(self, *arguments, columns, said=None):
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        with subprocess.Popen([PROGRAM, *arguments], cwd=self.folder, stdout=theirs,
                              env=environment(said)) as process:
            os.close(theirs)
            shown = read_terminal(ours)
        self.assertEqual(process.returncode, 0)
        return shown.replace("\r\n", "\n")

    def test_a_wide_terminal_gets_one_block(self):
        piped = self.answer(*QUERY)
        wide = self.on_terminal(*QUERY, columns=200)
        self.assertLessEqual(widest(piped), 80)
        self.assertGreater(widest(wide), 80)
        self.assertLessEqual(widest(wide), 200)
        self.assertEqual(wide.count("----\n"), 1)
        self.assertGreater(piped.count("----\n"), 1)
        self.assertLessEqual(widest(self.on_terminal(*QUERY, columns=60)), 60)

    def test_a_terminal_that_does_not_know_its_width(self):
        piped = self.answer(*QUERY)
        wide = self.on_terminal(*QUERY, columns=200)
        self.assertEqual(self.on_terminal(*QUERY, columns=0, said="200"), wide)
        for said in (None, "", "0", "wide", "-5", "200x", "9" * 30):
            self.assertEqual(self.on_terminal(*QUERY, columns=0, said=said), piped, said)

    def test_what_is_no_terminal_does_not_depend_on_the_environment(self):
        for arguments in (QUERY, ("run", "one.json"),
                          ("compare", "r.sqlite", "--by", "termination.name", "--metric", METRICS)):
            piped = self.faultline(*arguments, env=environment(None)).stdout
            self.assertEqual(self.faultline(*arguments, env=environment("200")).stdout, piped)
        piped = self.answer(*QUERY)
        self.assertEqual(self.on_terminal(*QUERY, "--out", "q.txt", columns=200), "")
        self.assertEqual((self.folder / "q.txt").read_text(), piped)


if __name__ == "__main__":
    unittest.main()
