"""Whether a Python test file only grew: what RED did to what was there."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from tdd_orchestrator.runners.source_model import Unparsable
from tdd_orchestrator.runners.sources_cases import grown, grown_decorators
from tdd_orchestrator.runners.sources_python import parsed
from tdd_orchestrator.runners.sources_reach import Added, reaches

_Function = (ast.FunctionDef, ast.AsyncFunctionDef)


def python_added_only(before: str, after: str, path: str) -> list[str]:
    new = parsed(after, path)
    try:
        old = parsed(before, path)
    except Unparsable:
        return [f"{path} could not be parsed before; whether it only grew cannot be said."]
    faults = _kept(old.body, new.body, "", old)
    gone = _imported(old) - _imported(new)
    faults += [f"The import of {name} is gone." for name in sorted(gone)]
    try:
        faults += reaches(old, (before, after), list(_added(old.body, new.body, old)))
    except SyntaxError as error:  # that the tree does not show: a return outside of a function
        raise Unparsable(f"{path}:{error.lineno or 0}: {error.msg}") from error
    return list(dict.fromkeys(faults))


def _kept(old: Sequence[ast.stmt], new: Sequence[ast.stmt], within: str, tree: ast.Module) -> list[str]:
    """Every statement of ``old`` is in ``new`` as it was; classes may gain members; nothing is defined twice."""
    faults = []
    there: dict[str, list[ast.stmt]] = {}
    for node in new:
        for name in _names(node):
            there.setdefault(name, []).append(node)
    dumps = {ast.dump(node) for node in new}
    for node in old:
        if isinstance(node, (ast.Import, ast.ImportFrom)) or _docstring(node) or ast.dump(node) in dumps:
            faults += _again(node, there, old, within)
            continue
        name = next(iter(_names(node)), "")
        same = [one for one in there.get(name, []) if type(one) is type(node)]
        if isinstance(node, ast.ClassDef) and same and isinstance(same[-1], ast.ClassDef):
            larger = same[-1]
            if _head(node) != _head(larger) or grown_decorators(node, larger) is None:
                faults.append(f"{within}{name} has other bases or decorators.")
            faults += _kept(node.body, larger.body, f"{within}{name}.", tree)
        elif same and grown(node, same[-1], tree) is not None:
            faults += _again(node, there, old, within)
        elif name:
            faults.append(f"{within}{name} was changed." if same else f"{within}{name} is gone.")
        else:
            faults.append(
                f"{within or 'line '}{node.lineno}: `{ast.unparse(node).splitlines()[0][:80]}` is gone or changed."
            )
    return faults


def _again(
    node: ast.stmt, there: Mapping[str, Sequence[ast.stmt]], old: Sequence[ast.stmt], within: str
) -> list[str]:
    names = [name for name in _names(node) if len(there[name]) > _count(old, name)]
    return [f"{within}{name} is defined again." for name in names]


def _head(node: ast.ClassDef) -> list[str]:
    return [ast.dump(one) for one in (*node.bases, *node.keywords)]


def _count(body: Sequence[ast.stmt], name: str) -> int:
    return sum(name in _names(node) for node in body)


def _docstring(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _names(node: ast.stmt) -> list[str]:
    """The names that a statement binds."""
    if isinstance(node, (*_Function, ast.ClassDef)):
        return [node.name]
    if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return [one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)]
    return []


def _imported(tree: ast.Module) -> set[str]:
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {f"{one.name} as {one.asname or one.name}" for one in node.names}
        elif isinstance(node, ast.ImportFrom):
            origin = "." * node.level + (node.module or "")
            names |= {f"{origin}.{one.name} as {one.asname or one.name}" for one in node.names}
    return names


def _added(
    old: Sequence[ast.stmt], new: Sequence[ast.stmt], tree: ast.Module, owner: ast.ClassDef | None = None
) -> Iterator[Added]:
    """What came to a body, and to the classes in it that were there; of a list that grew its elements."""
    known = {ast.dump(node) for node in old}
    by_name = {name: node for node in old for name in _names(node)}
    for node in new:
        was = by_name.get(next(iter(_names(node)), ""))
        if ast.dump(node) in known:
            continue
        if isinstance(was, ast.ClassDef) and isinstance(node, ast.ClassDef):
            yield from _added(was.body, node.body, tree, was)
            more = grown_decorators(was, node)
        else:
            more = grown(was, node, tree) if was is not None else None
        if more is None:
            yield node, owner
        else:
            yield from ((ast.copy_location(ast.Expr(one), node), owner) for one in more)
