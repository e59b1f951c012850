# SPDX-License-Identifier: Apache-2.0
"""What comes out of a store: statistics that a second implementation finds in the same runs, tables
that other programs read, winners only where there are some, and shards that make a whole."""

import csv
import io
import itertools
import json
import random
import re
import sqlite3
import statistics
import subprocess
import unittest

import tools
from program import ProgramTest, SMALL, VERSION, changed
from stored_rows import changing
from sweep_test import STUDY, SweepTest, rows

# Reads a table both ways and prints what it has read, to be compared with the original.
READ_IN_R = """
suppressPackageStartupMessages(library(jsonlite))
from_csv <- read.csv("q.csv", check.names = FALSE, na.strings = "")
from_json <- fromJSON("q.json")
stopifnot(is.data.frame(from_json), identical(names(from_csv), names(from_json)))
write_json(list(csv = from_csv, json = from_json), "read.json", digits = NA, na = "null")
"""

# The 0.975 quantiles of Student's t for n - 1 degrees of freedom, from a printed table.
STUDENT_T = {6: 2.5706, 18: 2.1098}


def half_width(values):
    return STUDENT_T[len(values)] * statistics.stdev(values) / len(values) ** 0.5


class StoreTest(SweepTest):
    def setUp(self):
        super().setUp()
        self.sweep("--jobs", 2)

    def check_half_width(self, found, sample):
        expected = half_width(sample)
        self.assertAlmostEqual(found, expected, delta=1e-4 * expected + 1e-9)

    def query(self, *arguments):
        return json.loads(self.answer("query", "r.sqlite", "--format", "json", *arguments))

    def table(self, verb, *arguments):
        text = self.answer(verb, "r.sqlite", "--format", "csv", *arguments)
        return list(csv.DictReader(io.StringIO(text)))

    def values(self, metric):
        """{(protocol, processes, seed): values of the replications}, straight from the file."""
        found = {}
        with sqlite3.connect(self.store) as database:
            for parameters, metrics in database.execute(
                    "SELECT parameters, metrics FROM points JOIN runs USING (study, point) "
                    "ORDER BY point, replication"):
                swept = json.loads(parameters)
                key = swept["termination"]["name"], swept["platform.processes"], swept["seed"]
                found.setdefault(key, []).append(json.loads(metrics)[metric])
        return found

    def rewrite(self, change):
        """Applies a function to the metrics of every run: change(point, replication, metrics)."""
        with changing(self.store) as database:
            for point, replication, metrics in database.execute(
                    "SELECT point, replication, metrics FROM runs").fetchall():
                new = json.loads(metrics)
                change(point, replication, new)
                database.execute("UPDATE runs SET metrics=? WHERE point=? AND replication=?",
                                 (json.dumps(new), point, replication))


class Query(StoreTest):
    def test_statistics_of_points(self):
        found = self.query("--metric", "control_messages")
        self.assertEqual(len(found), 24)
        values = self.values("control_messages")
        for row in found:
            sample = values[row["termination"], row["platform.processes"], row["seed"]]
            self.assertEqual(row["count"], 6)
            self.assertAlmostEqual(row["mean"], statistics.mean(sample))
            self.check_half_width(row["high"] - row["mean"], sample)
            self.assertEqual((row["min"], row["max"]), (min(sample), max(sample)))

    def test_a_group_of_seeds_is_a_larger_sample(self):
        found = self.query("--group-by", "termination.name,platform.processes", "--metric",
                           "control_messages")
        values = self.values("control_messages")
        self.assertEqual(len(found), 8)
        for row in found:
            sample = sum((values[row["termination.name"], row["platform.processes"], seed]
                          for seed in (1, 2, 3)), [])
            self.assertEqual(row["count"], 18)
            self.assertAlmostEqual(row["mean"], statistics.mean(sample))
            self.check_half_width(row["high"] - row["mean"], sample)

    def test_points_with_the_same_random_numbers_count_once(self):
        row, = self.query("--group-by", "name", "--where", "seed == 2", "--metric",
                          "control_messages")
        values = self.values("control_messages")
        sample = [statistics.mean(values[name, processes, 2][replication]
                                  for name in ("cda", "four-counter")
                                  for processes in (8, 16, 32, 64)) for replication in range(6)]
        self.assertEqual((row["points"], row["count"]), (8, 6))
        self.assertAlmostEqual(row["mean"], statistics.mean(sample))
        self.check_half_width(row["high"] - row["mean"], sample)

    def test_conditions(self):
        def points(condition):
            return len(self.query("--metric", "end_time_s", "--where", condition))
        self.assertEqual(points("platform.processes <= 16 and termination.name == 'cda'"), 6)
        self.assertEqual(points("point == 3"), 1)
        self.assertEqual(points("failure == ''"), 24)
        self.assertEqual(points("platform.worker_cores == 1"), 24)  # a default
        self.assertEqual(points("platform.machine.name == 'intrepid'"), 24)
        for condition, message in (("1 +", "column 4"), ("seed", "expected true or false"),
                                   ("faults.at > 3", "faults.at is"),
                                   ("seed == 9", "no point satisfies")):
            self.assertIn(message, self.refusal("query", "r.sqlite", "--where", condition))

    def test_names_that_no_point_has(self):
        """They would be null at every point, and so keep or drop all of them."""
        for condition, message in (
                ("nodes > 3", '"nodes" is no path of the points of the store; quote it if it is a '
                              "text: 'nodes'"),
                ("termination.name == cda", "quote it if it is a text: 'cda'"),
                ("termination.name != cda", "quote it if it is a text: 'cda'"),
                ("platform.proceses > 8", 'did you mean "platform.processes"?'),
                ("platform.machine.nam == 'mira'", 'did you mean "platform.machine.name"?'),
                ("false and sed == 1", 'did you mean "seed"? Quote it if it is a text: \'sed\'')):
            for verb in (("query",), ("compare", "--by", "termination", "--metric", "end_time_s"),
                         ("report", "--html", "r.html")):
                self.assertIn("--where: ", self.refusal(verb[0], "r.sqlite", *verb[1:], "--where",
                                                        condition))
                self.assertIn(message, self.refusal(verb[0], "r.sqlite", *verb[1:], "--where",
                                                    condition))
        self.assertIn('query: --group-by: "termination.nam" is no path of the points of the store, '
                      'did you mean "termination.name"?',
                      self.refusal("query", "r.sqlite", "--group-by", "termination.nam"))
        # What a scenario could state is null where no point has it.
        self.assertEqual(len(self.query("--metric", "end_time_s", "--where",
                                        "workload.lambda == null and "
                                        "failure_detection.delay_s == null")), 24)

    def test_runs(self):
        found = self.query("--runs")
        self.assertEqual(len(found), 144)
        with sqlite3.connect(self.store) as database:
            metrics = [json.loads(text) for text, in database.execute(
                "SELECT metrics FROM runs ORDER BY point, replication")]
        for row, metric in zip(found, metrics):
            self.assertEqual({key: row[key] for key in metric}, metric)
            self.assertRegex(row["faultline"], rf"\A{VERSION}\Z")
            self.assertRegex(row["scenario_hash"], r"\A[0-9a-f]{16}\Z")

    def test_csv_says_what_json_says(self):
        for arguments in ([], ["--runs"]):
            plain = self.query(*arguments)
            text = self.table("query", *arguments)
            self.assertEqual(len(plain), len(text))
            for first, second in zip(plain, text):
                self.assertEqual(list(first), list(second))
                for key, value in first.items():
                    if isinstance(value, float):
                        self.assertEqual(value, float(second[key]))
                    elif value is None:
                        self.assertEqual(second[key], "")
                    else:
                        said = (str(value).upper() if isinstance(value, bool)
                                else value if isinstance(value, str) else json.dumps(value))
                        self.assertEqual(said, second[key])

    @tools.tested_with("tables read by pandas", modules={"pandas": "python3-pandas"})
    def test_pandas_reads_both(self):
        import pandas
        for arguments in ([], ["--runs"]):
            self.answer("query", "r.sqlite", "--format", "csv", "--out", "q.csv", *arguments)
            self.answer("query", "r.sqlite", "--format", "json", "--out", "q.json", *arguments)
            first = pandas.read_csv(self.folder / "q.csv", float_precision="round_trip")
            second = pandas.DataFrame(json.loads((self.folder / "q.json").read_text()))
            third = pandas.read_json(self.folder / "q.json", dtype=False, convert_dates=False,
                                     precise_float=True)
            self.assertEqual(list(first.columns), list(second.columns))
            self.assertGreater(len(first), 100)
            for column in first.columns:
                for frame in (first, second, third):
                    self.assertEqual(list(frame[column].isna()), list(first[column].isna()))
                known = first[column].notna()
                self.assertTrue((first[column] == second[column])[known].all(), column)
                if first[column].dtype.kind == "f":
                    apart = (first[column] - third[column]).abs()[known]
                    self.assertTrue((apart <= 1e-12 * first[column].abs()[known]).all(), column)
                else:
                    self.assertTrue((first[column] == third[column])[known].all(), column)

    @tools.tested_with("tables read by R",
                       commands={"Rscript": "r-base-core r-cran-jsonlite"})
    def test_r_reads_both(self):
        for arguments in ([], ["--runs"]):
            self.answer("query", "r.sqlite", "--format", "csv", "--out", "q.csv", *arguments)
            self.answer("query", "r.sqlite", "--format", "json", "--out", "q.json", *arguments)
            subprocess.run(["Rscript", "-e", READ_IN_R], cwd=self.folder, check=True)
            written = json.loads((self.folder / "q.json").read_text())
            read = json.loads((self.folder / "read.json").read_text())
            for way in ("csv", "json"):
                self.assertEqual(len(read[way]), len(written))
                for told, row in zip(read[way], written):
                    self.assertEqual(list(told), list(row))
                    for key, value in row.items():
                        if isinstance(value, float):
                            # R prints a number with 15 digits.
                            self.assertAlmostEqual(told[key], value, delta=1e-14 * abs(value))
                        else:
                            self.assertEqual(told[key], value, (way, key))

    def test_tables(self):
        for arguments in ([], ["--group-by", "termination.name"]):
            for line in self.answer("query", "r.sqlite", *arguments).splitlines():
                self.assertLessEqual(len(line), 80)
        self.assertIn("expected --format csv or json", self.refusal("query", "r.sqlite", "--runs"))

    def test_several_metrics(self):
        names = ["control_messages", "end_time_s"]
        with_comma = self.query("--metric", ",".join(names))
        self.assertEqual(with_comma, self.query("--metric", names[0], "--metric", names[1]))
        self.assertEqual([row["metric"] for row in with_comma], names * (len(with_comma) // 2))

    def test_an_unknown_metric(self):
        for verb in (["query"], ["compare", "--by", "termination.name"]):
            refused = self.refusal(*verb, "r.sqlite", "--metric", "end_time_s,control_mesages")
            self.assertIn('"control_mesages", did you mean "control_messages"?', refused)
            refused = self.refusal(*verb, "r.sqlite", "--metric", "qqqqqqqq")
            for name in {row["metric"] for row in self.query()}:
                self.assertIn(name, refused)
            self.assertIn('metric ""', self.refusal(*verb, "r.sqlite", "--metric", "end_time_s,"))

    def test_no_store(self):
        self.write("other", "text\n")
        self.assertIn("is not a store", self.refusal("query", "other"))
        self.assertIn("missing: no such file", self.refusal("query", "missing"))
        self.assertIn("missing: no such file", self.refusal(
            "compare", "missing", "--by", "termination.name", "--metric", "end_time_s"))
        self.assertIn("missing: no such file", self.refusal("report", "missing", "--html", "p"))
        self.assertIn("expected a store", self.refusal("query"))


class Compare(StoreTest):
    BY = ("--by", "termination.name", "--metric", "control_messages")

    def compare(self, *arguments):
        return json.loads(self.answer("compare", "r.sqlite", *self.BY, "--format", "json",
                                      *arguments))

    def test_paired_differences(self):
        values = self.values("control_messages")
        found = self.compare()
        self.assertEqual(len(found), 12)
        for row in found:
            pair = [values[name, row["platform.processes"], row["seed"]]
                    for name in (row["first"], row["second"])]
            sample = [a - b for a, b in zip(*pair)]
            self.assertEqual(row["pairs"], 6)
            self.assertAlmostEqual(row["difference"], statistics.mean(sample))
            self.check_half_width(row["high"] - row["difference"], sample)
            expected = "no difference shown"
            if abs(row["difference"]) > half_width(sample):
                expected = row["first"] if row["difference"] < 0 else row["second"]
            self.assertEqual(row["verdict"], expected)
            self.assertEqual(row["winner"], None if "no " in expected else expected)

    def test_higher_is_better(self):
        def winners(*arguments):
            return {row["winner"] for row in self.compare(*arguments)}
        self.rewrite(lambda point, replication, metrics: metrics.update(
            control_messages=100 + replication + (point >= 12)))  # cda has one more
        self.assertEqual(winners(), {"four-counter"})
        self.assertEqual(winners("--higher-is-better"), {"cda"})

    def test_times_are_shown_in_a_unit_that_is_read_easily(self):
        by = ("--by", "termination.name", "--metric", "detection_latency_s")
        longest_s = max(mean for row in json.loads(
            self.answer("compare", "r.sqlite", *by, "--format", "json"))
                        for mean in (row["first_mean"], row["second_mean"]))
        text = self.answer("compare", "r.sqlite", *by)
        unit = re.match(r"detection_latency_s in (\w+), lower is better", text).group(1)
        longest = longest_s * {"s": 1, "ms": 1e3, "us": 1e6, "ns": 1e9}[unit]
        self.assertTrue(1 <= longest < 1000, (longest_s, unit))
        shown = [float(number) for number in re.findall(r"([\d.]+) \+-", text)]
        self.assertLess(min(abs(number - longest) for number in shown), 0.51)

    def test_several_metrics(self):
        def compared(*arguments):
            return json.loads(self.answer("compare", "r.sqlite", "--by", "termination.name",
                                          "--format", "json", *arguments))
        each = [compared("--metric", name) for name in ("end_time_s", "control_messages")]
        self.assertEqual({row["metric"] for row in each[0]}, {"end_time_s"})
        self.assertEqual(compared("--metric", "end_time_s,control_messages"), each[0] + each[1])
        text = self.answer("compare", "r.sqlite", *self.BY, "--metric", "end_time_s")
        self.assertLess(text.index("control_messages, lower"), text.index("end_time_s in "))

    def test_pairs_show_what_means_would_not(self):
        # The spread among replications is far larger than the difference.
        self.rewrite(lambda point, replication, metrics: metrics.update(
            control_messages=1000 * replication + (point < 12) + replication % 2 * 0.5))
        self.assertEqual({row["winner"] for row in self.compare()}, {"cda"})

    def test_noise_is_no_difference(self):
        # One metric on both sides, with different noise on each: with 95 % intervals about
        # one pair in twenty is shown to differ, and 12 pairs rarely have more than three.
        chance = random.Random(3)
        self.rewrite(lambda point, replication, metrics: metrics.update(
            control_messages=chance.gauss(100, 10)))
        decided = [row for row in self.compare() if row["winner"] is not None]
        self.assertLessEqual(len(decided), 3)
        self.assertIn("no difference shown", self.answer("compare", "r.sqlite", *self.BY))

    def test_what_breaks_its_promise_does_not_win(self):
        def change(point, _, metrics):
            if point == 12:  # cda, the cheaper one
                metrics["outcome"] = "premature"
        self.rewrite(change)
        found = self.compare("--where", "platform.processes == 8 and seed == 1")
        self.assertEqual(found, [])
        text = self.answer("compare", "r.sqlite", *self.BY, "--where",
                           "platform.processes == 8 and seed == 1")
        self.assertIn("nothing to compare", text)
        self.assertIn("6 bad runs", text)

    def test_what_gives_up_does_not_win_however_cheap(self):
        # None of 6 runs, and all 6: the intervals do not meet, as 0.025^(1/6) is above a half.
        self.rewrite(lambda point, replication, metrics: metrics.update(
            control_messages=100 + replication - (point >= 12),
            outcome="fatal-reported" if point >= 12 else metrics["outcome"]))
        for row in self.compare():
            self.assertEqual((row["verdict"], row["winner"]), ("four-counter", "four-counter"))
            self.assertEqual(row["decided_by"], "completed")
            self.assertEqual({row["first"]: row["first_completed"],
                              row["second"]: row["second_completed"]},
                             {"cda": 0, "four-counter": 1})
        text = " ".join(self.answer("compare", "r.sqlite", *self.BY).split())
        self.assertIn("the share of runs that completed", text)
        self.assertIn(", worse", text)

    def test_completed_is_better_the_higher(self):
        self.rewrite(lambda point, replication, metrics: metrics.update(
            outcome="fatal-reported" if point >= 12 else metrics["outcome"]))
        for arguments in ([], ["--higher-is-better"]):
            rows = json.loads(self.answer("compare", "r.sqlite", "--by", "termination.name",
                                          "--metric", "completed", "--format", "json", *arguments))
            self.assertEqual({row["winner"] for row in rows}, {"four-counter"})

    def test_refusals(self):
        for arguments, message in (
                (["--by", "seed", "--metric", "end_time_s"], "different random numbers"),
                (["--by", "workload.name", "--metric", "end_time_s"], "no two points differ"),
                (["--by", "a..b", "--metric", "end_time_s"], "expected a path"),
                (["--by", "termination.name", "--metric", "end_tim_s"], "end_time_s"),
                (["--by", "termination.name"], "expected --metric")):
            self.assertIn(message, self.refusal("compare", "r.sqlite", *arguments))
        self.write("two.json", changed(changed(SMALL, ["replications"], 2), ["termination"], [
            {"name": "cda", "initial_credit": 8}, {"name": "cda", "initial_credit": 64}]))
        self.sweep(file="two.json", store="two.sqlite")
        self.assertIn("have the same value and differ elsewhere",
                      self.refusal("compare", "two.sqlite", *self.BY))
        self.answer("compare", "two.sqlite", "--by", "termination", "--metric", "control_messages")


class CutOff(ProgramTest):
    """Runs that a limit ended are no results: every verb that reads a store reports that."""
    def test_every_verb_says_so(self):
        one = changed(SMALL, ["stop"], {"events": 400})
        self.write("one.json", one)
        self.write("s.json", changed(one, ["sweep"], {"seed": [5, 6]}))
        report = self.report("one.json", code=1)
        cut = sum(run["metrics"]["outcome"] == "limit" for run in report["runs"])
        self.assertTrue(0 < cut < 16, cut)
        last = self.answer("sweep", "s.json", "--store", "r.sqlite", code=1).splitlines()[-1]
        found = re.search(r"; (\d+) of 32 runs were cut off at a limit$", last)
        self.assertTrue(found, last)
        self.assertGreaterEqual(int(found[1]), cut)
        count = f"{found[1]} of 32 runs were cut off at a limit"
        text = " ".join(self.answer("query", "r.sqlite").split())
        self.assertIn(count, text)
        self.assertRegex(text, r">= \d")
        text = " ".join(self.answer("compare", "r.sqlite", "--by", "termination", "--metric",
                                    "control_messages").split())
        self.assertIn(count, text)
        self.assertRegex(text, r"\d cut off")
        self.answer("report", "r.sqlite", "--html", "r.html")
        self.assertIn(count, (self.folder / "r.html").read_text())
        for row in json.loads(self.answer("query", "r.sqlite", "--format", "json")):
            self.assertEqual(row["bound"] is None, row["cut_off"] == 0)
            if row["bound"]:
                self.assertIsNone(row["low"])


class Words(SweepTest):
    """Swept components stand in tables as words, elsewhere as they are stored."""

    CREDITS = [{"name": "cda", "initial_credit": credit} for credit in (8, 64)]

    def setUp(self):
        super().setUp()
        scenario = changed(changed(SMALL, ["replications"], 2), ["termination"], self.CREDITS)
        self.write("two.json", changed(scenario, ["sweep"], {"platform.processes": [8, 16]}))
        self.sweep(file="two.json", store="two.sqlite")

    def stored(self, text, column):
        return [json.loads(row[column]) for row in csv.DictReader(io.StringIO(text))]

    def test_of_query(self):
        table = self.answer("query", "two.sqlite")
        self.assertNotIn("{", table)
        for credit in (8, 64):
            for processes in (8, 16):
                self.assertRegex(table, rf"(?m)^cda, initial_credit {credit} +{processes} +\d")
        for value in self.stored(self.answer("query", "two.sqlite", "--format", "csv"),
                                 "termination"):
            self.assertIn(value, self.CREDITS)

    def test_what_has_no_room_is_numbered(self):
        table = self.answer("query", "two.sqlite", "--group-by", "termination,workload")
        self.assertNotIn("{", table)
        words = " ".join(table.split())
        for number, credit in enumerate((8, 64)):
            self.assertIn(f"{number}: termination=cda, initial_credit {credit}; "
                          "workload=token-ring, ", words)
            self.assertRegex(table, rf"(?m)^{number} +\d")

    def test_of_compare(self):
        compare = ("compare", "two.sqlite", "--by", "termination", "--metric", "control_messages")
        table = self.answer(*compare)
        self.assertNotIn("{", table)
        for credit in (8, 64):
            for processes in (8, 16):
                self.assertRegex(table, rf"(?m)^{processes} +cda, initial_credit {credit} +\d")
        text = self.answer(*compare, "--format", "csv")
        for column, value in zip(("first", "second"), self.CREDITS):
            self.assertEqual(self.stored(text, column), [value] * 2)
        for row in json.loads(self.answer(*compare, "--format", "json")):
            self.assertEqual([json.loads(row[name]) for name in ("first", "second")], self.CREDITS)


class Merge(SweepTest):
    def shards(self, count):
        names = []
        for index in range(1, count + 1):
            names.append(f"shard-{index}.sqlite")
            self.sweep("--shard", f"{index}/{count}", store=names[-1])
        return names

    def test_shards_make_the_whole(self):
        whole = self.whole()
        for count in (1, 3, 30, 60):
            names = self.shards(count)
            for number, order in enumerate((names, names[::-1])):
                out = f"merged-{count}-{number}.sqlite"
                self.assertEqual(self.answer("merge", out, *order), f"{out}: 24 points\n")
                self.assertEqual(rows(self.folder / out), whole)
            for name in names:
                (self.folder / name).unlink()

    def test_a_merged_store_goes_on(self):
        whole = self.whole()
        self.answer("merge", "r.sqlite", *self.shards(4)[:3])
        self.assertIn("24 of 24 points stored, 12 before", self.sweep())
        self.assertEqual(rows(self.store), whole)

    def test_duplicates_are_checked(self):
        whole = self.whole()
        names = self.shards(2)
        out = self.answer("merge", "r.sqlite", *names, names[0], "whole.sqlite")
        self.assertEqual(out, "r.sqlite: 24 points, 48 duplicates with equal results\n")
        self.assertEqual(rows(self.store), whole)
        with changing(self.folder / names[1]) as database:
            database.execute("UPDATE runs SET events=events+1 WHERE point=5 AND replication=4")
        message = self.refusal("merge", "new.sqlite", "whole.sqlite", *names)
        self.assertRegex(message, r"shard-2\.sqlite: point 5 \(.*\) differs from another store: "
                                  r"replication 4 has other results")
        self.assertNotIn("new.sqlite", " ".join(self.files()))

    def test_results_take_precedence_over_failures(self):
        whole = self.whole()
        with changing(self.folder / "whole.sqlite") as database:
            database.execute("DELETE FROM runs WHERE point=7")
            database.execute("UPDATE points SET failure='killed' WHERE point=7")
        self.sweep()
        for number, order in enumerate(itertools.permutations(("whole.sqlite", "r.sqlite"))):
            out = f"{number}.sqlite"
            self.answer("merge", out, *order)
            self.assertEqual(rows(self.folder / out), whole)

    def test_studies_stay_apart(self):
        self.sweep()
        self.write("other.json", changed(changed(STUDY, ["stop"], {"time_s": 1e6}),
                                         ["replications"], 2))
        self.sweep(file="other.json", store="other.sqlite")
        self.answer("merge", "both.sqlite", "r.sqlite", "other.sqlite")
        both = rows(self.folder / "both.sqlite")
        self.assertEqual([row[0] for row in both["studies"]], [1, 2])
        self.assertEqual(len(both["runs"]), 24 * 6 + 24 * 2)
        self.assertIn("24 before", self.sweep(store="both.sqlite", file="other.json"))

    def test_of_two_results_the_longer_one_is_kept(self):
        self.sweep()
        self.sweep("--replications", 9, store="longer.sqlite")
        for number, order in enumerate(itertools.permutations(("longer.sqlite", "r.sqlite"))):
            out = f"{number}.sqlite"
            self.assertEqual(self.answer("merge", out, *order),
                             f"{out}: 24 points, 24 duplicates with equal results\n")
            self.assertEqual(rows(self.folder / out), rows(self.folder / "longer.sqlite"))

    def test_points_that_are_kept_beside_a_study(self):
        self.sweep()
        self.write("s.json", changed(STUDY, ["sweep", "platform.processes"], [8, 16]))
        self.sweep(store="narrow.sqlite")
        self.assertIn("12 points of the store are not in this study", self.sweep())
        for number, order in enumerate(itertools.permutations(("narrow.sqlite", "r.sqlite"))):
            out = f"{number}.sqlite"
            self.assertEqual(self.answer("merge", out, *order),
                             f"{out}: 24 points, 12 duplicates with equal results\n")
            self.assertEqual(rows(self.folder / out), rows(self.store))

    def test_refusals(self):
        self.sweep()
        self.assertIn("already exists", self.refusal("merge", "r.sqlite", "r.sqlite"))
        self.assertIn("expected a new store", self.refusal("merge", "r.sqlite"))
        self.assertIn("missing.sqlite: no such file",
                      self.refusal("merge", "new.sqlite", "missing.sqlite"))


class Damage(SweepTest):
    """Stores that are damaged, or made by another program."""

    VERBS = (["query", "d.sqlite"],
             ["query", "d.sqlite", "--runs", "--format", "csv"],
             ["compare", "d.sqlite", "--by", "termination", "--metric", "control_messages"],
             ["sweep", "s.json", "--store", "d.sqlite"])
    OTHERS = (["report", "d.sqlite", "--html", "page.html"], ["merge", "m.sqlite", "d.sqlite"])

    def setUp(self):
        super().setUp()
        self.write("s.json", changed(SMALL, ["replications"], 2))
        self.sweep(store="d.sqlite")
        self.damaged = self.folder / "d.sqlite"
        with sqlite3.connect(self.damaged) as database:
            database.execute("PRAGMA page_size=512")
            database.commit()
            database.execute("VACUUM")
        self.healthy = self.damaged.read_bytes()

    def said(self):
        return [self.answer(*verb) for verb in self.VERBS]

    def check_same_or_refused(self, content, expected):
        self.damaged.write_bytes(content)
        for verb, before in zip(self.VERBS, expected):
            result = self.faultline(*verb)
            if result.returncode == 0:
                self.assertEqual(result.stdout, before, verb)
                continue
            self.assertEqual(result.returncode, 2, (verb, result.stderr))
            self.assertRegex(result.stderr, r"\Afaultline: d\.sqlite: [^\n]+\n\Z")
            self.assertEqual(result.stdout, "")

    def test_a_flipped_bit_changes_no_answer(self):
        expected = self.said()
        chance = random.Random(20262)
        for _ in range(40):
            content = bytearray(self.healthy)
            content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
            self.check_same_or_refused(bytes(content), expected)

    def test_a_renamed_outcome_is_refused_by_every_verb(self):
        with sqlite3.connect(self.damaged) as database:
            database.execute("UPDATE runs SET metrics=replace(metrics, 'outcome', 'nutcome') "
                             "WHERE point=0 AND replication=0")
        for verb in self.VERBS + self.OTHERS:
            self.assertIn("d.sqlite: runs: study 1, point 0, replication 0: is damaged: its "
                          "checksum does not match", self.refusal(*verb))
        # Somebody can make the checksums fit.
        with changing(self.damaged):
            pass
        for verb in self.VERBS + self.OTHERS:
            self.assertIn("d.sqlite: runs: study 1, point 0, replication 0: metrics.outcome: "
                          "missing", self.refusal(*verb))

    def test_another_size_of_pages_is_no_damage(self):
        expected = self.said()
        for size in (1024, 8192):
            with sqlite3.connect(self.damaged) as database:
                database.execute(f"PRAGMA page_size={size}")
                database.commit()
                database.execute("VACUUM")
            self.assertEqual(self.said(), expected)

    def test_names_that_are_none_of_files(self):
        for name in ("", ":memory:", "file:d.sqlite?mode=memory"):
            for verb in [*self.VERBS, *self.OTHERS, ["merge", "d.sqlite", "d.sqlite"]]:
                at = verb.index("d.sqlite")
                self.assertIn("expected", self.refusal(*verb[:at], name, *verb[at + 1:]))
        for option in ("--html", "--figures"):
            self.assertIn(option, self.refusal("report", "d.sqlite", option, ""))
        for verb in ("query", "compare"):
            self.assertIn("--out: expected the name of a file", self.refusal(
                verb, "d.sqlite", *(self.VERBS[2][2:] if verb == "compare" else []), "--out", ""))


if __name__ == "__main__":
    unittest.main()
