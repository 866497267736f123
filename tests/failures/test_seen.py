"""What was seen at the failure (A8), from the proof tree, in the report and in the fix prompt."""

from __future__ import annotations

import json

from tdd_orchestrator.cycle.start import where_we_stand
from tdd_orchestrator.failures.context import seen_at
from tdd_orchestrator.failures.fixes import prompt
from tdd_orchestrator.model.error_report import ReportSeen
from tdd_orchestrator.model.reading import read_as
from tdd_orchestrator.model.records import Trouble
from tdd_orchestrator.model.report import Case, Outcome, Report, RunVerdict

from .conftest import Scene
from .test_report import CONTEXT, TROUBLE, made

DETAIL = (
    '>   page.click("#pay")\nE   TimeoutError: locator "#pay"\n[SQL: SELECT * FROM orders WHERE id = 7]\n'
)
EVIDENCE = Report(
    verdict=RunVerdict.FAILED, framework="pytest",
    cases=(Case("tests/test_shop.py::test_pay", "test_pay", Outcome.FAILED, file="tests/test_shop.py", detail=DETAIL),),
)  # fmt: skip
DATABASE = {**TROUBLE, "diagnosis": {"routing_type": "ui-error", "secondary": "database-error"}}
PICTURE = b"\x89PNG\r\n\x1a\n picture"
HAR = {"log": {"entries": [
    {"startedDateTime": "2026-01-01T00:00:00Z",
     "request": {"method": "POST", "url": "http://shop/api/pay", "postData": {"text": '{"id": 7}'}},
     "response": {"status": 500, "content": {"text": "no such order"}}},
]}}  # fmt: skip


def test_files_of_the_proof_tree_come_into_report_and_prompt(scene: Scene) -> None:
    with scene.context() as context:
        _, head = where_we_stand(context)
        tree = context.prover.tree
        tree.move_to(head)
        folder = tree.path / "test-results" / "test-shop-test-pay"
        folder.mkdir(parents=True)
        (folder / "console.log").write_text("".join(f"line {n}\n" for n in range(80)))
        (folder / "test-failed-1.png").write_bytes(PICTURE)
        (folder / "network.har").write_text(json.dumps(HAR))
        seen = seen_at(context, read_as(Trouble, DATABASE), EVIDENCE, head)
        assert seen.failed_step == 'page.click("#pay")'
        assert seen.sql == "SELECT * FROM orders WHERE id = 7"
        assert seen.table == "orders"
        assert seen.console == [f"line {n}" for n in range(30, 80)]
        assert seen.network[0].request == "POST http://shop/api/pay"
        assert seen.network[0].response_body == "no such order"
        assert context.prover.read_blob(seen.screenshot) == PICTURE
        assert not seen_at(context, read_as(Trouble, DATABASE), EVIDENCE, "3" * 40).console
    text = prompt(made().model_copy(update={"seen": seen}))
    for words in ("failed step: page.click", "SQL: SELECT", "POST http://shop/api/pay -> 500", "answered: no such order",
                  "console: line 79", f"git cat-file blob {seen.screenshot}"):  # fmt: skip
        assert words in text


def test_picture_outside_the_tree_is_not_kept(scene: Scene) -> None:
    secret = scene.root.parent / "private.png"
    secret.write_bytes(PICTURE)
    with scene.context() as context:
        _, head = where_we_stand(context)
        tree = context.prover.tree
        tree.move_to(head)
        folder = tree.path / "test-results" / "test-shop-test-pay"
        folder.mkdir(parents=True)
        (folder / "test-failed-1.png").symlink_to(secret)
        assert not seen_at(context, read_as(Trouble, DATABASE), EVIDENCE, head).screenshot


def test_without_a_test_run_nothing_was_seen(scene: Scene) -> None:
    with scene.context() as context:
        assert seen_at(context, read_as(Trouble, TROUBLE), None, CONTEXT.commit) == ReportSeen()


def test_advice_of_the_investigation_is_in_report_and_prompt() -> None:
    report = made(investigation={"by": "rules", "root_cause": "the sign", "action": "REPLAN", "evidence": ["seen"],
                                 "strategy": "Turn the sign.", "steps": ["Look at line 2."]})  # fmt: skip
    assert report.investigation.action == "REPLAN"
    assert report.root_cause == "the sign"
    assert "## The investigation advises\n\n- Turn the sign.\n- Look at line 2." in prompt(report)
