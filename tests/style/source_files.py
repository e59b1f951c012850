# SPDX-License-Identifier: Apache-2.0
"""What the style tests look at, and C++ text with its comments and literals blanked out."""

import os
import pathlib
import re

CODE_DIRECTORIES = ("cli", "sim", "protocols", "workloads", "analysis", "tests")
CPP_SUFFIXES = {".cpp", ".hpp"}
SCRIPT_SUFFIXES = {".py", ".sh", ".cmake"}

# One pass over the text: whichever of these starts first wins, so a quote in a comment or a slash
# in a string is never mistaken. A digit separator (1'000) is not the start of a character.
LITERALS = re.compile(
    r"""
    (?P<comment> //(?:\\\n|[^\n])* | /\*.*?\*/ )
  | (?P<raw> (?:u8|[uUL])?R"(?P<mark>[^\s()\\]{0,16})\(.*?\)(?P=mark)" )
  | (?P<string> "(?:\\.|[^"\\\n])*" )
  | (?P<number> (?<![A-Za-z_]) [0-9](?:'?[0-9A-Za-z_.])* )
  | (?P<char> '(?:\\.|[^'\\\n])+' )
    """,
    re.VERBOSE | re.DOTALL,
)


def root():
    """The checkout under test: FAULTLINE_SOURCE_DIR, or the one this file lies in."""
    given = os.environ.get("FAULTLINE_SOURCE_DIR")
    return pathlib.Path(given) if given else pathlib.Path(__file__).resolve().parents[2]


def cpp_files(top):
    """Every C++ file of ours, sorted."""
    return sorted(
        path
        for directory in CODE_DIRECTORIES
        for path in (top / directory).rglob("*")
        if path.suffix in CPP_SUFFIXES and path.is_file()
    )


def script_files(top):
    """Everything else that is run: CMake, Python and shell, sorted."""
    found = [top / "CMakeLists.txt", *(top / "scripts").glob("*"), *(top / ".ci").glob("*")]
    for directory in CODE_DIRECTORIES + ("cmake",):
        found += [*(top / directory).rglob("*")]
    return sorted(
        path
        for path in set(found)
        if path.is_file()
        and path.parent.name != "__pycache__"
        and (
            path.suffix in SCRIPT_SUFFIXES
            or path.name == "CMakeLists.txt"
            or path.parent.name in ("scripts", ".ci")
        )
    )


def read(path):
    return path.read_text(encoding="utf-8")


def blank_literals(text, keep_strings=False):
    """The text, line for line and column for column, with comments, strings and characters
    replaced by blanks (the quotes of strings, too)."""

    def blank(match):
        kept = match.group("number") is not None
        kept = kept or (keep_strings and match.group("comment") is None)
        return match.group(0) if kept else re.sub(r"[^\n]", " ", match.group(0))

    return LITERALS.sub(blank, text)


def blank_preprocessor(text):
    """Blanks preprocessor lines and their continuations, keeping the line count."""

    def blank(match):
        return re.sub(r"[^\n]", " ", match.group(0))

    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", blank, text, flags=re.MULTILINE)


def report(findings, checked):
    """Prints the findings; the exit code of a style test."""
    for finding in findings:
        print(finding)
    print(f"{len(findings)} findings in {checked}")
    return 1 if findings else 0
