# SPDX-License-Identifier: Apache-2.0
"""What text refers to is there: pages of docs/, and the targets of links in Markdown, which may be
headings of a page."""

import functools
import re
import sys

from source_files import read, report, root
from words_test import text_files

PAGE = re.compile(r"(?<![\w/])docs/(?:(?:adding|reproduction)/)?[\w.-]+\.md\b")
CODE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


def without_code(text):
    return CODE.sub(lambda code: "\n" * code[0].count("\n"), text)


@functools.cache
def anchors(page):
    """The anchors of a page's headings, as GitHub makes them."""
    words = (re.sub(r"[^\w\- ]", "", heading.lower()).strip()
             for heading in HEADING.findall(without_code(read(page))))
    return {word.replace(" ", "-") for word in words}


def references(path, text):
    """(line, target, file, anchor or "") of everything that one file refers to."""
    is_page = path.suffix == ".md"
    for number, line in enumerate((without_code(text) if is_page else text).splitlines(), 1):
        for page in PAGE.findall(line):
            yield number, page, None, ""
        for target, anchor in LINK.findall(line) if is_page else ():
            if "://" not in target:
                yield number, target, path.parent / target if target else path, anchor


def is_there(file, anchor):
    return file.exists() and (anchor in anchors(file) if anchor and file.suffix == ".md" else True)


def check_text(top, path, text):
    return [f"{path.relative_to(top).as_posix()}:{line}: refers to {target}"
            f"{'#' + anchor if anchor else ''}, which does not exist"
            for line, target, file, anchor in references(path, text)
            if not is_there(file or top / target, anchor)]


if __name__ == "__main__":
    top = root()
    files = text_files(top)
    found = [finding for path in files for finding in check_text(top, path, read(path))]
    sys.exit(report(found, f"{len(files)} files"))
