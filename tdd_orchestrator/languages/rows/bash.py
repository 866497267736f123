"""Shell: bats."""

from __future__ import annotations

import re

from tdd_orchestrator.languages.base import CodeSample, Language, Sample, Twins, opposites

_HEAD = re.compile(rb"^([ \t]*)@test[ \t]+((['\"]).*?\3|[^\s{]+)[ \t]*(?=\{)", re.MULTILINE)
_NAME = re.compile(r"@test\s+(?:(['\"])(?P<quoted>.*?)\1|(?P<plain>[^\s{]+))")


def _prepare(data: bytes) -> bytes:
    """Turn `@test "name" {` into a function of the same length: it is no shell syntax."""
    return _HEAD.sub(lambda m: m[1] + b"bats".ljust(len(m[0]) - len(m[1]) - 3, b"_") + b"() ", data)


def _title(text: str) -> str:
    match = _NAME.search(text)
    return (match["quoted"] or match["plain"] or "") if match is not None else text.strip()


_FAIL = 'echo "{a}""{b}" >&2; return 1'

LANGUAGE = Language(
    name="Shell",
    suffixes=(".bats", ".sh", ".bash"),
    grammar="tree_sitter_bash",
    prepare=_prepare,
    title=_title,
    name_to_body=True,
    tests=(
        "((function_definition name: (word) @name body: (compound_statement) @body) @test (#match? "
        '@name "^bats_+$"))'
    ),
    functions="(function_definition name: (word) @name body: (compound_statement) @body) @function",
    assertions="""
(test_command) @assertion
(command name: (_) @f (#match? @f "^(assert|refute|fail$|test$|run$|grep$)")) @assertion
""",
    marks='(command name: (_) @mark (#match? @mark "^skip$"))',
    strings=("string_content", "raw_string", "heredoc_body"),
    newlines=True,
    locals="",
    public="(program (function_definition name: (_) @public))",
    imports='((command name: (_) @f argument: (_) @module) @import (#match? @f "^(source|\\\\.|load)$"))',
    twins=Twins(
        fail=_FAIL,
        stub_fail='{{ echo "{a}""{b}" >&2; return 99; }};',
        shapes="""
(test_command (binary_expression left: (_) @left operator: ["=" "=="] right: (_) @right))
((test_command (binary_expression left: (_) @left operator: (test_operator) @o right: (_) @right))
  (#match? @o "^-(eq|ge|le|gt|lt)$"))
((test_command (binary_expression operator: ["!=" "=~"] @flip)))
((test_command (binary_expression operator: (test_operator) @flip)) (#eq? @flip "-ne"))
((command name: (_) @f argument: [(string) (raw_string) (word)] @expected .)
  (#match? @f "^assert_(output|line|equal)$") (#not-match? @expected "^-"))
((command name: (command_name) @flip) (#match? @flip "^(assert|refute)(_success|_failure|_output|_line)?$")
  (#not-match? @flip "^assert_(output|line)$"))
""",
        opposites=opposites(
            "!=:=  -ne:-eq  assert_success:assert_failure  refute_output:assert_output  "
            "refute_line:assert_line  refute:assert"
        ),
        literals=("string_content", "number", "word", "raw_string"),
        calls=("simple_expansion", "expansion", "command_substitution"),
        leave="{{ {fail}; {ret}; }}",
        branches=("if_statement", "case_statement"),
        helper_calls="(command name: (command_name) @name)",
        nothing=lambda function: "return 0;",
        comment="#",
    ),
    samples=(
        Sample(
            "test/kata.bats",
            """\
setup() { source kata.sh; }
@test "doubles it's" {
  run double 2
  [ "$status" -eq 0 ]
  [[ "$output" == "4" ]]
}
@test plain { skip; assert_output "x"; refute false; }
""",
            titles=("doubles it's", "plain"),
            poisoned=('\necho "{a}""{b}" >&2; return 1\n}',),
            shifted=('== "8"', "-eq 4", 'assert_output "x~"'),
            marks=("skip",),
        ),
        CodeSample(
            "kata.sh",
            'source lib.sh\ndouble() { echo "$(($1 * 2))"; }\n',
            functions=("double",),
            public=("double",),
            imports=("lib.sh:",),
            raises=('{ { echo "{a}""{b}" >&2; return 99; };',),
            nothing=("{ return 0;",),
        ),
    ),
)
