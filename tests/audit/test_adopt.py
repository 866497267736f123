"""A forge squashes a branch with records: its commit stands for them, and it is said how many are reachable."""

from __future__ import annotations

from kit import Kata


def test_a_squash_commit_stands_for_the_records_of_its_branch(kata: Kata) -> None:
    """The two cycles of the fixture, squashed onto the first commit as a forge does."""
    begin = kata.git("rev-list", "--max-parents=0", "HEAD")
    kata.git("branch", "feature")
    kata.git("reset", "-q", "--hard", begin)
    kata.git("merge", "--squash", "-q", "feature")
    kata.git("commit", "-q", "-m", "feat: doubles and triples (#1)")
    before = kata.tdd("sync", "--adopt", "HEAD")
    assert before.code == 0, before.err
    squash = kata.git("rev-parse", "HEAD")
    assert f"{squash[:9]} stands for the records of" in before.out
    assert "5 of 5 records reachable" in before.out
    assert f"tdd prove {squash[:9]}" in before.err
    again = kata.tdd("sync", "--adopt", "HEAD")
    assert "stands for" not in again.out
    assert "5 of 5 records reachable" in again.out


def test_records_that_nothing_stands_for_are_counted(kata: Kata) -> None:
    begin = kata.git("rev-list", "--max-parents=0", "HEAD")
    kata.git("branch", "feature")
    kata.git("reset", "-q", "--hard", begin)
    kata.write("other.py", "OTHER = 1\n")
    kata.git("add", "other.py")
    kata.git("commit", "-q", "-m", "feat: other")
    done = kata.tdd("sync", "--adopt", f"{begin}..HEAD")
    assert "0 of 5 records reachable" in done.out
