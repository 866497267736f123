"""`tdd verify`: the tests are run again, and what history was made to say is refuted."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from kit import Kata

from tdd_orchestrator.app.open_repository import OpenRepository

from .conftest import Copied

CYCLE_2 = "HEAD~3..HEAD"
WEAK = "from double import double\n\n\ndef test_triples():\n    assert double(3) == 6\n"


def _rules(done: Any) -> set[str]:
    return {finding["rule"] for finding in done.json["findings"] if finding["level"] == "error"}


def _redo(kata: Copied, *, at: str, write: dict[str, str], notes: bool = True) -> None:
    """History from ``at`` to HEAD made again with other files in ``at``; with ``notes`` the records are copied along."""
    chain = kata.git("rev-list", "--reverse", f"{at}~1..HEAD").splitlines()
    kata.git("checkout", "-q", "--detach", f"{at}~1")
    for number, oid in enumerate(chain):
        kata.git("checkout", "-q", oid, "--", ".")
        for path, text in write.items():
            if number == 0 or path.startswith("tests/"):
                kata.write(path, text)
        kata.git("add", "-A")
        kata.git("commit", "-q", "--allow-empty", "-C", oid)
        if notes:
            kata.git("notes", "--ref=tdd", "copy", oid, "HEAD")
    kata.git("branch", "-q", "-f", "main", "HEAD")
    kata.git("checkout", "-q", "main")


def test_an_honest_history_is_proven_again(kata: Copied, tmp_path: Path) -> None:
    before, refs = kata.snapshot(), kata.git("for-each-ref")
    done = kata.tdd(
        "verify",
        "--json",
        "--jobs",
        "2",
        "--sarif",
        str(tmp_path / "s.json"),
        "--junit",
        str(tmp_path / "j.xml"),
    )
    assert done.code == 0, done.out + done.err
    rows = [(row["phase"], row["cycle_number"], row["ok"], row["how"]) for row in done.json["steps"]]
    assert rows == [
        ("RED", 1, True, "commit"), ("GREEN", 1, True, "commit"), ("RED", 2, True, "commit"),
        ("GREEN", 2, True, "commit"), ("REFACTOR", 2, True, "commit"), ("KNOWN-GOOD", 0, True, "commit"),
    ]  # fmt: skip
    asked = [(one["question"], one["asked"], one["failed"]) for one in done.json["steps"][1]["questions"]]
    assert asked == [("poison", 1, 1), ("shift", 1, 1), ("stub", 1, 1)]
    good = done.json["steps"][-1]
    assert good["recorded"] == good["seen"], "one text where the two agree"
    assert done.json["proven"] is True
    assert done.json["trees"] == 6, "each tree once: the second cycle begins where the first ended"
    assert json.loads((tmp_path / "s.json").read_text())["runs"][0]["results"] == []
    suites = ElementTree.parse(tmp_path / "j.xml").getroot()
    assert [(suite.get("name"), suite.get("tests"), suite.get("failures")) for suite in suites] == [
        ("replay", "6", "0"), ("trail", "1", "0"),
    ]  # fmt: skip
    assert kata.snapshot() == before
    assert kata.git("for-each-ref") == refs


def test_a_report_without_a_folder_is_refused_before_anything_runs(kata: Copied) -> None:
    done = kata.tdd("verify", "--junit", "no/folder/j.xml")
    assert done.code == 2
    assert "no/folder" in done.err
    assert "running" not in done.out + done.err


def test_a_range_is_a_part_of_it_and_the_table_reads_well(kata: Copied) -> None:
    done = kata.tdd("verify", CYCLE_2)
    assert done.code == 0
    lines = done.out.splitlines()
    assert [line.split()[3] for line in lines[:3]] == ["RED", "GREEN", "REFACTOR"]
    assert lines[0].endswith("  proven: 1 error")
    assert re.fullmatch(r"Proven: \d commits with records \(\d+ records, \d test runs\)\.", lines[-1]), lines
    assert "judging again, with its questions: 3 of 3 commits" in done.err
    assert kata.tdd("verify", "HEAD~1..HEAD").code == 0, "a range may begin in the middle of a cycle"


def test_a_range_that_is_none_is_refused(kata: Copied) -> None:
    done = kata.tdd("verify", "no-such..thing")
    assert done.code == 2
    assert "not a range" in done.err
    assert kata.tdd("verify", "--output=/x", "--no-replay").code == 2


def test_a_weakened_red_is_refuted(kata: Copied) -> None:
    _redo(kata, at="HEAD~2", write={"tests/test_triple.py": WEAK})
    done = kata.tdd("verify", CYCLE_2, "--json")
    assert done.code == 1
    red = done.json["steps"][0]
    assert not red["ok"]
    assert red["how"] == "carried"
    assert "unexpected_pass" in red["seen"]
    assert "not-proven" in _rules(done)


def test_a_weakened_red_without_records_has_none(kata: Copied) -> None:
    _redo(kata, at="HEAD~2", write={"tests/test_triple.py": WEAK}, notes=False)
    found = kata.findings()
    assert [one.rule for one in found if one.commit == kata.git("rev-parse", "HEAD~2")] == ["no-record"]


def test_a_green_that_touches_the_tests_is_refuted(kata: Copied) -> None:
    red = kata.git("show", "HEAD~2:tests/test_triple.py")
    _redo(kata, at="HEAD~1", write={"tests/test_triple.py": red + "\n\n# mine now\n"})
    done = kata.tdd("verify", CYCLE_2, "--json")
    assert done.code == 1
    green = done.json["steps"][1]
    assert "forbidden_change" in green["seen"]
    assert "tests/test_triple.py" in green["reasons"][0]


def test_a_green_that_does_not_pass_is_refuted(kata: Copied) -> None:
    wrong = kata.git("show", "HEAD~1:double.py").replace("number + number + number", "number")
    _redo(kata, at="HEAD~1", write={"double.py": wrong})
    done = kata.tdd("verify", "HEAD~3..HEAD~1", "--json")
    assert done.code == 1
    assert [(row["phase"], row["ok"]) for row in done.json["steps"]] == [("RED", True), ("GREEN", False)]
    assert "still_failing" in done.json["steps"][1]["seen"]


def test_a_green_that_breaks_an_old_test_is_refuted(kata: Copied) -> None:
    _redo(kata, at="HEAD~1", write={"greet.py": "def greet(name):\n    return name\n"})
    done = kata.tdd("verify", "HEAD~3..HEAD~1", "--json")
    assert done.code == 1
    assert "breaks_existing" in done.json["steps"][1]["seen"]


def test_a_forged_known_good_is_refuted(kata: Copied) -> None:
    kata.write("greet.py", "def greet(name):\n    return name\n")
    kata.git("commit", "-q", "-am", "chore: mine")
    with OpenRepository(kata.root) as opened:
        record = {"kind": "incident", "error": "all is well", "known_good": True}
        opened.store.append(kata.git("rev-parse", "HEAD"), record, subject="forged")
    done = kata.tdd("verify", "HEAD~1..HEAD", "--json")
    assert done.code == 1
    assert _rules(done) == {"not-good"}
    assert done.json["steps"][0]["phase"] == "KNOWN-GOOD"


def test_a_forged_handoff_on_a_commit_of_ones_own_is_refuted(kata: Copied) -> None:
    """No trust is gained by a record in perfect shape: GREEN must stand on a RED that fails."""
    kata.write("double.py", "def double(number):\n    return 2 * number\n")
    kata.git("commit", "-q", "-am", "feat: mine")
    with OpenRepository(kata.root) as opened:
        last = next(e.record for e in opened.store.trail() if e.record["kind"] == "handoff")
        forged = {k: v for k, v in last.items() if k not in ("id", "prev")} | {"phase": "GREEN"}
        opened.store.append(kata.git("rev-parse", "HEAD"), forged, subject="forged")
    done = kata.tdd("verify", "HEAD~1..HEAD", "--json")
    assert done.code == 1
    assert "out-of-place" in _rules(done)


def test_commits_without_a_record(kata: Copied) -> None:
    kata.write("README.md", "# Mine\n")
    kata.git("commit", "-q", "-am", "docs: mine")
    assert kata.rules("HEAD~1..HEAD") == set()
    assert kata.rules("HEAD~1..HEAD", require_all=True) == {"no-record"}
    kata.git(
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        "feat: pretended\n\nTdd-Cycle: c-0123456789abcdef\nTdd-Phase: GREEN",
    )
    found = kata.findings("HEAD~1..HEAD")
    assert [one.rule for one in found] == ["no-record"]
    assert "nor has that cycle" in found[0].what


def test_a_reworded_commit_is_found_again_by_its_tree(kata: Copied) -> None:
    kata.git(
        "commit",
        "-q",
        "--amend",
        "-m",
        "refactor: in better words\n\n" + kata.git("log", "-1", "--format=%(trailers)"),
    )
    done = kata.tdd("verify", CYCLE_2, "--json")
    assert done.code == 0, done.out
    assert [row["how"] for row in done.json["steps"]] == ["commit", "commit", "tree"]


def test_a_rebased_cycle_is_found_again_by_its_patches(kata: Copied) -> None:
    kata.git("checkout", "-q", "-b", "other", "HEAD~3")
    kata.write("NOTES.md", "something else\n")
    kata.git("add", "-A")
    kata.git("commit", "-q", "-m", "docs: other")
    kata.git("cherry-pick", "main~3..main")
    done = kata.tdd("verify", CYCLE_2, "--json")
    assert done.code == 0, done.out
    assert [(row["how"], row["ok"]) for row in done.json["steps"]] == [("patch", True)] * 3


def test_a_green_picked_without_its_red_is_out_of_place(kata: Copied) -> None:
    kata.git("checkout", "-q", "-b", "other", "HEAD~3")
    kata.git("cherry-pick", "main~1")
    done = kata.tdd("verify", "HEAD~1..HEAD", "--json")
    assert done.code == 1
    assert _rules(done) == {"out-of-place"}


def test_a_squashed_cycle_is_proven_by_what_was_squashed(kata: Copied) -> None:
    message = "feat: triples\n\nTdd-Cycle: {0}\nTdd-Phase: RED\nTdd-Cycle: {0}\nTdd-Phase: REFACTOR\n".format(
        kata.git("log", "-1", "--format=%(trailers:key=Tdd-Cycle,valueonly)").strip()
    )
    kata.git("reset", "-q", "--soft", "HEAD~3")
    kata.git("commit", "-q", "-m", message)
    done = kata.tdd("verify", "HEAD~1..HEAD", "--json")
    assert done.code == 0, done.out
    assert [(row["phase"], row["how"]) for row in done.json["steps"]] == [
        ("RED", "squash"), ("GREEN", "squash"), ("REFACTOR", "squash"),
    ]  # fmt: skip


def test_a_fresh_clone_syncs_and_verifies(kata: Copied, tmp_path: Path) -> None:
    hub = tmp_path / "hub.git"
    kata.git("clone", "-q", "--bare", str(kata.root), str(hub))
    kata.git("remote", "add", "origin", str(hub))
    assert kata.tdd("sync").code == 0
    kata.git("clone", "-q", str(hub), str(tmp_path / "clone"))
    clone = Copied(tmp_path / "clone")
    refused = clone.tdd("verify")
    assert refused.code == 2
    assert "tdd sync" in refused.err
    assert clone.tdd("sync").code == 0
    clone.git("checkout", "-q", "--detach")
    done = clone.tdd("verify", CYCLE_2)
    assert done.code == 0, done.out + done.err


def test_a_shallow_clone_is_refused(kata: Copied, tmp_path: Path) -> None:
    kata.git("clone", "-q", "--depth", "1", f"file://{kata.root}", str(tmp_path / "clone"))
    done = Copied(tmp_path / "clone").tdd("verify")
    assert done.code == 2
    assert "shallow" in done.err


def test_a_newer_record_is_refused_by_the_command(kata: Copied) -> None:
    newer = json.loads(kata.note()[0]) | {"v": 99}
    kata.set_note("HEAD", [*kata.note(), json.dumps(newer)])
    done = kata.tdd("verify", "--no-replay")
    assert done.code == 2
    assert "later version" in done.err


@pytest.mark.parametrize("command", ["true", "python -c pass"])
def test_the_test_command_is_the_trees_own_and_must_prove(kata: Copied, command: str) -> None:
    """A command that runs nothing proves nothing, whatever the records say."""
    text = (kata.root / "tdd.toml").read_text()
    lines = [
        f'command = "{command}"' if line.startswith("command = ") and "pytest" in line else line
        for line in text.splitlines()
    ]
    (kata.root / "tdd.toml").write_text("\n".join(lines) + "\n")
    done = kata.tdd("verify", CYCLE_2, "--json")
    assert done.code == 1
    assert not any(row["ok"] for row in done.json["steps"])


def test_a_cycle_that_was_proven_again_on_a_moved_branch_is_proven(tmp_path: Path) -> None:
    kata = Kata(tmp_path)
    kata.plan()
    moving = f"cd {kata.root} && echo more >> README.md && git commit -qam docs"
    kata.script(refactor=[f"import subprocess\nsubprocess.run({moving!r}, shell=True, check=True)"])
    assert kata.next().code == 0
    assert kata.subjects() == ["chore: begin", "docs", "test: doubles a number", "feat: doubles a number"]
    done = kata.tdd("verify", "--json")
    assert done.code == 0, done.out
    assert [(row["phase"], row["how"]) for row in done.json["steps"]][:2] == [
        ("RED", "commit"),
        ("GREEN", "commit"),
    ]


LATE = """
write("tests/test_double.py", '''
def test_doubles():
    from double import double

    assert double(2) == 4
''')
"""
"""A RED that loads, so that the old tests run beside it."""


def test_each_tree_is_run_once(tmp_path: Path) -> None:
    kata = Kata(tmp_path)
    count = tmp_path / "count"
    kata.write(
        "tests/test_greet.py",
        f"from greet import greet\n\n\ndef test_greets():\n    open({str(count)!r}, 'a').write('x')\n    assert greet('a') == 'hello a'\n",
    )
    kata.git("commit", "-q", "-am", "test: count the runs")
    kata.script(red=[LATE])
    kata.plan()
    assert kata.next().code == 0
    count.write_text("")
    done = kata.tdd("verify", "--json", "HEAD~3..HEAD")
    assert (done.code, done.json["trees"]) == (0, 3), done.out
    assert count.read_text() == "xxx"
