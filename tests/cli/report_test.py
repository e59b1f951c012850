# SPDX-License-Identifier: Apache-2.0
"""Reports: what charts and tables say is what the store has, and the page is sound."""

import csv
import json
import os
import re
import shutil
import sqlite3
import statistics
import time
import unittest
import xml.etree.ElementTree

import tools
from program import SMALL, SOURCE, ProgramTest
from stored_rows import changing

SVG = "{http://www.w3.org/2000/svg}"
HAS_GNUPLOT = shutil.which("gnuplot") is not None
drawn = tools.tested_with("figures of reports", commands={"gnuplot": "gnuplot-nox"})

# Sixty small runs with deaths, of which some are survived.
FAULTS = {
    "schema_version": 1,
    "name": "Deaths at once, <b>\"quoted\" & 'small'</b>",
    "replications": 10,
    "platform": {"machine": "intrepid", "processes": 32, "processes_per_node": 1},
    "workload": {"name": "flood", "fanout": 4},
    "termination": [{"name": "indep"}, {"name": "rel-eager"}],
    "failure_detection": {"name": "oracle", "delay_s": 0.001},
    "faults": {"counts": {"size": 2, "time_s": 0.5, "victims": "ranks", "spare_root": True}},
    "stop": {"time_s": 1000, "grace_s": 10},
    "sweep": {"faults.counts.size": [2, 4, 8]},
}


class ReportTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("faults.json", FAULTS)
        self.answer("sweep", "faults.json", "--store", "r.sqlite", "--jobs", 2)

    def report(self, *arguments, code=0, page="page.html"):
        result = self.faultline("report", *arguments, "--html", page)
        self.assertEqual(result.returncode, code, result.stderr)
        return (self.folder / page).read_text()

    def body(self, text):
        """The page as a tree: it is well-formed XML."""
        return xml.etree.ElementTree.fromstring(
            text[text.index("<body>"):text.index("</html>")])


class Content(ReportTest):
    def test_same_bytes(self):
        first = self.report("r.sqlite")
        self.assertEqual(first, self.report("r.sqlite"))
        self.assertNotIn("<script", first)

    @drawn
    def test_survival_is_that_of_the_runs(self):
        self.report("r.sqlite", "--figures", "figures")
        ended = {}
        with sqlite3.connect(self.folder / "r.sqlite") as database:
            for parameters, metrics in database.execute(
                    "SELECT parameters, metrics FROM points JOIN runs USING (study, point)"):
                swept, values = json.loads(parameters), json.loads(metrics)
                key = swept["termination"]["name"], swept["faults.counts.size"]
                ended.setdefault(key, []).append(values)
        with (self.folder / "figures/survival.csv").open() as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 6)
        with (self.folder / "figures/cost-survival.csv").open() as file:
            costs = {(row["line"], row["size"]): row for row in csv.DictReader(file)}
        for row in rows:
            runs = ended[row["line"], int(row["size"])]
            share = sum(run["outcome"] == "terminated" for run in runs) / len(runs)
            self.assertEqual(int(row["runs"]), 10)
            self.assertAlmostEqual(float(row["survived"]), share)
            self.assertLessEqual(float(row["low"]), share)
            self.assertGreaterEqual(float(row["high"]), share)
            cost = costs[row["line"], row["size"]]
            self.assertAlmostEqual(float(cost["control_messages"]),
                                   statistics.mean(run["control_messages"] for run in runs))
        self.assertTrue(any(0 < float(row["survived"]) < 1 for row in rows), rows)

    def test_structure(self):
        body = self.body(self.report("r.sqlite"))
        self.assertEqual(body.find("a").get("href"), "#main")
        identifiers = [element.get("id") for element in body.iter() if element.get("id")]
        self.assertEqual(len(identifiers), len(set(identifiers)), "an identifier stands twice")
        for link in body.iter("a"):
            self.assertIn(link.get("href").removeprefix("#"), identifiers)
        for table in body.iter("table"):
            for header in table.iter("th"):
                self.assertIn(header.get("scope"), ("row", "col"))
            columns = len(table.findall("thead/tr/th"))
            for row in table.findall("tbody/tr"):
                self.assertEqual(len(list(row)), columns, table.find("caption").text)
        figures = list(body.iter("figure"))
        self.assertGreaterEqual(len(figures), 8)
        for figure in figures:
            self.assertIsNotNone(figure.find("figcaption"))
            self.assertGreater(len(figure.findall(".//tbody/tr")), 1, "no numbers behind it")
            drawing = figure.find(f".//{SVG}svg")
            self.assertEqual(drawing is not None, HAS_GNUPLOT)
            if HAS_GNUPLOT:
                self.assertEqual(drawing.get("role"), "img")
                self.assertTrue(drawing.get("aria-label"))
        self.assertIn("Deaths at once, <b>\"quoted\" & 'small'</b>",
                      [heading.text for heading in body.iter("h2")])

    def test_commands_of_the_page_work(self):
        body = self.body(self.report("r.sqlite"))
        commands = {line for block in body.iter("pre") for line in "".join(block.itertext())
                    .splitlines() if line.startswith("faultline ") and "sweep" not in line}
        self.assertGreaterEqual(len(commands), 8)
        self.assertTrue(any(" compare " in command for command in commands))
        for command in commands:
            words = [word.strip("'") for word in re.findall(r"'[^']*'|\S+", command)]
            self.answer(*words[1:])

    @drawn
    def test_the_command_of_a_chart_gives_its_numbers(self):
        body = self.body(self.report("r.sqlite", "--figures", "figures"))
        command, = {line for block in body.iter("pre") for line in "".join(block.itertext())
                    .splitlines() if line.endswith("--metric end_time_s") and "query" in line}
        queried = {(row["termination"], row["faults.counts.size"]): row for row in csv.DictReader(
            self.answer(*command.split()[1:]).splitlines())}
        with (self.folder / "figures/mean-end-time-s.csv").open() as file:
            drawn = list(csv.DictReader(file))
        self.assertEqual(len(drawn), len(queried))
        for row in drawn:
            other = queried[row["line"], row["size"]]
            self.assertEqual((row["runs"], row["end_time_s"], row["low"], row["high"]),
                             (other["count"], other["mean"], other["low"], other["high"]))

    @drawn
    def test_figures(self):
        self.report("r.sqlite", "--figures", "figures", "--metric", "control_messages")
        stems = {"survival", "cost-survival", "mean-control-messages", "boxes-control-messages"}
        self.assertEqual({path.name for path in (self.folder / "figures").iterdir()},
                         {stem + ending for stem in stems
                          for ending in (".csv", ".gnuplot", ".svg", ".pdf", ".png")})
        self.assertEqual((self.folder / "figures/survival.pdf").read_bytes()[:5], b"%PDF-")
        self.assertIn("<svg", (self.folder / "figures/survival.svg").read_text())

    @drawn
    def test_panels_are_named_by_what_they_show_and_share_their_axes(self):
        scenario = dict(FAULTS, replications=2, sweep={
            "faults.counts.size": [2, 4], "workload.fanout": [2, 4, 8, 16, 24]})
        self.write("panels.json", scenario)
        self.answer("sweep", "panels.json", "--store", "p.sqlite", "--jobs", 2)
        self.report("p.sqlite", "--figures", "figures", "--metric", "control_messages")
        scripts = sorted(path for path in (self.folder / "figures").glob("survival*.gnuplot"))
        self.assertEqual([path.stem for path in scripts], sorted(
            f"survival-fanout-{fanout}" for fanout in (2, 4, 8, 16, 24)))
        axes = {tuple(line for line in path.read_text().splitlines()
                      if line.startswith(("set xrange", "set yrange", "set xtics")))
                for path in scripts}
        self.assertEqual(len(axes), 1, axes)
        for path in scripts:
            self.assertIn(f"\n:fanout {path.stem.rpartition('-')[2]}\n", path.read_text())

    @drawn
    def test_the_reader_chooses_the_axis(self):
        self.report("r.sqlite", "--figures", "figures", "--metric", "control_messages",
                    "--x", "termination")
        with (self.folder / "figures/mean-control-messages.csv").open() as file:
            rows = list(csv.DictReader(file))
        self.assertEqual({(row["line"], row["termination"]) for row in rows},
                         {(f"size {size}", name) for size in (2, 4, 8)
                          for name in ("indep", "rel-eager")})
        body = self.body(self.report("r.sqlite", "--x", "termination"))
        self.assertTrue(any("--group-by faults.counts.size,termination" in "".join(
            block.itertext()) for block in body.iter("pre")))

    @drawn
    def test_titles_of_the_reader(self):
        ranks, cost = "ranks that die at once", "messages of <the> detector"
        body = self.body(self.report(
            "r.sqlite", "--figures", "figures", "--title", f"faults.counts.size={ranks}",
            "--title", f"control_messages={cost}", "--title", "end_time_s=end"))
        figures = self.folder / "figures"
        self.assertIn(f"<text>{ranks}</text>", (figures / "survival.svg").read_text())
        for drawing in figures.glob("*.svg"):
            self.assertNotIn("faults.counts", drawing.read_text(), drawing.name)
        self.assertRegex((figures / "mean-end-time-s.svg").read_text(),
                         r"<text>end \[\w*s\]</text>")
        headings = {"".join(heading.itertext()) for heading in body.iter("th")}
        self.assertLessEqual({ranks, cost, cost + ", low", "end [s]"}, headings)
        self.assertFalse({"size", "control_messages", "end_time_s"} & headings, headings)
        with (figures / "cost-survival.csv").open() as file:
            self.assertEqual(next(csv.reader(file))[:4],
                             ["line", "size", "runs", "control_messages"])

    @drawn
    def test_titles_in_keys_leave_the_names_of_files(self):
        arguments = ("r.sqlite", "--x", "termination", "--figures", "figures")
        self.report(*arguments)
        names = sorted(path.name for path in (self.folder / "figures").iterdir())
        self.report(*arguments, "--title", "faults.counts.size=deaths", "--title",
                    "termination=detector")
        self.assertEqual(sorted(path.name for path in (self.folder / "figures").iterdir()), names)
        drawing = (self.folder / "figures/mean-end-time-s.svg").read_text()
        for text in ("deaths 2", "deaths 8", "detector"):
            self.assertIn(f"<text>{text}</text>", drawing)

    def test_metrics_with_commas(self):
        listed = "--metric control_messages,end_time_s"
        each = "--metric control_messages --metric end_time_s"
        self.assertEqual(self.report("r.sqlite", *listed.split()).replace(listed, each),
                         self.report("r.sqlite", *each.split()))
        self.assertIn('did you mean "control_messages"?', self.refusal(
            "report", "r.sqlite", "--html", "p.html", "--metric", "end_time_s,control_mesages"))

    def test_why_runs_were_fatal(self):
        fatal = {}
        with sqlite3.connect(self.folder / "r.sqlite") as database:
            for parameters, in database.execute(
                    "SELECT parameters FROM points JOIN runs USING (study, point) "
                    "WHERE json_extract(metrics, '$.outcome') = 'fatal-reported'"):
                name = json.loads(parameters)["termination"]["name"]
                fatal[name] = fatal.get(name, 0) + 1
        self.assertIn("indep", fatal)
        table, = [table for table in self.body(self.report("r.sqlite")).iter("table")
                  if table.find("caption").text == "Why runs were fatal"]
        told = {}
        for row in table.findall("tbody/tr"):
            name, reasons = ("".join(cell.itertext()) for cell in row)
            told[name] = int(reasons.split(" fatal-reported: ")[0])
        self.assertEqual(told, fatal)

    def test_components_are_told_in_words(self):
        scenario = dict(SMALL, workload={"name": "flood", "fanout": 4}, termination=[
            {"name": "venkatesan", "leaders": 1}, {"name": "venkatesan", "leaders": 5}])
        scenario["sweep"] = {"platform.processes": [8, 16]}
        self.write("words.json", scenario)
        self.answer("sweep", "words.json", "--store", "w.sqlite")
        body = self.body(self.report("w.sqlite"))
        for table in body.iter("table"):
            self.assertNotIn('{"', "".join(table.itertext()))
        self.assertIn("venkatesan, leaders 5", "".join(body.itertext()))
        del scenario["sweep"]
        self.write("words.json", scenario)
        labels = {run["label"] for run in json.loads(
            self.answer("run", "words.json", "--format", "json"))["runs"]}
        self.assertEqual(labels, {"venkatesan, leaders 1", "venkatesan, leaders 5"})

    @drawn
    def test_the_same_bytes_at_another_time(self):
        clocks = ("UTC", "IST-5:30")
        for clock in clocks:
            result = self.faultline("report", "r.sqlite", "--html", "page.html", "--figures", clock,
                                    "--metric", "control_messages", env={**os.environ, "TZ": clock})
            self.assertEqual(result.returncode, 0, result.stderr)
            time.sleep(1.1)  # the resolution of the date in a PDF
        first, second = ({path.name: path.read_bytes() for path in (self.folder / clock).iterdir()}
                         for clock in clocks)
        self.assertEqual(first, second)

    def test_without_gnuplot(self):
        folder = self.folder / "empty"
        folder.mkdir()
        result = self.faultline("report", "r.sqlite", "--html", "page.html",
                                env={**os.environ, "PATH": str(folder)})
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr.count("gnuplot is missing"), 1, result.stderr)
        text = (self.folder / "page.html").read_text()
        self.assertNotIn("<svg", text)
        self.assertIn("Not drawn: gnuplot is missing", text)

    def test_figures_without_gnuplot_are_refused_before_anything_is_made(self):
        folder = self.folder / "empty"
        folder.mkdir()
        before = sorted(self.folder.rglob("*"))
        for command in (("report", "missing.sqlite"), ("reproduce", "adoption-2013/figure-4")):
            result = self.faultline(*command, "--html", "page.html", "--figures", "figures",
                                    env={**os.environ, "PATH": str(folder)})
            self.assertEqual((result.returncode, result.stdout, result.stderr), (
                2, "", f"faultline: {command[0]}: --figures: needs gnuplot, which is missing, "
                "to draw the figures (Debian: gnuplot-nox)\n"))
        self.assertEqual(sorted(self.folder.rglob("*")), before)

    def test_a_gnuplot_that_fails_at_a_figure_is_no_success(self):
        program = self.folder / "programs/gnuplot"
        program.parent.mkdir()
        program.write_text("#!/bin/sh\ntest \"$1\" = --version\n")
        program.chmod(0o755)
        environment = {**os.environ, "PATH": str(program.parent)}
        result = self.faultline("report", "r.sqlite", "--html", "page.html", "--figures", "figures",
                                env=environment)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertEqual(result.stderr.count("gnuplot failed, or drew nothing"), 1, result.stderr)
        self.assertTrue((self.folder / "figures/survival.csv").exists())

    def test_a_gnuplot_that_fails_or_draws_nothing_is_no_success_on_a_page_either(self):
        """A page without a drawing is good only where there is no gnuplot."""
        program = self.folder / "programs/gnuplot"
        program.parent.mkdir()
        environment = {**os.environ, "PATH": str(program.parent)}
        half = 'for last; do :; done; echo "<svg half a drawing" > "${last%.gnuplot}.svg"'
        for name, words in (("fails", "exit 1"), ("as if missing", "exit 127"),
                            ("killed", "kill -9 $$"), ("draws nothing", "exit 0"),
                            ("draws half", half)):
            with self.subTest(name):
                program.write_text("#!/bin/sh\n" + words + "\n")
                program.chmod(0o755)
                result = self.faultline("report", "r.sqlite", "--html", "page.html",
                                        env=environment)
                self.assertEqual(result.returncode, 1, result.stderr)
                self.assertRegex(result.stderr,
                                 r"\Afaultline: [a-z0-9-]+\.svg is not drawn: gnuplot "
                                 r"failed, or drew nothing; [^\n]*\n\Z")
                text = (self.folder / "page.html").read_text()
                self.assertNotIn("<svg", text)
                self.assertIn("Not drawn: gnuplot is missing or failed", text)
        program.write_text("#!/bin/sh\nexit 1\n")
        self.assertIn("report: --figures: needs gnuplot to draw the figures, but gnuplot --version "
                      "fails", self.faultline("report", "r.sqlite", "--figures", "figures",
                                              env=environment).stderr)

    @drawn
    def test_failed_points_and_several_studies(self):
        with changing(self.folder / "r.sqlite") as database:
            database.execute("UPDATE points SET failure='killed <by> hand' WHERE point=1")
            database.execute("DELETE FROM runs WHERE point=1")
        self.write("small.json", SMALL)
        self.answer("sweep", "small.json", "--store", "r.sqlite", "--add-study")
        body = self.body(self.report("r.sqlite", "--figures", "figures"))
        self.assertEqual(len(body.findall("main/section")), 2)
        text = "".join(body.itertext())
        self.assertIn("1 failed", text)
        self.assertIn("killed <by> hand", text)
        self.assertIn("study == 2", text)
        self.assertTrue((self.folder / "figures/study-2-boxes-control-messages.csv").exists())

    def test_nothing_but_failures(self):
        with changing(self.folder / "r.sqlite") as database:
            database.execute("UPDATE points SET failure='took longer than 4 s'")
            database.execute("DELETE FROM runs")
        body = self.body(self.report("r.sqlite"))
        self.assertIn("6 failed", "".join(body.itertext()))
        self.assertEqual(list(body.iter("figure")), [])

    def test_papers_from_a_saved_file(self):
        def one_group(document):
            document["groups"] = [group for group in document["groups"]
                                  if group["measure"] == "jaguar"][:2]
            document["measures"] = {"jaguar": document["measures"]["jaguar"]}
            document["groups"][0]["cells"][0].update(expected="differs", reason="1 < 2")

        document = json.loads((SOURCE / "scenarios/adoption-2013/table-1.json").read_text())
        one_group(document)
        self.write("item.json", document)
        live = self.report("--reproduce", "item.json", "--quiet", code=3)
        self.faultline("reproduce", "item.json", "--format", "json", "--out", "saved.json")
        saved = self.report("--reproduce", "saved.json", code=3)
        both = self.body(self.report("--reproduce", "item.json", "saved.json", "--quiet", code=3))
        identifiers = [element.get("id") for element in both.iter() if element.get("id")]
        self.assertEqual(len(identifiers), len(set(identifiers)), "an identifier stands twice")
        tables = [[table for table in self.body(text).iter("table")] for text in (live, saved)]
        self.assertEqual([xml.etree.ElementTree.tostring(table) for table in tables[0]],
                         [xml.etree.ElementTree.tostring(table) for table in tables[1]])
        marked = [row for table in tables[0] for row in table.iter("tr")
                  if row.get("class") == "unexpected"]
        self.assertEqual(len(marked), 1)
        self.assertIn("expected: differs", "".join(marked[0].itertext()))

    def test_refusals(self):
        self.write("damaged.sqlite", (self.folder / "r.sqlite").read_bytes()[:-100])
        self.write("other.json", {"items": 1})
        for arguments, word in (
                (["--html", "x.html"], "report: expected a store or --reproduce"),
                (["r.sqlite"], "expected --html"),
                (["missing.sqlite", "--html", "x.html"], "missing.sqlite"),
                (["damaged.sqlite", "--html", "x.html"], "damaged"),
                (["r.sqlite", "--html", "missing/x.html"], "--html missing/x.html"),
                (["r.sqlite", "--html", "x.html", "--figures", "faults.json"], "--figures"),
                (["r.sqlite", "--html", "x.html", "--metric", "control"], "control_messages"),
                (["r.sqlite", "--html", "x.html", "--x", "terminatio"], "did you mean"),
                (["r.sqlite", "--html", "x.html", "--x", "platform.machine"], "the same value"),
                (["r.sqlite", "--html", "x.html", "--where", "point > 99"], "no point"),
                (["--reproduce", "adoption-2031", "--html", "x.html"], "adoption-2013"),
                (["--reproduce", "adoption-2013", "r.sqlite", "--html", "x.html"], "before"),
                (["--reproduce", "other.json", "--html", "x.html"], "other.json"),
                (["--reproduce", "adoption-2013", "--html", "x.html", "--title", "a=b"],
                 "--title: needs a store"),
                (["--reproduce", "adoption-2013", "--jobs", "0", "--html", "x.html"], "--jobs")):
            self.assertIn(word, self.refusal("report", *arguments))

    def test_refused_titles(self):
        path = "faults.counts.size"
        for titles, word in (
                ([path], f'expected PATH=TEXT, got "{path}"'),
                (["=deaths"], 'expected PATH=TEXT, got "=deaths"'),
                ([path + "="], f'expected a text after "{path}="'),
                ([path + "=  "], f'expected a text after "{path}="'),
                ([path + "=a\x1b[1mb"], 'without control characters, got "a\\x1b[1mb"'),
                ([path + "=a\nb"], 'without control characters, got "a\\x0ab"'),
                ([path + "=a\u202eb"], 'without control characters, got "a\\u202eb"'),
                ([path + "=a", path + "=b"], f'"{path}" has two titles'),
                (["faults.counts.siz=a"], f'did you mean "{path}"?'),
                (["control_mesages=a"], 'did you mean "control_messages"?'),
                (["platform.machine=a"], '"platform.machine" is neither swept'),
                (["size=a"], '"size" is neither swept'),
                (["faults.counts.\x1b=a"], '"faults.counts.\\x1b" is neither swept')):
            with self.subTest(titles):
                words = [word for title in titles for word in ("--title", title)]
                message = self.refusal("report", "r.sqlite", "--html", "x.html", *words)
                self.assertIn(word, message)
                self.assertEqual(message.count("report: --title: "), 1, message)
        self.assertFalse((self.folder / "x.html").exists())


if __name__ == "__main__":
    unittest.main()
