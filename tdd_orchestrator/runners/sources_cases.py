"""Lists of cases in a Python test file: whether one only grew, so that every case that was there is tried as before."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from tdd_orchestrator.runners.hollow_python import last_name

_Function = (ast.FunctionDef, ast.AsyncFunctionDef)
Decorated = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_Listed = (ast.List, ast.Tuple, ast.Set)
_FEEDING: Mapping[str, tuple[int, frozenset[str]]] = {
    "parametrize": (1, frozenset({"argvalues", "ids"})),
    "fixture": (1, frozenset({"params", "ids"})),
    "expand": (0, frozenset({"input"})),
    "parameterized": (0, frozenset({"input"})),
}
"""Decorators that make a test of each case: the arguments that are cases, from which place on, and by name."""


def grown(old: ast.stmt, new: ast.stmt, tree: ast.Module) -> list[ast.expr] | None:
    """What came to the cases of a statement of ``tree``, the file as it was; None where something else changed, too.

    A list by a name counts where all that the file does with it is to make tests: what a test looks something up in
    allows more when it grows.
    """
    if isinstance(old, ast.Assign) and isinstance(new, ast.Assign):
        name = old.targets[0]
        plain = len(old.targets) == 1 and isinstance(name, ast.Name) and _same(old.targets, new.targets)
        return _more(old.value, new.value) if plain and _only_feeds(name.id, tree) else None  # type: ignore[attr-defined]
    if isinstance(old, ast.AnnAssign) and isinstance(new, ast.AnnAssign) and old.value and new.value:
        plain = _same([old.target, old.annotation], [new.target, new.annotation])
        known = isinstance(old.target, ast.Name) and _only_feeds(old.target.id, tree)
        return _more(old.value, new.value) if plain and known else None
    if isinstance(old, _Function) and type(new) is type(old) and isinstance(new, _Function):
        if _bare(old) != _bare(new):
            return None
        return grown_decorators(old, new)
    return None


def grown_decorators(old: Decorated, new: Decorated) -> list[ast.expr] | None:
    """What came to the cases in the decorators of a function or a class."""
    if len(old.decorator_list) != len(new.decorator_list):
        return None
    pairs = zip(old.decorator_list, new.decorator_list, strict=True)
    return _all([_more_given(one, other) for one, other in pairs])


def _bare(node: ast.stmt) -> list[str]:
    return [f"{name}={_dumped(value)}" for name, value in ast.iter_fields(node) if name != "decorator_list"]


def _dumped(value: object) -> str:
    if isinstance(value, list):
        return ",".join(map(_dumped, value))
    return ast.dump(value) if isinstance(value, ast.AST) else repr(value)


def _same(old: Sequence[ast.AST], new: Sequence[ast.AST]) -> bool:
    return [ast.dump(one) for one in old] == [ast.dump(one) for one in new]


def _all(parts: Sequence[list[ast.expr] | None]) -> list[ast.expr] | None:
    known = [part for part in parts if part is not None]
    return [one for part in known for one in part] if len(known) == len(parts) else None


def _more_given(old: ast.expr, new: ast.expr) -> list[ast.expr] | None:
    """What came to the cases that a decorator is given."""
    if ast.dump(old) == ast.dump(new):
        return []
    if not isinstance(old, ast.Call) or not isinstance(new, ast.Call) or not _same([old.func], [new.func]):
        return None
    named = [one.arg for one in old.keywords] == [one.arg for one in new.keywords]
    if last_name(old) not in _FEEDING or len(old.args) != len(new.args) or not named:
        return None
    before, after = {id(one) for one in _fed(old)}, {id(one) for one in _fed(new)}
    mine = old.args + [one.value for one in old.keywords]
    theirs = new.args + [one.value for one in new.keywords]
    parts = []
    for one, other in zip(mine, theirs, strict=True):
        kept: list[ast.expr] | None = [] if _same([one], [other]) else None
        parts.append(_more(one, other) if id(one) in before and id(other) in after else kept)
    return _all(parts)


def _fed(call: ast.Call) -> list[ast.expr]:
    first, names = _FEEDING.get(last_name(call), (len(call.args), frozenset[str]()))
    return call.args[first:] + [one.value for one in call.keywords if one.arg in names]


def _more(old: ast.expr, new: ast.expr) -> list[ast.expr] | None:
    """The elements that came to a literal whose others stand in their order; None where one of them does not."""
    if ast.dump(old) == ast.dump(new):
        return []
    if isinstance(old, ast.Dict) and isinstance(new, ast.Dict):
        before, after = _entries(old), _entries(new)
        fresh = [key for key, entry in zip(new.keys, after, strict=True) if entry not in before]
        if not _subsequence(before, after) or not _new_keys(old, fresh):
            return None
        return [new]
    if isinstance(old, _Listed) and type(new) is type(old) and isinstance(new, _Listed):
        kept = [ast.dump(one) for one in old.elts]
        return [new] if _subsequence(kept, [ast.dump(one) for one in new.elts]) else None
    return None


def _entries(node: ast.Dict) -> list[str]:
    return [f"{_dumped(key)}: {ast.dump(value)}" for key, value in zip(node.keys, node.values, strict=True)]


def _new_keys(old: ast.Dict, fresh: Sequence[ast.expr | None]) -> bool:
    """A key that comes again takes the place of the case that was there."""
    known = [one.value for one in old.keys if isinstance(one, ast.Constant)]
    return len(known) == len(old.keys) and all(
        isinstance(one, ast.Constant) and one.value not in known for one in fresh
    )


def _subsequence(old: Sequence[str], new: Sequence[str]) -> bool:
    rest = iter(new)
    return all(one in rest for one in old)


def _only_feeds(name: str, tree: ast.Module) -> bool:
    calls = [
        one
        for node in ast.walk(tree)
        if isinstance(node, (*_Function, ast.ClassDef))
        for one in node.decorator_list
        if isinstance(one, ast.Call)
    ]
    feeding = {id(used) for call in calls for given in _fed(call) for used in _taken_apart(given)}
    uses = [one for one in ast.walk(tree) if _names(one) == name]
    return bool(uses) and all(id(one) in feeding for one in uses)


def _names(node: ast.AST) -> str:
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else ""


def _taken_apart(node: ast.expr) -> Iterator[ast.expr]:
    """The names whose elements are cases, or lead to them: not those that stand in a case as a whole."""
    if isinstance(node, ast.Name):
        yield node
    elif isinstance(node, ast.Starred):
        yield from _taken_apart(node.value)
    elif isinstance(node, ast.BinOp):
        yield from (one for part in (node.left, node.right) for one in _taken_apart(part))
    elif isinstance(node, ast.Call):
        holder = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        yield from (one for part in [*holder, *node.args] for one in _taken_apart(part))
    elif isinstance(node, (ast.ListComp, ast.GeneratorExp, ast.SetComp)):
        yield from (one for part in node.generators for one in _taken_apart(part.iter))
    elif isinstance(node, _Listed):
        yield from (one for part in node.elts if isinstance(part, ast.Starred) for one in _taken_apart(part))
