"""Check which paths a phase may change. Pure: changes and the framework's rules in, violations out
(S3-S5, T1-T6, T10, T15)."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from tdd_orchestrator.languages import language_of
from tdd_orchestrator.languages.source import find_tests, production_part, test_part
from tdd_orchestrator.model.phase import Phase
from tdd_orchestrator.runners.framework import matches as globbed
from tdd_orchestrator.workspace.denied_paths import (
    AGENT_DOCUMENTS,
    CHECK_SETTINGS,
    CHECK_TABLES,
    NEVER,
    REGISTERS,
    WRAPPERS,
    shadows,
)
from tdd_orchestrator.workspace.fixtures import PYTEST_SETTINGS, may_be
from tdd_orchestrator.workspace.manifests import apart_from_tests, configures, only_more_markers

_SHARED = "pyproject.toml"
"""Read by tdd itself in projects of every language."""
_PROSE = ("{doc,docs}/**/*.{md,mdx,rst,adoc}",)  # documents, e.g. about a command called test
_SNAPSHOTS = ("**/__snapshots__/**", "**/*.snap", "**/*.ambr")
_MAX_WARNINGS = 8  # warnings of one attempt


@dataclass(frozen=True, slots=True)
class Rules:
    """The framework's part of the guard: path patterns, and the keys of shared manifests for testing."""

    test_files: tuple[str, ...]
    support_files: tuple[str, ...] = ()
    config_files: tuple[str, ...] = ()
    config_marks: tuple[tuple[str, str], ...] = ()  # (glob, regular expression on the text before or after)
    config_keys: Mapping[str, tuple[str, ...]] | None = None  # file name -> dotted keys
    runner_modules: tuple[str, ...] = ()
    packages: frozenset[str] = frozenset()  # Python modules of others' that tests may import
    protect: tuple[str, ...] = ()  # the user's own additions
    command_paths: tuple[str, ...] = ()  # files that the test command names
    borrowed: frozenset[str] = frozenset()  # modules that conftest files import fixtures or hooks from
    hooks: tuple[str, ...] = ()  # folders in the tree with the user's git hooks
    refactor_tests: bool = False
    doctests: tuple[str, ...] = ()  # patterns of files whose examples the test command runs


@dataclass(frozen=True, slots=True)
class Change:
    """One path, before and after as text; None if absent (or not text)."""

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
    known: frozenset[str] = frozenset(),
) -> tuple[Violation, ...]:
    """Return every forbidden change of this attempt. ``known``: the paths that existed before."""
    found: list[Violation] = []
    for change in changes:
        why = _always(phase, change, rules, known) or _in_phase(phase, change, rules)
        if why:
            found.append(Violation(change.path, why))
    return tuple(found)


def find_warnings(phase: Phase, changes: tuple[Change, ...], rules: Rules) -> tuple[str, ...]:
    """Return warnings about allowed changes that a person should know."""
    found = [
        f"{change.path} is {change.how}: your own agents read it at every start"
        for change in changes
        if matches(change.path, AGENT_DOCUMENTS)
    ]
    found += [
        f"{change.path} is {change.how}: it decides what a linter, a type checker or a coverage tool accepts"
        for change in changes
        if matches(change.path, CHECK_SETTINGS)
        or (change.path == _SHARED and configures(_SHARED, change.before, change.after, CHECK_TABLES))
    ]
    return tuple(found[:_MAX_WARNINGS])


def is_support(path: str, rules: Rules) -> bool:
    return matches(path, rules.support_files) and not matches(path, _PROSE)


def is_test(path: str, rules: Rules) -> bool:
    return matches(path, rules.test_files)


def tests_among(paths: tuple[str, ...], rules: Rules) -> tuple[str, ...]:
    """Return those of a tree's paths that are tests; found once for each tree."""
    return _matching(paths, rules.test_files)


@functools.lru_cache(maxsize=4)
def _matching(paths: tuple[str, ...], patterns: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(path for path in paths if matches(path, patterns))


def belongs_to_tests(change: Change, rules: Rules) -> bool:
    """Whether RED could make the whole change: it is in a test, or in a file that only tests use."""
    return not _in_red(change, is_test(change.path, rules), is_support(change.path, rules), rules)


def configures_tests(change: Change, rules: Rules) -> bool:
    """Whether the changed file configures the test runner, and has no fixtures."""
    configured = matches(change.path, rules.config_files) or _marked(change, rules)
    return configured and not matches(change.path, _helpers(rules))


def _always(phase: Phase, change: Change, rules: Rules, known: frozenset[str]) -> str:
    for pattern, why in NEVER:
        if matches(change.path, (pattern,)):
            return why
    if matches(change.path, rules.hooks):
        return "your git runs it when you commit (core.hooksPath)"
    if (change.path in rules.command_paths and not _has_tests(change, rules)) or change.path in WRAPPERS:
        return "tests are started through it"
    if phase is Phase.RED and (matches(change.path, _helpers(rules)) or _registers_marker(change)):
        return ""
    if matches(change.path, rules.config_files) or _marked(change, rules):
        return "it configures how tests run"
    if change.how == "new":
        why = shadows(change.path, rules.runner_modules, rules.packages, known)
        if why:
            return why
    name = change.path.rsplit("/", 1)[-1]
    keys = _keys_of(name, rules)
    if (name == _SHARED or keys) and _unreadable(change):
        return "it may configure how tests run, and it is no UTF-8 text"
    if change.path == _SHARED and configures(_SHARED, change.before, change.after, ("tool.tdd",)):
        return "its 'tool.tdd' is the referee's own configuration"
    if not keys or (phase is Phase.RED and _registers(name)):
        return ""
    removed = change.how == "gone"
    return "it configures how tests run" if removed else configures(name, change.before, change.after, keys)


def _keys_of(name: str, rules: Rules) -> tuple[str, ...]:
    """Return the keys of a manifest that configure tests; a row may name files by a pattern."""
    known = (rules.config_keys or {}).items()
    return next((keys for pattern, keys in known if fnmatchcase(name, pattern)), ())


def _registers(name: str) -> bool:
    """Return whether tests are listed in a build file of this name."""
    return any(fnmatchcase(name, pattern) for pattern in REGISTERS)


def _registers_marker(change: Change) -> bool:
    """Return whether the change tells pytest the name of a new marker, which ``--strict-markers`` asks for, and
    nothing else."""
    name = change.path.rsplit("/", 1)[-1]
    known = name in PYTEST_SETTINGS and change.how == "changed"
    return known and only_more_markers(name, change.before or "", change.after or "")


def _has_tests(change: Change, rules: Rules) -> bool:
    """Whether a file in the test command holds tests, and is no program that starts them."""
    text = change.after if change.before is None else change.before
    by_row = is_test(change.path, rules) or _in_file(change.path, rules)
    return holds_doctests(change, rules) or (by_row and bool(find_tests(text or "", change.path)))


def _helpers(rules: Rules) -> tuple[str, ...]:
    """Return patterns of files that configure tests and also hold fixtures, such as conftest.py."""
    return tuple(pattern for pattern in rules.config_files if pattern in rules.support_files)


def _unreadable(change: Change) -> bool:
    """Whether a file's content is partly unknown: invalid bytes were replaced."""
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
) -> str:
    test, support = is_test(change.path, rules), is_support(change.path, rules)
    if phase is Phase.RED:
        return _in_red(change, test, support, rules)
    if matches(change.path, rules.protect):
        return "the configuration protects it (test.protect)"
    if change.path in rules.borrowed:
        return "the tests take fixtures or hooks from it"
    if test or support:
        if phase is Phase.REFACTOR and rules.refactor_tests and test and change.how != "gone":
            return ""
        return "tests and their fixtures stay as they were committed"
    if holds_tests(change, rules) and not _same(test_part, change):
        return "the tests in this file stay as they were committed"
    if holds_doctests(change, rules) and not keeps_examples(change.before or "", change.after or ""):
        return "the examples in this file stay as they were committed"
    return ""


def _in_red(change: Change, test: bool, support: bool, rules: Rules) -> str:
    if not test and holds_tests(change, rules):
        same = _same(production_part, change)
        return "" if same else "RED may change the tests in this file, and nothing outside them"
    if not test and holds_doctests(change, rules):
        same = only_examples_changed(change.before or "", change.after or "")
        return "" if same else "RED may change the examples in this file, and nothing outside them"
    if test or support or matches(change.path, _SNAPSHOTS) or _registers_marker(change):
        return ""
    name = change.path.rsplit("/", 1)[-1]
    keys = _keys_of(name, rules) if _registers(name) else ()
    if keys and change.how != "gone":
        before, after = (apart_from_tests(text or "", keys) for text in (change.before, change.after))
        return (
            "" if before == after else "RED may change what this file says of tests, and nothing else in it"
        )
    if change.how == "new" and change.path.endswith("__init__.py") and not (change.after or "").strip():
        return ""  # a package marker without content only makes a test folder importable
    shared = change.how != "new" and may_be(change.path) and change.path not in rules.borrowed
    if _beside_tests(change.path, rules) and not change.path.endswith(".py") and not shared:
        return ""
    data = (
        "is one" if language_of(change.path) else "belongs to tests, or put data of tests below their folder"
    )
    return f"it is not a test file; RED may only change tests (name it in test.files if it {data})"


def _same(part: Callable[[str, str], str], change: Change) -> bool:
    """Whether a part of the changed file is in both versions the same."""
    return part(change.before or "", change.path) == part(change.after or "", change.path)


def _in_file(path: str, rules: Rules) -> bool:
    """Whether tests may stand beside the code of this file."""
    language = language_of(path)
    where = language.in_file if language else ""
    return where == "always" or (
        where == "named" and path in rules.command_paths and not is_test(path, rules)
    )


def holds_tests(change: Change, rules: Rules) -> bool:
    """Whether the changed file has tests beside code, before or after."""
    texts = (change.before or "", change.after or "")
    return _in_file(change.path, rules) and any(test_part(text, change.path) for text in texts)


def holds_doctests(change: Change, rules: Rules) -> bool:
    """Whether the change is in code, or in a document, with examples that the test command runs."""
    texts = (change.before or "", change.after or "")
    return matches(change.path, rules.doctests) and any(">>>" in text for text in texts)


def is_shared(change: Change, rules: Rules) -> bool:
    """Whether a file holds code and tests, so that RED and GREEN both change their own part."""
    return not is_test(change.path, rules) and (holds_tests(change, rules) or holds_doctests(change, rules))


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
    """Whether the path matches a framework pattern; one without a slash matches the file name."""
    return globbed(path, _anywhere(patterns))


@functools.lru_cache(maxsize=2048)
def _anywhere(patterns: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(pattern if "/" in pattern else f"**/{pattern}" for pattern in patterns)


_QUOTES = ('"""', "'''")


def split(text: str) -> tuple[str, tuple[str, ...]]:
    """Return a file without its examples and without blank lines, and each example: its source and what it
    prints.

    An example begins with `>>>` and ends before a blank line, before the next example or where its docstring
    ends. A line with quotes that may end the docstring is never a part of one.
    """
    code: list[str] = []
    examples: list[list[str]] = []
    inside = False
    for line in text.splitlines():
        stripped = line.strip()
        if any(quotes in line for quotes in _QUOTES) or not stripped:
            inside = False
        elif stripped.startswith(">>>"):
            inside = True
            examples.append([])
        if inside:
            examples[-1].append(stripped)
        elif stripped:
            code.append(line.rstrip())
    return "\n".join(code), tuple("\n".join(example) for example in examples)


def only_examples_changed(before: str, after: str) -> bool:
    """Whether two versions differ in nothing but their examples."""
    return split(before)[0] == split(after)[0]


def keeps_examples(before: str, after: str) -> bool:
    """Whether every example of ``before`` is in ``after`` as it was."""
    left = list(split(after)[1])
    for example in split(before)[1]:
        if example not in left:
            return False
        left.remove(example)
    return True
