# SPDX-License-Identifier: Apache-2.0
"""The messages of scripts/ready.sh while it works, and the tools that it finds missing."""

import ast
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["FAULTLINE_SOURCE_DIR"])

NINJA = """\
ninja: Entering directory `build'
[0/2] Re-running CMake...
-- Configuring done
[1/3] Building CXX object a.o
a.cpp:1:1: warning: what the compiler says
[2/3] Building CXX object b.o
[3/3] Linking CXX executable faultline
"""

APT = """\
Reading package lists...
0 upgraded, 2 newly installed, 0 to remove and 0 not upgraded.
Get:1 http://archive bookworm/main amd64 gnuplot-data all [60 kB]
Get:2 http://archive bookworm/main amd64 gnuplot-nox amd64 [900 kB]
Unpacking gnuplot-data (5.4) ...
Unpacking gnuplot-nox (5.4) ...
Setting up gnuplot-data (5.4) ...
Setting up gnuplot-nox (5.4) ...
"""

LOG = """\
1/3 Test: cli/completion
not tested: completion in zsh; needs zsh
Test Passed.
2/3 Test: cli/slurm
not tested: a sweep under Slurm; needs slurm-wlm munge
not tested: completion in zsh; needs zsh
"""


class Ready(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def said(self, command, text="", path=None):
        """What a command in a shell that has sourced ready.sh prints, line by line."""
        script = f'set -euo pipefail; . "$READY"; FAULTLINE_BUILD=build; {command}'
        result = subprocess.run(
            [shutil.which("bash"), "-c", script], input=text, cwd=self.folder, text=True,
            env={"READY": str(SOURCE / "scripts/ready.sh"), "PATH": path or os.environ["PATH"]},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        self.assertEqual(result.returncode, 0, result.stdout)
        return [line.removeprefix("faultline: ") for line in result.stdout.splitlines()]

    def test_a_build_whose_output_is_piped_counts_its_steps(self):
        warning = "a.cpp:1:1: warning: what the compiler says"
        self.assertEqual(self.said("FAULTLINE_PACE_S=0; show_build", NINJA),
                         ["building in build", "step 1 of 3", warning, "step 2 of 3",
                          "step 3 of 3"])
        self.assertEqual(self.said("FAULTLINE_PACE_S=1000000; show_build", NINJA),
                         ["building in build", "step 1 of 3", warning])
        self.assertEqual(self.said("show_build", "[1/1] Asking git for the commit\n"
                                   "ninja: no work to do.\n"), [])

    def test_an_installation_says_how_far_it_is(self):
        self.assertEqual(self.said("FAULTLINE_PACE_S=0; show_apt", APT),
                         ["apt: download 1", "apt: download 2",
                          "apt: unpacking package 1 of 2", "apt: unpacking package 2 of 2",
                          "apt: setting up package 1 of 2", "apt: setting up package 2 of 2"])

    def test_what_draws_figures_is_installed_where_nothing_draws(self):
        tools = self.folder / "tools"
        tools.mkdir()
        for tool in ("dirname", "bash"):
            (tools / tool).symlink_to(shutil.which(tool))
        ask = 'echo "${FAULTLINE_RUN_PACKAGES[*]}"'
        self.assertIn("gnuplot-nox", self.said(ask, path=str(tools))[0].split())
        (tools / "gnuplot").symlink_to(shutil.which("true"))
        self.assertNotIn("gnuplot-nox", self.said(ask, path=str(tools))[0].split())

    def test_what_was_not_tested_is_one_line_with_what_to_install(self):
        (self.folder / "log").write_text(LOG)
        self.assertEqual(self.said("say_not_tested log"),
                         ["not tested, for want of the packages in brackets: "
                          "a sweep under Slurm (slurm-wlm munge), completion in zsh (zsh)"])
        (self.folder / "log").write_text("1/1 Test: cli/completion\n")
        self.assertEqual(self.said("say_not_tested log"), [])

    def test_the_tests_ahead_are_counted_and_timed_by_their_last_times(self):
        costs = self.folder / "build/Testing/Temporary/CTestCostData.txt"
        costs.parent.mkdir(parents=True)
        costs.write_text("a/one two 3 100.5\na/other 1 400\na/new 0 0\n---\na/one two\n")
        tools = self.folder / "tools"
        tools.mkdir()
        for tool, answer in (("nproc", "2"), ("ctest", "  Test   #1: a/one two\n"
                                              "  Test  #12: a/new\n  Test #345: a/unknown\n")):
            (tools / tool).write_text(f"#!/bin/sh\nprintf '{answer}'\n")
            (tools / tool).chmod(0o755)
        path = f"{tools}:{os.environ['PATH']}"
        # The longest has its time, whatever the number of cores.
        self.assertEqual(self.said("tests_ahead", path=path), ["3 tests, about 2 minutes"])
        (tools / "ctest").write_text("#!/bin/sh\nprintf '  Test #1: a/one two\\n"
                                     "  Test #2: a/other\\n'\n")
        self.assertEqual(self.said("tests_ahead", path=path), ["2 tests, about 7 minutes"])


class NotTested(unittest.TestCase):
    def test_every_test_that_leaves_something_out_says_so_for_scripts_test(self):
        """Where nothing but Python is installed."""
        with tempfile.TemporaryDirectory() as folder:
            for test, packages in (("install/package_test.py", "cmake dpkg dpkg-dev file"),
                                   ("cli/report_browser_test.py", "chromium"),
                                   ("cli/trace_page_test.py", "chromium"),
                                   ("style/format_test.py", "clang-format-14")):
                result = subprocess.run(
                    [sys.executable, SOURCE / "tests" / test], capture_output=True,
                    env={**os.environ, "PATH": folder}, text=True, check=False)
                self.assertEqual(result.returncode, 77, result.stderr)
                self.assertRegex(result.stdout, rf"(?m)^not tested: [\w ]+; needs {packages}$")

    def test_no_test_is_silent_about_what_it_leaves_out(self):
        # That a build has no SimGrid, or a sanitizer, is somebody's choice and no missing tool.
        said = ("tools.leave_out(", "SimGrid", "sanitizer")
        for path in sorted((SOURCE / "tests").rglob("*_test.py")):
            text = path.read_text()
            for skip in re.finditer(r"\.(skip|skipIf|skipUnless|skipTest)\(|exit\(77", text):
                around = text[max(0, skip.start() - 200):text.index("\n", skip.end())]
                self.assertTrue(any(word in around for word in said), f"{path}: {around}")

    def test_all_that_any_test_needs_can_be_installed_at_once(self):
        lists = "${FAULTLINE_RUN_PACKAGES[*]} ${FAULTLINE_TEST_PACKAGES[*]}"
        asked = ["bash", "-c", f'. "$0"; echo "{lists}"', SOURCE / "scripts/ready.sh"]
        ready = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.split()
        script = (SOURCE / ".ci/install-for-tests").read_text()
        installed = re.search(r"(?m)^packages=\(([^)]*)\)", script)[1].split()
        needed = {package for path in sorted((SOURCE / "tests").rglob("*.py"))
                  for package in packages_of(ast.parse(path.read_text()))}
        self.assertGreater(len(needed), 10)
        everywhere = {"dpkg", "util-linux", "gnuplot-nox"}  # the last, if nothing else draws
        self.assertEqual(needed - everywhere - {*ready, *installed}, set())
        self.assertEqual(set(installed) - needed, set())


def packages_of(module):
    """The packages that a test names in `commands` and `modules` (tests/support/tools.py)."""
    constants = {node.targets[0].id: node.value for node in module.body
                 if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)}
    for node in ast.walk(module):
        if isinstance(node, ast.keyword) and node.arg in ("commands", "modules"):
            value = node.value
            if isinstance(value, ast.Name):
                value = constants.get(value.id)
            if value is not None:
                packages = eval(compile(ast.Expression(value), "", "eval"))  # pylint: disable=W0123
                yield from " ".join(packages.values()).split()


if __name__ == "__main__":
    unittest.main()
