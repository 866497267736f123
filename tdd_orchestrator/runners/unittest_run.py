"""``python -m unittest`` with a witness in its process: of what the text says, only what really ran is believed."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tdd_orchestrator.model.report import BAD, CHANGED, Case, Counts, Report, RunVerdict, count
from tdd_orchestrator.runners.witness import Statement
from tdd_orchestrator.runners.witness_place import put

_COMMAND = re.compile(r"(?:^|/)python(?:3[\d.]*)?$")
_APART = re.compile(r"^-[A-Za-z]*[IES]")
"""Options with which Python looks at neither our variables nor ``sitecustomize``: such a run is read by its text alone."""
_JUDGED = (RunVerdict.PASSED, RunVerdict.FAILED, RunVerdict.NO_TESTS)


def heard_of(command: Sequence[str]) -> bool:
    """Whether the command is Python's own unittest, by an interpreter that takes a witness along."""
    if "-m" not in command[:-1] or not _COMMAND.search(command[0]):
        return False
    at = command.index("-m")
    return command[at + 1] == "unittest" and not any(_APART.match(word) for word in command[1:at])


def environment(env: Mapping[str, str], folder: Path, nonce: str) -> dict[str, str]:
    """Write the witness and its orders beside ``folder``, for its lines; return the variables that bring it along."""
    name, home = put("unittest", folder, nonce, {"restore": {"PYTHONPATH": env.get("PYTHONPATH")}})
    (home / "sitecustomize.py").write_text(f"import {name}\n", encoding="ascii")
    return {
        "TDD_WITNESS": str(home / "orders.json"),
        "PYTHONPATH": os.pathsep.join([str(home), *filter(None, [env.get("PYTHONPATH")])]),
    }


def confirmed(report: Report, said: Statement, control: str = "") -> Report:
    """The text's report as far as the witness saw the same. ``control``: the word of the must-fail test.

    A test that the text calls passed, and that nobody saw run, is left out; of two outcomes the worse counts. A run
    whose end the witness did not see is no run.
    """
    if report.verdict not in _JUDGED:
        return report
    wrong = _unheard(said)
    if wrong:
        return replace(
            report,
            verdict=RunVerdict.UNREADABLE,
            why=f"{wrong}; what the output claims is not believed.",
            disagreements=(*report.disagreements, f"text: {report.verdict}; witness: none"),
            complete=False,
        )
    cases = _agreed(report.cases, said, control)
    counts = _agreed_counts(report.counts, cases, said)
    verdict, why = report.verdict, report.why
    if counts.bad and verdict is not RunVerdict.FAILED:
        verdict, why = RunVerdict.FAILED, f"{counts.bad} tests failed, though the output says otherwise."
    changed = tuple(f"{CHANGED}{name}" for name in said.patched)
    return replace(
        report,
        cases=cases,
        counts=counts,
        verdict=verdict,
        why=why,
        disagreements=(*report.disagreements, *changed),
    )


def _unheard(said: Statement) -> str:
    if not said.loaded:
        return "unittest ran without the orchestrator's witness"
    if said.broken:
        return said.broken
    if said.started and said.status is None:
        return "unittest's process ended before its run did"
    return "" if said.started else "unittest ended before its run began"


def _agreed(told: Sequence[Case], said: Statement, control: str) -> tuple[Case, ...]:
    seen = {_test_of(name): case for name, case in said.cases.items()}
    failing = {_test_of(case.id) for case in told if case.outcome in BAD}
    cases = []
    for case in told:
        test = _test_of(case.id)
        witnessed = seen.get(test)
        if witnessed is None and (case.outcome not in BAD or (control and control in case.id)):
            continue
        hidden = witnessed is not None and witnessed.outcome in BAD and test not in failing
        cases.append(
            replace(case, outcome=witnessed.outcome, message=witnessed.message)
            if hidden and witnessed
            else case
        )
    named = {_test_of(case.id) for case in cases}
    return (*cases, *(replace(case, id=name, name=name) for name, case in seen.items() if name not in named))


def _agreed_counts(told: Counts | None, cases: Sequence[Case], said: Statement) -> Counts:
    """The text's own numbers, with no more passes and no fewer failures than were seen."""
    seen = count(said.cases.values())
    if told is None:
        return count(cases)
    missing = max(0, seen.bad - told.bad)
    return replace(told, passed=min(told.passed, seen.passed), failed=told.failed + missing)


def _test_of(name: str) -> str:
    """The test of a sub-test: ``test_x (m.C.test_x) [message] (i=1)`` to its first two words."""
    end = name.find(")")
    return name[: end + 1] if end > 0 else name
