"""Lines that no test executes: a warning and an item, or a refusal; and which tests to run, in the prompts."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.kit import Kata

pytestmark = [
    pytest.mark.journey,
    pytest.mark.skipif(find_spec("coverage") is None, reason="coverage.py is not installed"),
]
SIGN = "def sign(number):\n    return 1\n"
DOUBLE = f"{SIGN}\n\ndef double(number):\n    if number > 100:\n        raise ValueError\n    return number * sign(number) * 2\n"
SMALL = f"{SIGN}\n\ndef double(number):\n    return number * sign(number) * 2\n"
OLD = "from calc import sign\n\n\ndef test_signs():\n    assert sign(3) == 1\n"
RED = "from calc import double\n\n\ndef test_doubles():\n    assert double(2) == 4\n"
KILLER = "import pytest\nfrom calc import double\n\n\ndef test_limit():\n    with pytest.raises(ValueError):\n        double(101)\n"


def scene(path: str, text: str) -> str:
    return f"write({path!r}, {text!r})"


def kata_with(tmp_path: Path, covered: str) -> Kata:
    kata = Kata(tmp_path, config=f'[proof]\ncovered = "{covered}"\n')
    kata.write("calc.py", SIGN)
    kata.write("tests/test_sign.py", OLD)
    kata.git("add", "-A")
    kata.git("commit", "-q", "-m", "feat: sign")
    return kata


def test_an_uncovered_line_becomes_an_item_and_its_test_lands(tmp_path: Path) -> None:
    kata = kata_with(tmp_path, "warn")
    kata.script(
        red=[scene("tests/test_double.py", RED), scene("tests/test_limit.py", KILLER)],
        green=[scene("calc.py", DOUBLE)],
    )
    kata.plan()
    done = kata.next()
    assert done.code == 0, done.out + done.err
    red, green = (record for record in kata.records("handoff") if record["phase"] != "REFACTOR")
    assert red["affected_tests"] == ["tests/test_sign.py::test_signs"]
    assert green["uncovered"] == ["calc.py:7"]
    assert "no test executes calc.py:7" in green["warnings"]
    assert green["affected_tests"] == ["tests/test_double.py::test_doubles"]
    assert "tests/test_sign.py::test_signs" in kata.prompts("green")[0]
    assert "Run them first, then the whole suite" in kata.prompts("refactor")[0]
    (item,) = [one for one in kata.tdd("plan", "list", "--json").json["items"] if one["mutant"]]
    assert "`raise ValueError`" in item["title"]
    done = kata.next()
    assert done.code == 0, done.out + done.err
    assert kata.records("handoff")[-1]["verdict"] == "mutant_killed"
    assert "tests/test_limit.py" in kata.git("ls-files")


def test_required_coverage_sends_green_back(tmp_path: Path) -> None:
    kata = kata_with(tmp_path, "require")
    kata.script(
        red=[scene("tests/test_double.py", RED)],
        green=[scene("calc.py", DOUBLE), scene("calc.py", SMALL)],
    )
    kata.plan()
    done = kata.next()
    assert done.code == 0, done.out + done.err
    (refused,) = kata.records("error")
    assert (refused["verdict"], refused["reasons"]) == ("uncovered", ["no test executes calc.py:7"])
    assert "No test executes some of the lines that you wrote" in kata.prompts("green")[1]
    assert "raise ValueError" not in (kata.root / "calc.py").read_text()
