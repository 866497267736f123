"""Whose code it is, and an eye on what tests are read with and what they assert with.

Copied beside a witness under its random name, and loaded by it. It needs nothing but Python 3.6.
"""

import builtins
import functools
import os
import re
import sys
import types
from typing import Any


def settle(names: Any) -> None:
    """A module of the witness keeps Python's own functions as they were when it was loaded."""
    names.update((key, value) for key, value in vars(builtins).items() if key[:1] != "_" and key not in names)


settle(globals())
INSTALLED = r"[/\\](?:site|dist)-packages[/\\]|[/\\]_?pytest[/\\]"
_OF_TESTS = re.compile(r"(?:^|[/\\])[^/\\]*(?:test|spec|conftest|fixture)[^/\\]*")
_DEF = re.compile(r"(?:\A|\n[ \t]*\n)(?:async +)?def +(\w+)")  # that nothing decorates
_partial, _open = functools.partial, open
_function, _module, _builtin = types.FunctionType, types.ModuleType, type(len)
_WRAPPERS = (property, _partial, types.MethodType, staticmethod, classmethod)
_INSIDE = {property: "fget", _partial: "func"}
_NAMED = (
    "ast.parse", "math.isclose", "cmath.isclose", "io.open", "io.open_code", "pathlib.Path.open", "pathlib.Path.read_bytes",
    "pathlib.PosixPath.open", "pathlib.PosixPath.read_bytes", "pathlib.WindowsPath.open", "pathlib.WindowsPath.read_bytes",
)  # fmt: skip
_WHOLE = (
    "builtins", "importlib._bootstrap_external", "pytest", "_pytest.assertion.rewrite", "_pytest.assertion.util",
)  # fmt: skip
_ASSERTING = (
    "approx", "raises", "warns", "fixture", "MonkeyPatch", "CaptureFixture", "LogCaptureFixture",
)  # fmt: skip
"""pytest's."""
_OFTEN = (
    "print", "input", "open", "__import__", "breakpoint", "exit", "quit", "help", "copyright", "credits", "license", "_",
)  # fmt: skip
_LATER = ("unittest.mock", "numpy.testing", "pandas.testing")  # loaded by the tests, if at all


@functools.lru_cache(maxsize=1000)
def production(file: Any, root: Any) -> Any:
    """The path of a file that is neither installed nor one of tests, below the root; else empty."""
    if file[:1] == "<" or re.search(INSTALLED, file):
        return ""
    near = os.path.relpath(os.path.realpath(file), os.path.realpath(root))
    outside = near.startswith("..") or re.search(INSTALLED, near)
    return "" if outside or _OF_TESTS.search(near) else near


def runs(value: Any) -> Any:
    """What is called of it in the end, out of what wraps it. Nothing is asked of an object of the project's: it may answer anything."""
    while type(value) in _WRAPPERS:
        value = getattr(value, _INSIDE.get(type(value), "__func__"))
    return value


def _code(value: Any) -> Any:
    inner = runs(value)
    called = inner if type(inner) is _function else type(inner).__call__
    return called.__code__ if type(called) is _function else None


def borrowed(function: Any, own: Any, root: Any) -> Any:
    """Where the code of a test lies, if neither in its own file nor in another one of tests: some production code's, or
    none's, was put in its place. What is installed may wrap a test."""
    code = _code(function)
    if code is None or code.co_filename == own or os.path.realpath(code.co_filename) == os.path.realpath(own):
        return []
    file = code.co_filename
    if file[:1] == "<":
        return [] if hasattr(runs(function), "__wrapped__") else ["tests with code of " + file]
    near = production(file, root)
    return ["tests with code of " + near] if near else []


def giver(value: Any, root: Any) -> Any:
    """The production code that a function or a class is from; "no file" where it has no code at all; empty for all else."""
    if isinstance(value, type):
        return production(getattr(sys.modules.get(value.__module__), "__file__", None) or "<>", root)
    code = _code(value)
    if code is None:
        return "no file"
    return code.co_filename if code.co_filename[:1] == "<" else production(code.co_filename, root)


_known: Any = {}  # id of an assertion of a class -> it, once it was judged


def of_a_test(case: Any, root: Any) -> Any:
    """unittest's own assertions in a test case of it, or what says whether two are equal, that production code set on it or on its class."""
    own = getattr(case, "__dict__", {})
    equal = own.get("_type_equality_funcs")
    odd = [("an equality", value, "") for value in equal.values()] if type(equal) is dict else []
    known = sys.modules["unittest.case"].TestCase
    odd += [(key, value, "") for key, value in own.items() if key[:6] == "assert" and hasattr(known, key)]
    for kind in type(case).__mro__[:-1]:
        for key, value in vars(kind).items() if kind.__module__ != "unittest.case" else ():
            if key[:6] == "assert" and hasattr(known, key) and _known.get(id(value)) is not value:
                _known[id(value)] = value
                odd.append((key, value, getattr(sys.modules.get(kind.__module__), "__file__", None) or ""))
    told = []
    for key, value, home in odd:
        inner = runs(value)
        code = inner.__code__ if type(inner) is _function else None
        by = production(code.co_filename, root) if code else "no file" if type(inner) is _builtin else ""
        if by and not (code and home and os.path.realpath(code.co_filename) == os.path.realpath(home)):
            told.append(f"{key} of {type(case).__name__} by {by}")
    return told


def _named(words: Any) -> Any:
    """The object that holds the last of some dotted words, and that word."""
    for at in range(len(words) - 1, 0, -1):
        value = sys.modules.get(".".join(words[:at]))
        for word in words[at:-1] if value is not None else ():
            value = getattr(value, word, None)
        if value is not None:
            return value
    return None


class Tools:
    """What tests are read with and assert with: nobody but tests and what is installed may change it."""

    def __init__(self) -> None:
        self._before: Any = []  # (object, name in it, dotted name, value)
        self._whole: Any = []  # (dotted name, names, what they stood for)

    def look(self) -> None:
        for dotted in _NAMED:
            words = dotted.split(".")
            holder = _named(words)
            if hasattr(holder, words[-1]):
                self._before.append((holder, words[-1], dotted, getattr(holder, words[-1])))
        names = vars(sys.modules["pytest"]) if "pytest" in sys.modules else {}
        kinds = [getattr(names.get(key), "__module__", None) for key in _ASSERTING]
        for name in dict.fromkeys([*_WHOLE, *filter(None, kinds)]):
            names = vars(sys.modules[name]) if name in sys.modules else {}
            self._whole.append((name, names, dict(names)))
            for key, value in names.items() if name != "builtins" else ():
                if isinstance(value, type) and value.__module__ == name:
                    self._whole.append((name + "." + key, vars(value), dict(vars(value))))

    def changed(self, root: Any) -> Any:
        odd = {
            id(getattr(holder, key, None)): (dotted, getattr(holder, key, None))
            for holder, key, dotted, value in self._before
            if getattr(holder, key, None) is not value
        }
        found = list(odd.values())
        for name, names, kept in self._whole:
            found += [
                (name + "." + key, value)
                for key, value in names.items()
                if kept.get(key, kept) is not value and _counts(name, key, value, kept)
            ]
        told = [(name, giver(value, root)) for name, value in [*found, *_late()]] + _support(root)
        return [name + " by " + by for name, by in told if by]


def _counts(name: Any, key: Any, value: Any, kept: Any) -> Any:
    """Whether a new value is a new function: of a class any, of a module one that it had, or that hides a builtin one."""
    if not callable(value) and type(value) not in _WRAPPERS and type(kept.get(key)) is not _module:
        return False
    if name == "builtins":
        return key in kept and key not in _OFTEN
    return key in kept or name not in sys.modules or key in vars(builtins)


def _late() -> Any:
    """What is not its own in modules that the tests load themselves."""
    found: Any = []
    for name in _LATER:
        module: Any = sys.modules.get(name)
        kinds = [one for one in vars(module).values() if isinstance(one, type)] if module else []
        own = [vars(one) for one in kinds if one.__module__ == name]
        for names in [vars(module), *own] if module else ():
            for key, value in names.items():
                odd = type(value) is _function and value.__code__.co_filename != module.__file__
                if odd or (key[:6] == "assert" and type(value) is not _function and callable(value)):
                    found.append((name + "." + key, value))
    return found


def _support(root: Any) -> Any:
    """What is not its own in modules of the tests, although their files define it."""
    found: Any = []
    home = os.path.realpath(root) + os.sep
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None) or ""
        near = file[len(home) :] if file.startswith(home) else ""
        if "-packages" in file or not near.endswith(".py") or not _OF_TESTS.search(near):
            continue
        odd = [
            key
            for key, value in vars(module).items()
            if (type(value) is _builtin and value.__name__ != key)
            or (type(value) is _function and value.__code__.co_filename != file)
        ]
        if odd:
            with _open(file, encoding="utf-8", errors="replace") as source:
                text = source.read()
            for key in set(odd).intersection(_DEF.findall(text)):
                if not re.search(r"(?m)^\s*(?:global .*\b)?" + key + r"\b\s*=", text):
                    found.append((near + ": " + key, giver(vars(module)[key], root)))
    return found
