"""pytest in full: the witness put in its place, and heard."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tdd_orchestrator.model.report import CHANGED, Report, RunVerdict
from tdd_orchestrator.runners.control import Planted
from tdd_orchestrator.runners.witness import Statement, reading, statement_in, without
from tdd_orchestrator.runners.witness_place import put
from tdd_orchestrator.runners.wrappers import Reach
from tdd_orchestrator.testlog.judge import judge


def environment(
    env: Mapping[str, str], folder: Path, nonce: str, only: Sequence[str], also: Sequence[str], how: Reach
) -> dict[str, str]:
    """Write the plug-in and its orders into ``folder``; return the variables that make pytest load it.

    ``only``: node ids to run (none: all) with every test of the files ``also``. Safe-path mode is asked for only
    where the command is pytest itself: other programs behind a wrapper may need the folder of their script.
    """
    safe = how is Reach.DIRECT
    restored = ["PYTEST_ADDOPTS", "PYTHONPATH", *(["PYTHONSAFEPATH"] if safe else [])]
    orders = {
        "only": list(only),
        "also": [path.rsplit("/", 1)[-1] for path in also],
        "safe_path": safe,
        "restore": {variable: env.get(variable) for variable in restored},
    }
    name, home = put("pytest", folder, nonce, orders)
    options = [
        "-p",
        name,
        "--continue-on-collection-errors",
        "--color=no",
        "-o",
        f"cache_dir={folder.parent}/cache",
    ]
    return {
        "TDD_WITNESS": str(home / "orders.json"),
        "PYTEST_ADDOPTS": shlex.join([*shlex.split(env.get("PYTEST_ADDOPTS", "")), *options]),
        "PYTHONPATH": os.pathsep.join([*filter(None, [env.get("PYTHONPATH")]), str(home)]),
        **({"PYTHONSAFEPATH": "1"} if safe else {}),
    }


def heard(folder: Path, nonce: str, tree: Path) -> Statement:
    return statement_in(folder, nonce, tree)


def judged(
    said: Statement, text: Report, control: Planted | None, how: Reach, timed_out: bool
) -> tuple[Report, bool | None]:
    """Witness, text and exit code together, with the control taken out of all three (E1, E2)."""
    if not said.started:
        return _unheard(said, text), None
    remarks = [f"a hook turned the failure of {identity} into a pass" for identity in said.hidden]
    remarks += [f"{CHANGED}{name}" for name in said.patched]
    reported_bad = said.bad_reports
    held = without(said, control.path) if control else None
    if held is False and how is not Reach.DIRECT and control and not _collected(said, control):
        held = None
    exit_code = _exit_without(said, text.exit_code, held, how, remarks)
    facts = reading(said)
    if said.sessions == 1 and text.source == "text" and text.counts and text.counts.bad > reported_bad:
        remarks.append(f"report: {reported_bad} bad; text: {text.counts.bad} bad")
        facts.claims_ok = False
    report = judge(
        framework="pytest",
        text=None,
        structured=facts,
        exit_code=exit_code,
        timed_out=timed_out,
        remarks=tuple(remarks),
    )
    return report, held


def _collected(said: Statement, control: Planted) -> bool:
    """The control was found but did not fail; else the command behind the wrapper simply runs other files."""
    return control.path in said.control_seen


def _exit_without(
    said: Statement, code: int | None, held: bool | None, how: Reach, remarks: list[str]
) -> int | None:
    """The exit code as it would be without the control: 1 is what one failing test makes of a green run."""
    if held is not True or said.status not in (0, 5):
        return code
    if code == 0:
        if how is Reach.DIRECT:
            remarks.append("a test failed, yet the exit code is 0")
            said.broken = "a test failed, yet pytest ended with exit code 0"
            return code
        remarks.append("a test failed, yet the command ends with exit code 0: its exit code proves nothing")
        return code
    if code is not None and 128 < code < 193:
        return code
    if how is Reach.DIRECT and code != 1:
        return code
    return said.status


def _unheard(said: Statement, text: Report) -> Report:
    """No session was reported: the text may say what went wrong, but it may not say that all is well."""
    if text.verdict not in (RunVerdict.PASSED, RunVerdict.FAILED):
        return text
    why = (
        "pytest ended before its session began"
        if said.loaded
        else "pytest ran without the orchestrator's witness"
    )
    return replace(
        text,
        verdict=RunVerdict.UNREADABLE,
        why=f"{why}; what the output claims is not believed.",
        disagreements=(*text.disagreements, f"text: {text.verdict}; report: none"),
        complete=False,
    )
