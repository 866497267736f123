"""C: a program of assertions, as CTest and Meson run them. Tests of Check, cmocka, CUnit and Unity are not found
in the source: where a runner names the program alone, one of them could not be told from another.
"""

from __future__ import annotations

from dataclasses import replace

from tdd_orchestrator.languages.base import CodeSample, Node, Sample, Twins, unquote
from tdd_orchestrator.languages.rows import cpp

_ENDS = (
    "{{ extern int printf(const char *, ...); extern void exit(int); "
    'printf("%s%s\\n", "{a}", "{b}"); exit(1); }}'
)
"""C has no exceptions, and a library may be compiled without the headers: its own declarations are enough."""
_CALL = "(call_expression function: (identifier) @f arguments: (argument_list {args}) (#match? @f {names}))"
_IS_ASSERT = '"^assert$"'
_TESTS = '"^(START_TEST$|test_)|_test$"'


def _nothing(function: Node) -> str | None:
    kind = function.child_by_field_name("type")
    return "return;" if kind is not None and kind.text == b"void" else "return 0;"


_TWINS = Twins(
    fail=_ENDS,
    stub_fail=_ENDS,
    shapes="\n".join((
        _CALL.format(args='(binary_expression left: (_) @left operator: "==" right: (_) @right)', names=_IS_ASSERT),
        _CALL.format(args=". (_) @truth", names=_IS_ASSERT),
    )),
    negate="!({e})",
    literals=("number_literal", "string_literal", "char_literal"),
    calls=("call_expression",),
    returns=("return_statement",),
    branches=("if_statement", "switch_statement", "conditional_expression"),
    helper_calls="(call_expression function: (identifier) @name)",
    nothing=_nothing,
)  # fmt: skip

_FUNCTION = "function_definition declarator: (function_declarator declarator: (identifier) @{name})"
LANGUAGE = replace(
    cpp.LANGUAGE,
    name="C",
    suffixes=(".c",),
    twins=_TWINS,
    prepare=bytes,
    title=unquote,
    case=None,
    tests=f"""
(({_FUNCTION.format(name="name")}
  body: (compound_statement (expression_statement (call_expression function: (identifier) @a))) @body) @test
  (#eq? @name "main") (#match? @a {_IS_ASSERT}))
(({_FUNCTION.format(name="name")}
  body: (compound_statement (if_statement condition: (_ value: (binary_expression left: (call_expression))) consequence: [(return_statement) (compound_statement (return_statement))])) @body) @test
  (#eq? @name "main"))
""",
    enclosing=f"""
(translation_unit ({_FUNCTION.format(name="f")}) ({_FUNCTION.format(name="main")}) @fixture
  (#match? @f {_TESTS}) (#eq? @main "main"))
""",
    functions=f"(({_FUNCTION.format(name='name')} body: (_) @body) @function (#not-match? @name "
    '"^main$"))\n'
    "((function_definition declarator: (_ declarator: (function_declarator declarator: (_) @name)) body: (_) @body) @function)",
    assertions=f"(call_expression function: (identifier) @f (#match? @f {_IS_ASSERT})) @assertion",
    marks="",
    public='(translation_unit (function_definition declarator: (function_declarator declarator: (identifier) @public)) (#not-eq? @public "main"))',
    program="main",
    in_file="",
    samples=(
        Sample(
            "tests/test_twice.c",
            """\
#include <assert.h>
#include "calc.h"

int main(void) {
  assert(twice(2) == 4);
  return 0;
}
""",
            titles=("main",),
            poisoned=('printf("%s%s\\n", "{a}", "{b}"); exit(1); } return 0; }',),
            shifted=("== 8)",),
            assertions=1,
        ),
        Sample(
            "tests/twice.c",
            """\
#include "calc.h"
int main(void) {
  if (twice(2) != 4) return 1;
  return 0;
}
""",
            titles=("main",),
            not_shifted=("main",),
            assertions=0,
        ),
        Sample(
            "tests/runner.c",
            """\
int main(void) {
  run(suite());
  int failed = srunner_ntests_failed(runner);
  if (failed) return 1;
  return 0;
}
""",
            titles=(),
        ),
        Sample(
            "tests/test_unity.c",
            """\
void test_twice(void) { TEST_ASSERT_EQUAL_INT(4, twice(2)); }
int main(void) { UNITY_BEGIN(); assert(1); RUN_TEST(test_twice); return UNITY_END(); }
""",
            titles=(),
        ),
        CodeSample(
            "src/calc.c",
            '#include "calc.h"\nint twice(int n) { return n * 2; }\nvoid tell(void) { puts("x"); }\nchar *name(void) { return "a"; }\nint main(void) { return 0; }\n',
            functions=("twice", "tell", "name"),
            public=("twice", "tell"),
            imports=("calc.h:",),
            raises=('exit(1); }  return n * 2',),
            nothing=("{ return 0;  return n", "{ return;  puts"),
        ),
    ),
)  # fmt: skip
