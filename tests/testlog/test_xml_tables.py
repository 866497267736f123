"""XML of runners with a format of their own: what it says beside its tests, and tests that were left out."""

from __future__ import annotations

import pytest

from tdd_orchestrator.model.report import Counts
from tdd_orchestrator.testlog.formats.xml_tables import read_xml
from tdd_orchestrator.testlog.reading import Reading


def reading_of(text: str) -> Reading:
    found = read_xml(text.encode(), text.encode())
    assert found is not None
    return found[0]


BOOST = (
    '<TestLog>{log}<TestResult><TestSuite name="calc" result="{suite}"><TestSuite name="inner" result="{inner}">'
    '<TestCase name="right" result="passed"></TestCase></TestSuite></TestSuite></TestResult></TestLog>'
)
NO = '<Error file="a.cpp" line="6"><![CDATA[no]]></Error>'
IN_ONE = f'<TestSuite name="calc"><TestCase name="right" file="a.cpp" line="5">{NO}</TestCase></TestSuite>'


@pytest.mark.parametrize(
    ("log", "suite", "inner", "claims"),
    [
        ("", "passed", "passed", None),
        ("", "failed", "passed", False),
        ("", "failed", "aborted", False),
        (f'<TestSuite name="calc">{NO}</TestSuite>', "passed", "passed", False),
        (NO, "passed", "passed", None),  # of a test that may fail, in a log without suites
        (IN_ONE, "passed", "passed", None),
    ],
)
def test_a_suite_of_boost_test_fails_by_itself(log: str, suite: str, inner: str, claims: bool | None) -> None:
    found = reading_of(BOOST.format(log=log, suite=suite, inner=inner))
    assert (found.counts, found.claims_ok) == (Counts(passed=1), claims)


def test_a_test_of_doctest_that_was_left_out_is_skipped() -> None:
    green = '<TestCase name="a"><OverallResultsAsserts test_case_success="true"/></TestCase>'
    cut, left = '<TestCase name="c"></TestCase>', '<TestCase name="b" line="3" skipped="true"/>'
    assert reading_of(f"<doctest>{green}{left}</doctest>").counts == Counts(passed=1, skipped=1)
    assert reading_of(f"<doctest>{green}{cut}</doctest>").counts == Counts(passed=1, errors=1)
