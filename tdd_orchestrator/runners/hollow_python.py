"""What a Python test checks, and why it may check nothing: its own assertions, and those of the helpers that it calls."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

_ASSERTING = (
    "assert",
    "expect",
    "verify",
    "check",
    "should",
    "ensure",
    "raise",
    "warns",
    "fail",
    "deprecated_call",
    "wait_for",
    "until",
)
"""How a call begins that raises unless something is so."""
_ENDING = ("SystemExit", "KeyboardInterrupt", "Skip", "skip", "StopIteration")
"""What a test raises to end, not to tell of something wrong."""
_HARMLESS = re.compile(r"(?:no|not|never|without)_(?:\w+_)?(?:rais|error|fail|crash|except|throw|complain)")
"""In a test's name: that nothing is raised is what it checks."""
_Function = (ast.FunctionDef, ast.AsyncFunctionDef)
_LATER = (ast.Lambda, ast.GeneratorExp)
_ENDS = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_OF_UNITTEST = frozenset({"subTest", "skipTest", "addCleanup", "enterContext", "id", "shortDescription"})
_BROAD = ("BaseException", "Exception", "AssertionError")
_SUPPORT = re.compile(
    r"(?:^|[._])(?:tests?|testing|helpers?|support|utils?|conftest|fixtures?|assert\w*|checks?)(?:[._]|$)"
)
"""Modules whose functions may check something for a test; which do, only their own files say."""


def last_name(node: ast.expr) -> str:
    """The last name of ``pytest.mark.skip(reason=...)``: skip."""
    if isinstance(node, ast.Call):
        node = node.func
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


class Checks:
    """The checks of one file's tests. In doubt a call is one: of a helper's module, or of what a class inherits."""

    def __init__(self, module: ast.Module) -> None:
        functions = [one for one in ast.walk(module) if isinstance(one, _Function)]
        self._defined = {one.name for one in functions}
        self._helpers = {name for name, module in _imported(module) if _SUPPORT.search(module)}
        grown = -1
        while grown != len(self._helpers):  # a helper may call another
            grown = len(self._helpers)
            self._helpers |= {
                one.name for one in functions if not one.name.startswith("test") and self.within(one)
            }

    def within(self, node: ast.AST) -> list[ast.AST]:
        return [one for one in ast.walk(node) if self._checks(one)]

    def hollow(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
        """Why a test can never fail, or ""."""
        asserted = self.within(node)
        if not asserted:
            return "" if _HARMLESS.search(node.name) else "It asserts nothing."
        if all(_always(one) for one in asserted):
            return "What it asserts is always true."
        never = {id(one) for dead in _dead(node) for one in ast.walk(dead)}
        if all(id(one) in never for one in asserted):
            return "Its assertions are never reached."
        for one in ast.walk(node):
            if _quiet(one) or (
                isinstance(one, ast.Try) and any(self._swallows(each) for each in one.handlers)
            ):
                inside = [found for part in one.body for found in self.within(part)]  # type: ignore[attr-defined]
                if len(inside) == len(asserted):
                    return "Its assertions are swallowed by an except clause."
        return ""

    def _checks(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Raise):
            return node.exc is not None and not last_name(node.exc).startswith(_ENDING)
        if not isinstance(node, ast.Call):
            return isinstance(node, ast.Assert)
        name, owner = last_name(node), _owner(node.func)
        if _demands(node):
            return True
        inherited = owner == "self" and name not in self._defined | _OF_UNITTEST
        said = name.lstrip("_").lower().startswith(_ASSERTING)
        return said or inherited or name in self._helpers or owner in self._helpers

    def _swallows(self, handler: ast.ExceptHandler) -> bool:
        kinds = ast.unparse(handler.type) if handler.type else "BaseException"
        told = any(isinstance(one, ast.Raise) for one in ast.walk(handler)) or self.within(handler)
        return any(name in kinds for name in _BROAD) and not told


def _demands(call: ast.Call) -> bool:
    """``run(..., check=True)``, ``sys.exit(1)``, ``value.should.equal(4)``."""
    checked = any(
        one.arg in ("check", "raise_on_error") and isinstance(one.value, ast.Constant) and one.value.value
        for one in call.keywords
    )
    ends = ast.unparse(call.func) == "sys.exit" and bool(call.args)
    said = [one.attr for one in ast.walk(call.func) if isinstance(one, ast.Attribute)]
    return checked or ends or "should" in said or "should_not" in said


def _owner(called: ast.expr) -> str:
    """``a`` of ``a.b()``; empty where it is no plain name."""
    holder = called.value if isinstance(called, ast.Attribute) else None
    return holder.id if isinstance(holder, ast.Name) else ""


def _imported(module: ast.Module) -> Iterator[tuple[str, str]]:
    """(name bound by an import, the module it comes from, or is)"""
    for one in ast.walk(module):
        if isinstance(one, ast.Import):
            yield from ((each.asname or each.name.split(".")[0], each.name) for each in one.names)
        elif isinstance(one, ast.ImportFrom):
            origin = "." * one.level + (one.module or "")
            yield from ((each.asname or each.name, f"{origin}.{each.name}") for each in one.names)


def _quiet(node: ast.AST) -> bool:
    """``with contextlib.suppress(...)`` of what an assertion raises."""
    if not isinstance(node, (ast.With, ast.AsyncWith)):
        return False
    calls = [item.context_expr for item in node.items if isinstance(item.context_expr, ast.Call)]
    return any(
        last_name(one) == "suppress" and any(last_name(arg) in _BROAD for arg in one.args) for one in calls
    )


def _dead(test: ast.AST) -> Iterator[ast.AST]:
    """Parts of a test that are never run, as far as its form shows."""
    used = {one.id for one in ast.walk(test) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}
    for node in ast.walk(test):
        for block in ("body", "orelse", "finalbody"):
            statements = getattr(node, block, None)
            if isinstance(statements, list):
                end = next((i for i, one in enumerate(statements) if isinstance(one, _ENDS)), len(statements))
                yield from statements[end + 1 :]
        if (
            isinstance(node, _Function)
            and node is not test
            and node.name not in used
            and not node.decorator_list
        ):
            yield node
        if isinstance(node, (ast.Assign, ast.Expr)) and isinstance(node.value, _LATER):
            targets = node.targets if isinstance(node, ast.Assign) else []
            if all(isinstance(one, ast.Name) and one.id not in used for one in targets):
                yield node.value
        if isinstance(node, (ast.If, ast.While)) and isinstance(node.test, ast.Constant):
            yield from node.orelse if node.test.value else node.body
        if isinstance(node, (ast.For, ast.AsyncFor)) and _empty(node.iter):
            yield from node.body


def _empty(iterated: ast.expr) -> bool:
    return isinstance(iterated, (ast.Tuple, ast.List, ast.Set)) and not iterated.elts


def _always(node: ast.AST) -> bool:
    """Whether an assertion holds whatever the code does, as far as its form shows."""
    if isinstance(node, ast.Assert):
        return _true(node.test)
    if not isinstance(node, ast.Call):
        return False
    name, given = last_name(node), node.args
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
    return (
        isinstance(node, ast.Call)
        and last_name(node) == "isinstance"
        and last_name(node.args[-1]) == "object"
    )
