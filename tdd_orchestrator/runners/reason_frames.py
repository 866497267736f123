"""Find whose code raised a failure: the innermost frame of its stack in the project's tree."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from tdd_orchestrator.languages.source import calls_up_to, words_up_to
from tdd_orchestrator.text import LazyRegex, parse_entries


class Origin(StrEnum):
    """Whose code raised an exception."""

    TEST = "test"  # a test file, or a file that only tests use
    PROJECT = "project"
    FOREIGN = "foreign"  # the stack never enters the tree
    UNKNOWN = ""  # no stack, or an unknown form


def _no_test(path: str, line: int) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Layout:
    """The files of the tree, and which of them (or of their lines) belong to tests."""

    paths: frozenset[str] = frozenset()
    is_test: Callable[[str, int], bool] = _no_test
    folders: tuple[str, ...] = ()  # where the suites are run
    text_of: Callable[[str], str] = lambda path: ""
    defines: Callable[[str], bool] = lambda name: False  # whether a file of the tree defines a name

    def find(self, file: str) -> str:
        """Return the path in the tree that a frame names; empty if it is outside."""
        file = _plain(file)
        if _is_foreign(file):
            return self._generated_by(file)
        for folder in ("", *self.folders):
            path = posixpath.normpath(posixpath.join(folder, file))
            if path in self.paths:
                return path
        ends = sorted(path for path in self.paths if path.endswith(f"/{file}"))
        return ends[0] if ends and not file.startswith("..") else ""

    def _generated_by(self, file: str) -> str:
        """Return the module that generated code without a file names: ``<package.module.Name-1>``."""
        for name in _MODULE.findall(file) if file.startswith("<") else ():
            parts = name.split(".")
            ends = ["/".join(parts[:size]) + ".py" for size in range(len(parts), 0, -1)]
            found = [path for end in ends for path in self.paths if path == end or path.endswith(f"/{end}")]
            if found:
                return found[0]
        return ""

    def origin(self, frames: Sequence[str]) -> Origin:
        """Return whose code the stack ends in. ``frames`` are "file:line", outermost first.

        What a test double throws on purpose is the project's, where the project called it and let it pass.
        """
        inside = self._inside(frames)
        if inside:
            own = [self.is_test(*place) for place in inside]
            thrown = own[-1] and not all(own) and self._throws(*inside[-1])
            return Origin.TEST if own[-1] and not thrown else Origin.PROJECT
        outside = all(_is_foreign(_plain(frame.rpartition(":")[0])) for frame in frames)
        return Origin.FOREIGN if frames and outside else Origin.UNKNOWN

    def had_called(self, frames: Sequence[str]) -> bool:
        """Whether the test had called the project when it raised, and the line that raised is no ``raise``."""
        inside = self._inside(frames)
        if not inside or self._throws(*inside[-1]):
            return False
        asked: set[str] = set()

        def ours(name: str) -> bool:
            if len(asked) < _WORDS:
                asked.add(name)
            return name in asked and self.defines(name)

        return not all(self.is_test(*place) for place in inside) or any(
            calls_up_to(self.text_of(path), path, line, ours) for path, line in inside
        )

    def uses_project(self, place: str) -> bool:
        """Whether the test at a place ("file:line") names what a file of the tree defines, up to that line."""
        path, line = self._place(place)
        return bool(path) and any(map(self.defines, words_up_to(self.text_of(path), path, line)[:_WORDS]))

    def _throws(self, path: str, line: int) -> bool:
        lines = self.text_of(path).splitlines()
        return 0 < line <= len(lines) and bool(_THROWS.match(lines[line - 1]))

    def _inside(self, frames: Sequence[str]) -> list[tuple[str, int]]:
        """Return the places in the tree that a stack names, outermost first."""
        return [place for frame in frames if (place := self._place(frame))[0]]

    def _place(self, frame: str) -> tuple[str, int]:
        """Return the path in the tree and the line that a frame names; no path if it is outside."""
        file, _, line = frame.rpartition(":")
        return self.find(file), int(line) if line.isdigit() else 0


_WORDS = 100  # that are looked for in the tree: a search each
_THROWS = re.compile(r"\s*(?:raise|throw|panic|todo|unimplemented|die|error(?=\())\b")
_CHAIN = re.compile(
    r"^(?:During handling of the above exception, another exception occurred"
    r"|The above exception was the direct cause of the following exception):",
    re.MULTILINE,
)
_MODULE = re.compile(r"[A-Za-z_]\w*(?:\.\w+)+")


def _plain(file: str) -> str:
    return file.removeprefix("file://").replace("\\", "/")


def _is_foreign(file: str) -> bool:
    """Whether a file's name is absolute: paths in the tree have been made relative."""
    return file.startswith("/") or bool(_FOREIGN.search(file))


_FOREIGN = re.compile(
    r"^(?:node|internal|rustc|<)[:/\w]|(?:^|/)(?:site-packages|node_modules|vendor|\.cargo)/"
)


_TABLE = r"""
python, pytest's own style
  outer    ^(?P<file>[^\s:]+\.pyx?|<[^>\n]+>):(?P<line>\d+):(?: in |[ \t]*$| [A-Za-z_][\w.]*$)
python
  outer    ^\s*File \"(?P<file>[^\"]+)\", line (?P<line>\d+)
jvm
  inner    ^\s*at (?P<owner>[\w.$/@]+)\((?P<file>[\w$]+\.(?:java|kt|scala|groovy)):(?P<line>\d+)\)
.net
  inner    ^\s*at .* in (?P<file>\S.*?\.(?:cs|fs|vb)):line (?P<line>\d+)
javascript
  inner    ^\s*(?:at|❯) (?:.*[( ])?(?P<file>[^()\s]+?):(?P<line>\d+)(?::\d+)?\)?\s*$
rust
  inner    panicked at (?:'.*', )?(?P<file>\S+?\.rs):(?P<line>\d+)
go
  inner    ^\s+(?P<file>\S+\.go):(?P<line>\d+)(?: \+0x[0-9a-f]+)?\s*$
ruby
  inner    ^\s*(?:# )?(?P<file>[^\s:]+\.(?:rb|rake)):(?P<line>\d+)(?::in |\s*$)
php
  inner    ^\s*(?:#\d+ )?(?P<file>[^\s:()]+\.php)[:(](?P<line>\d+)\)?
elixir
  inner    ^\s*(?:\([\w .-]+\) )?(?P<file>[^\s:]+\.exs?):(?P<line>\d+):␣
lua
  inner    ^\s*(?P<file>[^\s:]+\.lua):(?P<line>\d+): in␣
perl
  outer    ␣at (?P<file>\S+\.(?:p[lm]|t)) line (?P<line>\d+)\.?$
"""
"""The kinds of stacks: which end of one comes first, and how a frame is written, with the groups ``file``, ``line``
and, for a method, ``owner``. The first kind found in a text is used."""

_TRACES = [
    (LazyRegex(pattern, re.MULTILINE), first)
    for entry in parse_entries(_TABLE)
    for first, pattern in entry.fields
]


def frames_in(text: str) -> tuple[str, ...]:
    """Return a failure's stack as "file:line", outermost first; of a chain, its last exception's."""
    text = _CHAIN.split(text)[-1]
    for pattern, first in _TRACES:
        found = [_frame(match.groupdict()) for match in pattern.finditer(text)]
        if found:
            return tuple(found if first == "outer" else reversed(found))
    return ()


def _frame(groups: dict[str, str | None]) -> str:
    """Return a frame; a JVM's names its file without folders, which are those of the package."""
    file, owner = groups["file"] or "", groups.get("owner") or ""
    package = owner.rpartition("/")[2].split(".")[:-2]
    return f"{'/'.join([*package, file])}:{groups['line']}"
