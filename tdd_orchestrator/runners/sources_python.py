"""Python test files, by their syntax tree."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Sequence
from typing import TypeGuard

from tdd_orchestrator.runners.hollow_python import Checks, last_name
from tdd_orchestrator.runners.source_model import SourceTest, Unparsable
from tdd_orchestrator.runners.sources_unwritten import (
    Classes,
    Functions,
    assigned,
    classes_of,
    from_elsewhere,
    functions_of,
    inherited,
)

_MARKS = frozenset(
    {"skip", "skipif", "skipIf", "skipUnless", "xfail", "expectedFailure", "skipTest", "importorskip"}
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
    checks = Checks(tree)
    found = tuple(_test(node, title, path, marks, checks) for node, title, marks in test_nodes(tree))
    return found or tuple(
        _of_class(node, path) for node in tree.body if _has_tests_from_elsewhere(node, tree)
    )


def test_nodes(tree: ast.Module) -> Iterator[Found]:
    known = functions_of(tree), classes_of(tree)
    return _nodes(tree.body, (), _own_marks(tree.body), known)


def _nodes(
    body: Sequence[ast.stmt],
    title: tuple[str, ...],
    marks: tuple[str, ...],
    known: tuple[Functions, Classes],
    partial: str = "partial",
) -> Iterator[Found]:
    for node in body:
        if isinstance(node, _Function) and node.name.startswith("test"):
            yield node, (*title, node.name), marks
        elif made := assigned(node, known[0], partial):
            yield made, (*title, made.name), marks
        elif isinstance(node, ast.ClassDef) and _holds_tests(node):
            inner = (*marks, *_decorated(node), *_own_marks(node.body))
            # unittest takes a partial method for a test, pytest's own classes take none
            method = "partialmethod" if any("TestCase" in ast.unparse(base) for base in node.bases) else ""
            yield from _nodes(node.body, (*title, node.name), inner, known, method)
            for one in inherited(node, known[1]):
                yield one, (*title, node.name, one.name), inner


def _holds_tests(node: ast.ClassDef) -> bool:
    bases = [ast.unparse(base) for base in node.bases]
    return (
        node.name.startswith("Test")
        or node.name.endswith(("Test", "Tests", "TestCase"))
        or any("Test" in base for base in bases)
    )


def _test(
    node: ast.FunctionDef | ast.AsyncFunctionDef,
    title: tuple[str, ...],
    path: str,
    marks: tuple[str, ...],
    checks: Checks,
) -> SourceTest:
    own = (*marks, *_decorated(node), *_called_marks(node))
    return SourceTest(
        id="::".join((path, *title)),
        name=node.name,
        title=title,
        path=path,
        line=node.lineno,
        body=_normal(node),
        words=frozenset(_words(node)),
        assertions=len(checks.within(node)),
        marks=tuple(dict.fromkeys(own)),
        hollow=checks.hollow(node),
    )


def _has_tests_from_elsewhere(node: ast.stmt, tree: ast.Module) -> TypeGuard[ast.ClassDef]:
    return isinstance(node, ast.ClassDef) and _holds_tests(node) and from_elsewhere(node, tree)


def _of_class(node: ast.ClassDef, path: str) -> SourceTest:
    """A class that stands for tests whose names another file knows; in doubt they check something."""
    words = frozenset(_words(node))
    return SourceTest(
        f"{path}::{node.name}", node.name, (node.name,), path, node.lineno, ast.dump(node), words, 1
    )


def _decorated(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> list[str]:
    return [name for one in node.decorator_list for name in [last_name(one)] if name in _MARKS]


def _own_marks(body: Sequence[ast.stmt]) -> tuple[str, ...]:
    """Marks of ``pytestmark = ...`` and ``__test__ = False`` in a module or class."""
    marks = []
    for node in body:
        targets = [ast.unparse(target) for target in node.targets] if isinstance(node, ast.Assign) else []
        if "pytestmark" in targets and isinstance(node, ast.Assign):
            marks += [
                last_name(one)
                for one in ast.walk(node.value)
                if isinstance(one, ast.Attribute) and one.attr in _MARKS
            ]
        if "__test__" in targets:
            marks.append("__test__")
    return tuple(marks)


def _called_marks(node: ast.AST) -> list[str]:
    calls = [one for one in ast.walk(node) if isinstance(one, ast.Call)]
    return [last_name(one) for one in calls if last_name(one) in _MARKS]


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
    given = [ast.unparse(one) for one in node.decorator_list if last_name(one) == "parametrize"]
    needs = [one.arg for one in node.args.args if one.arg not in ("self", "cls")]
    return "\n".join([*given, ",".join(needs), *(ast.dump(one) for one in renamed)])


def _words(node: ast.AST) -> Iterator[str]:
    for one in ast.walk(node):
        if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Store):
            yield one.id
        elif isinstance(one, ast.Attribute):
            yield one.attr
