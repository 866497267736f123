"""`tdd fix`, killed at any moment: the same command goes on with the count where it was, and redoes nothing accepted."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from wreck import Point, Room, waits_until

HEALS = """\
prompt=$(cat)
name=$(printf '%s\\n' "$prompt" | sed -n 's/^- Test: .*\\(test_[a-z]*\\)\\.sh.*/\\1/p' | head -n 1)
echo "$name $TDD_ATTEMPT" >> CALLS
[ -e HOLD ] && [ "$name $TDD_ATTEMPT" = "$(cat HOLD)" ] && { echo > HELD; sleep 600; }
case "$name $TDD_ATTEMPT" in
"test_sum 1") echo 'sum() { echo $(($1 - $2)); }' > sum.sh ;;
"test_sum 2") echo 'sum() { echo $(($1 + $2)); }' > sum.sh ;;
"test_word "*) echo "word() { echo wrong$TDD_ATTEMPT; }" > word.sh ;;
esac
"""
CALLS = ["test_sum 1", "test_sum 2", "test_word 1", "test_word 2", "test_word 3"]
NEXT_STEP = """
import click
from tdd_orchestrator.cli import command_context
from tdd_orchestrator.cycle import mcp_session

with command_context.cycle_context(click.Context(click.Command("mcp"), obj={}), everyone="human") as context:
    mcp_session.next_step(context)
"""
RESULTS = {"test_sum": ("PASSED", 2, 1), "test_word": ("FAILED", 3, 3)}
"""Status, retry count, and how many errors are told."""


class Red(Room):
    """Two tests fail, of two causes: one is fixed by the second try, the other never."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.git("reset", "-q", "--", "greet.py")
        self.write("greet.py", self.git("show", "HEAD:greet.py") + "\n")
        self.write("sum.sh", "sum() { echo 0; }\n")
        self.write("word.sh", "word() { echo nothing; }\n")
        for name, call, wanted in (("sum", "sum 1 2", "3"), ("word", "word", "right")):
            self.write(
                f"tests/test_{name}.sh",
                f'. ./{name}.sh\ngot=$({call})\n[ "$got" = {wanted} ] || {{ echo "{name}: expected {wanted}, got $got"; exit 1; }}\n',
            )
        self.git("add", "sum.sh", "word.sh", "tests")
        self.git("commit", "-q", "-m", "feat: sum and word")
        self.write("greet.py", "def greet(name):\n    return 'staged'\n")
        self.git("add", "greet.py")
        self.write("greet.py", "def greet(name):\n    return 'staged, and then changed'\n")
        self.theirs = self.users()
        self.base = self.git("rev-parse", "HEAD")
        self.keep()

    @property
    def hold(self) -> Path:
        return self.agent / "hold"

    def configure(self, more: str = "") -> None:
        super().configure(more)
        agent = self.agent / "agent.sh"
        text = HEALS.replace("CALLS", str(self.agent / "calls"))
        agent.write_text(text.replace("HOLD", str(self.hold)).replace("HELD", str(self.agent / "held")))

    def fixed(self) -> tuple[int, dict[str, Any]]:
        done = self.tdd("fix", "--json")
        assert done.code in (0, 1), done.err
        return done.code, {Path(one["test"]).stem: one for one in done.json["results"]}

    def wrong(self, extra: int) -> list[str]:
        """What is not as an undisturbed run leaves it, once the same command has been run again."""
        code, results = self.fixed()
        told = {
            name: (one["status"], one["retry_count"], len(one["errors"])) for name, one in results.items()
        }
        return ([] if (code, told) == (1, RESULTS) else [f"exit {code}, told {told}"]) + self.left(extra)

    def left(self, extra: int) -> list[str]:
        """What is not as it must be in what an ended run leaves."""
        found = []
        calls = self.agent_calls()
        repeated = [call for number, call in enumerate(calls) if call in calls[:number]]
        if list(dict.fromkeys(calls)) != CALLS or len(repeated) > extra:
            found.append(f"agents were called: {calls}")
        if (
            self.git("show", "HEAD:sum.sh") != "sum() { echo $(($1 + $2)); }"
            or self.git("rev-parse", "HEAD~1") != self.base
        ):
            found.append("the branch is not one accepted fix further")
        if self.git("status", "--porcelain", "sum.sh", "word.sh", "tests"):
            found.append("the files did not follow")
        if self.users() != self.theirs:
            found.append(f"the user's bytes: {self.users()} were {self.theirs}")
        ended = [one for one in self.records("fix") if one["status"] == "ended"]
        if len(ended) != 1:
            found.append(f"{len(ended)} ends are recorded")
        return found + [f"lock: {lock}" for lock in self.locks()]


@pytest.fixture
def red(tmp_path: Path) -> Red:
    return Red(tmp_path)


def killed_while(red: Red, call: str) -> None:
    """The orchestrator alone is killed while its agent works at a certain call."""
    red.hold.write_text(call)
    child = red.start("fix")
    assert waits_until((red.agent / "held").exists, 60), child.communicate()
    os.kill(child.pid, signal.SIGKILL)
    child.communicate(timeout=30)
    red.hold.unlink()


def test_undisturbed(red: Red) -> None:
    assert red.wrong(extra=0) == []
    started, *attempts, settled, ended = red.records("fix")
    assert [one["status"] for one in attempts] == ["rejected", "accepted", *["rejected"] * 3]
    assert (started["status"], settled["status"], ended["status"]) == ("started", "settled", "ended")
    assert len({one["fix_id"] for one in red.records("fix")}) == 1
    assert {one["base"] for one in red.records("fix")} == {red.base}


@pytest.mark.parametrize("call", ["test_sum 1", "test_sum 2", "test_word 1", "test_word 3"])
def test_killed_while_an_agent_works(red: Red, call: str) -> None:
    killed_while(red, call)
    assert red.wrong(extra=1) == []
    assert red.agent_calls().count(call) == 2


def test_killed_twice_with_a_count_each(red: Red) -> None:
    killed_while(red, "test_word 2")
    (red.agent / "held").unlink()
    killed_while(red, "test_word 3")
    assert red.wrong(extra=2) == []


def test_what_was_tried_before_is_in_the_next_prompt(red: Red) -> None:
    killed_while(red, "test_word 3")
    agent = red.agent / "agent.sh"
    agent.write_text(agent.read_text().replace("prompt=$(cat)", f"prompt=$(tee {red.agent / 'prompt'})"))
    again = red.tdd("fix")
    assert again.code == 1
    assert "going on with the fix" in again.err
    assert "2 of 3 tries" in again.err
    prompt = (red.agent / "prompt").read_text()
    assert "wrong1" in prompt
    assert "wrong2" in prompt


@pytest.mark.parametrize(
    ("how", "number", "only"),
    [
        ("before", 2, "read-tree --reset"),  # it is recorded as started
        ("before", 4, "read-tree --reset"),  # the first attempt is
        ("before", 12, "read-tree --reset"),  # the last run is all that is left
        ("after", 1, "-m tdd fix"),  # a fix is accepted, and its branch has moved
        ("before", 1, "-m tdd fix"),  # it is accepted, and its branch has not
        ("before", 1, "read-tree -m -u"),
        ("after", 1, "read-tree -m -u"),  # between the groups
    ],
)
def test_killed_at_git_calls(red: Red, how: str, number: int, only: str) -> None:
    env = red.shimmed(before=number * (how == "before"), after=number * (how == "after"), only=only)
    assert red.ran("fix", env=env).code == -9
    assert red.wrong(extra=1) == []


def test_an_editor_finishes_the_landing_that_a_kill_broke_off(red: Red) -> None:
    """The MCP session goes on as `tdd cycle next` does."""
    assert red.ran("fix", env=red.shimmed(before=1, only="read-tree -m -u")).code == -9
    assert red.git("status", "--porcelain", "sum.sh") != ""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(
        [sys.executable, "-c", NEXT_STEP],
        cwd=red.root,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "your files have followed it now" in done.stderr
    assert red.git("status", "--porcelain", "sum.sh") == ""
    assert red.users() == red.theirs


@pytest.mark.slow
def test_killed_at_every_git_call(red: Red, swept: list[Point]) -> None:
    red.ran("fix", env=red.shimmed())
    count = len(red.git_calls())
    for number in range(1, count + 1):
        red.restore()
        code = red.ran("fix", env=red.shimmed(after=number)).code
        point = Point(f"after git call {number} {red.git_calls()[number - 1][-60:]}", reached=code == -9)
        # A child that reads its orders from us lasts to our end: after its call there is nothing left to break off.
        over = any(one["status"] == "ended" for one in red.records("fix"))
        point.wrong += red.left(extra=0) if over else red.wrong(extra=1)
        swept.append(point)
    missed = [point.name for point in swept if not point.reached]
    assert [name for name in missed if not any(word in name for word in ("stdin", "--batch"))] == []
    assert [f"{point.name}: {point.wrong}" for point in swept if point.wrong] == []


def test_a_later_fix_begins_at_none(red: Red) -> None:
    assert red.wrong(extra=0) == []
    calls = len(red.agent_calls())
    code, results = red.fixed()
    assert (code, results["test_word"]["retry_count"]) == (1, 3)
    assert red.agent_calls()[calls:] == ["test_word 1", "test_word 2", "test_word 3"]


def test_a_branch_that_moved_on_is_begun_anew(red: Red) -> None:
    killed_while(red, "test_word 3")
    red.git("commit", "-q", "--allow-empty", "-m", "chore: on", "--", "README.md")
    calls = len(red.agent_calls())
    red.fixed()
    assert red.agent_calls()[calls:] == ["test_word 1", "test_word 2", "test_word 3"]


def test_another_command_is_another_work(red: Red) -> None:
    killed_while(red, "test_word 3")
    calls = len(red.agent_calls())
    done = red.tdd("fix", "--", "sh", "./run.sh")
    assert done.code == 1, done.err
    assert red.agent_calls()[calls:] == ["test_word 1", "test_word 2", "test_word 3"]


def test_what_could_not_land_lands_without_another_agent(red: Red) -> None:
    red.write("sum.sh", "# mine, in the way\n")
    done = red.tdd("fix")
    assert done.code == 2
    assert "The proven fix cannot land" in done.err
    assert red.agent_calls() == CALLS[:2]
    red.git("checkout", "-q", "--", "sum.sh")
    assert red.wrong(extra=0) == []


@pytest.mark.parametrize("how", ["before", "after"])
def test_a_rollback_that_was_broken_off_is_finished_first(red: Red, how: str) -> None:
    red.git("commit", "-q", "-m", "chore: more", "--allow-empty", "--only")
    red.write("extra.txt", "committed\n")
    red.git("add", "extra.txt")
    red.git("commit", "-q", "-m", "feat: extra", "--", "extra.txt")
    env = red.shimmed(before=int(how == "before"), after=int(how == "after"), only="read-tree -m -u")
    assert red.ran("rollback", red.base, env=env).code == -9
    assert red.git("rev-parse", "HEAD") == red.base
    assert red.wrong(extra=0) == []
    assert not (red.root / "extra.txt").exists()
    assert red.git("for-each-ref", "refs/tdd/undoing") == ""


def test_the_whole_is_read_from_the_notes_of_every_test(red: Red) -> None:
    killed_while(red, "test_word 2")
    code, _ = red.fixed()
    assert code == 1
    lines = red.git("notes", "--ref=tdd", "show", "HEAD").splitlines()
    ended = next(one for one in map(json.loads, lines) if one["kind"] == "fix" and one["status"] == "ended")
    assert {Path(one["test"]).stem: one["retry_count"] for one in ended["results"]} == {
        "test_sum": 2,
        "test_word": 3,
    }
