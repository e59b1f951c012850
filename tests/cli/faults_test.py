# SPDX-License-Identifier: Apache-2.0
"""Fault traces from outside: summaries against an independent reading in Python, traces that are
generated and read back, and what is said of lines that cannot be read."""

import bz2
import collections
import csv
import datetime
import gzip
import json
import lzma
import math
import unittest

from program import ENGINES, ProgramTest, SOURCE, without_performance

SAMPLES = SOURCE / "scenarios/faults"
LANL = SAMPLES / "sample-lanl.csv"
FTA = SAMPLES / "sample-event_trace.tab"
PROFILE = SAMPLES / "sample-host.profile"
TABLE = SAMPLES / "sample-table.csv"

JOB = {
    "schema_version": 1,
    "name": "faults",
    "seed": 2,
    "replications": 3,
    "platform": {"machine": "intrepid", "processes": 32, "processes_per_node": 2},
    "workload": {"name": "token-ring", "walk_length": 3000, "step_compute_s": 0.001},
    "stop": {"when": "time", "time_s": 5},
}


def lanl_failures(path):
    """(seconds, node) of every row, by Python's own means."""
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    begin = datetime.datetime(1970, 1, 1)
    for row in rows:
        time = datetime.datetime.strptime(row["Prob Started"], "%m/%d/%Y %H:%M")
        yield (time - begin).total_seconds(), int(row["nodenumz"])


def sizes(failures, window):
    """How many different nodes fail within the window after the first of a fault."""
    counts, rest = collections.Counter(), sorted(failures)
    while rest:
        limit = rest[0][0] + window
        together = [failure for failure in rest if failure[0] <= limit]
        counts[len({node for _, node in together})] += 1
        rest = rest[len(together):]
    return {str(size): count for size, count in counts.items()}


def weibull(gaps):
    """Shape and scale of greatest likelihood, by bisection."""
    logs = sum(map(math.log, gaps)) / len(gaps)
    low, high = 0.01, 100.0
    for _ in range(200):
        shape = (low + high) / 2
        powers = [gap ** shape for gap in gaps]
        slope = sum(p * math.log(g) for p, g in zip(powers, gaps)) / sum(powers) - 1 / shape - logs
        low, high = (low, shape) if slope > 0 else (shape, high)
    return low, (sum(gap ** low for gap in gaps) / len(gaps)) ** (1 / low)


class Summaries(ProgramTest):
    def summary(self, *arguments):
        return json.loads(self.answer("faults", "summarize", *arguments, "--format", "json"))

    def test_against_python(self):
        failures = list(lanl_failures(LANL))
        for window in (0, 20000, 100000):
            said = self.summary(LANL, "--window", window)
            self.assertEqual(said["failures"], len(failures))
            self.assertEqual(said["counts"], sizes(failures, window))
            self.assertEqual(said["faults"], sum(said["counts"].values()))
        times = sorted(time for time, _ in failures)
        gaps = [b - a for a, b in zip(times, times[1:]) if b > a]
        shape, scale = weibull(gaps)
        fit = said["between_failures"]["weibull"]
        self.assertAlmostEqual(fit["shape"]["estimate"] / shape, 1, places=9)
        self.assertAlmostEqual(fit["scale_s"]["estimate"] / scale, 1, places=9)
        logs = [math.log(gap) for gap in gaps]
        mu = sum(logs) / len(logs)
        law = said["between_failures"]["lognormal"]
        self.assertAlmostEqual(law["mu"]["estimate"], mu, places=9)
        self.assertAlmostEqual(law["sigma"]["estimate"],
                               math.sqrt(sum((x - mu) ** 2 for x in logs) / len(logs)), places=9)

    def test_every_sample_has_a_table_and_a_job(self):
        for path, name in ((LANL, "lanl"), (FTA, "fta"), (PROFILE, "simgrid"), (TABLE, "table")):
            table = self.answer("faults", "summarize", path)
            self.assertIn(f"({name})", table.split(":")[0] + table)
            self.assertEqual(self.summary(path)["trace_format"], name)
            for engine in ENGINES:
                trace = {"trace": {"file": str(path), "time_scale": 1e-6, "limit": 2}}
                self.write("s.json", {**JOB, "faults": trace, "engine": engine})
                runs = self.report("s.json", "--replications", 1)["runs"]
                self.assertGreaterEqual(runs[0]["metrics"]["failed_ranks"], 2, (name, engine))

    def test_unreadable_lines_are_named_and_counted(self):
        text = LANL.read_text()
        self.write("t.csv", text + "1,2,3\n" * 14)
        result = self.faultline("faults", "summarize", "t.csv", "--format", "json")
        self.assertEqual(result.returncode, 0)
        lines = result.stderr.splitlines()
        first = text.count("\n") + 1
        self.assertEqual(lines[0], f"faultline: t.csv: line {first} cannot be read: "
                                   "expected 26 columns, got 3")
        self.assertEqual(lines[-1], "faultline: t.csv: 4 more lines cannot be read: "
                                    "expected 26 columns, got 3")
        self.assertEqual(len(lines), 11)
        said = json.loads(result.stdout)
        self.assertEqual(said["unreadable_lines"], 14)
        self.assertEqual([line["line"] for line in said["unreadable"]],
                         list(range(first, first + 14)))
        # A scenario with the same source runs.
        self.write("s.json", {**JOB, "faults": {"trace": {"file": "t.csv"}}})
        for verb in ("validate", "run"):
            result = self.faultline(verb, "s.json")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn(f"s.json: faults.trace.file: t.csv: line {first} cannot be read",
                          result.stderr)

    def test_a_system_counts_only_its_own_unreadable_lines(self):
        rows = LANL.read_text().splitlines(keepends=True)
        system = rows[1].split(",")[0]
        lost = rows[1].split(",")
        lost[6] = ""  # the node
        of_others = ",".join(["999", *lost[1:]])
        self.write("t.csv", "".join(rows) + ",".join(lost) + of_others * 3)
        for arguments, count in (((), 4), (("--system", system), 1)):
            result = self.faultline("faults", "summarize", "t.csv", "--format", "json", *arguments)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(json.loads(result.stdout)["unreadable_lines"], count)
            self.assertEqual(len(result.stderr.splitlines()), count)

    def test_a_compressed_trace_is_named_as_such(self):
        for name, packed in (("gzip", gzip.compress(LANL.read_bytes())),
                             ("bzip2", bz2.compress(LANL.read_bytes())),
                             ("xz", lzma.compress(LANL.read_bytes()))):
            self.write("t.csv", packed)
            self.assertIn(f"t.csv: is compressed with {name}; expected text, unpack it first",
                          self.refusal("faults", "summarize", "t.csv"))

    def test_counts_are_a_distribution(self):
        self.answer("faults", "summarize", FTA, "--window", 60, "--counts", "mine.json")
        counts = json.loads((self.folder / "mine.json").read_text())["counts"]
        self.assertEqual(counts, self.summary(FTA, "--window", 60)["counts"])
        self.answer("survival", "--processes", 64, "--fanout", 2, "--faults", "mine.json")
        self.write("s.json", {**JOB, "faults": {"poisson": {"mtbf_s": 1, "sizes": "mine.json"}}})
        self.report("s.json")

    def test_the_faults_of_a_scenario_follow_the_fitted_laws(self):
        self.answer("faults", "generate", "weibull", "shape=0.7", "mtbf_s=3600", "--nodes", 200,
                    "--duration", "6e6", "--repair-median", 600, "--repair-sigma", 0.5, "--out",
                    "t.tab")
        self.write("made/beside.txt", "")
        self.answer("faults", "summarize", "t.tab", "--counts", "sizes.json", "--scenario",
                    "made/faults.json")
        block = json.loads((self.folder / "made/faults.json").read_text())["faults"]
        fitted = self.summary("t.tab")
        law = fitted["between_failures"]["weibull"]
        self.assertEqual(set(block), {"weibull"})
        self.assertAlmostEqual(block["weibull"]["shape"], law["shape"]["estimate"], places=4)
        self.assertEqual(block["weibull"]["sizes"], "../sizes.json")
        repair = block["weibull"]["repair"]
        self.assertEqual(repair["law"], "lognormal")
        self.assertAlmostEqual(repair["mu"], math.log(600), delta=0.1)
        self.assertAlmostEqual(repair["sigma"], 0.5, delta=0.1)
        self.write("made/s.json", {**JOB, "faults": block})
        ran = self.faultline("run", "made/s.json")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("faults.weibull[0]: no fault is expected: one strikes every 3", ran.stderr)
        # The laws draw a trace in which they are found again.
        words = [f"{key}={block['weibull'][key]}" for key in ("shape", "scale_s")]
        words.append("repair=" + json.dumps(repair))
        self.answer("faults", "generate", "weibull", *words, "--nodes", 200, "--duration", "6e6",
                    "--seed", 5, "--out", "again.tab")
        again = self.summary("again.tab")["repairs"]["lognormal"]["mu"]
        low, high = again["confidence_95"]
        self.assertLess(abs(again["estimate"] - repair["mu"]), 2 * (high - low))

    def test_too_few_failures_make_no_faults_of_a_scenario(self):
        self.write("t.csv", "node,down_h,up_h\n1,1,2\n2,3,\n")
        self.assertIn("t.csv: too few faults at different times to fit a law",
                      self.refusal("faults", "summarize", "t.csv", "--scenario", "f.json"))
        self.assertFalse((self.folder / "f.json").exists())

    def test_a_law_that_no_scenario_takes_is_refused(self):
        times = [10.0 ** k for k in range(-300, 12, 20)]
        self.write("t.csv", "node,down\n" + "".join(f"1,{time}\n" for time in times))
        message = self.refusal("faults", "summarize", "t.csv", "--counts", "c.json", "--scenario",
                               "f.json")
        self.assertIn("t.csv: --scenario: lognormal.mu: expected a number from -20 to 25, or null, "
                      "got -3", message)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["t.csv"])

    def test_repairs_that_fit_no_law_are_not_left_out_in_silence(self):
        self.write("t.csv", "node,down,up\n1,1,2\n2,4,5\n3,9,10\n4,19,20\n")
        result = self.faultline("faults", "summarize", "t.csv", "--scenario", "f.json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr, "faultline: t.csv: the repairs fit no law, because too few "
                                        "of them differ; in f.json nothing is repaired\n")
        self.assertNotIn("repair", (self.folder / "f.json").read_text())

    def test_tables_of_strangers(self):
        for text, message in (
                ("node\tdown\n1\t2\n", "t.csv: the columns are separated by tabs; expected commas"),
                ("node;down\n1;2\n", "t.csv: the columns are separated by semicolons; expected"),
                ("node,down,up_sec\n1,2,3\n", 't.csv: column 3 is "up" in the unit "sec"; expected '
                                              "the name up_ms, up_s, up_min, up_h or up_d"),
                ("node,down\0\n1,2\n", "t.csv: line 1 has a zero byte; expected the text"),
                ("node,\x1b[31mdown\n1,2\n", "t.csv: a table of failures without a column down"),
                ("node,down,up\n", "t.csv: has no record of a failure"),
                ("node,down\n1,2\n".encode("utf-16"), "t.csv: is text in UTF-16; expected UTF-8")):
            self.write("t.csv", text)
            self.write("s.json", {**JOB, "faults": {"trace": {"file": "t.csv"}}})
            for arguments in (("faults", "summarize", "t.csv"), ("validate", "s.json"),
                              ("run", "s.json")):
                shown = self.refusal(*arguments)
                self.assertIn(message, shown)
                self.assertEqual(shown.count("\n"), 1, shown)
        # A time beyond reason is no reason to end.
        self.write("t.csv", "node,down\n1,1e308\n2,-1e308\n2,1\n3,4\n")
        result = self.faultline("faults", "summarize", "t.csv")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("t.csv: line 2 cannot be read: down: expected a time between -1e12 and 1e12 "
                      "s\n", result.stderr)

    def test_refusals(self):
        self.write("bad.txt", "nothing here\n")
        self.write("empty.txt", "")
        self.write("half.csv", "node,up\n1,2\n")
        self.write("law.profile", "STOCHASTIC LOOP\nEXP 1 DET 0\nDET 1 DET 1\n")
        for arguments, message in (
                (["faults"], "expected summarize or generate"),
                (["faults", "summarise"], "expected summarize or generate, got \"summarise\", did"),
                (["faults", "summarize"], "expected a trace of failures"),
                (["faults", "summarize", "none.csv"], "none.csv: no such file"),
                (["faults", "summarize", "bad.txt"], "bad.txt: not a trace of failures"),
                (["faults", "summarize", "half.csv"], "half.csv: a table of failures without a "
                                                      "column down"),
                (["faults", "summarize", "empty.txt"], "expected a trace of failures"),
                (["faults", "summarize", "law.profile"], "is a stochastic profile"),
                (["faults", "summarize", LANL, "--window", "-1"], "--window: expected a number"),
                (["faults", "summarize", LANL, "--system", "9"], "has no failure of system 9"),
                (["faults", "summarize", LANL, "--format", "csv"], "--format: expected table or")):
            self.assertIn(message, self.refusal(*arguments))


class Generated(ProgramTest):
    WEIBULL = ("weibull", "shape=0.7", "mtbf_s=20000", "sizes=jaguar", "--nodes", 64,
               "--duration", 2e6)

    def test_samples_are_what_generate_writes(self):
        for path, words in (
                (FTA, "weibull shape=0.7 mtbf_s=40000 sizes=jaguar --nodes 32 --seed 1"),
                (LANL, "poisson mtbf_s=60000 --nodes 16 --seed 2 --to lanl"),
                (PROFILE, "poisson mtbf_s=300000 --nodes 1 --seed 3 --to simgrid"),
                (TABLE, "lognormal mtbf_s=100000 sigma=1.5 --nodes 16 --seed 4 --to table")):
            text = self.answer("faults", "generate", *words.split(), "--duration", "3e6")
            self.assertEqual(text, path.read_text(), path)

    def test_same_seed_same_trace_and_it_reads_back(self):
        text = self.answer("faults", "generate", *self.WEIBULL)
        self.assertEqual(text, self.answer("faults", "generate", *self.WEIBULL, "--seed", 1))
        self.assertNotEqual(text, self.answer("faults", "generate", *self.WEIBULL, "--seed", 2))
        said = self.answer("faults", "generate", *self.WEIBULL, "--out", "t.tab")
        self.assertEqual((self.folder / "t.tab").read_text(), text)
        failures = json.loads(self.answer("faults", "summarize", "t.tab", "--format",
                                          "json"))["failures"]
        self.assertEqual(said, f"t.tab: {failures} failures\n")
        self.assertEqual(failures, text.count("\n") - 1)

    def test_refusals(self):
        nodes = ("--nodes", 4, "--duration", 100)
        for arguments, message in (
                ([], "expected a source such as weibull"),
                (["weibul", *nodes], "expected counts"),
                (["weibull", "mtbf_s=1", "--duration", 5], "--nodes: missing"),
                (["weibull", "mtbf_s=1", "--nodes", 4], "--duration: missing"),
                (["weibull", "mtbf=1", *nodes], "weibull.mtbf: unknown key, expected \"mtbf_s\""),
                (["weibull", "mtbf_s", *nodes], "expected PATH=VALUE"),
                (["weibull", *nodes], "weibull.mtbf_s: expected exactly one"),
                (["poisson", "mtbf_s=1", "victims=ranks", *nodes], "a trace has no ranks"),
                (["poisson", "mtbf_s=1", "placement=related", *nodes], "\"related\" needs a run"),
                (["poisson", "mtbf_s=1", "scope=machine", *nodes], "scope: \"machine\" needs"),
                (["poisson", "mtbf_s=1e9", *nodes], "no fault strikes within --duration"),
                (["poisson", "mtbf_s=1", "--to", "simgrid", *nodes], "expected --nodes 1"),
                (["poisson", "mtbf_s=1", "--seed", "-1", *nodes], "--seed: expected a whole")):
            self.assertIn(message, self.refusal("faults", "generate", *arguments), arguments)


class Runs(ProgramTest):
    FAULTS = {
        "poisson": {"mtbf_s": 0.5, "sizes": "jaguar", "placement": "contiguous"},
        "weibull": [{"mtbf_s": 8, "per": "node", "victims": "ranks"},
                    {"scale_s": 100, "scope": "machine", "per": "node", "stationary": True}],
        "jaguar": {"time_s": 1, "window_s": 1, "limit": 3},
        "lognormal": {"mtbf_s": 2, "sigma": 1.5, "repair": {"mean_s": 0.5}},
    }

    def test_same_seed_same_bytes_whatever_the_jobs(self):
        for engine in ENGINES:
            self.write("s.json", {**JOB, "faults": self.FAULTS, "engine": engine})
            one = without_performance(self.report("s.json"))
            self.assertEqual(one, without_performance(self.report("s.json", "--jobs", 3)))
            struck = [run["metrics"]["faults_struck"] for run in one["runs"]]
            self.assertGreater(min(struck), 1)

    def test_a_law_of_repairs_that_makes_no_sense_has_its_path(self):
        for repair, words in (({"mean_s": 0}, "faults.poisson.repair.mean_s: expected a number "
                                              "above 0"),
                              ({"law": "lognormal", "mu": 1}, "faults.poisson.repair: the law "
                                                              "lognormal needs sigma"),
                              ({"median_s": 1}, "faults.poisson.repair.median_s: unknown key")):
            self.write("s.json", {**JOB, "faults": {"poisson": {"mtbf_s": 1, "repair": repair}}})
            self.assertIn(words, self.refusal("validate", "s.json"))

    def test_a_stated_fault_that_never_strikes_is_told(self):
        late = [{"time_s": 1e9, "ranks": [1]}, {"time_s": 1, "ranks": [2]}]
        never_set = [{"mark": {"name": "step", "value": 10 ** 9}, "ranks": [1]}]
        job = {**JOB, "replications": 1}
        for faults, words in ((late, "1 of 2 faults"), (never_set, "0 of 1 faults")):
            self.write("s.json", {**job, "faults": {"at": faults}})
            self.assertIn(words, self.faultline("run", "s.json", "--quiet").stderr)
        self.write("s.json", {**job, "faults": {"at": late[1:]}})
        self.assertEqual(self.faultline("run", "s.json", "--quiet").stderr, "")

    def test_engines_agree_on_who_dies_when(self):
        seen = []
        for engine in ENGINES:
            self.write("s.json", {**JOB, "faults": self.FAULTS, "engine": engine})
            seen.append([run["metrics"]["first_fault_time_s"]
                         for run in self.report("s.json")["runs"]])
        self.assertEqual(seen[0], seen[-1])
        self.assertEqual(len(set(seen[0])), 3)

    def test_replications_can_begin_anywhere_in_the_record(self):
        trace = {"file": str(FTA), "time_scale": 1e-6}
        for begin, different in (("start", 1), ("random", 3)):
            self.write("s.json", {**JOB, "faults": {"trace": {**trace, "begin": begin}}})
            firsts = {run["metrics"]["first_fault_time_s"] for run in self.report("s.json")["runs"]}
            self.assertEqual(len(firsts), different, begin)

    def test_components_fail_alike_with_any_number_of_jobs(self):
        faults = {
            "poisson": [{"component": "router", "mtbf_s": 0.5, "repair": {"mean_s": 0.2}},
                        {"component": "power-unit", "per": "node", "mtbf_s": 20,
                         "repair": {"mean_s": 1}}],
            "at": [{"time_s": 4, "power_units": [0], "repair_s": 1}],
        }
        platform = {**JOB["platform"], "nodes_per_power_unit": 4}
        for engine in ENGINES:
            self.write("s.json", {**JOB, "platform": platform, "faults": faults, "engine": engine,
                                  "replications": 4})
            seen = [without_performance(self.report("s.json", "--jobs", jobs))["runs"]
                    for jobs in (1, 3)]
            self.assertEqual(seen[0], seen[1])
            for run in seen[0]:
                # The first power unit has four nodes of two ranks each.
                self.assertGreaterEqual(run["metrics"]["failed_ranks"], 8)
                self.assertEqual(run["metrics"]["failed_ranks"] % 8, 0)

    def test_list_and_schema_know_every_source(self):
        listed = json.loads(self.answer("list", "faults", "--format", "json"))["faults"]
        names = {entry["name"] for entry in listed}
        self.assertEqual(names, {"at", "counts", "jaguar", "lognormal", "partition", "poisson",
                                 "slow", "trace", "weibull"})
        schema = json.loads(self.answer("schema"))["$defs"]["faults"]["properties"]
        self.assertEqual(set(schema), names)
        for entry in listed:
            if entry["name"] == "at":
                continue
            options = {option["name"] for option in entry["options"] + entry.get("groups", [])}
            options |= {"nodes"} & set(entry)
            self.assertEqual(options, set(schema[entry["name"]]["oneOf"][0]["properties"]))


if __name__ == "__main__":
    unittest.main()
