# SPDX-License-Identifier: Apache-2.0
"""How fast Faultline and SPIN find the same states, side by side: Safra's and Dijkstra and
Scholten's algorithm, with 3 and 4 processes. SPIN runs the models in promela/ without partial order
reduction, plain and with -DCOLLAPSE, on one core; Faultline runs with one thread and with two.

    python3 tests/analysis/exploration/beside_spin.py build/release/tests/test_analysis

A rate counts the time that passes; that per second of processor time is also right where other
programs run.
"""

import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).parent / "promela"
JOBS = [("safra", 3, 3), ("safra", 4, 3), ("dijkstra-scholten", 3, 3), ("dijkstra-scholten", 4, 3)]
SECONDS = 120


def ran(command, **options):
    """The output of a program, and the seconds of processor time that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    text = subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return text, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def spin(detector, processes, height, *options):
    """The number of states, seconds, seconds of processor time, and bytes of storage; None if SPIN
    needs too long."""
    with tempfile.TemporaryDirectory() as folder:
        model = FOLDER / (detector.replace("-", "_") + ".pml")
        subprocess.run(["spin", f"-DN={processes}", f"-DH={height}", "-a", "-o3", str(model)],
                       cwd=folder, check=True, capture_output=True)
        subprocess.run(["gcc", "-O2", "-w", "-DSAFETY", "-DNOREDUCE", "-DVECTORSZ=4096", *options,
                        "-o", "pan", "pan.c"], cwd=folder, check=True)
        try:
            text, processor = ran(["./pan", "-m1000000", "-w22"], cwd=folder, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return None
    if "errors: 0" not in text:
        raise SystemExit(text)
    states = int(re.search(r"(\d+) states, stored", text).group(1))
    seconds = float(re.search(r"elapsed time ([\d.]+)", text).group(1))
    storage = re.search(r"([\d.]+)\s+actual memory usage for states", text)
    return states, seconds, processor, float(storage.group(1)) * 2**20


def faultline(binary, detector, processes, height, threads):
    environment = dict(os.environ, DETECTOR=detector, PROCESSES=str(processes), HEIGHT=str(height),
                       JOBS=str(threads))
    text, processor = ran([binary, "how fast the states that SPIN counts are found"],
                          env=environment)
    found = re.search(r"(\d+) states in ([\d.]+) s, (\d+) bytes", text)
    return int(found.group(1)), float(found.group(2)), processor, float(found.group(3))


def row(job, who, found):
    if found is None:
        return f"| {job} | {who} | not within {SECONDS} s | | | |"
    states, seconds, processor, storage = found
    rates = " | ".join(f"{states / s:,.0f}" if s > 0 else "" for s in (seconds, processor))
    return f"| {job} | {who} | {states:,} | {rates} | {storage / states:,.0f} |"


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    print("| job | who | states | states/s | per processor s | bytes/state |")
    print("|---|---|---:|---:|---:|---:|")
    for detector, processes, height in JOBS:
        job = f"{detector}, {processes} processes, height {height}"
        all_found = [
            ("SPIN", spin(detector, processes, height)),
            ("SPIN -DCOLLAPSE", spin(detector, processes, height, "-DCOLLAPSE")),
            ("Faultline, 1 thread", faultline(sys.argv[1], detector, processes, height, 1)),
            ("Faultline, 2 threads", faultline(sys.argv[1], detector, processes, height, 2)),
        ]
        for who, found in all_found:
            print(row(job, who, found), flush=True)
        if len({found[0] for _, found in all_found if found is not None}) > 1:
            raise SystemExit(f"{job}: not the same number of states")


if __name__ == "__main__":
    main()
