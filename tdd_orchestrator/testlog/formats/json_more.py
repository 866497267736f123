"""Read JSON reports that list tests with a status each: RSpec, busted, lab, Criterion, Cucumber."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tdd_orchestrator.model.report import BuildError, Case, Outcome

Found = tuple[list[Case], list[BuildError]]

_STATES = {
    "passed": Outcome.PASSED, "failed": Outcome.FAILED, "errored": Outcome.ERROR,
    "pending": Outcome.SKIPPED, "skipped": Outcome.SKIPPED,
}  # fmt: skip


def _case(name: str, outcome: Outcome, file: str = "", line: object = 0, message: object = "") -> Case:
    number = line if isinstance(line, int) else 0
    text = message if isinstance(message, str) else ""
    return Case(f"{file}::{name}" if file else name, name, outcome, file, number, text.strip())


def _rspec(data: dict[str, Any]) -> Found:
    cases = []
    for one in data["examples"]:
        fault = one.get("exception") or {}
        case = _case(
            str(one["full_description"]).strip(),
            _STATES.get(str(one["status"]), Outcome.ERROR),
            str(one.get("file_path") or "").removeprefix("./"),
            one.get("line_number"),
            fault.get("message"),
        )
        cases.append(case)
    outside = (data.get("summary") or {}).get("errors_outside_of_examples_count") or 0
    message = "\n".join(map(str, data.get("messages") or [])).strip()
    return cases, [BuildError(message or "an error occurred outside of examples")] if outside else []


_BUSTED = {
    "successes": Outcome.PASSED, "failures": Outcome.FAILED, "errors": Outcome.ERROR,
    "pendings": Outcome.SKIPPED,
}  # fmt: skip


def _busted(data: dict[str, Any]) -> Found:
    cases, errors = [], []
    for key, outcome in _BUSTED.items():
        for one in data[key] or ():
            element = one.get("element") or {}
            trace = one.get("trace") or {}
            file, line = str(trace.get("short_src") or ""), trace.get("currentline")
            message = one.get("message")
            if element.get("descriptor") in ("it", "pending", None) and key != "errors":
                cases.append(_case(str(one["name"]), outcome, file, line, message))
            elif element.get("descriptor") == "it":
                cases.append(_case(str(one["name"]), Outcome.ERROR, file, line, message))
            else:
                errors.append(BuildError(message if isinstance(message, str) else str(one["name"]), file))
    return cases, errors


def _lab(data: dict[str, Any]) -> Found:
    cases = []
    for suite, tests in data["tests"].items():
        for one in tests:
            left = one.get("skipped") or one.get("todo")
            outcome = Outcome.FAILED if one.get("err") else Outcome.SKIPPED if left else Outcome.PASSED
            cases.append(_case(f"{suite} {one['title']}", outcome, message=one.get("err")))
    return cases, []


def _criterion(data: dict[str, Any]) -> Found:
    cases = [
        _case(
            f"{suite['name']}::{one['name']}",
            _STATES.get(str(one["status"]).lower(), Outcome.ERROR),
            message="\n".join(map(str, one.get("messages") or ())),
        )
        for suite in data["test_suites"]
        for one in suite["tests"]
    ]
    return cases, []


def _tap(data: dict[str, Any]) -> Found:
    """Read node-tap's report: assertions in nested suites. A file that crashed has no failed assertion."""
    cases, suites = [], list(data["suites"])
    for suite in suites:
        suites.extend(suite.get("suites") or ())
        name = str(suite.get("fullname") or suite["name"])
        inner = [*(suite.get("cases") or ()), *(suite.get("suites") or ())]
        if suite.get("ok") is False and all(one.get("ok") for one in inner):
            cases.append(_case(name, Outcome.FAILED))
        for one in suite.get("cases") or ():
            left = one.get("skip") or one.get("todo")
            outcome = Outcome.SKIPPED if left else Outcome.PASSED if one["ok"] else Outcome.FAILED
            cases.append(_case(str(one.get("fullname") or one["name"]), outcome))
    return cases, []


_NO_STEP_FAILED = frozenset({"passed", "skipped"})


def features(data: dict[str, Any]) -> Found:
    """Read Cucumber's report: a scenario has the outcome of its worst step."""
    cases = [case for feature in data["features"] for case in _scenarios(feature)]
    return cases, []


def _scenarios(feature: dict[str, Any]) -> Iterator[Case]:
    for one in feature.get("elements") or ():
        if one.get("type") == "background":
            continue
        steps = [*(one.get("before") or ()), *(one.get("steps") or ()), *(one.get("after") or ())]
        results = [step.get("result") or {} for step in steps]
        statuses = [str(result.get("status") or "undefined").lower() for result in results]
        bad = next((at for at, status in enumerate(statuses) if status not in _NO_STEP_FAILED), -1)
        outcome = Outcome.SKIPPED if "skipped" in statuses else Outcome.PASSED
        message = (results[bad].get("error_message") or statuses[bad]) if bad >= 0 else ""
        yield _case(
            str(one.get("name") or ""),
            Outcome.FAILED if bad >= 0 else outcome,
            str(feature.get("uri") or ""),
            one.get("line"),
            message,
        )


MORE: tuple[tuple[str, frozenset[str], Callable[[dict[str, Any]], Found]], ...] = (
    ("rspec", frozenset({"examples", "summary_line"}), _rspec),
    ("busted", frozenset({"successes", "failures", "errors", "pendings"}), _busted),
    ("lab", frozenset({"tests", "leaks", "duration"}), _lab),
    ("tap", frozenset({"suites", "plan", "assertions"}), _tap),
    ("criterion", frozenset({"test_suites", "errored"}), _criterion),
)
