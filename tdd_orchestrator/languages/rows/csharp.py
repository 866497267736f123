"""C#: xUnit, NUnit, MSTest, FluentAssertions."""

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
    opposites,
)


def _close(body: Node, statement: str) -> list[Edit]:
    if body.type == "block":
        return before_brace(body, statement)
    value = body.named_children[0]
    return [
        (body.start_byte, value.start_byte, "{ "),
        (value.end_byte, value.end_byte, f"; {statement} }}"),
        _semicolon(body),
    ]


def _semicolon(body: Node) -> Edit:
    after = body.next_sibling
    return (
        (after.start_byte, after.end_byte, "")
        if after is not None and after.type == ";"
        else (body.end_byte, body.end_byte, "")
    )


def _open(body: Node, statement: str) -> list[Edit]:
    if body.type == "block":
        return after_brace(body, statement)
    value = body.named_children[0]
    function = body.parent
    kind = function.child_by_field_name("returns") if function is not None else None
    ret = "" if kind is not None and kind.text == b"void" else "return "
    return [
        (body.start_byte, value.start_byte, f"{{ {statement} {ret}"),
        (value.end_byte, value.end_byte, "; }"),
        _semicolon(body),
    ]


_TRUE = 'bool.Parse("true")'

_TWINS = Twins(
    fail=f'if ({_TRUE}) throw new System.Exception("{{a}}" + "{{b}}");',
    shapes="""
(invocation_expression function: (member_access_expression expression: (_) @o name: (identifier) @f)
  arguments: (argument_list . (argument (_) @left) . (argument (_) @right))
  (#match? @o "Assert$") (#match? @f "^(Equal|AreEqual|StrictEqual|Same|AreSame|Contains|StartsWith)$"))
(invocation_expression function: (member_access_expression expression: (_) @o name: (identifier) @f)
  arguments: (argument_list . (argument (_) @truth)) (#match? @o "^Assert$")
    (#match? @f "^(True|False|IsTrue|IsFalse)$"))
(invocation_expression function: (member_access_expression expression: (_) @o name: (identifier) @f)
  arguments: (argument_list (argument (_) @expected)) (#eq? @o "Is")
    (#match? @f "^(EqualTo|EquivalentTo|SameAs)$"))
(invocation_expression function: (member_access_expression expression: (_) @o name: (identifier) @f)
  arguments: (argument_list . (argument (_) @expected)) (#match? @o "Should\\\\(\\\\)$")
    (#match? @f "^(Be|BeEquivalentTo|Equal|HaveCount|Contain)$"))
(invocation_expression function: (member_access_expression expression: (_) @o name: (identifier) @flip)
  (#match? @o "^Assert$") (#match? @flip "^(Null|NotNull|NotEqual|Empty|NotEmpty|IsNull|IsNotNull|AreNotEqual|DoesNotContain|NotSame)$"))
(invocation_expression function: (member_access_expression expression: (_) @o name: (identifier) @flip)
  (#match? @o "Should\\\\(\\\\)$") (#match? @flip "^(BeTrue|BeFalse|BeNull|NotBeNull|NotBe|BeEmpty|NotBeEmpty)$"))
""",
    opposites=opposites(
        "Null:NotNull  NotEqual:Equal  Empty:NotEmpty  IsNull:IsNotNull  AreNotEqual:AreEqual  "
        "DoesNotContain:Contains  NotSame:Same  BeTrue:BeFalse  BeNull:NotBeNull  NotBe:Be  "
        "BeEmpty:NotBeEmpty"
    ),
    wrap="Shift_{token}.Of({e})",
    helper="""
static class Shift_{token} {{
  public static int Of(int v) => v + 7; public static long Of(long v) => v + 7; public static double Of(double v) => v + 7;
  public static decimal Of(decimal v) => v + 7; public static bool Of(bool v) => !v; public static char Of(char v) => (char)(v + 1);
  public static string Of(string v) => v + "~"; public static object Of(object v) => new object();
  public static T[] Of<T>(T[] v) {{ var l = new System.Collections.Generic.List<T>(v); l.Add(default(T)); return l.ToArray(); }}
  public static System.Collections.Generic.List<T> Of<T>(System.Collections.Generic.List<T> v) {{
    var l = new System.Collections.Generic.List<T>(v); l.Add(default(T)); return l; }}
}}
""",
    literals=("integer_literal", "string_literal", "boolean_literal", "character_literal", "real_literal"),
    calls=("invocation_expression", "object_creation_expression", "await_expression"),
    expected="left",
    returns=("return_statement",),
    scopes=("lambda_expression", "local_function_statement", "anonymous_method_expression"),
    catches=("try_statement",),
    throws='((attribute name: (_) @throws) (#match? @throws "^ExpectedException"))',
    branches=("if_statement", "try_statement", "switch_statement", "conditional_expression"),
    helper_calls="(invocation_expression function: (identifier) @name)",
    nothing=lambda function: None if function.type == "constructor_declaration" else _nothing(function),
    close=_close,
    open=_open,
)


def _nothing(function: Node) -> str:
    kind = function.child_by_field_name("returns") or function.child_by_field_name("type")
    modifiers = {child.text for child in function.children if child.type == "modifier"}
    text = (kind.text or b"void").decode() if kind is not None else "void"
    if text == "void" or (text == "Task" and b"async" in modifiers):
        return f"if ({_TRUE}) return;"
    return f"if ({_TRUE}) return default;"


LANGUAGE = Language(
    name="C#",
    suffixes=(".cs",),
    grammar="tree_sitter_c_sharp",
    twins=_TWINS,
    tests="""
((method_declaration (attribute_list (attribute name: (_) @a)) name: (identifier) @name body: (_) @body) @test
  (#match? @a "^(Fact|Theory|Test|TestCase|TestCaseSource|TestMethod|DataTestMethod|SkippableFact|Property)$"))
""",
    functions="""
(method_declaration name: (_) @name body: (_) @body) @function
(constructor_declaration name: (_) @name body: (_) @body) @function
(local_function_statement name: (_) @name body: (_) @body) @function
""",
    groups="""
(class_declaration name: (_) @name body: (_) @body) @group
(struct_declaration name: (_) @name body: (_) @body) @group
(record_declaration name: (_) @name body: (_) @body) @group
""",
    assertions="""
(invocation_expression function: (member_access_expression expression: (_) @o)
  (#match? @o "Assert$|Should\\\\(\\\\)$")) @assertion
""",
    marks="""
(attribute name: (_) @mark (#match? @mark "^(Ignore|Explicit)$"))
(attribute (attribute_argument_list (attribute_argument name: (_) @mark)) (#match? @mark "^(Skip|Ignore)$"))
""",
    strings=("string_literal", "verbatim_string_literal", "character_literal", "string_content"),
    locals="(variable_declarator name: (identifier) @local)",
    public="""
(class_declaration name: (_) @public)
(struct_declaration name: (_) @public)
(record_declaration name: (_) @public)
(interface_declaration name: (_) @public)
(enum_declaration name: (_) @public)
""",
    imports="(using_directive [(identifier) (qualified_name)] @module .) @import",
    samples=(
        Sample(
            "KataTests.cs",
            """\
using Xunit;
namespace N {
public class KataTests {
  [Fact] public void Doubles() { Assert.Equal(4, Kata.Twice(2)); }
  [Theory(Skip = "x"), InlineData(1)] public async Task Rows(int a) { Assert.True(Kata.Twice(a) > a); return; }
  [Test] public void Short() => Kata.Twice(2).Should().Be(limit);
  [Test] public void Fluent() { Assert.That(Kata.Twice(2), Is.EqualTo(limit)); Assert.NotNull(x); }
}
}
""",
            titles=("KataTests > Doubles", "KataTests > Rows", "KataTests > Short", "KataTests > Fluent"),
            poisoned=('throw new System.Exception("{a}" + "{b}");\n}', "Be(limit); if ("),
            shifted=(
                "Assert.Equal(8,",
                "Assert.True(!(Kata.Twice(a) > a))",
                "Be(Shift_token.Of(limit))",
                "EqualTo(Shift_token.Of(limit))",
            ),
            marks=("skip",),
        ),
        CodeSample(
            "Kata.cs",
            (
                "using System;\nusing A.B;\nclass Kata {\n  public static int Twice(int n) => n * 2;\n"
                "  void M() { }\n}\n"
            ),
            functions=("Kata.Twice", "Kata.M"),
            public=("Kata",),
            imports=("System:", "A.B:"),
            raises=('throw new System.Exception("{a}" + "{b}"); return n * 2; }\n',),
            nothing=("return default; return n * 2; }\n",),
        ),
    ),
)
