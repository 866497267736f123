"""A red run of CI comes back as a log or a report, is reproduced, and is fixed under the same guard."""

from __future__ import annotations

from pathlib import Path

import pytest
from kit import Kata
from red_prices import BY_TEST, red_prices


@pytest.fixture
def kata(tmp_path: Path) -> Kata:
    return red_prices(tmp_path)


def test_a_failure_of_ci_is_reproduced_and_healed(kata: Kata, tmp_path: Path) -> None:
    log = tmp_path / "ci.log"
    log.write_text(
        "============================= test session starts ==============================\n"
        "collected 7 items\n\ntests/test_prices.py F......                      [100%]\n\n"
        "=================================== FAILURES ===================================\n"
        "__________________________________ test_price __________________________________\n\n"
        "E       KeyError: 'price?'\n\nprices.py:5: KeyError\n"
        "=========================== short test summary info ============================\n"
        "FAILED tests/test_prices.py::test_price - KeyError: 'price?'\n"
        "========================= 1 failed, 6 passed in 0.12s ==========================\n"
    )
    kata.script(fix=[BY_TEST])
    done = kata.tdd("fix", "--from-log", str(log))
    assert done.code == 0, done.err
    assert "reproduced in" in done.err
    assert "tests/test_prices.py::test_price" in done.err
    before_an_agent = done.err.partition(" works (")[0]
    assert before_an_agent.count("running the tests in a clean tree") == 1, done.err
    assert before_an_agent.count("running the whole suite again") == 2, "for what the log does not name, once"
    assert all(line.startswith("fix: ") for line in kata.subjects()[2:])


def test_what_failed_there_and_fails_here_is_run_once(kata: Kata, tmp_path: Path) -> None:
    report = tmp_path / "junit.xml"
    names = ("test_price", "test_price_again", "test_price_in_capitals", "test_label")
    cases = [f'<testcase classname="tests.test_prices" name="{name}"><failure/></testcase>' for name in names]
    report.write_text(f'<testsuite name="s" tests="4" failures="4">{"".join(cases)}</testsuite>')
    kata.script(fix=[BY_TEST])
    done = kata.tdd("fix", "--from-junit", str(report))
    assert done.code == 0, done.err
    assert done.err.partition(" works (")[0].count("running the") == 1


def test_a_failure_that_is_not_here_sends_nobody(kata: Kata, tmp_path: Path) -> None:
    report = tmp_path / "junit.xml"
    report.write_text(
        '<testsuite name="s" tests="1" failures="1"><testcase classname="tests.test_other" name="test_other">'
        '<failure message="no database">trace</failure></testcase></testsuite>'
    )
    done = kata.tdd("fix", "--from-junit", str(report))
    assert done.code == 1
    assert "does not fail here" in done.err
    assert "test_other" in done.err
    assert kata.calls("fix") == []


def test_a_log_without_a_failure_is_refused(kata: Kata, tmp_path: Path) -> None:
    log = tmp_path / "ci.log"
    log.write_text("cloning ...\n")
    assert kata.tdd("fix", "--from-log", str(log)).code == 2


def test_a_commit_without_a_run_of_it_is_refused(kata: Kata) -> None:
    done = kata.tdd("fix", "--commit", "HEAD")
    assert done.code == 2
    assert "--commit goes with --from-log or --from-junit" in done.err
