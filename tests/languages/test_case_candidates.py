"""A runner's case is compared with the few tests whose words it has, not with every test of the files."""

from __future__ import annotations

import pytest

from tdd_orchestrator.languages.cases import Candidates, assign_cases
from tdd_orchestrator.languages.source import find_tests
from tdd_orchestrator.model.report import Case, Outcome

PATH = "test/globs.js"


def case(name: str) -> Case:
    return Case(f"globs {name}", name, Outcome.PASSED)


def test_names_that_share_a_long_word_are_told_apart() -> None:
    names = [f"should match pattern {number}x" for number in range(300)]
    text = "".join(f"it('{name}', () => {{ assert(match()); }});\n" for name in names)
    candidates = Candidates(find_tests(text, PATH))
    assert {test.name for test in candidates.of(case(names[255]))} <= {names[n] for n in (5, 55, 255)}


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
    assert [len(cases) for cases in assign_cases(tests, [case(name)]).values()] == [1]
