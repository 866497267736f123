"""What stands between a finished cycle and the user's files is said before anything moves, or brought to its end after."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
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


@dataclass(frozen=True)
class Row:
    """``does`` in the user's shell after RED; ``said`` in the refusal, nothing where the cycle goes on; ``undo`` makes way."""

    name: str
    does: str
    said: str = ""
    undo: str = "true"


BRANCHES = (
    Row("renamed", "git branch -m main trunk", "The branch main is gone", "git branch -m trunk main"),
    Row("deleted", "git checkout -q -b other; git branch -q -D main", "The branch main is gone", "git branch main"),
    Row("elsewhere", "git checkout -q -b other; git worktree add -q ../beside main", "in another work tree",
        "git worktree remove -f ../beside"),
    Row("not checked out", "git checkout -q -b other"),
    Row("a branch called HEAD", "git update-ref refs/heads/HEAD HEAD"),
    Row("a tag called HEAD", "git update-ref refs/tags/HEAD HEAD"),
)  # fmt: skip


def shell(kata: Kata, command: str) -> None:
    subprocess.run(command, shell=True, cwd=kata.root, check=True, capture_output=True)


@pytest.mark.parametrize("row", BRANCHES, ids=lambda row: row.name)
def test_no_agent_works_for_a_branch_on_which_nothing_can_land(tmp_path: Path, row: Row) -> None:
    kata = Kata(tmp_path)
    kata.plan()
    assert kata.next("--phase").code == 0
    shell(kata, row.does)
    if row.said:
        done = kata.next()
        assert done.code == 2
        assert row.said in done.err
        assert not kata.calls("green")
    shell(kata, row.undo)
    done = kata.next()
    assert done.code == 0, done.err
    assert kata.git("log", "-1", "--format=%s", "refs/heads/main") == "feat: doubles a number"


@pytest.mark.parametrize(
    "does",
    [
        "git checkout -q --detach",
        "git branch -m main trunk",
        "echo mine >> README.md; sed -i 's/.workspace./[workspace]\\nmode = \"inplace\"/' tdd.toml",
    ],
)
def test_a_cycle_is_given_up_in_any_state(tmp_path: Path, does: str) -> None:
    kata = Kata(tmp_path)
    kata.plan()
    assert kata.next("--phase").code == 0
    shell(kata, does)
    before = kata.git("status", "--porcelain"), (kata.root / "README.md").read_text()
    done = kata.tdd("cycle", "abort")
    assert done.code == 0, done.err
    assert before == (kata.git("status", "--porcelain"), (kata.root / "README.md").read_text())
    assert kata.records("cycle_ended")[0]["outcome"] == "cancelled"


def conflicting(kata: Kata) -> str:
    """A finished cycle whose file the user made meanwhile, otherwise; the cycle's tip comes back."""
    kata.plan()
    kata.script(refactor=[f"import subprocess\nopen({str(kata.root / 'double.py')!r}, 'w').write('MINE = 1\\n')\n"
                          f"for words in (['add', '-A'], ['commit', '-qm', 'feat: mine']):\n"
                          f"    subprocess.run(['git', '-C', {str(kata.root)!r}, *words], check=True)\n", ""])  # fmt: skip
    done = kata.next()
    assert done.code == 1, done.err
    tip = kata.records("cycle_ended")[0]["tip"]
    assert f"next: git merge {tip[:12]}" in done.out
    return str(tip)


def test_a_conflict_parks_the_cycle_and_other_items_go_on(tmp_path: Path) -> None:
    kata = Kata(tmp_path)
    conflicting(kata)
    report = kata.records("error_report")[0]["report"]
    assert (report["trigger"]["stage"], report["error_type"]) == ("landing", "integration")
    assert (report["fix_strategy"], report["estimated_fix_hours"]) == ("", 0)
    for reader in ("show", "prompt"):
        text = kata.tdd("errors", reader, "last").out
        assert f"2. Merge the finished work: git merge {report['context_snapshot']['commit'][:12]}" in text
        assert not any(untrue in text for untrue in ("full_rework", "boundary", "after 0", "refused attempt"))
    assert kata.tdd("status", "--json").json["next"].startswith("git merge ")
    kata.plan("greets loudly")
    kata.script(red=["write('tests/test_loud.py', 'from greet import loud\\n\\n\\ndef test_loud():\\n    assert loud() == 1\\n')"],
                green=["open('greet.py', 'a').write('\\n\\ndef loud():\\n    return 1\\n')"])  # fmt: skip
    done = kata.next()
    assert done.code == 0, done.err
    assert [one["outcome"] for one in kata.records("cycle_ended")] == ["parked", "landed"]
    assert [one["cycle_number"] for one in kata.records("cycle_started")] == [1, 2]


@pytest.mark.parametrize("way", ["merge", "squash", "cherry-pick"])
def test_work_that_was_merged_by_hand_is_proven_and_closed(tmp_path: Path, way: str) -> None:
    kata = Kata(tmp_path)
    tip = conflicting(kata)
    if way == "cherry-pick":
        kata.git("cherry-pick", "-n", f"{tip}~1", check=False)
        kata.git("checkout", "-q", tip, "--", "double.py")
    else:
        kata.git("merge", *["--squash"][: way == "squash"], "-q", tip, check=False)
        kata.git("checkout", "-q", "--theirs", "double.py")
    kata.git("commit", "-qam", "feat: by hand")
    kata.plan("greets loudly")
    kata.script(red=["write('tests/test_loud.py', 'from greet import loud\\n\\n\\ndef test_loud():\\n    assert loud() == 1\\n')"],
                green=["open('greet.py', 'a').write('\\n\\ndef loud():\\n    return 1\\n')"])  # fmt: skip
    done = kata.next()
    assert done.code == 0, done.err
    assert "merged into main by hand" in done.err
    assert [one["outcome"] for one in kata.records("cycle_ended")] == ["parked", "landed", "landed"]
    assert [one["cycle_number"] for one in kata.records("cycle_started")] == [1, 2]
    statuses = [item["status"] for item in kata.tdd("plan", "list", "--json").json["items"]]
    assert statuses == ["completed", "completed"]
    assert kata.git("for-each-ref", "refs/tdd/parked") == ""
    assert kata.tdd("errors", "list", "--json").json["errors"] == []
    verified = kata.tdd("verify")
    assert verified.code == 0, verified.out


def test_work_that_was_merged_by_hand_is_not_put_back_by_an_abort(tmp_path: Path) -> None:
    kata = Kata(tmp_path)
    kata.plan()
    kata.next("--phase")
    kata.next("--phase")
    tip = kata.records("handoff")[-1]["tip"]
    kata.git("merge", "-q", "--ff-only", tip)
    kata.git("commit", "-q", "--allow-empty", "-m", "chore: mine")
    assert kata.tdd("cycle", "abort").code == 0
    assert [item["status"] for item in kata.tdd("plan", "list", "--json").json["items"]] == ["completed"]
