# SPDX-License-Identifier: Apache-2.0
"""The style checks find what they are for, and nothing in text that only looks like it."""

import contextlib
import io
import json
import os
import pathlib
import tempfile
import unittest
from unittest import mock

import clang_tidy
import include_graph_test as graph
import licence_test as licence
import one_definition_test as one_definition
import references_test as references
import room_namespaces_test as room_namespaces
import shape_test as shape
import words_test as words
from source_files import blank_literals


def body(lines):
    return "  x();\n" * lines


class References(unittest.TestCase):
    def findings(self, name, text):
        with tempfile.TemporaryDirectory() as folder:
            top = pathlib.Path(folder)
            (top / "docs").mkdir()
            (top / "docs/scenario.md").write_text("# What it is\n\n```\n# x\n```\n")
            return references.check_text(top, top / name, text)

    def test_pages_and_links_must_exist(self):
        gone = "docs/" + "gone.md"
        self.assertEqual(len(self.findings("sim/a.cpp", f"// see {gone} and docs/scenario.md")), 1)
        links = "[a](scenario.md#what-it-is) [b](#what-it-is) [c](gone.md) [d](scenario.md#x)"
        self.assertEqual(len(self.findings("docs/scenario.md", links)), 2)
        self.assertEqual(self.findings("docs/scenario.md", "[a](../docs) [b](https://x.org/y)"), [])

    def test_code_has_no_links(self):
        code = "```cpp\n[](int gone) {}\n```\n"
        self.assertEqual(self.findings("docs/scenario.md", code), [])
        finding, = self.findings("docs/scenario.md", code + "[b](gone.md)")
        self.assertEqual(finding.split(":")[1], "4")


class Licence(unittest.TestCase):
    def test_the_line_is_missed_and_added(self):
        for name, text, whole in (
                ("a.cpp", "#include <a>\n", "// {}\n#include <a>\n"),
                ("a.hpp", "// Words.\n", "// {}\n\n// Words.\n"),
                ("a.py", '"""Words."""\n', '# {}\n"""Words."""\n'),
                ("a", "#!/bin/sh\n# Words.\n", "#!/bin/sh\n# {}\n\n# Words.\n")):
            path, whole = pathlib.Path(name), whole.format(licence.LICENCE)
            self.assertEqual(len(licence.check_text(name, path, text)), 1)
            self.assertEqual(licence.with_licence(path, text), whole)
            self.assertEqual(licence.check_text(name, path, whole), [])


class RoomNamespaces(unittest.TestCase):
    ROOMS = {"faultline", "faultline::json", "faultline::termination"}

    def findings(self, name, text):
        return len(room_namespaces.check_text(name, text, self.ROOMS))

    def test_a_room_is_a_directory(self):
        for name, namespace in (("sim/core/a.hpp", "faultline"), ("cli/a.cpp", "faultline::cli"),
                                ("sim/engine/turn/a.cpp", "faultline::engine"),
                                ("tests/analysis/text/a_test.cpp", "faultline::text"),
                                ("tests/core/a_test.cpp", "faultline"),
                                ("tests/support/a.hpp", "faultline::test"),
                                ("tests/example/workloads/a.cpp", "faultline::workloads")):
            self.assertEqual(room_namespaces.namespace_of(name), namespace)

    def test_a_file_is_in_its_room(self):
        own = "namespace faultline::json {\nnamespace {\nint a() { return 1; }\n}\n}\n"
        self.assertEqual(self.findings("sim/json/a.cpp", own), 0)
        self.assertEqual(self.findings("sim/json/a.cpp", own.replace("json", "json::detail")), 0)
        for other in ("", "// " + own.replace("\n", ""), "int a;"):
            self.assertEqual(self.findings("sim/json/a.cpp", other), 1)
        for other in ("faultline", "faultline::termination", "simgrid"):
            misplaced = own.replace("faultline::json", other)
            self.assertEqual(self.findings("sim/json/a.cpp", misplaced), 2)
        self.assertEqual(self.findings("sim/core/a.cpp", own), 2)

    def test_others_are_only_declared(self):
        own = "namespace faultline::termination {\nint a;\n}\n"
        name = "protocols/termination/a.hpp"
        declared = "namespace faultline::json {\nclass A;\nstruct B;\nenum class C : int;\n}\n"
        self.assertEqual(self.findings(name, declared + own), 0)
        self.assertEqual(self.findings(name, declared), 1)
        defined = declared.replace("struct B;", "struct B {};")
        self.assertEqual(self.findings(name, defined + own), 1)

    def test_no_header_uses_a_whole_namespace(self):
        own = "namespace faultline::json {\nusing namespace test;\n}\n"
        self.assertEqual(self.findings("sim/json/a.hpp", own), 1)
        self.assertEqual(self.findings("sim/json/a.cpp", own), 0)


class OneDefinition(unittest.TestCase):
    def findings(self, *texts):
        return one_definition.check_texts((f"{i}.hpp", text) for i, text in enumerate(texts, 1))

    def test_two_types_of_one_name_are_found(self):
        one = "namespace a {\n\nstruct Line {\n  int b;\n};\n}\n"
        other = "namespace a {\nclass alignas(8) Line final : public C<D> {\n};\n}\n"
        self.assertEqual(self.findings(one, other), ["2.hpp:2: a::Line is also defined at 1.hpp:3"])
        choice = "namespace a { enum class Line : int { b }; }"
        self.assertEqual(len(self.findings(other, choice)), 1)
        template = "namespace a { template <class T> struct Line { T b; }; }"
        self.assertEqual(len(self.findings(one, template)), 1)

    def test_what_cannot_meet_is_not(self):
        one = "namespace a { struct Line { int b; }; }"
        for other in ("namespace b { struct Line {}; }", "namespace a { struct Line; }",
                      "namespace a { namespace { struct Line {}; } }",
                      "namespace a { struct Page { struct Line {}; }; }",
                      "namespace a { void f() { struct Line {}; } }",
                      "namespace a { Line f(struct Line& line) { return line; } }",
                      "// namespace a { struct Line {}; }"):
            self.assertEqual(self.findings(one, other), [], other)


class FunctionLength(unittest.TestCase):
    def lengths(self, text):
        return {name: last - first + 1 for name, first, last in shape.functions(text)}

    def test_counts_from_the_declaration_to_the_closing_brace(self):
        self.assertEqual(self.lengths("int f(int a,\n      int b) {\n  return a;\n}\n"), {"f": 4})

    def test_seventy_lines_pass_and_seventy_one_do_not(self):
        self.assertEqual(shape.check_functions("f", "void f() {\n" + body(68) + "}\n"), [])
        self.assertEqual(len(shape.check_functions("f", "void f() {\n" + body(69) + "}\n")), 1)

    def test_members_in_classes_in_namespaces_are_seen(self):
        text = "namespace a {\nclass B final : public C<int> {\n public:\n  int f() const {\n" \
               + body(80) + "  }\n};\n}  // namespace a\n"
        self.assertEqual(self.lengths(text), {"f": 82})

    def test_constructor_with_braced_initialisers_is_one_function(self):
        text = "B::B(int a) : a_{a},\n    b_(2),\n    c_{3} {\n" + body(80) \
               + "}\nint g() { return 1; }\n"
        self.assertEqual(self.lengths(text), {"B::B": 84, "g": 1})

    def test_templates_operators_and_lambdas_at_namespace_scope(self):
        text = "template <class T, class U = std::vector<T>>\nbool operator==(T a, U b) {\n" \
               "  return a == b;\n}\nauto g = [](int x) {\n  return x;\n};\n"
        self.assertEqual(sorted(self.lengths(text).values()), [3, 4])

    def test_tables_and_aggregates_are_not_functions(self):
        text = "const int table[] = {\n" + "  f(1),\n" * 90 + "};\nstruct S {\n" \
               + "  int a{1};\n" * 90 + "};\nenum class E {\n" + "  a,\n" * 90 + "};\n"
        self.assertEqual(self.lengths(text), {})

    def test_braces_in_text_are_not_braces(self):
        text = 'void f() {\n  g("}", \'}\', R"x(}")})x", 1\'000);  // }\n  /* } */\n}\n' \
               "void h() {}\n"
        self.assertEqual(self.lengths(text), {"f": 4, "h": 1})

    def test_test_cases_count(self):
        text = 'TEST_CASE("a {") {\n' + body(70) + "}\n"
        self.assertEqual(len(shape.check_functions("f", text)), 1)

    def test_unbalanced_braces_are_reported(self):
        self.assertEqual(len(shape.check_functions("f", "void f() {\n  {\n}\n")), 1)

    def test_lines(self):
        self.assertEqual(shape.check_lines("f", "x" * 100 + "\n"), [])
        self.assertEqual(len(shape.check_lines("f", "x" * 101 + "\n")), 1)
        self.assertEqual(len(shape.check_lines("f", "\tx\nx \nx")), 3)


class Literals(unittest.TestCase):
    def test_positions_are_kept(self):
        text = 'a "b\\"c" /* d\ne */ f\n'
        blanked = blank_literals(text)
        self.assertEqual(len(blanked), len(text))
        self.assertEqual(blanked.split(), ["a", "f"])
        self.assertEqual(blanked.count("\n"), text.count("\n"))

    def test_digit_separators_do_not_open_characters(self):
        self.assertEqual(blank_literals("f(1'000, 'a', 0x1'f)"), "f(1'000,    , 0x1'f)")


class IncludeGraph(unittest.TestCase):
    def findings(self, files):
        with tempfile.TemporaryDirectory() as folder:
            top = pathlib.Path(folder)
            for name, text in files.items():
                (top / name).parent.mkdir(parents=True, exist_ok=True)
                (top / name).write_text(text)
            return graph.check(top)[0]

    def test_allowed_arrows(self):
        self.assertEqual(self.findings({
            "sim/core/a.hpp": "#pragma once\n#include <vector>\n",
            "protocols/termination/b.cpp": '#include "sim/core/a.hpp"\n',
            "sim/engine/simgrid/simgrid_engine.cpp": "#include <simgrid/s4u.hpp>\n",
            "tests/engine/a_simgrid_test.cpp": "#include <simgrid/s4u.hpp>\n",
            "sim/json/c.cpp": "#include <nlohmann/json.hpp>\n",
            "analysis/text/d.hpp": "#pragma once\n",
            "analysis/store/e.cpp": '#include "analysis/text/d.hpp"\n',
        }), [])

    def test_every_forbidden_arrow_is_found(self):
        header = "#pragma once\n"
        for source, target in (
            ("protocols/termination/a.cpp", "sim/engine/b.hpp"),
            ("protocols/termination/a.cpp", "workloads/b.hpp"),
            ("workloads/a.cpp", "sim/platform/b.hpp"),
            ("sim/core/a.hpp", "sim/audit/b.hpp"),
            ("sim/scenario/a.cpp", "sim/engine/b.hpp"),
            ("sim/engine/a.cpp", "protocols/b.hpp"),
            ("sim/engine/events/a.cpp", "sim/engine/turn/b.hpp"),
            ("sim/engine/network/a.cpp", "sim/engine/turn/b.hpp"),
            ("sim/engine/turn/a.cpp", "sim/engine/membership/b.hpp"),
            ("sim/engine/turn/a.cpp", "sim/engine/state/b.hpp"),
            ("sim/engine/truth/a.cpp", "sim/engine/actors/b.hpp"),
            ("sim/engine/runtime/a.cpp", "sim/engine/loggp/b.hpp"),
            ("sim/engine/state/a.cpp", "sim/engine/engine.hpp"),
            ("analysis/runs/a.cpp", "cli/b.hpp"),
            ("analysis/lemmas/a.cpp", "analysis/runs/b.hpp"),
            ("analysis/report/a.cpp", "analysis/reproduction/b.hpp"),
            ("analysis/statistics/a.cpp", "sim/scenario/b.hpp"),
            ("analysis/a.cpp", "sim/core/b.hpp"),
        ):
            files = {source: header + f'#  include "{target}"\n', target: header}
            self.assertEqual(len(self.findings(files)), 1, f"{source} -> {target}")

    def test_arrows_run_one_way(self):
        above = []
        for directory, targets in graph.ARROWS.items():
            known = [target for target in targets if target in graph.ARROWS]
            self.assertEqual([target for target in known if target not in above], [], directory)
            above.append(directory)

    def test_libraries_out_of_place(self):
        for source, header in (
            ("protocols/a.cpp", "simgrid/s4u.hpp"),
            ("sim/platform/torus.cpp", "simgrid/s4u.hpp"),
            ("sim/engine/loggp/loggp_engine.cpp", "xbt/base.h"),
            ("tests/engine/a_test.cpp", "simgrid/s4u.hpp"),
            ("sim/core/a.cpp", "nlohmann/json.hpp"),
            ("sim/scenario/a.cpp", "nlohmann/json.hpp"),
            ("cli/a.cpp", "nlohmann/json.hpp"),
            ("analysis/text/a.cpp", "nlohmann/json.hpp"),
            ("cli/a.cpp", "catch2/catch.hpp"),
        ):
            self.assertEqual(len(self.findings({source: f"#include <{header}>\n"})), 1, source)

    def test_missing_relative_and_unguarded(self):
        found = self.findings({"sim/core/a.hpp": '#include "b.hpp"\n#include "sim/core/c.hpp"\n'})
        self.assertEqual(len(found), 3)

    def test_cycle(self):
        one, two = "sim/core/a.hpp", "sim/core/b.hpp"
        found = self.findings({one: f'#pragma once\n#include "{two}"\n',
                               two: f'#pragma once\n#include "{one}"\n'})
        self.assertEqual(found, [f"include cycle: {one} -> {two} -> {one}"])

    def test_comments_are_not_includes(self):
        text = '// #include "sim/engine/b.hpp"\n/*\n#include "sim/engine/b.hpp"\n*/\n'
        self.assertEqual(self.findings({"protocols/a.cpp": text}), [])


class Words(unittest.TestCase):
    def test_found(self):
        for text in ("// TO" "DO: later", "# FIX" "ME", "class RunMan" "ager {",
                     "see /ho" "me/me/x"):
            self.assertEqual(len(words.check_text("f", text)), 1, text)
        for name in ("sim/core/util.hpp", "sim/core/string_utils.cpp", "a/run_manager.hpp"):
            self.assertEqual(len(words.check_name(name)), 1, name)

    def test_not_found(self):
        for text in ("mastodons", "build/home/x", "${ROOT}/work/x", "struct Utilisation {"):
            self.assertEqual(words.check_text("f", text), [], text)
        for name in ("sim/core/utilisation.hpp", "sim/core/error.hpp"):
            self.assertEqual(words.check_name(name), [], name)


class ClangTidy(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def key(self, top="checkout", shared="checks"):
        flags = [f"-I{self.top / top}", f"-I{self.top / top}/build/generated"]
        sources = clang_tidy.sources_of(self.top / top / "sim/a.cpp", flags)
        return clang_tidy.content_key(sources, shared)

    def test_a_key_changes_with_all_that_the_answer_depends_on(self):
        self.write("checkout/sim/a.cpp", '#include <vector>\n#include "sim/b.hpp"\n')
        self.write("checkout/sim/b.hpp", '#include "sim/c.hpp"\n#include "sim/made.hpp"\n')
        self.write("checkout/sim/c.hpp", "int c;\n")
        self.write("checkout/build/generated/sim/made.hpp", "int made;\n")
        keys = [self.key(), self.key(shared="other checks")]
        for name in ("sim/a.cpp", "sim/c.hpp", "build/generated/sim/made.hpp"):
            self.write("checkout/" + name, (self.top / "checkout" / name).read_text() + "int d;\n")
            keys.append(self.key())
        self.assertEqual(len(set(keys)), 5)
        self.assertEqual(self.key(), keys[-1])

    def test_another_checkout_has_the_same_keys(self):
        for top in ("checkout", "elsewhere"):
            self.write(top + "/sim/a.cpp", '#include "sim/b.hpp"\n')
            self.write(top + "/sim/b.hpp", "int b;\n")
        self.assertEqual(self.key(), self.key("elsewhere"))
        flags = {top: [f"-I{top}", f"-I{top}/build", "-DX"] for top in ("/a", "/b/c")}
        self.assertEqual(*(clang_tidy.flags_in(top, top + "/build", flags[top]) for top in flags))

    def test_flags_are_the_first_ones_and_no_compiler_s_own(self):
        self.write("compile_commands.json", json.dumps([
            {"file": "a.cpp", "command": "c++ -DX='a b' -Iy -isystem z -O2 -Wall -std=c++20 a.cpp"},
            {"file": "a.cpp", "command": "c++ -fsanitize=address -DZ a.cpp"}]))
        self.assertEqual(clang_tidy.compile_flags(self.top),
                         {"a.cpp": ["-DX=a b", "-Iy", "-isystemz", "-std=c++20"]})

    def kept_at(self, commit):
        with contextlib.redirect_stderr(io.StringIO()):
            with clang_tidy.checkout_of(self.top, commit) as then:
                return then and (then / "kept.cpp").read_text()

    def test_a_commit_is_read_as_it_was(self):
        self.write("then/kept.cpp", "int before;\n")
        self.write("kept.cpp", "int after;\n")
        # Stands for `git -C checkout archive commit`.
        self.write("tools/git", '#!/bin/sh\nexec tar -C "$2/then" -cf - .\n')
        (self.top / "tools/git").chmod(0o755)
        path = f"{self.top / 'tools'}:{os.environ['PATH']}"
        with mock.patch.dict(os.environ, {"PATH": path}):
            self.assertEqual(self.kept_at("HEAD"), "int before;\n")

    def test_a_commit_that_is_not_known_is_none(self):
        self.write("kept.cpp", "int kept;\n")
        self.assertIsNone(self.kept_at("0" * 40))

    def test_a_changed_file_is_checked_and_so_is_a_changed_header_once(self):
        then = {"a": {"": "1", "x": "1"}, "b": {"": "1", "x": "1", "y": "1"},
                "c": {"": "1", "y": "1"}, "d": {"": "1", "z": "1"}}
        self.assertEqual(clang_tidy.changed_since(then, then), [])
        now = {name: dict(sources) for name, sources in then.items()}
        now["b"]["y"] = now["c"]["y"] = "2"
        self.assertEqual(clang_tidy.changed_since(now, then), ["b"])
        now["c"][""] = "2"  # and includes y
        self.assertEqual(clang_tidy.changed_since(now, then), ["c"])
        now["e"] = {"": "1", "new": "1"}
        self.assertEqual(clang_tidy.changed_since(now, then), ["c", "e"])
        now["a"]["x"] = now["b"]["x"] = "2"
        self.assertEqual(clang_tidy.changed_since(now, then), ["c", "e", "a"])

    def test_what_is_clean_is_remembered_and_nothing_else(self):
        clean = []
        with contextlib.redirect_stderr(io.StringIO()) as said:
            findings = clang_tidy.check_files(
                ["a.cpp", "b.cpp"], lambda name: (name == "a.cpp", "what it says"), clean.append)
        self.assertEqual((clean, findings), (["a.cpp"], ["b.cpp:\nwhat it says"]))
        self.assertIn("b.cpp is not clean", said.getvalue())


if __name__ == "__main__":
    unittest.main()
