"""A person is asked before tests are removed (S3), and before an item that seems covered is closed (E5)."""

from __future__ import annotations

from pathlib import Path

import pytest
from kit import GREEN, RED, Kata

OLD = "from greet import greet\n\n\ndef test_greets():\n    assert greet('ada') == 'hello ada'\n"
REMOVES = RED + 'os.remove("tests/test_greet.py")\n'
COVERED = """
write("tests/test_covered.py", '''
from greet import greet


def test_greets_bob():
    assert greet("bob") == "hello bob"
''')
"""


def test_removed_tests_wait_for_a_yes_and_are_named(tmp_path: Path) -> None:
    kata = Kata(tmp_path)
    kata.script(red=[REMOVES])
    kata.plan()
    asked = kata.next()
    assert asked.code == 3
    assert "removed tests: tests/test_greet.py::test_greets" in asked.err
    assert not kata.calls("green")
    red = next(one for one in kata.records("handoff") if one["phase"] == "RED")
    assert red["removed_tests"] == ["tests/test_greet.py::test_greets"]
    done = kata.tdd("cycle", "approve")
    assert done.code == 0, done.err
    assert not (kata.root / "tests/test_greet.py").exists()
    verified = kata.tdd("verify")
    assert verified.code == 0, verified.out
    assert "tests/test_greet.py::test_greets" in verified.out


def test_a_no_ends_the_cycle(tmp_path: Path) -> None:
    kata = Kata(tmp_path)
    kata.script(red=[REMOVES])
    kata.plan()
    assert kata.next().code == 3
    assert kata.tdd("cycle", "reject").code == 0
    assert kata.subjects() == ["chore: begin"]


@pytest.mark.parametrize(("setting", "code"), [("refuse", 1), ("allow", 0)])
def test_the_configuration_may_answer(tmp_path: Path, setting: str, code: int) -> None:
    retries = "" if setting == "allow" else "[retry]\nmax_retries = 0\ndelays = [0]\n"
    kata = Kata(tmp_path, config=f'[proof]\nremoved_tests = "{setting}"\n{retries}')
    kata.script(red=[REMOVES])
    kata.plan()
    assert kata.next().code == code
    assert kata.verdicts()[0] == ("proven" if code == 0 else "forbidden_change")


def test_an_item_that_seems_covered_waits_and_the_run_goes_on(tmp_path: Path) -> None:
    kata = Kata(tmp_path)
    kata.script(red=[COVERED, COVERED, RED], green=[GREEN])
    covered = kata.plan("greets bob")
    kata.plan()
    ran = kata.tdd("cycle", "run")
    assert ran.code == 3, ran.err
    assert kata.verdicts() == ["unexpected_pass", "already_covered", "proven", "proven", "unchanged"]
    assert f"greets bob ({covered}) seems covered" in ran.out
    assert kata.tdd("cycle", "run").code == 3, "it still waits"
    done = kata.tdd("cycle", "approve", "--item", covered)
    assert done.code == 0, done.err
    assert kata.tdd("cycle", "run").code == 0
    status = {item["id"]: item["status"] for item in kata.tdd("plan", "list", "--json").json["items"]}
    assert status[covered] == "already_covered"


def test_a_no_puts_the_item_back_into_the_list(tmp_path: Path) -> None:
    kata = Kata(tmp_path)
    kata.script(red=[COVERED])
    covered = kata.plan("greets bob")
    assert kata.next().code == 3
    assert kata.tdd("cycle", "reject").code == 0
    assert kata.tdd("plan", "list", "--json").json["items"][0]["status"] == "planned"
    assert kata.tdd("cycle", "approve", "--item", covered).code == 2
