"""Elixir: ExUnit."""

from __future__ import annotations

import re

from tdd_orchestrator.languages.base import CodeSample, Edit, Language, Node, Sample, Twins


def _close(body: Node, statement: str) -> list[Edit]:
    at = body.end_byte - len("end")
    return [(at, at, f"\n{statement}\n")]


def _open(body: Node, statement: str) -> list[Edit]:
    if body.type == "do_block":
        at = body.start_byte + len("do")
        return [(at, at, f"\n{statement}\n")]
    start, end = body.start_byte, body.end_byte
    return [(start, start, f"({statement}; "), (end, end, ")")]


def _case(name: str) -> str:
    return rf"(?:(?:test|property|doctest) )?(?:.* )?{re.escape(name)}"


_NAMES = """[(call target: (identifier) @name) (identifier) @name (binary_operator left: (call target: (identifier) @name))]"""

LANGUAGE = Language(
    name="Elixir",
    suffixes=(".exs", ".ex"),
    grammar="tree_sitter_elixir",
    tests="""
((call target: (identifier) @f (arguments . (string) @name) (do_block) @body) @test
  (#match? @f "^(test|property)$"))
""",
    functions=f"""
((call target: (identifier) @f (arguments . {_NAMES}) (do_block) @body) @function (#match? @f "^defp?$"))
((call target: (identifier) @f (arguments . {_NAMES} (keywords (pair key: (keyword) value:
  (_) @body)))) @function (#match? @f "^defp?$"))
""",
    groups="""
((call target: (identifier) @f (arguments . (alias) @name) (do_block) @body) @group (#eq? @f "defmodule"))
((call target: (identifier) @f (arguments . (string) @name) (do_block) @body) @group (#eq? @f "describe"))
""",
    prefixes=("unary_operator",),
    assertions='(call target: (identifier) @f (#match? @f "^(assert|refute|flunk|check$)")) @assertion',
    marks="""
(unary_operator operand: (call target: (identifier) @t (arguments) @mark)
  (#match? @t "^(tag|moduletag|describetag)$") (#match? @mark "skip|pending|only|focus"))
""",
    strings=("quoted_content", "escape_sequence"),
    newlines=True,
    locals="""
(binary_operator left: (identifier) @local operator: "=")
(pair key: (keyword) @fixed)
""",
    public="""
((call target: (identifier) @f (arguments . (alias) @public)) (#eq? @f "defmodule"))
""",
    imports="""
((call target: (identifier) @f (arguments . (alias) @module)) @import
  (#match? @f "^(alias|import|require|use)$"))
""",
    case=_case,
    twins=Twins(
        fail='raise "{a}" <> "{b}"',
        shapes="""
((call target: (identifier) @f (arguments . (binary_operator left: (_) @left operator: ["==" "==="] right:
  (_) @right))) (#eq? @f "assert"))
((call target: (identifier) @f (arguments . (binary_operator left: (_) @p operator: "=" right:
  (_) @expected))) (#eq? @f "assert")
  (#not-match? @p "^[a-z_]\\\\w*$"))
((call target: (identifier) @f (arguments . (_) @truth)) (#match? @f "^(assert|refute)$"))
((call target: (identifier) @f (arguments . (alias) @kind . (string) @expected)) (#eq? @f "assert_raise"))
""",
        wrap="Shift{token}.of({e})",
        negate="(!({e}))",
        helper="""
defmodule Shift{token} do
  def of(v) when is_boolean(v), do: not v
  def of(v) when is_number(v), do: v + 7
  def of(v) when is_binary(v), do: v <> "~"
  def of(v) when is_list(v), do: v ++ ["~"]
  def of(%_{{}}), do: make_ref()
  def of(v) when is_map(v), do: Map.put(v, "~", "~")
  def of(_), do: make_ref()
end
""",
        literals=("integer", "float", "string", "boolean"),
        calls=("call",),
        branches=("stab_clause",),
        helper_calls="(call target: (identifier) @name)",
        nothing=lambda function: "nil",
        close=_close,
        open=_open,
        comment="#",
    ),
    samples=(
        Sample(
            "test/kata_test.exs",
            """\
defmodule KataTest do
  use ExUnit.Case
  describe "d" do
    @tag :skip
    test "doubles", %{x: x} do
      assert Kata.double(2) == 4
      assert {:ok, y} = f(x)
    end
  end
  test "raises" do
    assert_raise ArithmeticError, fn -> Kata.double(:a) end
    refute Kata.odd?(2)
  end
end
""",
            titles=("KataTest > d > doubles", "KataTest > raises"),
            poisoned=('\nraise "{a}" <> "{b}"\nend',),
            shifted=("== 8", "{:ok, y} = Shifttoken.of(f(x))", "refute (!(Kata.odd?(2)))"),
            marks=("skip",),
            assertions=4,
        ),
        CodeSample(
            "lib/kata.ex",
            (
                "defmodule Kata do\n  alias A.B\n  def double(n), do: n * 2\n"
                "  defp more(n) when n > 1 do\n    n\n  end\nend\n"
            ),
            functions=("Kata.double", "Kata.more"),
            public=("Kata",),
            imports=("A.B:",),
            raises=('do: (raise "{a}" <> "{b}"; n * 2)', 'do\nraise "{a}" <> "{b}"\n'),
            nothing=("do: (nil; n * 2)",),
        ),
    ),
)
