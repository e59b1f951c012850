# SPDX-License-Identifier: Apache-2.0
"""The pages of docs/ say what the program declares: the reference is what it prints, and each
protocol has a page with its messages, its source, and a link to what the reference says of it."""

import json
import re
import unittest

from program import ProgramTest, SOURCE


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

    def test_a_page_names_messages_and_source_and_leads_to_the_reference(self):
        for protocol in self.protocols():
            page = self.page(self.stem(protocol))
            self.assertTrue(page.startswith(f"# `{protocol['name']}`: "), protocol["name"])
            # What is as in another protocol stands in the page that is linked.
            links = re.findall(r"\]\(([\w-]+)\.md\)", page)
            pages = [page] + [self.page(link) for link in links]
            words = set(re.findall(r"`([^`\n]+)`", "\n".join(pages)))
            for kind in protocol["message_kinds"]:
                self.assertIn(kind, words, protocol["name"])
            place = f"{protocol['family']}-{protocol['name']}"
            self.assertIn(f"](../scenario-reference.md#{place})", page, protocol["name"])
            self.assertRegex(page, r"(?m)^Source: ", protocol["name"])
            self.assertIn("\n## Deviations", page, protocol["name"])


if __name__ == "__main__":
    unittest.main()
