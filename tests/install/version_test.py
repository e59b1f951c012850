# SPDX-License-Identifier: Apache-2.0
"""The version that a build gets: of a release, of a commit, of a checkout with changes."""

import os
import pathlib
import subprocess
import tempfile
import unittest

import tools

SOURCE = pathlib.Path(os.environ["FAULTLINE_SOURCE_DIR"])
SCRIPT = SOURCE / "cmake/FaultlineVersionFile.cmake"
TEMPLATE = "sim/core/version.cpp.in"


class Version(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        # What the machine's owner has set up for git is not this test's.
        self.environment = {"PATH": os.environ["PATH"], "HOME": folder.name,
                            "GIT_CONFIG_NOSYSTEM": "1",
                            "GIT_CEILING_DIRECTORIES": str(pathlib.Path(folder.name).parent)}
        self.file = pathlib.Path(folder.name) / "written/version.cpp"
        self.top = pathlib.Path(folder.name) / "a checkout"
        self.unpack(self.top)

    @staticmethod
    def unpack(top):
        """As much of the sources as the version needs."""
        (top / "sim/core").mkdir(parents=True)
        (top / TEMPLATE).write_text((SOURCE / TEMPLATE).read_text())
        (top / "CMakeLists.txt").write_text("# as committed\n")
        (top / "README.md").write_text("a document\n")

    def git(self, *words):
        result = subprocess.run(
            ["git", "-C", str(self.top), "-c", "user.name=n", "-c", "user.email=e", *words],
            env=self.environment, capture_output=True, text=True, check=True)
        return result.stdout.strip()

    def commit(self):
        """Makes the checkout one of git, or adds a commit; the version of what is committed."""
        self.git("init", "--quiet")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "m")
        return "1.2.3+g" + self.git("rev-parse", "HEAD")[:10]

    def version(self, top=None, git="git", **environment):
        """What the build writes down."""
        subprocess.run(
            ["cmake", f"-DGIT={git}", f"-DSOURCE={top or self.top}", "-DRELEASE=1.2.3",
             f"-DFILE={self.file}", "-P", str(SCRIPT)],
            env={**self.environment, **environment}, check=True)
        text = self.file.read_text()
        self.assertEqual(text, (SOURCE / TEMPLATE).read_text().replace(
            "@FAULTLINE_VERSION@", text.split('"')[3]))
        return text.split('"')[3]

    def test_a_tarball_has_its_release(self):
        self.assertEqual(self.version(), "1.2.3")

    def test_a_tarball_in_somebody_else_s_checkout_has_its_release(self):
        inner = self.top / "vendored/faultline"
        self.unpack(inner)
        self.commit()
        self.assertEqual(self.version(inner), "1.2.3")

    def test_without_git_or_a_commit_it_is_the_release(self):
        self.git("init", "--quiet")
        self.assertEqual(self.version(), "1.2.3")
        self.commit()
        for none in ("FAULTLINE_GIT-NOTFOUND", "/no/such/git", "false"):
            self.assertEqual(self.version(git=none), "1.2.3")

    def test_a_checkout_names_its_commit(self):
        first = self.commit()
        self.assertEqual(self.version(), first)
        second = self.commit()
        self.assertEqual(self.version(), second)

    def test_changes_of_what_is_compiled_are_named(self):
        committed = self.commit()
        known, new = self.top / "CMakeLists.txt", self.top / "sim/new.cpp"
        known.write_text("# changed\n")
        self.assertEqual(self.version(), committed + "-dirty")
        known.write_text("# as committed\n")
        self.assertEqual(self.version(), committed)
        new.write_text("// not even added\n")
        self.assertEqual(self.version(), committed + "-dirty")
        after = self.commit()
        self.assertEqual(self.version(), after)

    def test_results_and_documents_in_the_checkout_change_nothing(self):
        committed = self.commit()
        (self.top / "README.md").write_text("another\n")
        (self.top / "results.sqlite").write_text("")
        self.assertEqual(self.version(), committed)

    def test_the_environment_of_another_repository_s_hook_is_not_asked(self):
        committed = self.commit()
        self.assertEqual(self.version(GIT_DIR="/no/such/folder", GIT_WORK_TREE="/",
                                      GIT_INDEX_FILE="/no/such/file"), committed)

    def test_what_stays_the_same_is_not_written_again(self):
        self.commit()
        self.version()
        os.utime(self.file, ns=(1, 1))
        self.version()
        self.assertEqual(self.file.stat().st_mtime_ns, 1)
        self.commit()
        self.version()
        self.assertNotEqual(self.file.stat().st_mtime_ns, 1)


if __name__ == "__main__":
    tools.need("the version of a checkout", commands={"git": "git"})
    unittest.main()
