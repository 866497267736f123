"""What a specialist is told, and where it is found."""

from __future__ import annotations

import base64
import json
import os
import time
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from tdd_orchestrator.diagnosis.classify import classify
from tdd_orchestrator.diagnosis.context import CONSOLE, TASK, Evidence, Exchange, find_sql, request_for
from tdd_orchestrator.diagnosis.evidence import gather
from tdd_orchestrator.model.diagnosis import RoutingType
from tdd_orchestrator.model.report import Attachment, Case, Outcome
from tdd_orchestrator.testlog.formats.json_reports import from_json
from tdd_orchestrator.testlog.formats.junit import read_junit

CASE = Case("tests/shop.spec.js > pays the cart", "pays the cart", Outcome.FAILED, file="tests/shop.spec.js")
RLS = '{"error":"new row violates row-level security policy for table \\"orders\\"","query":"insert into orders values (1)"}'


def trace(path: Path) -> Path:
    """A trace in the shape that Playwright 1.5x writes: events as NDJSON, bodies as members of their own."""
    path.parent.mkdir(parents=True, exist_ok=True)
    events = [
        {
            "type": "before",
            "callId": "c@1",
            "class": "Frame",
            "method": "goto",
            "params": {"url": "http://127.0.0.1/x"},
        },
        {"type": "after", "callId": "c@1"},
        {"type": "console", "messageType": "error", "text": "cart failed to load"},
        {
            "type": "event",
            "method": "pageError",
            "params": {"error": {"error": {"message": "no", "stack": "TypeError: no"}}},
        },
        {
            "type": "before",
            "callId": "c@2",
            "method": "pw:api",
            "title": "Click",
            "subtitle": "locator('#submit')",
        },
        {"type": "after", "callId": "c@2", "error": {"message": "Timeout 500ms exceeded."}},
    ]
    request = {"method": "POST", "url": "http://127.0.0.1/api", "postData": {"text": '{"q":1}'}}
    snapshot = {"request": request, "response": {"status": 500, "content": {"_file": "resources/ab.json"}}}
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("1-trace.trace", "\n".join(map(json.dumps, events)) + '\n{"type":"cut')
        archive.writestr("1-trace.network", json.dumps({"type": "resource-snapshot", "snapshot": snapshot}))
        archive.writestr("resources/ab.json", RLS)
    return path


def test_trace_of_playwright_python(tmp_path: Path) -> None:
    folder = tmp_path / "test-results" / "tests-test-shop-py-pays-the-cart-chromium"
    trace(folder / "trace.zip")
    (folder / "test-failed-1.png").write_bytes(b"png")
    found = gather(tmp_path, CASE)
    assert found.console == ("[error] cart failed to load", "[pageerror] TypeError: no")
    assert found.network == (Exchange("POST", "http://127.0.0.1/api", 500, '{"q":1}', RLS),)
    assert found.failed_step == "Click locator('#submit')"
    assert found.screenshot.endswith("test-failed-1.png")


def test_json_report_of_playwright_reads_each_attachment_once(tmp_path: Path) -> None:
    folder = tmp_path / "test-results"
    zipped = trace(folder / "shop-pays-the-cart" / "trace.zip")
    result = {
        "steps": [{"title": "open"}, {"title": "pay", "error": {"message": "x"}}],
        "stdout": [{"text": "from the test\n"}],
        "attachments": [{"name": "trace", "path": str(zipped)}],
    }
    spec = {"title": "pays the cart", "tests": [{"results": [{"attachments": []}, result]}]}
    (folder / "results.json").write_text(json.dumps({"suites": [{"suites": [{"specs": [spec]}]}]}))
    found = gather(tmp_path, CASE)
    assert found.failed_step == "pay"
    assert found.console == ("from the test", "[error] cart failed to load", "[pageerror] TypeError: no")
    assert len(found.network) == 1


def test_cypress_selenium_and_har(tmp_path: Path) -> None:
    shot = tmp_path / "cypress" / "screenshots" / "shop.cy.js" / "cart -- pays the cart (failed).png"
    shot.parent.mkdir(parents=True)
    shot.write_bytes(b"png")
    (tmp_path / "selenium").mkdir()
    (tmp_path / "selenium" / "browser.json").write_text(
        json.dumps([{"level": "SEVERE", "message": "x is null"}])
    )
    (tmp_path / "har").mkdir()
    entry = {
        "request": {"method": "GET", "url": "http://h/x"},
        "response": {"status": 0, "_error": "net::ERR_FAILED"},
    }
    (tmp_path / "har" / "all.har").write_text(json.dumps({"log": {"entries": [entry]}}))
    found = gather(tmp_path, CASE)
    assert found.screenshot == str(shot)
    assert found.console == ("[SEVERE] x is null",)
    assert found.network == (Exchange("GET", "http://h/x", 0, failure="net::ERR_FAILED"),)


def test_other_tests_old_files_and_links_are_left_alone(tmp_path: Path) -> None:
    other = tmp_path / "test-results" / "other-test" / "a.png"
    old = tmp_path / "test-results" / "pays-the-cart" / "old.png"
    for path in (other, old):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"png")
    os.utime(old, (1, 1))
    (tmp_path / "test-results" / "pays-the-cart-link.png").symlink_to(other)
    assert gather(tmp_path, CASE, newer_than=time.time() - 60) == Evidence()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"PK\x03\x04 broken",
        b"{",
        b"[1, 2]",
        b'{"log": {"entries": [3]}}',
        b'{"suites": 5}',
        b"\xff" * 100,
    ],
)
@pytest.mark.parametrize("name", ["trace.zip", "results.json", "all.har", "console.log"])
def test_files_that_cannot_be_read_tell_nothing_wrong(tmp_path: Path, name: str, data: bytes) -> None:
    folder = tmp_path / "test-results" / "pays-the-cart"
    folder.mkdir(parents=True)
    (folder / name).write_bytes(data)
    found = gather(tmp_path, CASE)
    assert found.network == ()
    assert found.screenshot == ""


def test_attachments_of_the_report_count_first(tmp_path: Path) -> None:
    (tmp_path / "own.png").write_bytes(b"png")
    case = Case("t", "pays", Outcome.FAILED, attachments=(Attachment("screenshot", "own.png"),))
    assert gather(tmp_path, case).screenshot == str(tmp_path / "own.png")


def test_a_junit_report_names_its_attachments_from_where_it_lies(tmp_path: Path) -> None:
    """``[[ATTACHMENT|...]]`` is relative to the report, which a private run puts elsewhere."""
    root = tmp_path / "tree"
    trace(root / "test-results" / "cart" / "trace.zip")
    (root / "test-results" / "cart" / "test-failed-1.png").write_bytes(b"png")
    up = "../../tree/test-results/cart"
    report = tmp_path / "private" / "report.xml"
    report.parent.mkdir()
    report.write_text(
        '<testsuites><testsuite name="e2e"><testcase name="pays the cart" classname="shop.spec.ts"><failure message="no"/>'
        f"<system-out>\n[[ATTACHMENT|{up}/test-failed-1.png]]\n[[ATTACHMENT|{up}/trace.zip]]\n</system-out>"
        "</testcase></testsuite></testsuites>"
    )
    reading, _ = read_junit(report)
    (case,) = reading.cases
    found = gather(root, case, folders=())
    assert found.screenshot == str(root / "test-results" / "cart" / "test-failed-1.png")
    assert found.console == ("[error] cart failed to load", "[pageerror] TypeError: no")
    assert found.network[0].status == 500


def test_playwrights_own_json_report_tells_everything(tmp_path: Path) -> None:
    """The report lies outside of the tree: what it says reaches the request through the case that is read from it."""
    folder = tmp_path / "test-results" / "shop-pays-the-cart"
    zipped = trace(folder / "trace.zip")
    (folder / "test-failed-1.png").write_bytes(b"png")
    snippet = "  6 |   await page.goto('/');\n> 7 |   await page.locator('#submit').click();\n    |   ^"
    fault = {"message": "TimeoutError: locator.click: Timeout 500ms exceeded.", "snippet": snippet,
             "stack": "TimeoutError: locator.click\n    at /repo/shop.spec.ts:7:3"}  # fmt: skip
    console = base64.b64encode(b"[error] cart is gone").decode()
    result = {"status": "failed", "error": fault, "stdout": [{"text": "ordering\n"}], "stderr": [{"text": "warned\n"}],
              "attachments": [{"name": "screenshot", "contentType": "image/png", "path": str(folder / "test-failed-1.png")},
                              {"name": "trace", "contentType": "application/zip", "path": str(zipped)},
                              {"name": "console", "contentType": "text/plain", "body": console},
                              {"name": "bad", "contentType": "text/plain", "body": "A"}]}  # fmt: skip
    test = {"projectName": "chromium", "status": "unexpected", "results": [result]}
    spec = {"title": "pays the cart", "file": "shop.spec.ts", "line": 5, "tests": [test]}
    found = from_json(
        {"config": {}, "suites": [{"title": "shop.spec.ts", "specs": [spec]}], "errors": [], "stats": {}}
    )
    assert found is not None
    (case,) = found[1].cases
    assert case.stdout.splitlines() == ["ordering", "warned", "console: [error] cart is gone"]
    evidence = gather(tmp_path, case, folders=())
    request = request_for(replace(case, attachments=()), classify(case.detail), evidence)
    assert request.screenshot.endswith("test-failed-1.png")
    assert request.console == ("[error] cart failed to load", "[pageerror] TypeError: no")
    assert request.network[0].status == 500
    assert request.failed_step == "Click locator('#submit')"
    assert request_for(case, classify(case.detail)).failed_step == "await page.locator('#submit').click();"


def test_nothing_outside_of_the_tree_is_read(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "secret.log").write_text("not for you")
    for path in ("../secret.log", str(tmp_path / "secret.log"), "tree/../../secret.log"):
        case = Case("t", "pays", Outcome.FAILED, attachments=(Attachment("console", path),))
        assert gather(tmp_path / "tree", case) == Evidence()


def test_request_has_all_of_a8() -> None:
    detail = (
        "    def test_pay(page):\n>       page.click('#pay')\n\ntests/test_shop.py:7:\n"
        "E   playwright._impl._errors.TimeoutError: Page.click: Timeout 500ms exceeded.\n\ntests/test_shop.py:7: TimeoutError"
    )
    case = Case("tests/test_shop.py::test_pay", "test_pay", Outcome.FAILED, message="Timeout", detail=detail)
    evidence = Evidence(
        tuple(f"line {n}" for n in range(80)),
        tuple(Exchange("GET", f"http://h/{n}", 200) for n in range(60)),
        "shot.png",
    )
    found = request_for(case, classify(detail), evidence)
    assert (found.test_id, found.test_name) == (case.id, "test_pay")
    assert (found.specialist, found.error_type, found.task) == ("code-review", "timeout", TASK)
    assert found.failed_step == "page.click('#pay')"
    assert (found.file, found.line, found.screenshot) == ("tests/test_shop.py", 7, "shot.png")
    assert found.console == tuple(f"line {n}" for n in range(80 - CONSOLE, 80))
    assert [one.url for one in found.network] == [f"http://h/{n}" for n in range(40, 60)]
    assert "Timeout" in found.message
    assert "Timeout" in found.stack


def test_failed_exchanges_are_kept_before_the_others() -> None:
    exchanges = (
        Exchange("GET", "http://h/bad", 500),
        *(Exchange("GET", f"http://h/{n}", 200) for n in range(60)),
    )
    found = request_for(CASE, classify("x"), Evidence(network=exchanges))
    assert found.network[0].url == "http://h/bad"


def test_database_error_tells_sql_table_and_policy() -> None:
    text = 'psycopg.errors.InsufficientPrivilege: new row violates row-level security policy "own" for table "orders"'
    case = Case("t", "t", Outcome.FAILED, message=text)
    evidence = Evidence(network=(Exchange("POST", "http://h/api", 500, "", RLS),))
    found = request_for(case, classify(text), evidence)
    assert found.sql == "insert into orders values (1)"
    assert found.table == "orders"
    assert found.policy == "own"


def test_another_error_tells_no_sql() -> None:
    case = Case("t", "t", Outcome.FAILED, message="KeyError: 'x'")
    found = request_for(case, classify("KeyError: 'x'"), Evidence(console=("query: select 1 from users",)))
    assert (found.sql, found.table, found.policy) == ("", "", "")


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        (
            "(sqlite3.OperationalError) no such table: users\n[SQL: select *\nfrom users]\n(Background",
            "select * from users",
        ),
        ('ERROR:  relation "orders" does not exist\nLINE 1: select * from orders;\n', "select * from orders"),
        ('  c.execute("insert into users values (1)")', "insert into users values (1)"),
        ("nothing here", ""),
    ],
)
def test_sql_is_found(text: str, sql: str) -> None:
    assert find_sql([text]) == sql


def test_secrets_do_not_reach_a_specialist() -> None:
    case = Case(
        "t", "t", Outcome.FAILED, message="KeyError: 'hunter2hunter2'", detail="KeyError: 'hunter2hunter2'"
    )
    evidence = Evidence(
        ("token hunter2hunter2",),
        (Exchange("GET", "http://h/?k=hunter2hunter2", 500, "hunter2hunter2", "hunter2hunter2"),),
    )
    assert "hunter2" not in repr(request_for(case, classify(case.detail), evidence, ["hunter2hunter2"]))


def test_network_and_console_give_a_second_opinion() -> None:
    text = "TimeoutError: page.click: Timeout 500ms exceeded.\nCall log:\n  - waiting for locator('#submit')"
    assert classify(text, network=["POST http://127.0.0.1/api 500"]).secondary is RoutingType.NETWORK
    assert classify(text, network=[RLS]).secondary is RoutingType.DATABASE
    assert classify("", network=["POST http://127.0.0.1/api 500"]).routing_type is RoutingType.NETWORK


KEY = "Zq8vKp3LmN7xRt2WyB5cDf9GhJ4sAeUo"
PIECES = [KEY[at : at + 8] for at in range(0, 25, 8)]


@pytest.mark.parametrize("before", [start - 20 for start in (500, 2_000, 10_000, 14_000, 22_000, 23_500)])
def test_no_part_of_a_secret_is_left_where_a_text_is_cut(before: int) -> None:
    said = ("yes\n" * 6_000)[:before] + f"{KEY}\n" + ("no \n" * 6_000)[: 24_000 - before - len(KEY) - 1]
    case = Case("t", "t", Outcome.FAILED, message=said, detail=said)
    evidence = Evidence((said,), (Exchange("GET", said, 500, said, said, said),), failed_step=said)
    diagnosis = replace(classify("psycopg.errors.UndefinedTable: no"), message="")
    told = repr(request_for(case, diagnosis, evidence, [KEY]))
    assert not any(piece in told for piece in PIECES)


@pytest.mark.parametrize("before", [3_965, 3_980])
def test_no_part_of_a_secret_is_left_where_a_statement_is_cut(before: int) -> None:
    said = "STATEMENT: select '" + "y" * before + f"{KEY}' from orders"
    case = Case("t", "t", Outcome.FAILED, message="psycopg.errors.UndefinedTable: no", detail=said)
    told = repr(request_for(case, classify(case.message), None, [KEY]))
    assert not any(piece in told for piece in PIECES)
