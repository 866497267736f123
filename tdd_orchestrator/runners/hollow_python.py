"""What a Python test checks, and why it may check nothing: its own assertions, and those of the helpers that it calls."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from tdd_orchestrator.runners.hollow_names import BROAD, Locals, last_name
from tdd_orchestrator.runners.tautologies import tautologies
from tdd_orchestrator.runners.unreached import unreached, yields

__all__ = ["Checks", "last_name"]

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
_ALWAYS = "What it asserts is always true."
_HARMLESS = re.compile(r"(?:no|not|never|without)_(?:\w+_)?(?:rais|error|fail|crash|except|throw|complain)")
"""In a test's name: that nothing is raised is what it checks."""
_Function = (ast.FunctionDef, ast.AsyncFunctionDef)
_OF_UNITTEST = frozenset({"subTest", "skipTest", "addCleanup", "enterContext", "id", "shortDescription"})
_SUPPORT = re.compile(
    r"(?:^|[._])(?:tests?|testing|helpers?|support|utils?|conftest|fixtures?|assert\w*|checks?)(?:[._]|$)"
)
"""Modules whose functions may check something for a test; which do, only their own files say."""


class Checks:
    """The checks of one file's tests. In doubt a call is one: of a helper's module, or of what a class inherits."""

    def __init__(self, module: ast.Module) -> None:
        functions = [one for one in ast.walk(module) if isinstance(one, _Function)]
        self._defined = {one.name for one in functions}
        self._imported = dict(_imported(module))
        self._helpers = {name for name, module in self._imported.items() if _SUPPORT.search(module)}
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
        if yields(node) and all(ast.unparse(one).startswith("pytest.mark.") for one in node.decorator_list):
            return "It is a generator: calling it runs none of it."
        names = Locals(node, self._imported)
        ways = (
            (_ALWAYS, tautologies(node, names)),
            ("Its assertions are never reached.", _ids(unreached(node, names))),
            ("Its assertions are swallowed by an except clause.", _ids(self._swallowed(node))),
        )
        why = [next((said for said, ids in ways if id(one) in ids), "") for one in asserted]
        return why[0] if all(why) else ""

    def _swallowed(self, node: ast.AST) -> Iterator[ast.AST]:
        for one in ast.walk(node):
            if _quiet(one) or (
                isinstance(one, ast.Try) and any(self._swallows(each) for each in one.handlers)
            ):
                yield from one.body  # type: ignore[attr-defined]

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
        return any(name in kinds for name in BROAD) and not told


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
        last_name(one) == "suppress" and any(last_name(arg) in BROAD for arg in one.args) for one in calls
    )


def _ids(parts: Iterable[ast.AST]) -> set[int]:
    return {id(one) for part in parts for one in ast.walk(part)}
