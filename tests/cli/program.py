# SPDX-License-Identifier: Apache-2.0
"""The program from outside: scenarios to give it, and what it answers."""

import copy
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["FAULTLINE_PROGRAM"]
SOURCE = pathlib.Path(os.environ["FAULTLINE_SOURCE_DIR"])
EXAMPLES = SOURCE / "scenarios/examples"

# A run of it takes about a millisecond.
SMALL = {
    "schema_version": 1,
    "name": "small",
    "seed": 5,
    "replications": 8,
    "platform": {"machine": "intrepid", "processes": 16, "processes_per_node": 4},
    "workload": {"name": "token-ring", "stop_probability": 0.05},
    "termination": [{"name": "four-counter"}, {"name": "cda"}],
}

GONE = object()  # in place of a value: the key is left out

PLATFORM_XML = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="all" routing="Full">
    <cluster id="cluster" prefix="node-" suffix="" radical="0-7" speed="1Gf" bw="125MBps"
             lat="50us" core="2"/>
  </zone>
</platform>
"""

# A release, and the commit where the build knew it.
VERSION = r"\d+\.\d+\.\d+(\+g[0-9a-f]{10}(-dirty)?)?"

HAS_SIMGRID = "not built in" not in subprocess.run(
    [PROGRAM, "--version"], capture_output=True, text=True, check=True).stdout
ENGINES = ("loggp", "simgrid") if HAS_SIMGRID else ("loggp",)

# The address sanitizer reserves more memory than any limit, and ends a crash with a report and 1.
SANITIZED = "FAULTLINE_SANITIZED" in os.environ

# How long a test waits for the program before it calls it hung.
PATIENCE_S = 600 if SANITIZED else 120


# What a pipe gets each ten seconds: as much of it as the machine is slow.
PROGRESS = re.compile(r"(?m)^faultline: (?:[\d.]+ of \d+ \w+|[\d.]+ % done), (?:[^\n]* left|"
                      r"time left unknown)[^\n]*\n")


def without_progress(errors):
    return PROGRESS.sub("", errors)


def changed(document, path, value):
    """A copy of the document with another value at a path of keys and indices."""
    result = copy.deepcopy(document)
    place = result
    for key in path[:-1]:
        place = place.setdefault(key, {}) if isinstance(place, dict) else place[key]
    if value is GONE:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return result


def without_performance(report):
    """The report of `run --format json` without what depends on the clock."""
    result = copy.deepcopy(report)
    for run in result["runs"]:
        del run["performance"]
    return result


def read_terminal(descriptor):
    """What was written to a pseudo-terminal, or a pipe, until nobody writes to it any more; closes
    this end."""
    shown = b""
    try:
        while block := os.read(descriptor, 65536):
            shown += block
    except OSError:  # how a terminal says so
        pass
    os.close(descriptor)
    return shown.decode()


class ProgramTest(unittest.TestCase):
    """Gives each test a folder of its own, in which the program runs."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def write(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content))
        return name

    def faultline(self, *arguments, **settings):
        """Ends as a failure of the test when the program hangs."""
        settings.setdefault("cwd", self.folder)
        result = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True,
                                timeout=PATIENCE_S, check=False, **settings)
        result.stderr = without_progress(result.stderr)
        return result

    def answer(self, *arguments, code=0):
        """What the program prints when it ends with that code and complains of nothing else."""
        result = self.faultline(*arguments)
        self.assertEqual(result.returncode, code, (arguments, result.stderr))
        if code == 0:
            self.assertEqual(result.stderr, "", arguments)
        return result.stdout

    def report(self, *arguments, code=0):
        """The JSON report of `run`."""
        return json.loads(self.answer("run", *arguments, "--format", "json", code=code))

    def files(self):
        return sorted(path.relative_to(self.folder).as_posix()
                      for path in self.folder.rglob("*") if path.is_file())

    def refusal(self, *arguments):
        """The message with which the program refuses its arguments: exit code 2, nothing printed,
        no file made or changed."""
        before = {name: (self.folder / name).read_bytes() for name in self.files()}
        result = self.faultline(*arguments)
        self.assertEqual(result.returncode, 2, (arguments, result.stdout, result.stderr))
        self.assertEqual(result.stdout, "", arguments)
        after = {name: (self.folder / name).read_bytes() for name in self.files()}
        self.assertEqual(before, after, arguments)
        self.assertNotEqual(result.stderr, "", arguments)
        for line in result.stderr.splitlines():
            self.assertTrue(line.startswith("faultline: "), (arguments, line))
        return result.stderr
