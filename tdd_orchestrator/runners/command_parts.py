"""Split a test command that runs several commands, so that each can be a suite of its own."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

from tdd_orchestrator.runners.framework import Framework
from tdd_orchestrator.runners.table import FRAMEWORKS
from tdd_orchestrator.runners.wrappers import names_runner, unwrap

_QUOTED = re.compile(r"'[^']*'|\"(?:\\.|[^\"\\])*\"")
_NO_TESTS = re.compile(r"(?:echo|printf|set|export|:|true)\b|#|\w+=\S*$")
_LINTERS = re.compile(
    r"(?:^|[\s/])(?:ruff|flake8|mypy|pyright|pylint|black|isort|eslint|prettier|tsc|biome|stylelint|"
    r"clippy|go vet|golangci-lint|staticcheck|rubocop|phpstan|psalm|shellcheck|checkstyle|ktlint|credo)\b"
)
_COMPILES = re.compile(r"(?:^|[\s/])tsc\b(?!.*--noEmit)")
"""TypeScript's compiler, a linter only where it writes nothing: else what follows runs what it wrote."""
_PLAIN_WRAPPERS = frozenset({"make", "just", "script"})


def operators(command: str) -> bool:
    """Whether a command line needs a shell: unquoted ``&&``, ``;``, ``|`` or a redirection."""
    return bool(re.search(r"&&|[;|<>]", _QUOTED.sub("", command)))


def parts_of(command: str, root: Path) -> tuple[str, ...]:
    """Return the commands that a test command runs one after another, also behind make, just or npm.

    Empty for a single command, or if a part is neither a test runner nor a linter: then the parts may
    depend on each other.
    """
    lines = _commands(command)
    if len(lines) < 2:
        found = unwrap(command, root)
        if found is None or found[0].name not in _PLAIN_WRAPPERS:
            return ()
        lines = [line for one in found[1] for line in _commands(one.text)]
    if len(lines) < 2 or not all(_is_check(line) and not _compiles(line, root) for line in lines):
        return ()
    return tuple(dict.fromkeys(lines)) if any(_runs_tests(line) for line in lines) else ()


def runs_a_linter(command: str) -> bool:
    """Whether a command is a linter alone, whose exit code is all that there is to read."""
    return bool(_LINTERS.search(command)) and not _runs_tests(command)


def beside_tests(wrapper: str, row: Framework, root: Path) -> tuple[str, ...]:
    """Return what a command such as ``make test`` runs beside the framework; () where it does not run it."""
    found = unwrap(wrapper, root)
    lines = [line for one in found[1] for line in _commands(one.text)] if found else []
    others = tuple(line for line in lines if not names_runner(line, row.signs.words))
    return others if len(others) < len(lines) else ()


def _commands(text: str) -> list[str]:
    masked = _QUOTED.sub(lambda found: "\0" * len(found.group()), text)
    lines, start = [], 0
    for gap in re.finditer(r"\s*(?:&&|;|\n)\s*", masked):
        lines.append(text[start : gap.start()])
        start = gap.end()
    lines.append(text[start:])
    stripped = (line.strip().lstrip("@-+").strip() for line in lines)
    return [line for line in stripped if line and not _NO_TESTS.match(line)]


def _is_check(line: str) -> bool:
    return not re.search(r"[|<>$`]", line) and (_runs_tests(line) or bool(_LINTERS.search(line)))


def _compiles(line: str, root: Path) -> bool:
    words = line.split()
    named = [after for word, after in pairwise(words) if word in ("-p", "--project")]
    settings = root / (named[0] if named else "tsconfig.json")
    settings = settings / "tsconfig.json" if settings.is_dir() else settings
    text = settings.read_text(encoding="utf-8", errors="replace") if settings.is_file() else ""
    return bool(_COMPILES.search(line)) and not re.search(r'"noEmit"\s*:\s*true', text)


def _runs_tests(line: str) -> bool:
    return any(names_runner(line, row.signs.words) for row in FRAMEWORKS)
