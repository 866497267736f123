"""Checks on top of a proven GREEN: they warn with evidence, name gaps, and refuse nothing."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tdd_orchestrator.cycle.stronger import fit
from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.runners.suspicions import suspicions
from tests.kit import Kata

mutmut = pytest.mark.skipif(find_spec("mutmut") is None, reason="mutmut is not installed (extra 'quality')")

PARAMETRISED = '''
write("tests/test_double.py", """
import pytest
from double import double


@pytest.mark.parametrize("number, expected", [(3, 6), (5, 10)])
def test_doubles(number, expected):
    assert double(number) == expected
""")
'''


TEST = (
    "tests/test_double.py",
    "import pytest\n\n\n@pytest.mark.parametrize('number, expected', [(3, 6), (5, 10)])\n"
    "def test_doubles(number, expected):\n    assert double(number) == expected\n",
)


def green(text: str) -> str:
    return f"write('double.py', {text!r})"


HONEST = green("def double(number):\n    return number * 2\n")


@pytest.fixture
def kata(tmp_path: Path) -> Kata:
    return Kata(tmp_path)


def configured(kata: Kata, more: str) -> None:
    kata.configure(more)
    kata.git("commit", "-q", "-am", "chore: stronger checks")


def landed(kata: Kata) -> dict[str, Any]:
    """Run the cycle; the handoff of its GREEN."""
    kata.plan()
    done = kata.next()
    assert done.code == 0, done.out + done.err
    assert "double.py" in kata.git("ls-files")
    return next(record for record in kata.records("handoff") if record["phase"] == "GREEN")


@pytest.mark.parametrize(
    ("code", "sign"),
    [
        ("def double(number):\n    if number == 3:\n        return 6\n    return 10\n", "double.py:2: a fixed answer for 3"),
        ("def double(number):\n    return {3: 6, 5: 10}[number]\n", "double.py:2: a fixed answer for 3"),
        ("def double(number):\n    return 6 if number in (3,) else 10\n", "double.py:2: a fixed answer for 3"),
        ("def double(number):\n    match number:\n        case 5:\n            return 10\n    return 6\n", "double.py:3: a fixed answer for 5"),
        ("class Any:\n    def __eq__(self, other):\n        return True\n\n\ndef double(number):\n    return Any()\n", "double.py:2: an object that is equal to everything"),
        (
            "import pathlib, re\n\n\ndef double(number):\n    text = pathlib.Path('tests/test_double.py').read_text()\n"
            "    return int(re.search(rf'\\({number}, (\\d+)\\)', text)[1])\n",
            "double.py:5: the code names its test file tests/test_double.py",
        ),
    ],
    ids=["if", "dict", "ternary", "match", "equal to everything", "reads the test"],
)  # fmt: skip
def test_code_made_for_its_test_shows(code: str, sign: str) -> None:
    told = suspicions([TEST], "double.py", "", code)
    assert len([one for one in told if one.startswith(sign)]) == 1
    assert suspicions([TEST], "double.py", code, code) == []


def test_what_shows_is_in_the_record_of_a_green_that_is_accepted(kata: Kata) -> None:
    kata.script(red=[PARAMETRISED], green=[green("def double(number):\n    return {3: 6, 5: 10}[number]\n")])
    assert landed(kata)["warnings"][0].startswith(
        "double.py:2: a fixed answer for 3, a value of the test: `return {"
    )
    assert "Noticed already:\n- double.py:2: a fixed answer for 3" in kata.prompts("refactor")[0]


@pytest.mark.parametrize(
    "code",
    [
        "def double(number):\n    return number * 2\n",
        "def double(number):\n    if number == 0:\n        return 0\n    return number + number\n",
        "SIGNS = {'+': 1, '-': -1}\n\n\ndef double(number):\n    if number == 3:\n        return number + number\n    return number * 2\n",
    ],
    ids=["plain", "base case", "computed branch"],
)
def test_honest_code_is_not_suspected(code: str) -> None:
    assert suspicions([TEST], "double.py", "", code) == []


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (
            "ANSWERS = dict(zip([3, 5], [6, 10]))\n\n\ndef double(number):\n"
            "    return ANSWERS[number] if number < 12 else ANSWERS.get(number)\n",
            (
                "with number=10 instead of 3 the code raises KeyError",
                "with number=12 instead of 5 the code answers None",
            ),
        ),
        (
            "answers = [10, 6]\n\n\ndef double(number):\n    return answers.pop()\n",
            ("with number=10 instead of 3 the answer is still the same",),
        ),
    ],
    ids=["a table", "answers in order"],
)
def test_hidden_variants_show_what_cannot_be_read(kata: Kata, code: str, said: tuple[str, ...]) -> None:
    configured(kata, "[proof]\nhidden = true\n")
    kata.script(red=[PARAMETRISED], green=[green(code)])
    warnings = "\n".join(landed(kata)["warnings"])
    assert [one for one in said if one not in warnings] == []


def test_hidden_variants_leave_honest_code_and_trees_alone(kata: Kata) -> None:
    configured(kata, "[proof]\nhidden = true\n")
    kata.script(red=[PARAMETRISED], green=[HONEST])
    assert landed(kata)["warnings"] == []
    assert "(3, 6)" in (kata.root / "tests/test_double.py").read_text()
    assert kata.git("status", "--porcelain") == ""


@mutmut
def test_a_surviving_mutant_is_named_and_becomes_an_item(kata: Kata) -> None:
    configured(kata, "[proof]\nmutation = true\n")
    red = 'write("tests/test_double.py", "from double import double\\n\\n\\ndef test_doubles():\\n    assert double(2) == 4\\n")'
    kata.script(
        red=[red],
        green=[
            green(
                "def double(number):\n    if number > 100:\n        raise ValueError\n    return number * 2\n"
            )
        ],
    )
    warnings = landed(kata)["warnings"]
    gaps = [warning for warning in warnings if warning.startswith("no test notices ")]
    assert any("double.py:2" in gap for gap in gaps)
    assert not any("number / 2" in gap for gap in gaps)  # this one the test sees
    items = kata.tdd("plan", "list", "--json").json
    covers = [item for item in items["items"] if item["title"].startswith("covers: ")]
    assert len(covers) == len(gaps)
    assert {item["parent"] for item in covers} == {items["items"][0]["id"]}
    assert {item["status"] for item in covers} == {"planned"}


@mutmut
def test_only_changed_lines_are_mutated_and_killed_mutants_are_silent(kata: Kata) -> None:
    kata.write("double.py", "def limit():\n    return 41 + 1\n")
    kata.git("add", "double.py")
    configured(kata, "[proof]\nmutation = true\n")
    kata.script(
        red=[PARAMETRISED],
        green=[green("def limit():\n    return 41 + 1\n\n\ndef double(number):\n    return number * 2\n")],
    )
    assert landed(kata)["warnings"] == []
    assert len(kata.tdd("plan", "list", "--json").json["items"]) == 1


def test_mutation_without_its_tool_is_refused_at_the_start(kata: Kata, tmp_path: Path) -> None:
    configured(kata, "[proof]\nmutation = true\n")
    kata.plan()
    hide = tmp_path / "hide"
    hide.mkdir()
    (hide / "sitecustomize.py").write_text("import sys\nsys.modules['mutmut'] = None\n")
    ran = subprocess.run(
        [sys.executable, "-m", "tdd_orchestrator", "cycle", "next"],
        cwd=kata.root,
        env={
            "PATH": "/usr/bin:/bin",
            "HOME": str(tmp_path),
            "PYTHONPATH": f"{hide}:{Path(__file__).parents[2]}",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 2, ran.stdout + ran.stderr
    assert "proof.mutation needs the extra 'quality'" in ran.stderr
    assert kata.calls() == []


def test_other_languages_are_refused_by_name() -> None:
    with pytest.raises(Refused, match=r"proof\.hidden works for Python only"):
        fit(False, True, "go")
    fit(False, False, "go")
