# SPDX-License-Identifier: Apache-2.0
"""No work left undone in the text, no file named after nothing, no path of somebody's machine."""

import re
import sys

from source_files import cpp_files, read, report, root, script_files

# Split, so that this file does not find itself.
UNDONE = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")
EMPTY_NAMES = re.compile(r"(^|[_\-.])(manager|helper|util|misc|stuff)s?([_\-.]|$)", re.I)
EMPTY_TYPES = re.compile(r"\b(?:class|struct)\s+\w*(Man" r"ager|Hel" r"per|Ut" r"il)s?\b")
MACHINE_PATHS = re.compile(r"(?<![\w.:/$}~])/(?:home|root|work|Users)/\w+")


def text_files(top):
    documents = [*top.glob("*.md"), *(top / "docs").rglob("*.md"), *(top / "tests").rglob("*.md")]
    data = [*(top / "scenarios").rglob("*.json")]
    return sorted({*cpp_files(top), *script_files(top), *documents, *data})


def check_text(name, text):
    findings = []
    for number, line in enumerate(text.splitlines(), 1):
        for pattern, what in (
            (UNDONE, "work left undone"),
            (EMPTY_TYPES, "a type named after nothing"),
            (MACHINE_PATHS, "a path of somebody's machine"),
        ):
            found = pattern.search(line)
            if found:
                findings.append(f"{name}:{number}: {what}: {found.group(0)}")
    return findings


def check_name(name):
    last = name.rsplit("/", 1)[-1]
    return [f"{name}: a file named after nothing"] if EMPTY_NAMES.search(last) else []


if __name__ == "__main__":
    top = root()
    files = text_files(top)
    found = []
    for path in files:
        name = path.relative_to(top).as_posix()
        found += check_name(name) + check_text(name, read(path))
    sys.exit(report(found, f"{len(files)} files"))
