"""What one new test in a large test file costs RED: counted, for time says nothing on a busy machine."""

from __future__ import annotations

import sys
from collections import Counter
from types import FrameType

import pytest

from tdd_orchestrator.cycle.red.loading import plant
from tdd_orchestrator.cycle.red.test_changes import edits_of, map_cases
from tdd_orchestrator.languages.functions import defined_names
from tdd_orchestrator.languages.source import find_tests
from tdd_orchestrator.languages.tokens import Reader
from tdd_orchestrator.model.report import Case, Outcome, Reason, RedReason, Report, RunVerdict
from tdd_orchestrator.workspace.guard import Change, Rules

PATH = "tests/test_large.py"
RULES = Rules(("tests/**/*.py",))
NEW = "from double import double\n\n\ndef test_doubles():\n    assert double(2) == 4, 'doubled'\n"


def _tests(name: str, count: int) -> str:
    one = "def test_{}_{}():\n    value = {}\n    # why\n    assert value, 'it is'\n\n\n"
    return "".join(one.format(name, number, number) for number in range(1, count + 1))


def _red(name: str, count: int) -> None:
    """What RED looks at of its test file and of the cases of its runs."""
    before = _tests(name, count)
    edits = edits_of((Change(PATH, "changed", before, before + NEW),), RULES)
    assert [test.name for test in edits.added] == ["test_doubles"]
    assert defined_names(before + NEW, PATH)
    cases = tuple(Case(test.id, test.name, Outcome.PASSED, PATH) for test in edits.after)
    assert len(set(map_cases(cases, edits.after).values())) == count + 1
    missing = RedReason(Reason.MISSING_SYMBOL, "No module named 'double'", "double")
    report = Report(RunVerdict.PASSED, cases=cases, source="report", complete=True)

    found = plant(
        edits.added, {PATH: before + NEW}, [missing], frozenset({PATH}), lambda _: "",
        lambda *_: (report, ""), lambda _: ((), lambda _: missing),
    )  # fmt: skip
    assert found.vacuous == (f"{PATH}::test_doubles",)
    assert found.left_out == ()


def _calls(name: str, count: int) -> int:
    """The calls, of Python and of C, that RED makes among so many tests."""
    counts = Counter[str]()

    def note(_frame: FrameType, event: str, _value: object) -> None:
        counts[event] += 1

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        _red(name, count)
    finally:
        sys.setprofile(before)
    return counts["call"] + counts["c_call"]


def test_four_times_the_tests_are_four_times_the_calls() -> None:
    """Each case was held against each test: 16 times the calls, and 13 s at 3,000 tests."""
    _red("warm", 1)
    assert _calls("many", 800) <= 4.5 * _calls("few", 200)


def test_only_the_new_test_is_normalized(monkeypatch: pytest.MonkeyPatch) -> None:
    normalized: list[tuple[int, int]] = []
    normalize = Reader.normalize

    def counted(self: Reader, span: tuple[int, int], *more: object) -> str:
        normalized.append(span)
        return normalize(self, span, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(Reader, "normalize", counted)
    _red("read", 300)
    assert len(normalized) <= 4


def test_a_file_is_parsed_once_as_it_was_and_once_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    from tree_sitter import Parser

    from tdd_orchestrator.languages import parse

    parsed: list[int] = []

    class Counted:
        def __init__(self, grammar: object) -> None:
            self._parser = Parser(grammar)  # type: ignore[arg-type]

        def parse(self, data: bytes) -> object:
            parsed.append(len(data))
            return self._parser.parse(data)

    monkeypatch.setattr("tree_sitter.Parser", Counted)
    _red("parsed", 300)
    assert parse.parse.cache_info().maxsize
    assert sum(size > 1000 for size in parsed) == 2


def test_what_stands_between_messages_does_not_count_for_each_test() -> None:
    """The place of each message and comment of a file was looked at for each of its tests."""

    def looked_at(name: str, count: int) -> int:
        text, seen = _tests(name, count), Counter[str]()

        def note(_frame: FrameType, event: str, _value: object) -> None:
            seen[event] += 1

        tests = find_tests(text, PATH)
        before = sys.getprofile()
        sys.setprofile(note)
        try:
            assert tests[-1].body
        finally:
            sys.setprofile(before)
        return seen["call"] + seen["c_call"]

    assert looked_at("dense", 2000) <= looked_at("thin", 20) + 20
