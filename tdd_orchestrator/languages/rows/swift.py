"""Swift: XCTest and Swift Testing."""

from __future__ import annotations

from tdd_orchestrator.languages.base import CodeSample, Language, Sample, Twins, opposites

LANGUAGE = Language(
    name="Swift",
    suffixes=(".swift",),
    grammar="tree_sitter_swift",
    tests="""
((function_declaration name: (simple_identifier) @name body: (function_body) @body) @test
  (#match? @name "^test[A-Z_]"))
((function_declaration (modifiers (attribute) @a) name: (simple_identifier) @name body:
  (function_body) @body) @test (#match? @a "^@Test\\\\b"))
""",
    functions="(function_declaration name: (simple_identifier) @name body: (function_body) @body) @function",
    groups="(class_declaration name: (_) @name body: (_) @body) @group",
    assertions="""
(call_expression (simple_identifier) @f (#match? @f "^XCT")) @assertion
(macro_invocation (simple_identifier) @f (#match? @f "^(expect|require)$")) @assertion
""",
    marks="""
(call_expression (simple_identifier) @mark (#match? @mark "^XCTSkip"))
((attribute) @mark (#match? @mark "\\\\.disabled"))
""",
    comments=("comment", "multiline_comment"),
    strings=("line_str_text", "multi_line_str_text"),
    newlines=True,
    locals="(property_declaration name: (pattern bound_identifier: (simple_identifier) @local))",
    public="""
(source_file (function_declaration name: (simple_identifier) @public))
(source_file (class_declaration name: (_) @public))
(source_file (protocol_declaration name: (_) @public))
""",
    imports="(import_declaration (identifier) @module) @import",
    twins=Twins(
        fail='XCTFail("{a}" + "{b}")',
        fail_when=(
            (
                '((import_declaration (identifier) @i) (#eq? @i "Testing"))',
                'Issue.record(Comment(rawValue: "{a}" + "{b}"))',
            ),
        ),
        stub_fail='if Bool("true")! {{ fatalError("{a}" + "{b}") }};',
        shapes="""
((call_expression (simple_identifier) @f (call_suffix (value_arguments . (value_argument value: (_) @left) .
  (value_argument value: (_) @right))))
  (#match? @f "^XCTAssertEqual$"))
((call_expression (simple_identifier) @f (call_suffix (value_arguments . (value_argument value:
  (_) @truth)))) (#match? @f "^XCTAssert(True|False)?$"))
((call_expression (simple_identifier) @flip) (#match? @flip "^XCTAssert(Equal|NotEqual|Nil|NotNil|GreaterThan|LessThan|NoThrow)"))
((macro_invocation (simple_identifier) @f (call_suffix (value_arguments . (value_argument value:
  (equality_expression lhs: (_) @left op: "==" rhs: (_) @right)))))
  (#match? @f "^(expect|require)$"))
((macro_invocation (simple_identifier) @f (call_suffix (value_arguments . (value_argument !name value:
  (_) @truth)))) (#match? @f "^(expect|require)$"))
""",
        opposites=opposites(
            "XCTAssertEqual:XCTAssertNotEqual  XCTAssertNil:XCTAssertNotNil  "
            "XCTAssertGreaterThan:XCTAssertLessThanOrEqual  XCTAssertLessThan:XCTAssertGreaterThanOrEqual"
        ),
        literals=("integer_literal", "real_literal", "line_string_literal", "boolean_literal"),
        calls=("call_expression",),
        returns=("control_transfer_statement",),
        scopes=("lambda_literal", "function_declaration"),
        catches=("do_statement",),
        branches=("if_statement", "guard_statement", "switch_statement", "do_statement"),
        helper_calls="(call_expression (simple_identifier) @name)",
    ),
    samples=(
        Sample(
            "Tests/KataTests.swift",
            """\
import XCTest
final class KataTests: XCTestCase {
  func testDoubles() throws { XCTAssertEqual(twice(2), 4) }
}
struct More {
  @Test(.disabled()) func doubles() { #expect(twice(2) == limit) }
  @Test func holds() { #expect(twice(2) == 4) }
}
""",
            titles=("KataTests > testDoubles", "More > doubles", "More > holds"),
            poisoned=('4) \nXCTFail("{a}" + "{b}")',),
            shifted=("twice(2), 8)", "#expect(!(twice(2) == limit))", "== 8)"),
            marks=("skip",),
            assertions=3,
        ),
        CodeSample(
            "Sources/Kata.swift",
            "import Foundation\nfunc twice(_ n: Int) -> Int { n * 2 }\nstruct Kata { func m() {} }\n",
            functions=("twice", "Kata.m"),
            public=("twice", "Kata"),
            imports=("Foundation:",),
            raises=('{ if Bool("true")! { fatalError("{a}" + "{b}") }',),
        ),
    ),
)
