"""Python: pytest and unittest."""

from __future__ import annotations

from tdd_orchestrator.languages.base import CodeSample, Edit, Language, Node, Sample, Twins, opposites


def _indent(body: Node) -> str:
    return " " * body.named_children[0].start_point[1]


def _close(body: Node, statement: str) -> list[Edit]:
    outer = body.parent
    one_line = outer is not None and body.start_point[0] == outer.start_point[0]
    one_line = one_line and body.start_point[0] == body.end_point[0]
    text = f"; {statement}" if one_line else f"\n{_indent(body)}{statement}"
    return [(body.end_byte, body.end_byte, text)]


def _open(body: Node, statement: str) -> list[Edit]:
    outer = body.parent
    colon = (
        next((child for child in outer.children if child.type == ":"), None) if outer is not None else None
    )
    one_line = colon is not None and body.start_point[0] == colon.start_point[0]
    text = f"{statement}; " if one_line else f"{statement}\n{_indent(body)}"
    return [(body.start_byte, body.start_byte, text)]


def _plant(names: tuple[str, ...]) -> str:
    return "\n".join(
        f"class {name}:\n    def __init__(self, *args, **kwargs):\n        raise NotImplementedError\n\n"
        if name[:1].isupper()
        else f"def {name}(*args, **kwargs):\n    raise NotImplementedError\n\n"
        for name in names
    )


FAIL = 'raise type("Poison", (BaseException,), {{}})("{a}" + "{b}")'  # `except Exception` lets it by

_SHAPES = """
(assert_statement . (comparison_operator . (_) @left "==" (_) @right .))
(assert_statement . (_) @truth)
(call function: (attribute attribute: (identifier) @f) arguments: (argument_list . (_) @left . (_) @right)
  (#match? @f "^assert(Equal|Equals|ListEqual|DictEqual|TupleEqual|SetEqual|AlmostEqual|CountEqual|SequenceEqual|MultiLineEqual)$"))
(call function: (attribute attribute: (identifier) @f) arguments: (argument_list . (_) @truth)
  (#match? @f "^assert(True|False|_)$"))
(call function: (attribute attribute: (identifier) @flip) arguments: (argument_list . (_) . (_))
  (#match? @flip "^assert(Not)?(In|Is|IsInstance|Equal|AlmostEqual|Regex)$")
    (#not-match? @flip "^assert(Equal|AlmostEqual)$"))
(call function: (attribute attribute: (identifier) @flip)
  (#match? @flip "^assert(Greater|Less|IsNone|IsNotNone|IsNot|NotIn|NotRegex)"))
(call function: (attribute attribute: (identifier) @f) arguments: (argument_list . (_) @expected)
  (#match? @f "^assert(Raises|RaisesRegex|Warns|WarnsRegex)$"))
(call function: (attribute attribute: (identifier) @f) arguments: (argument_list . (_) . (string) @expected)
  (#match? @f "^assert(RaisesRegex|WarnsRegex)$"))
(call function: (_) @f arguments: (argument_list . [(identifier) (attribute) (tuple)] @expected)
  (#match? @f "^(pytest\\\\.)?(raises|warns)$"))
(call function: (_) @f arguments: (argument_list (keyword_argument name: (identifier) @k value:
  (_) @expected))
  (#match? @f "^(pytest\\\\.)?(raises|warns)$") (#eq? @k "match"))
(call function: (attribute attribute: (identifier) @f) arguments: (argument_list . (_) @expected)
  (#match? @f "^assert_(called_with|called_once_with|any_call|awaited_with|awaited_once_with)$"))
"""

TWINS = Twins(
    fail=FAIL,
    stub_fail='raise NotImplementedError("{a}" + "{b}")',
    shapes=_SHAPES,
    wrap="shift_{token}({e})",
    negate="(not ({e}))",
    helper="""

def shift_{token}(v):
    try:
        if isinstance(v, bool): return not v
        if isinstance(v, (int, float, complex)) and type(v) in (int, float, complex): return v + 7
        if isinstance(v, (str, bytes, list, tuple, dict)) and len(v) > 50: return type(v)()  # a long diff takes minutes
        if isinstance(v, str): return v + "~"
        if isinstance(v, bytes): return v + b"~"
        if isinstance(v, list): return v + ["~"]
        if isinstance(v, tuple) and v and all(isinstance(e, type) for e in v): return tuple(map(shift_{token}, v))
        if isinstance(v, tuple): return tuple(v) + ("~",)
        if isinstance(v, dict): return {{**v, "~": "~"}}
        if isinstance(v, (set, frozenset)): return v | {{"~"}}
        if isinstance(v, type): return type("Shift", (v,), {{}})
    except Exception:
        pass
    return object()
""",
    opposites=opposites(
        "assertIn:assertNotIn  assertIs:assertIsNot  assertIsNone:assertIsNotNone  "
        "assertIsInstance:assertNotIsInstance  assertNotEqual:assertEqual  "
        "assertNotAlmostEqual:assertAlmostEqual  assertRegex:assertNotRegex  "
        "assertGreater:assertLessEqual  assertGreaterEqual:assertLess"
    ),
    literals=("integer", "float", "string", "true", "false"),
    calls=("call", "await"),
    returns=("return_statement",),
    leave="{fail}; {ret}",
    scopes=("function_definition", "lambda", "class_definition"),
    catches=("try_statement",),
    branches=("if_statement", "try_statement", "match_statement", "except_clause", "conditional_expression"),
    helper_calls="""
(call function: (identifier) @name)
(call function: (attribute object: (identifier) @o attribute: (identifier) @name) (#match? @o "^(self|cls)$"))
""",
    nothing=lambda function: "return None",
    close=_close,
    open=_open,
    comment="#",
    plant=_plant,
)

LANGUAGE = Language(
    name="Python",
    suffixes=(".py", ".pyi"),
    grammar="tree_sitter_python",
    twins=TWINS,
    tests=(
        '((function_definition name: (identifier) @name body: (block) @body) @test (#match? @name "^test"))'
    ),
    functions="(function_definition name: (identifier) @name body: (block) @body) @function",
    groups="(class_definition name: (identifier) @name body: (block) @body) @group",
    enclosing="""
(function_definition) @scope
((decorated_definition (decorator) @d definition: (function_definition) @fixture) (#match? @d "fixture"))
""",
    wrappers=("decorated_definition",),
    tables="""
(decorator (call function: (attribute attribute: (identifier) @f) arguments: (argument_list . (_) . [(list)
  (tuple)] @rows))
  (#eq? @f "parametrize"))
(decorator (call function: (attribute attribute: (identifier) @f) arguments: (argument_list . (_) .
  (identifier) @used))
  (#eq? @f "parametrize"))
(for_statement right: [(list) (tuple)] @rows body: (block) @body)
(for_statement right: (identifier) @used body: (block) @body)
(assignment left: (identifier) @name right: [(list) (tuple)] @rows)
""",
    assertions="""
(assert_statement) @assertion
(call function: (attribute attribute: (identifier) @f) (#match? @f "^assert|^fail$")) @assertion
(call function: (_) @f (#match? @f "^(pytest\\\\.)?(raises|warns|fail)$")) @assertion
""",
    messages="(assert_statement . (_) . (string) @message)",
    marks="""
(decorator (_) @mark (#match? @mark "skip|xfail|expectedFailure|only"))
(call function: (_) @mark (#match? @mark "^(pytest\\\\.|self\\\\.|unittest\\\\.)?(skip|skipTest|xfail|importorskip)$"))
(raise_statement (_) @mark (#match? @mark "SkipTest"))
""",
    strings=("string_content",),
    indentation=True,
    quotes_equal=True,
    locals="""
(assignment left: (identifier) @local)
(assignment left: (pattern_list (identifier) @local))
(assignment left: (tuple_pattern (identifier) @local))
(for_statement left: (identifier) @local)
(for_statement left: (pattern_list (identifier) @local))
(as_pattern_target (identifier) @local)
(for_in_clause left: (identifier) @local)
(for_in_clause left: (pattern_list (identifier) @local))
(named_expression name: (identifier) @local)
(keyword_argument name: (identifier) @fixed)
(parameters (identifier) @fixed)
(global_statement (identifier) @fixed)
(nonlocal_statement (identifier) @fixed)
""",
    parts="""
((decorated_definition (decorator) @d) @part (#match? @d "fixture"))
((class_definition superclasses: (argument_list) @s) @part (#match? @s "TestCase"))
(module (import_statement . name: (dotted_name) @m .) @part (#match? @m "^(pytest|unittest)($|[.])"))
(module (import_from_statement module_name: (dotted_name) @m) @part (#match? @m "^(pytest|unittest)($|[.])"))
""",
    in_file="named",
    values="(module (expression_statement (assignment left: (identifier) @name)) @value)",
    inert="""
(typed_parameter ":" @inert type: (_) @inert)
(typed_default_parameter ":" @inert type: (_) @inert)
(function_definition "->" @inert return_type: (_) @inert)
(function_definition body: (block (expression_statement (assignment ":" @inert type: (_) @inert))))
((import_from_statement module_name: (dotted_name) @m) @inert
  (#match? @m "^(typing|typing_extensions|collections.abc)$"))
(future_import_statement) @inert
((if_statement condition: (_) @c consequence: (_) @inert) (#match? @c "^(typing.)?TYPE_CHECKING$"))
((module (expression_statement (assignment left: (identifier) @n right: (string))) @release)
  (#match? @n "^_*(version|VERSION)_*$"))
""",
    public="""
(module (function_definition name: (identifier) @public (#not-match? @public "^_")))
(module (class_definition name: (identifier) @public (#not-match? @public "^_")))
(module (decorated_definition definition: (_ name: (identifier) @public (#not-match? @public "^_"))))
(module (expression_statement (assignment left: (identifier) @public (#not-match? @public "^_"))))
""",
    imports="""
(import_statement name: [(dotted_name) @module (aliased_import name: (_) @module)]) @import
(import_from_statement module_name: (_) @module name: [(dotted_name) @name (aliased_import name:
  (_) @name)]) @import
(import_from_statement module_name: (_) @module (wildcard_import) @name) @import
""",
    samples=(
        Sample(
            "tests/test_kata.py",
            """\
import pytest
from kata import double

def helper():
    def test_inner(): pass

@pytest.mark.parametrize("a, b", [(1, 2), (2, 4)])
def test_doubles(a, b):
    assert double(a) == b

class TestMore(unittest.TestCase):
    @unittest.skip("later")
    async def test_in(self):
        self.assertIn(1, double([1]))  # why
        return

    def test_raises(self):
        with pytest.raises(ValueError, match="no"):
            double(None)

@pytest.fixture
def test_data(): return 1

def test_short(): assert double(2) < 5
""",
            titles=("test_doubles", "TestMore > test_in", "TestMore > test_raises", "test_short"),
            poisoned=(
                '== b\n    raise type("Poison", (BaseException,), {})("{a}" + "{b}")\n',
                'raise type("Poison", (BaseException,), {})("{a}" + "{b}"); return',
                'double(None)\n        raise type("Poison"',
            ),
            shifted=(
                "double(a) == shift_token(b)",
                "assertNotIn(1",
                "raises(shift_token(ValueError), match=",
                "assert (not (double(2) < 5))",
            ),
            marks=("skip",),
            assertions=4,
        ),
        CodeSample(
            "src/kata.py",
            """\
from os import path as p, sep
import json, re as regex

LIMIT = 3

def double(n: int) -> int:
    '''Docs.'''
    return n * 2

class _Hidden:
    @property
    def value(self): return 1
""",
            functions=("double", "_Hidden.value"),
            public=("LIMIT", "double"),
            imports=("os: path sep", "json:", "re:"),
            raises=(
                'raise NotImplementedError("{a}" + "{b}")\n    \'\'\'Docs',
                'value(self): raise NotImplementedError("{a}" + "{b}"); return',
            ),
            nothing=("return None\n    '''Docs",),
        ),
    ),
)
