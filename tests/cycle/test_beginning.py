"""Whether a cycle may begin on what the suite says before anything is changed."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tdd_orchestrator.cycle.proof import Proof
from tdd_orchestrator.cycle.start import _judged
from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.model.report import Case, Outcome, Report, RunVerdict
from tests.kit import Kata


def context(*known: str) -> Any:
    return SimpleNamespace(settings=SimpleNamespace(known_failing=frozenset(known)))


def proof(*failing: str, flaky: tuple[str, ...] = ()) -> Proof:
    cases = tuple(Case(one, one, Outcome.FAILED) for one in failing)
    verdict = RunVerdict.FAILED if failing else RunVerdict.PASSED
    return Proof(Report(verdict, cases=cases), "t", "k", frozenset(flaky))


def test_what_fails_and_is_known_is_in_nobodys_way() -> None:
    assert _judged(context("a"), proof("a")) == {"a"}
    assert _judged(context(), proof("a", flaky=("a",))) == frozenset()
    assert _judged(context(), proof()) == frozenset()


def test_failures_that_nobody_knows_of_are_named() -> None:
    with pytest.raises(Refused) as refused:
        _judged(context("b"), proof("a", "b"))
    assert refused.value.what == "The tests fail before anything was changed: a."


_GEM = """\
/gems/bundler/resolver.rb:271:in `verify!': Could not find gem 'rake' in locally installed gems. (Bundler::GemNotFound)
\tfrom /gems/bundler/resolver.rb:50:in `start'
\tfrom /gems/bundler/setup.rb:20:in `<top (required)>'
"""


@pytest.mark.parametrize(
    ("output", "shown"),
    [
        ("a\nRun `bundle install`\n\n", "Run `bundle install`"),
        (_GEM, "Could not find gem 'rake' in locally installed gems"),
    ],
)
def test_an_output_that_cannot_be_read_is_shown_by_its_end(output: str, shown: str) -> None:
    unread = Proof(Report(RunVerdict.UNREADABLE, why="No runner."), "t", "k", output=output)
    prover = SimpleNamespace(not_there=lambda: "", suites=(SimpleNamespace(command=("rake", "test")),))
    with pytest.raises(Refused) as refused:
        _judged(SimpleNamespace(**vars(context()), prover=prover), unread)
    assert refused.value.what.endswith(f"No runner. It ended with: {shown}.")


def test_what_the_report_says_already_is_not_said_twice() -> None:
    unread = Proof(Report(RunVerdict.UNREADABLE, why="It ends with: no gem"), "t", "k", output="no gem\n")
    assert unread.trouble == "It ends with: no gem."


@pytest.mark.journey
def test_a_branch_whose_name_is_a_key_comes_into_no_record(tmp_path: Path) -> None:
    kata, key = Kata(tmp_path), "ghp_" + "a1B2" * 9
    kata.git("switch", "-qc", f"feature/{key}")
    kata.plan()
    done = kata.next()
    assert (done.code, key in done.err) == (2, False)
    assert "its name seems to hold a secret (github)" in done.err
    assert key not in kata.git("log", "--all", "-p", "--format=%B")
