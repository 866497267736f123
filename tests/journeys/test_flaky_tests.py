"""Flaky tests in whole cycles (E4): quarantined across cycles; a suite that fails only as a whole is no flake."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kit import GREEN, Kata

pytestmark = pytest.mark.journey

FLAKY = """
import pathlib

def test_sometimes():
    counter = pathlib.Path({counter!r})
    runs = len(counter.read_text()) if counter.exists() else 0
    counter.write_text("x" * (runs + 1))
    assert runs not in {bad!r}
"""
TRIPLE_RED = '''
write("tests/test_triple.py", """
from triple import triple


def test_triples():
    assert triple(2) == 6
""")
'''
TRIPLE = 'write("triple.py", "def triple(number):\\n    return number * 3\\n")'


def flaky(kata: Kata, tmp_path: Path, *bad: int) -> None:
    kata.write("tests/test_flaky.py", FLAKY.format(counter=str(tmp_path / "runs"), bad=bad))
    kata.git("add", "-A")
    kata.git("commit", "-qm", "test: a flaky one")


def test_a_flake_is_named_and_quarantined_across_cycles(tmp_path: Path) -> None:
    kata = Kata(tmp_path / "kata")
    flaky(kata, tmp_path, 1, 3, 4, 5)  # GREEN: once in the first cycle, three times in the second
    kata.plan()
    done = kata.next()
    assert done.code == 0, done.err
    assert "warning: flaky: tests/test_flaky.py::test_sometimes" in done.out
    green = next(record for record in kata.records("handoff") if record["phase"] == "GREEN")
    assert green["known_good"] is True
    assert green["tests"]["run_verdict"] == "passed"
    kata.script(red=[TRIPLE_RED], green=[TRIPLE])
    kata.plan("triples a number")
    done = kata.next()
    assert done.code == 0, done.err
    started = kata.records("cycle_started")[-1]
    assert list(started["quarantined"]) == ["tests/test_flaky.py::test_sometimes"]


def test_what_fails_only_in_the_whole_suite_is_no_flake(tmp_path: Path) -> None:
    kata = Kata(tmp_path)
    kata.write("calls.py", "SEEN = []\n\n\ndef note(what):\n    SEEN.append(what)\n    return len(SEEN)\n")
    kata.write(
        "tests/test_zlast.py", "import calls\n\n\ndef test_first_call():\n    assert calls.note('a') == 1\n"
    )
    kata.git("add", "-A")
    kata.git("commit", "-qm", "test: one that needs a fresh module")
    leaks = (
        GREEN
        + 'write("double.py", "import calls\\n\\ncalls.note(1)\\n\\n\\ndef double(n):\\n    return n * 2\\n")'
    )
    kata.script(green=[leaks, GREEN])
    kata.plan()
    done = kata.next()
    assert done.code == 0, done.err
    assert kata.verdicts()[:3] == ["proven", "breaks_existing", "proven"]


def test_a_known_flake_that_is_broken_for_good_is_no_flake(tmp_path: Path) -> None:
    kata = Kata(tmp_path / "kata")
    kata.write("calls.py", "def half(n):\n    return n // 2\n")
    flaky(kata, tmp_path, 1)
    with (kata.root / "tests/test_flaky.py").open("a", encoding="utf-8") as file:
        file.write("    from calls import half\n\n    assert half(5) == 2\n")
    kata.git("commit", "-qam", "test: it asks for more")
    kata.plan()
    assert kata.next().code == 0
    breaks = 'write("calls.py", "def half(n):\\n    return n / 2\\n")\n' + TRIPLE
    kata.script(red=[TRIPLE_RED], green=[GREEN, breaks, TRIPLE])
    kata.plan("triples a number")
    done = kata.next()
    assert done.code == 0, done.err
    refused = kata.records("error")[-1]
    assert refused["verdict"] == "breaks_existing"
    assert "it was flaky before, and may be broken now" in refused["reasons"][0]


def test_a_known_flake_that_fails_without_the_change_as_well_is_not_the_changes(tmp_path: Path) -> None:
    kata = Kata(tmp_path / "kata")
    flaky(kata, tmp_path, 1)
    down = tmp_path / "down"
    with (kata.root / "tests/test_flaky.py").open("a", encoding="utf-8") as file:
        file.write(f"    assert not pathlib.Path({str(down)!r}).exists()\n")
    kata.git("commit", "-qam", "test: it asks a server")
    kata.plan()
    assert kata.next().code == 0
    ends = f'{TRIPLE}\nopen({str(down)!r}, "w").close()\n'
    kata.script(red=[TRIPLE_RED], green=[GREEN, ends])
    kata.plan("triples a number")
    done = kata.next()
    assert done.code == 0, done.err
    assert "fails without the change as well, by now" in done.out + done.err
