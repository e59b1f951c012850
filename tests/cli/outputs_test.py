# SPDX-License-Identifier: Apache-2.0
"""What a command writes: never over what it reads, and whole, whatever earlier ones have left."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import time
import unittest

from program import (HAS_SIMGRID, PATIENCE_S, PLATFORM_XML, PROGRAM, ProgramTest, SMALL, SOURCE,
                     changed)

STUDY = changed(changed(SMALL, ["replications"], 2), ["sweep"], {"seed": [1, 2]})
LONG = changed(SMALL, ["replications"], 1000000)
TREE = {"parents": [None, 0, 0, 1]}
COMPARE = ("--by", "termination.name", "--metric", "control_messages")
MACHINE = json.loads((SOURCE / "scenarios/machines/intrepid.json").read_text())
SIDE_FILES = ("-journal", "-wal", "-shm")


def children(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except FileNotFoundError:
        return []


class Inputs(ProgramTest):
    """No command takes one of its inputs for its output, by whatever name."""

    def setUp(self):
        super().setUp()
        self.write("s.json", SMALL)

    def check_refused(self, *arguments):
        self.assertIn("which this command reads", self.refusal(*arguments))

    def check_every_name(self, victim, *arguments):
        """The last argument is the output: the victim, its links, and a roundabout way to it."""
        (self.folder / "symlink").symlink_to(victim)
        os.link(self.folder / victim, self.folder / "hardlink")
        (self.folder / "way").mkdir(exist_ok=True)
        for name in (victim, "symlink", "hardlink", f"way/../{victim}", self.folder / victim):
            with self.subTest((*arguments, name)):
                self.check_refused(*arguments, name)
        (self.folder / "symlink").unlink()
        (self.folder / "hardlink").unlink()

    def sweep(self):
        self.write("study.json", STUDY)
        self.answer("sweep", "study.json", "--store", "r.sqlite")

    def test_the_scenario(self):
        self.check_every_name("s.json", "run", "s.json", "--out")
        self.check_every_name("s.json", "trace", "s.json", "--format", "paje", "--out")
        self.check_every_name("s.json", "sweep", "s.json", "--store")

    def test_the_files_that_a_scenario_names(self):
        self.write("m.json", MACHINE)
        self.write("tree.json", TREE)
        self.answer("faults", "generate", "poisson", "mtbf_s=1e4", "--nodes", 4, "--duration",
                    1e5, "--out", "faults.fta")
        scenario = changed(SMALL, ["platform", "machine"], "./m.json")
        scenario = changed(scenario, ["workload"], {"name": "random-tree",
                                                    "tree_file": "tree.json"})
        scenario["faults"] = {"trace": {"file": "faults.fta"}}
        scenario["allow_unsafe"] = True
        self.write("s.json", scenario)
        self.answer("validate", "s.json")
        for victim in ("m.json", "tree.json", "faults.fta"):
            self.check_every_name(victim, "run", "s.json", "--out")
            self.check_refused("trace", "s.json", "--format", "html", "--out", victim)
            self.check_refused("sweep", "s.json", "--store", victim)

    @unittest.skipUnless(HAS_SIMGRID, "built without SimGrid")
    def test_a_platform_file(self):
        self.write("p.xml", PLATFORM_XML)
        self.write("s.json", changed(SMALL, ["platform"], {"xml": "p.xml", "processes": 8,
                                                           "processes_per_node": 2}))
        self.check_every_name("p.xml", "run", "s.json", "--out")

    def test_a_store_and_what_sqlite_keeps_beside_it(self):
        self.sweep()
        for arguments in (("query", "r.sqlite"), ("compare", "r.sqlite", *COMPARE)):
            self.check_every_name("r.sqlite", *arguments, "--out")
            for end in SIDE_FILES:
                self.check_refused(*arguments, "--out", "r.sqlite" + end)
        self.check_every_name("r.sqlite", "report", "r.sqlite", "--html")
        for end in SIDE_FILES:
            self.check_refused("report", "r.sqlite", "--html", "r.sqlite" + end)
            self.write("new" + end, STUDY)
            self.check_refused("sweep", "new" + end, "--store", "new")
            shutil.copy(self.folder / "r.sqlite", self.folder / ("new" + end))
            self.check_refused("merge", "new", "new" + end)
            (self.folder / ("new" + end)).unlink()

    def test_figures_over_the_store(self):
        self.sweep()
        self.answer("report", "r.sqlite", "--figures", "figures")
        figure = next((self.folder / "figures").glob("*.csv")).name
        os.rename(self.folder / "r.sqlite", self.folder / "figures" / figure)
        self.check_refused("report", f"figures/{figure}", "--figures", "figures")

    def test_saved_results_and_their_data_file(self):
        item = "termination-2022/figure-2"
        shutil.copy(SOURCE / f"scenarios/{item}.json", self.folder / "item.json")
        self.faultline("reproduce", item, "--quick", "--format", "json", "--out", "saved.json")
        self.check_every_name("saved.json", "report", "--reproduce", "saved.json", "--html")
        self.check_every_name("item.json", "reproduce", "item.json", "--quick", "--out")
        self.check_every_name("item.json", "reproduce", "item.json", "--quick", "--html")

    def test_traces_of_faults(self):
        self.write("sizes.json", (SOURCE / "scenarios/faults/jaguar.json").read_text())
        generate = ("faults", "generate", "poisson", "mtbf_s=1e4", "--nodes", 64, "--duration", 1e6)
        self.check_every_name("sizes.json", *generate, "sizes=sizes.json", "--out")
        self.answer(*generate, "--out", "t.fta")
        self.check_every_name("t.fta", "faults", "generate", "trace", "file=t.fta", "--nodes", 64,
                              "--duration", 1e6, "--out")
        self.check_every_name("t.fta", "faults", "summarize", "t.fta", "--counts")

    def test_standard_output_into_the_scenario(self):
        before = (self.folder / "s.json").read_text()
        for arguments in (("run", "s.json"), ("validate", "s.json"),
                          ("trace", "s.json", "--format", "html")):
            with open(self.folder / "s.json", "a", encoding="utf-8") as file:
                result = subprocess.run([PROGRAM, *arguments], cwd=self.folder, stdout=file,
                                        stderr=subprocess.PIPE, text=True, timeout=PATIENCE_S,
                                        check=False)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn("standard output goes to this file", result.stderr)
            self.assertEqual((self.folder / "s.json").read_text(), before)

    def test_two_outputs_in_one_file(self):
        item = "termination-2022/figure-2"
        for page in ("x", "./x", "way/../x"):
            (self.folder / "way").mkdir(exist_ok=True)
            message = self.refusal("reproduce", item, "--quick", "--out", "x", "--html", page)
            self.assertIn("is the file of --out x, too", message)

    def test_devices_and_pipes_are_both(self):
        result = self.faultline("run", "/dev/stdin", "--out", "/dev/stdout",
                                input=json.dumps(SMALL))
        self.assertEqual(result.returncode, 0, result.stderr)


class PartialFiles(ProgramTest):
    """An output is written beside its place; what a killed program leaves there harms nobody."""

    def setUp(self):
        super().setUp()
        self.write("s.json", SMALL)

    def partial(self, name="out.json"):
        return sorted(self.folder.glob(name + ".partial-*"))

    def start(self, *arguments):
        process = subprocess.Popen([PROGRAM, *map(str, arguments)], cwd=self.folder, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def wait_until(self, condition):
        end = time.monotonic() + PATIENCE_S
        while not condition():
            self.assertLess(time.monotonic(), end, "does not happen")
            time.sleep(0.01)

    def test_one_of_the_same_process_number(self):
        # In a container the numbers of processes come again.
        script = f'echo cut > out.json.partial-$$; exec "{PROGRAM}" run s.json --out out.json'
        result = subprocess.run(["sh", "-c", script], cwd=self.folder, capture_output=True,
                                text=True, timeout=PATIENCE_S, check=False)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(self.files(), ["out.json", "s.json"])

    def test_what_killed_ones_have_left_is_removed(self):
        for number in range(1, 300):
            self.write(f"out.json.partial-{number}", "cut")
        self.write("out.json.partial-copy", "of the user")
        self.write("other.json.partial-1", "of another output")
        self.answer("run", "s.json", "--out", "out.json")
        self.assertEqual(self.files(), ["other.json.partial-1", "out.json",
                                        "out.json.partial-copy", "s.json"])

    def test_after_a_kill_and_not_before(self):
        self.write("long.json", LONG)
        for again in range(3):
            process = self.start("run", "long.json", "--out", "out.json")
            self.wait_until(lambda: children(process.pid))  # by then it has locked its file
            others = self.partial()
            self.assertEqual(len(others), 1, again)
            self.answer("run", "s.json", "--out", "out.json")
            self.assertEqual(self.partial(), others, "the file of a living one is its own")
            process.kill()
            process.wait()
            self.assertEqual(self.partial(), others)
        self.answer("run", "s.json", "--out", "out.json")
        self.assertEqual(self.partial(), [])

    def test_two_at_once_have_a_file_each(self):
        self.write("long.json", LONG)
        both = [self.start("run", "long.json", "--format", "json", "--out", "out.json")
                for _ in range(2)]
        self.wait_until(lambda: all(children(process.pid) for process in both))
        self.assertEqual(len(self.partial()), 2)
        for process in both:
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(timeout=PATIENCE_S), 130)
            self.assertIs(json.loads((self.folder / "out.json").read_text())["complete"], False)
        self.assertEqual(self.partial(), [])

    def test_a_killed_merge(self):
        self.write("study.json", STUDY)
        self.answer("sweep", "study.json", "--store", "r.sqlite")
        merge = ("merge", "out.json", "r.sqlite")
        self.write("out.json.partial-1", "cut")
        self.write("out.json.partial-1-journal", "cut")
        self.answer(*merge)
        self.assertEqual(self.files(), ["out.json", "r.sqlite", "s.json", "study.json"])
        self.assertIn("already exists", self.refusal(*merge))

    def test_a_link_to_a_file_elsewhere(self):
        (self.folder / "there").mkdir()
        self.write("there/result", "old")
        self.write("there/result.partial-7", "cut")
        (self.folder / "out.json").symlink_to("there/result")
        self.answer("run", "s.json", "--out", "out.json")
        self.assertTrue((self.folder / "out.json").is_symlink())
        self.assertNotEqual((self.folder / "there/result").read_text(), "old")
        self.assertEqual(list((self.folder / "there").iterdir()),
                         [self.folder / pathlib.Path("there/result")])


if __name__ == "__main__":
    unittest.main()
