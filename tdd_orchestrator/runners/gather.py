"""Report files that a run left, as one file: its own private one, a folder of them, or those it wrote into
the tree."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from xml.etree import ElementTree

from tdd_orchestrator.model.errors import raise_if_of_machine
from tdd_orchestrator.runners.framework import Ask, matches

_LIMIT = 64 << 20  # bytes of reports in all that are joined
_SKIPPED = frozenset({".git", "node_modules", ".venv"})


def gathered(ask: Ask, target: Path, cwd: Path, begun: float) -> Path | None:
    """The one report of the run, or None. Reports in the tree count only if written since ``begun`` (Unix
    time)."""
    if ask.format == "text":
        return None
    if ask.collect:
        return joined(_fresh(cwd, ask.collect, begun), target.with_name("joined.xml"))
    if target.is_dir():
        found = (Path(folder, name) for folder, _, names in _walked(target) for name in names)
        return joined(
            sorted(path for path in found if path.suffix in (".xml", ".trx")), target.with_name("joined.xml")
        )
    return target if target.exists() else None


def _walked(top: Path) -> Iterator[tuple[str, list[str], list[str]]]:
    """As ``os.walk``. OSError where the machine failed: the tests of a folder passed over would be
    missing."""
    return os.walk(top, onerror=raise_if_of_machine)


def _fresh(cwd: Path, globs: tuple[str, ...], begun: float) -> Iterable[Path]:
    """Report files of the tree that this run wrote; a file system may keep time to the second."""
    for folder, names, files in _walked(cwd):
        names[:] = sorted(name for name in names if name not in _SKIPPED)
        for name in sorted(files):
            path = Path(folder, name)
            fits = matches(path.relative_to(cwd).as_posix(), globs)
            if fits and not path.is_symlink() and path.stat().st_mtime >= begun - 1.0:
                yield path


def joined(paths: Iterable[Path], into: Path) -> Path | None:
    """All suites of several JUnit files, or runs of several TRX, in one. A file that cannot be parsed is
    handed on alone: the reader says why.

    Raises nothing for bad XML; DTDs are refused by handing on that file too, since entities may grow without
    end.
    """
    root, size, seen = ElementTree.Element("testsuites"), 0, 0
    for path in paths:
        size += path.stat().st_size
        text = path.read_bytes() if size <= _LIMIT else b""
        if not text or b"<!DOCTYPE" in text or b"<!ENTITY" in text:
            return path
        try:
            top = ElementTree.fromstring(text)
        except ElementTree.ParseError:
            return path
        if top.tag.endswith("}TestRun"):
            root.tag = top.tag
        root.extend(list(top) if top.tag in ("testsuites", root.tag) else [top])
        seen += 1
    if not seen:
        return None
    ElementTree.ElementTree(root).write(into, encoding="utf-8", xml_declaration=True)
    return into
