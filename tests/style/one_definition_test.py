# SPDX-License-Identifier: Apache-2.0
"""No two types of the program have one name. The linker would merge their functions, and which of
them remains depends on what the compiler inlines."""

import collections
import re
import sys

from source_files import blank_literals, cpp_files, read, report, root

PREPROCESSOR = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", re.MULTILINE)
NAMESPACE = re.compile(r"\bnamespace\s*([\w:]*)\s*$")
TYPE = re.compile(r"(?:^|[\s>])(?:struct|class|enum class|enum|union)\s+"
                  r"(?:\[\[[^\]]*\]\]\s*|alignas\([^)]*\)\s*)*(\w+)\s*(?:final\s*)?"
                  r"(?::[^:].*)?$", re.DOTALL)


def types(text):
    """(name, line) of every type at namespace scope, but for namespaces without a name."""
    text = PREPROCESSOR.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), blank_literals(text))
    scopes = []  # the namespace's name, or None inside of anything else
    begin = 0
    for found in re.finditer(r"[{};]", text):
        head = text[begin:found.start()]
        begin = found.end()
        if found[0] == "}" and scopes:
            scopes.pop()
        if found[0] != "{":
            continue
        namespace = NAMESPACE.search(head)
        type_head = TYPE.search(head)
        if namespace:
            scopes.append(namespace[1])
            continue
        if type_head and all(scopes):
            yield "::".join((*scopes, type_head[1])), text.count("\n", 0, found.start()) + 1
        scopes.append(None)


def check_texts(texts):
    """The findings in (file, text) pairs."""
    places = collections.defaultdict(list)
    for file, text in texts:
        for name, line in types(text):
            places[name].append(f"{file}:{line}")
    return [f"{where[1]}: {name} is also defined at {where[0]}"
            for name, where in sorted(places.items()) if len(where) > 1]


if __name__ == "__main__":
    top = root()
    files = [path for path in cpp_files(top) if (top / "tests") not in path.parents]
    findings = check_texts((path.relative_to(top).as_posix(), read(path)) for path in files)
    sys.exit(report(findings, f"{len(files)} files"))
