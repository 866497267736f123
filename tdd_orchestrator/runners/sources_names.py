"""Names in a Python test file: what it binds, what it looks up, what is run as it is loaded."""

from __future__ import annotations

import ast
import symtable
from collections.abc import Iterator, Mapping, Sequence

from tdd_orchestrator.runners.hollow_python import last_name

_Function = (ast.FunctionDef, ast.AsyncFunctionDef)
_Import = (ast.Import, ast.ImportFrom)
SCOPES = (*_Function, ast.ClassDef)


def at_once(node: ast.AST) -> Iterator[ast.AST]:
    """What is run as the file is loaded: of a function its decorators and its defaults."""
    waiting: list[ast.AST] = [node]
    while waiting:
        one = waiting.pop()
        yield one
        if isinstance(one, _Function):
            waiting += [*one.decorator_list, *one.args.defaults]
            waiting += [each for each in one.args.kw_defaults if each]
        else:
            waiting += ast.iter_child_nodes(one)


def outside(now: Sequence[ast.AST]) -> list[ast.AST]:
    """Without what stands in a class, and what a loop in brackets binds: that is theirs alone."""
    closed: list[ast.AST] = [part for one in now if isinstance(one, ast.ClassDef) for part in one.body]
    closed += [one.target for one in now if isinstance(one, ast.comprehension)]
    inner = {id(each) for part in closed for each in ast.walk(part)}
    return [one for one in now if id(one) not in inner]


def bindings(nodes: Sequence[ast.AST]) -> Iterator[tuple[str, str]]:
    """The names that these nodes bind, each with what it is imported from, if it is."""
    for one in nodes:
        yield from _bound_by(one)


def _bound_by(node: ast.AST) -> Iterator[tuple[str, str]]:
    if isinstance(node, SCOPES):
        yield node.name, ""
    elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id, ""
    elif isinstance(node, _Import):
        yield from origins(node)
    elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
        yield node.name, ""


def origins(node: ast.AST) -> Iterator[tuple[str, str]]:
    """(name, what an import binds it to)"""
    for one in ast.walk(node):
        if isinstance(one, ast.Import):
            yield from (
                (a.asname or a.name.split(".")[0], a.name if a.asname else a.name.split(".")[0])
                for a in one.names
            )
        elif isinstance(one, ast.ImportFrom):
            origin = "." * one.level + (one.module or "")
            yield from ((each.asname or each.name, f"{origin}.{each.name}") for each in one.names)


def made(nodes: Sequence[ast.AST]) -> frozenset[str]:
    """Names of what these nodes make anew, and nothing else: they may do with it as they like."""
    making = [
        one
        for one in nodes
        if isinstance(one, SCOPES) or (isinstance(one, ast.Assign) and _is_made(one.value))
    ]
    named = {
        id(each): name
        for one in making
        for each in (one, *getattr(one, "targets", ()))
        for name, _ in _bound_by(each)
    }
    others = {name for one in nodes if id(one) not in named for name, _ in _bound_by(one)}
    return frozenset(named.values()) - others


def _is_made(value: ast.expr) -> bool:
    literal = isinstance(value, (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp))
    return literal or (isinstance(value, ast.Call) and last_name(value)[:1].isupper())


def members(old: ast.Module) -> Mapping[str, frozenset[str]]:
    """Of each class of the file what it defines or uses of itself, with what the classes of the file that it is made
    from do."""
    classes = {node.name: node for node in ast.walk(old) if isinstance(node, ast.ClassDef)}
    found = {}
    for name in classes:
        family, waiting = set[str](), [name]
        while waiting:
            one = waiting.pop()
            if one in classes and one not in family:
                family.add(one)
                waiting += [last_name(base) for base in classes[one].bases]
        parts = [each for one in family for each in ast.walk(classes[one])]
        defined = {each.name for each in parts if isinstance(each, SCOPES)}
        used = {each.attr for each in parts if isinstance(each, ast.Attribute)
                and (word(each.value) in ("self", "cls", "super"))}  # fmt: skip
        bound = {each.id for one in family for part in classes[one].body for each in at_once(part)
                 if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}  # fmt: skip
        found[name] = frozenset(defined | used | bound)
    return found


def is_stored(node: ast.AST) -> bool:
    return isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load)


def word(node: ast.AST) -> str:
    return last_name(node) if isinstance(node, ast.expr) else ""


def root(node: ast.AST) -> str:
    """``a`` of ``a.b[0].c()``; empty where it begins with something else."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def relied(source: str) -> set[str]:
    """The names of a file's top that it binds, or that anything in it looks up there."""
    top = symtable.symtable(source.removeprefix("\ufeff"), "test", "exec")
    found = {one.get_name() for one in top.get_symbols()}
    waiting = list(top.get_children())
    while waiting:
        scope = waiting.pop()
        waiting += scope.get_children()
        found |= {one.get_name() for one in scope.get_symbols() if one.is_global()}
    return found


def declared_global(source: str) -> set[tuple[str, str]]:
    """(function, name) of each name that a function binds at the file's top."""
    waiting, found = [symtable.symtable(source.removeprefix("\ufeff"), "test", "exec")], set()
    while waiting:
        scope = waiting.pop()
        waiting += scope.get_children()
        if scope.get_type() != "module":
            found |= {(scope.get_name(), one.get_name()) for one in scope.get_symbols()
                      if one.is_declared_global() and one.is_assigned()}  # fmt: skip
    return found
