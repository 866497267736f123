"""Java: JUnit 4 and 5, TestNG, AssertJ, Hamcrest."""

from __future__ import annotations

from tdd_orchestrator.languages.base import (
    CodeSample,
    Edit,
    Language,
    Node,
    Sample,
    Twins,
    before_brace,
    opposites,
)


def _close(body: Node, statement: str) -> list[Edit]:
    last = next((node for node in reversed(body.named_children) if "comment" not in node.type), None)
    if last is not None and last.type in ("return_statement", "throw_statement"):
        return []  # the compiler refuses what cannot be reached
    return before_brace(body, statement)


def _nothing(function: Node) -> str:
    kind = function.child_by_field_name("type")
    text = (kind.text or b"").decode() if kind is not None else "void"
    if text == "void":
        value = ""
    elif kind is not None and kind.type in ("integral_type", "floating_point_type"):
        value = "0"
    else:
        value = "false" if text == "boolean" else "null"
    return f'if (Boolean.parseBoolean("true")) return {value};'


_EQUAL = "^assert(Equals|IterableEquals|Same|ArrayEquals|LinesMatch)$"
_FLIP = "^assert(NotEquals|NotSame|Null|NotNull|DoesNotThrow)$|^is(Not)?(Null|Empty|EqualTo|SameAs|InstanceOf|True|False|Present)$|^(has|doesNot)[A-Z]"

_TWINS = Twins(
    fail='if (Boolean.parseBoolean("true")) throw new Error("{a}" + "{b}");',
    shapes=f"""
(method_invocation name: (identifier) @f arguments: (argument_list . (_) @left . (_) @right)
  (#match? @f "{_EQUAL}"))
(method_invocation object: (_) name: (identifier) @f arguments: (argument_list . (_) @expected .)
  (#match? @f "^(isEqualTo|isSameAs|contains|containsExactly|hasSize|hasMessage|isInstanceOf|startsWith|endsWith)$"))
(method_invocation name: (identifier) @a arguments: (argument_list (_) .
  (method_invocation name: (identifier) @f arguments: (argument_list . (_) @expected .)) .)
  (#eq? @a "assertThat") (#match? @f "^(is|equalTo|hasItem|containsString|sameInstance)$"))
(method_invocation name: (identifier) @f arguments: (argument_list . (_) @truth)
  (#match? @f "^assert(True|False)$"))
(method_invocation name: (identifier) @flip (#match? @flip "{_FLIP}"))
""",
    wrap="Shift_{token}.of({e})",
    helper="""
class Shift_{token} {{
  static int of(int v) {{ return v + 7; }} static long of(long v) {{ return v + 7; }}
  static double of(double v) {{ return v + 7; }} static float of(float v) {{ return v + 7; }}
  static boolean of(boolean v) {{ return !v; }} static char of(char v) {{ return (char) (v + 1); }}
  static String of(String v) {{ return v + "~"; }} static Object of(Object v) {{ return new Object(); }}
  static Integer of(Integer v) {{ return v + 7; }} static Long of(Long v) {{ return v + 7; }}
  static int[] of(int[] v) {{ return java.util.Arrays.copyOf(v, v.length + 1); }}
  static byte[] of(byte[] v) {{ return java.util.Arrays.copyOf(v, v.length + 1); }}
  static <T> T[] of(T[] v) {{ return java.util.Arrays.copyOf(v, v.length + 1); }}
  static <T> Class<?> of(Class<T> v) {{ return Shift_{token}.class; }}
  static <T> java.util.List<T> of(java.util.List<T> v) {{
    java.util.ArrayList<T> l = new java.util.ArrayList<T>(v); l.add(null); return l; }}
}}
""",
    opposites=opposites(
        "assertNotEquals:assertEquals  assertNotSame:assertSame  assertNull:assertNotNull  "
        "isNull:isNotNull  isEmpty:isNotEmpty  isNotEqualTo:isEqualTo  isNotSameAs:isSameAs  "
        "isNotInstanceOf:isInstanceOf  isTrue:isFalse  isPresent:isNotPresent  doesNotContain:contains"
    ),
    literals=("decimal_integer_literal", "string_literal", "true", "false", "character_literal"),
    calls=("method_invocation", "object_creation_expression"),
    expected="left",
    returns=("return_statement",),
    scopes=("lambda_expression", "class_body"),
    catches=("try_statement",),
    throws='((annotation arguments: (_) @throws) (#match? @throws "expected(Exceptions)? *="))',
    branches=("if_statement", "try_statement", "switch_expression", "ternary_expression"),
    helper_calls="(method_invocation !object name: (identifier) @name)",
    nothing=_nothing,
    close=_close,
)

_TEST = (
    '(#match? @a "^(Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate|Property|Example|Theory)$")'
)

LANGUAGE = Language(
    name="Java",
    suffixes=(".java",),
    grammar="tree_sitter_java",
    twins=_TWINS,
    tests=f"""
((method_declaration (modifiers [(marker_annotation name: (_) @a) (annotation name: (_) @a)])
  name: (identifier) @name body: (block) @body) @test {_TEST})
((method_declaration type: (void_type) name: (identifier) @name parameters: (formal_parameters) @p body:
  (block) @body) @test
  (#match? @name "^test[A-Z]") (#eq? @p "()"))
""",
    functions="""
(method_declaration name: (_) @name body: (block) @body) @function
(constructor_declaration name: (_) @name body: (_) @body) @function
""",
    groups="""
(class_declaration name: (_) @name body: (_) @body) @group
(interface_declaration name: (_) @name body: (_) @body) @group
(record_declaration name: (_) @name body: (_) @body) @group
(enum_declaration name: (_) @name body: (_) @body) @group
""",
    assertions="""
(method_invocation name: (_) @f (#match? @f "^(assert|verify|fail|expect|should)")) @assertion
(annotation arguments: (_) @e (#match? @e "expected *=")) @assertion
""",
    marks="""
(marker_annotation name: (_) @mark (#match? @mark "^(Disabled|Ignore)"))
(annotation name: (_) @mark (#match? @mark "^(Disabled|Ignore)"))
((annotation arguments: (_) @mark) (#match? @mark "enabled *= *false"))
""",
    comments=("line_comment", "block_comment"),
    strings=("string_literal", "character_literal"),
    locals="""
(local_variable_declaration declarator: (variable_declarator name: (identifier) @local))
(enhanced_for_statement name: (identifier) @local)
""",
    public="""
(program (class_declaration name: (_) @public))
(program (interface_declaration name: (_) @public))
(program (record_declaration name: (_) @public))
(program (enum_declaration name: (_) @public))
""",
    imports="(import_declaration [(scoped_identifier) (identifier)] @module) @import",
    samples=(
        Sample(
            "src/test/java/KataTest.java",
            """\
import static org.junit.jupiter.api.Assertions.*;
class KataTest {
  @Test void doubles() { assertEquals(4, Kata.twice(2)); }
  @Nested class In {
    @ParameterizedTest @CsvSource({"1,2"}) @Disabled void rows(int a, int b) {
      assertEquals(b, Kata.twice(a)); // why
      return;
    }
  }
  @Test(expected = IllegalStateException.class) public void throwsIt() { Kata.twice(-1); }
  @Test void chained() { if (x) { return; } assertThat(Kata.name()).isEqualTo("a"); assertFalse(y); }
}
""",
            titles=(
                "KataTest > doubles",
                "KataTest > In > rows",
                "KataTest > throwsIt",
                "KataTest > chained",
            ),
            poisoned=(
                'throw new Error("{a}" + "{b}");\n}',
                '{ if (Boolean.parseBoolean("true")) throw new Error("{a}" + "{b}"); return; }',
            ),
            shifted=("assertEquals(8,", "assertEquals(Shift_token.of(b)", 'isEqualTo("a~")'),
            not_poisoned=("throwsIt",),
            not_shifted=("throwsIt",),
            marks=("skip",),
            assertions=5,
        ),
        CodeSample(
            "src/main/java/Kata.java",
            (
                "package a;\nimport java.util.List;\nclass Kata {\n"
                "  static int twice(int n) { return n * 2; }\n  String name() { return null; }\n}\n"
            ),
            functions=("Kata.twice", "Kata.name"),
            public=("Kata",),
            imports=("java.util.List:",),
            raises=('{ if (Boolean.parseBoolean("true")) throw new Error("{a}" + "{b}"); ',),
            nothing=("return 0;  return n * 2", "return null;  return null"),
        ),
    ),
)
