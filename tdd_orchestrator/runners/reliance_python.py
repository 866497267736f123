"""Whether a Python test leans on anything but the language and itself: one that does not cannot show that a behaviour
of the project is there, however often it passes."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence

from tdd_orchestrator.runners.reliance_words import words
from tdd_orchestrator.runners.sources_python import parsed, test_nodes

_REACHING = frozenset({"open", "exec", "eval", "compile", "__import__"})
_LANGUAGE = frozenset(dir(builtins)) - _REACHING
_PURE = words(
    "__future__ abc array base64 bisect calendar cmath collections contextlib copy dataclasses datetime decimal enum fractions"
    " functools hashlib heapq hmac itertools json math numbers operator pprint pytest random re secrets statistics string struct"
    " textwrap time types typing typing_extensions unicodedata unittest uuid zoneinfo"
)
"""Modules that see nothing of the project: what comes from any other may be the project's, or lead to it."""
_FIXTURES = words(
    "cache capfd capfdbinary caplog capsys capsysbinary monkeypatch record_property record_testsuite_property recwarn request"
    " subtests tmp_path tmp_path_factory tmpdir tmpdir_factory"
)
_Function = (ast.FunctionDef, ast.AsyncFunctionDef)


def python_idle(source: str, path: str) -> frozenset[str]:
    """Ids of the tests that name nothing which is not the language's or their file's own. Raises Unparsable.

    In doubt a test is not idle: fixtures of other files, attributes of ``self`` that others set, names that nobody
    defines.
    """
    module = parsed(source, path)
    leaning = _Leaning(module)
    return frozenset(
        "::".join((path, *title)) for node, title, _ in test_nodes(module) if not leaning.of(node)
    )


class _Leaning:
    """What one file imports and defines, and which of its own names lead out of it."""

    def __init__(self, module: ast.Module) -> None:
        self._own = _definitions(module)
        self._foreign = dict(_imports(module))

    def of(self, test: ast.AST) -> bool:
        """Whether a test leads out of the file, itself or by what it uses of its own."""
        open_, seen = [test], set[str]()
        while open_:
            for name, harmless in _asked(open_.pop()):
                if name not in self._own:
                    if self._foreign.get(name, name not in harmless):
                        return True
                elif name not in seen:
                    seen.add(name)
                    open_ += self._own[name]
        return False


def _asked(node: ast.AST) -> Iterator[tuple[str, frozenset[str]]]:
    """Names that a piece of code does not set itself, each with those that would be harmless in its place."""
    nodes = list(ast.walk(node))
    names = [one for one in nodes if isinstance(one, ast.Name)]
    within = dict(_imports(node))
    local = {one.id for one in names if isinstance(one.ctx, ast.Store)} | set(within)
    local |= {one.arg for one in nodes if isinstance(one, ast.arg)}
    if any(within.values()) or _asked_of_self(nodes):
        yield "", _LANGUAGE
    yield from ((name, _FIXTURES) for name in _filled_in(node))
    yield from ((one.id, _LANGUAGE) for one in names if one.id not in local)


def _definitions(module: ast.Module) -> dict[str, list[ast.AST]]:
    """What the file defines at its top: name -> the nodes that do."""
    found: dict[str, list[ast.AST]] = {}
    for node in module.body:
        if isinstance(node, (*_Function, ast.ClassDef)):
            found.setdefault(node.name, []).append(node)
        elif isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)) and node.value is not None:
            for one in ast.walk(node):
                if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
                    found.setdefault(one.id, []).append(node.value)
    return found


def _imports(node: ast.AST) -> Iterator[tuple[str, bool]]:
    """(name bound by an import, whether it may lead to the project)."""
    for one in ast.walk(node):
        if isinstance(one, ast.Import):
            for alias in one.names:
                root = alias.name.split(".")[0]
                yield alias.asname or root, root not in _PURE
        elif isinstance(one, ast.ImportFrom):
            foreign = bool(one.level) or (one.module or "").split(".")[0] not in _PURE
            for alias in one.names:
                yield alias.asname or alias.name, foreign


def _filled_in(node: ast.AST) -> list[str]:
    """Parameters of a test or a fixture that pytest fills in; those of a parametrisation stand in the decorator."""
    if not isinstance(node, _Function):
        return []
    decorators = [ast.unparse(one) for one in node.decorator_list]
    if not node.name.startswith("test") and not any("fixture" in one for one in decorators):
        return []
    given = {
        word.strip()
        for one in node.decorator_list
        if isinstance(one, ast.Call) and ast.unparse(one.func).endswith("parametrize")
        for constant in ast.walk(one.args[0] if one.args else one)
        if isinstance(constant, ast.Constant) and isinstance(constant.value, str)
        for word in constant.value.split(",")
    }
    asked = node.args.args[: len(node.args.args) - len(node.args.defaults)]
    return [one.arg for one in asked if one.arg not in given | {"self", "cls"}]


def _asked_of_self(nodes: Sequence[ast.AST]) -> set[str]:
    """Attributes of ``self`` that are neither an assertion nor set or defined in these nodes."""
    known = {one.name for one in nodes if isinstance(one, _Function)}
    asked: set[str] = set()
    for one in nodes:
        if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name) and one.value.id == "self":
            (known if isinstance(one.ctx, ast.Store) else asked).add(one.attr)
    return {name for name in asked - known if not name.startswith(("assert", "fail", "subTest", "skipTest"))}
