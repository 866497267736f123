"""Recognize what a change is from its source, before anything runs. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import PurePosixPath

from tdd_orchestrator.cycle.red.test_changes import TestEdits
from tdd_orchestrator.languages import language_of
from tdd_orchestrator.languages.cases import assign_cases
from tdd_orchestrator.languages.functions import (
    changed_functions,
    code_tokens,
    defined_names,
    functions_of,
    public_names,
)
from tdd_orchestrator.languages.source import production_part
from tdd_orchestrator.model.report import Case, Report
from tdd_orchestrator.prove.split import Parts
from tdd_orchestrator.prove.values import ChangeClass
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
    was = _defined(changes, lambda one: one.before)
    now = _defined(changes, lambda one: one.after)
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


def _defined(changes: Iterable[Change], version: Callable[[Change], str | None]) -> frozenset[str]:
    """Return the names that one version of some files defines: functions, classes, exports, and the names of
    modules that come or go. One that stays may have the name of what is renamed in it."""
    names: set[str] = set()
    for one in changes:
        text = version(one)
        if text is not None and language_of(one.path) is not None:
            names |= defined_names(text, one.path)
            if one.before is None or one.after is None:
                names.add(PurePosixPath(one.path).stem)
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


def with_new_places(report: Report, edits: TestEdits, head: Report) -> Report:
    """Return a run before tests moved to other files, with their cases under the ids that these have now."""
    before, after = {test.id for test in edits.before}, {test.id for test in edits.after}
    gone = [test for test in edits.before if test.id not in after]
    new = {(test.title, test.body): test for test in edits.after if test.id not in before}
    was, now = assign_cases(gone, report.cases), assign_cases(new.values(), head.cases)
    moved: dict[str, Case] = {}
    for old in gone:
        test = new.pop((old.title, old.body), None)
        if test is not None and len(was[old.id]) == len(now[test.id]):
            moved |= {case.id: here for case, here in zip(was[old.id], now[test.id], strict=True)}
    cases = tuple(
        replace(case, id=here.id, name=here.name, file=here.file) if (here := moved.get(case.id)) else case
        for case in report.cases
    )
    return replace(report, cases=cases)


CLAIMS = {
    "refactor": ChangeClass.REFACTORING, "refactoring": ChangeClass.REFACTORING,
    "rename": ChangeClass.RENAME,
    "docs": ChangeClass.DOCUMENTATION, "documentation": ChangeClass.DOCUMENTATION,
    "deps": ChangeClass.DEPENDENCIES, "dependencies": ChangeClass.DEPENDENCIES,
    "tests": ChangeClass.TESTS, "test": ChangeClass.TESTS, "dead-code": ChangeClass.DEAD_CODE,
    "revert": ChangeClass.REVERT,
    "behavior": ChangeClass.BEHAVIOR, "behaviour": ChangeClass.BEHAVIOR,
}  # fmt: skip
"""Words of the trailer ``Tdd-Class`` and what they claim."""


def classify(parts: Parts, edits: TestEdits, claim: str = "", undoes: str = "") -> ChangeClass:
    """Return the class of a change. A claim decides only where the source leaves it open. ``undoes``: the older
    commit that it takes back; one that brings tests with it shows more by them."""
    edited = bool(edits.added or edits.changed or edits.removed or edits.around.unread)
    code = (*parts.code, *parts.shared)
    if edited and same_tokens(code, without=("release",)):
        return ChangeClass.TESTS
    if not parts.code_changed or same_tokens(code):
        if edited or parts.tests:
            return ChangeClass.TESTS
        return ChangeClass.DEPENDENCIES if parts.setup else ChangeClass.DOCUMENTATION
    if (
        not edits.added
        and not edits.changed
        and removes_only(code)
        and (edits.removed or nothing_edited(code))
    ):
        return ChangeClass.DEAD_CODE
    if not parts.setup and renames((*code, *parts.tests)):
        return ChangeClass.RENAME
    claimed = CLAIMS.get(claim.lower()) is ChangeClass.REFACTORING
    if not edited and (claimed or same_code(code) or same_tokens(code, without=("inert", "release"))):
        return ChangeClass.REFACTORING
    return ChangeClass.REVERT if undoes and not edits.added else ChangeClass.BEHAVIOR


def claim_problem(kind: ChangeClass, claim: str) -> str:
    """Say that a commit claims another class than its change has; "" where it claims none, or the right one."""
    claimed = CLAIMS.get(claim.lower())
    if not claim or claimed is kind or {claimed, kind} == {ChangeClass.RENAME, ChangeClass.REFACTORING}:
        return ""
    if claimed is None:
        known = ", ".join(sorted(CLAIMS))
        return f"the commit claims the class {claim}, which is none of {known}"
    return f"the commit claims the class {claim}, but its change is of the class {kind}"


def same_tokens(changes: Iterable[Change], *, without: Collection[str] = ()) -> bool:
    """Whether only comments, docstrings and format differ; ``without``: and what these captures hold."""
    return all(
        language_of(one.path) is not None
        and code_tokens(_code(one.before, one.path), one.path, without=without)
        == code_tokens(_code(one.after, one.path), one.path, without=without)
        for one in changes
    )


def same_code(changes: Iterable[Change]) -> bool:
    """Whether files were only moved or renamed: the same texts, by their tokens, under other names."""
    before, after = [], []
    for one in changes:
        if language_of(one.path) is None:
            return False
        if one.before is not None:
            before.append(code_tokens(_code(one.before, one.path), one.path))
        if one.after is not None:
            after.append(code_tokens(_code(one.after, one.path), one.path))
    return sorted(filter(None, before)) == sorted(filter(None, after))


def removes_only(changes: Iterable[Change]) -> bool:
    """Whether a change only takes code away: no line is new but a shorter list of names, and a public name or
    a function is gone."""
    removed = False
    for one in changes:
        before, after = _code(one.before, one.path), _code(one.after, one.path)
        language = language_of(one.path)
        if language is None:
            return False
        left, kept = before.split("\n"), after.split("\n")
        lists = [_LIST.findall(line) for line in left if line not in kept and _LISTS.match(line)]
        for line in kept:
            if line.strip() and line not in left and not _is_shorter(line, lists):
                return False
        kept_functions = {function.key for function in functions_of(after, language)}
        removed = removed or bool(public_names(before, one.path) - public_names(after, one.path))
        removed = removed or any(one.key not in kept_functions for one in functions_of(before, language))
    return removed


def nothing_edited(changes: Iterable[Change]) -> bool:
    """Whether every function that is still there is as it was."""
    return not any(changed_functions(_code(one.before, one.path), _code(one.after, one.path), one.path)
                   for one in changes)  # fmt: skip


_LISTS = re.compile(r"\s*(?:from|import|use|export|module\.exports|__all__|const \{)\b|\s*__all__")
_LIST = re.compile(r"\w+")
"""Lists of names that are imported or exported, which get shorter where code goes, and their words."""


def _is_shorter(line: str, lists: list[list[str]]) -> bool:
    """Whether a line is what is left of a list of names."""
    if not _LISTS.match(line):
        return False
    words = _LIST.findall(line)
    return any(all(word in rest for word in words) for rest in map(set, lists))


def _code(text: str | None, path: str) -> str:
    return production_part(text or "", path)
