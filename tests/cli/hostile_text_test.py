# SPDX-License-Identifier: Apache-2.0
"""Names from outside: no gnuplot, shell, browser or terminal carries out what is in them."""

import csv
import html
import json
import os
import re
import shutil
import subprocess
import unicodedata
import unittest
import xml.etree.ElementTree

import tools
from program import PATIENCE_S, PROGRAM, ProgramTest, SMALL, SOURCE, changed
from stored_rows import changing

drawn = tools.tested_with("names in figures", commands={"gnuplot": "gnuplot-nox"})
SVG = "{http://www.w3.org/2000/svg}"

# A backslash at the end of a line, quotes that flip, and commands that must not run. Longer names
# have no room in a key.
NAMES = {"four-counter": "A\\", "cda": " '' \", `touch canary`\n{@x}%s</b>]]>"}
WILD = "esc \x1b[31m bell \x07 csi \x9b31m delete \x7f turn \u202e isolate \u2066 line \u2028 end"


def hidden(text):
    """The characters of a text, but for line breaks and tabs, that a terminal would obey."""
    return [character for character in text if character not in "\n\t" and (
        unicodedata.category(character) in ("Cc", "Zl", "Zp") or character in
        "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069" or
        0xDC80 <= ord(character) <= 0xDCFF)]


class StoreOfAStranger(ProgramTest):
    """A store whose texts were changed by hand."""

    def make_store(self, names):
        self.write("s.json", {**SMALL, "sweep": {"platform.processes": [8, 16]}})
        self.answer("sweep", "s.json", "--store", "r.sqlite")
        with changing(self.folder / "r.sqlite") as database:
            rows = database.execute("SELECT rowid, parameters, scenario FROM points").fetchall()
            for row, *texts in rows:
                changed = []
                for text in map(json.loads, texts):
                    text["termination"]["name"] = names[text["termination"]["name"]]
                    changed.append(json.dumps(text))
                label = json.loads(changed[0])["termination"]["name"]
                database.execute(
                    "UPDATE points SET parameters=?, scenario=?, label=? WHERE rowid=?",
                    (*changed, label, row))
            database.execute("UPDATE studies SET name=?", (names["cda"],))

    @drawn
    def test_no_name_is_a_command_of_gnuplot(self):
        self.make_store(NAMES)
        self.answer("report", "r.sqlite", "--html", "p.html", "--figures", "figures")
        figures = self.folder / "figures"
        scripts = sorted(figures.glob("*.gnuplot"))
        self.assertGreater(len(scripts), 4)
        # As a user who gets the scripts would run them.
        for script in scripts:
            subprocess.run(["gnuplot", script.name], cwd=figures, check=True, capture_output=True)
        self.assertEqual([name for name in self.files() if "canary" in name], [])
        shown = NAMES["cda"].replace("\n", "\\x0a")
        with (figures / "mean-end-time-s.csv").open(newline="") as file:
            self.assertEqual({row["line"] for row in csv.DictReader(file)}, {"A\\", shown})
        drawing = (figures / "mean-end-time-s.svg").read_text()
        words = {html.unescape(text) for text in re.findall("<text>(.*)</text>", drawing)}
        self.assertLessEqual({"A\\", shown}, words)
        page = (self.folder / "p.html").read_text()
        self.assertNotIn("<script", page)
        body = xml.etree.ElementTree.fromstring(
            page[page.index("<body>"):page.index("</html>")])
        drawn = {"".join(text.itertext()) for text in body.iter(SVG + "text")}
        self.assertLessEqual({"A\\", shown}, drawn)

    @drawn
    def test_no_title_is_a_command_of_gnuplot(self):
        self.make_store(NAMES)
        title = "A '' \", `touch canary` @x {/Symbol a}%s</b>]]>\\"
        self.answer("report", "r.sqlite", "--html", "p.html", "--figures", "figures",
                    "--title", "platform.processes=" + title, "--title", "end_time_s=" + title)
        figures = self.folder / "figures"
        for script in sorted(figures.glob("*.gnuplot")):
            subprocess.run(["gnuplot", script.name], cwd=figures, check=True, capture_output=True)
        self.assertEqual([name for name in self.files() if "canary" in name], [])
        drawing = (figures / "mean-end-time-s.svg").read_text()
        words = [html.unescape(text) for text in re.findall("<text>(.*)</text>", drawing)]
        self.assertIn(title, words)
        self.assertTrue(any(word.startswith(title + " [") for word in words), words)
        page = (self.folder / "p.html").read_text()
        self.assertNotIn("</b>", page)
        body = xml.etree.ElementTree.fromstring(
            page[page.index("<body>"):page.index("</html>")])
        self.assertIn(title, ["".join(heading.itertext()) for heading in body.iter("th")])

    def test_a_zero_byte_is_refused_wherever_it_stands(self):
        for column in ("label", "parameters", "scenario", "failure"):
            with self.subTest(column):
                self.make_store(NAMES)
                with changing(self.folder / "r.sqlite") as database:
                    database.execute(
                        f"UPDATE points SET {column} = CASE WHEN {column} LIKE '{{%' "
                        f"THEN replace({column}, 'A', '\\u0000') ELSE 'x' || char(0) || 'y' END")
                for arguments in (("query", "r.sqlite", "--runs", "--format", "csv"),
                                  ("report", "r.sqlite", "--html", "p.html"),
                                  ("compare", "r.sqlite", "--by", "termination.name", "--metric",
                                   "end_time_s")):
                    message = self.refusal(*arguments)
                    self.assertIn("r.sqlite", message)
                    self.assertRegex(message, "zero (byte|character)")
                os.unlink(self.folder / "r.sqlite")

    def test_tables_and_csv_have_no_control_characters(self):
        self.make_store({"four-counter": "A" + WILD, "cda": "=B" + WILD})
        for arguments in (("query", "r.sqlite"),
                          ("query", "r.sqlite", "--format", "csv", "--runs"),
                          ("query", "r.sqlite", "--format", "json"),
                          ("compare", "r.sqlite", "--by", "termination.name", "--metric",
                           "end_time_s"),
                          ("compare", "r.sqlite", "--by", "termination.name", "--metric",
                           "end_time_s", "--format", "csv")):
            with self.subTest(arguments):
                shown = self.answer(*arguments)
                self.assertEqual(hidden(shown), [])
                self.assertIn("esc ", shown)
        rows = list(csv.DictReader(self.answer(
            "query", "r.sqlite", "--format", "csv", "--runs").splitlines()))
        self.assertEqual({row["termination"][:3] for row in rows}, {"Aes", "'=B"})
        answer = json.loads(self.answer("query", "r.sqlite", "--format", "json", "--runs"))
        self.assertIn("A" + WILD, json.dumps(answer, ensure_ascii=False).encode().decode()
                      .replace("\\u001b", "\x1b").replace("\\u0007", "\x07")
                      .replace("\\u007f", "\x7f"))


class FilesOfAStranger(ProgramTest):
    def test_a_zero_character_is_refused_in_every_text(self):
        tree = {"parents": [None, 0, 0]}
        item = {"schema_version": 1, "title": "a\0b"}
        machine = {"schema_version": 1, "name": "a\0b"}
        for what, document, arguments in (
                ("a name", {**SMALL, "name": "a\0"}, ("run", "f.json")),
                ("a key", {**SMALL, "a\0": 1}, ("validate", "f.json")),
                ("a path", {**SMALL, "platform": {"machine": "m\0.json", "processes": 4}},
                 ("run", "f.json")),
                ("a tree", {**tree, "x\0": 1},
                 ("step-model", "--tree", "f.json", "--processes", "2")),
                ("counts", machine, ("survival", "--faults", "f.json")),
                ("an item", {**item, "groups": []}, ("reproduce", "f.json")),
                ("a saved result", item, ("report", "--reproduce", "f.json", "--html", "p.html"))):
            with self.subTest(what):
                self.write("f.json", document)
                self.assertIn("zero character", self.refusal(*arguments))
        self.write("s.json", SMALL)
        self.write("m.json", machine)
        for arguments in (("--set", r'name="a\u0000"'), ("--set", r"platform.machine=./m.json")):
            self.assertIn("zero character", self.refusal("run", "s.json", *arguments))

    def test_names_of_files_among_the_data_are_no_commands_of_a_shell(self):
        data = self.folder / "data"
        shutil.copytree(SOURCE / "scenarios/machines", data / "machines")
        for name in ("`touch canary`", "$(touch canary)", "x;touch canary", "a b", "\x1b"):
            shutil.copy(data / "machines/mira.json", data / "machines" / (name + ".json"))
        for shell in ("bash", "zsh"):
            result = self.faultline("completion", shell,
                                    env={**os.environ, "FAULTLINE_DATA": str(data)})
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("mira", result.stdout)
            self.assertNotIn("canary", result.stdout)
            self.assertEqual(hidden(result.stdout), [])

    def test_traces_have_no_control_characters_and_end_no_element(self):
        self.write("s.json", {**SMALL, "name": "</script><!-- \" " + WILD, "replications": 1})
        for name in ("t.json", "t.paje", "t.html"):
            self.answer("trace", "s.json", "--out", name)
            text = (self.folder / name).read_text()
            self.assertEqual(hidden(text), [], name)
            if name.endswith(".html"):
                self.assertNotIn("</script><!--", text)
        json.loads((self.folder / "t.json").read_text())


class Terminal(ProgramTest):
    def outcome(self, *arguments, code):
        result = subprocess.run([os.fsencode(PROGRAM), *map(os.fsencode, arguments)],
                                capture_output=True, cwd=self.folder, timeout=PATIENCE_S,
                                check=False)
        shown = (result.stdout + result.stderr).decode(errors="surrogateescape")
        self.assertEqual(result.returncode, code, shown)
        self.assertEqual(hidden(shown), [], arguments)
        return shown

    def test_names_and_labels(self):
        self.write("s.json", {**SMALL, "name": WILD})
        for form in ("table", "json", "csv"):
            self.outcome("run", "s.json", "--format", form, code=0)
        self.write("s.json", {**SMALL, "name": WILD, WILD: WILD, "engine": WILD})
        for verb in ("run", "validate", "sweep"):
            self.outcome(verb, "s.json", code=2)

    def test_names_of_files(self):
        name = os.fsdecode(WILD.encode() + b"\n \xff.json")
        self.write(name, SMALL)
        self.outcome("validate", name, code=0)
        self.outcome("run", name, "--dry-run", code=0)
        self.outcome("sweep", name, "--dry-run", code=0)
        self.outcome("sweep", name, "--store", name + ".sqlite", code=0)
        self.outcome("merge", name + ".m", name + ".sqlite", code=0)
        self.outcome("query", name + ".sqlite", code=0)
        self.outcome("trace", name, "--out", name + ".html", code=0)
        self.outcome("report", name + ".sqlite", "--html", name, "--quiet", code=0)
        for arguments in (("run", name), ("query", name), ("report", name, "--html", "p"),
                          ("run", "no-" + name), ("reproduce", "no-" + name),
                          ("faults", "summarize", "no-" + name), ("survival", "--faults", name),
                          ("step-model", "--processes", "2", "--tree", name), (name,),
                          ("run", "--" + name), ("run", name, name), ("list", name),
                          ("run", name, "--out", "no/" + name), ("run", name, "--set", name),
                          ("query", name + ".sqlite", "--where", name),
                          ("query", name + ".sqlite", "--metric", name)):
            self.outcome(*arguments, code=2)

    def test_a_name_that_is_no_utf8_is_refused_as_a_value(self):
        self.write("s.json", SMALL)
        shown = self.outcome("run", "s.json", "--set", os.fsdecode(b"name=\xff"), code=2)
        self.assertIn('--set "name=\\xff":1:1: not valid JSON', shown)


class LongNames(ProgramTest):
    """A message stays readable whatever length a name has that a stranger chose."""
    LONG = "x" * 20000

    def test_in_messages(self):
        self.write("s.json", SMALL)
        for arguments in (("run", self.LONG), ("query", self.LONG),
                          ("run", "s.json", "--out", self.LONG),
                          ("faults", "summarize", self.LONG),
                          ("run", "s.json", "--set", "platform.machine=" + self.LONG + "/m.json"),
                          ("run", "s.json", "--set", self.LONG + "=1"), (self.LONG,),
                          ("run", "s.json", "--" + self.LONG)):
            message = self.refusal(*arguments)
            self.assertLess(len(message), 1000, message)
            self.assertIn("xxx...", message)

    def test_of_machines_and_scenarios(self):
        machine = json.loads((SOURCE / "scenarios/machines/intrepid.json").read_text())
        self.write("m.json", changed(machine, ["name"], self.LONG))
        self.write("s.json", {**SMALL, "name": "y" * 20000,
                              "platform": {"machine": "./m.json", "processes": 4}})
        shown = self.answer("run", "s.json")
        self.assertLess(max(map(len, shown.splitlines())), 300)
        self.assertIn("xxx...", shown)
        self.assertIn("yyy...", shown)
        message = self.refusal("run", "s.json", "--set", "platform.processes=100000000")
        self.assertLess(len(message), 1000)
        self.assertIn("got 100000000", message)


if __name__ == "__main__":
    unittest.main()
