"""Whether a Python test file only grew: what RED did to what was there."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from tdd_orchestrator.runners.source_model import Unparsable
from tdd_orchestrator.runners.sources_python import parsed

_Function = (ast.FunctionDef, ast.AsyncFunctionDef)


def python_added_only(before: str, after: str, path: str) -> list[str]:
    new = parsed(after, path)
    try:
        old = parsed(before, path)
    except Unparsable:
        return [f"{path} could not be parsed before; whether it only grew cannot be said."]
    faults = _kept(old.body, new.body, "")
    gone = _imported(old) - _imported(new)
    faults += [f"The import of {name} is gone." for name in sorted(gone)]
    return faults + _meddling(old, new)


def _kept(old: Sequence[ast.stmt], new: Sequence[ast.stmt], within: str) -> list[str]:
    """Every statement of ``old`` is in ``new`` as it was; classes may gain members; nothing is defined twice."""
    faults = []
    there: dict[str, list[ast.stmt]] = {}
    for node in new:
        for name in _names(node):
            there.setdefault(name, []).append(node)
    dumps = {ast.dump(node) for node in new}
    for node in old:
        if isinstance(node, (ast.Import, ast.ImportFrom)) or _docstring(node) or ast.dump(node) in dumps:
            names = [] if isinstance(node, (ast.Import, ast.ImportFrom)) else _names(node)
            faults += [
                f"{within}{name} is defined again." for name in names if len(there[name]) > _count(old, name)
            ]
            continue
        name = next(iter(_names(node)), "")
        same = [one for one in there.get(name, []) if type(one) is type(node)]
        if isinstance(node, ast.ClassDef) and same and isinstance(same[-1], ast.ClassDef):
            grown = same[-1]
            if [ast.dump(one) for one in (*node.bases, *node.decorator_list)] != [
                ast.dump(one) for one in (*grown.bases, *grown.decorator_list)
            ]:
                faults.append(f"{within}{name} has other bases or decorators.")
            faults += _kept(node.body, grown.body, f"{within}{name}.")
        elif name:
            faults.append(f"{within}{name} was changed." if same else f"{within}{name} is gone.")
        else:
            faults.append(
                f"{within or 'line '}{node.lineno}: `{ast.unparse(node).splitlines()[0][:80]}` is gone or changed."
            )
    return faults


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


_FOR_ALL = frozenset(
    {"setup_module", "teardown_module", "setUpModule", "tearDownModule", "pytest_generate_tests"}
)


def _meddling(old: ast.Module, new: ast.Module) -> list[str]:
    """Additions that reach into what was there: marks and fixtures for every test of the file, deletions."""
    known = {ast.dump(node) for node in ast.walk(old) if isinstance(node, ast.stmt)}
    if not any(isinstance(node, (*_Function, ast.ClassDef)) for node in old.body):
        return []
    return [fault for node in new.body if ast.dump(node) not in known and (fault := _reaches(node))]


def _reaches(node: ast.stmt) -> str:
    targets = node.targets if isinstance(node, ast.Assign) else []
    marks = isinstance(node, ast.Delete) or bool({"pytestmark", "__test__"} & set(_names(node)))
    if marks or any(isinstance(one, ast.Attribute) for one in targets):
        return f"`{ast.unparse(node).splitlines()[0][:80]}` acts on tests that were there."
    if not isinstance(node, _Function):
        return ""
    if any("autouse=True" in ast.unparse(one) for one in node.decorator_list):
        return f"The new fixture {node.name} acts on every test of the file."
    return f"The new {node.name} acts on every test of the file." if node.name in _FOR_ALL else ""
