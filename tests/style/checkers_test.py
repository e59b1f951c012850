"""The style checks find what they are for, and nothing in text that only looks like it."""

import pathlib
import tempfile
import unittest

import clang_tidy
import include_graph_test as graph
import references_test as references
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
            (top / "docs/scenario.md").touch()
            return references.check_text(top, top / name, text)

    def test_pages_and_links_must_exist(self):
        gone = "docs/" + "gone.md"
        self.assertEqual(len(self.findings("sim/a.cpp", f"// see {gone} and docs/scenario.md")), 1)
        links = "[a](scenario.md#x) [b](gone.md)"
        self.assertEqual(len(self.findings("docs/scenario.md", links)), 1)
        self.assertEqual(self.findings("docs/scenario.md", "[a](../docs) [b](https://x.org/y)"), [])

    def test_code_has_no_links(self):
        code = "```cpp\n[](int gone) {}\n```\n"
        self.assertEqual(self.findings("docs/scenario.md", code), [])
        finding, = self.findings("docs/scenario.md", code + "[b](gone.md)")
        self.assertEqual(finding.split(":")[1], "4")


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
            "sim/engine/simgrid_engine.cpp": "#include <simgrid/s4u.hpp>\n",
            "tests/engine/a_simgrid_test.cpp": "#include <simgrid/s4u.hpp>\n",
            "sim/scenario/c.cpp": "#include <nlohmann/json.hpp>\n",
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
            ("analysis/a.cpp", "sim/cli/b.hpp"),
        ):
            files = {source: header + f'#  include "{target}"\n', target: header}
            self.assertEqual(len(self.findings(files)), 1, f"{source} -> {target}")

    def test_libraries_out_of_place(self):
        for source, header in (
            ("protocols/a.cpp", "simgrid/s4u.hpp"),
            ("sim/platform/torus.cpp", "simgrid/s4u.hpp"),
            ("sim/engine/loggp_engine.cpp", "xbt/base.h"),
            ("tests/engine/a_test.cpp", "simgrid/s4u.hpp"),
            ("sim/core/a.cpp", "nlohmann/json.hpp"),
            ("sim/cli/a.cpp", "catch2/catch.hpp"),
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


class ClangTidySample(unittest.TestCase):
    def test_key_changes_with_a_header_two_steps_away(self):
        with tempfile.TemporaryDirectory() as folder:
            top = pathlib.Path(folder)
            (top / "sim").mkdir()
            (top / "sim/a.cpp").write_text('#include "sim/b.hpp"\n')
            (top / "sim/b.hpp").write_text('#include "sim/c.hpp"\n')
            (top / "sim/c.hpp").write_text("int c;\n")
            before = clang_tidy.content_key(top, top / "sim/a.cpp", "flags")
            self.assertEqual(before, clang_tidy.content_key(top, top / "sim/a.cpp", "flags"))
            self.assertNotEqual(before, clang_tidy.content_key(top, top / "sim/a.cpp", "others"))
            (top / "sim/c.hpp").write_text("long c;\n")
            self.assertNotEqual(before, clang_tidy.content_key(top, top / "sim/a.cpp", "flags"))

    def test_sample_follows_from_the_content_alone(self):
        keys = {f"f{number}.cpp": f"{(number * 7919) % 101:03d}" for number in range(40)}
        sample = clang_tidy.choose_sample(keys, 10)
        self.assertEqual(len(sample), 10)
        self.assertEqual(sample, clang_tidy.choose_sample(dict(reversed(keys.items())), 10))


if __name__ == "__main__":
    unittest.main()
