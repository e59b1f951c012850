# SPDX-License-Identifier: Apache-2.0
"""Files of other people: platform files that would write, devices that never end, sizes and counts
beyond reason. Each is refused at once, with one clear message, and nothing is touched."""

import subprocess
import unittest

from program import ENGINES, HAS_SIMGRID, PLATFORM_XML, ProgramTest, SMALL, changed


def with_faults(faults):
    return changed(changed(SMALL, ["allow_unsafe"], True), ["faults"], faults)


def named_files(name):
    """Every way to name a file: (arguments, the content of the scenario s.json)."""
    yield ["run", name], SMALL
    yield ["validate", name], SMALL
    yield ["sweep", name, "--dry-run"], SMALL
    yield ["trace", name, "--out", "t.html"], SMALL
    yield ["run", "s.json"], changed(SMALL, ["platform", "machine"], name)
    tree = {"name": "random-tree", "tree_file": name}
    yield ["run", "s.json"], changed(SMALL, ["workload"], tree)
    yield ["run", "s.json"], with_faults({"trace": {"file": name}})
    yield ["run", "s.json"], with_faults({"counts": {"time_s": 1, "distribution": name}})
    yield ["survival", "--faults", name], SMALL
    yield ["faults", "summarize", name], SMALL
    yield ["calibrate", name, "--columns", "bytes,seconds"], SMALL
    yield ["step-model", "--tree", name, "--processes", "4"], SMALL
    if name.endswith(".json"):
        yield ["report", "--reproduce", name, "--html", "page.html"], SMALL
    if HAS_SIMGRID:
        yield ["run", "s.json"], changed(SMALL, ["platform"], {"xml": name, "processes": 4})


class NamedFiles(ProgramTest):
    def check_each(self, name, expected):
        for arguments, scenario in named_files(name):
            with self.subTest(arguments=arguments, name=name, scenario=str(scenario)[:200]):
                self.write("s.json", scenario)
                before = self.files()
                result = self.faultline(*arguments)
                self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
                self.assertIn(name, result.stderr)
                self.assertIn(expected, result.stderr)
                self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
                self.assertEqual(self.files(), before)

    def test_a_device_is_not_read(self):
        self.check_each("/dev/zero", "is a device")
        self.check_each("/dev/urandom", "is a device")

    def test_a_file_beyond_reason_is_not_read(self):
        with open(self.folder / "huge.json", "wb") as file:
            file.truncate(1 << 40)
        self.check_each("./huge.json", "is larger than")

    def test_a_directory_is_named(self):
        (self.folder / "d.json").mkdir()
        self.check_each("./d.json", "is a directory")

    def test_a_pipe_is_read_to_its_end_or_to_the_limit(self):
        self.write("good.json", SMALL)
        with subprocess.Popen(["cat", self.folder / "good.json"], stdout=subprocess.PIPE) as cat:
            result = self.faultline("validate", "/dev/stdin", stdin=cat.stdout)
        self.assertEqual(result.stdout, "/dev/stdin: valid, 2 points\n", result.stderr)
        with subprocess.Popen(["yes"], stdout=subprocess.PIPE) as endless:
            result = self.faultline("validate", "/dev/stdin", stdin=endless.stdout)
            endless.stdout.close()
        self.assertEqual(result.returncode, 2)
        self.assertIn("/dev/stdin: is larger than 16 MiB", result.stderr)


@unittest.skipUnless(HAS_SIMGRID, "built without SimGrid")
class PlatformFiles(ProgramTest):
    JOB = changed(SMALL, ["platform"], {"xml": "p.xml", "processes": 4})

    def refused(self, xml):
        """The message of every engine and verb for a platform file, beside precious files."""
        self.write("p.xml", xml)
        self.write("victim.txt", "precious")
        said = set()
        for engine in ENGINES:
            self.write("s.json", changed(self.JOB, ["engine"], engine))
            before = self.files()
            for verb in ("validate", "run"):
                said.add(self.refusal(verb, "s.json"))
            self.assertEqual(self.files(), before)
            self.assertEqual((self.folder / "victim.txt").read_text(), "precious")
        self.assertEqual(len(said), 1, said)
        return said.pop()

    def test_settings_write_no_file(self):
        settings = [("tracing", "yes"), ("tracing/filename", "victim.txt"),
                    ("tracing/platform", "yes"), ("tracing/smpi", "yes")]
        for chosen in (settings, settings[1:], [("plugin", "host_energy")],
                       [("model-check/dot-output", "victim.txt")], [("path", "/etc")]):
            props = "".join(f'<prop id="{key}" value="{value}"/>' for key, value in chosen)
            xml = PLATFORM_XML.replace('<zone id="all"',
                                       f'<config id="General">{props}</config><zone id="all"')
            self.assertIn("p.xml:4: <config>: Faultline takes no settings of SimGrid",
                          self.refused(xml))

    def test_other_files_are_not_read(self):
        for element, name in (('<include file="victim.txt"/>', "<include>: "),
                              ('<trace id="t" file="victim.txt" periodicity="1"/>', "<trace>: ")):
            xml = PLATFORM_XML.replace('<zone id="all"', element + '<zone id="all"')
            self.assertIn("p.xml:4: " + name, self.refused(xml))
        host = '<zone id="all" routing="Full"><host id="h" speed="1f" state_file="victim.txt"/>'
        xml = PLATFORM_XML.replace('<zone id="all" routing="Full">', host)
        self.assertIn("p.xml:4: <host>: state_file: ", self.refused(xml))
        entity = '<!DOCTYPE platform [<!ENTITY e SYSTEM "victim.txt">]>'
        xml = PLATFORM_XML.replace(PLATFORM_XML.splitlines()[1], entity)
        self.assertIn("p.xml:2: <!DOCTYPE>: ", self.refused(xml))

    def test_a_cluster_of_a_million_hosts(self):
        self.assertIn("makes 1000000 hosts, expected at most 131072",
                      self.refused(PLATFORM_XML.replace("0-7", "0-999999")))

    def test_simgrid_s_complaint_is_of_the_user_s_file(self):
        message = self.refused(PLATFORM_XML.replace("125MBps", "fast"))
        self.assertIn("SimGrid refuses this platform file: ", message)
        self.assertIn("p.xml:5: ", message)
        self.assertNotIn("topology.xml", message)


class UnboundedWork(ProgramTest):
    def test_a_rate_beyond_reason_is_refused_with_what_it_would_write(self):
        message = self.refusal("faults", "generate", "poisson", "mtbf_s=1e-3", "--nodes", 10,
                               "--duration", "1e9", "--repair-median", 0)
        self.assertIn("too many failures for a trace: 2000001 of 2000002 drawn", message)
        self.assertIn("so about 1e+12 of 1e+12 drawn in all", message)
        message = self.refusal("faults", "generate", "weibull", "scale_s=5e-324", "--nodes", 4,
                               "--duration", 1, "--repair-median", 0)
        self.assertIn("2000001 of 2000002 drawn in no time at all", message)

    def test_thousands_of_problems_are_counted(self):
        self.write("s.json", dict(SMALL, **{f"platfrom{i}": 1 for i in range(20000)}))
        message = self.refusal("validate", "s.json")
        self.assertEqual(len(message.splitlines()), 201)
        self.assertIn("and 19800 more problems", message)

    def test_formulas_beyond_reason(self):
        long = " or ".join(["seed > 1"] * 10000)
        document = changed(SMALL, ["sweep"], {"seed": [1, 2], "where": [long]})
        self.write("s.json", changed(document, ["termination"], {"name": "cda"}))
        message = self.refusal("sweep", "s.json", "--dry-run")
        self.assertIn("s.json: sweep.where[0]: the formulas of a sweep have more than 65536 bytes",
                      message)
        document["sweep"]["where"] = ["(" * 100 + "true" + ")" * 100]
        self.write("s.json", document)
        self.assertIn("s.json: sweep.where[0]: column 65: nested too deeply, expected at most 64",
                      self.refusal("sweep", "s.json", "--dry-run"))


if __name__ == "__main__":
    unittest.main()
