# SPDX-License-Identifier: Apache-2.0
"""`calibrate`: machines from measured times, judged by times that they were not made from."""

import csv
import json
import lzma
import random
import unittest

from program import ENGINES, ProgramTest, SOURCE

# Copied from 256 bytes on, faster from 4 KiB on, negotiated from 16 KiB on: from, us, ns a byte.
RANGES = ((0, 1.25, 2.0), (256, 1.8, 0.6), (4096, 2.4, 0.45), (16384, 6.0, 0.2))
WITHIN = ((0, 0.3, 0.05), (8192, 0.9, 0.08))


def time_us(ranges, size):
    begin, fixed, byte_ns = [one for one in ranges if one[0] <= size][-1]
    del begin
    return fixed + byte_ns * size / 1000


def measured(ranges, seed):
    """(size, us) of 4,000 messages of random sizes, most within 3 % and some far too long."""
    draw = random.Random(seed)
    sizes = [int(2 ** draw.uniform(0, 20)) for _ in range(400)]
    return [(size, time_us(ranges, size) * (1 + draw.uniform(-0.03, 0.03))
             * (10 if draw.random() < 0.05 else 1)) for size in sizes for _ in range(10)]


def osu(title, columns, rows):
    return f"# OSU MPI {title} Test v7.3\n# Size  {columns}\n" + "".join(
        "  ".join(map(str, row)) + "\n" for row in rows)


def value(machine, key):
    return machine[key]["value"]


class Calibrate(ProgramTest):
    def machine(self, name="mine.json"):
        return json.loads((self.folder / name).read_text())

    def half_round_trip_us(self, engine, machine, size, **platform):
        self.write("pp.json", {
            "schema_version": 1, "name": "pp", "engine": engine,
            "platform": {"machine": f"./{machine}", "processes": 2, **platform},
            "workload": {"name": "ping-pong", "repetitions": 5, "bytes": size},
            "stop": {"when": "finished"}})
        return self.report("pp.json")["runs"][0]["metrics"]["half_round_trip_s"] * 1e6


class FromTables(Calibrate):
    def test_a_machine_has_the_times_of_another_half_of_the_measurements(self):
        rows = "".join(f"{size},{us * 1e-6!r}\n" for size, us in measured(RANGES, 1))
        self.write("pp.csv.xz", lzma.compress(rows.encode()))
        said = self.answer("calibrate", "pp.csv.xz", "--columns", "bytes,seconds",
                           "--half-round-trip", "--out", "mine.json")
        self.assertIn("0 to 7 ", said)
        self.assertIn("gap_s is that of a machine that is assumed", said)
        self.assertIn(": valid, machine of ", self.answer("validate", "mine.json"))
        machine = self.machine()
        self.assertEqual(machine["name"], "mine")
        self.assertLessEqual(len(machine["costs"]), 6)
        for cost in machine["costs"]:
            self.assertEqual(cost["latency_s"]["status"], "measured")
            self.assertIn("pp.csv.xz, medians of half round trips at ", cost["byte_s"]["source"])
        for engine in ENGINES:
            for size in (1, 100, 200, 300, 2000, 3900, 5000, 12000, 20000, 100000, 1000000):
                with self.subTest(engine=engine, size=size):
                    self.assertAlmostEqual(
                        self.half_round_trip_us(engine, "mine.json", size)
                        / time_us(RANGES, size), 1, delta=0.03)
        # Round trips take twice as long.
        self.write("twice.csv", "size,us\n" + "".join(
            f"{size},{2 * us!r}\n" for size, us in measured(RANGES, 1)))
        self.answer("calibrate", "twice.csv", "--columns", "bytes,microseconds",
                    "--out", "two.json")
        self.assertEqual([one["byte_s"]["value"] for one in self.machine("two.json")["costs"]],
                         [one["byte_s"]["value"] for one in machine["costs"]])

    def test_many_sizes_take_no_longer(self):
        self.write("many.csv", "".join(
            f"{size},{time_us(RANGES, size)!r}\n" for size in range(200000)))
        self.answer("calibrate", "many.csv", "--columns", "bytes,microseconds",
                    "--half-round-trip", "--out", "mine.json")
        self.assertEqual(len(self.machine()["costs"]), len(RANGES))

    def test_any_machine_can_be_held_against_the_files(self):
        self.write("pp.txt", "".join(f"{size} {us}\n" for size, us in measured(RANGES, 2)))
        said = self.answer("calibrate", "pp.txt", "--columns", "bytes,microseconds",
                           "--half-round-trip", "--check", "cori")
        lines = said.splitlines()
        self.assertEqual(lines[0], "Half round trips between the nearest nodes of cori:")
        self.assertTrue(all(len(line) <= 80 for line in lines), said)
        row = next(line.split() for line in lines if line.startswith("65536 to 262143"))
        cori = json.loads((SOURCE / "scenarios/machines/cori.json").read_text())
        size = int(row[4])
        bandwidth = min(value(cori, "nic_bandwidth_Bps"), value(cori, "link_bandwidth_Bps"))
        by_hand = 1e6 * (value(cori, "send_overhead_s") + value(cori, "receive_overhead_s")
                         + value(cori, "nic_latency_s") + 2 * value(cori, "hop_latency_s")
                         + size / bandwidth)
        self.assertAlmostEqual(float(row[6]), by_hand, delta=0.001)
        self.assertEqual(self.files(), ["pp.txt"])


class FromBenchmarks(Calibrate):
    SIZES = [0] + [2 ** power for power in range(21)]

    def setUp(self):
        super().setUp()
        self.write("osu_latency.txt", osu("Latency", "Latency (us)", [
            (size, round(time_us(RANGES, size), 3)) for size in self.SIZES]))
        self.write("osu_bw.txt", osu("Bandwidth", "Bandwidth (MB/s)",
                                     [(1, 2.5), (1048576, 6100.5), (4194304, 6000)]))
        self.write("rate.txt", osu("Multiple Bandwidth / Message Rate", "MB/s  Messages/s",
                                   []) + "# [ pairs: 16 ] [ window size: 64 ]\n1 20.0 20000000.0\n")
        self.write("intranode.txt", osu("Latency", "Latency (us)", [
            (size, round(time_us(WITHIN, size), 3)) for size in self.SIZES]))

    def test_what_the_files_do_not_tell_is_the_base_s(self):
        said = self.answer("calibrate", "osu_latency.txt", "osu_bw.txt", "rate.txt", "--base",
                           "stampede", "--name", "our cluster", "--out", "mine.json")
        base = json.loads((SOURCE / "scenarios/machines/stampede.json").read_text())
        machine = self.machine()
        self.assertEqual(machine["name"], "our cluster")
        for key in ("topology", "nodes", "link_bandwidth_Bps", "local_latency_s"):
            self.assertEqual(machine[key], base[key], key)
        self.assertEqual(value(machine, "nic_bandwidth_Bps"), 6100.5e6)
        self.assertIn("osu_bw.txt", machine["nic_bandwidth_Bps"]["source"])
        self.assertEqual(value(machine, "gap_s"), 5e-8)
        self.assertNotIn("gap_s is that of", said)
        # Its overheads and its two hops take longer than the shortest message here.
        self.assertIn("made shorter", machine["send_overhead_s"]["source"])
        self.assertLess(value(machine, "send_overhead_s"), value(base, "send_overhead_s"))
        for engine in ENGINES:
            for size in self.SIZES:
                self.assertAlmostEqual(
                    self.half_round_trip_us(engine, "mine.json", size) / time_us(RANGES, size), 1,
                    delta=0.02, msg=(engine, size))

    def test_messages_within_a_node_have_their_own_times(self):
        self.answer("calibrate", "osu_latency.txt", "--within-node", "intranode.txt", "--base",
                    "stampede", "--out", "mine.json")
        for engine in ENGINES:
            for size in self.SIZES:
                self.assertAlmostEqual(
                    self.half_round_trip_us(engine, "mine.json", size, processes_per_node=2)
                    / time_us(WITHIN, size), 1, delta=0.02, msg=(engine, size))


class Figures(Calibrate):
    def test_have_what_was_measured_and_what_the_machine_takes_at_the_same_sizes(self):
        self.write("pp.txt", "".join(f"{size} {us}\n" for size, us in measured(RANGES, 3)))
        self.answer("calibrate", "pp.txt", "--columns", "bytes,microseconds", "--half-round-trip",
                    "--figures", "drawn")
        self.assertEqual(self.files(), ["drawn/between-nodes." + end for end in (
            "csv", "gnuplot", "pdf", "png", "svg")] + ["pp.txt"])
        with open(self.folder / "drawn/between-nodes.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        times = {}
        for row in rows:
            times.setdefault(row["line"], {})[float(row["bytes"])] = float(row["half_round_trip_s"])
        self.assertEqual(set(times["measured"]), set(times["modelled"]))
        self.assertGreater(len(times["measured"]), 15)
        for size, time_s in times["modelled"].items():
            self.assertAlmostEqual(times["measured"][size] / time_s, 1, delta=0.06)


class BadInput(Calibrate):
    def test_each_is_one_error_that_says_where(self):
        self.write("one.csv", "1,1e-6\n1,2e-6\n")
        self.write("two.csv", "1,1e-6\n2,2e-6\n")
        self.write("bad.csv", "1,1e-6\n2,two\n")
        self.write("bw.txt", osu("Bandwidth", "Bandwidth (MB/s)", [(1, 2.5)]))
        table = ("--columns", "bytes,seconds")
        for arguments, expected in (
                ((), "calibrate: expected a file with the times of messages"),
                (("gone.txt",), "gone.txt: no such file"),
                (("two.csv",), "two.csv: is no output of osu_latency"),
                (("one.csv", *table), "one.csv: expected the times of messages of at least 2"),
                (("bad.csv", *table), 'bad.csv: line 2: expected a time above 0, got "two"'),
                (("bw.txt",), "bw.txt: has no times of a ping-pong"),
                (("two.csv", "--columns", "bytes"), "--columns: expected one column of bytes"),
                (("two.csv", "--half-round-trip"), "--half-round-trip: says what"),
                (("two.csv", *table, "--base", "corii"), 'did you mean "cori"?'),
                (("two.csv", *table, "--check", "cori", "--out", "x.json"),
                 "--check: makes no machine"),
                (("two.csv", *table, "--check", "nowhere"), "unknown machine"),
        ):
            with self.subTest(arguments=arguments):
                self.assertIn(expected, self.refusal("calibrate", *arguments))

    def test_hostile_names_and_texts_reach_no_terminal_as_they_are(self):
        self.write("evil\x1b[31m.csv", "1,1e-6\n2,\x1b[2J\n")
        said = self.faultline("calibrate", "evil\x1b[31m.csv", "--columns", "bytes,seconds")
        self.assertEqual(said.returncode, 2)
        self.assertNotIn("\x1b", said.stderr + said.stdout)


if __name__ == "__main__":
    unittest.main()
