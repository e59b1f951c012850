# SPDX-License-Identifier: Apache-2.0
"""The Debian package: its dependencies, and the program in it, run from where it was
unpacked. tests/install/clean_root_soak.sh installs it in a clean root."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import tools

BUILD = pathlib.Path(os.environ["FAULTLINE_BUILD_DIR"])
TOOLS = {"cpack": "cmake", "dpkg-deb": "dpkg", "dpkg-shlibdeps": "dpkg-dev", "file": "file"}


def said(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        folder = pathlib.Path(cls.folder.name)
        shutil.rmtree(BUILD / "package", ignore_errors=True)
        cls.started = folder / "started here"
        cls.started.mkdir()
        subprocess.run(["cpack", "--config", str(BUILD / "CPackConfig.cmake")], cwd=cls.started,
                       capture_output=True, check=True)
        cls.package, = (BUILD / "package").glob("*.deb")
        cls.root = folder / "root"
        said("dpkg-deb", "--extract", str(cls.package), str(cls.root))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def field(self, name):
        return said("dpkg-deb", "--field", str(self.package), name).strip()

    def test_its_name_and_release_are_the_program_s(self):
        version = said(str(self.root / "usr/bin/faultline"), "--version").split()[1].split("+")[0]
        self.assertEqual((self.field("Package"), self.field("Version")), ("faultline", version))
        self.assertEqual(self.package.name,
                         f"faultline_{version}_{self.field('Architecture')}.deb")

    def test_it_names_the_libraries_that_the_program_loads(self):
        needed = self.field("Depends")
        loaded = said("ldd", str(self.root / "usr/bin/faultline"))
        for library, package in (("libsqlite3.so", "libsqlite3-0"), ("libsimgrid.so", "libsimgrid"),
                                 ("libexpat.so", "libexpat1"),
                                 ("libboost_program_options.so", "libboost-program-options"),
                                 ("libboost_iostreams.so", "libboost-iostreams"),
                                 ("libc.so", "libc6")):
            self.assertEqual(library in loaded, package in needed, (library, needed))

    def test_the_program_finds_its_data_and_runs(self):
        example = self.root / "usr/share/faultline/scenarios/examples/ping-pong-mira.json"
        answer = said(str(self.root / "usr/bin/faultline"), "run", str(example), "--quiet")
        self.assertIn("1 run: finished", answer)

    def test_nothing_stays_where_cpack_was_called(self):
        self.assertEqual(list(self.started.iterdir()), [])

    def test_what_is_missing_is_said_with_what_to_install(self):
        made = self.package.stat()
        result = subprocess.run(
            [shutil.which("cpack"), "--config", str(BUILD / "CPackConfig.cmake")],
            cwd=self.started, env={"PATH": str(self.started)}, capture_output=True, text=True,
            check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn("apt-get install dpkg-dev file", result.stderr)
        self.assertEqual(self.package.stat().st_mtime_ns, made.st_mtime_ns)

    def test_nothing_lies_outside_usr(self):
        self.assertEqual([path.name for path in self.root.iterdir()], ["usr"])


if __name__ == "__main__":
    tools.need("the Debian package", commands=TOOLS)
    unittest.main()
