"""A runner's case is compared with the few tests whose words it has, not with every test of the files."""

from __future__ import annotations

import sys
from collections import Counter
from types import FrameType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tdd_orchestrator.languages import cases
from tdd_orchestrator.languages.cases import Candidates, assign_cases
from tdd_orchestrator.languages.source import SourceTest, find_tests
from tdd_orchestrator.model.report import Case, Outcome

PATH = "test/globs.js"


def case(name: str) -> Case:
    return Case(f"globs {name}", name, Outcome.PASSED)


def test_names_that_share_a_long_word_are_told_apart() -> None:
    names = [f"should match pattern {number}x" for number in range(300)]
    text = "".join(f"it('{name}', () => {{ assert(match()); }});\n" for name in names)
    candidates = Candidates(find_tests(text, PATH))
    assert {test.name for test in candidates.of(case(names[255]))} <= {names[n] for n in (5, 55, 255)}


@given(st.lists(st.text("ab1 _", max_size=9), max_size=9), st.text("abA1 _:[", max_size=30))
def test_none_is_missed(names: list[str], title: str) -> None:
    tests = [SourceTest(name, name, (name,), PATH, 1, 1, "", str, 1) for name in names]
    every = [[one for one in cases._words(name) if one not in cases._letters(title)] for name in names]
    expected = [test for test, missing in zip(tests, every, strict=True) if not missing]
    assert Candidates(tests).of(Case(title, title, Outcome.PASSED)) == expected


def _calls_of_a_look(tests: int) -> int:
    """Calls of Python and of C for the candidates of one case, among so many tests."""
    text = "".join(f"def test_large_{number}():\n    assert {number}\n" for number in range(tests))
    candidates, counts = Candidates(find_tests(text, "tests/test_large.py")), Counter[str]()

    def note(_frame: FrameType, event: str, _value: object) -> None:
        counts[event] += 1

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        found = candidates.of(case("tests/test_large.py::test_large_87"))
    finally:
        sys.setprofile(before)
    assert "test_large_87" in {test.name for test in found}
    return counts["call"] + counts["c_call"]


def test_a_case_is_not_held_against_each_test_of_a_large_file() -> None:
    """3,000 tests and as many cases were nine million looks: thirteen seconds."""
    assert _calls_of_a_look(3000) <= 2 * _calls_of_a_look(100)


@pytest.mark.parametrize(
    ("source", "path", "name"),
    [
        ("it('adds %s to $other.name', () => {});", PATH, "adds 1 to seven"),
        ("def test_adds_two():\n    assert add(2)\n", "tests/test_a.py", "adds two"),
        ("func TestAddsTwo(t *testing.T) { t.Run(\"small\", func(t *testing.T) {}) }", "a_test.go", "TestAddsTwo/small"),
    ],
)  # fmt: skip
def test_a_case_that_a_runner_names_in_its_own_way_is_found(source: str, path: str, name: str) -> None:
    tests = find_tests(source, path)
    assert Candidates(tests).of(case(name)) == list(tests)
    assert [len(found) for found in assign_cases(tests, [case(name)]).values()] == [1]
