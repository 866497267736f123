"""Rust: #[test] functions, also those that return a Result or have to panic, in modules beside the code."""

from __future__ import annotations

import re

from tdd_orchestrator.languages.base import CodeSample, Edit, Language, Node, Sample, Twins

_STATEMENTS = frozenset((
    "expression_statement", "let_declaration", "empty_statement", "function_item", "use_declaration",
    "macro_definition", "const_item", "struct_item", "impl_item", "enum_item",
))  # fmt: skip
_MACRO = re.compile(rb"\b((?:debug_)?assert(?:_eq|_ne)?)!(?=\s*\()")


def _prepare(data: bytes) -> bytes:
    """Turn assertion macros into calls of the same length: the grammar does not read a macro's arguments."""
    return _MACRO.sub(rb"\1 ", data)


def _close(body: Node, statement: str) -> list[Edit]:
    last = next((node for node in reversed(body.named_children) if "comment" not in node.type), None)
    at, outer = body.end_byte - 1, body.parent
    if last is None or last.type in _STATEMENTS:
        return [(at, at, f"\n{statement}\n")]
    if outer is not None and outer.child_by_field_name("return_type") is None:
        return [(last.end_byte, last.end_byte, f"; {statement}")]
    return [(last.start_byte, last.start_byte, f"{statement} ")]


# A condition that the compiler cannot see through: no warning about unreachable code.
_FAIL = 'if std::hint::black_box(true) {{ panic!("{{}}{{}}", "{a}", "{b}") }}'

_TWINS = Twins(
    fail=_FAIL,
    shapes="""
(call_expression function: (identifier) @f arguments: (arguments . (_) @left . (_) @right)
  (#match? @f "^(debug_)?assert_eq$"))
(call_expression function: (identifier) @flip arguments: (arguments . (_) . (_))
  (#match? @flip "^(debug_)?assert_(eq|ne)$"))
(call_expression function: (identifier) @f arguments: (arguments . (binary_expression left:
  (_) @left operator: "==" right: (_) @right))
  (#match? @f "^(debug_)?assert$"))
(call_expression function: (identifier) @f arguments: (arguments . (_) @truth)
  (#match? @f "^(debug_)?assert$"))
((attribute_item (attribute arguments: (token_tree (string_literal) @expected))) @a
  (#match? @a "should_panic"))
""",
    opposites=(("assert_eq", "assert_ne"), ("debug_assert_eq", "debug_assert_ne")),
    literals=("integer_literal", "float_literal", "string_literal", "boolean_literal", "char_literal"),
    calls=("call_expression",),
    returns=("return_expression",),
    scopes=("closure_expression", "function_item", "async_block"),
    macros=("token_tree",),
    throws='((attribute_item) @throws (#match? @throws "should_panic"))',
    branches=("if_expression", "match_expression"),
    helper_calls="(call_expression function: (identifier) @name)",
    nothing=lambda function: "if std::hint::black_box(true) { return Default::default(); }",
    close=_close,
)

LANGUAGE = Language(
    name="Rust",
    suffixes=(".rs",),
    grammar="tree_sitter_rust",
    twins=_TWINS,
    prepare=_prepare,
    tests="""
((attribute_item) @a . [(attribute_item) (line_comment) (block_comment)]* . (function_item name:
  (identifier) @name body: (block) @body) @test
  (#match? @a "^#\\\\[(\\\\w+::)*(test|rstest|test_case|quickcheck|wasm_bindgen_test)\\\\b"))
((macro_invocation macro: (identifier) @m (token_tree . (identifier) @name) @body) @test (#match? @m "^test"))
""",
    functions="(function_item name: (identifier) @name body: (block) @body) @function",
    groups="""
(mod_item name: (_) @name body: (_) @body) @group
(impl_item type: (_) @name body: (_) @body) @group
""",
    prefixes=("attribute_item",),
    tables="""
(for_expression value: (array_expression) @rows body: (block) @body)
(for_expression value: (identifier) @used body: (block) @body)
(let_declaration pattern: (identifier) @name value: (array_expression) @rows)
""",
    assertions="""
(call_expression function: (identifier) @f (#match? @f "^(debug_)?assert(_eq|_ne)?$")) @assertion
(macro_invocation macro: (_) @f (#match? @f "assert|panic")) @assertion
((attribute_item) @assertion (#match? @assertion "should_panic"))
(call_expression function: (field_expression field: (_) @f)
  (#match? @f "^(unwrap|expect|unwrap_err|expect_err)$")) @assertion
""",
    messages="""
(call_expression function: (identifier) @f arguments: (arguments . (_) . (_) . (string_literal) @message)
  (#match? @f "^(debug_)?assert_(eq|ne)$"))
(call_expression function: (identifier) @f arguments: (arguments . (_) . (string_literal) @message)
  (#match? @f "^(debug_)?assert$"))
""",
    marks='((attribute_item) @mark (#match? @mark "^#\\\\[ignore"))',
    comments=("line_comment", "block_comment"),
    strings=("string_literal", "raw_string_literal", "char_literal"),
    locals="""
(let_declaration pattern: (identifier) @local)
(let_declaration pattern: (tuple_pattern (identifier) @local))
(for_expression pattern: (identifier) @local)
(shorthand_field_initializer (identifier) @fixed)
(field_initializer field: (_) @fixed)
""",
    parts="""
((attribute_item) @a . (attribute_item)* . [(mod_item) (function_item) (use_declaration) (impl_item)
  (struct_item) (const_item)] @part
  (#match? @a "^#\\\\[cfg\\\\(test\\\\)"))
""",
    inert="""
((inner_attribute_item) @inert (#match? @inert "^#!\\\\[(cfg_attr\\\\(\\\\s*docsrs|doc|allow|warn|deny|expect)\\\\b"))
((attribute_item) @inert (#match? @inert "^#\\\\[(cfg_attr\\\\(\\\\s*docsrs|doc|allow|warn|deny|expect|must_use|inline)\\\\b"))
""",
    public="""
(source_file (function_item (visibility_modifier) name: (_) @public))
(source_file (struct_item (visibility_modifier) name: (_) @public))
(source_file (enum_item (visibility_modifier) name: (_) @public))
(source_file (trait_item (visibility_modifier) name: (_) @public))
(source_file (const_item (visibility_modifier) name: (_) @public))
(source_file (mod_item (visibility_modifier) name: (_) @public))
""",
    imports="(use_declaration argument: (_) @module) @import",
    in_file="always",
    samples=(
        Sample(
            "src/lib.rs",
            """\
pub fn double(n: i32) -> i32 { n * 2 }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[ignore]
    fn doubles() {
        assert_eq!(double(2), 4, "two {}", 2);
    }

    #[tokio::test]
    async fn tail() { assert!(double(2) < 5) }

    #[test]
    fn result() -> Result<(), String> {
        assert_eq!(double(2), limit);
        if x { return Ok(()); }
        Ok(())
    }

    #[test]
    #[should_panic(expected = "no")]
    fn panics() { assert!(double(i32::MAX) > 0); }
}
test!(triples, "3 * 3", Value::Number(9));
""",
            titles=("tests > doubles", "tests > tail", "tests > result", "tests > panics", "triples"),
            poisoned=(
                '< 5); if std::hint::black_box(true) { panic!("{}{}", "{a}", "{b}") } }',
                "} return Ok(()) }",
                '"{b}") } Ok(())',
            ),
            shifted=("double(2), 8,", "assert!(!(double(2) < 5))", "assert_ne!(double(2), limit)"),
            not_poisoned=("panics", "triples"),
            not_shifted=("panics", "triples"),
            marks=("skip",),
        ),
        CodeSample(
            "src/kata.rs",
            (
                "use std::fmt;\npub fn double(n: i32) -> i32 { n * 2 }\n"
                "impl Kata { fn value(&self) -> i32 { 1 } }\n"
            ),
            functions=("double", "Kata.value"),
            public=("double",),
            imports=("std::fmt:",),
            raises=('{ if std::hint::black_box(true) { panic!("{}{}", "{a}", "{b}") }  n * 2 }',),
            nothing=("return Default::default(); }  n * 2",),
        ),
    ),
)
