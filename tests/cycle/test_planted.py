"""What a RED's tests do where the missing names are there and do nothing (E7)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from tdd_orchestrator.cycle.red.loading import Planted, _left_out, plant
from tdd_orchestrator.languages.source import find_tests
from tdd_orchestrator.model.report import BuildError, Case, Outcome, Reason, RedReason, Report, RunVerdict

PATH = "tests/test_more.py"
TEXT = "from calc import add, double\n\n\ndef test_doubles():\n    assert double(2) == 4\n\n\ndef test_zero():\n    assert add(0, 0) == 0\n"
MISSING = RedReason(Reason.MISSING_SYMBOL, "cannot import name 'double' from 'calc'", "calc", acceptable=True)


def put(
    text: str, reason: RedReason, report: Report, found: RedReason | None = None
) -> tuple[Planted, dict[str, str]]:
    seen: dict[str, str] = {}

    def run(stubs: Mapping[str, str], cases: list[Case]) -> tuple[Report, str]:
        seen.update(stubs)
        return report, ""

    def judge(now: Report):  # type: ignore[no-untyped-def]
        return tuple(found for _ in now.build_errors if found), lambda _: found or MISSING

    paths, read = frozenset({"calc.py", PATH}), {"calc.py": "def add(a, b):\n    return a + b\n"}.get
    done = plant(
        find_tests(text, PATH), {PATH: text}, (reason,), paths, lambda path: read(path, ""), run, judge
    )
    return done, seen


def test_a_test_that_passes_with_the_stubs_is_vacuous() -> None:
    cases = (
        Case(f"{PATH}::test_doubles", "", Outcome.FAILED, PATH), Case(f"{PATH}::test_zero", "", Outcome.PASSED, PATH),
    )  # fmt: skip
    done, stubs = put(TEXT, MISSING, Report(RunVerdict.FAILED, cases=cases))
    assert done == Planted(vacuous=(f"{PATH}::test_zero",))
    assert "def double(" in stubs["calc.py"]
    assert "def add(a, b)" in stubs["calc.py"]


def test_a_fixture_that_is_missing_shows_once_the_file_loads() -> None:
    wrong = RedReason(Reason.FIXTURE, "fixture 'two' not found")
    cases = (Case(f"{PATH}::test_doubles", "", Outcome.ERROR, PATH),)
    done, _ = put(TEXT, MISSING, Report(RunVerdict.FAILED, cases=cases), wrong)
    assert done.wrong == (wrong,)


def test_a_test_that_the_command_leaves_out_is_found_once_its_file_loads() -> None:
    doubles = Case(f"{PATH}::test_doubles", "", Outcome.FAILED, PATH)
    one = Report(RunVerdict.FAILED, cases=(doubles,), complete=True, source="report")
    assert put(TEXT, MISSING, one)[0].left_out == (f"{PATH}::test_zero",)
    assert put(TEXT, MISSING, replace(one, complete=False))[0].left_out == ()
    assert put(TEXT, MISSING, replace(one, source="text"))[0].left_out == ()
    inherited = Case(f"{PATH}::TestMore::test_zero", "", Outcome.FAILED, PATH)
    assert put(TEXT, MISSING, replace(one, cases=(doubles, inherited)))[0].left_out == ()
    none = put(TEXT, MISSING, Report(RunVerdict.NO_TESTS, exit_code=5))[0]
    assert none.left_out == (f"{PATH}::test_doubles", f"{PATH}::test_zero")


def test_a_star_is_no_name_to_plant() -> None:
    text = "from calc import *\n\n\ndef test_doubles():\n    assert double(2) == 4\n"
    done, stubs = put(text, MISSING, Report(RunVerdict.FAILED))
    assert (done, stubs) == (Planted(), {})


def test_a_second_import_that_is_not_installed_shows_behind_the_first() -> None:
    other = RedReason(Reason.THIRD_PARTY, "No module named 'moto'", "moto")
    report = Report(RunVerdict.ERROR, build_errors=(BuildError("No module named 'moto'", PATH),))
    done, stubs = put("from shop import sell\n\n\ndef test_sells():\n    assert sell() == 1\n",
                      RedReason(Reason.MISSING_SYMBOL, "No module named 'shop'", "shop", acceptable=True), report, other)  # fmt: skip
    assert done.wrong == (other,)
    assert list(stubs) == ["shop.py"]


@pytest.mark.parametrize("title", ["`adds ${n}`", "'adds ' + n", "name"])
def test_a_title_that_is_filled_in_is_not_left_out(title: str) -> None:
    path = "test/more.test.js"
    text = f"import {{ f }} from '../f.js';\nfor (const n of [1, 2]) it({title}, () => {{ expect(f(n)).toBe(n); }});\n"
    case = Case(f"{path}::adds 1", "adds 1", Outcome.FAILED, path)
    report = Report(RunVerdict.FAILED, cases=(case,), complete=True, source="report")
    assert _left_out(report, list(find_tests(text, path)), {path: text}) == ()


def test_a_runner_that_names_tests_by_other_words_makes_no_claim() -> None:
    case = Case(f"{PATH}::twice as much", "twice as much", Outcome.FAILED, PATH)
    report = Report(RunVerdict.FAILED, cases=(case,), complete=True, source="report")
    assert _left_out(report, list(find_tests(TEXT, PATH)), {PATH: TEXT}) == ()


COPY = "cannot import name 'double' from 'calc' (/venv/lib/python3.11/site-packages/calc.py)"


@pytest.mark.parametrize(
    ("message", "seen"),
    [
        (COPY, False),
        (r"cannot import name 'double' from 'calc' (C:\venv\calc.py)", False),
        ("cannot import name 'double' from 'calc' (calc.py)", True),
        ("cannot import name 'double' from 'calc' (unknown location)", True),
        (COPY.replace("double", "triple"), True),  # no name that was planted
        (COPY.replace("'calc'", "'other'"), True),
    ],
)
def test_a_name_that_is_not_seen_where_it_was_planted_is_looked_for_in_a_copy(
    message: str, seen: bool
) -> None:
    report = Report(RunVerdict.ERROR, build_errors=(BuildError(f"ImportError: {message}", PATH),))
    done, stubs = put(TEXT, MISSING, report, MISSING)
    assert "def double(" in stubs["calc.py"]
    assert bool(done.wrong) is not seen
    assert all("not from the tree" in one.evidence and not one.acceptable for one in done.wrong)
