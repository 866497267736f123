"""Scala: MUnit, ScalaTest, JUnit."""

from __future__ import annotations

from tdd_orchestrator.languages.base import (
    CodeSample,
    Edit,
    Language,
    Node,
    Sample,
    Twins,
    after_brace,
    before_brace,
    unquote,
)


def _close(body: Node, statement: str) -> list[Edit]:
    if body.type == "block" and body.start_byte + 1 < body.end_byte:
        return before_brace(body, statement)
    return [(body.start_byte, body.start_byte, "{ "), (body.end_byte, body.end_byte, f"; {statement} }}")]


def _open(body: Node, statement: str) -> list[Edit]:
    if body.type == "block":
        return after_brace(body, statement)
    return [(body.start_byte, body.start_byte, f"{{ {statement} "), (body.end_byte, body.end_byte, " }")]


def _nothing(function: Node) -> str | None:
    kind = function.child_by_field_name("return_type")
    return None if kind is None else f"if ({_TRUE}) return null.asInstanceOf[{(kind.text or b'').decode()}];"


_TRUE = '"true".toBoolean'
_TITLE = "[(string) @name (field_expression value: (string) @name)]"


def _title(text: str) -> str:
    """Return a title or an import without what stands around it."""
    return unquote(text.removeprefix("import "))


LANGUAGE = Language(
    name="Scala",
    suffixes=(".scala", ".sc"),
    grammar="tree_sitter_scala",
    tests=f"""
((call_expression function: (call_expression function: (_) @f arguments: (arguments . {_TITLE})) arguments:
  (block) @body) @test
  (#match? @f "^(test|ignore|property|it|they)$"))
((infix_expression left: (infix_expression left: (_) @suite operator: (identifier) @f right:
  (string) @name) operator: (identifier) @in
  right: (block) @body) @test (#match? @f "^(should|must|can)$") (#match? @in "^(in|ignore)$"))
((infix_expression left: (string) @name operator: (identifier) @in right: (block) @body) @test
  (#match? @in "^(in|ignore)$"))
((function_definition (annotation name: (_) @f) name: (identifier) @name body: (_) @body) @test
  (#match? @f "^Test$"))
""",
    functions="(function_definition name: (_) @name body: (_) @body) @function",
    groups="""
(class_definition name: (_) @name body: (_) @body) @group
(object_definition name: (_) @name body: (_) @body) @group
((call_expression function: (call_expression function: (_) @f arguments: (arguments .
  (string) @name)) arguments: (block) @body) @group
  (#match? @f "^(describe|suite)$"))
((infix_expression left: (string) @name operator: (identifier) @f right: (block) @body) @group
  (#match? @f "^(should|must|when|can|which)$"))
""",
    assertions="""
((call_expression function: (identifier) @f) @assertion (#match? @f "^(assert|intercept|fail$)"))
((infix_expression operator: (identifier) @f) @assertion
  (#match? @f "^(should|must|shouldBe|mustBe|shouldEqual|mustEqual)$")
  (#not-match? @assertion "^\\""))
""",
    marks="""
((call_expression function: (call_expression function: (identifier) @mark)) (#eq? @mark "ignore"))
((field_expression value: (string) field: (identifier) @mark) (#match? @mark "^(ignore|only|fail|pending)$"))
((infix_expression operator: (identifier) @mark right: (block)) (#eq? @mark "ignore"))
""",
    strings=("string", "interpolated_string", "character_literal"),
    comments=("comment", "block_comment"),
    newlines=True,
    locals="""
(val_definition pattern: (identifier) @local)
(var_definition pattern: (identifier) @local)
""",
    public="""
(compilation_unit (class_definition name: (_) @public))
(compilation_unit (object_definition name: (_) @public))
(compilation_unit (trait_definition name: (_) @public))
(compilation_unit (function_definition name: (_) @public))
""",
    imports="(import_declaration) @import @module",
    title=_title,
    twins=Twins(
        fail=f'if ({_TRUE}) throw new Error("{{a}}" + "{{b}}");',
        shapes="""
((call_expression function: (identifier) @f arguments: (arguments . (_) @left . (_) @right))
  (#match? @f "^assert(Equals|Result)$"))
((infix_expression left: (_) operator: (identifier) @f right: (_) @expected)
  (#match? @f "^(shouldBe|shouldEqual|mustBe|mustEqual)$"))
((infix_expression left: (_) operator: (identifier) @f right: (call_expression function:
  (identifier) @be arguments: (arguments . (_) @expected .)))
  (#match? @f "^(should|must)$") (#match? @be "^(be|equal|contain)$"))
((call_expression function: (identifier) @f arguments: (arguments . (infix_expression left:
  (_) @left operator: (_) @o right: (_) @right)))
  (#match? @f "^(assert|assertTrue)$") (#match? @o "^={2,3}$"))
((call_expression function: (identifier) @f arguments: (arguments . (_) @truth))
  (#match? @f "^assert(True|False)?$"))
((call_expression function: (identifier) @flip) (#match? @flip "^assertNotEquals$"))
""",
        opposites=(("assertNotEquals", "assertEquals"),),
        wrap="Shift_{token}.of({e})",
        helper="""
object Shift_{token} {{
  def of[T](v: T): T = (v match {{
    case b: Boolean => !b
    case i: Int => i + 7
    case l: Long => l + 7
    case d: Double => d + 7
    case c: Char => (c + 1).toChar
    case s: String => s + "~"
    case q: List[_] => q :+ null
    case q: Vector[_] => q :+ null
    case Some(x) => None
    case _ => null
  }}).asInstanceOf[T]
}}
""",
        literals=("integer_literal", "floating_point_literal", "string", "boolean_literal"),
        calls=("call_expression", "instance_expression"),
        returns=("return_expression",),
        scopes=("lambda_expression", "function_definition"),
        catches=("try_expression",),
        branches=("if_expression", "match_expression", "try_expression"),
        helper_calls="(call_expression function: (identifier) @name)",
        nothing=_nothing,
        close=_close,
        open=_open,
    ),
    samples=(
        Sample(
            "src/test/scala/KataSuite.scala",
            """\
class KataSuite extends munit.FunSuite {
  test("doubles") {
    val got = twice(2)
    assertEquals(got, 4)
  }
  test("later".ignore) { assert(twice(2) == limit) }
  "A kata" should "double" in { twice(2) shouldBe limit }
  @Test def short(): Unit = assertTrue(twice(2) < 5)
}
""",
            titles=(
                "KataSuite > doubles",
                "KataSuite > later",
                "KataSuite > A kata > double",
                "KataSuite > short",
            ),
            poisoned=(
                'got, 4)\n  \nif ("true".toBoolean) throw new Error("{a}" + "{b}");\n}',
                "= { assertTrue(twice(2) < 5); if (",
            ),
            shifted=(
                "assertEquals(got, 8)",
                "== Shift_token.of(limit)",
                "shouldBe Shift_token.of(limit)",
                "assertTrue(!(twice",
            ),
            marks=("skip",),
        ),
        CodeSample(
            "src/main/scala/Kata.scala",
            (
                "package a\nimport b.C\nobject Kata {\n  def twice(n: Int): Int = n * 2\n"
                "  def m(n: Int) = { n }\n}\n"
            ),
            functions=("Kata.twice", "Kata.m"),
            public=("Kata",),
            imports=("b.C:",),
            raises=('= { if ("true".toBoolean) throw new Error("{a}" + "{b}"); n * 2 }',),
            nothing=('= { if ("true".toBoolean) return null.asInstanceOf[Int]; n * 2 }',),
        ),
    ),
)
