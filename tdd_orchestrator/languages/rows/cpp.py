"""C++: GoogleTest, Catch2, doctest, Boost.Test."""

from __future__ import annotations

import re

from tdd_orchestrator.languages.base import CodeSample, Language, Node, Sample, Twins, unquote

_CASE = re.compile(
    rb"^([ \t]*)((?:TEST_CASE|SCENARIO|TEMPLATE_TEST_CASE|TEST_CASE_METHOD|BOOST_AUTO_TEST_CASE"
    rb"|TEST_CASE_FIXTURE)[ \t]*"
    rb"\((?:[^()\"\n]|\"(?:[^\"\\\n]|\\.)*\"|\([^()\n]*\))*\))(?=\s*\{)",
    re.MULTILINE,
)
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')


def _prepare(data: bytes) -> bytes:
    """Turn TEST_CASE("title") into a function of the same length: the grammar does not read it as one."""
    return _CASE.sub(lambda m: m[1] + b"void CASE".ljust(len(m[2]) - 2, b"_") + b"()", data)


def _title(text: str) -> str:
    match = _STRING.search(text)
    if match is not None:
        return match[1]
    return text[text.find("(") + 1 :].rstrip(")_ ") if "(" in text else unquote(text)


def _nothing(function: Node) -> str | None:
    kind = function.child_by_field_name("type")
    text = (kind.text or b"").decode() if kind is not None else ""
    return None if not text else "return;" if text == "void" else "return {};"


def _case(name: str) -> str:
    return rf"(?:Scenario: )?{re.escape(name)}"


_ASSERT = "^(EXPECT|ASSERT)_"
_MACRO = "^(CHECK|REQUIRE|WARN|INFO_CHECK|BOOST_CHECK|BOOST_REQUIRE|BOOST_TEST)$"

_TWINS = Twins(
    fail='throw std::runtime_error(std::string("{a}") + "{b}");',
    shapes=f"""
(call_expression function: (identifier) @f arguments: (argument_list . (_) @left . (_) @right)
  (#match? @f "{_ASSERT}(EQ|STREQ|DOUBLE_EQ|FLOAT_EQ|NEAR)$"))
(call_expression function: (identifier) @flip (#match? @flip "{_ASSERT}(EQ|NE|LT|LE|GT|GE|TRUE|FALSE|STREQ|STRNE)$"))
(call_expression function: (identifier) @f arguments: (argument_list (binary_expression left:
  (_) @left operator: "==" right: (_) @right))
  (#match? @f "{_MACRO}"))
(call_expression function: (identifier) @f arguments: (argument_list . (_) @truth) (#match? @f "{_MACRO}"))
(call_expression function: (identifier) @flip (#match? @flip "^(CHECK|REQUIRE|BOOST_CHECK|BOOST_REQUIRE)_(EQ|NE|LT|LE|GT|GE|FALSE|EQUAL)$"))
(call_expression function: (identifier) @flip arguments: (argument_list . (_) . )
  (#match? @flip "^((CHECK|REQUIRE)_(THROWS|NOTHROW)|(EXPECT|ASSERT)_(ANY|NO)_THROW)$"))
""",
    negate="!({e})",
    opposites=(
        *(
            (f"{kind}_{one}", f"{kind}_{other}")
            for kind in ("EXPECT", "ASSERT", "CHECK", "REQUIRE")
            for one, other in (
                ("EQ", "NE"),
                ("LT", "GE"),
                ("LE", "GT"),
                ("TRUE", "FALSE"),
                ("STREQ", "STRNE"),
            )
        ),
        ("CHECK_FALSE", "CHECK"),
        ("REQUIRE_FALSE", "REQUIRE"),
        ("BOOST_CHECK_EQUAL", "BOOST_CHECK_NE"),
        ("BOOST_REQUIRE_EQUAL", "BOOST_REQUIRE_NE"),
        ("CHECK_THROWS", "CHECK_NOTHROW"),
        ("REQUIRE_THROWS", "REQUIRE_NOTHROW"),
        ("EXPECT_ANY_THROW", "EXPECT_NO_THROW"),
        ("ASSERT_ANY_THROW", "ASSERT_NO_THROW"),
    ),
    literals=("number_literal", "string_literal", "true", "false", "char_literal"),
    calls=("call_expression",),
    returns=("return_statement",),
    scopes=("lambda_expression",),
    catches=("try_statement",),
    branches=("if_statement", "try_statement", "switch_statement", "conditional_expression"),
    helper_calls="(call_expression function: (identifier) @name)",
    nothing=_nothing,
)

LANGUAGE = Language(
    name="C++",
    suffixes=(".cpp", ".cc", ".cxx", ".h", ".hpp", ".hh"),
    grammar="tree_sitter_cpp",
    twins=_TWINS,
    prepare=_prepare,
    title=_title,
    case=_case,
    tests="""
((function_definition declarator: (function_declarator declarator: (identifier) @f
  parameters: (parameter_list . (parameter_declaration type: (_) @suite) . (parameter_declaration type:
    (_) @name)))
  body: (compound_statement) @body) @test (#match? @f "^(TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_P)$"))
((function_definition declarator: (function_declarator declarator: (identifier) @f) @name
  body: (compound_statement) @body) @test (#match? @f "^CASE_*$"))
""",
    functions="""
((function_definition type: (_)? @suite_type declarator: (function_declarator declarator: (_) @name) body:
  (compound_statement) @body) @function
  (#not-match? @name "^(TEST|TEST_F|TEST_P|CASE_*)$"))
((function_definition declarator: (_ declarator: (function_declarator declarator: (_) @name)) body:
  (compound_statement) @body) @function)
""",
    groups="""
(class_specifier name: (_) @name body: (_) @body) @group
(struct_specifier name: (_) @name body: (_) @body) @group
(namespace_definition name: (_) @name body: (_) @body) @group
""",
    wrappers=("template_declaration",),
    assertions="""
(call_expression function: (identifier) @f (#match? @f "^(EXPECT|ASSERT|CHECK|REQUIRE|FAIL|BOOST_(CHECK|REQUIRE|TEST)|STATIC_REQUIRE)")) @assertion
""",
    marks='(call_expression function: (identifier) @mark (#match? @mark "^(GTEST_SKIP|SKIP)$"))',
    strings=("string_literal", "raw_string_literal", "char_literal", "system_lib_string"),
    locals="(init_declarator declarator: (identifier) @local)",
    public="""
(translation_unit (function_definition declarator: (function_declarator declarator: (identifier) @public))
  (#not-match? @public "^(TEST|TEST_F|TEST_P|CASE_*)$"))
(translation_unit (template_declaration (function_definition declarator: (function_declarator declarator:
  (identifier) @public))))
(translation_unit (class_specifier name: (_) @public body: (_)))
(translation_unit (struct_specifier name: (_) @public body: (_)))
(translation_unit (declaration declarator: (function_declarator declarator: (identifier) @public)))
""",
    imports="(preproc_include path: (_) @module) @import",
    in_file="always",
    samples=(
        Sample(
            "t.cc",
            """\
#include <gtest/gtest.h>
TEST(Kata, Doubles) { EXPECT_EQ(twice(2), 4); }
TEST_P(Rows, Doubles) {
  GTEST_SKIP();
  ASSERT_TRUE(twice(GetParam()) < limit());
  return;
}
""",
            titles=("Kata > Doubles", "Rows > Doubles"),
            poisoned=('4); \nthrow std::runtime_error(std::string("{a}") + "{b}");', '"{b}"); return; }'),
            shifted=("twice(2), 8)", "ASSERT_FALSE("),
            marks=("skip",),
            assertions=2,
        ),
        Sample(
            "c.cpp",
            """\
TEST_CASE("adds (up)", "[x]") {
  SECTION("one") { REQUIRE(twice(2) == 4); }
}
TEST_CASE("throws") { CHECK_THROWS(f()); }
SCENARIO("goes on") { CHECK(twice(2) == limit); }
""",
            titles=("adds (up)", "throws", "goes on"),
            poisoned=("CHECK_THROWS(f()); \nthrow std::runtime_error",),
            shifted=("== 8)", "CHECK_NOTHROW(f())", "CHECK(!(twice(2) == limit))"),
        ),
        CodeSample(
            "kata.h",
            (
                '#include "a.h"\ninline int twice(int n) { return n * 2; }\n'
                "namespace n { class K { void m() {} }; }\nint n::K::g() { return 1; }\n"
            ),
            functions=("twice", "n.K.m", "n::K::g"),
            public=("twice",),
            imports=("a.h:",),
            raises=('{ throw std::runtime_error(std::string("{a}") + "{b}");  return n * 2',),
            nothing=("{ return {};  return n", "m() { return; }"),
        ),
    ),
)
