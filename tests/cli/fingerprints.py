# SPDX-License-Identifier: Apache-2.0
"""Fingerprints of what the shipped scenarios give, and the table of them, fingerprints.txt.

A fingerprint covers what a scenario and its seed decide of each replication: the metrics with the
outcome, and of each violation its kind, time and actor. The table has the number of events beside
it, so that a change that saves events and one that changes results look different. Left out is
what legitimately differs between machines and builds: versions, wall times, memory, the words of
details and labels, and metrics that are null, so that a new metric concerns only those it counts
for.

Numbers are rounded to 9 significant digits, since exp and log of another libm may differ in the
last of 17, and sums of them in a few more."""

import collections
import contextlib
import fcntl
import hashlib
import json
import os
import pathlib
import re
import shlex
import sqlite3
import subprocess

from program import HAS_SIMGRID, PROGRAM, ProgramTest, SOURCE

TABLE = pathlib.Path(__file__).with_suffix(".txt")
UPDATES = os.environ.get("FAULTLINE_UPDATE_FINGERPRINTS") == "1"
UPDATE = "FAULTLINE_UPDATE_FINGERPRINTS=1 scripts/test -R cli/fingerprints -V"
SEPARATOR = " | "
NOTHING = "nothing"
HEADER = f"""\
# What each shipped scenario gives: name, engine, events of all runs, hash of their results; or why
# it is left out. tests/cli/fingerprints.py says what a hash covers. Written by
#     {UPDATE}
"""
SIMGRID_LINE = "# simgrid is SimGrid "

# A scenario file; the options that make it small enough; and its key in the file of a paper's item,
# None where the file is a scenario.
Case = collections.namedtuple("Case", "path options key", defaults=[(), None])


def options(replications, places):
    """The arguments of `run` and `sweep` for that many replications, with {path: value} set."""
    words = ["--replications", str(replications)]
    for path, value in places.items():
        words += ["--set", f"{path}={json.dumps(value)}"]
    return tuple(words)


def simgrid_version():
    """None where it is not built in."""
    said = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=True).stdout
    return re.search(r"SimGrid (\S+)", said)[1] if HAS_SIMGRID else None


def rounded(value):
    """The value without nulls, its numbers as text."""
    if isinstance(value, dict):
        return {key: rounded(entry) for key, entry in value.items() if entry is not None}
    if isinstance(value, list):
        return [rounded(entry) for entry in value]
    return f"{value:.9g}" if isinstance(value, float) else value


def fingerprint(runs):
    """The table's words for runs, each a (point, replication, metrics, violations, events)."""
    results = [[point, replication, rounded(metrics),
                [rounded({key: violation[key] for key in ("kind", "time_s", "actor")})
                 for violation in violations]]
               for point, replication, metrics, violations, _ in runs]
    text = json.dumps(results, sort_keys=True)
    events = sum(run[-1] for run in runs)
    return f"{events}{SEPARATOR}{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def read_table():
    """{(name, engine): fingerprint or why there is none}, and the version of SimGrid."""
    rows, version = {}, None
    for line in TABLE.read_text().splitlines() if TABLE.exists() else []:
        if line.startswith(SIMGRID_LINE):
            version = line[len(SIMGRID_LINE):]
        elif not line.startswith("#"):
            name, engine, said = line.split(SEPARATOR, 2)
            rows[name, engine] = said
    return rows, version


def rewrite(before, found, version):
    """Puts what was found in place of the rows from before, and prints what that changes."""
    with open(TABLE, "a", encoding="utf-8") as table:
        fcntl.flock(table, fcntl.LOCK_EX)  # the tests run side by side
        rows, known_version = read_table()
        for key in sorted(before.keys() | found.keys()):
            old = rows.pop(key, NOTHING)
            if old != found.get(key, NOTHING):
                print(f"{TABLE.name}: {SEPARATOR.join(key)}: {old} -> {found.get(key, NOTHING)}")
        rows.update(found)
        table.truncate(0)
        table.write(f"{HEADER}{SIMGRID_LINE}{version or known_version}\n")
        table.writelines(SEPARATOR.join([*key, said]) + "\n" for key, said in sorted(rows.items()))


class FingerprintTest(ProgramTest):
    """Runs cases of one part of the table."""

    def command(self, case, engine):
        """The words that run a case; its scenario is a file of the checkout or one.json."""
        path = "one.json" if case.key else case.path
        if path.startswith(("scenarios/studies/", "scenarios/sweeps/")):
            return ["sweep", path, "--store", "one.sqlite", *case.options]
        return ["run", path, "--engine", engine, *case.options, "--format", "json"]

    def shell(self, case, engine):
        """The commands that run a case in the checkout."""
        said = shlex.join(["faultline", *self.command(case, engine)])
        if case.key is None:
            return said
        code = (f"import json; print(json.dumps(json.load(open({json.dumps(case.path)}))"
                f'["scenarios"][{json.dumps(case.key)}]))')
        return f"{shlex.join(['python3', '-c', code])} > one.json; {said}"

    def runs_of(self, case, engine):
        if case.key:
            item = json.loads((SOURCE / case.path).read_text())
            self.write("one.json", item["scenarios"][case.key])
        store = self.folder / "one.sqlite"
        store.unlink(missing_ok=True)
        verb, path, *options = self.command(case, engine)
        path = path if case.key else SOURCE / case.path
        result = self.faultline(verb, path, *options)
        # A violation ends a run with 3 and is a result, too.
        self.assertIn(result.returncode, (0, 3), (self.shell(case, engine), result.stderr))
        if verb == "sweep":
            with contextlib.closing(sqlite3.connect(store)) as database:
                return [(point, replication, json.loads(metrics), json.loads(violations), events)
                        for point, replication, metrics, violations, events in database.execute(
                            "SELECT point, replication, metrics, violations, events FROM runs "
                            "ORDER BY point, replication")]
        report = json.loads(result.stdout)
        self.assertTrue(report["complete"])
        self.assertEqual(report["failed_runs"], [])
        return [(run["point"], run["replication"], run["metrics"], run["violations"],
                 run["performance"]["events"]) for run in report["runs"]]

    def check(self, is_mine, cases, left_out):
        """Compares the rows of the table for whose folder of scenarios/ is_mine is true with the
        cases, {(name, engine): Case}, and those left out, {(name, engine): why}."""
        rows, version = read_table()
        rows = {key: said for key, said in rows.items() if is_mine(key[0].split("/")[0])}
        installed = simgrid_version()
        if installed != version and not (UPDATES and installed):
            print(f"{TABLE.name} is of SimGrid {version}, this build has {installed or 'none'}: "
                  "what runs on simgrid is left out")
            rows, cases, left_out = ({key: row for key, row in every.items() if key[1] != "simgrid"}
                                     for every in (rows, cases, left_out))
        found = {key: f"left out: {why}" for key, why in left_out.items()}
        for key, case in sorted(cases.items()):
            runs = self.runs_of(case, key[1])
            self.assertGreater(len(runs), 0, key)
            found[key] = fingerprint(runs)
        if UPDATES:
            rewrite(rows, found, installed)
            return
        changes = ""
        for key in sorted(rows.keys() | found.keys()):
            before, now = rows.get(key, NOTHING), found.get(key, NOTHING)
            if now != before:
                ran = self.shell(cases[key], key[1]) if key in cases else "nothing was run"
                changes += f"\n{SEPARATOR.join(key)}: {before} -> {now}\n    {ran}\n"
        if changes:
            self.fail(f"""not as in {TABLE.name} (events of all runs, hash of their results):
{changes}
Compare what these commands print, in the checkout, with what an earlier build prints. If the
change is intended, CHANGELOG.md must say which results change, by how much and why, and this
writes the table anew:
    {UPDATE}
""")
