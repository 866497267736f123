"""``tdd hooks session``: an agent may stop when what it changed is proven, or after it was sent on three times
by the same hook."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from kit import Kata

pytestmark = pytest.mark.journey
ENDS = ("Stop", "SubagentStop", "TaskCompleted")


@pytest.fixture
def kata(tmp_path: Path) -> Kata:
    return Kata(tmp_path)


def hook(kata: Kata, event: str, session: str = "s1") -> tuple[Any, int]:
    said = json.dumps({"hook_event_name": event, "session_id": session, "cwd": str(kata.root)})
    done = kata.tdd("hooks", "session", stdin=said)
    return (json.loads(done.out) if done.out.strip() else done.err), done.code


def blocks(answer: tuple[Any, int]) -> bool:
    """Whether the answer sends the session on: by its exit code, or by its decision."""
    said, code = answer
    return code == 2 or (isinstance(said, dict) and said.get("decision") == "block")


def test_a_session_that_changed_nothing_may_stop(kata: Kata) -> None:
    hook(kata, "SessionStart")
    assert hook(kata, "Stop") == ("", 0)


def test_code_without_a_test_is_sent_back_three_times_and_then_left_to_a_person(kata: Kata) -> None:
    hook(kata, "SessionStart")
    (kata.root / "more.py").write_text("def triple(number):\n    return number * 3\n")
    for _ in range(3):
        answer, code = hook(kata, "Stop")
        assert (code, answer["decision"]) == (0, "block")
        assert "no test for this change" in answer["reason"]
    answer, code = hook(kata, "Stop")
    assert code == 0
    assert "decision" not in answer
    assert "a person must look" in answer["systemMessage"]


@pytest.mark.parametrize(("first", "second"), list(zip(ENDS, (*ENDS[1:], *ENDS[:1]), strict=True)))
def test_each_hook_counts_its_own_rounds(kata: Kata, first: str, second: str) -> None:
    hook(kata, "SessionStart")
    (kata.root / "more.py").write_text("def triple(number):\n    return number * 3\n")
    for _ in range(3):
        assert blocks(hook(kata, first))
    assert blocks(hook(kata, second)), f"{first} has used up its own rounds alone"
    assert not blocks(hook(kata, first))
    assert blocks(hook(kata, second))


def test_each_session_counts_its_own_rounds(kata: Kata) -> None:
    (kata.root / "more.py").write_text("def triple(number):\n    return number * 3\n")
    for _ in range(3):
        assert blocks(hook(kata, "Stop", "s1"))
    assert blocks(hook(kata, "Stop", "s2"))
    assert not blocks(hook(kata, "Stop", "s1"))


def test_rounds_are_counted_from_the_last_time_that_the_session_was_let_go(kata: Kata) -> None:
    (kata.root / "more.py").write_text("def triple(number):\n    return number * 3\n")
    for _ in range(2):
        assert blocks(hook(kata, "Stop"))
    (kata.root / "more.py").unlink()
    assert hook(kata, "SubagentStop") == ("", 0), "what is proven is so for each hook"
    (kata.root / "more.py").write_text("def triple(number):\n    return number * 3\n")
    for _ in range(3):
        assert blocks(hook(kata, "Stop"))
    assert not blocks(hook(kata, "Stop"))


def test_a_session_that_is_resumed_is_judged_from_where_it_began(kata: Kata) -> None:
    hook(kata, "SessionStart")
    (kata.root / "more.py").write_text("def triple(number):\n    return number * 3\n")
    kata.git("add", "-A")
    kata.git("commit", "-qm", "feat: triple")
    hook(kata, "SessionStart")  # Claude Code calls it after a resume and after a compaction too
    assert blocks(hook(kata, "Stop"))


def test_test_and_code_may_stop_also_when_they_are_committed(kata: Kata) -> None:
    hook(kata, "SessionStart")
    (kata.root / "more.py").write_text("def triple(number):\n    return number * 3\n")
    test = "from more import triple\n\n\ndef test_triples():\n    assert triple(4) == 12\n"
    (kata.root / "tests").mkdir(exist_ok=True)
    (kata.root / "tests" / "test_more.py").write_text(test)
    assert hook(kata, "SubagentStop") == ("", 0)
    (kata.root / "more.py").write_text("def triple(number):\n    return number * 4\n")
    kata.git("add", "-A")
    kata.git("commit", "-qm", "feat: triple")
    answer, code = hook(kata, "TaskCompleted")
    assert code == 2, "a task's completion is kept back by the exit code"
    assert "tdd does not accept this change" in answer


def test_what_cannot_be_proven_here_is_let_go_with_a_word(tmp_path: Path, kata: Kata) -> None:
    (kata.root / ".git").rename(tmp_path / "gone")
    answer, code = hook(kata, "Stop")
    assert code == 0
    assert "Not proven by tdd" in answer["systemMessage"]


def edit(kata: Kata, file: Path, content: str = "") -> Any:
    said = {
        "hook_event_name": "PreToolUse",
        "session_id": "s1",
        "tool_name": "Write",
        "tool_input": {"file_path": str(file), "content": content},
    }
    done = kata.tdd("hooks", "session", stdin=json.dumps(said))
    assert done.code == 0, done.err
    return json.loads(done.out)["hookSpecificOutput"] if done.out else None


def test_an_edit_that_the_proof_would_refuse_is_refused_before(kata: Kata) -> None:
    assert edit(kata, kata.root / "double.py") is None, "no cycle has begun"
    kata.plan()
    begun = kata.next(env={"TDD_AGENTS_DEFAULT": "human"})
    tree = Path(begun.err.partition("where  ")[2].split()[0])
    refused = edit(kata, tree / "double.py")
    assert refused["permissionDecision"] == "deny"
    assert "RED may only change tests" in refused["permissionDecisionReason"]
    assert edit(kata, tree / "tests" / "test_double.py") is None
    assert edit(kata, kata.root / "double.py") is None, "the user's own checkout is not the cycle's"


def test_a_new_file_is_judged_by_what_it_is_to_hold(kata: Kata) -> None:
    kata.plan()
    begun = kata.next(env={"TDD_AGENTS_DEFAULT": "human"})
    tree = Path(begun.err.partition("where  ")[2].split()[0])
    refused = edit(kata, tree / "pyproject.toml", "[tool.pytest.ini_options]\naddopts = '-k none'\n")
    assert "UTF-8" not in refused["permissionDecisionReason"]
    assert refused["permissionDecision"] == "deny"


def test_an_event_that_is_none(kata: Kata) -> None:
    done = kata.tdd("hooks", "session", stdin="no json")
    assert done.code == 2
    assert "no JSON" in done.err
