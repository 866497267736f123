"""Collect a run's reports into one file: its private one, a folder of them, or files in the tree."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from xml.etree import ElementTree

from tdd_orchestrator.model.errors import raise_if_of_machine
from tdd_orchestrator.runners.framework import Ask, matches

_LIMIT = 64 << 20  # bytes of all joined reports
_SKIPPED = frozenset({".git", "node_modules", ".venv"})


def collect_reports(ask: Ask, target: Path, cwd: Path, started: float) -> Path | None:
    """Return the run's report, or None. Reports in the tree count only if written since ``started``
    (Unix time)."""
    if ask.format == "text":
        return None
    if ask.collect:
        return join_reports(_fresh(cwd, ask.collect, started), target.with_name("joined.xml"))
    if target.is_dir():
        found = (Path(folder, name) for folder, _, names in _walk(target) for name in names)
        return join_reports(
            sorted(path for path in found if path.suffix in (".xml", ".trx")), target.with_name("joined.xml")
        )
    return target if target.exists() else None


def _walk(top: Path) -> Iterator[tuple[str, list[str], list[str]]]:
    """Walk the folders like ``os.walk``, but raise the machine's OSErrors instead of skipping tests."""
    return os.walk(top, onerror=raise_if_of_machine)


def _fresh(cwd: Path, globs: tuple[str, ...], started: float) -> Iterable[Path]:
    """Yield report files of the tree that this run wrote, with a second's tolerance."""
    for folder, names, files in _walk(cwd):
        names[:] = sorted(name for name in names if name not in _SKIPPED)
        for name in sorted(files):
            path = Path(folder, name)
            fits = matches(path.relative_to(cwd).as_posix(), globs)
            if fits and not path.is_symlink() and path.stat().st_mtime >= started - 1.0:
                yield path


def join_reports(paths: Iterable[Path], into: Path) -> Path | None:
    """Join several JUnit or TRX files into one.

    A file that cannot be parsed, or has a DTD (entities may expand without end), is returned alone: the
    reader reports why.
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
