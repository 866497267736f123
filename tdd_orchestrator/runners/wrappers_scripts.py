"""Find the repository's scripts that a test command starts through wrappers, and what they include (T10)."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from tdd_orchestrator.runners.wrappers import names_runner, text_of, unwrap

_MAX_DEPTH = 4  # scripts that start scripts
_INTERPRETERS = frozenset({
    "sh", "bash", "zsh", "dash", "node", "tsx", "ts-node", "bun", "deno", "python", "python3", "ruby", "perl",
    "php", "lua", "tclsh", "Rscript", "source", ".", "env", "time", "exec", "npx", "uv", "poetry", "bundle",
    "run",
})  # fmt: skip
_VERSION = re.compile(r"(?<=python)\d[\d.]*$")
_SCRIPT_NAME = re.compile(
    r"(?:^|[/_.-])(?:scripts?|tools?|ci|tests?|checks?|verify|run|all|spec)(?:[/_.-]|$)", re.IGNORECASE
)
"""Only files named like scripts count: a command may also start the program under test."""
_INCLUDED = {
    "make": re.compile(r"(?m)^ *[-s]?include[ \t]+([^#\n]+)"),
    "just": re.compile(r"(?m)^import\??[ \t]+(['\"][^'\"\n]+['\"])"),
    "task": re.compile(r"(?m)^[ \t]+\w+:[ \t]*(['\"]?\./[^\s'\"]+)"),
}
"""How a wrapper's file includes another file."""
_SOURCED = re.compile(
    r"(?m)(?:^|[;&|({]|\bthen|\bdo|\belse)[ \t]*(?:\.|source)[ \t]+([^\s;&|#]+(?:[ \t]+\"\$0\"\)[^\s;&|#]*)?)"
)
_IMPORTED = re.compile(r"(?m)^(?:from|import)[ \t]+(\w+)")
_BETWEEN = re.compile(r"&&|\|\||[;|\n]")


def scripts_behind(command: Sequence[str], root: Path, cwd: str = "", words: Sequence[str] = ()) -> set[str]:
    """Return paths of scripts that the command starts, directly, through wrappers or each other.

    Included files count too; files that are only arguments do not. ``words``: patterns of the runner's
    command lines; a script without one may source the code under test, which does not count.
    """
    found: set[str] = set()
    texts = [shlex.join(command)]
    for _ in range(_MAX_DEPTH):
        texts = list(_next(texts, root / cwd, found, words))
    return {os.path.normpath(os.path.join(cwd, path)) for path in found}


def _next(texts: Sequence[str], folder: Path, found: set[str], words: Sequence[str]) -> Iterator[str]:
    for text in texts:
        wrapped = unwrap(text, folder) if "\n" not in text else None
        if wrapped is not None:
            wrapper, insides = wrapped
            yield from (inside.text for inside in insides)
            for inside in insides if wrapper.name in _INCLUDED else ():
                _include(folder, inside.by, _INCLUDED[wrapper.name], found)
        for path in _started(text, folder):
            if path not in found:
                found.add(path)
                script = text_of(folder / path)
                _read_in(folder, path, script, found, words)
                yield script


def _read_in(folder: Path, path: str, script: str, found: set[str], words: Sequence[str]) -> None:
    """Add the files that a script reads: shell scripts before the runner starts, Python modules beside it."""
    if path.endswith(".py"):
        beside = os.path.dirname(path)
        modules = (f"{beside}/{name}.py" for name in _IMPORTED.findall(script) if beside)
        found.update(one for one in modules if (folder / one).is_file())
    elif names_runner(script, words):
        _include(folder, path, _SOURCED, found)


def _include(folder: Path, path: str, named: re.Pattern[str], found: set[str]) -> None:
    """Add the files that a file includes, and those that they include."""
    waiting, seen = [path], {path}
    while waiting:
        one = waiting.pop()
        for words in named.findall(text_of(folder / one)):
            for word in words.split():
                fresh = {*_places(folder, os.path.dirname(one), word)} - seen
                seen |= fresh
                found |= fresh
                waiting += fresh


def _places(folder: Path, beside: str, word: str) -> Iterator[str]:
    """Yield the files that a word may mean, from the command's folder or the naming file's.

    A variable may stand for either folder.
    """
    tail = (
        re.split(r"\$\w+|[)}\"'`]", word.strip("\"'`"))[-1].lstrip("/") if "$" in word else word.strip("\"'")
    )
    for place in (tail, os.path.join(beside, tail)):
        pattern = os.path.normpath(place.replace("**", "*"))
        if tail and pattern != "." and not pattern.startswith(("/", "..")):
            there = (path for path in folder.glob(pattern) if path.is_file())
            yield from (path.relative_to(folder).as_posix() for path in there)


def _started(text: str, folder: Path) -> Iterator[str]:
    """Yield the file that each command starts: its first word, or the first after an interpreter."""
    for one in _BETWEEN.split(text):
        for word in one.split():
            if (
                "=" in word
                or word.startswith("-")
                or _VERSION.sub("", os.path.basename(word)) in _INTERPRETERS
            ):
                continue
            path = word.strip("\"'").removeprefix("./")
            inside = path and not path.startswith(("/", "..")) and ("/" in word or "." in word)
            if inside and _SCRIPT_NAME.search(path) and (folder / path).is_file():
                yield path
            break
