"""What a phase may touch. Pure: changes and the framework's rules in, violations out (S3-S5, T1-T6, T10, T15)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tdd_orchestrator.model.phase import Phase
from tdd_orchestrator.runners.framework import matches as globbed
from tdd_orchestrator.workspace.manifests import configures
from tdd_orchestrator.workspace.offlimits import NEVER, TOLD, WRAPPERS
from tdd_orchestrator.workspace.shadows import shadows

_SHARED = "pyproject.toml"
"""Read by the referee in projects of every language, as its own files are."""
_PROSE = ("{doc,docs}/**/*.{md,mdx,rst,adoc}",)  # what is written of a command called test, say
_TOLD = 8  # warnings of one attempt


@dataclass(frozen=True, slots=True)
class Rules:
    """The framework's part of the guard: glob patterns, and which keys of shared manifests belong to testing."""

    test_files: tuple[str, ...]
    support_files: tuple[str, ...] = ()
    config_files: tuple[str, ...] = ()
    config_marks: tuple[tuple[str, str], ...] = ()  # (glob, regular expression on the text before or after)
    config_keys: Mapping[str, tuple[str, ...]] | None = None  # file name -> dotted keys
    runner_modules: tuple[str, ...] = ()
    packages: frozenset[str] = frozenset()  # Python modules of others' that tests may import
    protect: tuple[str, ...] = ()  # the user's own additions
    command_paths: tuple[str, ...] = ()  # files that the test command names
    borrowed: frozenset[str] = frozenset()  # modules that conftest files take fixtures or hooks from
    hooks: tuple[str, ...] = ()  # where the user's git finds its hooks, inside the tree
    refactor_tests: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """One path, before and after as text; None where it is absent (or not text)."""

    path: str
    how: str  # new | changed | gone
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Violation:
    path: str
    why: str


def check(
    phase: Phase,
    changes: tuple[Change, ...],
    rules: Rules,
    *,
    added_only: Callable[[str, str, str], list[str]],
    known: frozenset[str] = frozenset(),
) -> tuple[Violation, ...]:
    """Every forbidden change of this attempt. ``added_only(before, after, path)`` names what an edit of a test
    file took away or altered; ``known`` are the paths that were there before."""
    found: list[Violation] = []
    for change in changes:
        why = _always(change, rules, known) or _in_phase(phase, change, rules, added_only)
        if why:
            found.append(Violation(change.path, why))
    return tuple(found)


def told(phase: Phase, changes: tuple[Change, ...], rules: Rules) -> tuple[str, ...]:
    """Changes that are allowed, and that a person wants to know of."""
    found = [
        f"{change.path} is {change.how}: your own agents read it at every start"
        for change in changes
        if matches(change.path, TOLD)
    ]
    return tuple(found[:_TOLD])


def is_support(path: str, rules: Rules) -> bool:
    return matches(path, rules.support_files) and not matches(path, _PROSE)


def is_test(path: str, rules: Rules) -> bool:
    return matches(path, rules.test_files)


def _always(change: Change, rules: Rules, known: frozenset[str]) -> str:
    for pattern, why in NEVER:
        if matches(change.path, (pattern,)):
            return why
    if matches(change.path, rules.hooks):
        return "your git runs it when you commit (core.hooksPath)"
    if change.path in rules.command_paths or change.path in WRAPPERS:
        return "tests are started through it"
    if matches(change.path, rules.config_files) or _marked(change, rules):
        return "it configures how tests run"
    if change.how == "new":
        why = shadows(change.path, rules.runner_modules, rules.packages, known)
        if why:
            return why
    name = change.path.rsplit("/", 1)[-1]
    if (name == _SHARED or name in (rules.config_keys or {})) and _unreadable(change):
        return "it may configure how tests run, and it is no UTF-8 text"
    if change.path == _SHARED and configures(_SHARED, change.before, change.after, ("tool.tdd",)):
        return "its 'tool.tdd' is the referee's own configuration"
    keys = (rules.config_keys or {}).get(name)
    if not keys:
        return ""
    gone = change.how == "gone"
    return "it configures how tests run" if gone else configures(name, change.before, change.after, keys)


def _unreadable(change: Change) -> bool:
    """Whether what a file holds now is not all known: bytes that are no text were replaced."""
    if change.after is None:
        return change.how != "gone"
    return "\ufffd" in change.after and "\ufffd" not in (change.before or "")


def _marked(change: Change, rules: Rules) -> bool:
    return any(
        matches(change.path, (glob,)) and re.search(mark, f"{change.before or ''}\n{change.after or ''}")
        for glob, mark in rules.config_marks
    )


def _in_phase(
    phase: Phase,
    change: Change,
    rules: Rules,
    added_only: Callable[[str, str, str], list[str]],
) -> str:
    test, support = is_test(change.path, rules), is_support(change.path, rules)
    if phase is Phase.RED:
        return _in_red(change, test, support, rules, added_only)
    if matches(change.path, rules.protect):
        return "the configuration protects it (test.protect)"
    if change.path in rules.borrowed:
        return "the tests take fixtures or hooks from it"
    if test or support:
        if phase is Phase.REFACTOR and rules.refactor_tests and test and change.how != "gone":
            return ""
        return "tests and their fixtures stay as they were committed"
    return ""


def _in_red(
    change: Change,
    test: bool,
    support: bool,
    rules: Rules,
    added_only: Callable[[str, str, str], list[str]],
) -> str:
    if support and not test and (change.how != "new" or change.path.endswith(".py")):
        return "RED writes a test; fixtures that others use stay as they are"
    if not test and not support:
        if change.how == "new" and change.path.endswith("__init__.py") and not (change.after or "").strip():
            return ""  # a package marker without content only makes a test folder importable
        if change.how == "new" and _beside_tests(change.path, rules) and not change.path.endswith(".py"):
            return ""
        return "RED may touch test files only"
    if change.how == "gone":
        return "RED may not remove a test"
    if change.how == "changed" and test:
        lost = added_only(change.before or "", change.after or "", change.path)
        if lost:
            return "RED may only add to a test file; it altered " + ", ".join(lost[:3])
    return ""


def _beside_tests(path: str, rules: Rules) -> bool:
    folders = {
        pattern.split("/")[0]
        for pattern in rules.test_files
        if "/" in pattern and "*" not in pattern.split("/")[0]
    }
    return any(
        part in folders | {"tests", "test", "spec", "__tests__", "testdata", "fixtures"}
        for part in path.split("/")[:-1]
    )


def matches(path: str, patterns: tuple[str, ...]) -> bool:
    """The frameworks' own globs (``**`` for any folders, ``{a,b}``); a pattern without a slash is of the file name."""
    return globbed(path, [pattern if "/" in pattern else f"**/{pattern}" for pattern in patterns])
