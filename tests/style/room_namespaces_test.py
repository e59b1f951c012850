# SPDX-License-Identifier: Apache-2.0
"""Each file opens the namespace of its room, and no other but to declare what is defined there.

The room of a file is its directory: sim/json is faultline::json, sim/core is faultline. Tests are
in the namespace of what they test. No header brings the names of a namespace into another."""

import re
import sys

from source_files import blank_literals, blank_preprocessor, cpp_files, read, report, root

# Directories whose folders are rooms.
HOUSES = ("sim", "protocols", "analysis")

# They name nothing, or what is of no room: the program's main, what tests of all rooms use.
OF_NO_ROOM = {
    "sim/core/precompiled.hpp",
    "tests/main.cpp",
    "tests/support/catch2_3/catch2/catch.hpp",
    "tests/support/precompiled.hpp",
    "tests/support/temporary_directory.hpp",
}

# It is linked without a file of that room, and defines what is missing.
STANDS_IN = {"tests/fuzz/mutate_scenarios.cpp": "faultline::platform"}

OPENS = re.compile(r"\bnamespace\s+([\w:]+)\s*$")
FORWARD = re.compile(r"\s*(?:template\s*<[^;{}]*>\s*)?"
                     r"(?:class|struct|union|enum(?:\s+class)?)\s+\w+(?:\s*:\s*[\w:]+)?\s*;")
DIRECTIVE = re.compile(r"\busing\s+namespace\b")


def namespace_of(name):
    """The namespace of a file's room."""
    parts = name.removeprefix("tests/example/").removeprefix("tests/").split("/")
    if parts[0] == "support":
        return "faultline::test"
    room = parts[1] if parts[0] in HOUSES else parts[0]
    return "faultline" if room == "core" else f"faultline::{room}"


def blocks(text):
    """(namespace, line, contents) of what a file has outside of everything else."""
    depth, begin, opened = 0, 0, None
    for found in re.finditer(r"[{};]", text):
        if found[0] == "{":
            if depth == 0:
                head = OPENS.search(text[begin:found.start()])
                line = text.count("\n", 0, found.start()) + 1
                opened = (head[1], line, found.end()) if head else None
            depth += 1
        elif found[0] == "}":
            depth -= 1
            if depth == 0 and opened:
                yield opened[0], opened[1], text[opened[2]:found.start()]
        if depth == 0:
            begin = found.end()


def is_within(namespace, home, rooms):
    if namespace == home:
        return True
    return namespace.startswith(home + "::") and namespace not in rooms


def check_text(name, text, rooms=()):
    """The findings in one file; `rooms` are the namespaces of all rooms."""
    if name in OF_NO_ROOM:
        return []
    text = blank_preprocessor(blank_literals(text))
    home = namespace_of(name)
    findings, is_at_home = [], False
    for namespace, line, contents in blocks(text):
        if is_within(namespace, home, rooms):
            is_at_home = True
        elif namespace != STANDS_IN.get(name) and FORWARD.sub("", contents).strip():
            findings.append(f"{name}:{line}: defines something in {namespace}, and is in {home}")
    if not is_at_home:
        findings.append(f"{name}: opens no namespace {home}")
    if name.endswith(".hpp"):
        lines = (text.count("\n", 0, found.start()) + 1 for found in DIRECTIVE.finditer(text))
        findings += [f"{name}:{line}: using namespace in a header" for line in lines]
    return findings


if __name__ == "__main__":
    top = root()
    files = {path.relative_to(top).as_posix(): path for path in cpp_files(top)}
    homes = {namespace_of(name) for name in files}
    found = [finding for name, path in files.items()
             for finding in check_text(name, read(path), homes)]
    sys.exit(report(found, f"{len(files)} files"))
