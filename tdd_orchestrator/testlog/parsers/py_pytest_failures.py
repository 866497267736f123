"""Assign the titled failures of pytest's report to their cases or build errors."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from tdd_orchestrator.model.report import BuildError, Case, Outcome
from tdd_orchestrator.testlog.parsers.py_trace import CRASHED_WORKER, RAISED, Trace

_LINED = re.compile(r"^([^\s:][^:]{0,300}):(\d+): (\S.*)$")


def explain(traces: Iterable[tuple[str, Trace]], cases: dict[str, Case], errors: list[BuildError]) -> None:
    """Give each titled failure's place, message and type to its case; add cases that no summary names."""
    leaves: dict[str, list[str]] = {}
    for case in cases.values():
        if case.outcome in (Outcome.FAILED, Outcome.ERROR):
            leaves.setdefault(_leaf(case.id), []).append(case.id)
    for title, trace in traces:
        _explain(title, trace, cases, errors, leaves)


def _leaf(identity: str) -> str:
    """Return ``test_a[x::y]`` for ``a.py::B::test_a[x::y]``."""
    head, bracket, rest = identity.partition("[")
    return head.rpartition("::")[2] + bracket + rest


def _explain(
    title: str, trace: Trace, cases: dict[str, Case], errors: list[BuildError], leaves: dict[str, list[str]]
) -> None:
    path = title.removeprefix("ERROR collecting ")
    if path != title:
        known = next((index for index, error in enumerate(errors) if error.file == path), None)
        error = trace.build_error(path)
        if known is None:
            errors.append(error)
        else:
            errors[known] = error
        cases.setdefault(path, Case(path, path, Outcome.ERROR, path, phase="collect"))
        cases[path] = trace.explain(cases[path])
        return
    phase = "call"
    for stage in ("setup", "teardown"):
        if title.startswith(f"ERROR at {stage} of "):
            phase, title = stage, title[len(f"ERROR at {stage} of ") :]
    leaf = title.removeprefix("[doctest] ")
    twin = _find(cases, leaf, phase, leaves)
    if twin is None and (crashed := CRASHED_WORKER.match(trace.message)):
        twin = cases.get(crashed[1])
    if twin is None:
        name = leaf.replace(".", "::") if "[" not in leaf else leaf
        outcome = Outcome.FAILED if phase == "call" else Outcome.ERROR
        twin = Case(name, name, outcome, trace.file)
    explained = trace.explain(replace(twin, phase=phase))
    cases[twin.id] = explained


def _find(cases: dict[str, Case], leaf: str, phase: str, leaves: dict[str, list[str]]) -> Case | None:
    head, bracket, rest = leaf.partition("[")
    ending = "::" + head.replace(".", "::") + bracket + rest
    plain = "::" + leaf
    found = [
        cases[identity]
        for key in dict.fromkeys((_leaf(ending), _leaf(plain)))
        for identity in leaves.get(key, ())
        if identity.endswith((ending, plain))
    ]
    # a title may stand for several tests (a class that other modules import): they come in the summary's
    # order
    return next((case for known in ("", phase) for case in found if case.phase == known), None)


def explain_lines(lines: Iterable[str], cases: dict[str, Case]) -> None:
    """Read ``--tb=line``: ``file:line: type: message``, assigned by the summary's message."""
    bare = [case for case in cases.values() if case.outcome is Outcome.FAILED and not case.line]
    for line in lines:
        match = _LINED.match(line)
        if not match:
            continue
        case = next((one for one in bare if _begins(match[3], one.message)), None)
        if case is None:
            continue
        bare.remove(case)
        raised = RAISED.match(match[3])
        typed = raised is not None and raised[2] is not None
        cases[case.id] = replace(
            case,
            file=match[1],
            line=int(match[2]),
            message=raised[2] if raised and typed else match[3],
            exception=raised[1] if raised and typed else "",
        )


def _begins(text: str, message: str) -> bool:
    """Whether the text begins with the message, which the summary may have cut."""
    return bool(message) and text.startswith(message.removesuffix("..."))
