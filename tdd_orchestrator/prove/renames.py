"""Recognize a change that only gives names: the same tokens, once every old name is replaced by its new one.

Only names that the project itself defines can be renamed: `min` to `max` is another program. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import PurePosixPath

from tdd_orchestrator.languages import language_of
from tdd_orchestrator.languages.source import code_tokens, defined_names
from tdd_orchestrator.model.report import Report
from tdd_orchestrator.workspace.guard import Change

_NAME = re.compile(r"[^\W\d]\w*")


def renames(changes: Iterable[Change]) -> dict[str, str]:
    """Return old name -> new name where a change does nothing else; empty where it does more, or nothing."""
    changes = list(changes)
    pairs = _pairs(changes)
    if pairs is None or any(language_of(one.path) is None for one in changes):
        return {}
    found: dict[str, str] = {}
    for before, after in pairs:
        if len(before) != len(after):
            return {}
        for old, new in zip(before, after, strict=True):
            if found.setdefault(old, new) != new:
                return {}
    named = {old: new for old, new in found.items() if old != new}
    was = _defined((one.path, one.before) for one in changes)
    now = _defined((one.path, one.after) for one in changes)
    meant = all(
        _NAME.fullmatch(old) and _NAME.fullmatch(new) and old in was - now and new in now - was
        for old, new in named.items()
    )
    fresh = not any(new in found for new in named.values()) and len(set(named.values())) == len(named)
    return named if meant and fresh else {}


def _pairs(changes: list[Change]) -> list[tuple[list[str], list[str]]] | None:
    """Return the tokens of each file before and after; a file that is gone with the new one of its length."""
    gone = [_tokens(one.before, one.path) for one in changes if one.after is None]
    new = [_tokens(one.after, one.path) for one in changes if one.before is None]
    lengths = [len(tokens) for tokens in gone]
    if sorted(lengths) != sorted(map(len, new)) or len(set(lengths)) != len(lengths):
        return None
    moved = zip(sorted(gone, key=len), sorted(new, key=len), strict=True)
    kept = [one for one in changes if one.before is not None and one.after is not None]
    return [*moved, *((_tokens(one.before, one.path), _tokens(one.after, one.path)) for one in kept)]


def _tokens(text: str | None, path: str) -> list[str]:
    return code_tokens(text or "", path).split()


def _defined(files: Iterable[tuple[str, str | None]]) -> frozenset[str]:
    """Return the names that some files define: functions, classes, exports, and their own modules' names."""
    names: set[str] = set()
    for path, text in files:
        if text is not None and language_of(path) is not None:
            names |= {PurePosixPath(path).stem, *defined_names(text, path)}
    return frozenset(names)


def with_new_names(report: Report, names: Mapping[str, str], head: Report) -> Report:
    """Return a run before the renaming with its tests under their new names."""
    known = {case.id for case in head.cases}

    def named(text: str) -> str:
        return _NAME.sub(lambda found: names.get(found[0], found[0]), text)

    cases = tuple(
        case
        if case.id in known
        else replace(case, id=named(case.id), name=named(case.name), file=named(case.file))
        for case in report.cases
    )
    return replace(report, cases=cases)
