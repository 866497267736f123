"""What a page threw decides over what its test saw of it (D1: runtime before ui); and the plain texts of the specification."""

from __future__ import annotations

import pytest

from tdd_orchestrator.diagnosis.classify import classify
from tdd_orchestrator.diagnosis.diagnose import diagnose
from tdd_orchestrator.model.diagnosis import RoutingType
from tdd_orchestrator.model.report import Case, Outcome, Report, RunVerdict

TIMEOUT = (
    "TimeoutError: locator.click: Timeout 30000ms exceeded.\n  - waiting for getByTestId('submit-button')"
)
THROWN = "error: Uncaught TypeError: Cannot read properties of undefined (reading 'id')"
FAILED = "POST http://localhost:3000/api/order 500"


@pytest.mark.parametrize(
    ("console", "network", "first", "then"),
    [
        ((THROWN,), (FAILED,), RoutingType.RUNTIME, RoutingType.UI),
        ((THROWN,), (), RoutingType.RUNTIME, RoutingType.UI),
        (("log: ready",), (), RoutingType.UI, RoutingType.RUNTIME),
    ],
)
def test_the_browsers_evidence_decides(
    console: tuple[str, ...], network: tuple[str, ...], first: RoutingType, then: RoutingType | None
) -> None:
    case = Case("t", "t", Outcome.FAILED, message=TIMEOUT, exception="TimeoutError")
    report = Report(RunVerdict.FAILED, cases=(case,))
    (found,) = diagnose(report, look=lambda _: (console, network))
    assert (found.routing_type, found.secondary) == (first, then)


@pytest.mark.parametrize("thrown", ["TypeError: Cannot read property 'id' of undefined", THROWN])
@pytest.mark.parametrize("missing", ["element [data-testid='submit-button'] not found", TIMEOUT])
def test_runtime_stands_before_ui_in_one_text(thrown: str, missing: str) -> None:
    for lines in ((thrown, missing), (missing, thrown)):
        assert classify("\n".join(lines)).routing_type is RoutingType.RUNTIME


@pytest.mark.parametrize(
    ("text", "routing"),
    [
        ("Type 'string' is not assignable", RoutingType.BUILD),
        ("element [data-testid='submit-button'] not found", RoutingType.UI),
        ("Expected status 200, got 500", RoutingType.NETWORK),
    ],
)
def test_texts_of_the_specification_are_known(text: str, routing: RoutingType) -> None:
    assert classify(text).routing_type is routing
