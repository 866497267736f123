"""What an addition to a Python test file does to what was there: names bound again, hooks for all, hands in modules."""

from __future__ import annotations

import ast
import unittest
from collections.abc import Iterable, Iterator, Sequence

from tdd_orchestrator.runners.hollow_python import last_name
from tdd_orchestrator.runners.reliance_words import words
from tdd_orchestrator.runners.sources_names import (
    SCOPES,
    at_once,
    bindings,
    declared_global,
    is_stored,
    made,
    members,
    origins,
    outside,
    relied,
    root,
    word,
)  # fmt: skip

Added = tuple[ast.stmt, ast.ClassDef | None]
"""(what came, the class that was there and that it came to)"""

_Function = (ast.FunctionDef, ast.AsyncFunctionDef)
_FOR_ALL = words(
    "setup_module teardown_module setUpModule tearDownModule setup_function teardown_function setup teardown"
    " pytest_generate_tests pytest_plugins load_tests pytestmark __test__ __getattr__"
)
_OF_CLASS = words("setup_method teardown_method setup_class teardown_class setup teardown pytestmark")
_OF_UNITTEST = frozenset(dir(unittest.IsolatedAsyncioTestCase))
_FIXTURES_TOO = frozenset({"setup", "teardown"})
"""Names that old runners call, and that a fixture is often given."""
_HANDS = frozenset({"globals", "vars", "locals", "exec", "eval", "setattr", "delattr", "__import__"})
_PATCHING = frozenset({"setattr", "delattr", "setitem", "delitem"})
_NAMESPACES = frozenset({"__dict__", "__globals__", "__builtins__", "__code__", "__class__", "__bases__"})
_CHANGING = frozenset({"update", "clear", "pop", "popitem", "remove", "append", "extend", "insert", "setdefault", "add",
                       "discard", "sort", "reverse", "__setitem__", "__delitem__", "__setattr__"})  # fmt: skip
_FRAMEWORKS = frozenset({"unittest", "pytest", "builtins"})
_ITSELF = ("globals()", "vars()", "sys.modules[__name__]")


def reaches(old: ast.Module, sources: tuple[str, str], added: Sequence[Added]) -> list[str]:
    """One sentence for each addition that acts on tests of ``old``. ``sources``: the texts before and after."""
    if not any(isinstance(node, SCOPES) for node in old.body):
        return []
    look = _Look(old, sources[0], added)
    faults = [fault for node, owner in added for fault in look.at(node, owner)]
    again = sorted(declared_global(sources[1]) - declared_global(sources[0]))
    faults += [
        f"{where} binds {name} again for the whole file." for where, name in again if name in look.relied
    ]
    return faults


class _Look:
    """What a file has and relies on, and what of an addition is run as the file is loaded."""

    def __init__(self, old: ast.Module, source: str, added: Sequence[Added]) -> None:
        self.relied = relied(source)
        self._origins = {origin for node in old.body for origin in origins(node)}
        self._members = members(old)
        self._asked = {
            one.arg
            for node in ast.walk(old)
            if isinstance(node, _Function) and (node.name.startswith("test") or _is_fixture(node))
            for one in node.args.args
        }
        self._old = {node.name for node in old.body if isinstance(node, SCOPES)}
        self._old |= {name for name, origin in self._origins if origin.split(".")[0] in _FRAMEWORKS}
        everything = [one for node, _ in added for one in ast.walk(node)]
        self._scopes = {one.name: one for one in everything if isinstance(one, SCOPES)}
        self._patches = any(word(one) == "patch" for one in everything)
        self._own = made([one for node, _ in added for one in at_once(node)])

    def at(self, node: ast.stmt, owner: ast.ClassDef | None) -> Iterator[str]:
        now = list(at_once(node))
        here = outside(now)
        yield from self._bound(node, here, owner)
        yield from self._fixtures(here)
        run = any(self._acts(one, own) for one, own in self._run(now))
        parts = list(ast.walk(node))
        local = {one.arg for one in parts if isinstance(one, ast.arg)}
        local |= {one.id for one in parts if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
        if run or any(self._acts_later(one, local) for one in parts):
            yield f"`{ast.unparse(node).splitlines()[0][:80]}` acts on tests that were there."

    def _bound(self, node: ast.stmt, here: Sequence[ast.AST], owner: ast.ClassDef | None) -> Iterator[str]:
        for name, origin in bindings(here):
            if name in _FIXTURES_TOO and _is_fixture(node):
                continue
            if owner is not None:
                taken = self._members.get(owner.name, frozenset()) | (
                    _OF_UNITTEST if owner.bases else frozenset()
                )
                if name in taken | _OF_CLASS or (name.startswith("__") and name.endswith("__")):
                    yield f"The new {owner.name}.{name} acts on every test of the class."
            elif name in _FOR_ALL:
                yield f"The new {name} acts on every test of the file."
            elif name in self._asked and isinstance(node, ast.Assign) and "fixture" in word(node.value):
                yield f"The new fixture {name} takes the place of one that is in use."
            elif name in self.relied and (name, origin) not in self._origins:
                yield f"{name} is defined again."

    def _fixtures(self, here: Iterable[ast.AST]) -> Iterator[str]:
        functions = [one for one in here if isinstance(one, _Function)]
        for function, mark in ((each, mark) for each in functions for mark in each.decorator_list):
            if "fixture" not in last_name(mark):
                continue
            given = {each.arg: each.value for each in mark.keywords} if isinstance(mark, ast.Call) else {}
            named, always = given.get("name"), given.get("autouse")
            name = named.value if isinstance(named, ast.Constant) else function.name
            if always is not None and ast.unparse(always) != "False":
                yield f"The new fixture {function.name} acts on every test of the file."
            elif name in self._asked:
                yield f"The new fixture {name} takes the place of one that is in use."

    def _run(self, now: Iterable[ast.AST]) -> Iterator[tuple[ast.AST, frozenset[str]]]:
        """What is run at once, and what it may do with as it likes: with it go the bodies of new functions and
        classes that are called there, or decorate."""
        waiting, seen = [(one, self._own) for one in now], set[str]()
        while waiting:
            one, own = waiting.pop()
            yield one, own
            called = [word(one.func)] if isinstance(one, ast.Call) else []
            decorating = [word(each) for each in one.decorator_list] if isinstance(one, SCOPES) else []
            for name in (*called, *decorating):
                if name in self._scopes and name not in seen:
                    seen.add(name)
                    scope = self._scopes[name]
                    body = [each for part in scope.body for each in ast.walk(part)]
                    nested = {each.arg for each in (*body, *(() if name in called else ast.walk(scope)))
                              if isinstance(each, ast.arg)}  # fmt: skip
                    waiting += [(each, own | made(body) | nested) for each in body]

    def _acts(self, node: ast.AST, own: frozenset[str]) -> bool:
        if isinstance(node, ast.Attribute) and node.attr in _NAMESPACES:
            return True
        if isinstance(node, ast.Delete):
            return any(root(one) in self.relied for one in node.targets)
        if not isinstance(node, ast.Call):
            return is_stored(node) and root(node) not in own
        name, holder = word(node.func), node.func.value if isinstance(node.func, ast.Attribute) else None
        if name in _PATCHING:
            return not node.args or root(node.args[0]) not in own
        if holder is None:
            return name in _HANDS
        if name in _CHANGING and ast.unparse(holder) != "sys.path":
            return root(holder) in self.relied or "modules" in ast.unparse(holder)
        return name == "start" and self._patches

    def _acts_later(self, node: ast.AST, local: set[str]) -> bool:
        """What changes the file's own tests whenever it is run, be it in a test of its own."""
        if isinstance(node, (ast.Attribute, ast.Subscript)) and is_stored(node):
            return self._is_own(node.value, local)
        if not isinstance(node, ast.Call):
            return False
        if isinstance(node.func, ast.Attribute):
            return node.func.attr in _CHANGING and ast.unparse(node.func.value).startswith(_ITSELF)
        return word(node.func) in ("setattr", "delattr") and any(
            self._is_own(one, local) for one in node.args[:1]
        )

    def _is_own(self, node: ast.expr, local: set[str]) -> bool:
        """The module that the file is, or a class, a function or a framework that it has."""
        return ast.unparse(node).startswith(_ITSELF) or root(node) in self._old - local


def _is_fixture(node: ast.AST) -> bool:
    return isinstance(node, _Function) and any("fixture" in last_name(one) for one in node.decorator_list)
