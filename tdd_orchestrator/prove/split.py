"""Divide a change into tests, set-up and code. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from tdd_orchestrator.languages import language_of
from tdd_orchestrator.languages.source import find_tests, production_part, test_part
from tdd_orchestrator.workspace.guard import (
    Change,
    Rules,
    belongs_to_tests,
    configures_tests,
    holds_tests,
    is_test,
    matches,
)

_WORD = re.compile(r"\w+")
_MANIFESTS = (
    "pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "noxfile.py",
    "{requirements,constraints}*.{txt,in}",
    "**/requirements/*.{txt,in}", "Pipfile", "package.json", "*.lock", "*-lock.{json,yaml}",
    "npm-shrinkwrap.json",
    "go.{mod,sum,work}", "Cargo.toml", "Gemfile", "*.gemspec", "composer.json", "pom.xml", "build.gradle",
    "build.gradle.kts", "settings.gradle*", "mix.exs", "Makefile", "justfile", "Dockerfile", ".*",
    ".{github,gitlab,circleci}/**", "**/.{github,gitlab,circleci}/**", "tsconfig*.json", "eslint.config.*",
    "tdd.toml", "{doc,docs}/**/conf.py",
    "{bench,benches,benchmark,benchmarks,example,examples}/**",
)  # fmt: skip
"""Files that decide what is installed and how it is built, checked, measured or shown, in any language."""
_PROSE = (
    "*.{md,mdx,rst,adoc,txt,tex,pdf}", "**/*.{png,jpg,jpeg,gif,webp,ico,svg}", "{doc,docs}/**",
    "LICENSE*", "COPYING*", "AUTHORS*", "CHANGES*", "CHANGELOG*", "HISTORY*", "NEWS*", "NOTICE*",
    "README*", "CONTRIBUTORS*",
)  # fmt: skip


_NAMED_AS_TESTS = ("**/test_*", "**/*_test.*", "**/*.test.*", "**/*.spec.*", "**/*_spec.*")
"""Names of test files in any language."""


class Side(StrEnum):
    """Where a changed path belongs. SHARED: a file that holds code and tests, such as Rust's."""

    TESTS = "tests"
    SETUP = "setup"
    PROSE = "prose"
    CODE = "code"
    SHARED = "shared"


@dataclass(frozen=True, slots=True)
class Parts:
    """The changed paths of each side."""

    tests: tuple[Change, ...] = ()
    setup: tuple[Change, ...] = ()
    prose: tuple[Change, ...] = ()
    code: tuple[Change, ...] = ()
    shared: tuple[Change, ...] = ()

    @property
    def code_changed(self) -> bool:
        """Whether anything but tests, set-up and prose was changed."""
        return bool(self.code) or any(
            production_part(one.before or "", one.path) != production_part(one.after or "", one.path)
            for one in self.shared
        )

    @property
    def words_gone(self) -> frozenset[str]:
        """Return the words that the changed code had and has no more."""
        before: set[str] = set()
        after: set[str] = set()
        for one in (*self.code, *self.shared):
            before.update(_WORD.findall(production_part(one.before or "", one.path)))
            after.update(_WORD.findall(production_part(one.after or "", one.path)))
        return frozenset(before - after)


def split_changes(changes: Iterable[Change], rules: Rules) -> Parts:
    """Sort changed paths by their side."""
    sides: dict[Side, list[Change]] = {side: [] for side in Side}
    for change in changes:
        sides[side_of(change, rules)].append(change)
    return Parts(**{str(side): tuple(found) for side, found in sides.items()})


def side_of(change: Change, rules: Rules) -> Side:
    """Return where one changed path belongs."""
    if is_test(change.path, rules):
        return Side.TESTS
    if holds_tests(change, rules):
        return Side.SHARED
    if configures_tests(change, rules) or matches(change.path, _MANIFESTS):
        return Side.SETUP
    if belongs_to_tests(change, rules):
        return Side.TESTS
    if language_of(change.path) is None and matches(change.path, _PROSE):
        return Side.PROSE
    return Side.CODE


def tests_of_other_runners(parts: Parts) -> tuple[str, ...]:
    """Return the changed files of tests that no suite of the test command runs, each as a sentence."""
    return tuple(
        f"{one.path} holds tests that the test command does not run: give them a [[test.suite]] in tdd.toml"
        for one in parts.code
        if one.after and matches(one.path, _NAMED_AS_TESTS) and find_tests(one.after, one.path)
    )


def with_other_tests(code: str, tests: str, path: str) -> str:
    """Return the code of one version of a file with the tests of another, for a file that holds both."""
    return f"{production_part(code, path)}\n{test_part(tests, path)}\n"
