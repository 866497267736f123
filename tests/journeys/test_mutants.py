"""A mutant that survives becomes an item; its test passes on the code as it is, and fails with the mutant in place."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.kit import Done, Kata

pytestmark = [
    pytest.mark.journey,
    pytest.mark.skipif(find_spec("mutmut") is None, reason="mutmut is not installed (extra 'quality')"),
]
DOUBLE = "def double(number):\n    if number > 100:\n        raise ValueError\n    return number * 2\n"
RED = "from double import double\n\n\ndef test_doubles():\n    assert double(2) == 4\n"
KILLER = "from double import double\n\n\ndef test_{}():\n    assert double({}) == {}\n"
LIMIT = "`if number > 100:` as `if number >= 100:` in double.py:2"


def scene(path: str, text: str) -> str:
    return f"write({path!r}, {text!r})"


@pytest.fixture
def kata(tmp_path: Path) -> Kata:
    """A repository whose first cycle has landed, and left mutants."""
    kata = Kata(tmp_path, config="[proof]\nmutation = true\n")
    kata.script(red=[scene("tests/test_double.py", RED)], green=[scene("double.py", DOUBLE)])
    kata.plan()
    done = kata.next()
    assert done.code == 0, done.out + done.err
    return kata


def next_of(kata: Kata, mutant: str, *red: str) -> Done:
    """Do the item of this mutant, with scenes for RED (the first cycle has used one)."""
    items = kata.tdd("plan", "list", "--json").json["items"]
    for item in items:
        if item["mutant"] and mutant not in item["title"]:
            kata.tdd("plan", "remove", item["id"])
    kata.script(red=["", *red])
    return kata.next()


def statuses(kata: Kata) -> dict[str, str]:
    return {item["title"]: item["status"] for item in kata.tdd("plan", "list", "--json").json["items"]}


def test_each_surviving_mutant_is_named_and_becomes_an_item(kata: Kata) -> None:
    green = next(record for record in kata.records("handoff") if record["phase"] == "GREEN")
    items = kata.tdd("plan", "list", "--json").json["items"]
    assert f"no test notices {LIMIT}" in green["warnings"]
    assert f"notices {LIMIT}" in [item["title"] for item in items]
    assert [item["mutant"] for item in items[1:]] == green["mutants"]
    assert not any("number / 2" in warning for warning in green["warnings"])  # this one the test sees
    assert {item["parent"] for item in items[1:]} == {items[0]["id"]}


def test_a_test_that_kills_the_mutant_lands_and_is_verified(kata: Kata) -> None:
    done = next_of(kata, LIMIT, scene("tests/test_limit.py", KILLER.format("limit", 100, 200)))
    assert done.code == 0, done.out + done.err
    assert "tests/test_limit.py" in kata.git("ls-files")
    newest = kata.records("handoff")[-1]
    assert (newest["verdict"], newest["known_good"]) == ("mutant_killed", True)
    assert newest["tests"]["target_tests"] == ["tests/test_limit.py::test_limit"]
    assert newest["mutants"][0]["path"] == "double.py"
    assert LIMIT in kata.prompts("red")[-1]
    assert statuses(kata)[f"notices {LIMIT}"] == "completed"
    assert kata.calls("green") == kata.calls("green")[:1]  # there is nothing to implement
    verified = kata.tdd("verify")
    assert verified.code == 0, verified.out + verified.err


def test_a_test_that_does_not_kill_it_is_refused(kata: Kata) -> None:
    passing = scene("tests/test_limit.py", KILLER.format("three", 3, 6))
    failing = scene("tests/test_limit.py", KILLER.format("limit", 100, 201))
    killing = scene("tests/test_limit.py", KILLER.format("limit", 100, 200))
    done = next_of(kata, LIMIT, passing, failing, killing)
    assert done.code == 0, done.out + done.err
    refused = [record["verdict"] for record in kata.records("error")]
    assert refused == ["unexpected_pass", "invalid_test"]
    assert "must pass there, and fail with the mutant" in kata.records("error")[1]["reasons"][0]


def test_a_mutant_that_no_test_notices_is_shown_to_a_person(kata: Kata) -> None:
    passing = scene("tests/test_limit.py", KILLER.format("three", 3, 6))
    done = next_of(kata, LIMIT, passing)
    assert done.code == 3, done.out + done.err
    assert LIMIT in done.out + done.err
    assert "tests/test_limit.py" not in kata.git("ls-files")
    assert kata.tdd("cycle", "approve").code == 0
    assert statuses(kata)[f"notices {LIMIT}"] == "already_covered"


def test_a_mutant_whose_code_is_gone_or_that_is_noticed_by_now_calls_no_agent(kata: Kata) -> None:
    kata.write("tests/test_limit.py", KILLER.format("limit", 100, 200))
    kata.git("add", "-A")
    kata.git("commit", "-q", "-m", "test: the limit")
    calls = len(kata.calls())
    done = next_of(kata, LIMIT)
    assert done.code == 0, done.out + done.err
    assert "test_limit fails with it" in done.out + done.err
    assert len(kata.calls()) == calls
