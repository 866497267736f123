"""A8: what browser tests leave in the usual folders reaches the specialist's prompt, in a whole cycle."""

from __future__ import annotations

from pathlib import Path

import pytest
from kit import Kata
from test_recovery import WAITS

PNG = "base64.b64decode('iVBORw0KGgo=')"
PAGE = """
import base64, json, pathlib, zipfile


def leave(where, data):
    path = pathlib.Path(where)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())


def playwright(lines):
    folder = pathlib.Path("test-results/tests-test-double-py-test-doubles-chromium")
    leave(folder / "test-failed-1.png", PICTURE)
    events = [{"type": "before", "callId": "1", "title": "Click", "subtitle": "locator('#pay')"}]
    events += [{"type": "console", "messageType": "log", "text": line} for line in lines]
    events += [{"type": "after", "callId": "1", "error": {"message": "no"}}]
    request = {"method": "POST", "url": "http://127.0.0.1/api", "postData": {"text": '{"q":1}'}}
    answer = {"status": 500, "content": {"text": BROKEN}}
    with zipfile.ZipFile(folder / "trace.zip", "w") as archive:
        archive.writestr("1.trace", "\\n".join(map(json.dumps, events)))
        archive.writestr("1.network", json.dumps({"type": "resource-snapshot", "snapshot": {"request": request, "response": answer}}))


def cypress(lines):
    leave("cypress/screenshots/double.cy.js/it -- test_doubles (failed).png", PICTURE)
    leave("cypress/logs/test_doubles.log", "\\n".join(lines))
    har()


def har():
    entry = {"request": {"method": "POST", "url": "http://127.0.0.1/api", "postData": {"text": '{"q":1}'}},
             "response": {"status": 500, "content": {"text": BROKEN}}}
    leave("har/session.har", json.dumps({"log": {"entries": [entry]}}))


PICTURE = base64.b64decode("iVBORw0KGgo=")
BROKEN = '{"error": "no such table: orders", "query": "insert into orders values (1)"}'
"""
GOOD = 'write("double.py", "def double(number):\\n    return number * 2\\n")'


@pytest.mark.parametrize("tool", ["playwright", "cypress"])
def test_console_network_sql_step_and_screenshot_are_told(tmp_path: Path, tool: str) -> None:
    kata = Kata(tmp_path, config=WAITS)
    kata.plan()
    kata.write("leaving.py", PAGE)
    kata.write(".gitignore", "__pycache__/\ntest-results/\ncypress/\nhar/\n")
    kata.git("add", "-A")
    kata.git("commit", "-q", "-m", "chore: a browser of ours")
    bad = (
        "import leaving\n\n\ndef double(number):\n"
        f"    leaving.{tool}([f'line {{n}}' for n in range(80)])\n"
        "    raise RuntimeError('sqlite3.OperationalError: no such table: orders')\n"
    )
    kata.script(green=[f"write('double.py', {bad!r})"], database_role=[GOOD])
    done = kata.next()
    assert done.code == 0, done.err
    assert [call["TDD_ROLE"] for call in kata.calls("fix")] == ["database"]
    (prompt,) = kata.prompts("fix")
    assert "line 79" in prompt
    assert "line 30" in prompt
    assert "line 29\n" not in prompt
    assert "POST http://127.0.0.1/api -> 500" in prompt
    assert "insert into orders values (1)" in prompt
    assert "orders" in prompt.partition("Table or policy:")[2].splitlines()[0]
    shot = next(line for line in prompt.splitlines() if line.startswith("- Screenshot: "))
    assert Path(shot.removeprefix("- Screenshot: ")).read_bytes().startswith(b"\x89PNG")
    if tool == "playwright":
        assert "Click locator('#pay')" in prompt
