# SPDX-License-Identifier: Apache-2.0
"""Every source file names the licence of the project in its first line, or after its shebang.

`licence_test.py --add` writes the line where it is missing, in the files that docs/adding/ shows,
too. JSON has no comments, and what the program writes into pages and completions (space_time/,
completion/) goes to others without a licence of ours."""

import pathlib
import re
import sys

from source_files import CODE_DIRECTORIES, cpp_files, read, report, root, script_files

LICENCE = "SPDX-License-Identifier: Apache-2.0"
SHOWN = re.compile(r"^(`[\w/.]+`:\n\n```cpp\n)(.*?^```$)", re.MULTILINE | re.DOTALL)
LINES = {".cpp": f"// {LICENCE}\n", ".hpp": f"// {LICENCE}\n", ".in": f"// {LICENCE}\n",
         ".pml": f"/* {LICENCE} */\n"}


def source_files(top):
    others = [path for directory in (*CODE_DIRECTORIES, "scripts") for path in
              (top / directory).rglob("*") if path.suffix in (".in", ".pml", ".sbatch")]
    scripts = [path for path in script_files(top) if path.name != "tidied"]
    return sorted({*cpp_files(top), *others, *scripts})


def line_for(path):
    return LINES.get(path.suffix, f"# {LICENCE}\n")


def with_licence(path, text):
    """The text with the line, and a blank one before a comment of the file's own."""
    line = line_for(path)
    shebang, rest = "", text
    if text.startswith("#!"):
        shebang, _, rest = text.partition("\n")
        shebang += "\n"
    if rest.startswith(line):
        return text
    blank = "\n" if rest.startswith(("//", "/*", "# ")) else ""
    return shebang + line + blank + rest


def check_text(name, path, text):
    if with_licence(path, text) == text:
        return []
    return [f"{name}: no {line_for(path).strip()!r} at its top"]


def add(top):
    """Writes what is missing."""
    for path in source_files(top):
        text = read(path)
        if with_licence(path, text) != text:
            path.write_text(with_licence(path, text), encoding="utf-8")
    for page in (top / "docs/adding").glob("*.md"):
        page.write_text(SHOWN.sub(
            lambda shown: shown[1] + with_licence(pathlib.Path("shown.cpp"), shown[2]),
            read(page)), encoding="utf-8")


if __name__ == "__main__":
    top = root()
    if sys.argv[1:] == ["--add"]:
        add(top)
    files = source_files(top)
    found = [finding for path in files
             for finding in check_text(path.relative_to(top).as_posix(), path, read(path))]
    sys.exit(report(found, f"{len(files)} files"))
