"""Python test files, by their syntax tree."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Sequence

from tdd_orchestrator.runners.source_model import SourceTest, Unparsable

_MARKS = frozenset(
    {"skip", "skipif", "skipIf", "skipUnless", "xfail", "expectedFailure", "skipTest", "importorskip"}
)
_ASSERTING = (
    "assert",
    "expect",
    "verify",
    "check",
    "should",
    "ensure",
    "raises",
    "warns",
    "fail",
    "deprecated_call",
)
_Function = (ast.FunctionDef, ast.AsyncFunctionDef)


def parsed(source: str, path: str) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # invalid escapes in a test are its own affair
            return ast.parse(source.removeprefix("\ufeff"))
    except (SyntaxError, ValueError, RecursionError) as error:
        line = getattr(error, "lineno", None) or 0
        raise Unparsable(f"{path}:{line}: {getattr(error, 'msg', None) or error}") from error


Found = tuple[ast.FunctionDef | ast.AsyncFunctionDef, tuple[str, ...], tuple[str, ...]]
"""(node, title, marks of what encloses it)"""


def python_tests(source: str, path: str) -> tuple[SourceTest, ...]:
    tree = parsed(source, path)
    return tuple(_test(node, title, path, marks) for node, title, marks in test_nodes(tree))


def test_nodes(tree: ast.Module) -> Iterator[Found]:
    return _nodes(tree.body, (), _own_marks(tree.body))


def _nodes(body: Sequence[ast.stmt], title: tuple[str, ...], marks: tuple[str, ...]) -> Iterator[Found]:
    for node in body:
        if isinstance(node, _Function) and node.name.startswith("test"):
            yield node, (*title, node.name), marks
        elif isinstance(node, ast.ClassDef) and _holds_tests(node):
            inner = (*marks, *_decorated(node), *_own_marks(node.body))
            yield from _nodes(node.body, (*title, node.name), inner)


def _holds_tests(node: ast.ClassDef) -> bool:
    bases = [ast.unparse(base) for base in node.bases]
    return (
        node.name.startswith("Test")
        or node.name.endswith(("Test", "Tests", "TestCase"))
        or any("Test" in base for base in bases)
    )


def _test(
    node: ast.FunctionDef | ast.AsyncFunctionDef, title: tuple[str, ...], path: str, marks: tuple[str, ...]
) -> SourceTest:
    asserted = list(_assertions(node))
    own = (*marks, *_decorated(node), *_called_marks(node))
    return SourceTest(
        id="::".join((path, *title)),
        name=node.name,
        title=title,
        path=path,
        line=node.lineno,
        body=_normal(node),
        words=frozenset(_words(node)),
        assertions=len(asserted),
        marks=tuple(dict.fromkeys(own)),
        hollow=_hollow(node, asserted),
    )


def _decorated(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> list[str]:
    return [name for one in node.decorator_list for name in [_last(one)] if name in _MARKS]


def _last(node: ast.expr) -> str:
    """The last name of ``pytest.mark.skip(reason=...)``: skip."""
    if isinstance(node, ast.Call):
        node = node.func
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _own_marks(body: Sequence[ast.stmt]) -> tuple[str, ...]:
    """Marks of ``pytestmark = ...`` and ``__test__ = False`` in a module or class."""
    marks = []
    for node in body:
        targets = [ast.unparse(target) for target in node.targets] if isinstance(node, ast.Assign) else []
        if "pytestmark" in targets and isinstance(node, ast.Assign):
            marks += [
                _last(one)
                for one in ast.walk(node.value)
                if isinstance(one, ast.Attribute) and one.attr in _MARKS
            ]
        if "__test__" in targets:
            marks.append("__test__")
    return tuple(marks)


def _called_marks(node: ast.AST) -> list[str]:
    calls = [one for one in ast.walk(node) if isinstance(one, ast.Call)]
    return [_last(one) for one in calls if _last(one) in _MARKS]


def _assertions(node: ast.AST) -> Iterator[ast.AST]:
    for one in ast.walk(node):
        if isinstance(one, ast.Assert) or (
            isinstance(one, ast.Call) and _last(one).lstrip("_").lower().startswith(_ASSERTING)
        ):
            yield one


def _hollow(node: ast.FunctionDef | ast.AsyncFunctionDef, asserted: Sequence[ast.AST]) -> str:
    if not asserted:
        return "It asserts nothing."
    if all(_always(one) for one in asserted):
        return "What it asserts is always true."
    for one in ast.walk(node):
        if isinstance(one, ast.Try) and any(_swallows(handler) for handler in one.handlers):
            inside = [found for part in one.body for found in _assertions(part)]
            if len(inside) == len(asserted):
                return "Its assertions are swallowed by an except clause."
    return ""


def _swallows(handler: ast.ExceptHandler) -> bool:
    kinds = ast.unparse(handler.type) if handler.type else "BaseException"
    broad = any(name in kinds for name in ("BaseException", "Exception", "AssertionError"))
    return broad and not any(isinstance(one, ast.Raise) or _is_assertion(one) for one in ast.walk(handler))


def _is_assertion(node: ast.AST) -> bool:
    return isinstance(node, ast.Assert) or (
        isinstance(node, ast.Call) and _last(node).lower().startswith(_ASSERTING)
    )


def _always(node: ast.AST) -> bool:
    """Whether an assertion holds whatever the code does, as far as its form shows."""
    if isinstance(node, ast.Assert):
        return _true(node.test)
    if not isinstance(node, ast.Call):
        return False
    name, given = _last(node), node.args
    if name in ("assertTrue", "assert_", "failUnless"):
        return bool(given) and _true(given[0])
    if name in ("assertEqual", "assertEquals", "assertIs", "assertAlmostEqual") and len(given) > 1:
        return ast.dump(given[0]) == ast.dump(given[1])
    if name in ("assertFalse",):
        return bool(given) and isinstance(given[0], ast.Constant) and not given[0].value
    return (
        name == "assertIsNone"
        and bool(given)
        and isinstance(given[0], ast.Constant)
        and given[0].value is None
    )


def _true(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return bool(node.value)
    if isinstance(node, (ast.Tuple, ast.List)):
        return bool(node.elts)
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
        return any(_true(value) for value in node.values)
    if isinstance(node, ast.BoolOp):
        return all(_true(value) for value in node.values)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return isinstance(node.operand, ast.Constant) and not node.operand.value
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        same = ast.dump(node.left) == ast.dump(node.comparators[0])
        constant = all(isinstance(one, ast.Constant) for one in (node.left, node.comparators[0]))
        return (same and isinstance(node.ops[0], (ast.Eq, ast.Is, ast.LtE, ast.GtE))) or (
            constant and not same and isinstance(node.ops[0], (ast.NotEq, ast.IsNot))
        )
    return isinstance(node, ast.Call) and _last(node) == "isinstance" and _last(node.args[-1]) == "object"


class _Rename(ast.NodeTransformer):
    """Local names by order of appearance, so that a test copied with other names is the same test."""

    def __init__(self, local: Sequence[str]) -> None:
        self.names = {name: f"v{number}" for number, name in enumerate(local)}

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(self.names.get(node.id, node.id), node.ctx)


def _normal(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    local = [one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    copied = ast.parse("\n".join(ast.unparse(one) for one in body)).body if body else []
    renamed = [_Rename(list(dict.fromkeys(local))).visit(one) for one in copied]
    given = [ast.unparse(one) for one in node.decorator_list if _last(one) == "parametrize"]
    needs = [one.arg for one in node.args.args if one.arg not in ("self", "cls")]
    return "\n".join([*given, ",".join(needs), *(ast.dump(one) for one in renamed)])


def _words(node: ast.AST) -> Iterator[str]:
    for one in ast.walk(node):
        if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Store):
            yield one.id
        elif isinstance(one, ast.Attribute):
            yield one.attr
