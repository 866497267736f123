"""Records that somebody wrote who has read our code: nothing is proven by them, and nothing stops at them."""

from __future__ import annotations

import hashlib
import json
import os
import struct
from pathlib import Path
from typing import Any

import pytest

from tdd_orchestrator.app.open_repository import OpenRepository

from .conftest import Copied

LAST = ("HEAD~1..HEAD", "--require-all", "--json")
FOLDED = '{"at":"2030-01-01T00:00:00.000Z","id":"01Z%s","v":1,"kind":"folded","blob":%s,"lines":1}'


def _append(kata: Copied, commit: str, **record: Any) -> None:
    with OpenRepository(kata.root) as opened:
        opened.store.append(commit, record, subject="forged")


def _handoff(kata: Copied, commit: str = "HEAD", **other: Any) -> dict[str, Any]:
    found = next(r for line in kata.note(commit) if (r := json.loads(line))["kind"] == "handoff")
    return {key: value for key, value in found.items() if key not in ("id", "prev", "at", "v")} | other


def _own(kata: Copied, **files: str) -> str:
    for name, text in files.items():
        kata.write(name, text)
    kata.git("add", "-A")
    kata.git("commit", "-q", "--allow-empty", "-m", "chore: mine")
    return kata.git("rev-parse", "HEAD")


def _errors(done: Any) -> set[str]:
    return {finding["rule"] for finding in done.json["findings"] if finding["level"] == "error"}


@pytest.mark.parametrize(
    "files",
    [
        {"greet.py": "def greet(name):\n    return 1\n"},
        {"tests/test_greet.py": "def test_greets():\n    pass\n"},
        {},
    ],
    ids=["breaks", "weakens", "nothing"],
)
def test_a_fix_is_believed_only_where_it_heals(kata: Copied, files: dict[str, str]) -> None:
    commit = _own(kata, **files)
    _append(kata, commit, kind="fix", fix_id="f-1", status="ended", cured_by="somebody")
    done = kata.tdd("verify", *LAST)
    assert done.code == 1
    assert _errors(done) == {"not-proven"}
    assert done.json["steps"][0]["phase"] == "FIX"


def test_a_squash_of_nothing_is_none(kata: Copied) -> None:
    """Two phases on one commit, made from a commit that nobody proved: there is nothing to be seen again."""
    commit = _own(kata, **{"greet.py": "def greet(name):\n    return 1\n"})
    tree = kata.git("rev-parse", "HEAD^{tree}")
    other = kata.git("commit-tree", tree, "-p", commit, "-m", "other")
    for phase in ("RED", "GREEN"):
        _append(
            kata,
            commit,
            kind="handoff",
            phase=phase,
            cycle_id="c-9",
            verdict="proven",
            candidate=other,
            tree=tree,
        )
    done = kata.tdd("verify", *LAST)
    assert done.code == 1
    assert _errors(done) == {"out-of-place"}


def test_an_older_cycle_squashed_over_a_later_one_takes_it_away(kata: Copied) -> None:
    """The files are those of the first cycle, proven once; as a commit on the second they remove its code and tests."""
    cycle = kata.git("log", "-1", "--format=%(trailers:key=Tdd-Cycle)", "HEAD~3")
    message = f"feat: nice\n\n{cycle}\nTdd-Phase: RED\nTdd-Phase: GREEN\n"
    kata.git("reset", "-q", "--hard", kata.git("commit-tree", "HEAD~3^{tree}", "-p", "HEAD", "-m", message))
    done = kata.tdd("verify", *LAST)
    assert done.code == 1
    assert _errors(done) == {"out-of-place"}


def test_two_cycles_squashed_into_one_commit_are_both_proven(kata: Copied) -> None:
    trailers = kata.git("log", "--format=%(trailers:only)", "HEAD~5..HEAD")
    message = "feat: both\n\n" + "\n".join(line for line in trailers.splitlines() if line)
    kata.git("reset", "-q", "--hard", kata.git("commit-tree", "HEAD^{tree}", "-p", "HEAD~5", "-m", message))
    done = kata.tdd("verify", *LAST)
    assert done.code == 0, done.out
    assert [row["phase"] for row in done.json["steps"]] == ["RED", "GREEN", "RED", "GREEN", "REFACTOR"]


@pytest.mark.parametrize(
    "other",
    [
        {"tests": "none"}, {"tests": {"target_tests": [{"a": 1}]}}, {"tests": {"counts": "x"}}, {"phase": ["RED"]},
        {"cycle_number": "one"}, {"cycle_id": {"a": 1}}, {"candidate": 5}, {"item": ["x"]},
    ],
    ids=str,
)  # fmt: skip
def test_a_record_without_its_shape_proves_nothing_and_stops_nothing(
    kata: Copied, other: dict[str, Any]
) -> None:
    _append(kata, kata.git("rev-parse", "HEAD"), **_handoff(kata, **other))
    assert "malformed-record" in kata.rules()
    assert kata.tdd("verify", "--no-replay", "HEAD~1..HEAD").code == 1
    for words in (("show", "HEAD"), ("cycle", "status"), ("log",), ("rollback",)):
        assert kata.tdd(*words).code in (0, 2), words


@pytest.mark.parametrize("blob", ['"a\\nb"', '"\\ud800"', '"HEAD:greet.py"', "[1]", "null"])
def test_a_folded_line_that_names_no_blob(kata: Copied, blob: str) -> None:
    kata.set_note("HEAD", [*kata.note(), FOLDED % ("", blob)])
    assert kata.tdd("verify", "--no-replay").code == 1
    assert kata.tdd("show", "HEAD").code == 2


def test_what_folds_again_and_again_is_not_unfolded(kata: Copied) -> None:
    with OpenRepository(kata.root) as opened:
        data = b"x\n"
        for level in range(12):
            blob = json.dumps(opened.objects.write_blob(data))
            data = b"".join((FOLDED % (f"{level}-{n}", blob)).encode() + b"\n" for n in range(12))
    kata.set_note("HEAD", [*kata.note(), *data.decode().splitlines()])
    assert "unreadable-line" in kata.rules()
    assert kata.tdd("show", "HEAD").code == 0


def test_nothing_of_a_record_acts_on_the_terminal(kata: Copied) -> None:
    for tests in ({"run_verdict": "\x1b]0;x\x07"}, {"counts": {"passed": 1, "\x1b[2J": 3}}):
        _append(kata, kata.git("rev-parse", "HEAD"), **_handoff(kata, tests=tests))
        done = kata.tdd("verify", "HEAD~1..HEAD")
        assert "REFACTOR" in done.out
        assert not {"\x1b", "\x07"} & set(done.out + done.err)


def test_a_time_beyond_all_times_stops_no_writer(kata: Copied) -> None:
    line = '{"at":"9999-12-31T23:59:59.990-12:00","id":"01Z","v":1,"kind":"incident","error":"x"}'
    kata.set_note("HEAD", [*kata.note(), line])
    _append(kata, kata.git("rev-parse", "HEAD"), kind="incident", error="y")
    assert any('"error":"y"' in one for one in kata.note())


def _with_parent(path: Path, commit: str, parent: str) -> None:
    """The commit-graph file, in which a commit has another parent."""
    data = bytearray(path.read_bytes())
    rows = [data[8 + 12 * n : 20 + 12 * n] for n in range(data[6] + 1)]
    chunks = {bytes(row[:4]): struct.unpack(">Q", row[4:])[0] for row in rows}
    count = struct.unpack_from(">I", data, chunks[b"OIDF"] + 1020)[0]
    names = [data[chunks[b"OIDL"] + 20 * n :][:20].hex() for n in range(count)]
    struct.pack_into(">I", data, chunks[b"CDAT"] + 36 * names.index(commit) + 20, names.index(parent))
    os.chmod(path, 0o644)
    path.write_bytes(data[:-20] + hashlib.sha1(data[:-20], usedforsecurity=False).digest())


def test_a_commit_graph_that_lies_hides_no_commit(kata: Copied) -> None:
    hidden = _own(kata, **{"tests/test_greet.py": "def test_greets():\n    pass\n"})
    middle, _ = _own(kata), _own(kata)
    kata.git("commit-graph", "write", "--reachable")
    _with_parent(kata.root / ".git/objects/info/commit-graph", middle, kata.git("rev-parse", f"{hidden}~1"))
    assert hidden not in kata.git("rev-list", "HEAD~3..HEAD"), "git itself believes it"
    found = [one.commit for one in kata.findings(f"{hidden}~1..HEAD", require_all=True)]
    assert hidden in found
