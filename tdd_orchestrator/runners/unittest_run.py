"""unittest, Django's test runner and nose2 with a witness in their process: of what the text says, only what really ran is
believed."""

from __future__ import annotations

import itertools
import os
import re
import shutil
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tdd_orchestrator.model.report import BAD, CHANGED, Case, Counts, Outcome, Report, RunVerdict, count
from tdd_orchestrator.runners.witness import Statement, statement_in
from tdd_orchestrator.runners.witness_place import put

_INTERPRETER = re.compile(r"(?:^|/)python(?:3[\d.]*)?$")
_APART = re.compile(r"^-[A-Za-z]*[IES]")
"""Options with which Python looks at neither our variables nor ``sitecustomize``: such a run is read by its text alone."""
_OPTIONS = r"(?:-[XW] \S+ |-(?!m )\S+ )*"
_COVERED = r"(?:(?:-m |(?:\S*/)?)coverage[\d.-]* run (?:\S+ )*?)?"
_MODULES = r"-m (?:unittest|xmlrunner|nose2|django test)(?: |$)"
_SCRIPTS = r"(?:\S*/)?(?:(?:manage\.py|django-admin(?:\.py)?) test|nose2[\d.-]*)(?: |$)"
_RUNS = rf"{_OPTIONS}{_COVERED}(?:{_MODULES}|{_SCRIPTS})"
"""What follows the interpreter where the process is unittest's, Django's or nose2's own; white space in a word is ``_``."""
_MAY_RUN = rf"{_OPTIONS}{_COVERED}(?:\S*/)?runtests\.py(?: |$)"
"""A script of the project's own, which may be any runner: its witness is believed if it saw one."""
_SHEBANG = re.compile(rb"#!\S*(?:/python|/env python)[\d.]*\s*$")
_NAMED = re.compile(r"(\w+) \(([^()\s]+)\)")
_TOO_OLD = "old"  # a file that a Python leaves which cannot read the witness
_JUDGED = (RunVerdict.PASSED, RunVerdict.FAILED, RunVerdict.NO_TESTS)


def heard_of(command: Sequence[str], cwd: Path, path: str) -> bool:
    """Whether the command is surely one of the runners itself, by an interpreter that takes a witness along.

    Of any other the text is believed where no witness was heard: what is behind ``make`` may be another Python, or a
    container. ``path``: where programs are looked for."""
    words = [re.sub(r"\s", "_", word) for word in command]
    if not _INTERPRETER.search(command[0]):
        return _is_python(command[0], cwd, path) and bool(re.match(_RUNS, " ".join(words)))
    options = itertools.takewhile(lambda word: word.startswith("-") and word != "-m", words[1:])
    return bool(re.match(_RUNS, " ".join(words[1:]))) and not any(_APART.match(word) for word in options)


def _is_python(program: str, cwd: Path, path: str) -> bool:
    """Whether a program is a script for Python, without options for it."""
    found = shutil.which(str(cwd / program) if "/" in program else program, path=path)
    if not found:
        return False
    with open(found, "rb") as file:
        return bool(_SHEBANG.match(file.readline(4096)))


def environment(env: Mapping[str, str], folder: Path, nonce: str, certain: bool) -> dict[str, str]:
    """Write the witness and its orders beside ``folder``, for its lines; return the variables that bring it along.

    ``certain``: the first Python that is started is the runner; else the first whose command line is one's."""
    orders = {"restore": {"PYTHONPATH": env.get("PYTHONPATH")}, "certain": certain}
    orders.update(runs=_RUNS, may_run=_MAY_RUN)
    name, home = put("unittest", folder, nonce, orders)
    old = f"else:\n    open({str(folder / _TOO_OLD)!a}, 'w').close()\n"
    door = f"import sys\n\nif sys.version_info >= (3, 6):\n    import {name}_door\n{old}"
    (home / "sitecustomize.py").write_text(door, encoding="ascii")
    return {
        "TDD_WITNESS": str(home / "orders.json"),
        "PYTHONPATH": os.pathsep.join([str(home), *filter(None, [env.get("PYTHONPATH")])]),
    }


def heard(folder: Path, nonce: str, tree: Path, certain: bool) -> tuple[Statement, bool]:
    """What the witness wrote into ``folder``, and whether it was surely there."""
    return statement_in(folder, nonce, tree), certain and not (folder / _TOO_OLD).exists()


def confirmed(report: Report, said: Statement, control: str = "", *, certain: bool = True) -> Report:
    """The text's report as far as the witness saw the same. ``control``: the word of the must-fail test; ``certain``: the
    witness was there, whether it was heard or not.

    A test that the text calls passed, and that nobody saw run, is left out; of two outcomes the worse counts. A run
    whose end the witness did not see is no run.
    """
    if report.verdict not in _JUDGED or not (said.loaded or certain):
        return report
    changed = tuple(f"{CHANGED}{name}" for name in dict.fromkeys(said.patched))
    if said.apart and not said.broken:
        return replace(report, disagreements=(*report.disagreements, *changed))
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
        return "the runner ran without the orchestrator's witness"
    if said.broken:
        return said.broken
    if said.started and said.status is None:
        return "the runner's process ended before its run did"
    return "" if said.started else "the runner ended before its run began"


def _agreed(told: Sequence[Case], said: Statement, control: str) -> tuple[Case, ...]:
    seen = {_test_of(name): case for name, case in said.cases.items()}
    told = _named_as(told, seen)
    failing = {_test_of(case.id) for case in told if case.outcome in BAD}
    unseen = _unseen(said, seen)
    cases = []
    for case in told:
        test = _test_of(case.id)
        witnessed = seen.get(test)
        passes = case.outcome not in BAD and case.outcome is not Outcome.SKIPPED
        is_control = bool(control) and control in case.id
        if witnessed is None and (is_control or (passes and test not in unseen)):
            continue
        hidden = witnessed is not None and witnessed.outcome in BAD and test not in failing
        cases.append(
            replace(case, outcome=witnessed.outcome, message=witnessed.message)
            if hidden and witnessed
            else case
        )
    named = {_test_of(case.id) for case in cases}
    return (*cases, *(case for test, case in seen.items() if test not in named))


def _unseen(said: Statement, seen: Collection[str]) -> set[str]:
    """Tests that run as their class will, which never lets unittest run one: of these the text is believed."""
    heard = {test.rpartition(".")[0] for test in seen}
    return {test for test in said.unseen if test.rpartition(".")[0] not in heard}


def _named_as(told: Sequence[Case], seen: Mapping[str, Case]) -> list[Case]:
    """The text's cases, each that is called by a last part alone (``test_x:1``, a parameter of nose2's) by its whole name."""
    last: dict[str, list[Case]] = {}
    for test, case in seen.items():
        last.setdefault(test.rsplit(".", 1)[-1], []).append(case)
    cases = []
    for case in told:
        whole = last.get(case.id, ()) if _test_of(case.id) not in seen else ()
        cases.append(replace(case, id=whole[0].id, name=whole[0].name) if len(whole) == 1 else case)
    return cases


def _agreed_counts(told: Counts | None, cases: Sequence[Case], said: Statement) -> Counts:
    """The text's own numbers, with no more passes and no fewer failures than were seen."""
    seen = count(said.cases.values())
    if told is None:
        return count(cases)
    missing = max(0, seen.bad - told.bad)
    most = seen.passed + len(_unseen(said, [_test_of(name) for name in said.cases]))
    return replace(told, passed=min(told.passed, most), failed=told.failed + missing)


def _test_of(name: str) -> str:
    """The dotted path of a test, and of the test of a sub-test, as each version and runner names it: ``test_x (m.C.test_x)
    [message] (i=1)``, ``test_x (m.C)`` and ``m.C.test_x`` are one."""
    found = _NAMED.match(name)
    if not found:
        return name
    test, place = found.groups()
    return place if place.endswith(f".{test}") else f"{place}.{test}"
