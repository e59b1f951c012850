# SPDX-License-Identifier: Apache-2.0
"""Explores every termination detector as far as the time goes: scripts/soak explore.

Without deaths: 3 and 4 ranks, all task graphs of up to 6 messages, both orders of messages. With
deaths anywhere: 3 ranks, 1 and 2 deaths, up to 5 messages; 4 ranks, 1 death, up to 4. Each search
has an equal share of FAULTLINE_EXPLORE_S seconds (an hour), and of what searches before it have
left. Fails if any promise is broken; a search that does not get to its end only says how far it
came."""

import json
import os
import subprocess
import sys
import time

PROGRAM = os.environ["FAULTLINE_PROGRAM"]
SCENARIO = os.path.join(os.environ["FAULTLINE_SOURCE_DIR"],
                        "scenarios/examples/all-graphs-intrepid.json")


def detectors():
    listed = subprocess.run([PROGRAM, "list", "protocols", "--format", "json"],
                            check=True, capture_output=True, text=True).stdout
    return [one for one in json.loads(listed)["protocols"] if one["family"] == "termination"]


def searches():
    """All bounds of all detectors, the smallest jobs first."""
    bounds = [(3, 0, 6), (3, 1, 5), (4, 0, 6), (4, 1, 4), (3, 2, 5)]
    for processes, faults, messages in bounds:
        for detector in detectors():
            if faults > 0 and not detector["traits"]["tolerates_faults"]:
                continue
            for ordering in ("fifo", "unordered"):
                if ordering == "unordered" and detector["traits"]["needs_fifo"]:
                    continue
                yield detector["name"], processes, faults, messages, ordering


def explored(search, time_limit_s):
    detector, processes, faults, messages, ordering = search
    settings = {"termination": {"name": detector}, "platform.processes": processes,
                "platform.ordering": ordering, "workload.most_messages": messages}
    command = [PROGRAM, "explore", SCENARIO, "--faults", str(faults), "--format", "json",
               "--alike", "kept", "--time-limit", str(time_limit_s),
               "--jobs", str(os.cpu_count()), "--quiet"]
    for path, value in settings.items():
        command += ["--set", f"{path}={json.dumps(value)}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1, 3):
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return json.loads(done.stdout)


def main():
    end = time.monotonic() + float(os.environ.get("FAULTLINE_EXPLORE_S", "3600"))
    todo = list(searches())
    broken = 0
    for number, search in enumerate(todo):
        left_s = max(1.0, (end - time.monotonic()) / (len(todo) - number))
        report = explored(search, round(left_s, 1))
        detector, processes, faults, messages, ordering = search
        print(f"{detector}, {processes} ranks, {faults} deaths, up to {messages} messages, "
              f"{ordering}: {report['verdict']}, {report['states']} states", flush=True)
        if report["verdict"] == "violated":
            broken += 1
            print("\n".join([report["violations"][0]["detail"], *report["steps"]]), flush=True)
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
