"""PHP: PHPUnit and Pest."""

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
)


def _close(body: Node, statement: str) -> list[Edit]:
    return before_brace(body, statement) if body.type == "compound_statement" else []


def _open(body: Node, statement: str) -> list[Edit]:
    return after_brace(body, statement) if body.type == "compound_statement" else []


def _nothing(function: Node) -> str:
    kind = function.child_by_field_name("return_type")
    values = {"int": "0", "float": "0.0", "string": "''", "array": "[]", "bool": "false", "void": ""}
    return f"return {values.get((kind.text or b'').decode() if kind is not None else '', 'null')};"


def _plant(names: tuple[str, ...]) -> str:
    lines = [
        f"class {name} {{ public function __construct(...$a) {{ throw new \\Error('not implemented'); }} }}"
        if name[:1].isupper()
        else f"function {name}(...$a) {{ throw new \\Error('not implemented'); }}"
        for name in names
    ]
    return "\n".join(["<?php", *lines, ""])


_EQUAL = "^assert(Equals|Same|EqualsCanonicalizing|EqualsWithDelta|Count|StringContainsString|JsonStringEqualsJsonString|MatchesRegularExpression)$"
_FLIP = "^assert(Not)?(Null|Empty|Contains|InstanceOf|Equals|Same|GreaterThan|LessThan|ArrayHasKey|FileExists|Count)$"
_CALLS = (
    "[(member_call_expression name: (name) @f arguments: {args}) (scoped_call_expression name: (name) "
    "@f arguments: {args})]"
)

_TWINS = Twins(
    fail='throw new \\Error("{a}" . "{b}");',
    shapes=f"""
({_CALLS.format(args="(arguments . (argument (_) @left) . (argument (_) @right))")} (#match? @f "{_EQUAL}"))
({_CALLS.format(args="(arguments . (argument (_) @truth))")} (#match? @f "^assert(True|False)$"))
((member_call_expression name: (name) @flip) (#match? @flip "{_FLIP}")
  (#not-match? @flip "^assert(Equals|Same|Count)$"))
((scoped_call_expression name: (name) @flip) (#match? @flip "{_FLIP}")
  (#not-match? @flip "^assert(Equals|Same|Count)$"))
((member_call_expression name: (name) @f arguments: (arguments . (argument (_) @expected)))
  (#match? @f "^expectException(Message|Code)?$"))
((member_call_expression object: (_) @o name: (name) @f arguments: (arguments . (argument (_) @expected)))
  (#match? @o "^expect\\\\(") (#not-match? @o "->not\\\\b")
    (#match? @f "^to(Be|Equal|Contain|HaveCount|StartWith|EndWith|MatchArray)$"))
((member_call_expression object: (_) @o name: (name) @flip)
  (#match? @o "^expect\\\\(") (#not-match? @o "->not\\\\b") (#match? @flip "^to[A-Z]"))
""",
    wrap="shift_{token}({e})",
    helper="""
if (!function_exists('shift_{token}')) {{ function shift_{token}($v) {{
  if (is_bool($v)) return !$v;
  if (is_int($v) || is_float($v)) return $v + 7;
  if (is_string($v) && class_exists($v) && is_subclass_of($v, \\Throwable::class)) return
    \\ArithmeticError::class;
  if (is_string($v)) return $v . "~";
  if (is_array($v)) return array_merge($v, ["~" => "~"]);
  return new \\stdClass();
}} }}
""",
    flip="not->{e}",
    opposites=(
        *(
            (f"assert{name}", f"assertNot{name}")
            for name in ("Null", "Empty", "Contains", "InstanceOf", "Equals", "Same", "Count")
        ),
        ("assertGreaterThan", "assertLessThanOrEqual"),
        ("assertLessThan", "assertGreaterThanOrEqual"),
        ("assertArrayHasKey", "assertArrayNotHasKey"),
        ("assertFileExists", "assertFileDoesNotExist"),
    ),
    literals=("integer", "float", "string", "encapsed_string", "boolean"),
    calls=(
        "function_call_expression",
        "member_call_expression",
        "scoped_call_expression",
        "object_creation_expression",
    ),
    expected="left",
    returns=("return_statement",),
    scopes=("anonymous_function", "arrow_function"),
    catches=("try_statement",),
    throws='(member_call_expression name: (name) @throws (#match? @throws "^expectException"))',
    branches=(
        "if_statement",
        "try_statement",
        "switch_statement",
        "match_expression",
        "conditional_expression",
    ),
    helper_calls="""
(member_call_expression object: (variable_name) @o name: (name) @name (#eq? @o "$this"))
(scoped_call_expression scope: (_) @o name: (name) @name (#match? @o "^(self|static)$"))
(function_call_expression function: (name) @name)
""",
    nothing=_nothing,
    close=_close,
    open=_open,
    plant=_plant,
)

_CLOSURE = "(argument [(anonymous_function body: (_) @body) (arrow_function body: (_) @body)])"

LANGUAGE = Language(
    name="PHP",
    suffixes=(".php",),
    grammar="tree_sitter_php",
    entry="language_php",
    twins=_TWINS,
    tests=f"""
((method_declaration name: (name) @name body: (compound_statement) @body) @test (#match? @name "^test"))
((comment) @d . (method_declaration name: (name) @name body: (compound_statement) @body) @test
  (#match? @d "@test\\\\b"))
((method_declaration attributes: (attribute_list) @d name: (name) @name body:
  (compound_statement) @body) @test
  (#match? @d "\\\\bTest(With|Dox)?\\\\b"))
((function_call_expression function: (name) @f arguments: (arguments . (argument (_) @name) {_CLOSURE})) @test
  (#match? @f "^(test|it)$"))
""",
    functions="""
(function_definition name: (_) @name body: (_) @body) @function
(method_declaration name: (_) @name body: (compound_statement) @body) @function
""",
    groups=f"""
(class_declaration name: (_) @name body: (_) @body) @group
(trait_declaration name: (_) @name body: (_) @body) @group
(interface_declaration name: (_) @name body: (_) @body) @group
((function_call_expression function: (name) @f arguments: (arguments . (argument
  (_) @name) {_CLOSURE})) @group (#eq? @f "describe"))
""",
    prefixes=("comment",),
    assertions="""
(member_call_expression name: (name) @f (#match? @f "^(assert|expectException|fail$|should)")) @assertion
(scoped_call_expression name: (name) @f (#match? @f "^(assert|fail$)")) @assertion
(function_call_expression function: (name) @f (#match? @f "^(expect|assert)")) @assertion
""",
    marks="""
(member_call_expression name: (name) @mark (#match? @mark "^(markTestSkipped|markTestIncomplete|skip|only|todo)$"))
(scoped_call_expression name: (name) @mark (#match? @mark "^(markTestSkipped|markTestIncomplete)$"))
""",
    strings=("string_content", "encapsed_string", "escape_sequence"),
    locals="(assignment_expression left: (variable_name (name) @local))",
    public="""
(function_definition name: (_) @public)
(class_declaration name: (_) @public)
(interface_declaration name: (_) @public)
(trait_declaration name: (_) @public)
(enum_declaration name: (_) @public)
""",
    imports="(namespace_use_clause [(qualified_name) (name)] @module) @import",
    samples=(
        Sample(
            "tests/KataTest.php",
            """\
<?php
class KataTest extends TestCase {
  public function testDoubles(): void { $got = twice(2); $this->assertSame(4, $got); }
  /** @test */
  public function it_goes_on(): void { self::assertTrue(twice(2) < $limit); if
    ($x) { return; } $this->assertNull($y); }
  public function testThrows(): void { $this->expectException(TypeError::class); twice([]); }
}
""",
            titles=("KataTest > testDoubles", "KataTest > it_goes_on", "KataTest > testThrows"),
            poisoned=('throw new \\Error("{a}" . "{b}");\n}', "return; }"),
            shifted=(
                "assertSame(8,",
                "assertTrue(!(twice(2) < $limit))",
                "assertNotNull",
                "shift_token(TypeError::class)",
            ),
            not_poisoned=("testThrows",),
            assertions=4,
        ),
        Sample(
            "tests/KataPest.php",
            (
                "<?php\ndescribe('calc', function () {\n"
                "  it('doubles', function () { expect(twice(2))->toBe($n); })->skip();\n"
                "  it('holds', fn () => expect(1)->toBeTruthy());\n});\n"
            ),
            titles=("calc > doubles", "calc > holds"),
            poisoned=("toBe($n); \nthrow",),
            shifted=("toBe(shift_token($n))", "->not->toBeTruthy()"),
            not_poisoned=("holds",),
            marks=(),
        ),
        CodeSample(
            "src/kata.php",
            (
                "<?php\nnamespace A;\nuse X\\Y;\nfunction twice(int $n): int { return $n * 2; }\n"
                "class K { public function m() { return 1; } }\n"
            ),
            functions=("twice", "K.m"),
            public=("twice", "K"),
            imports=("X\\Y:",),
            raises=('{ throw new \\Error("{a}" . "{b}");  return $n * 2',),
            nothing=("{ return 0;  return $n", "{ return null;  return 1"),
        ),
    ),
)
