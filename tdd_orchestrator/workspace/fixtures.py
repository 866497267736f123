"""Find code and data outside of the tests that tests take fixtures, hooks or data from (T3)."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Callable, Collection, Iterable, Iterator

from tdd_orchestrator.runners.framework import matches

_MAX_DEPTH = 3  # levels of modules that import from others
_ROOTS = ("", "src/", "lib/")
_OFFERS = re.compile(r"(?m)^[ \t]*(?:@(?:\w+\.){0,3}fixture\b|(?:async[ \t]+)?def[ \t]+pytest_\w)")
PYTEST_SETTINGS = ("pytest.ini", ".pytest.ini", "pytest.toml", "pyproject.toml", "setup.cfg", "tox.ini")
_OPTION = re.compile(r"(?<![\w-])-p[\s\"',=]{0,4}([A-Za-z_]\w*(?:\.\w+){0,9})")
_WORD = re.compile(r"[^\s\"',=\[\]]+")
_PYTEST = re.compile(r"py\.?test|addopts", re.IGNORECASE)
_PRODUCT = re.compile(r"pytest11[\"']?\]?[^\[]{0,400}")
"""A project's declaration as a pytest plug-in: the modules it names are under test."""


def borrowed(paths: Collection[str], read: Callable[[str], str], command: str = "") -> frozenset[str]:
    """Return the files that define the tests' fixtures and hooks.

    ``read`` returns the text of a path; ``command``: how the tests are run.
    """
    there = paths if isinstance(paths, (set, frozenset)) else frozenset(paths)
    settings = [read(path) for path in PYTEST_SETTINGS if path in there]
    product = " ".join(found for text in settings for found in _PRODUCT.findall(text))
    wanted = [("", module, True) for text in (command, *settings) for module in _plug_ins(text)]
    for path in there:
        if path == "conftest.py" or path.endswith("/conftest.py"):
            wanted += _wanted(path, read(path))
    found: set[str] = set()
    for _ in range(_MAX_DEPTH):
        fresh = [one for one in _files(wanted, there, read, product) if one not in found]
        found.update(fresh)
        wanted = [one for path in fresh for one in _wanted(path, read(path))]
    return frozenset(found | {other for path in found for other in _in_front(path)})


def _plug_ins(text: str) -> Iterator[str]:
    """Yield the modules that pytest loads by ``-p``; other programs have an option of that name (mypy)."""
    for line in text.splitlines():
        for found in _OPTION.finditer(line):
            words = _WORD.findall(line[: found.start()])
            if all(word.startswith("-") for word in words) or _PYTEST.search(line[: found.start()]):
                yield found[1]


def _files(
    wanted: list[tuple[str, str, bool]], there: Collection[str], read: Callable[[str], str], product: str
) -> Iterator[str]:
    for folder, module, named in wanted:
        stem = module.replace(".", "/")
        for root in dict.fromkeys((*_ROOTS, *_above(folder))):
            for path in (f"{root}{stem}.py", f"{root}{stem}/__init__.py"):
                mine = path in there and not re.search(rf"(?<![\w.]){re.escape(module)}(?![\w.])", product)
                if mine and (named or _OFFERS.search(read(path))):
                    yield path


def _above(folder: str) -> list[str]:
    """Return the folder and its parents, each with a slash: pytest adds them to the path for conftest
    files."""
    parts = folder.split("/")
    return ["/".join(parts[:count]) + "/" for count in range(len(parts), 0, -1) if parts[0]]


def _in_front(path: str) -> tuple[str, ...]:
    """Return other files that would be imported as the same module, a package before the file."""
    stem = path.removesuffix(".py").removesuffix("/__init__")
    return (f"{stem}.py", f"{stem}/__init__.py")


def _wanted(path: str, text: str) -> list[tuple[str, str, bool]]:
    """Return (folder of the file, module, named as a plug-in) for all imports of a file."""
    folder = path.rpartition("/")[0]
    found = []
    for level, module, named in _taken(text):
        if level:
            parts = folder.split("/") if folder else []
            package = parts[: len(parts) - level + 1] if level - 1 <= len(parts) else []
            module = ".".join((*package, *([module] if module else [])))
        if module:
            found.append((folder, module, named))
    return found


@functools.lru_cache(maxsize=256)
def _taken(text: str) -> tuple[tuple[int, str, bool], ...]:
    """Return (dots of a relative import, module, named in pytest_plugins)."""
    try:
        tree = ast.parse(text.removeprefix("\ufeff"))
    except (SyntaxError, ValueError, RecursionError):
        return ()
    found: list[tuple[int, str, bool]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            inside = node.module or ""
            found.append((node.level, inside, False))
            found += [
                (node.level, f"{inside}.{one.name}".strip("."), False)
                for one in node.names
                if one.name != "*"
            ]
        elif isinstance(node, ast.Import):
            found += [(0, one.name, False) for one in node.names]
        elif isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(one, ast.Name) and one.id == "pytest_plugins" for one in targets):
                constants = (one.value for one in ast.walk(node.value) if isinstance(one, ast.Constant))
                found += [(0, name, True) for name in constants if isinstance(name, str)]
    return tuple(found)


_CODE = ("**/*.{py,js,jsx,ts,tsx,mjs,cjs,mts,cts,rb,php,go,rs,java,kt,cs}",)


def may_be(path: str) -> bool:
    return matches(path, ("**/fixtures/**",)) and not matches(path, _CODE)


def named(paths: Iterable[str], tests: Iterable[str]) -> frozenset[str]:
    """Return those of ``paths`` whose name, with or without suffix, is in a literal of ``tests``."""
    texts = "\n".join(tests)
    quoted = {word.rpartition("/")[2] for word in re.findall(r"['\"`]([^'\"`\n]{1,200})['\"`]", texts)}
    return frozenset(path for path in paths if _names(path) & quoted)


def _names(path: str) -> set[str]:
    name = path.rpartition("/")[2]
    return {name, name.partition(".")[0]}
