"""Tests that a Python file has and does not write as functions: those of a base class, and those that a call makes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from tdd_orchestrator.runners.hollow_python import last_name

_Test = ast.FunctionDef | ast.AsyncFunctionDef
Classes = Mapping[str, ast.ClassDef]
Functions = Mapping[str, _Test]
_Function = (ast.FunctionDef, ast.AsyncFunctionDef)
_OF_TESTS = re.compile(
    r"(?:^|[._])(?:tests?|testing|helpers?|support|conftest|contracts?|mixins?|bases?|shared)(?:[._]|$)"
)
"""Modules that may hold a class whose tests others inherit."""


def functions_of(tree: ast.Module) -> Functions:
    return {node.name: node for node in tree.body if isinstance(node, _Function)}


def classes_of(tree: ast.Module) -> Classes:
    return {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}


def inherited(node: ast.ClassDef, classes: Classes) -> Iterator[_Test]:
    """The tests that a class has from classes of its file, each by the name that it does not define itself."""
    known = {name for one in node.body for name in _defined(one)}
    waiting, seen = [last_name(base) for base in node.bases], {node.name}
    while waiting:
        name = waiting.pop(0)
        if name not in classes or name in seen:
            continue
        seen.add(name)
        for one in classes[name].body:
            if isinstance(one, _Function) and one.name.startswith("test") and one.name not in known:
                yield _within(node, one)
        known |= {defined for one in classes[name].body for defined in _defined(one)}
        waiting += [last_name(base) for base in classes[name].bases]


def _within(node: ast.ClassDef, test: _Test) -> _Test:
    """A test as a class has it that inherits it: what the class sets is a part of it."""
    named: ast.stmt = ast.Expr(ast.Name(node.name, ast.Load()))
    made = type(test)(test.name, test.args, [named, *test.body], test.decorator_list)
    return ast.fix_missing_locations(ast.copy_location(made, test))


def _defined(node: ast.stmt) -> list[str]:
    if isinstance(node, (*_Function, ast.ClassDef)):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else []
    return [one.id for one in targets if isinstance(one, ast.Name)]


def assigned(node: ast.stmt, functions: Functions, partial: str) -> ast.FunctionDef | None:
    """``test_two = make(2, 4)``, a lambda, a partial, or another function's name: as if it were written out.

    ``partial``: what makes a partial that is collected there."""
    target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
    if (
        not isinstance(node, ast.Assign)
        or not isinstance(target, ast.Name)
        or not target.id.startswith("test")
    ):
        return None
    body = _body(node.value, functions, partial)
    given = node.value.args if isinstance(node.value, ast.Lambda) else _no_arguments()
    made = ast.FunctionDef(target.id, given, body, [])
    return ast.fix_missing_locations(ast.copy_location(made, node)) if body else None


def _no_arguments() -> ast.arguments:
    return ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])


def _body(value: ast.expr, functions: Functions, partial: str) -> list[ast.stmt]:
    """What such a test does; empty where the value need not be a function."""
    if isinstance(value, ast.Lambda):
        return [ast.Expr(value.body)]
    if isinstance(value, ast.Name):
        return [ast.Expr(ast.Call(value, [], []))] if value.id in functions else []
    if not isinstance(value, ast.Call):
        return []
    if last_name(value) == partial and value.args:
        named = isinstance(value.args[0], ast.Name)
        called = ast.Call(value.args[0], value.args[1:], value.keywords)
        return [ast.Expr(called if named else value)]
    maker = functions.get(value.func.id) if isinstance(value.func, ast.Name) else None
    inner = _returned(maker) if maker else []
    given = ast.Tuple([value.func, *value.args, *(one.value for one in value.keywords)], ast.Load())
    return [ast.Expr(given), *inner] if inner else []


def _returned(maker: _Test) -> list[ast.stmt]:
    """The body of the function that a function returns."""
    inside = {one.name: one for one in maker.body if isinstance(one, _Function)}
    for node in maker.body:
        value = node.value if isinstance(node, ast.Return) else None
        if isinstance(value, ast.Lambda):
            return [ast.Expr(value.body)]
        if isinstance(value, ast.Name) and value.id in inside:
            return inside[value.id].body
    return []


def from_elsewhere(node: ast.ClassDef, tree: ast.Module) -> bool:
    """Whether a class may have its tests from a class of another test file."""
    held = {
        alias.asname or alias.name
        for one in tree.body
        if isinstance(one, ast.ImportFrom) and (one.level or _OF_TESTS.search(one.module or ""))
        for alias in one.names
    }
    return any(name in held and not name.endswith("Case") for name in map(last_name, node.bases))
