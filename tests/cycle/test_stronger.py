"""Checks on top of a proven GREEN: they warn with evidence, name gaps, and refuse nothing."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tdd_orchestrator.cycle.extra_checks import fit
from tdd_orchestrator.model.errors import Refused
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


def test_what_shows_is_in_the_record_of_a_green_that_is_accepted(kata: Kata) -> None:
    kata.script(
        red=[PARAMETRISED], green=[green("def double(number):\n    return 6 if number == 3 else 10\n")]
    )
    assert landed(kata)["warnings"][0].startswith("double.py:2: ")
    assert "Noticed already:\n- double.py:2: " in kata.prompts("refactor")[0]


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
    with pytest.raises(Refused, match=r"proof\.mutation works for Python only"):
        fit(True, "go")
    fit(False, "go")
