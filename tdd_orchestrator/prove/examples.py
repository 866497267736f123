"""Examples in docstrings (doctests) that a change adds, and how they run with the old code. Pure."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import PurePosixPath

from tdd_orchestrator.model.report import Report
from tdd_orchestrator.workspace.guard import Change, Rules, holds_doctests, keeps_examples

_OF_MODULE = "__doc__"
_PLANTED = re.compile(rf"\.__test__(?:\.{_OF_MODULE}\b)?")
_Node = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def with_new_examples(changes: Iterable[Change], rules: Rules) -> tuple[Change, ...]:
    """Return the changed files of Python code with an example that is new or changed, where the test command
    runs examples."""
    return tuple(
        one
        for one in changes
        if one.after and one.path.endswith(".py") and holds_doctests(one, rules) and _new(one)
    )


def with_examples(change: Change) -> str:
    """Return a file as it was, with its new examples in ``__test__``, where doctest looks for more of them:
    their functions may not be there yet."""
    before = change.before or ""
    lines = before.splitlines(keepends=True)
    place = _after_head(before)
    planted = f"__test__ = {_new(change)!r}\n"
    return "".join([*lines[:place], planted, *lines[place:]])


def with_own_names(report: Report) -> Report:
    """Return a run of such a file with each example under the name that it has at HEAD, in the place of the old
    one of that name."""
    planted = {case.id: _PLANTED.sub("", case.id) for case in report.cases if _PLANTED.search(case.id)}
    replaced = set(planted.values())
    cases = tuple(
        replace(case, id=planted.get(case.id, case.id), name=_PLANTED.sub("", case.name))
        for case in report.cases
        if case.id not in replaced
    )
    return replace(report, cases=cases)


def examples_gone(changes: Iterable[Change], rules: Rules, base: Report) -> frozenset[str]:
    """Return the cases of BASE that are examples of functions and classes that a change removes."""
    ends = []
    for one in changes:
        if one.path.endswith(".py") and holds_doctests(one, rules):
            after = _docstrings(one.after or "")
            path = PurePosixPath(one.path)
            module = path.parent.name if path.stem == "__init__" else path.stem
            before = _docstrings(one.before or "").items()
            ends += [f"{module}.{name}" for name, text in before if ">>>" in text and name not in after]
    return frozenset(
        case.id
        for case in base.cases
        if f".{case.id.rpartition('::')[2]}".endswith(tuple(f".{end}" for end in ends))
    )


def _new(change: Change) -> dict[str, str]:
    """Return the docstrings with an example that the file did not have there, by the names of their objects."""
    before = _docstrings(change.before or "")
    return {
        name: text
        for name, text in _docstrings(change.after or "").items()
        if ">>>" in text and not keeps_examples(text, before.get(name, ""))
    }


def _docstrings(text: str) -> dict[str, str]:
    module = _parsed(text)
    return dict(_of(module, "")) if module else {}


def _of(node: _Node, prefix: str) -> Iterator[tuple[str, str]]:
    """Yield the docstrings that doctest finds: those of a module, its functions and classes, and theirs."""
    yield prefix.rstrip(".") or _OF_MODULE, ast.get_docstring(node, clean=False) or ""
    if isinstance(node, ast.Module | ast.ClassDef):
        for one in node.body:
            if isinstance(one, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                yield from _of(one, f"{prefix}{one.name}.")


def _after_head(text: str) -> int:
    """Return how many lines a module's docstring and its ``from __future__`` take."""
    place = 0
    module = _parsed(text)
    for node in module.body if module else ():
        future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not future and not docstring:
            break
        place = node.end_lineno or place
    return place


def _parsed(text: str) -> ast.Module | None:
    """Return a module's tree; None where this Python does not read it."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None
