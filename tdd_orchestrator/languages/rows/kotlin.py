"""Kotlin: kotlin.test, JUnit, Kotest assertions."""

from __future__ import annotations

from tdd_orchestrator.languages.base import CodeSample, Edit, Language, Node, Sample, Twins, opposites


def _block(body: Node) -> Node | None:
    return next((child for child in body.named_children if child.type == "block"), None)


def _close(body: Node, statement: str) -> list[Edit]:
    block = _block(body)
    if block is None:  # = expression
        value = body.named_children[0]
        return [
            (value.start_byte, value.start_byte, "run { "),
            (value.end_byte, value.end_byte, f"; {statement} }}"),
        ]
    return [(block.end_byte - 1, block.end_byte - 1, f"\n{statement}\n")]


def _open(body: Node, statement: str) -> list[Edit]:
    block = _block(body)
    if block is None:
        value = body.named_children[0]
        return [
            (value.start_byte, value.start_byte, f"run {{ {statement} "),
            (value.end_byte, value.end_byte, " }"),
        ]
    return [(block.start_byte + 1, block.start_byte + 1, f" {statement} ")]


_TRUE = '"true".toBoolean()'
_ARGUMENTS = "(value_arguments . (value_argument (_) @left) . (value_argument (_) @right))"


def _nothing(function: Node) -> str | None:
    """Return a bare return: only a block body without a result type has one."""
    named = [child.type for child in function.named_children]
    after = (
        named[named.index("function_value_parameters") + 1 :] if "function_value_parameters" in named else []
    )
    body = next((child for child in function.named_children if child.type == "function_body"), None)
    if body is None or _block(body) is None:
        return None
    kind = next(
        (child for child in function.named_children[-len(after) :] if child.type == "nullable_type"), None
    )
    if after and after[0] == "function_body":
        return f"if ({_TRUE}) return;"
    return f"if ({_TRUE}) return null;" if kind is not None else None


LANGUAGE = Language(
    name="Kotlin",
    suffixes=(".kt", ".kts"),
    grammar="tree_sitter_kotlin",
    tests="""
((function_declaration (modifiers (annotation [(user_type) (constructor_invocation (user_type))] @a)) name:
  (identifier) @name
  (function_body) @body) @test (#match? @a "^(\\\\w+\\\\.)*(Test|ParameterizedTest|RepeatedTest|Property)\\\\b"))
""",
    functions="(function_declaration name: (_) @name (function_body) @body) @function",
    groups="""
(class_declaration name: (_) @name (class_body) @body) @group
(object_declaration name: (_) @name (class_body) @body) @group
""",
    assertions="""
(call_expression (identifier) @f (#match? @f "^(assert|verify|fail|expect|should)")) @assertion
(infix_expression (identifier) @f (#match? @f "^should")) @assertion
""",
    marks="""
(annotation [(user_type) (constructor_invocation (user_type))] @mark (#match? @mark "^(Disabled|Ignore)"))
""",
    comments=("line_comment", "block_comment"),
    strings=("string_content", "character_literal"),
    newlines=True,
    locals="(property_declaration (variable_declaration (identifier) @local))",
    public="""
(source_file (function_declaration name: (_) @public))
(source_file (class_declaration name: (_) @public))
(source_file (object_declaration name: (_) @public))
""",
    imports="(import (qualified_identifier) @module) @import",
    twins=Twins(
        fail=f'if ({_TRUE}) throw Error("{{a}}" + "{{b}}");',
        shapes=f"""
((call_expression (identifier) @f {_ARGUMENTS}) (#match? @f "^assert(Equals|Same|ContentEquals)$"))
((call_expression (identifier) @f (value_arguments . (value_argument (_) @truth)))
  (#match? @f "^assert(True|False)?$"))
((call_expression (navigation_expression (_) (identifier) @f) (value_arguments . (value_argument
  (_) @expected)))
  (#match? @f "^(isEqualTo|isSameAs|hasSize|contains|containsExactly)$"))
((infix_expression (_) . (identifier) @f . (_) @expected)
  (#match? @f "^(shouldBe|shouldBeEqual|shouldContain|shouldHaveSize)$"))
((call_expression (identifier) @flip) (#match? @flip "^assert(NotEquals|NotSame|Null|NotNull)$"))
((infix_expression (_) . (identifier) @flip . (_)) (#match? @flip "^shouldNotBe$"))
""",
        opposites=opposites(
            "assertNotEquals:assertEquals  assertNotSame:assertSame  assertNull:assertNotNull  "
            "shouldNotBe:shouldBe"
        ),
        wrap="shift_{token}({e})",
        helper="""
@Suppress("UNCHECKED_CAST")
private fun <T> shift_{token}(v: T): T = when (v) {{
  is Boolean -> !v
  is Int -> v + 7
  is Long -> v + 7
  is Double -> v + 7
  is Float -> v + 7
  is Char -> v + 1
  is String -> v + "~"
  is List<*> -> v + listOf(null)
  else -> null
}} as T
""",
        literals=("number_literal", "string_literal", "boolean_literal", "character_literal"),
        calls=("call_expression",),
        expected="left",
        returns=("return_expression",),
        leave="run {{ {fail} {ret} }}",
        scopes=("lambda_literal", "anonymous_function"),
        catches=("try_expression",),
        throws='((annotation) @throws (#match? @throws "expected *="))',
        branches=("if_expression", "when_expression", "try_expression"),
        helper_calls="(call_expression (identifier) @name)",
        nothing=_nothing,
        close=_close,
        open=_open,
    ),
    samples=(
        Sample(
            "src/test/kotlin/KataTest.kt",
            """\
import kotlin.test.Test
class KataTest {
  @Test fun `doubles it`() { assertEquals(4, twice(2)) }
  @Nested inner class In { @Test @Disabled fun short() = assertTrue(twice(2) == limit) }
  @ParameterizedTest @ValueSource(ints = [1]) fun rows(a: Int) { twice(a) shouldBe limit; return }
}
""",
            titles=("KataTest > doubles it", "KataTest > In > short", "KataTest > rows"),
            poisoned=(
                '4, twice(2)) \nif ("true".toBoolean()) throw Error("{a}" + "{b}");',
                "= run { assertTrue(",
            ),
            shifted=("assertEquals(8,", "assertTrue(!(twice(2) == limit))", "shouldBe shift_token(limit)"),
            marks=("skip",),
            assertions=3,
        ),
        CodeSample(
            "src/main/kotlin/Kata.kt",
            "package a\nimport b.c\nfun twice(n: Int): Int = n * 2\nclass Kata { fun m() { println() } }\n",
            functions=("twice", "Kata.m"),
            public=("twice", "Kata"),
            imports=("b.c:",),
            raises=('= run { if ("true".toBoolean()) throw Error("{a}" + "{b}"); n * 2 }',),
            nothing=('{ if ("true".toBoolean()) return; ',),
        ),
    ),
)
