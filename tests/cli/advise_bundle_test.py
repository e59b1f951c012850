# SPDX-License-Identifier: Apache-2.0
"""`advise --bundle`: a question with all that its answer needs, in one file; and processes that
share the runs of a question."""

import contextlib
import json
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time
import unittest

from advise_test import QUESTION, Advise
from program import PATIENCE_S, PROGRAM, SOURCE, changed

def rows_of(bundle):
    with contextlib.closing(sqlite3.connect(bundle)) as database:
        return dict(database.execute("SELECT name, content FROM bundle"))


class Bundles(Advise):
    def bundle(self, *arguments, question=None):
        """The answer to a question in a folder of its own, beside one with a machine."""
        machine = (SOURCE / "scenarios/machines/stampede.json").read_text()
        self.write("machines/mine.json", machine.replace("stampede", "mine"))
        self.write("questions/q.json", question or changed(
            QUESTION, ["scenario", "platform", "machine"], "../machines/mine.json"))
        return self.answer("advise", "questions/q.json", "--quiet", "--format", "json", "--bundle",
                           "b.sqlite", "--quick", *arguments)

    def elsewhere(self, *arguments):
        """What somebody gets who has the bundle alone."""
        self.other = tempfile.TemporaryDirectory()
        self.addCleanup(self.other.cleanup)
        shutil.copy(self.folder / "b.sqlite", self.other.name)
        for name in ("machines", "questions"):
            (self.folder / name).rename(self.folder / f"no-{name}")
        return self.faultline("advise", "b.sqlite", "--quiet", "--format", "json", *arguments,
                              cwd=self.other.name)

    def test_a_reader_has_the_same_answer_without_new_runs(self):
        here = self.bundle()
        there = self.elsewhere("--store", "none.sqlite", "--dry-run")
        self.assertEqual(there.stdout[:40], "b.sqlite: files/questions/q.json: 2 alte")
        again = self.faultline("advise", "b.sqlite", "--quiet", "--format", "json",
                               cwd=self.other.name)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(again.stdout, here)
        self.assertEqual(again.stderr, "faultline: b.sqlite: has the same answer\n")
        self.assertEqual(os.listdir(self.other.name), ["b.sqlite"])
        self.assertEqual(rows_of(self.folder / "b.sqlite").keys(), {
            "about.json", "answer.json", "files/machines/mine.json", "files/questions/q.json"})

    def test_the_runs_of_a_bundle_are_those_of_its_answer(self):
        self.bundle()
        bundle = self.folder / "b.sqlite"
        with contextlib.closing(sqlite3.connect(bundle)) as database, database:
            # Had they been made anew, nobody would notice that.
            database.execute("UPDATE runs SET events = events + 1 WHERE replication = 0")
        failed = self.elsewhere()
        self.assertEqual(failed.returncode, 2, failed.stdout)
        self.assertRegex(failed.stderr, r"^faultline: b\.sqlite: runs: study 1, .* is damaged")

    def test_has_the_machine_that_faultline_ships(self):
        self.bundle(question=QUESTION)
        self.assertIn("scenarios/machines/stampede.json", rows_of(self.folder / "b.sqlite"))
        with contextlib.closing(sqlite3.connect(self.folder / "b.sqlite")) as database, database:
            database.execute("UPDATE bundle SET content = replace(content, 'PowerEdge', 'x') "
                             "WHERE name LIKE 'scenarios/%'")
        self.assertIn("has the same answer", self.elsewhere().stderr)

    def test_can_be_asked_something_else(self):
        self.bundle("--set", "equivalent_within=0.03")
        self.assertEqual(json.loads(rows_of(self.folder / "b.sqlite")["about.json"])["set"],
                         ["equivalent_within=0.03"])
        other = self.elsewhere("--set", "confidence=0.9", "--bundle", "second.sqlite")
        self.assertEqual((other.returncode, other.stderr), (0, ""))
        self.assertEqual(json.loads(other.stdout)["equivalent_within"], 0.03)
        second = rows_of(pathlib.Path(self.other.name) / "second.sqlite")
        self.assertEqual(json.loads(second["about.json"])["set"],
                         ["equivalent_within=0.03", "confidence=0.9"])
        self.assertEqual(second["answer.json"], other.stdout)

    def test_says_that_an_answer_is_another_one(self):
        self.bundle()
        with contextlib.closing(sqlite3.connect(self.folder / "b.sqlite")) as database, database:
            database.execute("UPDATE bundle SET content = '{}' WHERE name = 'answer.json'")
            database.execute("UPDATE bundle SET content = replace(content, '\"faultline\": \"', "
                             "'\"faultline\": \"0.') WHERE name = 'about.json'")
        said = self.elsewhere().stderr
        self.assertRegex(said, r"b\.sqlite: is the work of Faultline 0\.\d.*, this is \d.*; all "
                               r"runs are made anew")
        self.assertIn("b.sqlite: has another answer, in its table bundle\n", said)

    def test_refuses_what_others_could_not_repeat(self):
        self.write("mine.json", (SOURCE / "scenarios/machines/stampede.json").read_text())
        absolute = str(self.folder / "mine.json")
        self.write("q.json", changed(QUESTION, ["scenario", "platform", "machine"], absolute))
        self.assertIn("files/mine.json: others would not find it; name it by a path relative to",
                      self.refusal("advise", "q.json", "--bundle", "b.sqlite"))
        self.write("q.json", QUESTION)
        self.assertIn("expected no --time-limit", self.refusal(
            "advise", "q.json", "--bundle", "b.sqlite", "--time-limit", "1"))
        self.assertIn("--bundle q.json: is the file ",
                      self.refusal("advise", "q.json", "--bundle", "q.json"))
        piped = subprocess.run([PROGRAM, "advise", "/dev/stdin", "--bundle", "b.sqlite"],
                               input=json.dumps(QUESTION), capture_output=True, text=True,
                               check=False, cwd=self.folder, timeout=PATIENCE_S)
        self.assertEqual(piped.returncode, 2)
        self.assertIn("expected a file that can be read again", piped.stderr)

    def test_errors_in_a_bundle_name_the_bundle_and_the_place(self):
        self.bundle()
        bundle = self.folder / "b.sqlite"
        good = bundle.read_bytes()
        for change, expected in (
                ("DROP TABLE bundle", "b.sqlite: has no question"),
                ("DELETE FROM bundle WHERE name = 'about.json'", "has no about.json"),
                ("DELETE FROM bundle WHERE name = 'files/questions/q.json'", "has no question"),
                ("DELETE FROM bundle WHERE name = 'files/machines/mine.json'",
                 "b.sqlite: files/questions/q.json: scenario.platform.machine: b.sqlite: "
                 "files/questions/../machines/mine.json: no such file"),
                ("UPDATE bundle SET content = '{}' WHERE name = 'about.json'",
                 "b.sqlite (about.json): question: missing"),
                ("UPDATE bundle SET content = 3.5 WHERE name = 'about.json'",
                 "b.sqlite (about.json): expected an object, got 3.5"),
                ("INSERT INTO bundle VALUES ('files/questions/q.json/x', 'x')", "a file in a file"),
                ("UPDATE bundle SET content = x'00' WHERE name = 'about.json'", "expected texts"),
                ("UPDATE bundle SET content = '{' WHERE name = 'files/questions/q.json'",
                 "b.sqlite: files/questions/q.json:1:2: "),
                *((f"INSERT INTO bundle VALUES ('{name}', 'x')", "has an unexpected name")
                  for name in ("/tmp/x", "files/../../x", "other/x", "files", "files/x/",
                               "files/a\x1b[1mb", "files/./x", "~/x", "", "files/" + 256 * "x",
                               100 * "files/long/name/" + "x")),
        ):
            with self.subTest(change=change):
                bundle.write_bytes(good)
                with contextlib.closing(sqlite3.connect(bundle)) as database, database:
                    database.execute(change)
                said = self.refusal("advise", "b.sqlite")
                self.assertIn(expected, said)
                self.assertNotIn("/faultline-", said)
                self.assertTrue(all(line.isprintable() for line in said.splitlines()), said)


class SharedStores(Advise):
    """Several processes look for the same answer in one store."""

    def start(self, *arguments):
        return subprocess.Popen(
            [PROGRAM, "advise", "q.json", "--quiet", "--quick", "--format", "json", "--store",
             "kept.sqlite", *arguments], cwd=self.folder, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)

    def test_four_processes_have_the_answer_of_one_and_share_its_runs(self):
        alone = self.advice()
        processes = [self.start() for _ in range(4)]
        for process in processes:
            said, errors = process.communicate(timeout=PATIENCE_S)
            self.assertEqual((process.returncode, errors), (0, ""))
            self.assertEqual(json.loads(said), alone)

    def test_killed_ones_lose_nothing_of_the_answer(self):
        question = changed(QUESTION, ["scenario", "workload", "iterations"], 2000)
        question = changed(question, ["scenario", "stop", "time_s"], 100000)
        alone = self.advice(question=question)
        chance = random.Random(1)
        for _ in range(8):
            process = self.start("--jobs", "2")
            time.sleep(chance.uniform(0, 0.3))
            process.send_signal(signal.SIGKILL)
            process.communicate(timeout=PATIENCE_S)
        self.assertEqual(self.advice("--store", "kept.sqlite", question=question), alone)


if __name__ == "__main__":
    unittest.main()
