"""The Debian package: what it says that it needs, and the program in it, run from where it was
unpacked. tests/install/clean_root_soak.sh installs it in a clean root."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(os.environ["FAULTLINE_BUILD_DIR"])
MISSING = [tool for tool in ("cpack", "dpkg-deb", "dpkg-shlibdeps") if shutil.which(tool) is None]


def said(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        folder = pathlib.Path(cls.folder.name)
        said("cpack", "--config", str(BUILD / "CPackConfig.cmake"), "-B", str(folder / "made"))
        cls.package, = (folder / "made").glob("faultline_*.deb")
        cls.root = folder / "root"
        said("dpkg-deb", "--extract", str(cls.package), str(cls.root))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def field(self, name):
        return said("dpkg-deb", "--field", str(self.package), name).strip()

    def test_its_name_and_version_are_the_program_s(self):
        version = said(str(self.root / "usr/bin/faultline"), "--version").split()[1]
        self.assertEqual((self.field("Package"), self.field("Version")), ("faultline", version))
        self.assertEqual(self.package.name,
                         f"faultline_{version}_{self.field('Architecture')}.deb")

    def test_it_names_the_libraries_that_the_program_loads(self):
        needed = self.field("Depends")
        loaded = said("ldd", str(self.root / "usr/bin/faultline"))
        for library, package in (("libsqlite3.so", "libsqlite3-0"), ("libsimgrid.so", "libsimgrid"),
                                 ("libexpat.so", "libexpat1"),
                                 ("libboost_program_options.so", "libboost-program-options"),
                                 ("libc.so", "libc6")):
            self.assertEqual(library in loaded, package in needed, (library, needed))

    def test_the_program_finds_its_data_and_runs(self):
        example = self.root / "usr/share/faultline/scenarios/examples/ping-pong-mira.json"
        answer = said(str(self.root / "usr/bin/faultline"), "run", str(example), "--quiet")
        self.assertIn("1 run: finished", answer)

    def test_nothing_lies_outside_usr(self):
        self.assertEqual([path.name for path in self.root.iterdir()], ["usr"])


if __name__ == "__main__":
    if MISSING:
        print(f"skipped: not installed: {', '.join(MISSING)}")
        sys.exit(77)
    unittest.main()
