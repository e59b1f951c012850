# SPDX-License-Identifier: Apache-2.0
"""Studies that grow: the store is what one sweep would have made, and nothing is measured again."""

import json
import os
import pathlib
import random
import signal
import sqlite3
import time
import unittest
import zlib

from program import GONE, SANITIZED, changed
from stored_rows import changing
from sweep_test import PATIENCE_S, STUDY, SweepTest, children, rows, slower, stored_points

MORE = changed(STUDY, ["replications"], 9)
SIZES = ["sweep", "platform.processes"]
WIDE = changed(STUDY, SIZES, [24, 8, 64, 32, 4, 16])


def measured(path):
    """What the clock has said of each replication, by its point and number."""
    with sqlite3.connect(path) as database:
        return {tuple(key): clock for *key, clock in database.execute(
            "SELECT scenario_hash, engine, seed, replication, wall_s || ' ' || peak_rss_bytes "
            "FROM points JOIN runs USING (study, point)")}


def stopped(pid):
    """Stops a process. False if it has come to its end."""
    try:
        os.kill(pid, signal.SIGSTOP)
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "T"
    except (ProcessLookupError, FileNotFoundError):
        return False


class Grows(SweepTest):
    def grow(self, study, *arguments, code=0):
        self.write("s.json", study)
        return self.sweep(*arguments, code=code)

    def fresh(self, study):
        """A store of the study swept at once."""
        name = f"fresh-{zlib.crc32(json.dumps(study).encode())}.sqlite"
        self.write("s.json", study)
        if not (self.folder / name).exists():
            self.sweep("--jobs", 2, store=name)
        return name

    def check_fresh(self, study):
        """The store is as if nothing else had ever been asked of it."""
        fresh = self.fresh(study)
        self.assertEqual(rows(self.store), rows(self.folder / fresh))
        for verb in (["query"], ["query", "--group-by", "platform.processes"],
                     ["compare", "--by", "termination.name", "--metric", "control_messages"]):
            told = [self.answer(verb[0], store, *verb[1:], "--format", "csv")
                    for store in ("r.sqlite", fresh)]
            self.assertEqual(told[0], told[1])
            self.assertGreater(told[0].count("\n"), 6)

    def check_grown(self, before, after, jobs, said):
        self.store.unlink(missing_ok=True)
        self.grow(before, "--jobs", 2)
        known = measured(self.store)
        self.assertEqual(self.grow(after, "--jobs", jobs), f"r.sqlite: {said}\n")
        self.check_fresh(after)
        now = measured(self.store)
        self.assertEqual({key: now[key] for key in known}, known)  # none was measured again

    def test_more_replications_and_new_values(self):
        for jobs in (1, 2):
            self.check_grown(STUDY, MORE, jobs, "24 of 24 points stored, 24 grown")
            self.check_grown(STUDY, WIDE, jobs, "36 of 36 points stored, 24 before")
            self.check_grown(STUDY, changed(WIDE, ["replications"], 9), jobs,
                             "36 of 36 points stored, 24 grown")

    def test_the_option(self):
        self.sweep()
        self.assertEqual(self.sweep("--replications", 9), "r.sqlite: 24 of 24 points stored, "
                                                          "24 grown\n")
        self.check_fresh(MORE)
        self.assertIn("--replications", self.refusal("sweep", "s.json", "--store", "r.sqlite",
                                                     "--replications", "0"))

    def test_precision(self):
        few = changed(STUDY, SIZES, [8, 16])
        def until(share, most=30):
            return changed(few, ["sweep", "precision"],
                           {"metric": "control_messages", "relative_half_width": share,
                            "most_replications": most})
        for before, after in ((few, until(0.2)), (until(0.3), until(0.2)),
                              (until(0.2, 12), until(0.2)),
                              (until(0.2), changed(until(0.2), ["replications"], 14)),
                              (until(0.3), changed(until(0.2), SIZES, [16, 4, 8]))):
            self.store.unlink(missing_ok=True)
            self.grow(before, "--jobs", 2)
            known = measured(self.store)
            self.grow(after, "--jobs", 2)
            now = measured(self.store)
            self.assertEqual({key: now[key] for key in known}, known)
            self.check_fresh(after)

    def test_a_path_that_was_not_swept(self):
        alone = changed(changed(STUDY, ["sweep", "seed"], GONE), ["seed"], 2)
        self.check_grown(alone, changed(STUDY, ["seed"], 2), 2, "24 of 24 points stored, 8 before")

    def test_kills(self):
        study = changed(WIDE, ["replications"], 9)
        self.sweep("--jobs", 2)
        chance = random.Random(20263)
        known = measured(self.store)
        self.write("s.json", study)
        for _ in range(10):
            process = self.start("--jobs", 2)
            time.sleep(chance.uniform(0, 0.25))
            process.kill()
            process.communicate(timeout=PATIENCE_S)
            now = measured(self.store)
            self.assertEqual({key: now[key] for key in known}, known)
            known = now
        self.sweep()
        self.check_fresh(study)

    def test_an_interrupt(self):
        slow = slower(3)
        self.write("s.json", slow)
        self.sweep("--jobs", 2)
        known = measured(self.store)
        study = changed(changed(slow, SIZES, WIDE["sweep"]["platform.processes"]),
                        ["replications"], 9)
        self.write("s.json", study)
        process = self.start("--jobs", 2)
        self.wait_until(lambda: len(measured(self.store)) > len(known))
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 130, errors)
        self.assertRegex(errors, r"\Afaultline: interrupted: \d+ of 36 points are stored\n\Z")
        self.sweep("--jobs", 2)
        now = measured(self.store)
        self.assertEqual({key: now[key] for key in known}, known)
        self.check_fresh(study)

    def test_fewer_replications_take_nothing_away(self):
        self.sweep()
        before = rows(self.store, clock=True)
        self.assertEqual(self.grow(changed(STUDY, ["replications"], 4)),
                         "r.sqlite: 24 of 24 points stored, 24 before\n"
                         "r.sqlite: 24 points have more replications than this study asks for; "
                         "kept\n")
        self.assertEqual(rows(self.store, clock=True), before)

    def test_points_that_the_study_no_longer_names_stay(self):
        self.sweep()
        before = rows(self.store, clock=True)
        narrow = changed(STUDY, SIZES, [32, 8])
        kept = "r.sqlite: 12 points of the store are not in this study; kept\n"
        self.assertEqual(self.grow(narrow), "r.sqlite: 12 of 12 points stored, 12 before\n" + kept)
        self.assertEqual(self.sweep(), "r.sqlite: 12 of 12 points stored, 12 before\n" + kept)
        now, fresh = rows(self.store), rows(self.folder / self.fresh(narrow))
        for table in ("points", "runs"):
            self.assertEqual([row for row in now[table] if row[1] < 12], fresh[table])
        self.assertEqual(len(now["runs"]), 24 * 6)
        self.assertIn("24 points", self.refusal_of_another_study())
        told = self.answer("query", "r.sqlite", "--format", "json", "--metric",
                           "control_messages", "--where", "point >= 12")
        self.assertEqual(len(json.loads(told)), 12)
        self.assertEqual(self.grow(changed(STUDY, SIZES, [4])),
                         "r.sqlite: 6 of 6 points stored\n"
                         "r.sqlite: 24 points of the store are not in this study; kept\n")
        self.assertIn("24 of 24 points stored, 24 before\nr.sqlite: 6 points", self.grow(STUDY))
        now = rows(self.store, clock=True)
        for table in ("points", "runs"):
            self.assertEqual([row for row in now[table] if row[1] < 24], before[table])

    def refusal_of_another_study(self):
        self.write("other.json", changed(STUDY, ["stop"], {"time_s": 1e6}))
        return self.refusal("sweep", "other.json", "--store", "r.sqlite")

    def test_other_fixed_values_are_another_study(self):
        self.sweep()
        for path, value in ((["stop"], {"time_s": 1e6}),
                            (["platform", "processes_per_node"], 2),
                            (["sweep", "derive", "workload.stop_probability"],
                             "0.2 / platform.processes")):
            for study in (STUDY, WIDE, changed(STUDY, SIZES, [4])):
                self.write("s.json", changed(study, path, value))
                self.assertIn('has results of another scenario than s.json describes now: "small" '
                              "(24 points); --add-study",
                              self.refusal("sweep", "s.json", "--store", "r.sqlite"))
        # The study of the store grows to which the new values belong.
        self.write("s.json", changed(STUDY, ["stop"], {"time_s": 1e6}))
        self.sweep("--add-study")
        self.write("s.json", changed(WIDE, ["stop"], {"time_s": 1e6}))
        self.assertIn("36 of 36 points stored, 24 before", self.sweep())
        self.assertEqual([(row[0], row[3]) for row in rows(self.store)["studies"]],
                         [(1, 24), (2, 36)])

    def test_an_axis_that_is_gone_is_named(self):
        self.sweep()
        before = rows(self.store, clock=True)
        alone = changed(changed(STUDY, ["sweep", "seed"], GONE), ["seed"], 2)
        self.write("s.json", alone)
        said = self.refusal("sweep", "s.json", "--store", "r.sqlite")
        self.assertIn('r.sqlite: has results of another scenario than s.json describes now: '
                      '"small" (24 points); s.json no longer sweeps "seed" (a list of one value '
                      "keeps the axis, and the study goes on); --add-study keeps both, another "
                      "--store starts a new store", said)
        self.assertEqual(rows(self.store, clock=True), before)
        # What the message says is true.
        self.assertIn("8 of 8 points stored, 8 before",
                      self.grow(changed(STUDY, ["sweep", "seed"], [2])))
        # A scenario of another name without a point of this one has not lost an axis.
        other = changed(changed(alone, ["name"], "other"), ["stop"], {"time_s": 1e6})
        self.write("s.json", other)
        self.assertNotIn("no longer sweeps", self.refusal("sweep", "s.json", "--store",
                                                          "r.sqlite"))

    def test_the_report_of_a_study_that_has_grown(self):
        self.sweep()
        self.grow(changed(changed(STUDY, SIZES, [32, 4]), ["replications"], 9))
        self.faultline("report", "r.sqlite", "--html", "p.html", "--metric", "control_messages")
        page = (self.folder / "p.html").read_text()
        for shown in ("6 to 9 of each point", ">4; 8; 16; 32; 64<", ">1; 2; 3<"):
            self.assertIn(shown, page)

    def test_a_store_of_a_program_that_counted_the_replications_in(self):
        self.sweep()
        before = rows(self.store, clock=True)
        with changing(self.store) as database:
            database.execute("UPDATE points SET hash=printf('%016x', point)")
            database.execute("UPDATE studies SET hash='0123456789abcdef'")
        self.assertEqual(self.sweep(), "r.sqlite: 24 of 24 points stored, 24 before\n")
        self.assertEqual(rows(self.store, clock=True), before)

    def test_several_at_once(self):
        study = changed(WIDE, ["replications"], 9)
        for _ in range(2):
            self.grow(STUDY, "--jobs", 2)
            self.write("s.json", study)
            for process in [self.start("--jobs", 2) for _ in range(3)]:
                out, errors = process.communicate(timeout=PATIENCE_S)
                self.assertEqual((process.returncode, errors), (0, ""))
                self.assertIn("36 of 36 points stored", out)
            self.check_fresh(study)
            self.store.unlink()

    def test_not_under_the_feet_of_another_sweep(self):
        process = self.start(file=self.write("slow.json", slower(3000)))
        self.wait_until(lambda: children(process.pid))
        self.write("wide.json", changed(slower(3000), SIZES, [8, 4]))
        result = self.faultline("sweep", "wide.json", "--store", "r.sqlite")
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertEqual(result.stderr, "faultline: r.sqlite: another sweep is working on the "
                         "study as it was before; a study can grow only while no other "
                         "sweep uses its store\n")
        process.kill()

    def test_a_point_that_fails_keeps_what_it_has(self):
        slow = changed(slower(30), SIZES, [8, 16])  # a point takes a quarter of a second
        self.grow(slow, "--jobs", 2)
        study = changed(slow, ["replications"], 20)
        self.write("s.json", study)
        process = self.start("--jobs", 1)
        self.wait_until(lambda: any(stopped(child) for child in children(process.pid)))
        for child in children(process.pid):
            os.kill(child, signal.SIGSEGV)
            os.kill(child, signal.SIGCONT)
        _, errors = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 1, errors)
        end = "exited with 1" if SANITIZED else "was killed: Segmentation fault"
        self.assertRegex(errors, rf"\Afaultline: point \d+ \(.*\): the worker process {end}; the "
                                 r"replications that it had are kept\n\Z")
        counts = {}
        for row in rows(self.store)["runs"]:
            counts[row[1]] = counts.get(row[1], 0) + 1
        fewest, *others = sorted(counts.values())
        self.assertIn(fewest, range(6, 20))
        self.assertEqual(others, [20] * 11)
        self.assertEqual(set(stored_points(self.store).values()), {""})
        self.assertEqual(self.sweep(), "r.sqlite: 12 of 12 points stored, 11 before, 1 grown\n")
        self.check_fresh(study)


if __name__ == "__main__":
    unittest.main()
