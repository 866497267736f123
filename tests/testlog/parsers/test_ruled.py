"""The rules of a row: what each kind does with a line."""

from __future__ import annotations

from tdd_orchestrator.model.report import Case, Counts, Outcome
from tdd_orchestrator.testlog.parsers.ruled import text_rows
from tdd_orchestrator.testlog.reading import Reading

TABLE = r"""
any RuledReader last=yes tally
  status   ok=passed  |  left=skipped  |  broken=error
  work     tally begins
  suite    suite (?P<name>.*)
  section  wrong ones:
  listed   - (?P<name>\S+)
  case     (?P<status>ok|left|wrong|broken) (?P<name>\S+)
  ahead    at (?P<file>\S+):(?P<line>\d+)
  total    (?P<total>\d+) tests, (?P<failed>\d+) wrong(?:, (?P<errors>\d+) broken)?
  total    =+\n(?P<ran>\d+) of (?P<planned>\d+) ran
  place    in file (?P<file>\S+):(?P<line>\d+)
  test     of file (?P<file>\S+):(?P<line>\d+)
  reason   (?P<type>\w+Error): (?P<message>.*)
  skip     note: .*
  about    why (?P<name>\S+) is wrong:
  stop     --+
  red      tally is unhappy
"""


COUNTED = r"""
any RuledReader first=yes named=yes tally
  trace    js
  suite    test (?P<name>\w+)
  case     (?P<name>\w+) of (?P<name2>\w+) is wrong
  case     (?P<file>\S+):(?P<line>\d+): wrong
  count    crooked: (?P<bad>\d+)|known: (?P<known>\d+)|passed: (?P<passed>\d+)|left out: (?P<skipped>\d+)|wrong: (?P<failed>\d+)|ran: (?P<total>\d+)
  total    that is all(?P<bad>!)?
  unread   cannot load (?P<file>\S+)
  dead     killed by .*
"""


def read(text: str, table: str = TABLE) -> Reading:
    reader = text_rows(table)[0].reader()
    for line in text.split("\n"):
        reader.feed(line)
    return reader.finish()


def test_a_failure_has_the_details_below_it_and_no_others() -> None:
    found = read(
        "suite sums\nwrong adds\nin file a.c:3\nNameError: no x\nnote: this\nmore\n\n--\nnoise\n1 tests, 1 wrong"
    )
    assert found.cases == [Case("sums::adds", "adds", Outcome.FAILED, "a.c", 3, "no x\nmore", "NameError")]
    assert (found.counts, found.finished, found.claims_ok, found.complete) == (
        Counts(0, 1),
        True,
        False,
        True,
    )


def test_a_second_place_counts_only_where_it_is_the_test_s_own() -> None:
    assert read("wrong a\nin file a.c:1\nin file b.c:2").cases[0].file == "a.c"
    assert read("wrong a\nin file a.c:1\nof file b.c:2").cases[0].file == "b.c"


def test_what_stands_ahead_belongs_to_the_next_test_if_it_failed() -> None:
    assert [(one.name, one.line) for one in read("at a.c:1\nok a\nwrong b\nat a.c:2\nwrong c").cases] == [
        ("a", 0), ("b", 0), ("c", 2)
    ]  # fmt: skip


def test_details_by_name_may_stand_before_the_result() -> None:
    found = read("why a is wrong:\nKeyError: x\nmore\n--\nok b\nwrong a")
    assert [(one.name, one.message, one.exception) for one in found.cases] == [
        ("b", "", ""), ("a", "x\nmore", "KeyError")
    ]  # fmt: skip


def test_a_list_counts_only_below_its_heading() -> None:
    assert read("- a").cases == []
    assert [case.name for case in read("wrong ones:\n- a\n- b").cases] == ["a", "b"]


def test_the_last_result_of_a_test_counts() -> None:
    assert [case.outcome for case in read("ok a\nok b\nwrong a").cases] == [Outcome.FAILED, Outcome.PASSED]


def test_tests_that_were_skipped_are_counted_by_their_lines() -> None:
    assert read("ok a\nleft b\n2 tests, 0 wrong").counts == Counts(1, skipped=1)


def test_a_run_of_fewer_tests_than_planned_is_not_over() -> None:
    assert read("====\n2 of 2 ran").finished
    assert not read("====\n1 of 2 ran").finished


def test_a_run_that_is_red_as_a_whole_says_so() -> None:
    assert read("ok a\ntally is unhappy\n1 tests, 0 wrong").claims_ok is False
    assert read("ok a\n1 tests, 0 wrong").claims_ok


def test_counts_stand_on_lines_before_and_after_the_closing_one() -> None:
    before, after = (
        read("passed: 2\nleft out: 1\nthat is all", COUNTED),
        read("that is all\npassed: 2", COUNTED),
    )
    assert (before.counts, before.finished) == (Counts(2, skipped=1), True)
    assert (after.counts, after.finished) == (Counts(2), True)
    assert read("passed: 2\nthat is all\nknown: 1", COUNTED).counts == Counts(1, xfailed=1)
    assert not read("passed: 2", COUNTED).finished


def test_a_total_after_the_closing_line_is_of_the_next_run() -> None:
    found = read("passed: 1\nthat is all\nran: 3", COUNTED)
    assert (found.counts, found.finished) == (Counts(1), True)
    assert read("that is all\nran: 3\nthat is all", COUNTED).counts == Counts(3)


def test_at_least_as_many_failed_as_are_named() -> None:
    found = read("one of two is wrong\npassed: 1\nwrong: 0\nthat is all", COUNTED)
    assert (found.counts, [case.name for case in found.cases]) == (Counts(1, 1), ["one two"])


def test_a_case_without_a_name_has_its_suite_s() -> None:
    found = read("test adds\na.py:3: wrong\na.py:4: wrong\nthat is all", COUNTED)
    assert [(case.id, case.line) for case in found.cases] == [("adds", 3)]
    assert found.counts == Counts(failed=1)


def test_details_are_read_as_the_language_s_traces() -> None:
    found = read("one of two is wrong\nTypeError: 3\n    at add (/b.js:7:9)\nthat is all", COUNTED)
    case = found.cases[0]
    assert (case.file, case.line, case.exception, case.message) == ("/b.js", 7, "TypeError", "3")


def test_a_file_that_could_not_be_loaded_is_a_build_error() -> None:
    error = read("cannot load c.js\nSyntaxError: bad", COUNTED).build_errors[0]
    assert (error.file, error.message) == ("c.js", "bad")


def test_a_run_may_fail_or_die_without_a_failed_test() -> None:
    assert read("passed: 1\nthat is all!", COUNTED).claims_ok is False
    assert read("that is all\npassed: 1\ncrooked: 1", COUNTED).claims_ok is False
    assert read("passed: 1\nkilled by SIGTERM", COUNTED).crashed == "killed by SIGTERM"


def test_closing_lines_that_repeat_count_once() -> None:
    found = read("1 tests, 1 wrong\n2 tests, 0 wrong", TABLE.replace("last=yes", "again=yes"))
    assert (found.counts, found.claims_ok) == (Counts(2), True)
