"""A titled failure of pytest's report, brought to the case or the build error that it tells of."""

from __future__ import annotations

from dataclasses import replace

from tdd_orchestrator.model.report import BuildError, Case, Outcome
from tdd_orchestrator.runners.text.py_trace import Trace


def explain(title: str, trace: Trace, cases: dict[str, Case], errors: list[BuildError]) -> None:
    """Give the failure under this title its place, message and type; name it where no summary did."""
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
    for word in ("setup", "teardown"):
        if title.startswith(f"ERROR at {word} of "):
            phase, title = word, title[len(f"ERROR at {word} of ") :]
    leaf = title.removeprefix("[doctest] ")
    twin = _find(cases, leaf, phase)
    if twin is None:
        name = leaf.replace(".", "::") if "[" not in leaf else leaf
        outcome = Outcome.FAILED if phase == "call" else Outcome.ERROR
        twin = Case(name, name, outcome, trace.file)
    explained = trace.explain(replace(twin, phase=phase))
    cases[twin.id] = explained


def _find(cases: dict[str, Case], leaf: str, phase: str) -> Case | None:
    head, bracket, rest = leaf.partition("[")
    ending = "::" + head.replace(".", "::") + bracket + rest
    plain = "::" + leaf
    for case in cases.values():
        bad = case.outcome in (Outcome.FAILED, Outcome.ERROR) and case.phase in ("", phase)
        if bad and case.id.endswith((ending, plain)):
            return case
    return None
