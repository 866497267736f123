"""What stands between a finished cycle and the user's files is said before anything moves, or brought to its end after."""

from __future__ import annotations

from pathlib import Path

from kit import Kata


def filtered(kata: Kata, smudge: str) -> None:
    (kata.root / ".git" / "info" / "attributes").write_text("double.py filter=odd\n")
    kata.git("config", "filter.odd.clean", "cat")
    kata.git("config", "filter.odd.smudge", smudge)
    kata.git("config", "filter.odd.required", "true")


def test_a_filter_that_fails_leaves_branch_and_files_as_they_are(tmp_path: Path) -> None:
    kata = Kata(tmp_path)
    kata.plan()
    filtered(kata, "false")
    done = kata.next()
    assert done.code == 2
    assert "smudge filter" in done.err
    assert kata.subjects() == ["chore: begin"]
    assert kata.git("status", "--porcelain") == ""
    filtered(kata, "cat")
    assert kata.next().code == 0
    assert len(kata.calls("green")) == 1
    assert kata.git("status", "--porcelain") == ""


def test_what_is_on_the_branch_is_not_cancelled(tmp_path: Path) -> None:
    """The filter works when it is tried, and not when it counts."""
    kata = Kata(tmp_path)
    kata.plan()
    filtered(kata, f"test -e {tmp_path}/tried && exit 1; touch {tmp_path}/tried; cat")
    done = kata.next()
    assert done.code == 2
    assert "your files could not follow" in done.err
    done = kata.tdd("cycle", "abort")
    assert done.code == 2
    assert kata.records("cycle_ended") == []
    filtered(kata, "cat")
    done = kata.tdd("cycle", "abort")
    assert done.code == 0
    assert "has landed" in done.out
    assert kata.records("cycle_ended")[0]["outcome"] == "landed"
    assert kata.git("status", "--porcelain") == ""
