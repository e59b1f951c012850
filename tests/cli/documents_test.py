# SPDX-License-Identifier: Apache-2.0
"""The pages of docs/ say what the program declares: the reference is what it prints, and each
protocol has a page with its messages, its options and their defaults."""

import json
import re
import unittest

from program import ProgramTest, SOURCE

OPTION_TABLE = re.compile(r"^\| option \| default \|.*\n\|[-|]+\n((?:\|.*\n)+)", re.MULTILINE)


def number(text):
    """The value of a default as people write it: 2^32, 1e-3, 5 min, or None."""
    power = re.fullmatch(r"(\d+)\^(\d+)", text)
    if power:
        return float(int(power[1]) ** int(power[2]))
    try:
        return float(text)
    except ValueError:
        return None


def tables(page):
    """(option, default) of every row of the tables of options of a page."""
    for table in OPTION_TABLE.findall(page):
        for row in table.splitlines():
            cells = [cell.strip() for cell in row.strip("|").split("|")]
            for name in re.findall(r"`([\w.]+)`", cells[0]):
                yield name, cells[1].strip("`")


class Documents(ProgramTest):
    def test_the_reference_is_what_the_program_prints(self):
        self.assertEqual((SOURCE / "docs/scenario-reference.md").read_text(),
                         self.answer("schema", "--format", "markdown"))

    def protocols(self):
        return json.loads(self.answer("list", "protocols", "--format", "json"))["protocols"]

    def stem(self, protocol):
        """A protocol's page has its name, or that and its family if a detector has it, too."""
        detectors = {other["name"] for other in self.protocols()
                     if other["family"] == "failure_detection"}
        is_shared = protocol["family"] != "failure_detection" and protocol["name"] in detectors
        return f"{protocol['name']}-{protocol['family']}" if is_shared else protocol["name"]

    def page(self, stem):
        return (SOURCE / f"docs/protocols/{stem}.md").read_text()

    def test_every_page_has_a_protocol(self):
        pages = {path.stem for path in (SOURCE / "docs/protocols").iterdir()}
        self.assertEqual(pages, {self.stem(protocol) for protocol in self.protocols()})

    def test_a_page_names_messages_options_and_source(self):
        for protocol in self.protocols():
            page = self.page(self.stem(protocol))
            self.assertTrue(page.startswith(f"# `{protocol['name']}`: "), protocol["name"])
            # What is as in another protocol stands in the page that is linked.
            links = re.findall(r"\]\(([\w-]+)\.md\)", page)
            pages = [page] + [self.page(link) for link in links]
            words = set(re.findall(r"`([^`\n]+)`", "\n".join(pages)))
            for named in [option["name"] for option in protocol["options"]] + \
                    protocol["message_kinds"]:
                self.assertIn(named, words, protocol["name"])
            self.assertRegex(page, r"(?m)^Source: ", protocol["name"])
            self.assertIn("\n## Deviations", page, protocol["name"])

    def test_the_defaults_in_a_page_are_those_declared(self):
        compared = 0
        for protocol in self.protocols():
            declared = {option["name"]: option["default"] for option in protocol["options"]}
            for name, default in tables(self.page(self.stem(protocol))):
                self.assertIn(name, declared, protocol["name"])
                expected = declared[name]
                said = number(default)
                if isinstance(expected, bool) or not isinstance(expected, (int, float)):
                    said, expected = default, json.dumps(expected).strip('"')
                self.assertEqual(said, expected, (protocol["name"], name))
                compared += 1
        self.assertGreater(compared, 10)


if __name__ == "__main__":
    unittest.main()
