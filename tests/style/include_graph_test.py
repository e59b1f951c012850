# SPDX-License-Identifier: Apache-2.0
"""Includes follow the arrows of the architecture, and no others.

cli -> analysis -> {protocols, workloads} -> sim/core, and between the rooms of analysis. Protocols
and workloads never see an engine, SimGrid or JSON; SimGrid and JSON each stay in the few files
named below.
"""

import re
import sys

from source_files import blank_literals, cpp_files, read, report, root

# What the files of a directory may include, besides their own directory. A directory stands below
# those that it includes.
ARROWS = {
    "sim/core": [],
    "sim/platform": ["sim/core"],
    "sim/faults": ["sim/core", "sim/platform"],
    "sim/audit": ["sim/core"],
    "sim/json": ["sim/core"],
    "sim/scenario": ["sim/core", "sim/json", "sim/platform", "sim/faults"],
    "sim/engine/job": ["sim/core", "sim/platform", "sim/faults", "sim/scenario"],
    "sim/engine/events": ["sim/core"],
    "sim/engine/truth": ["sim/core", "sim/audit", "sim/engine/job"],
    "sim/engine/actors": ["sim/core", "sim/audit", "sim/engine/job", "sim/engine/truth",
                          "sim/engine/events"],
    "sim/engine/processors": ["sim/core", "sim/audit", "sim/engine/events", "sim/engine/actors"],
    "sim/engine/storage": ["sim/core"],
    "sim/engine/network": ["sim/core", "sim/platform", "sim/engine/job", "sim/engine/events",
                           "sim/engine/actors", "sim/engine/processors"],
    "sim/engine/verdict": ["sim/core", "sim/faults", "sim/audit", "sim/scenario", "sim/engine/job",
                           "sim/engine/truth", "sim/engine/events", "sim/engine/actors"],
    "sim/engine/turn": ["sim/core", "sim/engine/job", "sim/engine/events", "sim/engine/actors",
                        "sim/engine/processors", "sim/engine/storage", "sim/engine/network",
                        "sim/engine/verdict"],
    "sim/engine/membership": ["sim/core", "sim/faults", "sim/audit", "sim/engine/job",
                              "sim/engine/events", "sim/engine/actors", "sim/engine/processors",
                              "sim/engine/storage", "sim/engine/network", "sim/engine/verdict",
                              "sim/engine/turn"],
    "sim/engine/phases": ["sim/core", "sim/engine/events", "sim/engine/actors",
                          "sim/engine/processors", "sim/engine/network", "sim/engine/verdict",
                          "sim/engine/turn", "sim/engine/membership"],
    "sim/engine/images": ["sim/core", "sim/engine/actors", "sim/engine/processors",
                          "sim/engine/network", "sim/engine/verdict", "sim/engine/turn",
                          "sim/engine/membership", "sim/engine/phases"],
    "sim/engine/state": ["sim/core", "sim/platform", "sim/faults", "sim/audit", "sim/engine/job",
                         "sim/engine/truth", "sim/engine/events", "sim/engine/actors",
                         "sim/engine/storage", "sim/engine/network", "sim/engine/membership",
                         "sim/engine/verdict"],
    "sim/engine/runtime": ["sim/core", "sim/platform", "sim/audit", "sim/scenario",
                           "sim/engine/job", "sim/engine/events", "sim/engine/actors",
                           "sim/engine/processors", "sim/engine/network", "sim/engine/verdict",
                           "sim/engine/turn", "sim/engine/membership", "sim/engine/phases",
                           "sim/engine/images", "sim/engine/state"],
    "sim/engine/ahead": ["sim/core", "sim/scenario", "sim/engine/job", "sim/engine/events",
                         "sim/engine/actors", "sim/engine/network", "sim/engine/state"],
    "sim/engine/stepwise": ["sim/core", "sim/audit", "sim/scenario", "sim/engine/job",
                            "sim/engine/events", "sim/engine/state", "sim/engine/runtime",
                            "sim/engine/verdict"],
    "sim/engine/loggp": ["sim/core", "sim/platform", "sim/engine/network", "sim/engine/runtime",
                         "sim/engine/ahead"],
    "sim/engine/simgrid": ["sim/core", "sim/platform", "sim/audit", "sim/engine/job",
                           "sim/engine/verdict", "sim/engine/runtime"],
    "sim/engine": ["sim/core", "sim/platform", "sim/audit", "sim/scenario"],
    "protocols/termination": ["sim/core"],
    "protocols/failure_detection": ["sim/core"],
    # What message logging and transactions share.
    "protocols/checkpoints": ["sim/core", "protocols/termination"],
    "protocols/message_logging": ["sim/core", "protocols/checkpoints"],
    "protocols/transactions": ["sim/core", "protocols/termination", "protocols/checkpoints"],
    "workloads": ["sim/core"],
    "analysis/statistics": ["sim/core"],
    "analysis/text": ["sim/core", "sim/json", "analysis/statistics"],
    "analysis/theory": ["sim/core", "sim/json", "sim/platform", "sim/faults", "sim/scenario",
                        "workloads", "analysis/statistics", "analysis/text"],
    "analysis/failures": ["sim/core", "sim/faults", "sim/json", "analysis/statistics",
                          "analysis/text"],
    "analysis/traces": ["sim/core", "sim/json", "sim/audit", "sim/engine", "sim/scenario"],
    "analysis/lemmas": ["sim/core", "sim/json", "sim/audit", "sim/engine", "sim/scenario",
                        "protocols"],
    # A run whose detector has given up is judged by the condition that the lemmas state.
    "analysis/runs": ["sim/core", "sim/json", "sim/audit", "sim/engine", "sim/scenario",
                      "analysis/statistics", "analysis/text", "analysis/theory",
                      "analysis/lemmas"],
    "analysis/exploration": ["sim/core", "sim/json", "sim/audit", "sim/engine", "sim/scenario",
                             "analysis/statistics", "analysis/text", "analysis/traces",
                             "analysis/lemmas", "analysis/runs"],
    "analysis/search": ["sim/core", "sim/json", "sim/faults", "sim/audit", "sim/engine",
                        "sim/scenario", "analysis/statistics", "analysis/text", "analysis/lemmas",
                        "analysis/runs", "analysis/exploration"],
    "analysis/drawing": ["sim/core", "sim/json", "analysis/statistics", "analysis/text"],
    "analysis/calibration": ["sim/core", "sim/json", "sim/platform", "sim/faults", "sim/scenario",
                             "analysis/text", "analysis/drawing"],
    "analysis/store": ["sim/core", "sim/faults", "sim/json", "sim/engine", "sim/scenario",
                       "analysis/statistics", "analysis/text", "analysis/runs"],
    "analysis/advice": ["sim/core", "sim/json", "sim/scenario", "analysis/statistics",
                        "analysis/text", "analysis/theory", "analysis/runs", "analysis/drawing",
                        "analysis/store"],
    "analysis/report": ["sim/core", "sim/json", "analysis/statistics", "analysis/text",
                        "analysis/runs", "analysis/drawing", "analysis/store"],
    "analysis/reproduction": ["sim/core", "sim/json", "sim/engine", "sim/scenario", "workloads",
                              "analysis/statistics", "analysis/text", "analysis/theory",
                              "analysis/traces", "analysis/lemmas", "analysis/runs",
                              "analysis/exploration", "analysis/drawing"],
    "cli": ["sim/core", "sim/json", "sim/platform", "sim/faults", "sim/audit", "sim/engine",
            "sim/scenario", "protocols", "workloads", "analysis"],
    "tests": ["cli", "sim", "protocols", "workloads", "analysis"],
}

# Which files may include the headers of a library: (header, files).
LIBRARIES = {
    "SimGrid": (r"(simgrid|xbt|smpi)/",
                r"sim/(engine/simgrid|platform)/simgrid_[^/]*|tests/.*_simgrid_test\.cpp"),
    "JSON": (r"nlohmann/", r"(sim/json|tests)/.*"),
    "Expat": (r"expat", r"sim/platform/simgrid_topology_file\.cpp"),
    "SQLite": (r"sqlite3", r"analysis/store/sqlite\.cpp"),
    "Boost.Iostreams": (r"boost/iostreams/", r"(sim|tests)/core/packed_text(_test)?\.cpp"),
    "Catch2": (r"catch2/", r"tests/.*"),
}

# Lies there as it would in the tree itself.
EXAMPLE = "tests/example/"

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)


def includes(text):
    """(line, bracket, header) of every include that is not in a comment."""
    text = blank_literals(text, keep_strings=True)
    for match in INCLUDE.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match.group(1), match.group(2)


def home_of(name):
    """The directory of ARROWS that a file belongs to."""
    fitting = [directory for directory in ARROWS if name.startswith(directory + "/")]
    return max(fitting, key=len) if fitting else None


def check_project_include(top, name, header):
    if header.startswith(".") or "/" not in header:
        return f'"{header}" is not a path from the root'
    places = [top / header, top / (header + ".in")]
    if name.startswith(EXAMPLE):
        places.append(top / EXAMPLE / header)
    if not any(place.is_file() for place in places):
        return f'"{header}" does not exist'
    home = home_of(name.removeprefix(EXAMPLE))
    if home is None:
        return f"no arrow is known for this directory; add it to {__file__}"
    allowed = [home] + ARROWS[home]
    if not any(header.startswith(directory + "/") for directory in allowed):
        return f'"{header}" from {home}, which may include only: {", ".join(allowed)}'
    return None


def check_library(name, header):
    for library, (headers, files) in LIBRARIES.items():
        if re.match(headers, header) and not re.fullmatch(files, name):
            return f"{library} (<{header}>) does not belong here"
    return None


def check_file(top, name, text):
    findings = []
    for line, bracket, header in includes(text):
        wrong = check_library(name, header)
        if wrong is None and bracket == '"':
            wrong = check_project_include(top, name, header)
        if wrong is not None:
            findings.append(f"{name}:{line}: {wrong}")
    if name.endswith(".hpp") and not re.search(r"^#pragma once$", text, re.MULTILINE):
        findings.append(f"{name}: no #pragma once")
    return findings


def cycles(graph):
    """One cycle through each file that is on one, as a list of names."""
    done, path, found = set(), [], []

    def visit(name):
        if name in path:
            found.append(path[path.index(name):] + [name])
            return
        if name in done:
            return
        path.append(name)
        for header in sorted(graph.get(name, ())):
            visit(header)
        path.pop()
        done.add(name)

    for name in sorted(graph):
        visit(name)
    return found


def check(top):
    findings, graph = [], {}
    for path in cpp_files(top):
        name = path.relative_to(top).as_posix()
        text = read(path)
        findings += check_file(top, name, text)
        graph[name] = {header for _, bracket, header in includes(text) if bracket == '"'}
    findings += ["include cycle: " + " -> ".join(cycle) for cycle in cycles(graph)]
    return findings, len(graph), sum(len(headers) for headers in graph.values())


if __name__ == "__main__":
    found, files, edges = check(root())
    sys.exit(report(found, f"{files} C++ files with {edges} includes of our own"))
