"""Detect bash's message about a killed command, if that command ran tests."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tdd_orchestrator.testlog.parsers.choose import command_words
from tdd_orchestrator.testlog.reading import TextRow

_SIGNALS = (
    "(?:Killed|Segmentation fault|Aborted|Bus error|Illegal instruction|Floating point exception"
    "|Trace/breakpoint trap)"
)
# bash names itself or its script; the message may follow the killed program's output on the same line
_SHELL = re.compile(
    rf"\S: line \d{{1,9}}: {{1,9}}\d{{1,9}} {_SIGNALS}(?: {{1,20}}\(core dumped\))? {{2,40}}"
    r"(?P<command>\S.*)$"
)
_STARTERS = frozenset({
    "npm", "npx", "yarn", "pnpm", "make", "tox", "nox", "bundle", "composer", "gradle", "gradlew", "mvn",
    "mvnw",
    "cargo", "go", "dotnet", "swift", "sbt", "mix", "lein", "rake", "just",
})  # fmt: skip
_TEST = re.compile(r"(?:^|[:_.-])(?:tests?|check|spec|unit)(?:$|[:_.-])")


def find_signal_exit(lines: Iterable[str], rows: Sequence[TextRow]) -> str:
    """Return the line, '' if none.

    The command has to be one that runs tests: a server that a test stops is killed too.
    """
    for line in lines:
        if ": line " in line and (found := _SHELL.search(line)) and _runs_tests(found["command"], rows):
            return line.strip()
    return ""


def _runs_tests(command: str, rows: Sequence[TextRow]) -> bool:
    words = command_words(command)
    if any(word in words or (" " in word and word in command) for row in rows for word in row.commands):
        return True
    return bool(words & _STARTERS) and any(map(_TEST.search, words))
