"""Read JSON reports: CTRF, Playwright, Jest (and Vitest, which writes the same), Mocha, and those that list
tests with a status each (RSpec, busted, lab, Criterion, Cucumber).
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from tdd_orchestrator.model.report import Attachment, BuildError, Case, Outcome, count
from tdd_orchestrator.testlog.formats.junit import attachment_kind
from tdd_orchestrator.testlog.parsers.traces import JsTrace
from tdd_orchestrator.testlog.reading import DETAIL_LIMIT, Reading

Found = tuple[list[Case], list[BuildError]]

_STATES_OF_CHECKS = {
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
            _STATES_OF_CHECKS.get(str(one["status"]), Outcome.ERROR),
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
            _STATES_OF_CHECKS.get(str(one["status"]).lower(), Outcome.ERROR),
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


# characters of an attachment that stands in the report itself; a multiple of 4, as base64 wants it
_BODY = 16_384
_ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_OUT_OF_TIME = re.compile(r"Timed out waiting [\d.]{1,9}(?:ms|s|m|h) for the test suite to run$")
_STATES = {
    "passed": Outcome.PASSED, "expected": Outcome.PASSED, "flaky": Outcome.PASSED, "failed": Outcome.FAILED,
    "unexpected": Outcome.FAILED, "skipped": Outcome.SKIPPED, "pending": Outcome.SKIPPED,
    "todo": Outcome.SKIPPED, "disabled": Outcome.SKIPPED, "other": Outcome.SKIPPED,
}  # fmt: skip


def explain_case(case: Case, text: str, stack: str = "") -> Case:
    """Return the case with message, type and place parsed from an error's text."""
    trace = JsTrace()
    frames = [line for line in stack.splitlines() if not text or line.lstrip().startswith("at ")]
    for line in _ESCAPES.sub("", "\n".join([text, *frames])).splitlines():
        trace.feed(line)
    return trace.explain(case)


def _closed(cases: list[Case], errors: list[BuildError], claims_ok: bool | None = None) -> Reading:
    return Reading(
        count(cases),
        cases,
        errors,
        started=True,
        finished=True,
        claims_ok=claims_ok,
        no_tests=not cases and not errors,
        complete=True,
    )


def _ctrf(data: dict[str, Any]) -> Reading:
    cases = []
    for test in data["results"]["tests"]:
        suite = test.get("suite") or ""
        suite = " > ".join(suite) if isinstance(suite, list) else str(suite)
        name, file = str(test["name"]), str(test.get("filePath") or "")
        outcome = _STATES.get(str(test.get("status")), Outcome.ERROR)
        detail = str(test.get("trace") or "")[:DETAIL_LIMIT]
        line = test.get("line")
        case = Case(
            f"{file or suite}::{name}",
            name,
            outcome,
            file,
            line if isinstance(line, int) else 0,
            str(test.get("message") or ""),
            detail=detail,
            seconds=float(test.get("duration") or 0) / 1000,
        )
        cases.append(case)
    failed = (data["results"].get("summary") or {}).get("failed")
    more = isinstance(failed, int) and failed > count(cases).bad
    return _closed(cases, [], False if more else None)


def _jest(data: dict[str, Any]) -> Reading:
    cases: list[Case] = []
    errors: list[BuildError] = []
    for suite in data["testResults"]:
        file = str(suite.get("name") or "")
        tests = suite.get("assertionResults") or []
        if suite.get("status") == "failed" and not any(test.get("status") == "failed" for test in tests):
            fault = explain_case(Case("", "", Outcome.ERROR), str(suite.get("message") or ""))
            errors.append(BuildError(fault.message, file, fault.line, fault.exception, fault.detail))
        for test in tests:
            name = " › ".join([*map(str, test.get("ancestorTitles") or []), str(test.get("title") or "")])
            outcome = _STATES.get(str(test.get("status")), Outcome.ERROR)
            case = Case(f"{file}::{name}", name, outcome, file)
            message = "\n".join(map(str, test.get("failureMessages") or []))
            cases.append(explain_case(case, message) if message else case)
    return _closed(cases, errors, bool(data.get("success", True)))


def _mocha(data: dict[str, Any]) -> Reading:
    red = {test.get("fullTitle") for test in data["failures"]}
    pending = {test.get("fullTitle") for test in data.get("pending") or []}
    cases = []
    listed = [*data["tests"], *(test for test in data["failures"] if "hook" in str(test.get("title")))]
    for test in listed:
        name, file = str(test.get("fullTitle")), str(test.get("file") or "")
        outcome = Outcome.FAILED if name in red else Outcome.SKIPPED if name in pending else Outcome.PASSED
        case = Case(f"{file}::{name}", name, outcome, file)
        fault = test.get("err") or {}
        if outcome is Outcome.FAILED:
            case = explain_case(case, str(fault.get("message") or ""), str(fault.get("stack") or ""))
        cases.append(case)
    return _closed(cases, [], not data["failures"])


def _playwright(data: dict[str, Any]) -> Reading:
    cases = [case for suite in data["suites"] for case in _specs(suite, [])]
    errors = []
    for fault in data.get("errors") or []:
        place = fault.get("location") or {}
        text = _ESCAPES.sub("", str(fault.get("message") or ""))
        errors.append(BuildError(text, str(place.get("file") or ""), int(place.get("line") or 0)))
    reading = _closed(cases, errors)
    reading.timed_out = next((one.message for one in errors if _OUT_OF_TIME.match(one.message)), "")
    return reading


def _specs(suite: dict[str, Any], titles: list[str]) -> Iterator[Case]:
    for spec in suite.get("specs") or []:
        for test in spec.get("tests") or []:
            yield _playwright_case(spec, test, titles)
    for inner in suite.get("suites") or []:
        yield from _specs(inner, [*titles, str(inner.get("title") or "")])


def _playwright_case(spec: dict[str, Any], test: dict[str, Any], titles: list[str]) -> Case:
    name = " › ".join([*titles, str(spec.get("title") or "")])
    file = str(spec.get("file") or "")
    project = str(test.get("projectName") or "")
    results = test.get("results") or [{}]
    last = results[-1]
    outcome = _STATES.get(str(test.get("status")), Outcome.ERROR)
    paths = [
        str(one["path"]) for result in results for one in result.get("attachments") or [] if one.get("path")
    ]
    stdout = "".join(
        str(piece.get("text") or "")
        for stream in ("stdout", "stderr")
        for piece in last.get(stream) or []
        if isinstance(piece, dict)
    )
    stdout = "\n".join(filter(None, (stdout.rstrip("\n"), *_inline(last))))
    case = Case(
        f"{f'[{project}] › ' if project else ''}{file} › {name}",
        name,
        outcome,
        file,
        int(spec.get("line") or 0),
        stdout=stdout[:DETAIL_LIMIT],
        seconds=float(last.get("duration") or 0) / 1000,
        attachments=tuple(Attachment(attachment_kind(path), path) for path in paths),
    )
    fault = last.get("error") or {}
    if outcome is Outcome.FAILED and fault:
        case = explain_case(case, str(fault.get("message") or ""), str(fault.get("stack") or ""))
        step = _ESCAPES.sub("", str(fault.get("snippet") or ""))  # its marked line is the step that failed
        if step and step not in case.detail:
            case = replace(case, detail=f"{case.detail[: DETAIL_LIMIT - 2_000]}\n\n{step[:2_000]}")
    return case


def _inline(result: dict[str, Any]) -> Iterator[str]:
    """Yield what a test attached as text (console, network) instead of as a file."""
    for one in result.get("attachments") or []:
        kind, body = str(one.get("contentType") or ""), one.get("body")
        if isinstance(body, str) and kind.startswith(("text/", "application/json")):
            try:
                text = base64.b64decode(body[:_BODY]).decode("utf-8", "replace")
            except ValueError:
                continue  # not base64, whatever its type claims
            yield f"{one.get('name') or 'attached'}: {text}"


def _is_feature(one: object) -> bool:
    return isinstance(one, dict) and {"elements", "uri"} <= one.keys()


# format: the keys that identify it, and its reader; many formats only list cases and load errors
_FORMATS: tuple[tuple[str, frozenset[str], Callable[[dict[str, Any]], Reading | Found]], ...] = (
    ("ctrf", frozenset({"results"}), _ctrf),
    ("jest", frozenset({"testResults", "numTotalTests"}), _jest),
    ("playwright", frozenset({"config", "suites"}), _playwright),
    ("mocha", frozenset({"stats", "tests", "failures"}), _mocha),
    ("rspec", frozenset({"examples", "summary_line"}), _rspec),
    ("busted", frozenset({"successes", "failures", "errors", "pendings"}), _busted),
    ("lab", frozenset({"tests", "leaks", "duration"}), _lab),
    ("tap", frozenset({"suites", "plan", "assertions"}), _tap),
    ("criterion", frozenset({"test_suites", "errored"}), _criterion),
    ("cucumber", frozenset({"features"}), features),
)


def from_json(data: object) -> tuple[str, Reading] | None:
    """Return the format's name and the reading; None for an object that is no known report."""
    if isinstance(data, list):
        data = {"features": data} if data and all(map(_is_feature, data)) else None
    if not isinstance(data, dict):
        return None
    for name, keys, make in _FORMATS:
        if keys <= data.keys():
            try:
                made = make(data)
                return name, made if isinstance(made, Reading) else _closed(*made)
            except (KeyError, TypeError, ValueError, OverflowError, AttributeError):
                return None
    return None
