"""Assertions of a Python test that hold whatever the code under test does, as far as the test's form shows (T12)."""

from __future__ import annotations

import ast
import builtins
import itertools
from collections.abc import Iterator

from tdd_orchestrator.runners.hollow_names import BROAD, Locals, last_name, statements_of

_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn,
    ast.NotIn: ast.In, ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt,
}  # fmt: skip
_OF_SAME = (ast.Eq, ast.Is, ast.LtE, ast.GtE)
_OF_OTHER = (ast.NotEq, ast.IsNot)
_TRUE = ("assertTrue", "assert_", "failUnless")
_EQUAL = ("assertEqual", "assertEquals", "assertIs", "assertAlmostEqual")
_RAISES = ("raises", "assertRaises", "assertRaisesRegex")
_Exits = (ast.Return, ast.Continue, ast.Break)


def tautologies(test: ast.FunctionDef | ast.AsyncFunctionDef, names: Locals) -> set[int]:
    """Ids of the nodes that always hold, or whose failure the test itself takes for what it wanted."""
    found: set[int] = set()
    for node in names.nodes:
        if _always(node, names):
            found.add(id(node))
        elif isinstance(node, (ast.With, ast.AsyncWith)) and _raised_by_itself(node):
            found |= {id(one) for one in ast.walk(node)}
    return found | {id(one) for one in (*_asked_before(names), *_of_what_it_put_there(test, names))}


def _always(node: ast.AST, names: Locals) -> bool:
    if isinstance(node, ast.Assert):
        return _true(node.test, names) or _noted(node.test, names)
    return isinstance(node, ast.Call) and _always_passes(node, names)


def _always_passes(call: ast.Call, names: Locals) -> bool:
    name, given = last_name(call), call.args
    if name in _TRUE:
        return bool(given) and _true(given[0], names)
    if name in _EQUAL and len(given) > 1:
        op = ast.Is() if name == "assertIs" else ast.Eq()
        return _true(ast.copy_location(ast.Compare(given[0], [op], [given[1]]), call), names)
    if name == "assertFalse":
        return bool(given) and _false(given[0], names)
    return name == "assertIsNone" and bool(given) and _is(names.seen(given[0]), None)


def _true(node: ast.expr, names: Locals) -> bool:
    """Whether a value is true whatever its names stand for."""
    node = names.seen(node)
    match node:
        case ast.Constant():
            return bool(node.value)
        case ast.Tuple() | ast.List() | ast.Set():
            return any(not isinstance(one, ast.Starred) for one in node.elts)
        case ast.Dict():
            return any(key is not None for key in node.keys)
        case ast.Lambda() | ast.GeneratorExp():
            return True
        case ast.JoinedStr():
            return any(
                _is_bool(part.value) if isinstance(part, ast.FormattedValue) else _true(part, names)
                for part in node.values
            )
        case ast.BoolOp(op=ast.Or()):
            either = any(_opposite(one, other) for one in node.values for other in node.values)
            return either or any(_true(value, names) for value in node.values)
        case ast.BoolOp():
            return all(_true(value, names) for value in node.values)
        case ast.UnaryOp(op=ast.Not()):
            return _false(node.operand, names)
        case ast.IfExp():
            asked = _same(node.body, node.test) or _true(node.body, names)
            return asked and (_true(node.orelse, names) or _opposite(node.orelse, node.test))
        case ast.Compare(ops=[op], comparators=[right]):
            return _holds(op, node.left, right, names)
        case ast.Call(func=ast.Name("str" | "repr"), args=[given], keywords=[]):
            return _is_bool(given)
        case ast.Call(args=[*_, kind]):
            return last_name(node) == "isinstance" and last_name(kind) == "object"
    return False


def _false(node: ast.expr, names: Locals) -> bool:
    node = names.seen(node)
    match node:
        case ast.Constant():
            return not node.value
        case ast.Tuple() | ast.List():
            return not node.elts
        case ast.Dict():
            return not node.keys
        case ast.UnaryOp(op=ast.Not()):
            return _true(node.operand, names)
        case ast.BoolOp(op=ast.And()):
            neither = any(_opposite(one, other) for one in node.values for other in node.values)
            return neither or any(_false(value, names) for value in node.values)
        case ast.Compare(ops=[op], comparators=[right]):
            return isinstance(op, _OF_OTHER) and _same(node.left, right)
    return False


def _holds(op: ast.cmpop, left: ast.expr, right: ast.expr, names: Locals) -> bool:
    same = _same(left, right)
    identity = isinstance(op, ast.Is) or last_name(left) == "id"
    if same and identity and _made_anew(left):
        return False
    if isinstance(op, ast.Eq) and any(names.origin(one).endswith("mock.ANY") for one in (left, right)):
        return True
    if isinstance(op, ast.In) and isinstance(right, (ast.List, ast.Tuple, ast.Set)):
        return any(_same(left, one) for one in right.elts)
    constant = isinstance(left, ast.Constant) and isinstance(right, ast.Constant)
    return (same and isinstance(op, _OF_SAME)) or (constant and not same and isinstance(op, _OF_OTHER))


def _made_anew(node: ast.expr) -> bool:
    """What may be another object each time that it is asked for: that it is not is worth a test."""
    return any(isinstance(one, (ast.Call, ast.Attribute, ast.Subscript)) for one in ast.walk(node))


def _same(one: ast.expr, other: ast.expr) -> bool:
    return ast.dump(one) == ast.dump(other)


def _is(node: ast.expr, value: object) -> bool:
    return isinstance(node, ast.Constant) and node.value is value


def _is_bool(node: ast.expr) -> bool:
    """A comparison's text is never empty."""
    return isinstance(node, ast.Compare) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not))


def _opposite(one: ast.expr, other: ast.expr) -> bool:
    match one, other:
        case ast.UnaryOp(op=ast.Not()), _ if _same(one.operand, other):
            return True
        case _, ast.UnaryOp(op=ast.Not()) if _same(other.operand, one):
            return True
        case ast.Compare(ops=[op]), ast.Compare(ops=[turned]):
            sides = _same(one.left, other.left) and _same(one.comparators[0], other.comparators[0])
            return sides and type(turned) is _OPPOSITE.get(type(op))
    return False


def _asked_before(names: Locals) -> Iterator[ast.AST]:
    """``if P: assert P``, and ``if not P: return`` with ``assert P`` after it."""
    for node in names.nodes:
        if isinstance(node, (ast.If, ast.While)) and isinstance(first := node.body[0], ast.Assert):
            asked = {ast.dump(names.seen(one)) for one in _parts(node.test)}
            if asked >= {ast.dump(names.seen(one)) for one in _parts(first.test)}:
                yield first
        for block in statements_of(node):
            for one, after in itertools.pairwise(block):
                if (
                    isinstance(one, ast.If)
                    and not one.orelse
                    and isinstance(one.body[-1], _Exits)
                    and isinstance(after, ast.Assert)
                    and _opposite(names.seen(one.test), names.seen(after.test))
                ):
                    yield after


def _parts(node: ast.expr) -> list[ast.expr]:
    return node.values if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And) else [node]


def _noted(node: ast.expr, names: Locals) -> bool:
    """A list of the test's own that was given something and used for nothing else."""
    return isinstance(node, ast.Name) and names.only_noted(node.id)


def _raised_by_itself(node: ast.With | ast.AsyncWith) -> bool:
    """``with raises(TypeError): ...; raise TypeError``: an error of Python's own, not within anything of the project's."""
    call = node.items[0].context_expr
    if (
        len(node.items) > 1
        or not isinstance(call, ast.Call)
        or last_name(call) not in _RAISES
        or not call.args
    ):
        return False
    kinds = {
        last_name(one)
        for one in (call.args[0].elts if isinstance(call.args[0], ast.Tuple) else call.args[:1])
    }
    raised = (last_name(one.exc) for one in node.body if isinstance(one, ast.Raise) and one.exc is not None)
    return any(hasattr(builtins, name) and (name in kinds or kinds & {*BROAD[:2]}) for name in raised)


def _of_what_it_put_there(test: ast.FunctionDef | ast.AsyncFunctionDef, names: Locals) -> Iterator[ast.AST]:
    """Assertions that call nothing but what the test itself has put in the place of the code."""
    for part, target, line in _patches(test, names):
        for node in ast.walk(part):
            if isinstance(node, ast.Assert) and node.lineno >= line:
                called = [ast.unparse(one.func) for one in ast.walk(node.test) if isinstance(one, ast.Call)]
                if called and all(name == target for name in called):
                    yield node


def _patches(
    test: ast.FunctionDef | ast.AsyncFunctionDef, names: Locals
) -> Iterator[tuple[ast.AST, str, int]]:
    """(part of the test, what was replaced in it, from which line on)."""
    for one in test.decorator_list:
        if target := _patched(one):
            yield test, target, test.lineno
    for node in names.nodes:
        if isinstance(node, (ast.With, ast.AsyncWith)):
            for item in node.items:
                if target := _patched(item.context_expr):
                    yield node, target, node.lineno
        elif isinstance(node, ast.Expr) and (target := _patched(node.value)):
            yield test, target, node.lineno


def _patched(node: ast.expr) -> str:
    """``shop.price`` of ``patch("shop.price", return_value=4)``, ``patch.object`` and ``monkeypatch.setattr``."""
    if not isinstance(node, ast.Call) or not node.args:
        return ""
    if any(one.arg in ("wraps", "side_effect", "autospec") for one in node.keywords):
        return ""
    called, given = ast.unparse(node.func), node.args
    whole = called.endswith("patch") and isinstance(given[0], ast.Constant)
    if whole and (len(given) > 1 or any(one.arg in ("return_value", "new") for one in node.keywords)):
        return _text(given[0])
    part = called.endswith(("patch.object", "monkeypatch.setattr")) and len(given) > 1
    if part and isinstance(given[1], ast.Constant) and (len(given) > 2 or node.keywords):
        return f"{ast.unparse(given[0])}.{_text(given[1])}"
    if called.endswith("monkeypatch.setattr") and len(given) > 1:
        return _text(given[0])
    return ""


def _text(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
