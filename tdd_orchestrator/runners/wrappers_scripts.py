"""The repository's own scripts that a test command starts, however many wrappers lie between (T10)."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from tdd_orchestrator.runners.wrappers import behind, text_of

_DEEP = 4  # scripts that start scripts
_INTERPRETERS = frozenset({
    "sh", "bash", "zsh", "dash", "node", "tsx", "ts-node", "bun", "deno", "python", "python3", "ruby", "perl", "php", "lua", "tclsh", "Rscript", "source", ".", "env", "time", "exec", "npx", "uv", "poetry", "bundle", "run",
})  # fmt: skip
_TELLING = re.compile(
    r"(?:^|[/_.-])(?:scripts?|tools?|ci|tests?|checks?|verify|run|all|spec)(?:[/_.-]|$)", re.IGNORECASE
)
"""A command may also start the very program under test: only what is called like a script of the project's counts."""
_BETWEEN = re.compile(r"&&|\|\||[;|\n]")


def scripts_behind(command: Sequence[str], root: Path, cwd: str = "") -> set[str]:
    """Paths, from ``root``, of scripts that the command starts directly or through make, npm, or one another. What a
    command is only given as an argument is not among them."""
    found: set[str] = set()
    texts = [shlex.join(command)]
    for _ in range(_DEEP):
        texts = list(_next(texts, root / cwd, found))
    return {os.path.normpath(os.path.join(cwd, path)) for path in found}


def _next(texts: Sequence[str], folder: Path, found: set[str]) -> Iterator[str]:
    for text in texts:
        wrapped = behind(text, folder) if "\n" not in text else None
        if wrapped is not None:
            yield from (inside.text for inside in wrapped[1])
        for path in _started(text, folder):
            if path not in found:
                found.add(path)
                yield text_of(folder / path)


def _started(text: str, folder: Path) -> Iterator[str]:
    """The first word of each command, or the first after an interpreter and its options, where it is a file here."""
    for one in _BETWEEN.split(text):
        for word in one.split():
            if "=" in word or word.startswith("-") or word in _INTERPRETERS:
                continue
            path = word.strip("\"'").removeprefix("./")
            inside = path and not path.startswith(("/", "..")) and ("/" in word or "." in word)
            if inside and _TELLING.search(path) and (folder / path).is_file():
                yield path
            break
