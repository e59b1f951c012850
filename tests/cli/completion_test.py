# SPDX-License-Identifier: Apache-2.0
"""What shells complete, in real ones, and the manual page: both know every verb and option of the
help."""

import json
import os
import pty
import re
import select
import subprocess
import time
import unittest

import tools
from program import PROGRAM, ProgramTest, SMALL, changed
from stored_rows import changing

# Calls the function of bash as bash does when the last word is to be completed.
BASH = """
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_faultline
printf '%s\\n' "${COMPREPLY[@]}"
"""


class Declared(ProgramTest):
    def setUp(self):
        super().setUp()
        self.bin = self.folder / "bin"
        self.bin.mkdir()
        (self.bin / "faultline").symlink_to(PROGRAM)

    def make_store(self):
        self.write("s.json", changed(SMALL, ["sweep"], {"platform.processes": [4, 8]}))
        self.answer("sweep", "s.json", "--store", "r.sqlite")

    def verbs(self):
        return re.findall(r"(?m)^  ([a-z][a-z-]*) +\S", self.answer().partition("Verbs")[2])

    def help_options(self, verb):
        return set(re.findall(r"(?m)^  (?:-h \[ )?--([a-z-]+)", self.answer(*verb, "--help")))


class Bash(Declared):
    def setUp(self):
        super().setUp()
        self.write("completion", self.answer("completion", "bash"))

    def completed(self, *words):
        result = subprocess.run(["bash", "-c", BASH, "bash", "completion", "faultline", *words],
                                cwd=self.folder, capture_output=True, text=True, check=True,
                                env={**os.environ, "PATH": f"{self.bin}:{os.environ['PATH']}"})
        self.assertEqual(result.stderr, "")
        return set(result.stdout.split())

    def test_verbs(self):
        self.assertEqual(self.completed(""), {*self.verbs(), "--help", "--version"})
        self.assertEqual(self.completed("s"), {"sweep", "schema", "search", "survival",
                                               "step-model"})

    def test_options_are_those_of_the_help(self):
        for verb in (*([verb] for verb in self.verbs()), ["faults", "summarize"],
                     ["faults", "generate"]):
            offered = {word[2:] for word in self.completed(*verb, "--")}
            self.assertEqual(offered - {"help"}, self.help_options(verb) - {"help"}, verb)

    def test_values(self):
        for words, offered in (
                (("run", "--format", ""), {"table", "json", "csv"}),
                (("run", "--format", "=", "c"), {"csv"}),
                (("trace", "--format", "="), {"perfetto", "paje", "html"}),
                (("bench", "--termination", "rel"), {"rel-eager", "rel-lazy"}),
                (("bench", "--failure-detection", "conn"), {"connection-loss"}),
                (("bench", "--transactions", "f"), {"fampi"}),
                (("bench", "--machine", "i"), {"intrepid"}),
                (("run", "--set", "termination.n"), {"termination.name="}),
                (("run", "--set", "termination.name", "=", "cd"), {"cda"}),
                (("run", "--set", "platform.machine", "=", "m"), {"mira"}),
                (("list", "p"), {"protocols"}),
                (("list", "st"), {"stacks"}),
                (("list", "stacks", ""), {"completion", "bin"}),
                (("faults", "g"), {"generate"}),
                (("faults", "generate", "we"), {"weibull"}),
                (("reproduce", "adoption-2013/l"), {"adoption-2013/lemmas"}),
                (("completion", ""), {"bash", "zsh", "metrics", "paths"}),
                (("run", "--seed", ""), set()),
                (("man", ""), set())):
            self.assertEqual(self.completed(*words), offered, words)

    def test_files(self):
        self.write("one.json", "")
        self.assertIn("one.json", self.completed("run", "o"))
        self.assertIn("one.json", self.completed("run", "--out", "o"))
        (self.folder / "only").mkdir()
        self.assertEqual(self.completed("reproduce", "--figures", "o"), {"only"})

    def test_every_value_that_is_offered_is_taken(self):
        for verb, option in (("run", "--engine"), ("bench", "--termination"), ("tree", "--preset"),
                             ("faults generate", "--to"), ("step-model", "--mapping")):
            for value in self.completed(*verb.split(), option, ""):
                said = self.faultline(*verb.split(), option, value, "missing").stderr
                self.assertNotIn(f"{option}: expected", said)

    def test_metrics_and_paths_of_the_store(self):
        self.make_store()
        rows = json.loads(self.answer("query", "r.sqlite", "--format", "json"))
        metrics = {row["metric"] for row in rows}
        self.assertEqual(self.completed("query", "r.sqlite", "--metric", ""), metrics)
        self.assertEqual(self.completed("report", "--html", "p.html", "r.sqlite", "--metric", "=",
                                        "detection_l"), {"detection_latency_s"})
        self.assertEqual(self.completed("compare", "r.sqlite", "--metric", "end_time_s,announ"),
                         {"end_time_s,announce_time_s"})
        self.assertEqual(self.completed("compare", "r.sqlite", "--by", ""),
                         {"platform.processes", "termination", "termination.name"})
        self.assertEqual(self.completed("report", "r.sqlite", "--html", "p.html", "--x", "pl"),
                         {"platform.processes"})
        self.assertEqual(self.completed("query", "r.sqlite", "--group-by", "termination,pl"),
                         {"termination,platform.processes"})

    def test_without_a_store(self):
        self.write("other", "text\n")
        self.write("damaged.sqlite", b"SQLite format 3\0" + bytes(100))
        for words in ((), ("other",), ("damaged.sqlite",), ("missing.sqlite",)):
            self.assertEqual(self.completed("query", *words, "--metric", ""), set())
        for arguments, expected in ((("metrics",), "--store RESULTS"),
                                    (("bash", "--store", "other"), "metrics or paths"),
                                    (("paths", "--store", "missing"), "missing: no such file")):
            self.assertIn(expected, self.refusal("completion", *arguments))

    def test_a_store_gives_no_commands_to_a_shell(self):
        self.make_store()
        with changing(self.folder / "r.sqlite") as database:
            for point, metrics in database.execute("SELECT point, metrics FROM runs").fetchall():
                names = ("$(touch canary)", "`touch canary`", "x;touch canary", "plain")
                database.execute("UPDATE runs SET metrics=? WHERE point=?", (json.dumps(
                    {**json.loads(metrics), **{name: 1 for name in names}}), point))
        self.assertIn("touch canary", self.answer("query", "r.sqlite", "--format", "json"))
        offered = self.completed("query", "r.sqlite", "--metric", "")
        self.assertIn("plain", offered)
        self.assertNotIn("touch", " ".join(offered))
        self.assertNotIn("canary", self.files())

    @tools.tested_with("completion by shellcheck", commands={"shellcheck": "shellcheck"})
    def test_shellcheck(self):
        result = subprocess.run(["shellcheck", "-s", "bash", "completion"], cwd=self.folder,
                                capture_output=True, text=True, check=False)
        self.assertEqual(result.stdout, "")


@tools.tested_with("completion in zsh", commands={"zsh": "zsh"})
class Zsh(Declared):
    def setUp(self):
        super().setUp()
        self.write("_faultline", self.answer("completion", "zsh"))

    def test_its_syntax(self):
        result = subprocess.run(["zsh", "-n", "_faultline"], cwd=self.folder, capture_output=True,
                                text=True, check=False)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def read_until(self, terminal, words):
        seen, end = "", time.monotonic() + 20
        while words not in seen and time.monotonic() < end:
            if select.select([terminal], [], [], 0.2)[0]:
                seen += os.read(terminal, 65536).decode(errors="replace")
        self.assertIn(words, seen)
        return seen

    def test_an_interactive_shell_completes(self):
        self.make_store()
        process, terminal = pty.fork()
        if process == 0:
            os.chdir(self.folder)
            os.environ.update(PATH=f"{self.bin}:{os.environ['PATH']}", TERM="dumb", PS1="> ",
                              COLUMNS="200")
            os.execvp("zsh", ["zsh", "-f", "-i"])
        try:
            os.write(terminal, b"fpath=($PWD $fpath); autoload -Uz compinit; compinit -D -u; "
                               b"bindkey '^I' complete-word; echo rea''dy\n")
            self.read_until(terminal, "ready")
            for typed, shown in (("faultline surv", "survival"),
                                 ("faultline run --form", "--format"),
                                 ("faultline run --format=cs", "--format=csv"),
                                 ("faultline list mach", "machines"),
                                 ("faultline faults gen", "generate"),
                                 ("faultline faults generate weib", "weibull"),
                                 ("faultline run --set workload.na", "workload.name="),
                                 ("faultline run --set workload.name=token", "token-ring"),
                                 ("faultline bench --termination=dijk", "dijkstra-scholten"),
                                 ("faultline query r.sqlite --metric=end_", "end_time_s"),
                                 ("faultline compare r.sqlite --by platf",
                                  "platform.processes"),
                                 ("faultline report r.sqlite --x platf",
                                  "platform.processes")):
                os.write(terminal, typed.encode() + b"\t")
                self.read_until(terminal, shown)
                os.write(terminal, b"\x15")  # away with the line
        finally:
            os.close(terminal)
            os.kill(process, 9)
            os.waitpid(process, 0)


@tools.tested_with("the manual page by groff", commands={"groff": "groff"})
class Manual(Declared):
    def test_it_is_set_without_a_warning(self):
        self.write("faultline.1", self.answer("man"))
        result = subprocess.run(["groff", "-man", "-ww", "-Tutf8", "-P-cbou", "faultline.1"],
                                cwd=self.folder, capture_output=True, text=True, check=True)
        self.assertEqual(result.stderr, "")
        for verb in self.verbs():
            self.assertRegex(result.stdout, rf"(?m)^   {verb}$")
            for option in self.help_options([verb]) - {"help"}:
                self.assertRegex(result.stdout, rf"(?m)^ +--{option}\b")


if __name__ == "__main__":
    unittest.main()
