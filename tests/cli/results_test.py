# SPDX-License-Identifier: Apache-2.0
"""What `run` prints: the same for any number of jobs, with every field that other tools rely on,
and statistics that a second implementation finds in the same runs."""

import collections
import csv
import io
import json
import math
import re
import unittest

from program import (ENGINES, EXAMPLES, HAS_SIMGRID, PLATFORM_XML, ProgramTest, SMALL, SOURCE,
                     VERSION, changed, without_performance)
from stored_rows import changing

# The scenario that the documentation of the command line promises to run.
PROMISED = """
{ "schema_version": 1, "name": "Token ring under CDA on Blue Gene/P", "engine": "loggp", "seed": 1,
  "replications": 30,
  "platform": {"machine": "intrepid", "processes": 1024, "processes_per_node": 4,
               "mapping": "block"},
  "workload": {"name": "token-ring", "stop_probability": 0.001, "branch_probability": 0.0},
  "termination": {"name": "cda", "initial_credit": 4294967296},
  "failure_detection": {"name": "oracle", "delay_s": 0.001},
  "message_logging": {"name": "none"},
  "faults": {"at": []},
  "stop": {"when": "announced", "grace_s": 1.0, "time_s": 60.0, "events": 1000000000} }
"""

METRICS = ("terminated", "application_messages", "control_messages", "control_bytes",
           "termination_time_s", "announce_time_s", "detection_latency_s")

# The 0.975 quantiles of Student's t that the tests need, from printed tables.
STUDENT_T = {2: 12.706, 3: 4.3027, 4: 3.1824, 8: 2.3646, 30: 2.0452}


class EqualForAnyJobs(ProgramTest):
    def test_json_and_csv(self):
        clock = ("wall_s", "peak_rss_bytes")
        for engine in ENGINES:
            self.write("s.json", changed(SMALL, ["engine"], engine))
            reports, tables = [], []
            for jobs in (1, 2, 3, 8):
                reports.append(without_performance(self.report("s.json", "--jobs", jobs)))
                text = self.answer("run", "s.json", "--jobs", jobs, "--format", "csv")
                tables.append([{key: value for key, value in row.items() if key not in clock}
                               for row in csv.DictReader(io.StringIO(text))])
            self.assertEqual(len(tables[0]), 16)
            for report, table in zip(reports, tables):
                # As text, so that the order of keys counts.
                self.assertEqual(json.dumps(report), json.dumps(reports[0]), engine)
                self.assertEqual(table, tables[0], engine)

    def test_more_jobs_than_runs(self):
        self.write("s.json", changed(SMALL, ["replications"], 1))
        self.assertEqual(without_performance(self.report("s.json", "--jobs", 64)),
                         without_performance(self.report("s.json")))

    def test_the_table_has_no_clock(self):
        self.write("s.json", SMALL)
        self.assertEqual(self.answer("run", "s.json", "--jobs", 3), self.answer("run", "s.json"))


class Fields(ProgramTest):
    def test_of_a_report(self):
        for engine in ENGINES:
            self.write("s.json", changed(SMALL, ["engine"], engine))
            report = self.report("s.json")
            self.assertEqual(report["schema_version"], 1)
            self.assertEqual(report["scenario"]["name"], "small")
            self.assertRegex(report["scenario"]["hash"], r"^[0-9a-f]{16}$")
            self.assertRegex(report["versions"]["faultline"], rf"\A{VERSION}\Z")
            self.assertIn("simgrid", report["versions"])
            self.assertTrue(report["complete"])
            self.assertEqual(report["failed_runs"], [])
            order = [(run["point"], run["replication"]) for run in report["runs"]]
            self.assertEqual(order, [(point, number) for point in (0, 1) for number in range(8)])
            for run in report["runs"]:
                self.check_run(run, engine)
            self.assertEqual([point["point"] for point in report["summary"]], [0, 1])
            self.assertEqual([point["label"] for point in report["summary"]],
                             ["four-counter", "cda"])

    def check_run(self, run, engine):
        self.assertEqual((run["seed"], run["engine"]), (5, engine))
        self.assertEqual(run["violations"], [])
        metrics = run["metrics"]
        self.assertEqual(metrics["outcome"], "terminated")
        self.assertIs(metrics["terminated"], True)
        for name in METRICS:
            self.assertIn(name, metrics)
        for name in ("application_messages", "control_messages", "control_bytes"):
            self.assertIsInstance(metrics[name], int)
        self.assertAlmostEqual(metrics["detection_latency_s"],
                               metrics["announce_time_s"] - metrics["termination_time_s"])
        performance = run["performance"]
        self.assertEqual(sorted(performance),
                         ["events", "events_per_s", "peak_rss_bytes", "wall_s"])
        self.assertGreater(performance["events"], 0)
        self.assertGreater(performance["peak_rss_bytes"], 1_000_000)
        self.assertAlmostEqual(performance["events_per_s"],
                               performance["events"] / performance["wall_s"], delta=1)

    def test_terminated_is_null_without_a_detector(self):
        self.write("s.json", changed(SMALL, ["termination"], {"name": "none"}))
        for run in self.report("s.json")["runs"]:
            self.assertIsNone(run["metrics"]["terminated"])
            self.assertIsNone(run["derived"]["completed"])  # it runs until a time
            self.assertEqual(run["metrics"]["outcome"], "finished")
            self.assertEqual(run["metrics"]["control_messages"], 0)

    def test_the_summary_follows_from_the_runs(self):
        for replications in (1, 2, 3, 8):
            self.write("s.json", changed(SMALL, ["replications"], replications))
            report = self.report("s.json")
            for summary in report["summary"]:
                runs = [{**run["metrics"], "node_hours": run["derived"]["node_hours"]}
                        for run in report["runs"] if run["point"] == summary["point"]]
                numeric = {name for metrics in runs for name, value in metrics.items()
                           if name not in ("outcome", "terminated")}
                self.check_share(summary["metrics"].pop("completed"), replications)
                self.assertEqual(set(summary["metrics"]), numeric)
                for name, told in summary["metrics"].items():
                    values = [metrics[name] for metrics in runs if metrics[name] is not None]
                    self.check_statistics(told, values, name)

    def check_share(self, told, runs):
        """All have completed: Clopper and Pearson's interval is from 0.025^(1/n) to 1."""
        self.assertEqual((told["count"], told["mean"], told["cut_off"], told["bound"]),
                         (runs, 1, 0, None))
        low, high = told["confidence_interval_95"]
        self.assertAlmostEqual(low, 0.025 ** (1 / runs))
        self.assertEqual(high, 1)

    def check_statistics(self, told, values, name):
        """Two passes over exactly rounded sums: the program's way is another one."""
        self.assertEqual(told["count"], len(values), name)
        if not values:
            self.assertEqual(told["cut_off"], 0, name)
            self.assertEqual({told[key] for key in told if key not in ("count", "cut_off")}, {None},
                             name)
            return
        mean = math.fsum(values) / len(values)
        self.assertEqual((told["min"], told["max"]), (min(values), max(values)), name)
        self.assertTrue(math.isclose(told["mean"], mean, rel_tol=1e-12, abs_tol=1e-300), name)
        if len(values) == 1:
            self.assertIsNone(told["standard_deviation"])
            self.assertIsNone(told["confidence_interval_95"])
            return
        squares = math.fsum((value - mean) ** 2 for value in values)
        deviation = math.sqrt(squares / (len(values) - 1))
        self.assertTrue(math.isclose(told["standard_deviation"], deviation, rel_tol=1e-9,
                                     abs_tol=1e-12 * abs(mean)), (name, told, deviation))
        half = STUDENT_T[len(values)] * deviation / math.sqrt(len(values))
        low, high = told["confidence_interval_95"]
        self.assertTrue(math.isclose((low + high) / 2, mean, rel_tol=1e-12, abs_tol=1e-15), name)
        # The table has five digits.
        self.assertTrue(math.isclose((high - low) / 2, half, rel_tol=2e-5,
                                     abs_tol=1e-12 * abs(mean)), (name, told, half))

    def test_csv_says_what_json_says(self):
        self.write("s.json", SMALL)
        rows = list(csv.DictReader(io.StringIO(self.answer("run", "s.json", "--format", "csv"))))
        for row, run in zip(rows, self.report("s.json")["runs"], strict=True):
            for name in ("point", "label", "seed", "replication", "engine"):
                self.assertEqual(row[name], str(run[name]))
            self.assertEqual(row["violations"], "0")
            for name, value in run["metrics"].items():
                if isinstance(value, (int, float)) and not isinstance(value, bool):
                    self.assertEqual(float(row[name]), value, name)

    def test_of_survival(self):
        report = json.loads(self.answer("survival", "--format", "json", "--processes", 64,
                                        "--fanout", "2,8"))
        self.assertEqual((report["processes"], report["distribution"]), (64, "jaguar"))
        self.assertEqual([(row["protocol"], row["fanout"]) for row in report["rows"]],
                         [("indep", 2), ("indep", 8), ("rel", None)])
        for row in report["rows"]:
            fatal = math.fsum(size["failure_probability"] for size in row["by_size"])
            self.assertAlmostEqual(row["survival_percent"], 100 * (1 - fatal), places=9)
            self.assertEqual(sum(size["count"] for size in row["by_size"]), 1062)

    def test_of_bench(self):
        for engine in ENGINES:
            report = json.loads(self.answer(
                "bench", "--format", "json", "--processes", 1024, "--in-flight", 32,
                "--messages", 3200, "--rounds", 1, "--engine", engine))
            self.assertEqual((report["engine"], report["processes"], report["in_flight"]),
                             (engine, 1024, 32))
            self.assertGreaterEqual(report["messages"], 3200)
            self.assertAlmostEqual(
                report["ratio"],
                report["messages_per_s"] / report["reference_heap_events_per_s"], places=9)
            self.assertGreater(report["peak_rss_bytes"], 1_000_000)
            self.assertGreater(report["bytes_per_process"], 0)

    def test_of_bench_of_a_failure_detector(self):
        words = ("bench", "--failure-detection", "rdaemon", "--processes", 40, "--seconds", 4)
        report = json.loads(self.answer(*words, "--format", "json"))
        self.assertEqual((report["failure_detection"], report["machine"], report["daemons"],
                          report["simulated_s"], report["rounds"]), ("rdaemon", "mira", 40, 4, 1))
        quiet, deadly = report["runs"]
        self.assertEqual((quiet["deaths"], deadly["deaths"]), (0, 10))
        # Each daemon sends its first heartbeat within a period, and then one in each.
        self.assertEqual(quiet["messages"], 40 * 40)
        # Then each of 30 daemons tells all its neighbours and its rank of 10 deaths. The 10 daemons
        # that stand in for a dead one are asked to, and send a heartbeat at once, from which their
        # next period counts.
        neighbours = len({sign * 2 ** k % 40 for sign in (1, -1) for k in range(6)})
        told = 10 * 30 * (neighbours + 1)
        self.assertAlmostEqual(deadly["messages"], 40 * 20 + 30 * 20 + told + 10 + 10, delta=10)
        for run in report["runs"]:
            self.assertAlmostEqual(run["events_per_message"], run["events"] / run["messages"])
            self.assertAlmostEqual(run["messages_per_s"], run["messages"] / run["spent_s"], 3)
            self.assertAlmostEqual(
                run["ratio"], run["messages_per_s"] / run["reference_heap_events_per_s"], places=9)
            self.assertGreater(run["peak_rss_bytes"], 1_000_000)
        table = self.answer(*words)
        self.assertRegex(table, r"(?m)^rdaemon among 40 daemons on mira, 4 simulated seconds")
        for run in report["runs"]:
            self.assertRegex(table, rf"(?m)^ +{run['deaths']} +{run['messages']} ")

    def test_of_bench_of_a_failure_detector_that_sends_nothing(self):
        report = json.loads(self.answer("bench", "--failure-detection", "oracle", "--processes", 8,
                                        "--seconds", 1, "--format", "json"))
        for run, deaths in zip(report["runs"], (0, 2), strict=True):
            self.assertEqual((run["deaths"], run["messages"]), (deaths, 0))
            for rate in ("events_per_message", "messages_per_s", "ratio"):
                self.assertIsNone(run[rate])

    def test_of_bench_of_transactions(self):
        words = ("bench", "--transactions", "fampi", "--processes", 64, "--messages", 1)
        report = json.loads(self.answer(*words, "--format", "json"))
        self.assertEqual((report["transactions"], report["machine"], report["processes"],
                          report["rounds"]), ("fampi", "stampede", 64, 1))
        quiet, deadly = report["runs"]
        self.assertEqual((quiet["deaths"], deadly["deaths"]), (0, 1))
        # In an iteration of 4 x 4 x 4 ranks: the halos of 27-point neighbourhoods, two sums of 6
        # stages, and one agreement.
        iteration = (3 * 4 - 2) ** 3 - 64 + 2 * 64 * 6 + 2 * 63
        self.assertEqual((quiet["iterations"], quiet["messages"]), (20, 20 * iteration))
        # An iteration at least is done again, and not all of them.
        self.assertGreater(deadly["messages"], 21 * iteration)
        self.assertLess(deadly["messages"], 40 * iteration)
        for run in report["runs"]:
            self.assertAlmostEqual(run["messages_per_s"], run["messages"] / run["spent_s"], 3)
            for ratio, to in (("layer_ratio", "bare_messages_per_s"),
                              ("traffic_ratio", "traffic_messages_per_s")):
                self.assertAlmostEqual(run[ratio], run["messages_per_s"] / run[to], places=9)
            self.assertGreater(run["peak_rss_bytes"], 1_000_000)
            self.assertGreater(run["bytes_per_process"], 0)
        table = self.answer(*words)
        self.assertRegex(table, r"(?m)^minife under fampi with 64 processes on stampede, 20 iter")
        for run in report["runs"]:
            self.assertRegex(table, rf"(?m)^ +{run['deaths']} +{run['messages']} ")

    def test_of_list(self):
        whole = json.loads(self.answer("list", "--format", "json"))
        self.assertEqual(list(whole), ["schema_version", "protocols", "workloads", "machines",
                                       "engines", "faults", "metrics"])
        protocols = {entry["name"]: entry for entry in whole["protocols"]}
        self.assertEqual(protocols["cda"]["family"], "termination")
        credit, = (option for option in protocols["cda"]["options"]
                   if option["name"] == "initial_credit")
        self.assertEqual(credit["default"], 4294967296)
        self.assertEqual([metric["names"] for metric in protocols["cda"]["metrics"]],
                         [["borrows"], ["flushes"], ["delayed_messages"], ["waves"], ["merges"]])
        self.assertEqual({metric["merge"] for metric in protocols["cda"]["metrics"]}, {"sum"})
        interior = protocols["indep"]["metrics"][-1]
        self.assertEqual((interior["names"][0], len(interior["names"]), interior["merge"]),
                         ("interior_fraction_min", 5, "sample"))
        self.assertIn("token-ring", {entry["name"] for entry in whole["workloads"]})
        self.assertEqual({"cori", "intrepid", "jaguar", "mira", "nacl", "stampede"},
                         {entry["name"] for entry in whole["machines"]})
        engines = {entry["name"]: entry["available"] for entry in whole["engines"]}
        self.assertEqual(engines, {"loggp": True, "simgrid": HAS_SIMGRID})
        for section in list(whole)[1:]:
            one = json.loads(self.answer("list", section, "--format", "json"))
            self.assertEqual(one, {"schema_version": 1, section: whole[section]})

    def test_of_list_metrics(self):
        listed = json.loads(self.answer("list", "metrics", "--format", "json"))["metrics"]
        names = {name for metric in listed for name in metric["names"]}
        for entry in listed:
            self.assertTrue(entry["doc"], entry)
            self.assertEqual(entry["group"] in ("workload", "transactions", "termination",
                                                "message_logging", "failure_detection"),
                             bool(entry["components"]), entry)
        table = self.answer("list", "metrics")
        for name in names:
            self.assertIn(name, table)


def keys_in(value):
    """Every key of the objects in a JSON value."""
    if isinstance(value, dict):
        return set(value).union(*map(keys_in, value.values()))
    return set().union(*map(keys_in, value)) if isinstance(value, list) else set()


class Documents(ProgramTest):
    """docs/output.md leaves no field out, and the pages of docs/ no metric."""

    def check_documented(self, words, pages):
        text = "".join(page.read_text() for page in pages)
        missing = sorted(word for word in words if f"`{word}`" not in text)
        self.assertEqual(missing, [], [page.name for page in pages])

    def test_fields(self):
        self.write("s.json", SMALL)
        report = self.report("s.json")
        for point in report["runs"] + report["summary"]:
            point["metrics"] = list(point["metrics"].values())  # their names are another test's
        bench = self.answer("bench", "--messages", 1024, "--rounds", 1, "--format", "json")
        detection = self.answer("bench", "--failure-detection", "swim", "--processes", 8,
                                "--seconds", 1, "--format", "json")
        transactions = self.answer("bench", "--transactions", "ulfm", "--processes", 8,
                                   "--messages", 1, "--format", "json")
        lists = json.loads(self.answer("list", "--format", "json"))
        lists["machines"] = [list(machine) for machine in lists["machines"]]
        fields = keys_in([report, json.loads(bench), json.loads(detection),
                          json.loads(transactions), lists,
                          json.loads(self.answer("survival", "--format", "json"))])
        fields |= {"kind", "time_s", "actor", "detail", "point", "replication", "error"}
        # Traits and the names of SimGrid's terms are the components' own.
        fields -= keys_in([entry.get("traits", {}) for entry in lists["protocols"]])
        self.check_documented(fields, [SOURCE / "docs/output.md"])

    def test_metrics(self):
        metrics = set()
        for example in sorted(EXAMPLES.glob("*.json")):
            text = self.faultline("run", example, "--replications", 1, "--format", "json").stdout
            for run in json.loads(text)["runs"]:
                metrics |= set(run["metrics"])
        kinds = {metric for metric in metrics if "." in metric}
        listed = json.loads(self.answer("list", "metrics", "--format", "json"))["metrics"]
        names = {name for metric in listed for name in metric["names"]}
        self.assertEqual(metrics - kinds - names, set())
        self.assertEqual({kind.split(".")[0] + ".KIND" for kind in kinds} - names, set())
        self.check_documented(metrics - kinds, [SOURCE / "docs/output.md",
                                                SOURCE / "docs/scenario-reference.md",
                                                *(SOURCE / "docs/protocols").glob("*.md")])


class Options(ProgramTest):
    def test_the_promised_scenario(self):
        self.write("s.json", PROMISED)
        report = self.report("s.json", "--replications", 4, "--jobs", 2)
        self.assertEqual(len(report["runs"]), 4)
        # Theorem 1 of termination-2022: no more than 2P.
        self.assertLessEqual(report["summary"][0]["metrics"]["control_messages"]["max"], 2048)

    def test_stop_may_be_left_out(self):
        self.write("s.json", PROMISED)
        whole = json.loads(PROMISED)
        del whole["stop"]
        self.write("t.json", whole)
        self.assertEqual(without_performance(self.report("s.json", "--replications", 2)),
                         without_performance(self.report("t.json", "--replications", 2)))

    def test_set_takes_whole_json_values(self):
        self.write("s.json", SMALL)
        other = changed(SMALL, ["termination"], {"name": "cda", "initial_credit": 1024})
        other = changed(other, ["platform", "processes"], 32)
        self.write("t.json", other)
        report = self.report("s.json", "--set", 'termination={"name": "cda", "initial_credit": 64}',
                             "--set", "platform.processes=32",
                             "--set", "termination.initial_credit=1024")
        self.assertEqual(without_performance(report), without_performance(self.report("t.json")))

    def test_set_makes_points(self):
        self.write("s.json", changed(SMALL, ["termination"], {"name": "cda"}))
        report = self.report("s.json", "--set", 'termination=[{"name":"cda"},{"name":"none"}]',
                             "--set", 'termination[1].name="dijkstra-scholten"')
        self.assertEqual([point["label"] for point in report["summary"]],
                         ["cda", "dijkstra-scholten"])

    def test_seed_replications_and_engine_are_those_of_the_file_by_another_way(self):
        self.write("s.json", SMALL)
        for engine in ENGINES:
            other = dict(SMALL, seed=99, replications=2, engine=engine)
            self.write("t.json", other)
            said = self.report("s.json", "--seed", 99, "--replications", 2, "--engine", engine)
            self.assertEqual(without_performance(said), without_performance(self.report("t.json")))
        self.assertNotEqual(self.answer("run", "s.json"), self.answer("run", "s.json", "--seed", 6))

    def test_a_replication_does_not_depend_on_how_many_there_are(self):
        self.write("s.json", SMALL)
        few = without_performance(self.report("s.json", "--replications", 2))["runs"]
        many = without_performance(self.report("s.json", "--replications", 5))["runs"]
        self.assertEqual(few, [run for run in many if run["replication"] < 2])

    def test_dry_run(self):
        self.write("s.json", SMALL)
        said = self.answer("run", "s.json", "--dry-run", "--replications", 3)
        for word in ("2 points", "3 replications", "6 runs", "four-counter", "cda"):
            self.assertIn(word, said)

    def test_out_has_what_standard_output_has(self):
        self.write("s.json", SMALL)
        self.assertEqual(self.answer("run", "s.json", "--out", "table.txt"), "")
        self.assertEqual((self.folder / "table.txt").read_text(), self.answer("run", "s.json"))
        (self.folder / "link").symlink_to("table.txt")
        self.answer("run", "s.json", "--format", "csv", "--out", "link")
        self.assertTrue((self.folder / "link").is_symlink())
        self.assertTrue((self.folder / "table.txt").read_text().startswith("point,label,seed"))


class Platforms(ProgramTest):
    def test_paths_are_relative_to_the_scenario(self):
        machine = json.loads((SOURCE / "scenarios/machines/intrepid.json").read_text())
        self.write("sites/machines/mine.json", machine)
        self.write("sites/jobs/s.json",
                   changed(SMALL, ["platform", "machine"], "../machines/mine.json"))
        self.write("s.json", SMALL)
        for engine in ENGINES:
            here = self.report("s.json", "--engine", engine)
            there = self.report("sites/jobs/s.json", "--engine", engine)
            self.assertEqual(without_performance(here), without_performance(there))

    @unittest.skipUnless(HAS_SIMGRID, "built without SimGrid")
    def test_a_platform_file_with_overheads(self):
        self.write("site/p.xml", PLATFORM_XML)
        ping = {"schema_version": 1,
                "platform": {"xml": "p.xml", "processes": 8, "processes_per_node": 1},
                "workload": {"name": "ping-pong", "repetitions": 10, "bytes": 8}}
        self.write("site/plain.json", ping)
        overheads = {"send_overhead_s": 1e-5, "receive_overhead_s": 2e-5}
        self.write("site/slow.json", changed(ping, ["platform", "overheads"], overheads))
        times = {}
        for name in ("plain", "slow"):
            for engine in ENGINES:
                report = self.report(f"site/{name}.json", "--engine", engine)
                times[name, engine] = report["summary"][0]["metrics"]["end_time_s"]["mean"]
            self.assertAlmostEqual(times[name, "loggp"] / times[name, "simgrid"], 1, places=6)
        # Twenty messages, one at a time, pay both overheads.
        for engine in ENGINES:
            difference = times["slow", engine] - times["plain", engine]
            self.assertAlmostEqual(difference / (20 * 3e-5), 1, places=6)


class AllFailed(ProgramTest):
    """A fault that takes the whole job is not a violation, and nobody has survived it."""

    JOB = {"schema_version": 1, "replications": 4,
           "platform": {"machine": "intrepid", "processes": 8, "processes_per_node": 1},
           "workload": {"name": "flood", "fanout": 2, "compute_s": 1},
           "termination": [{"name": "indep"}, {"name": "rel-eager"}],
           "failure_detection": {"name": "oracle"},
           "faults": {"counts": {"size": 8, "time_s": 0.5, "victims": "ranks"}}}

    def test_runs(self):
        for engine in ENGINES:
            for when in ("announced", "all-reported", "time"):
                self.write("s.json", {**self.JOB, "engine": engine,
                                      "stop": {"when": when, "time_s": 9}})
                for run in self.report("s.json")["runs"]:
                    self.assertIs(run["derived"]["completed"],
                                  False if when == "announced" else None)
                    self.assertEqual(run["metrics"]["outcome"], "all-failed")
                    self.assertIs(run["metrics"]["terminated"], False)
                    self.assertEqual(run["violations"], [])
                self.assertIn("all-failed", self.answer("run", "s.json"))

    def test_stores(self):
        self.write("s.json", {**self.JOB, "sweep": {"faults.counts.size": [1, 8]}})
        self.answer("sweep", "s.json", "--store", "s.sqlite")
        rows = json.loads(self.answer("query", "s.sqlite", "--metric", "terminated",
                                      "--format", "json"))
        means = {(row["termination"], row["faults.counts.size"]): row["mean"] for row in rows}
        self.assertEqual(len(means), 4)
        self.assertEqual({share for (_, size), share in means.items() if size == 8}, {0})
        self.assertNotEqual({share for (_, size), share in means.items() if size == 1}, {0})
        ends = self.answer("query", "s.sqlite", "--runs", "--where", "faults.counts.size == 8",
                           "--format", "csv")
        self.assertEqual(ends.count("all-failed"), 8)
        # No winner where nobody survives.
        pairs = json.loads(self.answer("compare", "s.sqlite", "--by", "termination", "--metric",
                                       "terminated", "--format", "json"))
        self.assertEqual([pair["winner"] for pair in pairs], [None, None])


class FatalReasons(ProgramTest):
    """Tables say why runs were fatal, as often as the JSON and the store have it."""

    JOB = {**SMALL,
           "workload": {"name": "uniform-traffic", "fanout": 2, "tokens": 0,
                        "burst_compute_s": 0.02},
           "termination": [{"name": "indep"}, {"name": "rel-eager"}],
           "failure_detection": {"name": "oracle", "delay_s": 0.001},
           "faults": {"at": [{"time_s": 0.01, "ranks": [3, 7, 9, 11]}]}}

    def words(self, *arguments):
        """The text of a table, in one line."""
        text = self.answer(*arguments)
        for line in text.splitlines():
            self.assertLessEqual(len(line), 80)
        return " ".join(text.split())

    def told(self, reasons):
        """The words for these reasons, one for each fatal run."""
        counts = sorted(collections.Counter(reasons).items(), key=lambda item: (-item[1], item[0]))
        return f"{len(reasons)} fatal-reported: " + ", ".join(
            f"{runs} {reason}" for reason, runs in counts)

    def test_of_runs(self):
        self.write("s.json", self.JOB)
        reasons = {}
        for run in self.report("s.json")["runs"]:
            if run["metrics"]["outcome"] == "fatal-reported":
                reasons.setdefault(run["label"], []).append(run["metrics"]["fatal_reason"])
        self.assertEqual(list(reasons), ["indep"])
        self.assertEqual(len(set(reasons["indep"])), 2)
        words = self.words("run", "s.json")
        self.assertIn("indep: " + self.told(reasons["indep"]), words)
        self.assertNotIn("rel-eager: ", words)

    def test_of_stores(self):
        self.write("s.json", {**self.JOB, "sweep": {"seed": [5, 6]}})
        self.answer("sweep", "s.json", "--store", "r.sqlite")
        fatal = "WHERE json_extract(metrics, '$.outcome') = 'fatal-reported'"
        with changing(self.folder / "r.sqlite") as database:
            reasons = [reason for reason, in database.execute(
                "SELECT json_extract(metrics, '$.fatal_reason') FROM runs " + fatal)]
        self.assertGreater(len(reasons), 8)
        self.assertTrue(self.words("query", "r.sqlite").endswith(self.told(reasons)))
        self.assertNotIn("fatal-reported", self.words("query", "r.sqlite", "--where",
                                                      "termination.name == 'rel-eager'"))
        with changing(self.folder / "r.sqlite") as database:
            database.execute("UPDATE runs SET metrics=json_set(metrics, '$.fatal_reason', ?) "
                             + fatal, ("esc \x1b[31m",))
        self.assertTrue(self.words("query", "r.sqlite").endswith(
            self.told(["esc \\x1b[31m"] * len(reasons))))


class Labels(ProgramTest):
    """The tables of a run name points by their labels, where there is room."""

    def setUp(self):
        super().setUp()
        self.job = {**SMALL, "replications": 1, "workload": [
            {"name": "token-ring", "stop_probability": 0.05},
            {"name": "uniform-traffic", "fanout": 2, "hops": 20}]}

    def table(self):
        self.write("s.json", self.job)
        text = self.answer("run", "s.json")
        for line in text.splitlines():
            self.assertLessEqual(len(line), 80)
        return text, [point["label"] for point in self.report("s.json")["summary"]]

    def test_of_two_swept_workloads(self):
        text, labels = self.table()
        self.assertIn("uniform-traffic / four-counter", labels)
        measured, theory = text.split("against theory")
        for label in labels:
            self.assertRegex(measured, rf"(?m)^{label} +\d")
        self.assertNotIn("point 0", measured)
        # Labels and formulas have no room beside each other.
        for number, label in enumerate(labels):
            self.assertIn(f"\npoint {number}: {label}\n", theory)
        self.assertRegex(theory, r"(?m)^0 +>= ")

    def test_of_labels_that_have_no_room(self):
        self.job["termination"] = [
            {"name": "cda", "initial_credit": credit} for credit in (8, 64)]
        self.job["workload"].append({"name": "uniform-traffic", "fanout": 4, "hops": 20})
        text, labels = self.table()
        measured = " ".join(text.split("against theory", maxsplit=1)[0].split())
        for number, label in enumerate(labels):
            self.assertIn(f"point {number}: {label} ", measured)
        self.assertEqual(text.count("point 0: "), 1)


class SparedPoints(ProgramTest):
    """A point whose faults came in no run tells nothing about faults, and the tables note that."""

    JOB = {**SMALL, "termination": [{"name": "indep"}, {"name": "rel-eager"}],
           "failure_detection": {"name": "oracle"}}
    WORDS = "no drawn or recorded fault has struck in any of 8 runs"

    def words(self, *arguments):
        return " ".join(self.answer(*arguments).split())

    def test_in_every_table(self):
        rare = {"poisson": {"mtbf_s": 1e12}}
        self.write("rare.json", {**self.JOB, "faults": rare})
        result = self.faultline("run", "rare.json")
        self.assertIn("faults.poisson[0]: no fault is expected: one strikes every 1e+12 s",
                      result.stderr)
        words = " ".join(result.stdout.split())
        self.assertIn(f"indep: {self.WORDS} rel-eager: {self.WORDS}", words)
        self.write("s.json", {**self.JOB, "faults": rare, "sweep": {
            "faults.poisson.mtbf_s": [1e12, 1e-4]}})
        self.faultline("sweep", "s.json", "--store", "r.sqlite")
        words = self.words("query", "r.sqlite")
        self.assertEqual(words.count("no drawn or recorded fault"), 2)
        self.assertIn("termination=indep; faults.poisson.mtbf_s=1e+12: " + self.WORDS, words)
        self.assertNotIn("no drawn", self.words("query", "r.sqlite", "--where",
                                                "faults.poisson.mtbf_s < 2"))
        # A group in which some are struck is not spared.
        self.assertNotIn("no drawn", self.words("query", "r.sqlite", "--group-by", "termination"))
        self.answer("report", "r.sqlite", "--html", "r.html")
        self.assertEqual((self.folder / "r.html").read_text().count(self.WORDS), 2)

    def test_stated_faults_alone_are_none_of_these(self):
        self.write("s.json", {**self.JOB, "faults": {"at": [{"time_s": 50, "ranks": [3]}]}})
        result = self.faultline("run", "s.json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertNotIn("no drawn", " ".join(result.stdout.split()))


class UsualColumns(ProgramTest):
    """Tables show what belongs to the families that are compared, and no column of dashes."""

    WATCHED = {**SMALL, "termination": {"name": "none"}, "replications": 2,
               "workload": {"name": "uniform-traffic", "tokens": 1, "hops": 1},
               "failure_detection": [{"name": "swim", "heartbeat_period_s": 0.1},
                                     {"name": "ulfm", "heartbeat_period_s": 0.1,
                                      "timeout_s": 0.3}],
               "faults": {"at": [{"time_s": 1, "ranks": [3]}]},
               "stop": {"when": "all-reported", "time_s": 100}}

    def columns(self, *arguments):
        """The titles of a table's columns, each as words."""
        shown = []
        for block in self.answer(*arguments).split("\n\n"):
            lines = block.splitlines()
            rule = next((i for i, line in enumerate(lines) if set(line) == {"-", " "}), None)
            for dashes in re.finditer("-+", lines[rule]) if rule else []:
                title = " ".join(line[dashes.start():dashes.end()].strip()
                                 for line in lines[:rule]).split()
                if title and title not in shown:
                    shown.append(title)
        return [" ".join(title) for title in shown]

    def test_of_failure_detectors(self):
        self.write("s.json", self.WATCHED)
        columns = self.columns("run", "s.json")
        self.assertNotIn("completed", columns)  # the runs end with the reports
        for words in ("false reports", "detection messages per node per s",
                      "failure detection latency", "failure propagation latency"):
            self.assertTrue(any(column.startswith(words) for column in columns), columns)
        self.assertFalse(any(column.startswith(("detection latency", "control", "application"))
                             for column in columns), columns)
        runs = self.report("s.json")["runs"]
        for run in runs:
            rate = run["metrics"]["detection_messages"] / run["metrics"]["end_time_s"] / 4
            self.assertAlmostEqual(run["derived"]["detection_messages_per_node_per_s"], rate)

    def test_of_termination_detectors_under_an_oracle(self):
        study = {**SMALL, "termination": [{"name": "indep"}, {"name": "rel-eager"}],
                 "failure_detection": {"name": "oracle"},
                 "faults": {"at": [{"time_s": 0.001, "ranks": [3]}]}}
        self.write("s.json", study)
        self.assertIn("\ncompleted at each point: 1.00 [", self.answer("run", "s.json"))
        columns = self.columns("run", "s.json")
        self.assertNotIn("completed", columns)
        self.assertIn("control messages", columns)
        self.assertFalse(any(column.startswith("failure") for column in columns), columns)
        self.write("one.json", {**study, "termination": {"name": "indep"}})
        columns = self.columns("run", "one.json")
        self.assertTrue(any(column.startswith("failure detection") for column in columns), columns)

    def test_a_table_of_a_store_begins_with_completed(self):
        self.write("s.json", changed(SMALL, ["sweep"], {"platform.processes": [4, 8]}))
        self.answer("sweep", "s.json", "--store", "r.sqlite")
        for arguments in ((), ("--metric", "end_time_s"), ("--metric", "completed,end_time_s")):
            columns = self.columns("query", "r.sqlite", *arguments)
            self.assertEqual(columns[:3], ["termination", "platform. processes", "completed"])
            self.assertEqual(columns.count("completed"), 1)
        listed = json.loads(self.answer("list", "metrics", "--format", "json"))["metrics"]
        usual = {name: metric["usual_for"] for metric in listed for name in metric["names"]}
        self.assertEqual(usual["detection_latency_s"], ["termination"])
        self.assertEqual(usual["waves"], [])


class ExitCodes(ProgramTest):
    def test_each_is_reached(self):
        self.write("s.json", SMALL)
        crash = EXAMPLES / "crash-under-cda.json"
        for code, arguments in ((0, ["s.json"]),
                                (1, ["s.json", "--set", "stop.events=20"]),
                                (1, ["s.json", "--set", "stop.time_s=1e-6"]),
                                (2, ["s.json", "--set", "seed=-1"]),
                                (3, [crash])):
            with self.subTest(code=code, arguments=arguments):
                self.assertEqual(self.faultline("run", *arguments).returncode, code)

    def test_the_limit_that_ends_a_run_is_told(self):
        self.write("s.json", SMALL)
        for limit, words in (("events=20", "stop.events, 20, "), ("time_s=1e-6", "stop.time_s, ")):
            with self.subTest(limit=limit):
                errors = self.faultline("run", "s.json", "--set", "stop." + limit).stderr
                self.assertIn("outcome limit: " + words, errors)
        self.assertNotIn("limit", self.faultline("run", "s.json").stderr)

    def test_limits_of_many_points_are_told_in_one_line(self):
        self.write("s.json", changed(SMALL, ["termination"], [
            {"name": "cda", "initial_credit": credit} for credit in (8, 16, 32)]))
        result = self.faultline("run", "s.json", "--set", "stop.events=10")
        lines = [line for line in result.stderr.splitlines() if "limit" in line]
        self.assertEqual(len(lines), 1, lines)
        self.assertIn("point 0: outcome limit: stop.events, 10, has been reached; "
                      "2 other points have reached limits", lines[0])

    def test_a_violation_is_told(self):
        crash = EXAMPLES / "crash-under-cda.json"
        report = self.report(crash, code=3)
        self.assertEqual(report["runs"][0]["metrics"]["outcome"], "hung")
        violation = report["runs"][0]["violations"][0]
        self.assertEqual(sorted(violation), ["actor", "detail", "kind", "time_s"])
        self.assertIn("hung at", self.answer("run", crash, code=3))

    def test_the_gravest_counts(self):
        self.write("s.json", changed(SMALL, ["stop"], {"events": 400}))
        outcomes = {run["metrics"]["outcome"] for run in self.report("s.json", code=1)["runs"]}
        self.assertEqual(outcomes, {"terminated", "limit"})


if __name__ == "__main__":
    unittest.main()
