"""What counts where the command and the runner behind it were run apart."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tdd_orchestrator.cycle.behind import behind, kept_out
from tdd_orchestrator.model.report import Report, RunVerdict
from tdd_orchestrator.runners.run import Ran, Suite
from tdd_orchestrator.runners.table import by_name

P, F, U, E, N, C, T = (
    RunVerdict.PASSED,
    RunVerdict.FAILED,
    RunVerdict.UNREADABLE,
    RunVerdict.ERROR,
    RunVerdict.NO_TESTS,
    RunVerdict.CRASHED,
    RunVerdict.TIMED_OUT,
)


def ran(verdict: RunVerdict, control: bool | None = None, why: str = "") -> Ran:
    return Ran(Report(verdict, why=why), control, 0.0, "")


@pytest.mark.parametrize(
    ("script", "verdict", "control", "out"),
    [
        ("node lint.js && node --test", U, None, True),
        ("node lint.js && node --test", U, False, True),
        ("node lint.js && node --test", E, None, False),
        ("node lint.js && node --test && tsd", N, None, True),
        ("node lint.js && node --test", U, True, False),
        ("node lint.js && node --test", P, None, False),
        ("node lint.js && node --test", F, False, False),
    ],
)  # fmt: skip
def test_when_the_control_may_have_been_kept_out(tmp_path, script, verdict, control, out):
    (tmp_path / "package.json").write_text(json.dumps({"scripts": {"test": script}}))
    suite = Suite("tests", ("npm", "test"), by_name("node-test"))
    assert kept_out(suite, tmp_path, ran(verdict, control)) is out
    assert not kept_out(replace(suite, command=("node", "--test")), tmp_path, ran(verdict, control))


@pytest.mark.parametrize(
    ("whole", "alone", "counts"),
    [
        (ran(P), ran(P, True), (P, True, "alone")),
        (ran(F), ran(F, True), (F, True, "alone")),
        (ran(P), ran(F, True), (F, True, "alone")),
        (ran(F), ran(P, True), (F, True, "whole")),
        (ran(P), ran(P, False), (P, False, "whole")),
        (ran(P), ran(P, None), (P, None, "whole")),
        (ran(P), ran(U, None), (P, None, "whole")),
        (ran(P), ran(C, True), (P, None, "whole")),
        (ran(P), ran(T, True), (P, None, "whole")),
        (ran(P), ran(C, False), (P, False, "whole")),
        (ran(P), ran(N, True), (P, True, "whole")),
    ],
)
def test_both_must_agree(whole, alone, counts):
    named = [
        Ran(Report(one.report.verdict, why=name), one.control, 0.0, "")
        for one, name in ((whole, "whole"), (alone, "alone"))
    ]
    said = behind(named[0], lambda: named[1])
    assert (said.report.verdict, said.control, said.report.why) == counts


def test_a_command_that_runs_nothing_is_not_helped():
    def never() -> Ran:
        raise AssertionError("it was run")

    assert behind(ran(U), never).report.verdict is U
