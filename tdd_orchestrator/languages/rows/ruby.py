"""Ruby: minitest (methods, `test` and `it` blocks) and RSpec."""

from __future__ import annotations

from tdd_orchestrator.languages.base import CodeSample, Edit, Language, Node, Sample, Twins


def _close(body: Node, statement: str) -> list[Edit]:
    """The whole body stands in begin ... end: its own rescue and ensure stay its own."""
    start, end = body.start_byte, body.end_byte
    return [(start, start, "begin; "), (end, end, f"\nend; {statement}")]


def _open(body: Node, statement: str) -> list[Edit]:
    start, end = body.start_byte, body.end_byte
    outer = body.parent
    if outer is not None and any(child.type == "=" for child in outer.children):  # def name = body
        return [(start, start, f"begin; {statement} "), (end, end, "; end")]
    return [(start, start, f"{statement} ")]


def _plant(names: tuple[str, ...]) -> str:
    return "\n".join(
        f"class {name}\n  def initialize(*) = raise(NotImplementedError)\nend\n"
        if name[:1].isupper()
        else f"def {name}(*) = raise(NotImplementedError)\n"
        for name in names
    )


_EXPECT = (
    '(call receiver: (call method: (identifier) @e (#match? @e "^(expect|is_expected|assert_that)$")) '
    "method: (identifier)"
)

_SHAPES = f"""
(call method: (identifier) @f arguments: (argument_list . (_) @left . (_) @right)
  (#match? @f "^(assert_equal|assert_same|assert_in_delta|assert_match|assert_raises_with_message|assert_output)$"))
(call method: (identifier) @f arguments: (argument_list . (_) @expected . )
  (#match? @f "^(must_equal|assert_raises|assert_raise)$"))
(call method: (identifier) @f arguments: (argument_list . (_) @truth) (#match? @f "^(assert|refute)$"))
(call method: (identifier) @flip (#match? @flip "^(assert|refute)_(nil|empty|includes|instance_of|kind_of|operator|predicate|respond_to)$"))
(call method: (identifier) @flip (#match? @flip "^refute_(equal|same|match|in_delta)$"))
(call method: (identifier) @flip (#match? @flip "^(must|wont)_(be|be_nil|be_empty|include|match|respond_to|be_kind_of)$|^wont_equal$"))
{_EXPECT} @to arguments: (argument_list (call method: (identifier) @f arguments: (argument_list .
  (_) @expected)))
  (#eq? @to "to") (#match? @f "^(eq|eql|equal|match_array|contain_exactly|start_with|end_with|have_attributes)$"))
{_EXPECT} @to arguments: (argument_list (call method: (identifier) @f arguments: (argument_list
  (string) @expected)))
  (#eq? @to "to") (#match? @f "^raise_error$"))
{_EXPECT} @flip (#match? @flip "^(to|not_to|to_not)$"))
"""

_TWINS = Twins(
    fail='raise Exception, "{a}" + "{b}"',  # not a StandardError: a plain `rescue` lets it by
    stub_fail='raise NotImplementedError, "{a}" + "{b}";',
    shapes=_SHAPES,
    wrap="shift_{token}({e})",
    helper='''
BEGIN {{
def shift_{token}(v)
  case v
  when Numeric then v + 7
  when ->(o) {{ (o.is_a?(Array) || o.is_a?(String)) && o.size > 50 }} then v[0, 1]
  when String then v + "~"
  when Symbol then :"#{{v}}~"
  when Regexp then Regexp.new("(?!)")
  when Array then v + ["~"]
  when Hash then v.merge("~" => "~")
  when true, false then !v
  when Class then Class.new(v)
  else Object.new
  end
end
}}
''',
    opposites=(
        ("to", "not_to"),
        ("to", "to_not"),
        *((f"assert_{name}", f"refute_{name}") for name in (
            "nil", "empty", "includes", "instance_of", "kind_of", "operator", "predicate", "respond_to",
            "equal",
            "same", "match", "in_delta",
        )),
        *((f"must_{name}", f"wont_{name}") for name in (
            "be", "be_nil", "be_empty", "include", "match", "respond_to", "be_kind_of", "equal",
        )),
    ),
    literals=("integer", "float", "string", "true", "false"),
    calls=("call",),
    expected="left",
    returns=("return",),
    leave="({fail}; {ret})",
    scopes=("method", "lambda", "class", "singleton_method"),
    catches=("rescue", "begin"),
    branches=("if", "unless", "case", "rescue", "conditional"),
    helper_calls="(call !receiver method: (identifier) @name)",
    nothing=lambda function: "return nil;",
    close=_close,
    open=_open,
    comment="#",
    plant=_plant,
)  # fmt: skip

_BLOCK = "block: [(do_block body: (_) @body) (block body: (_) @body)]"

LANGUAGE = Language(
    name="Ruby",
    suffixes=(".rb",),
    grammar="tree_sitter_ruby",
    twins=_TWINS,
    tests=f"""
((method name: (identifier) @name body: (_) @body) @test (#match? @name "^test_"))
((call method: (identifier) @f arguments: (argument_list . (string) @name) {_BLOCK}) @test
  (#match? @f "^(it|specify|example|test|should|scenario|xit|fit|pending|skip)$"))
""",
    functions="""
(method name: (_) @name body: (_) @body) @function
(singleton_method name: (_) @name body: (_) @body) @function
""",
    groups=f"""
(class name: (_) @name body: (_) @body) @group
(module name: (_) @name body: (_) @body) @group
(call method: (identifier) @f arguments: (argument_list . [(string) (constant)
  (scope_resolution)] @name) {_BLOCK}
  (#match? @f "^[xf]?(describe|context|feature)$")) @group
""",
    tables="""
(call receiver: (array) @rows method: (identifier) @f block: (_) @body (#eq? @f "each"))
(call receiver: (identifier) @used method: (identifier) @f block: (_) @body (#eq? @f "each"))
(assignment left: (identifier) @name right: (array) @rows)
""",
    assertions="""
(call method: (identifier) @f (#match? @f "^(assert|refute|flunk|expect$|is_expected$|must_|wont_)")) @assertion
((identifier) @assertion (#match? @assertion "^(is_expected|flunk)$"))
""",
    marks="""
(call method: (identifier) @mark (#match? @mark "^(skip|pending|xit|fit|xdescribe|fdescribe|xcontext|fcontext|omit)$"))
(call method: (identifier) @f arguments: (argument_list (simple_symbol) @mark)
  (#match? @f "^(it|describe|context|specify|example)$")
  (#match? @mark "^:(skip|pending|focus)$"))
(call method: (identifier) @f arguments: (argument_list (pair key: (_) @mark))
  (#match? @f "^(it|describe|context|specify|example)$")
  (#match? @mark "^(skip|pending|focus)$"))
""",
    strings=("string_content", "escape_sequence", "heredoc_content"),
    newlines=True,
    locals="""
(assignment left: (identifier) @local)
(left_assignment_list (identifier) @local)
(hash_key_symbol) @fixed
""",
    public="""
(program (method name: (_) @public))
(program (class name: (_) @public))
(program (module name: (_) @public))
(program (assignment left: (constant) @public))
""",
    imports="""
(call !receiver method: (identifier) @f arguments: (argument_list . (string) @module)
  (#match? @f "^(require|require_relative|load)$")) @import
""",
    samples=(
        Sample(
            "test/kata_test.rb",
            """\
require 'kata'
class KataTest < Minitest::Test
  def test_doubles
    assert_equal 4, double(2)
    return if done
  rescue ArgumentError
    flunk
  end
  test "more" do
    refute_nil double(limit)
  end
  def test_raises
    skip 'later'
    assert_raises(TypeError) { double(nil) }
  end
end
""",
            titles=("KataTest > test_doubles", "KataTest > more", "KataTest > test_raises"),
            poisoned=(
                'flunk\nend; raise Exception, "{a}" + "{b}"',
                '(raise Exception, "{a}" + "{b}"; return) if done',
            ),
            shifted=("assert_equal 8,", "assert_nil double(limit)", "assert_raises(shift_token(TypeError))"),
            marks=("skip",),
        ),
        Sample(
            "spec/kata_spec.rb",
            """\
RSpec.describe Kata do
  context 'when small' do
    it('doubles') { expect(double(2)).to eq limit }
    it 'is no five', :focus do
      expect(double(2)).not_to eq(5)
      expect { double }.to raise_error('bad')
    end
  end
end
""",
            titles=("Kata > when small > doubles", "Kata > when small > is no five"),
            poisoned=('eq limit\nend; raise Exception, "{a}" + "{b}" }',),
            shifted=("to eq shift_token(limit)", "raise_error('bad~')"),
            marks=("only",),
            assertions=3,
        ),
        CodeSample(
            "lib/kata.rb",
            (
                "require_relative 'a'\nmodule Kata\n  def self.double(n) = n * 2\n\n  def more(n)\n"
                "    n\n  end\nend\nLIMIT = 3\n"
            ),
            functions=("Kata.double", "Kata.more"),
            public=("Kata", "LIMIT"),
            imports=("a:",),
            raises=('= begin; raise NotImplementedError, "{a}" + "{b}"; n * 2; end', '"{b}"; n\n  end'),
            nothing=("return nil; n\n",),
        ),
    ),
)
