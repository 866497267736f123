"""A person's own `git notes add` in the ref of the records: it neither stops anything nor gets lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from kit import Kata

from tdd_orchestrator.notes.codec import decode_note, joined


@pytest.fixture
def kata(tmp_path: Path) -> Kata:
    return Kata(tmp_path)


@pytest.mark.journey
def test_a_remark_goes_through_the_whole_trail(kata: Kata) -> None:
    kata.tdd("init")
    kata.plan()
    assert kata.next().code == 0
    kata.git("notes", "append", "-m", "Zeta: looks good\nAda: reviewed", "HEAD")
    kata.git(
        "notes",
        "add",
        "-m",
        "on a commit of nobody's",
        kata.git("rev-list", "--max-parents=0", "HEAD"),
        check=False,
    )
    done = kata.tdd("verify")
    assert done.code == 0, done.out + done.err
    assert kata.tdd("status").code == 0
    assert kata.tdd("doctor", "--no-tests").out == "Nothing is wrong.\n"
    assert "not of tdd  Zeta: looks good\nnot of tdd  Ada: reviewed\n" in kata.tdd("show", "HEAD").out
    assert kata.tdd("show", "HEAD", "--json").json["remarks"] == ["Zeta: looks good", "Ada: reviewed"]
    kata.plan("doubles it once more")
    kata.script(red=["write('tests/test_more.py', 'from double import twice\\n\\n\\ndef test_more():\\n    assert twice(2) == 8\\n')"],
                green=["write('double.py', 'def double(number):\\n    return number * 2\\n\\n\\ndef twice(number):\\n    return double(double(number))\\n')"])  # fmt: skip
    assert kata.next().code == 0
    shown = kata.git("notes", "show", "HEAD~2")
    assert shown.startswith("Zeta: looks good\nAda: reviewed\n{")
    assert kata.tdd("verify").code == 0


@pytest.mark.journey
def test_a_note_that_was_overwritten_is_brought_back_to_its_place(kata: Kata) -> None:
    kata.plan()
    assert kata.next().code == 0
    kata.git("notes", "--ref=tdd", "add", "-f", "-m", "mine", "HEAD~2")
    assert "`tdd doctor` brings them back" in kata.tdd("verify", "--no-replay").out
    kata.tdd("doctor")
    assert "cycle_started" in (shown := kata.tdd("show", "HEAD~2").out)
    assert shown.endswith("not of tdd  mine\n")
    assert kata.tdd("verify", "--no-replay").code == 0
    log = kata.tdd("log").out
    assert log.index("landed on main") < log.index("cycle 1 started")
    kata.plan("doubles it once more")
    assert "was begun elsewhere" not in kata.next("--phase").err
    assert kata.records("cycle_started")[-1]["cycle_number"] == 2


@pytest.mark.parametrize(
    ("line", "remark"),
    [
        (b"hello", True),
        (b'{"review": "fine"}', True),
        (b"{torn", False),
        (b'{"v": 99}', False),
        (b'{"at":"t","id":"i"', False),
    ],
)
def test_what_is_a_remark(line: bytes, remark: bool) -> None:
    note = decode_note(line)
    assert (bool(note.remarks), bool(note.damaged)) == (remark, not remark)


def test_remarks_keep_their_order_and_the_records_are_sorted() -> None:
    assert joined([b'{"b"', b"second", b"first", b'{"a"', b"second"]) == b'second\nfirst\n{"a"\n{"b"\n'
