# SPDX-License-Identifier: Apache-2.0
"""The pages of docs/adding/, followed to the letter in a copy of the checkout, do what they say.

What the pages leave as it is, is not compiled again: a launcher of the compiler takes the objects
of the build tree under test where command and sources are the same. The pages edit no header."""

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["FAULTLINE_SOURCE_DIR"])
BUILD = pathlib.Path(os.environ["FAULTLINE_BUILD_DIR"])
PAGES = SOURCE / "docs/adding"
BLOCK = re.compile(r"(?:^`(?P<file>[\w./-]+)`:\n\n)?^```(?P<kind>\w+)\n(?P<text>.*?)^```$",
                   re.MULTILINE | re.DOTALL)
LEFT_BEHIND = shutil.ignore_patterns("build", ".git", ".cache", "__pycache__")
OF_THE_BUILD = ("CMAKE_BUILD_TYPE", "CMAKE_CXX_COMPILER", "CMAKE_CXX_FLAGS", "CMAKE_PREFIX_PATH",
                "CMAKE_CXX_FLAGS_RELEASE", "CMAKE_CXX_FLAGS_DEBUG", "CMAKE_EXE_LINKER_FLAGS")

LAUNCHER = """\
#!/bin/sh
# launcher COMPILER ... -o OBJECT ... UNIT: takes the object from the build tree under test if it is
# listed in the folder "same" and the unit still has the listed sources, none of them newer than the
# launcher; compiles quickly if not, and notes the unit. Nobody reads what is precompiled: it would
# have to be optimised as its readers are.
for word; do
  shift
  case $before in -o) made=$word ;; -MF) needs=$word ;; esac
  case $before/$word in
    -include/* | */-include | */-Winvalid-pch | */-fpch-preprocess) ;;
    *) set -- "$@" "$word" ;;
  esac
  before=$word
done
unit=$before
list={same}/$made.list

sources() {{
  case $unit in
    */Unity/*) sed -n 's/^#include "\\(.*\\)"$/\\1/p' "$unit" ;;
    *) printf '%s\\n' "$unit" ;;
  esac
}}

untouched() {{
  [ -f "$list" ] && sources | cmp -s - "$list" || return 1
  while read -r source; do
    [ ! "$source" -nt "$0" ] || return 1
  done <"$list"
}}

case $made in
  *.gch) : >"$made" && echo "$made:" >"$needs" && exit ;;
esac
if untouched; then
  cp {same}/"$made.d" "$needs" && cp {build}/"$made" "$made"
else
  printf '%s\\n' "$unit" >>"$0.compiled" && exec "$@" -O0
fi
"""


def cached(build):
    """{name: value} of CMakeCache.txt."""
    return dict(re.findall(r"^([\w]+):\w+=(.*)$", (build / "CMakeCache.txt").read_text(),
                           re.MULTILINE))


def commands(source, build):
    """{object: (command, unit)} of all that is compiled, whatever the paths, how a shell must quote
    them, and what launches the compiler; but for what the build has written itself."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        unit = pathlib.Path(entry["file"])
        if unit.is_relative_to(build) and "Unity" not in unit.parts:
            continue
        words = shlex.split(entry["command"])
        command = words[next(i for i, word in enumerate(words) if word.endswith("++")):]
        found[words[words.index("-o") + 1]] = [
            word.replace(str(build), "<build>").replace(str(source), "<source>")
            for word in command], unit
    return found


def sources_of(unit):
    """CMake's units of several sources include them by their whole paths."""
    if "Unity" not in unit.parts:
        return [str(unit)]
    return re.findall('^#include "(.*)"$', unit.read_text(), re.MULTILINE)


class FollowingThePage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.top = pathlib.Path(folder.name) / "checkout"
        shutil.copytree(SOURCE, cls.top, symlinks=True, ignore=LEFT_BEHIND)
        cls.build = cls.top / "build/release"
        cls.same, launcher = cls.top.parent / "same", cls.top.parent / "launcher"
        cls.launcher = launcher
        launcher.write_text(LAUNCHER.format(same=shlex.quote(str(cls.same)),
                                            build=shlex.quote(str(BUILD))))
        launcher.chmod(0o755)
        cache = cached(BUILD)
        options = {name: value for name, value in cache.items()
                   if name in OF_THE_BUILD or name.startswith("FAULTLINE_")}
        cls.environment = {name: value for name, value in os.environ.items()
                           if not re.match("FAULTLINE_|CI$|PYTHONPATH$", name)}
        cls.call(["cmake", "-G", "Ninja", "-S", cls.top, "-B", cls.build,
                  f"-DCMAKE_CXX_COMPILER_LAUNCHER={launcher}"]
                 + [f"-D{name}={value}" for name, value in options.items()])
        cls.list_same()

    @classmethod
    def list_same(cls):
        """Lists the sources of each object that the build tree under test has made as the copy
        would, once for the launcher and once for ninja."""
        before = commands(SOURCE, BUILD)
        for made, (command, unit) in commands(cls.top, cls.build).items():
            command_before, unit_before = before.get(made, (None, None))
            if command_before != command or not (BUILD / made).exists():
                continue
            sources = sources_of(unit)
            if sources != [name.replace(str(SOURCE), str(cls.top), 1)
                           for name in sources_of(unit_before)]:
                continue
            file = cls.same / made
            file.parent.mkdir(parents=True, exist_ok=True)
            file.with_name(file.name + ".list").write_text("".join(f"{name}\n" for name in sources))
            read = " ".join(name.replace(" ", "\\ ") for name in sources)
            file.with_name(file.name + ".d").write_text(f"{made}: {read}\n")

    @classmethod
    def call(cls, command):
        result = subprocess.run(command, cwd=cls.top, env=cls.environment, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if result.returncode != 0:
            raise AssertionError(f"{command}: exit {result.returncode}\n{result.stdout}")
        return result.stdout

    def shell(self, script):
        return self.call(["sh", "-e", "-c", script])

    def follow(self, name):
        """Writes the files of a page, and yields each block of commands where it stands."""
        for block in BLOCK.finditer((PAGES / f"{name}.md").read_text()):
            if block["file"]:
                path = self.top / block["file"]
                self.assertFalse(path.exists(), f"{path}: the page says nothing of an older one")
                path.write_text(block["text"])
            elif block["kind"] == "sh":
                yield block["text"]
            else:
                self.fail(f"what is this for? {block[0]}")

    def follow_termination(self):
        for_program, for_test, for_failure, for_search, for_page = range(5)
        for number, script in enumerate(self.follow("termination")):
            if number == for_failure:
                with self.assertRaisesRegex(AssertionError, "premature") as failed:
                    self.shell(script)
                said = str(failed.exception)
                self.assertIn("1 failed", said)
                self.assertRegex(said, r"seed := 19\b")
                continue
            said = self.shell(script)
            if number == for_program:
                self.assertRegex(said, r"(?m)^    safra +a token")
                self.assertRegex(said, r"(?m)^64 processes on mira, .*: all terminated$")
                # The tests of the example go on with the tree's safra, until its tests are there.
                self.call(["cmake", "--build", "build/release", "--target", "test_example"])
            elif number == for_test:
                self.assertIn("in 3 test cases", said)
            elif number == for_search:
                self.assertIn("in 4 test cases", said)
            elif number == for_page:
                self.assertIn("100% tests passed", said)
        self.assertEqual(number, for_page)

    def follow_failure_detection(self):
        script, = self.follow("failure-detection")
        said = self.shell(script)
        self.assertIn("in 4 test cases", said)
        self.assertIn("100% tests passed", said)
        self.assertIn("all-heartbeats among 64 daemons", said)

    def follow_workload(self):
        script, = self.follow("workload")
        said = self.shell(script)
        self.assertIn("in 2 test cases", said)
        self.assertIn("100% tests passed", said)
        self.assertRegex(said, r"(?m)^64 processes on mira, .*: finished$")

    def test_it_does_what_it_says(self):
        self.follow_termination()
        self.follow_failure_detection()
        self.follow_workload()
        for name in ("message-logging", "transactions"):
            self.assertEqual(list(self.follow(name)), [])
        self.assertNotIn("tests/example/", (self.build / "compile_commands.json").read_text())
        self.check_compiled()

    def check_compiled(self):
        """Nothing was compiled but the units of what the pages write or change, and the two small
        files that the build writes."""
        began = self.launcher.stat().st_mtime
        units = self.launcher.with_name("launcher.compiled").read_text().splitlines()
        self.assertGreater(len(units), 5)
        for unit in set(units):
            newer = [source for source in sources_of(self.build / unit)
                     if pathlib.Path(source).stat().st_mtime > began]
            self.assertTrue(newer, f"{unit} was compiled, and no page has touched it")


if __name__ == "__main__":
    unittest.main()
