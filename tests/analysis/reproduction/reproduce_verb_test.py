#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Drives `faultline reproduce` from outside: exit codes, formats, widths, the same for any jobs."""

import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import tools

SOURCE = pathlib.Path(os.environ.get("FAULTLINE_SOURCE_DIR", pathlib.Path(__file__).parents[3]))
PROGRAM = os.environ.get("FAULTLINE_PROGRAM")
DRAWING = {"gnuplot": "gnuplot-nox"}
CELL_KEYS = {"cell", "paper", "measured", "low", "high", "ratio", "verdict", "expected", "reason"}

failures = []


def expect(condition, what):
    if not condition:
        failures.append(what)


def reproduce(*arguments):
    return subprocess.run(
        [PROGRAM, "reproduce", *map(str, arguments)], capture_output=True, text=True, check=False
    )


def changed(folder, item, change):
    """A copy of a shipped data file with one thing changed."""
    document = json.loads((SOURCE / "scenarios" / item).read_text())
    change(document)
    path = pathlib.Path(folder) / "item.json"
    path.write_text(json.dumps(document))
    return path


def keep_measures(document, *names):
    """Leaves only these measures, and what is compared with them."""
    for group in document["groups"]:
        group["cells"] = [
            cell for cell in group["cells"] if cell.get("measure", group.get("measure")) in names
        ]
    document["groups"] = [group for group in document["groups"] if group["cells"]]
    document["measures"] = {name: document["measures"][name] for name in names}


def keep_first_cell(document):
    """Leaves the first cell of the first group."""
    group = document["groups"][0]
    document["groups"] = [group]
    group["cells"] = group["cells"][:1]
    keep_measures(document, group["cells"][0].get("measure", group.get("measure")))


def check_as_expected(item):
    run = reproduce(item, "--quick", "--format", "json", "--jobs", 2)
    expect(run.returncode == 0, f"{item}: exit {run.returncode}: {run.stderr}")
    expect("about" in run.stderr, f"{item}: does not say how long it takes")
    report = json.loads(run.stdout)
    expect(report["as_expected"] and report["quick"], f"{item}: not as expected")
    for cell in report["items"][0]["cells"]:
        expect(CELL_KEYS <= cell.keys(), f"{item}: {cell['cell']} lacks keys")
        expect(cell["verdict"] == cell["expected"], f"{item}: {cell['cell']}")
        expect(cell["verdict"] == "match" or cell["reason"], f"{cell['cell']}: no reason")


def check_shipped_items(folder):
    """Some, and of the longest one some measures. README.md and the tutorial have theorem-1;
    tests/analysis/reproduction/shipped_items_soak.py has all."""
    items = ("adoption-2013/figure-5", "termination-2022/table-2", "termination-2022/figure-8")
    for item in (*items, "rdaemon-2019/figure-11", "rdaemon-2019/figure-14"):
        check_as_expected(item)
    kept = ("jaguar", "burst f=2", "successive, strict")
    check_as_expected(
        changed(folder, "adoption-2013/table-1.json", lambda d: keep_measures(d, *kept))
    )


def check_same_bytes(folder):
    item = changed(folder, "termination-2022/table-2.json", keep_first_cell)
    outputs = {reproduce(item, "--quick", "--quiet", "--jobs", jobs).stdout for jobs in (1, 2, 5)}
    expect(len(outputs) == 1, "the bytes depend on the number of jobs")
    width = max(len(line) for line in outputs.pop().splitlines())
    expect(width <= 80, f"the table has {width} columns")


def closed_forms_only(document):
    """The part of adoption-2013's table 1 that is computed at once."""
    keep_measures(document, "jaguar")


def check_wrong_expectations(folder):
    def expect_difference(document):
        closed_forms_only(document)
        document["groups"][1]["cells"][3].update(expected="differs", reason="a wrong expectation")

    run = reproduce(changed(folder, "adoption-2013/table-1.json", expect_difference))
    expect(run.returncode == 3, f"a match where differs is expected: exit {run.returncode}")
    expect("(!)" in run.stdout, "an unexpected verdict is not marked")

    def print_otherwise(document):
        closed_forms_only(document)
        document["groups"][1]["cells"][3]["paper"] *= 1.1

    run = reproduce(changed(folder, "adoption-2013/table-1.json", print_otherwise))
    expect(run.returncode == 3, f"a wrong printed value: exit {run.returncode}")

    def contradict_theory(document):
        document["groups"] = document["groups"][3:]
        keep_first_cell(document)
        document["groups"][0]["cells"][0]["exact"] += 1

    run = reproduce(
        changed(folder, "termination-2022/theorem-1.json", contradict_theory), "--quick"
    )
    expect(run.returncode == 3, f"a wrong exact value: exit {run.returncode}")


def check_figure(folder):
    """The CSV has what `step-model` counts on the same tree, which `tree` draws from the seed."""
    folder = pathlib.Path(folder)
    run = reproduce("termination-2022/figure-2", "--quick", "--figures", folder)
    expect(run.returncode == 0, f"figure-2: exit {run.returncode}: {run.stderr}")
    with (folder / "termination-2022-figure-2.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["tree_seed"] == "2269"]
    tree = folder / "tree.json"
    tree.write_bytes(
        subprocess.run([PROGRAM, "tree", "--seed", "2269"], capture_output=True, check=True).stdout
    )
    counted = subprocess.run(
        [PROGRAM, "step-model", "--tree", tree, "--processes", "5,77", "--format", "json"]
        + ["--rules", "resolved", "--mapping", "round-robin"],
        capture_output=True,
        check=True,
    )
    compared = 0
    for entry in json.loads(counted.stdout):
        for row in rows:
            place = (row["mapping"], row["activity"], int(row["processes"]))
            if place == ("round-robin", entry["activity"], entry["processes"]):
                compared += 1
                for name in ("four-counter", "edod", "hcda", "cda"):
                    expect(int(row[name]) == entry[name], f"{place}, {name}: {row} {entry}")
    expect(compared == 6, f"{compared} lines of figure-2.csv compared")
    drawing = folder / "termination-2022-figure-2.svg"
    expect(drawing.exists() and "S" in drawing.read_text(), f"no drawing: {run.stderr}")


def check_boxes(folder):
    """The boxes of figure-6 are those of the runs that `run` makes of the same scenario."""
    folder = pathlib.Path(folder)

    def keep_two_points(document):
        document["curves"] = document["curves"][-1:]
        document["groups"] = [document["groups"][2]]
        measure = document["measures"][document["curves"][0]]
        measure.update(quick_points=2, quick_replications=5)

    item = changed(folder, "termination-2022/figure-6.json", keep_two_points)
    run = reproduce(item, "--quick", "--figures", folder)
    expect(run.returncode == 0, f"figure-6: exit {run.returncode}: {run.stderr}")
    with (folder / f"{folder.name}-item.csv").open() as file:
        rows = list(csv.DictReader(file))
    document = json.loads(item.read_text())
    point = document["measures"]["pipeline"]["changes"][1]
    scenario = folder / "scenario.json"
    scenario.write_text(json.dumps(document["scenarios"]["pipeline"]))
    sets = [word for key, value in point.items() for word in ("--set", f"{key}={value}")]
    ran = subprocess.run(
        [PROGRAM, "run", scenario, *sets, "--set", "replications=5", "--format", "csv"],
        capture_output=True,
        text=True,
        check=True,
    )
    compared = 0
    for row in rows:
        if row["processes"] != str(point["platform.processes"]):
            continue
        sample = sorted(
            float(line[row["metric"]])
            for line in csv.DictReader(ran.stdout.splitlines())
            if line["label"].startswith(row["detector"])
        )
        expect(len(sample) == 5 == int(row["runs"]), f"{row}: {len(sample)} runs")
        # The quartiles of five values are the second, third and fourth.
        for name, value in zip(("min", "quartile_1", "median", "quartile_3", "max"), sample):
            compared += 1
            expect(float(row[name]) == value, f"{row['detector']} {row['metric']} {name}: {value}")
    expect(compared == 4 * 3 * 5, f"{compared} numbers of figure-6 compared")


def check_page(folder):
    """Every cell is a row of the page, well-formed, with what is not as expected marked."""

    def expect_difference(document):
        closed_forms_only(document)
        document["groups"][1]["cells"][3].update(expected="differs", reason="1 < 2 & \"quoted\"")

    page = pathlib.Path(folder) / "page.html"
    reproduce(changed(folder, "adoption-2013/table-1.json", expect_difference), "--html", page)
    text = page.read_text()
    body = xml.etree.ElementTree.fromstring(text[text.index("<body>") : text.index("</html>")])
    verdicts = body.findall("main/section")[1].find("div/table")
    rows = verdicts.findall("tbody/tr")
    expect(len(rows) == 89, f"{len(rows)} rows in the page")
    marked = [row for row in rows if row.get("class") == "unexpected"]
    expect(len(marked) == 1, f"{len(marked)} rows are marked in the page")


def check_page_drawing(folder):
    """A figure stands in the page itself."""
    page = pathlib.Path(folder) / "figure.html"
    reproduce("termination-2022/figure-8", "--quick", "--html", page)
    text = page.read_text()
    body = xml.etree.ElementTree.fromstring(text[text.index("<body>") : text.index("</html>")])
    drawings = list(body.iter("{http://www.w3.org/2000/svg}svg"))
    expect(len(drawings) == 1, f"{len(drawings)} drawings")
    expect(all(drawing.get("aria-label") for drawing in drawings), "a drawing without a name")
    expect(len(list(body.iter("details"))) >= 2, "no numbers behind the drawing")


def check_refusals(folder):
    for arguments, word in (
        ((), "which paper"),
        (("termination-2202",), 'did you mean "termination-2022"'),
        (("termination-2022/table-9",), "table-"),
        (("adoption-2013", "--format", "csv"), "table or json"),
        (("missing.json",), "missing.json"),
        (("adoption-2013", "--html", "/missing/page.html"), "--html /missing/page.html"),
        (("adoption-2013", "--figures", "/dev/null/x"), "--figures"),
        (("adoption-2013", "--out", ""), "--out: expected the name of a file"),
    ):
        run = reproduce(*arguments)
        expect(run.returncode == 2, f"{arguments}: exit {run.returncode}")
        expect(word in run.stderr, f"{arguments}: {run.stderr!r} does not say {word!r}")
    broken = changed(folder, "adoption-2013/table-1.json", lambda d: d.update(titel="x"))
    for verb in ("reproduce", "validate"):
        run = subprocess.run(
            [PROGRAM, verb, str(broken)], capture_output=True, text=True, check=False
        )
        expect(run.returncode == 2, f"{verb} of a broken file: exit {run.returncode}")
        expect("titel" in run.stderr and "title" in run.stderr, f"{verb}: {run.stderr!r}")


def main():
    if not PROGRAM:
        raise SystemExit("FAULTLINE_PROGRAM is not set: where is the program to be tested?")
    with tempfile.TemporaryDirectory() as folder:
        check_shipped_items(folder)
        check_same_bytes(folder)
        check_wrong_expectations(folder)
        if tools.missing(commands=DRAWING):
            tools.leave_out("figures of papers", *DRAWING.values())
        else:
            check_figure(folder)
            check_boxes(folder)
            check_page_drawing(folder)
        check_page(folder)
        check_refusals(folder)
    for failure in failures:
        print("FAILED:", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
