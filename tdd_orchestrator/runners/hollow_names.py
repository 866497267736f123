"""What the names of one Python test stand for, as far as its form shows."""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Iterator, Mapping
from types import MappingProxyType

BROAD = ("BaseException", "Exception", "AssertionError")


def last_name(node: ast.expr) -> str:
    """The last name of ``pytest.mark.skip(reason=...)``: skip."""
    if isinstance(node, ast.Call):
        node = node.func
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def statements_of(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for block in ("body", "orelse", "finalbody"):
        statements = getattr(node, block, None)
        if isinstance(statements, list):
            yield statements


class Locals:
    """Names that are bound once, in the test, to another name or to a constant: they are that."""

    def __init__(
        self,
        test: ast.FunctionDef | ast.AsyncFunctionDef,
        imported: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._imported = imported
        nodes = list(ast.walk(test))
        bound = [name for one in nodes for name in _binds(one)]
        self._bound = Counter(name for name, _ in bound)
        self._since = dict(bound)
        self.used = Counter(
            one.id for one in nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)
        )
        self.nodes, self._body = nodes, test.body
        self._is: dict[str, tuple[int, ast.expr]] = {}
        for one in nodes:
            match one:
                case ast.Assign(targets=[ast.Name(name)], value=value) if self._bound[name] == 1:
                    self._is[name] = (one.lineno, value)

    def seen(self, node: ast.expr) -> ast.expr:
        """The same expression, with what each name is known to stand for."""
        known = self._is and any(isinstance(one, ast.Name) and one.id in self._is for one in ast.walk(node))
        return node if not known else _Known(self, node).visit(copy.deepcopy(node))

    def stands_for(self, name: str, line: int) -> ast.expr | None:
        """The constant or name that this one is, where that was said before ``line``."""
        where, value = self._is.get(name, (line, None))
        if where >= line:
            return None
        if (
            isinstance(value, ast.Name)
            and self._bound[value.id] <= 1
            and self._since.get(value.id, 0) < where
        ):
            return self.stands_for(value.id, where) or value
        return value if isinstance(value, ast.Constant) else None

    def origin(self, node: ast.expr) -> str:
        """``unittest.mock.ANY``, however the file calls it; empty for what is no plain name."""
        if isinstance(node, ast.Attribute):
            return f"{self.origin(node.value)}.{node.attr}"
        return self._imported.get(node.id, "") if isinstance(node, ast.Name) else ""

    def empty(self, node: ast.expr) -> bool:
        """Whether there is nothing in what is gone through."""
        if isinstance(node, ast.Name) and self.used[node.id] == 1:  # nothing else has put something in
            where, value = self._is.get(node.id, (node.lineno, node))
            return where < node.lineno and value is not node and self.empty(value)
        match node:
            case ast.Tuple() | ast.List() | ast.Set():
                return not node.elts
            case ast.Dict():
                return not node.keys
            case ast.Constant():
                return node.value in ("", b"")
            case ast.Call(func=ast.Name("range"), args=[*given], keywords=[]):
                numbers = [one.value for one in given if isinstance(one, ast.Constant)]
                whole = len(numbers) == len(given) in (1, 2) and all(type(one) is int for one in numbers)
                return whole and not range(*numbers)  # type: ignore[arg-type]
            case ast.Call(func=ast.Name("list" | "tuple" | "set" | "dict" | "zip"), args=[], keywords=[]):
                return True
            case ast.Call(func=ast.Name("enumerate" | "sorted" | "reversed" | "list" | "iter"), args=[one]):
                return self.empty(one)
        return False

    def only_noted(self, name: str) -> bool:
        """A list or set that the test itself adds to, and nobody else looks into."""
        if not isinstance(self._is.get(name, (0, None))[1], (ast.List, ast.Set)):
            return False
        noted = sum(
            isinstance(one, ast.Expr)
            and isinstance(one.value, ast.Call)
            and isinstance(one.value.func, ast.Attribute)
            and one.value.func.attr in ("append", "add")
            and last_name(one.value.func.value) == name
            for one in self._body
        )
        asserted = sum(isinstance(one, ast.Assert) and last_name(one.test) == name for one in self.nodes)
        return 0 < noted == self.used[name] - asserted


def _binds(node: ast.AST) -> Iterator[tuple[str, int]]:
    """(name that a node binds, its line); what is shared with others counts as bound more than once."""
    match node:
        case ast.arg(arg=name):
            yield name, 0
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            yield name, node.lineno
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            yield from ((name, node.lineno) for name in (*names, *names))
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name, node.lineno
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name, node.lineno
        case ast.alias(name=name, asname=other):
            yield other or name.split(".")[0], node.lineno


class _Known(ast.NodeTransformer):
    def __init__(self, names: Locals, whole: ast.expr) -> None:
        self._names = names
        self._line = getattr(whole, "lineno", 0)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._names.stands_for(node.id, self._line) or node
