# SPDX-License-Identifier: Apache-2.0
"""Functions have up to 70 lines, lines up to 100 columns; no tabs, no blanks at line ends."""

import re
import sys

from source_files import (
    blank_literals,
    blank_preprocessor,
    cpp_files,
    read,
    report,
    root,
    script_files,
)

MAX_FUNCTION_LINES = 70
MAX_COLUMNS = 100

SCOPE = re.compile(r"^(?:inline\s+)?(?:namespace|class|struct|union|enum|extern)\b")
PREFIX = re.compile(r"^\s*(?:(?:export|static|constexpr|typedef|inline)\b|\[\[[^\]]*\]\])\s*")


def matching_brace(text, start):
    """The index of the brace that closes the one at `start`."""
    depth = 0
    for index in range(start, len(text)):
        if text[index] == "{":
            depth += 1
        elif text[index] == "}":
            depth -= 1
            if depth == 0:
                return index
    raise ValueError(f"line {text.count(chr(10), 0, start) + 1}: brace is never closed")


def without_template_heads(head):
    """Drops leading `template <...>`, whose parameters may say `class`."""
    head = head.lstrip()
    while head.startswith("template"):
        start = head.find("<")
        depth = 0
        for index in range(start, len(head)):
            depth += {"<": 1, ">": -1}.get(head[index], 0)
            if depth == 0:
                head = head[index + 1 :].lstrip()
                break
        else:
            return head
    return head


def without_group_contents(head):
    """Every parenthesised group of `head` as `()`, with what is inside dropped."""
    kept, depth = [], 0
    for char in head:
        depth -= char == ")"
        if depth <= 0:
            kept.append(char)
        depth += char == "("
    return "".join(kept)


def kind_of(head):
    """What the brace after `head` opens: 'scope' (look inside), 'function' or 'value'."""
    head = without_template_heads(head)
    while PREFIX.match(head) and not SCOPE.match(head):
        head = PREFIX.sub("", head, count=1)
    if SCOPE.match(head):
        return "scope"
    outside = without_group_contents(re.sub(r"operator\s*(?:\(\)|[^\s\w(]+)", "operator", head))
    if re.search(r"=\s*\[", outside):
        return "function"
    return "function" if "(" in outside and "=" not in outside.split("(")[0] else "value"


def name_of(head):
    found = re.search(r"([\w:~]+|operator\s*\S+?)\s*\(", without_template_heads(head))
    return found.group(1) if found else head.strip()[:40]


def functions(text):
    """Yields (name, first line, last line) of every function of a C++ text, lambdas inside others
    not counted apart. A function begins where its declaration does."""
    text = blank_preprocessor(blank_literals(text))
    index = head_start = 0
    while index < len(text):
        char = text[index]
        if char in ";}" or (char == ":" and re.search(r"\b(public|private|protected)\s*$",
                                                      text[head_start:index])):
            head_start = index + 1
        elif char == "{":
            kind = kind_of(text[head_start:index])
            if kind != "scope":
                end = matching_brace(text, index)
                if text[end + 1 :].lstrip()[:1] in (",", "{"):
                    index = end + 1  # a member initialiser's braces: the body is still to come
                    continue
                if kind == "function":
                    head = text[head_start:index]
                    first = head_start + len(head) - len(head.lstrip())
                    yield name_of(head), text.count("\n", 0, first) + 1, \
                        text.count("\n", 0, end) + 1
                    head_start = end + 1
                index = end
            else:
                head_start = index + 1
        index += 1


def check_functions(name, text):
    try:
        found = list(functions(text))
    except ValueError as error:
        return [f"{name}: cannot follow the braces: {error}"]
    return [
        f"{name}:{first}: function {function} has {last - first + 1} lines, "
        f"more than {MAX_FUNCTION_LINES}"
        for function, first, last in found
        if last - first + 1 > MAX_FUNCTION_LINES
    ]


def check_lines(name, text):
    findings = []
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > MAX_COLUMNS:
            findings.append(f"{name}:{number}: {len(line)} columns, more than {MAX_COLUMNS}")
        if "\t" in line:
            findings.append(f"{name}:{number}: a tab")
        if line != line.rstrip():
            findings.append(f"{name}:{number}: blanks at the end of the line")
    if text and not text.endswith("\n"):
        findings.append(f"{name}: no newline at the end of the file")
    return findings


def main():
    top = root()
    sources = cpp_files(top)
    scripts = script_files(top)
    findings = []
    count = 0
    for path in sources + scripts:
        name = str(path.relative_to(top))
        findings += check_lines(name, read(path))
    for path in sources:
        name = str(path.relative_to(top))
        findings += check_functions(name, read(path))
        count += len(list(functions(read(path))))
    return report(findings, f"{count} functions of {len(sources)} C++ files, "
                            f"{len(scripts)} scripts")


if __name__ == "__main__":
    sys.exit(main())
