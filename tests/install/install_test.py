# SPDX-License-Identifier: Apache-2.0
"""An installed Faultline works: moved as a whole, run from elsewhere, with its own data."""

import filecmp
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

BUILD = pathlib.Path(os.environ["FAULTLINE_BUILD_DIR"])
SOURCE = pathlib.Path(os.environ["FAULTLINE_SOURCE_DIR"])


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        first = pathlib.Path(cls.folder.name) / "first"
        command = ["cmake", "--install", str(BUILD), "--prefix", str(first)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        # A moved prefix shows that nothing refers to where it was installed.
        cls.prefix = pathlib.Path(cls.folder.name) / "another place"
        shutil.move(first, cls.prefix)
        cls.data = cls.prefix / "share/faultline/scenarios"

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def faultline(self, *arguments):
        environment = {"PATH": "/usr/bin:/bin", "LD_LIBRARY_PATH": os.environ.get(
            "LD_LIBRARY_PATH", "")}
        return subprocess.run([str(self.prefix / "bin/faultline"), *arguments], cwd="/",
                              env=environment, capture_output=True, text=True, check=False)

    def test_every_data_file_is_installed(self):
        shipped = [path for path in (SOURCE / "scenarios").rglob("*")
                   if path.is_file() and not path.name.startswith(".")]
        self.assertGreater(len(shipped), 0)
        for path in shipped:
            copy = self.data / path.relative_to(SOURCE / "scenarios")
            self.assertTrue(copy.is_file(), copy)
            self.assertTrue(filecmp.cmp(path, copy, shallow=False), copy)

    def test_documents_are_installed(self):
        self.assertTrue((self.prefix / "share/doc/faultline/LICENSE").is_file())

    def test_the_manual_and_completions_are_those_of_the_program(self):
        for path, words in (("man/man1/faultline.1", ("man",)),
                            ("bash-completion/completions/faultline", ("completion", "bash")),
                            ("zsh/site-functions/_faultline", ("completion", "zsh")),
                            ("zsh/vendor-completions/_faultline", ("completion", "zsh"))):
            self.assertEqual((self.prefix / "share" / path).read_text(),
                             self.faultline(*words).stdout, path)

    def test_version_names_faultline_and_its_number(self):
        answer = self.faultline("--version")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertRegex(answer.stdout, r"\Afaultline \d+\.\d+\.\d+(\+g[0-9a-f]{10}(-dirty)?)?\n")

    def test_the_data_beside_the_program_are_the_ones_used(self):
        counts = self.data / "faults/jaguar.json"
        original = counts.read_text()
        changed = json.loads(original)
        changed["name"] = "found beside the program"
        try:
            counts.write_text(json.dumps(changed))
            answer = self.faultline("survival", "--format", "json")
        finally:
            counts.write_text(original)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertEqual(json.loads(answer.stdout)["distribution"], "found beside the program")

    def test_installed_examples_are_valid(self):
        examples = sorted(map(str, (self.data / "examples").glob("*.json")))
        self.assertGreater(len(examples), 0)
        answer = self.faultline("validate", *examples)
        self.assertEqual(answer.returncode, 0, answer.stdout + answer.stderr)


if __name__ == "__main__":
    unittest.main()
