"""Compare the tests before and after a change: added, changed, renamed or removed; and find their cases
in a run."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cached_property

from tdd_orchestrator.languages import language_of
from tdd_orchestrator.languages.cases import SURE, Candidates
from tdd_orchestrator.languages.functions import code_tokens
from tdd_orchestrator.languages.source import (
    SourceTest,
    TestChanges,
    changed_surroundings,
    compare_tests,
    find_tests,
)
from tdd_orchestrator.model.report import Case, Counts, Outcome, Report, count
from tdd_orchestrator.workspace.guard import Change, Rules, holds_doctests, holds_tests, is_support, is_test

_ROW = re.compile(r"(?<=\w)\[.*\]$|(?<=^Test)(\w*)/.*$|(?<=\)) [\[(].*[\])]$", re.DOTALL)

_ALIKE = 0.6  # share of words from which a removed and an added test are one
_TOKENS = 1000  # of a body that are compared
_QUOTES = frozenset({'"', "'", "`"})
_NAME = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class Around:
    """What changed that tests use and that is no test. ``tests``: those that name what changed in their own
    file (a table, a helper, an import), or whose group has another set-up; ``names``: what changed in helpers
    of a file without tests; ``data``: files that are not code, or code under no name; ``unread``: test files in a language that is
    not read."""

    tests: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    data: frozenset[str] = frozenset()
    unread: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.tests or self.names or self.data or self.unread)

    def used_by(self, test: str, path: str, text: str) -> bool:
        """Return whether a test uses something of it. ``text``: of the test's file at ``path``."""
        named = not self.names.isdisjoint(_NAME.findall(text))
        return named or test in self.tests or any(_uses(path, text, one) for one in self.data)


def _uses(path: str, text: str, data: str) -> bool:
    """Whether a test file names a data file, or has it as a snapshot: beside it, with its own name in the
    path."""
    name = posixpath.basename(data)
    stem = posixpath.basename(path).partition(".")[0]
    beside = bool(stem) and stem in data and data.startswith(posixpath.dirname(path))
    return beside or name in text or name.partition(".")[0] in text


@dataclass(frozen=True)
class TestEdits(TestChanges):
    """What a change did to the tests of all files that it touched, and what changed around them."""

    renamed: tuple[tuple[SourceTest, SourceTest], ...] = ()  # changed, under another name: old and new
    before: tuple[SourceTest, ...] = ()
    after: tuple[SourceTest, ...] = ()
    around: Around = Around()
    files: frozenset[str] = frozenset()  # every changed file with tests

    @cached_property
    def changed_ids(self) -> frozenset[str]:
        return frozenset(test.id for test in self.changed)

    @cached_property
    def own_ids(self) -> frozenset[str]:
        """The tests that were written or changed themselves."""
        return self.changed_ids | {test.id for test in self.added}

    @cached_property
    def cosmetic_ids(self) -> frozenset[str]:
        return frozenset(test.id for test in self.cosmetic)

    @cached_property
    def removed_ids(self) -> frozenset[str]:
        return frozenset(test.id for test in self.removed)

    def replaced(self, test: str) -> bool:
        """Return whether an old test has another form now, so that its cases may be missing: rows, or
        another name."""
        return test in self.changed_ids or (test not in self.removed_ids and test not in self._now)

    @cached_property
    def _now(self) -> frozenset[str]:
        return frozenset(test.id for test in self.after)


def edits_of(changes: Iterable[Change], rules: Rules) -> TestEdits:
    """Compare the tests of every changed file with tests. A test that moved to another file is only
    renamed."""
    parts: dict[str, list[SourceTest]] = {name: [] for name in ("added", "changed", "cosmetic", "removed",
            "before", "after")}  # fmt: skip
    files, used, names, data, unread = (set[str]() for _ in range(5))
    for change in changes:
        before, after = change.before or "", change.after or ""
        support = is_support(change.path, rules)
        known = support or is_test(change.path, rules)
        helpers = _changed_helpers(before, after, change.path) if known else frozenset[str]()
        names |= helpers
        if holds_doctests(change, rules) and not is_test(change.path, rules):
            files.add(change.path)
            unread.add(change.path)  # an example is a test of the file; its runner names it by the function
            continue
        if not (is_test(change.path, rules) or holds_tests(change, rules)):
            table = support and not helpers and _has_other_code(change)
            if table or (change.how != "new" and language_of(change.path) is None):
                data.add(change.path)
            continue
        files.add(change.path)
        if language_of(change.path) is None:
            unread.add(change.path)
        found = compare_tests(before, after, change.path)
        for name in ("added", "changed", "cosmetic", "removed"):
            parts[name] += getattr(found, name)
        parts["before"] += find_tests(before, change.path)
        parts["after"] += find_tests(after, change.path)
        around = _with_changed_surroundings(before, after, change.path)
        used |= around
        edited = found.added or found.changed or found.cosmetic or found.removed
        if not (edited or around or helpers) and _has_other_code(change):
            data.add(change.path)  # a table that it exports, or rows of assertions outside of tests
    moved = {(test.title, test.body): test for test in parts["removed"]}
    for test in [one for one in parts["added"] if (one.title, one.body) in moved]:
        old = moved.pop((test.title, test.body), None)
        if old is not None:
            parts["added"].remove(test)
            parts["removed"].remove(old)
            parts["cosmetic"].append(test)
    for old, test in _moved_and_changed(parts["removed"], parts["added"]):
        parts["removed"].remove(old)
        parts["added"].remove(test)
        parts["changed"].append(test)
    renamed = _renamed_and_changed(parts["removed"], parts["added"])
    for old, test in renamed:
        parts["removed"].remove(old)
        parts["added"].remove(test)
        parts["changed"].append(test)
    parts["cosmetic"] = [test for test in parts["cosmetic"] if test.id not in used]  # its data changed
    made = {name: tuple(tests) for name, tests in parts.items()}
    return TestEdits(
        **made,
        renamed=tuple(renamed),
        files=frozenset(files),
        around=Around(frozenset(used), frozenset(names), frozenset(data), frozenset(unread)),
    )


def _has_other_code(change: Change) -> bool:
    """Return whether more than comments and format changed in a file that stays."""
    texts = (code_tokens(text or "", change.path) for text in (change.before, change.after))
    return change.how == "changed" and len(set(texts)) > 1


def _changed_helpers(before: str, after: str, path: str) -> frozenset[str]:
    """Return the names of what changed in a file that holds no test, and that tests of others may use."""
    if not before or find_tests(before, path):
        return frozenset()
    return changed_surroundings(before, after, path).names


def _with_changed_surroundings(before: str, after: str, path: str) -> set[str]:
    """Return the ids of the tests that use what changed around them in their file."""
    around = changed_surroundings(before, after, path)
    return _naming(around.names, after, path) | {
        test.id
        for test in find_tests(after, path)
        if any(test.title[: len(group)] == group for group in around.groups)
    }


def _naming(values: frozenset[str], text: str, path: str) -> set[str]:
    """The ids of the tests of a text that name one of the values."""
    if not values:
        return set()
    lines = text.splitlines()
    word = re.compile(rf"\b(?:{'|'.join(map(re.escape, values))})\b")
    return {
        test.id
        for test in find_tests(text, path)
        if word.search("\n".join(lines[max(0, test.line - 2) : test.end_line]))
    }


_Pairs = list[tuple[SourceTest, SourceTest]]


def _moved_and_changed(removed: list[SourceTest], added: list[SourceTest]) -> _Pairs:
    """Pairs of a removed and an added test of one name in files of one name that are alike, where the added
    one asserts as much: one test, in another folder."""

    def is_moved(old: SourceTest, one: SourceTest) -> bool:
        same_file = posixpath.basename(one.path) == posixpath.basename(old.path)
        return same_file and one.title == old.title and len(one.assertions) >= len(old.assertions)

    return _alike(removed, added, is_moved)


def _renamed_and_changed(removed: list[SourceTest], added: list[SourceTest]) -> _Pairs:
    """Pairs of a removed and an added test of one group that are alike: one test, under another name."""
    return _alike(removed, added, lambda old, one: (one.path, one.title[:-1]) == (old.path, old.title[:-1]))


def _alike(
    removed: list[SourceTest], added: list[SourceTest], is_near: Callable[[SourceTest, SourceTest], bool]
) -> _Pairs:
    pairs = []
    left = list(added)
    for old in removed:
        near = [one for one in left if is_near(old, one)]
        best = max(near, key=lambda one: _likeness(old, one), default=None)
        if best is not None and _likeness(old, best) >= _ALIKE:
            left.remove(best)
            pairs.append((old, best))
    return pairs


def _likeness(one: SourceTest, other: SourceTest) -> float:
    """The share of words and values that two bodies have in common, in order: any two short tests share most of
    their punctuation. 0 where each calls what the other does not, with other values: they test different things,
    however much the form of tests in their language has them look alike."""
    words, calls, values = _words_of(one.body.split()[:_TOKENS])
    others, called, given = _words_of(other.body.split()[:_TOKENS])
    if calls - called and called - calls and values != given:
        return 0.0
    matcher = SequenceMatcher(None, words, others, autojunk=False)
    return matcher.ratio() if matcher.quick_ratio() >= _ALIKE else 0.0


def _words_of(tokens: list[str]) -> tuple[list[str], set[str], list[str]]:
    """Return the words and values of a body, the names that it calls, and its values: numbers and strings."""
    words, calls, values = [], set(), []
    for before, token, after in zip(["", *tokens], tokens, [*tokens[1:], ""], strict=False):
        if not any(map(str.isalnum, token)):
            continue
        words.append(token)
        if after == "(":
            calls.add(token)
        if token[0].isdigit() or before in _QUOTES:
            values.append(token)
    return words, calls, values


def asserts_otherwise(old: SourceTest, new: SourceTest) -> bool:
    """Return whether a test has fewer assertions, and one among them that it did not have before."""
    return len(new.assertions) < len(old.assertions) and not set(old.assertions).issuperset(new.assertions)


def weaker(change: Change) -> list[str]:
    """Return what a change of a test file takes from its tests, each as a phrase."""
    found = compare_tests(change.before or "", change.after or "", change.path)
    old = {test.id: test for test in find_tests(change.before or "", change.path)}
    weak = [f"it removes {test.id}" for test in found.removed]
    for test in found.changed:
        if len(test.assertions) < len(old[test.id].assertions):
            weak.append(f"{test.id} asserts less")
        if set(test.marks) - set(old[test.id].marks):
            weak.append(f"{test.id} may be skipped or expected to fail")
    return weak


def cases_of_tests(tests: Iterable[SourceTest]) -> list[Case]:
    """Return tests of the source as cases, so that they can be run."""
    return [Case(test.id, test.name, Outcome.FAILED, test.path, test.line) for test in tests]


def cases_of(cases: Iterable[Case], tests: Iterable[SourceTest]) -> list[Case]:
    """The cases that may be one of ``tests``, by a look at their names alone: quick, and none is missed."""
    candidates = Candidates(tests)
    return [case for case in cases if candidates.of(case)]


def _surely(candidates: Candidates, case: Case) -> str:
    """The id of the test that a case is, or is a row of; empty where none of them is surely meant."""
    best, tests = candidates.best(case)
    return tests[0].id if best >= SURE else ""


def map_cases(cases: Iterable[Case], tests: Iterable[SourceTest]) -> dict[str, str]:
    """Case id -> id of its test, or its own id without the row where the source does not say."""
    known = Candidates(tests)
    return {case.id: _surely(known, case) or whole(case.id) for case in cases}


def target_cases(
    targets: Iterable[str], tests: Iterable[SourceTest], baseline: Report, now: Report
) -> dict[str, tuple[Case, ...]]:
    """The cases of the targets that are known by their ids in the source: every row, under the runner's
    names."""
    known = tuple(tests)
    ids = {test.id for test in known}
    wanted = [target for target in targets if target in ids]
    present = {case.id for case in now.cases}
    if not wanted or all(target in present for target in wanted):
        return {}
    before = {case.id for case in baseline.cases}
    found: dict[str, tuple[Case, ...]] = {}
    candidates = Candidates(known)
    for cases in ([case for case in now.cases if case.id not in before], now.cases):
        chosen = [test for test in known if test.id in wanted and test.id not in found]
        hits = {case: _surely(candidates, case) for case in cases_of(cases, chosen)}
        for test in chosen:
            rows = tuple(case for case, hit in hits.items() if hit == test.id)
            found |= {test.id: rows} if rows else {}
    return found


def without_cases(report: Report, ids: frozenset[str]) -> Report:
    """A report without some cases, and without them in its counts where every case is named."""
    if not ids:
        return report
    left_out = count(case for case in report.cases if case.id in ids)
    cases = tuple(case for case in report.cases if case.id not in ids)
    counts = report.counts
    if counts is not None:
        left = {
            name: max(0, getattr(counts, name) - getattr(left_out, name))
            for name in Counts.__dataclass_fields__
        }
        counts = Counts(**left)
    return replace(report, cases=cases, counts=counts)


def whole(identity: str) -> str:
    """A case's id without its row: parameters, or the name of a subtest."""
    head, separator, name = identity.rpartition("::")
    name = _ROW.sub(r"\1", name) or name
    return f"{head}{separator}{name}"
