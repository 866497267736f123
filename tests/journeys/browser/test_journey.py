"""A bug of each of the five types in a page of ours, seen in a real browser, and fixed by the specialist it is for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.kit import PYTEST, Kata

from .chromium import browser
from .site import BEFORE, CONFTEST, GOOD, TEST, buggy

pytestmark = pytest.mark.slow

ROLES = {
    "build-error": "build-doctor",
    "database-error": "database",
    "runtime-error": "debugger",
    "ui-error": "code-review",
    "network-error": "debugger",
}
TOLD = {
    "build-error": ("- Where: shop.py:24", "SyntaxError", "was never closed"),
    "database-error": (
        "no such table: orders",
        "- SQL: `insert into orders (title) values (?)`",
        "- Table or policy: orders",
        "POST http://127.0.0.1:",
        '-> 500 sent: {"title":"Dune"} got: sqlite3.OperationalError',
    ),
    "runtime-error": ("Cannot read properties of undefined (reading 'push')", "[log] cart is ready"),
    "ui-error": ("[data-testid='submit-button']", "[log] cart is ready", "-> 200"),
    "network-error": (
        "Failed to fetch",
        "POST http://127.0.0.1:65534/api/orders -> no answer (net::ERR_CONNECTION_REFUSED)",
        "[log] ordering 1 of Dune",
    ),
}
STEP = {
    "database-error": "order('Dune')",
    "runtime-error": "order('Dune')",
    "ui-error": "to_be_visible",
    "network-error": "order('Dune')",
}


@pytest.fixture
def kata(tmp_path: Path) -> Kata:
    python, chromium, why = browser()
    if why:
        pytest.skip(why)
    made = Kata(tmp_path, existing=False)
    made.write("shop.py", BEFORE.lstrip())
    made.write("tests/conftest.py", CONFTEST.replace("CHROMIUM", chromium).lstrip())
    made.write(".gitignore", "__pycache__/\ntest-results/\n")
    text = (made.root / "tdd.toml").read_text()
    made.write("tdd.toml", text.replace(json.dumps(PYTEST), json.dumps([python, "-m", "pytest", "-q"])))
    made.git("add", "-A")
    made.git("commit", "-q", "-m", "feat: a shop with nothing to buy")
    return made


@pytest.mark.parametrize("kind", ROLES)
def test_bug_is_routed_told_in_full_and_cured(kata: Kata, kind: str) -> None:
    kata.script(
        red=[f"write('tests/test_order.py', {TEST!r})"],
        green=[f"write('shop.py', {buggy(kind)!r})"],
        **{f"{ROLES[kind].replace('-', '_')}_role": [f"write('shop.py', {GOOD!r})"]},
    )
    kata.plan("orders a book from the page")
    done = kata.next()
    assert done.code == 0, done.out + done.err

    (trouble,) = kata.records("error")
    assert trouble["diagnosis"]["routing_type"] == kind
    assert trouble["move"]["kind"] == "specialist"
    (call,) = kata.calls("fix")
    assert call["TDD_ROLE"] == ROLES[kind]
    (prompt,) = kata.prompts("fix")
    assert "Fix this error so the test can pass" in prompt
    assert [one for one in TOLD[kind] if one not in prompt] == []
    if kind != "build-error":  # it does not come as far as the browser
        assert STEP[kind] in next(line for line in prompt.splitlines() if line.startswith("- Failed step: "))
        shot = next(line for line in prompt.splitlines() if line.startswith("- Screenshot: "))
        assert Path(shot.removeprefix("- Screenshot: ")).read_bytes().startswith(b"\x89PNG")
    assert kata.records()[-1]["outcome"] == "landed"
    assert (kata.root / "shop.py").read_text() == GOOD.lstrip("\n")
    assert kata.git("status", "--porcelain") == ""
