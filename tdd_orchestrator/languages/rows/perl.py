"""Perl: Test::More, its assertions and subtests."""

from __future__ import annotations

from tdd_orchestrator.languages.base import CodeSample, Language, Sample, Twins, after_brace, before_brace

_CALLS = (
    "[(ambiguous_function_call_expression function: (_) @{f} arguments: {args}) "
    "(function_call_expression function: (_) @{f} arguments: {args})]"
)


def _call(args: str, capture: str = "f") -> str:
    return _CALLS.format(args=args, f=capture)


LANGUAGE = Language(
    name="Perl",
    suffixes=(".t", ".pl", ".pm"),
    grammar="tree_sitter_perl",
    tests=f"""
({_call("(list_expression . (string_literal) @name (anonymous_subroutine_expression body: (block) @body))")} @test (#eq? @f "subtest"))
((expression_statement {_call("(list_expression (_) (string_literal) @name .)")} @body) @test
  (#match? @f "^(is|ok|is_deeply|like|isnt|unlike|cmp_ok|throws_ok|lives_ok)$"))
""",
    functions="(subroutine_declaration_statement name: (_) @name body: (block) @body) @function",
    assertions=f"""
({_call("(_)")} @assertion (#match? @f "^(is|ok|is_deeply|like|isnt|unlike|cmp_ok|pass|fail|isa_ok|can_ok|throws_ok|lives_ok|dies_ok)$"))
""",
    marks=(
        "(ambiguous_function_call_expression function: (_) @mark (#match? @mark "
        '"^(skip|todo_skip|plan)$") (#eq? @mark "skip"))'
    ),
    strings=("string_content",),
    locals="(variable_declaration (scalar (varname) @local))",
    public="(source_file (subroutine_declaration_statement name: (_) @public))",
    imports="(use_statement module: (_) @module) @import",
    twins=Twins(
        fail='fail("{a}" . "{b}");',  # to die inside a subtest would end all tests
        stub_fail='die "{a}" . "{b}";',
        shapes=f"""
({_call("(list_expression . (_) @left . (_) @right)")} (#match? @f "^(is|is_deeply)$"))
({_call("[(list_expression . (_) @truth) (equality_expression) @truth (relational_expression) @truth (scalar) @truth]")} (#eq? @f "ok"))
({_call("(list_expression)", "flip")} (#match? @flip "^(like|unlike|isnt)$"))
""",
        wrap="shift_{token}({e})",
        negate="(!({e}))",
        helper="""
sub shift_{token} {{
  my ($v) = @_;
  return [@$v, "~"] if ref $v eq "ARRAY";
  return {{ %$v, "~" => "~" }} if ref $v eq "HASH";
  return defined $v && $v =~ /^-?[0-9.]+$/ ? $v + 7 : defined $v ? "$v~" : "~";
}}
""",
        opposites=(("like", "unlike"), ("is", "isnt")),
        literals=("number", "string_literal"),
        calls=(
            "function_call_expression",
            "ambiguous_function_call_expression",
            "method_call_expression",
            "func1op_call_expression",
        ),
        returns=("return_expression",),
        leave="do {{ {fail} }}, {ret}",
        scopes=("anonymous_subroutine_expression",),
        branches=("conditional_statement",),
        helper_calls="(function_call_expression function: (_) @name)",
        nothing=lambda function: 'return if "true";',
        close=lambda body, statement: before_brace(body, statement) if body.type == "block" else [],
        open=after_brace,
        comment="#",
    ),
    samples=(
        Sample(
            "t/kata.t",
            """\
use Test::More;
subtest 'adds' => sub {
  is(double(2), 4, 'twice');
  ok($x == 3);
};
is double(2), $limit, 'plain';
done_testing;
""",
            titles=("adds", "plain"),
            poisoned=('ok($x == 3);\n\nfail("{a}" . "{b}");\n}',),
            shifted=("is(double(2), 8,", "is double(2), shift_token($limit)"),
            not_poisoned=("plain",),
            assertions=3,
        ),
        CodeSample(
            "lib/Kata.pm",
            "package Kata;\nuse POSIX;\nsub double { my ($n) = @_; return $n * 2 }\n1;\n",
            functions=("double",),
            public=("double",),
            imports=("POSIX:",),
            raises=('{ die "{a}" . "{b}";',),
            nothing=('{ return if "true";',),
        ),
    ),
)
