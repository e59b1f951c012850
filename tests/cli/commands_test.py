# SPDX-License-Identifier: Apache-2.0
"""The commands that the program and the documents promise work, and what people read fits into a
terminal of 80 columns."""

import os
import re
import shlex
import unittest

from program import EXAMPLES, HAS_SIMGRID, ProgramTest, SOURCE, VERSION

VERBS = ("run", "trace", "explore", "sweep", "query", "compare", "report", "merge", "validate",
         "list", "schema", "survival", "faults", "step-model", "tree", "bench", "completion", "man")
WIDTH = 80


def shell_lines(document):
    """The commands in the ```sh blocks of a document, without their comments."""
    text = (SOURCE / document).read_text()
    for block in re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        for line in block.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            if words:
                yield words


class Promises(ProgramTest):
    def faultline_in_checkout(self, words):
        result = self.faultline(*words, cwd=SOURCE)
        self.assertEqual(result.returncode, 0, (words, result.stderr))
        self.assertNotEqual(result.stdout, "", words)
        return result.stdout

    def test_three_commands_to_begin_with(self):
        greeting = self.answer()
        self.assertEqual(greeting, self.answer("--help"))
        commands = re.findall(r"^  faultline (.+)$", greeting, re.MULTILINE)
        self.assertEqual(len(commands), 3, greeting)
        for command in commands:
            words = shlex.split(command)
            # The README has the same run, which is run as it stands.
            fewer = ["--replications", 2] if words[0] == "run" else []
            self.assertEqual(self.answer(*words, *fewer)[-1], "\n", command)

    def test_the_greeting_quotes_a_path_that_a_shell_would_split(self):
        data = self.folder / "data; touch 'me'"
        data.symlink_to(SOURCE / "scenarios")
        greeting = self.faultline(env={**os.environ, "FAULTLINE_DATA": str(data)}).stdout
        command, = re.findall(r"^  faultline (run .+)$", greeting, re.MULTILINE)
        self.assertEqual(shlex.split(command),
                         ["run", str(data / "examples/token-ring-intrepid.json")])

    def test_the_greeting_names_every_verb(self):
        greeting = self.answer()
        for verb in VERBS:
            self.assertRegex(greeting, rf"(?m)^  {verb} +\w")

    def test_commands_of_the_readme(self):
        ran = 0
        of_tutorial = list(shell_lines("docs/tutorial.md"))
        for words in shell_lines("README.md"):
            if words[0] == "scripts/faultline":
                # The tutorial's test runs its commands and knows what they print.
                if ["faultline", *words[1:]] not in of_tutorial:
                    self.faultline_in_checkout(words[1:])
                ran += 1
            else:
                # Set-up has its own tests, on a fresh machine.
                self.assertIn(words[0], ("scripts/test", "cmake"), words)
        self.assertGreaterEqual(ran, 4)

    def test_version(self):
        pattern = rf"faultline {VERSION}\nSimGrid " + (
            r"\d+\.\d+(\.\d+)?" if HAS_SIMGRID else "not built in") + "\n"
        self.assertRegex(self.answer("--version"), r"\A" + pattern + r"\Z")

    def test_every_verb_has_help(self):
        for verb in VERBS:
            said = self.answer(verb, "--help")
            self.assertTrue(said.startswith(f"usage: faultline {verb}"), said)
            self.assertEqual(said, self.answer(verb, "-h"))

    def test_the_help_of_explore_begins_with_what_most_people_need(self):
        needed, further = self.answer("explore", "--help").split("\nFurther options:\n")
        named = [re.findall(r"(?m)^  --([a-z-]+)", part) for part in (needed, further)]
        self.assertEqual(named[0], ["faults", "crash", "goal", "counterexample", "jobs",
                                    "time-limit"])
        self.assertIn("timers", named[1])
        self.assertEqual(len(named[1]), len(set(named[1]) - set(named[0])))


class Width(ProgramTest):
    def check_width(self, text, of):
        for line in text.splitlines():
            self.assertLessEqual(len(line), WIDTH, (of, line))
            self.assertEqual(line, line.rstrip(), of)

    def test_help_lists_and_tables(self):
        for arguments in ([], *([verb, "--help"] for verb in VERBS), ["list"],
                          *(["list", section] for section in
                            ("protocols", "workloads", "machines", "engines", "faults",
                             "metrics", "stacks")),
                          ["faults", "summarize", "--help"], ["faults", "generate", "--help"],
                          ["survival"], ["survival", "--processes", "20", "--fanout", "1,2"],
                          ["bench", "--messages", "2000", "--rounds", "1"],
                          ["bench", "--failure-detection", "connection-loss", "--seconds", "9"],
                          ["bench", "--transactions", "fampi", "--processes", "16"]):
            text = self.answer(*arguments)
            if not arguments:
                # The path of the example is as long as it is.
                text = "".join(line for line in text.splitlines(True) if "token-ring" not in line)
            self.check_width(text, arguments)

    def test_runs_of_the_examples(self):
        examples = sorted(EXAMPLES.glob("*.json"))
        self.assertGreater(len(examples), 5)
        for example in examples:
            result = self.faultline("run", example, "--replications", 2, "--jobs", 2)
            self.assertIn(result.returncode, (0, 3), (example, result.stderr))
            self.assertEqual(result.stderr, "")
            self.check_width(result.stdout, example)
            # Few blocks: a reader finds a point's figures. Only recoveries by stage take three.
            rules = [line for line in result.stdout.splitlines() if line.startswith("---")]
            self.assertLessEqual(len(rules), 3 if "recovery" in result.stdout else 2,
                                 result.stdout)


if __name__ == "__main__":
    unittest.main()
