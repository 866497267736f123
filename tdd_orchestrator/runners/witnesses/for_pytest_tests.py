"""The part of the pytest witness that knows what each test was when it was collected, and sees whether that is what was called.

Copied beside the witness under its random name, and loaded by it. What it needs and may use is the same.
"""

import ast
import importlib
import operator
import os
import re
import sys
from typing import Any

import pytest

_shared = importlib.import_module(__name__.rpartition("_")[0] + "_shared")
_shared.settle(globals())
_compile, _open, _is = compile, open, operator.is_
_DEFINED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Tests:
    """The functions of the tests as they were collected: a decorator may have made them, nobody may change them after that."""

    def __init__(self) -> None:
        self._taken: Any = {}  # test -> (its function, its code)
        self._codes: Any = {}  # id of a code -> (that code, its bytes, its constants)

    def took(self, item: Any, root: Any) -> Any:
        """At the collection: the name of what stands in a test's place."""
        function = getattr(item, "function", None)
        code = getattr(function, "__code__", None)
        self._taken[item] = (function, code)
        if code is not None and id(code) not in self._codes:
            self._codes[id(code)] = (code, code.co_code, list(code.co_consts))
        elif code is None and function is not None and _plainly_defined(item):
            return [item.nodeid]
        found = _shared.borrowed(function, _file(item), root)
        return [] if found and _decorated_by(item, function) else found

    def changed(self, item: Any, root: Any) -> Any:
        """After its call: its name, if another one was called. Plug-ins and fixtures may wrap a test before."""
        function, code = self._taken.get(item, (None, None))
        now = getattr(item, "function", None)
        if function is None or (now is function and getattr(now, "__code__", None) is code):
            return [] if code is None or self._is_whole(code) else [item.nodeid]
        known = any(now is one for one, _ in self._taken.values())
        return [] if not known and _at_home(now, item, root) else [item.nodeid]

    def _is_whole(self, code: Any) -> Any:
        _, did, constants = self._codes[id(code)]
        return code.co_code == did and all(map(_is, code.co_consts, constants))


def _at_home(function: Any, item: Any, root: Any) -> Any:
    """Whether a function was written in the loaded module whose names it uses, and that is installed or a file of tests."""
    code = getattr(function, "__code__", None)
    names: Any = getattr(function, "__globals__", {})
    for module in (sys.modules.get(names.get("__name__", "")), getattr(item, "module", None)):
        if code is not None and getattr(module, "__dict__", None) is names:
            file = os.path.realpath(getattr(module, "__file__", None) or "")
            written = os.path.realpath(code.co_filename) == file
            return written and (
                re.search(_shared.INSTALLED, file) or not _shared.borrowed(function, "", root)
            )
    return False


def _definition(item: Any) -> Any:
    """What a test's file says of it: its ``def``, and all that is read or set there by its name; None where it has no ``def``."""
    if type(item) is not pytest.Function or not _file(item).endswith(".py"):
        return None, []
    with _open(_file(item), "rb") as file:
        tree: Any = _compile(file.read(), "a file of tests", "exec", ast.PyCF_ONLY_AST, True)
    where = tree
    for name in [node.name for node in item.listchain() if isinstance(node, pytest.Class)] + [_name(item)]:
        found = [one for one in where.body if isinstance(one, _DEFINED) and one.name == name]
        if not found:
            return None, []
        where = found[-1]
    return where, [one for one in ast.walk(tree) if isinstance(one, ast.Name) and one.id == where.name]


def _file(item: Any) -> Any:
    return str(getattr(item, "path", None) or item.fspath)


def _name(item: Any) -> Any:
    return getattr(item, "originalname", None) or item.name


def _words(decorator: Any) -> Any:
    """``a.b.c`` of ``@a.b.c`` and of ``@a.b.c(...)``, in order."""
    words: Any = []
    while isinstance(decorator, (ast.Attribute, ast.Call)):
        words[:0] = [decorator.attr] if isinstance(decorator, ast.Attribute) else []
        decorator = decorator.value if isinstance(decorator, ast.Attribute) else decorator.func
    return [getattr(decorator, "id", ""), *words]


def _plainly_defined(item: Any) -> Any:
    """Whether a test's file defines it by a ``def`` that nothing but marks decorates and nothing assigns to anew."""
    found, names = _definition(item)
    if found is None or any(_words(one)[:2] != ["pytest", "mark"] for one in found.decorator_list):
        return False
    return all(isinstance(one.ctx, ast.Load) for one in names)


def _decorated_by(item: Any, function: Any) -> Any:
    """Whether the test's file decorates it with what was written in the file that its function's code is from."""
    code: Any = getattr(function, "__code__", None)
    found, _ = _definition(item)
    for one in found.decorator_list if found is not None and code is not None else ():
        value = item.module
        for word in _words(one):
            value = getattr(value, word, None)
        file = getattr(sys.modules.get(getattr(value, "__module__", None) or ""), "__file__", None) or "?"
        if os.path.realpath(file) == os.path.realpath(code.co_filename):
            return True
    return False
