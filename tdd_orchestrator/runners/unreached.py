"""Parts of a Python test that are never run, or whose failure nobody hears, as far as the test's form shows (T12)."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tdd_orchestrator.runners.hollow_names import Locals, last_name, statements_of

_Function = (ast.FunctionDef, ast.AsyncFunctionDef)
_LATER = (ast.Lambda, ast.GeneratorExp)
_ENDS = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_APART = ("Thread", "Timer")
"""What an error in them does not reach the test from."""


def unreached(test: ast.FunctionDef | ast.AsyncFunctionDef, names: Locals) -> Iterator[ast.AST]:
    for node in names.nodes:
        for statements in statements_of(node):
            end = next((i for i, one in enumerate(statements) if isinstance(one, _ENDS)), len(statements))
            yield from statements[end + 1 :]
        if isinstance(node, (ast.Assign, ast.Expr)) and isinstance(node.value, _LATER):
            targets = node.targets if isinstance(node, ast.Assign) else []
            if all(isinstance(one, ast.Name) and one.id not in names.used for one in targets):
                yield node.value
        if isinstance(node, (ast.If, ast.While)):
            asked = names.seen(node.test)
            if isinstance(asked, ast.Constant):
                yield from node.orelse if asked.value else node.body
        if isinstance(node, (ast.For, ast.AsyncFor)) and names.empty(node.iter):
            yield from node.body
        if isinstance(node, ast.Try) and any(isinstance(one, ast.Return) for one in node.finalbody):
            yield from (*node.body, *node.handlers, *node.orelse)  # a return there drops what was raised
    yield from _never_run(test, names)


def yields(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether calling the function runs none of it: it makes a generator."""
    inner = [one for part in node.body for one in _own(part)]
    return any(isinstance(one, (ast.Yield, ast.YieldFrom)) for one in inner)


def _own(node: ast.AST) -> Iterator[ast.AST]:
    """A node and what is below it, without the bodies of functions inside."""
    yield node
    if not isinstance(node, (*_Function, ast.Lambda, ast.ClassDef)):
        for child in ast.iter_child_nodes(node):
            yield from _own(child)


def _never_run(test: ast.FunctionDef | ast.AsyncFunctionDef, names: Locals) -> Iterator[ast.AST]:
    """Functions inside the test that nobody calls, awaits, or hears of."""
    inside = [one for one in names.nodes if isinstance(one, (*_Function, ast.Lambda)) and one is not test]
    if not inside:
        return
    above = {id(child): node for node in names.nodes for child in ast.iter_child_nodes(node)}
    for function in inside:
        if isinstance(function, _Function) and not function.decorator_list:
            owner = above[id(function)]  # a method may be called by whoever gets one of the class
            called = owner.name if isinstance(owner, ast.ClassDef) else function.name
            uses = [one for one in names.nodes if isinstance(one, ast.Name) and one.id == called]
            lazy = isinstance(function, ast.AsyncFunctionDef) or yields(function)
            if all(_lost(one, above, names) or (lazy and _dropped(one, above)) for one in uses):
                yield from (function, *(above[id(one)] for one in uses))
        elif isinstance(function, ast.Lambda) and _apart(above.get(id(function)), above):
            yield function


def _lost(use: ast.AST, above: dict[int, ast.AST], names: Locals) -> bool:
    holder = above[id(use)]
    if _apart(holder, above):
        return True
    listed = isinstance(holder, ast.Call) and use in holder.args and isinstance(holder.func, ast.Attribute)
    return listed and names.only_noted(last_name(holder.func.value))  # type: ignore[attr-defined]


def _apart(holder: ast.AST | None, above: dict[int, ast.AST]) -> bool:
    """``Thread(target=...)``"""
    if not isinstance(holder, ast.keyword) or holder.arg not in ("target", "function"):
        return False
    call = above[id(holder)]
    return isinstance(call, ast.Call) and last_name(call) in _APART


def _dropped(use: ast.AST, above: dict[int, ast.AST]) -> bool:
    """``look()`` as a statement: what it makes is thrown away."""
    call = above[id(use)]
    return isinstance(call, ast.Call) and call.func is use and isinstance(above[id(call)], ast.Expr)
