# SPDX-License-Identifier: Apache-2.0
"""What text refers to is there: pages of docs/, and the targets of links in Markdown."""

import re
import sys

from source_files import read, report, root
from words_test import text_files

PAGE = re.compile(r"(?<![\w/])docs/(?:adding/)?[\w.-]+\.md\b")
CODE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def references(path, text):
    """(line, file) of everything that one file refers to."""
    if path.suffix == ".md":
        text = CODE.sub(lambda code: "\n" * code[0].count("\n"), text)
    for number, line in enumerate(text.splitlines(), 1):
        for page in PAGE.findall(line):
            yield number, page, None
        if path.suffix == ".md":
            for target in LINK.findall(line):
                if "://" not in target:
                    yield number, target, path.parent


def check_text(top, path, text):
    return [f"{path.relative_to(top).as_posix()}:{line}: refers to {target}, which does not exist"
            for line, target, base in references(path, text)
            if not ((base or top) / target).exists()]


if __name__ == "__main__":
    top = root()
    files = text_files(top)
    found = [finding for path in files for finding in check_text(top, path, read(path))]
    sys.exit(report(found, f"{len(files)} files"))
