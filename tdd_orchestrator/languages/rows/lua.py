"""Lua: busted, LuaUnit."""

from __future__ import annotations

from tdd_orchestrator.languages.base import CodeSample, Edit, Language, Node, Sample, Twins, opposites


def _close(body: Node, statement: str) -> list[Edit]:
    last = next((node for node in reversed(body.named_children) if node.type != "comment"), None)
    if last is not None and last.type == "return_statement":
        return []  # nothing may stand behind a return; the statement stands before it
    return [(body.end_byte, body.end_byte, f"\n{statement}")]


def _plant(names: tuple[str, ...]) -> str:
    lines = [f"function M.{name}(...) error('not implemented') end" for name in names]
    return "\n".join(["local M = {}", *lines, "return M", ""])


_ASSERT = "^assert(\\\\.(are|is|has|are_equal))?$"
_CALLBACK = "(function_definition body: (block) @body)"

LANGUAGE = Language(
    name="Lua",
    suffixes=(".lua",),
    grammar="tree_sitter_lua",
    tests=f"""
((function_call name: (identifier) @f arguments: (arguments . (string) @name {_CALLBACK})) @test
  (#match? @f "^(it|test|spec|pending)$"))
((function_declaration name: [(dot_index_expression field: (identifier) @name)
  (method_index_expression method: (identifier) @name)] body: (block) @body) @test
  (#match? @name "^[Tt]est"))
((function_declaration name: (identifier) @name body: (block) @body) @test (#match? @name "^[Tt]est"))
""",
    functions="""
(function_declaration name: (identifier) @name body: (block) @body) @function
(function_declaration name: (dot_index_expression field: (identifier) @name) body: (block) @body) @function
(function_declaration name: (method_index_expression method: (identifier) @name) body:
  (block) @body) @function
(assignment_statement (variable_list name: (_) @name) (expression_list value: (function_definition body:
  (block) @body))) @function
""",
    groups=f"""
((function_call name: (identifier) @f arguments: (arguments . (string) @name {_CALLBACK})) @group
  (#match? @f "^(describe|context|insulate|expose)$"))
""",
    assertions="""
(function_call name: (_) @f (#match? @f "^(assert|luaunit\\\\.assert|lu\\\\.assert|expect|error$)")) @assertion
""",
    marks='(function_call name: (identifier) @mark (#match? @mark "^(pending|skip)$"))',
    strings=("string_content",),
    newlines=True,
    quotes_equal=True,
    locals="""
(variable_declaration (assignment_statement (variable_list name: (identifier) @local)))
(field name: (identifier) @fixed)
""",
    public="""
(chunk (function_declaration name: (identifier) @public))
(chunk (function_declaration name: (dot_index_expression field: (identifier) @public)))
(chunk (function_declaration name: (method_index_expression method: (identifier) @public)))
""",
    imports=(
        "((function_call name: (identifier) @f arguments: (arguments (string) @module)) @import (#eq? "
        '@f "require"))'
    ),
    twins=Twins(
        fail='error("{a}" .. "{b}", 0)',
        stub_fail='do error("{a}" .. "{b}") end;',
        shapes=f"""
((function_call name: (dot_index_expression table: (_) @o field: (identifier) @f) arguments: (arguments .
  (_) @left . (_) @right))
  (#match? @o "{_ASSERT}") (#match? @f "^(equal|equals|same|are_equal|are_same|near)$"))
((function_call name: (dot_index_expression table: (_) @o field: (identifier) @f) arguments: (arguments .
  (_) @left . (_) @right))
  (#match? @o "^(lu|luaunit)$") (#match? @f "^assert_?([eE]quals|Is|is|ItemsEquals|AlmostEquals)$"))
((function_call name: (dot_index_expression table: (_) @o field: (identifier) @flip)) (#match? @o "^assert$")
  (#match? @flip "^(is_true|is_false|is_nil|is_not_nil|has_error|has_no\\\\.errors|are_not_equal|are_equal|truthy|falsy)$"))
((function_call name: (dot_index_expression table: (_) @o field: (identifier) @f) arguments: (arguments .
  (_) @truth))
  (#match? @o "^assert(\\\\.is)?$") (#match? @f "^(truthy|falsy|True|False|is_truthy)$"))
((function_call name: (identifier) @f arguments: (arguments . (_) @truth)) (#eq? @f "assert"))
""",
        opposites=opposites(
            "is_true:is_false  is_nil:is_not_nil  has_error:has_no_error  are_not_equal:are_equal  "
            "truthy:falsy"
        ),
        wrap="shift_{token}({e})",
        negate="not ({e})",
        helper="""
function shift_{token}(v)
  if type(v) == "boolean" then return not v end
  if type(v) == "number" then return v + 7 end
  if type(v) == "string" then return v .. "~" end
  if type(v) == "table" then
    local t = {{}}
    for k, e in pairs(v) do t[k] = e end
    t["~"] = "~"
    return t
  end
  return {{}}
end
""",
        literals=("number", "string", "true", "false"),
        calls=("function_call",),
        expected="left",
        returns=("return_statement",),
        leave="do {fail} end {ret}",
        scopes=("function_definition", "function_declaration"),
        branches=("if_statement",),
        helper_calls="(function_call name: (identifier) @name)",
        nothing=lambda function: "do return end;",
        close=_close,
        open=lambda body, statement: [(body.start_byte, body.start_byte, f"{statement} ")],
        comment="--",
        plant=_plant,
    ),
    samples=(
        Sample(
            "spec/kata_spec.lua",
            """\
local kata = require("kata")
describe("calc", function()
  it("adds", function()
    assert.are.equal(4, kata.f(2))
    if x then return end
  end)
  pending("holds", function()
    assert.is_true(kata.f(2))
    return
  end)
end)
""",
            titles=("calc > adds", "calc > holds"),
            poisoned=('do error("{a}" .. "{b}", 0) end return', 'end\nerror("{a}" .. "{b}", 0)'),
            shifted=("assert.are.equal(8,", "assert.is_false("),
            marks=("skip",),
            assertions=2,
        ),
        CodeSample(
            "kata.lua",
            (
                "local a = require('a')\nlocal function one(n) return n end\n"
                "function M.two(n) return n end\nM.three = function(n) return n end\n"
            ),
            functions=("one", "two", "M.three"),
            public=("one", "two"),
            imports=("a:",),
            raises=('one(n) do error("{a}" .. "{b}") end; return n',),
            nothing=("one(n) do return end; return n",),
        ),
    ),
)
