# SPDX-License-Identifier: Apache-2.0
"""`validate` of machine files: its figures of a machine, against those by hand."""

import json
import unittest

from program import ENGINES, GONE, ProgramTest, SMALL, SOURCE, changed

MACHINES = SOURCE / "scenarios/machines"
SIZES = (0, 8, 1024, 65536, 1048576)
# Hops between the nearest and the farthest nodes, links across the bisection.
NETWORKS = {
    "intrepid": (1, 52, 2 * 32 * 32),  # torus 40x32x32: both ways round, of the longest ring
    "mira": (1, 27, 2 * 8 * 12 * 16 * 2),
    "jaguar": (1, 40, 2 * 25 * 24),
    "cori": (2, 7, 3 * 4 * 2),  # three groups and four, two links between each two
    "stampede": (2, 6, 18 * 9 * 16),  # 18 subtrees of nine leaf switches with 16 links up each
    "nacl": (2, 2, 33),
}


def half_round_trip_us(machine, hops, size):
    """The formula of docs/machines.md."""
    value = {key: entry.get("value") for key, entry in machine.items() if isinstance(entry, dict)}
    bandwidth = min(value["nic_bandwidth_Bps"], value["link_bandwidth_Bps"])
    return 1e6 * (value["send_overhead_s"] + value["nic_latency_s"]
                  + hops * value["hop_latency_s"] + size / bandwidth
                  + value["receive_overhead_s"])


class MachineTest(ProgramTest):
    def test_shipped_machines_have_their_figures(self):
        for name, (near, far, links) in NETWORKS.items():
            with self.subTest(machine=name):
                path = MACHINES / f"{name}.json"
                machine = json.loads(path.read_text())
                lines = self.answer("validate", str(path)).splitlines()
                nodes, cores = machine["nodes"]["value"], machine["cores_per_node"]["value"]
                self.assertTrue(lines[0].startswith(
                    f"{path}: valid, machine of {nodes} nodes with {cores} cores each, "), lines[0])
                self.assertEqual(lines[1].split(), ["half", "round", "trip,", "us", "hops", "0",
                                                    "B", "8", "B", "1", "KiB", "64", "KiB", "1",
                                                    "MiB"])
                self.check_row(lines[3], "nearest nodes", machine, near)
                self.check_row(lines[4], "farthest nodes", machine, far)
                bandwidth = machine["link_bandwidth_Bps"]["value"] * 1e-9
                self.assertEqual(lines[5], f"bisection bandwidth: {links * bandwidth:.6g} GB/s "
                                           f"each way ({links:.6g} x {bandwidth:.6g} GB/s)")
                self.assertEqual(len(lines), 6)

    def check_row(self, line, words, machine, hops):
        self.assertTrue(line.startswith(words), line)
        cells = line[len(words):].split()
        self.assertEqual(int(cells[0]), hops)
        for cell, size in zip(cells[1:], SIZES, strict=True):
            by_hand = half_round_trip_us(machine, hops, size)
            self.assertAlmostEqual(float(cell), by_hand, delta=0.006)

    def test_errors_name_file_and_path(self):
        machine = json.loads((MACHINES / "nacl.json").read_text())
        self.write("m.json", changed(changed(machine, ["gap_s", "unit"], GONE), ["topology"], GONE))
        message = self.refusal("validate", "m.json")
        self.assertIn("m.json: gap_s.unit: missing", message)
        self.assertIn("m.json: topology: missing", message)

    def test_a_machine_of_one_node_has_nothing_to_measure(self):
        machine = json.loads((MACHINES / "nacl.json").read_text())
        machine["topology"]["children"] = [1]
        machine["nodes"]["value"] = 1
        self.write("m.json", machine)
        self.assertEqual(self.answer("validate", "m.json"),
                         "m.json: valid, machine of 1 node with 12 cores each, fat tree 1\n")

    def test_what_is_neither_is_said_to_be_neither(self):
        for document in ({}, {"schema_version": 1, "name": "who", "colour": "red"}):
            self.write("x.json", document)
            self.assertIn("x.json: is neither a scenario, which has platform and workload, nor a "
                          "machine, which has topology", self.refusal("validate", "x.json"))
        self.write("x.json", changed(SMALL, ["workload"], GONE))
        self.assertIn("x.json: workload: missing", self.refusal("validate", "x.json"))

    def test_more_groups_than_routers_of_a_chassis_run(self):
        machine = json.loads((MACHINES / "cori.json").read_text())
        machine["topology"].update({"groups": 9, "chassis_per_group": 2, "routers_per_chassis": 4,
                                    "nodes_per_router": 2})
        machine["nodes"]["value"] = 144
        self.write("fly.json", machine)
        scenario = changed(SMALL, ["platform"], {"machine": "fly.json", "processes": 144})
        for engine in ENGINES:
            self.write("s.json", changed(scenario, ["engine"], engine))
            self.answer("run", "s.json")

    def test_what_simgrid_could_not_build_in_time_is_refused_there(self):
        machine = json.loads((MACHINES / "cori.json").read_text())
        machine["topology"].update({"groups": 200, "nodes_per_router": 1})
        machine["nodes"]["value"] = 19200
        self.write("fly.json", machine)
        platform = {"machine": "fly.json", "processes": 16, "processes_per_node": 4}
        self.write("s.json", changed(SMALL, ["platform"], platform))
        self.answer("validate", "s.json")
        whole = changed(changed(SMALL, ["platform"], {**platform, "whole_machine": True}),
                        ["engine"], "simgrid")
        self.write("s.json", whole)
        self.assertIn("s.json: engine: engine simgrid cannot hold a dragonfly 200x6x16x1: the "
                      "routes between routers of its groups are 1843200, expected at most 1000000",
                      self.refusal("validate", "s.json"))


if __name__ == "__main__":
    unittest.main()
