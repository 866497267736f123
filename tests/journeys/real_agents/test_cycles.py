"""Whole cycles by ``tdd cycle next``, with real clients before the scripted model: what a user would live through.

The scripted model answers by the headings of our own prompts, so these journeys also hold prompts and roles together.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from kit import ROOT
from pace import within

from .clients import ACP, ALL, install

pytestmark = pytest.mark.slow


def heading(role: str) -> str:
    """The first heading of the role's prompt, by which the scripted model knows it."""
    text = (ROOT / "prompts" / f"{role}.md").read_text("utf-8")
    return next(line.removeprefix("# ") for line in text.splitlines() if line.startswith("# "))


RED, GREEN, REFACTOR = map(heading, ("red", "green", "refactor"))
TEST = "from calc import add\n\n\ndef test_add():\n    assert add(2, 3) == 5\n"
CODE = "def add(a, b):\n    return a + b\n"
MODELS = ["fake-model", "gpt-5", "claude-sonnet-4-5", "gemini-2.5-pro"]
FAST = "[retry]\ndelays = [0.1, 0.1, 0.1]\ntransient_delay = 0.2\n"


def rule(heading: str, *steps: dict[str, Any], **more: Any) -> dict[str, Any]:
    when = {"prompt": [heading, *more.pop("and_also", [])], "tools": True}
    return {"name": heading, "when": when, "steps": list(steps), "after": "repeat", **more}


def write(path: str, content: str, **more: Any) -> dict[str, Any]:
    return {
        "text": "Writing.",
        "do": [{"write": {"path": path, "content": content}}],
        "usage": {"input": 1000, "output": 50},
        **more,
    }


DONE = {"do": [{"done": "Done as asked."}]}
RED_RULE = rule(RED, write("tests/test_calc.py", TEST), DONE)
GREEN_RULE = rule(GREEN, write("calc.py", CODE), DONE)
REFACTOR_RULE = rule(REFACTOR, {"do": [{"done": "Nothing to improve."}]})


@dataclass
class Reporter:
    """A user's repository with one planned behaviour, and ``tdd`` to be run in it."""

    root: Path
    environ: dict[str, str]

    def tdd(self, *words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "tdd_orchestrator", *words]
        done = subprocess.run(
            command,
            cwd=self.root,
            env=self.environ,
            capture_output=True,
            text=True,
            timeout=within(280),
            check=False,
        )
        print(f"$ tdd {' '.join(words)} -> {done.returncode}\n{done.stdout}{done.stderr}")
        return done

    def git(self, *words: str) -> str:
        return subprocess.run(
            ["git", *words], cwd=self.root, env=self.environ, capture_output=True, text=True, check=True
        ).stdout

    def proven_in_a_fresh_clone(self, where: Path) -> bool:
        subprocess.run(["git", "clone", "-q", str(self.root), str(where)], check=True, env=self.environ)
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        return subprocess.run(command, cwd=where, capture_output=True, check=False).returncode == 0


Seat = Callable[..., Reporter]


@pytest.fixture
def seat(tmp_path: Path) -> Iterator[Seat]:
    servers: list[Any] = []

    def make(preset: str, *rules: dict[str, Any], settings: str = "", agent: str = "") -> Reporter:
        program, why = install(preset)
        if program is None:
            pytest.skip(why)
        client = ALL[preset]
        from fake_model import serve

        if preset == "aider":  # it edits by its answer's text, and offers its model no tool
            rules = tuple({**one, "when": {**one["when"], "tools": False}} for one in rules)
        server, url = serve({"models": MODELS, "side": {"text": "Title"}, "rules": list(rules)})
        servers.append(server)
        home, root = tmp_path / "home", tmp_path / "project"
        (root / "tests").mkdir(parents=True)
        home.mkdir()
        words = json.dumps([str(program), *client.args])
        (root / "tdd.toml").write_text(
            f'[test]\ncommand = "{sys.executable} -m pytest -q"\n[agents]\ndefault = "{preset}"\n'
            f'[agents.{preset}]\npreset = "{client.row}"\nmodel = "{client.model}"\ncommand = {words}\n{agent}\n'
            f"{settings or FAST}"
        )
        (root / "base.py").write_text("def one():\n    return 1\n")
        (root / "tests" / "test_base.py").write_text(
            "from base import one\n\n\ndef test_one():\n    assert one() == 1\n"
        )
        (root / "conftest.py").write_text("")
        environ = {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "HOME": str(home), "LANG": "C.UTF-8",
            "XDG_STATE_HOME": str(tmp_path / "state"), "PYTHONPATH": str(ROOT), "GIT_CONFIG_NOSYSTEM": "1", "TDD_YES": "1", **client.home(home, url),
        }  # fmt: skip
        reporter = Reporter(root, environ)
        for line in (
            "init -q -b main",
            "config user.name t",
            "config user.email t@example.invalid",
            "add .",
            "commit -q -m start",
        ):
            reporter.git(*line.split())
        assert reporter.tdd("plan", "add", "add(a, b) returns the sum").returncode == 0
        return reporter

    yield make
    for server in servers:
        server.shutdown()
        server.server_close()


def finished(reporter: Reporter, where: Path) -> None:
    """The cycle is complete: test and code are on the branch, in order, and a fresh clone agrees."""
    subjects = reporter.git("log", "--format=%s", "--reverse").split("\n")
    assert [subject.split(":")[0].split("(")[0] for subject in subjects if subject][1:3] == ["test", "feat"]
    assert (reporter.root / "tests" / "test_calc.py").read_text() == TEST
    assert (reporter.root / "calc.py").exists()
    assert reporter.proven_in_a_fresh_clone(where)
    assert reporter.git("status", "--porcelain") == ""


def trail(reporter: Reporter) -> list[dict[str, Any]]:
    """The records of ``tdd log``, oldest first."""
    lines = reporter.tdd("log", "--json").stdout.strip().splitlines()
    rows = [json.loads(line) for line in lines]
    found = rows[0]["records"] if len(rows) == 1 and "records" in rows[0] else rows
    return sorted(found, key=lambda row: str(row.get("at", "")))


def refusals(reporter: Reporter) -> list[dict[str, Any]]:
    return [row for row in trail(reporter) if row.get("kind") == "error"]


def retries(reporter: Reporter) -> int:
    return max(row.get("retry_count") or 0 for row in trail(reporter))


def green(*faults: dict[str, Any]) -> dict[str, Any]:
    """The rule of GREEN whose first turns go wrong like this."""
    return rule(GREEN, write("calc.py", CODE, faults=list(faults)), DONE)


THREE = pytest.mark.parametrize("preset", ["codex", "claude", "pi"])
OFTEN = {"codex": 6, "claude": 5, "pi": 14}
"""How often a provider must refuse until the client gives up, and once more."""


@pytest.mark.parametrize("preset", list(ALL))
def test_a_whole_cycle(seat: Seat, preset: str, tmp_path: Path) -> None:
    reporter = seat(preset, RED_RULE, GREEN_RULE, REFACTOR_RULE)
    assert reporter.tdd("cycle", "next").returncode == 0
    finished(reporter, tmp_path / "clone")
    assert "sk-" not in reporter.git("log", "-p", "refs/notes/tdd")
    assert (retries(reporter), refusals(reporter)) == (0, [])


@THREE
def test_a_rate_limit_in_green_costs_no_retry(seat: Seat, preset: str, tmp_path: Path) -> None:
    """Waited out, by the client or by us: the user sees a cycle that took a little longer."""
    reporter = seat(preset, RED_RULE, green({"status": 429, "retry_after": 1, "times": 4}), REFACTOR_RULE)
    assert reporter.tdd("cycle", "next").returncode == 0
    finished(reporter, tmp_path / "clone")
    assert retries(reporter) == 0
    assert {row["error_details"]["type"] for row in refusals(reporter)} <= {"rate_limited"}


@THREE
@pytest.mark.parametrize(
    ("status", "kind", "said"),
    [
        (429, "rate_limited", "The provider's rate limit was reached"),
        (529, "overloaded", "The provider is overloaded"),
    ],
    ids=["429", "529"],
)
def test_a_busy_provider_pauses_and_the_same_command_goes_on(
    seat: Seat, preset: str, status: int, kind: str, said: str, tmp_path: Path
) -> None:
    busy = {"status": status, "times": OFTEN[preset], **({"retry_after": 1} if status == 429 else {})}
    reporter = seat(preset, RED_RULE, green(busy), REFACTOR_RULE, settings="[retry]\ntransient_retries = 0\n")
    paused = reporter.tdd("cycle", "next")
    assert paused.returncode == 4
    assert said in paused.stderr
    assert re.search(r"Run the same command again in about \d+ (second|minute)s?", paused.stderr)
    assert refusals(reporter)[0]["error_details"]["type"] == kind
    for _ in range(3):
        if reporter.tdd("cycle", "next").returncode == 0:
            break
    finished(reporter, tmp_path / "clone")
    assert retries(reporter) == 0


@pytest.mark.parametrize("preset", ["codex", "claude"])
def test_a_rate_limit_of_minutes_pauses_at_once(seat: Seat, preset: str) -> None:
    """These clients give up without passing on the time that the provider named. (pi waits in silence, as it does for a
    provider that hangs.)"""
    reporter = seat(preset, RED_RULE, green({"status": 429, "retry_after": 200, "times": 99}), agent="timeout = 20",
                settings="[retry]\ntransient_retries = 0\n")  # fmt: skip
    paused = reporter.tdd("cycle", "next")
    assert paused.returncode == 4
    assert "The provider's rate limit was reached: " in paused.stderr
    assert "Run the same command again in about 1 minute;" in paused.stderr
    assert retries(reporter) == 0


@THREE
def test_a_wrong_key_pauses_with_what_to_do(seat: Seat, preset: str, tmp_path: Path) -> None:
    wrong = [{"status": 401, "times": {"codex": 2, "claude": 3, "pi": 1}[preset]}]
    reporter = seat(
        preset, rule(RED, write("tests/test_calc.py", TEST, faults=wrong), DONE), GREEN_RULE, REFACTOR_RULE
    )
    paused = reporter.tdd("cycle", "next")
    assert paused.returncode == 4
    assert "did not accept the key" in paused.stderr
    assert "set its key, and run the same command again" in paused.stderr
    assert reporter.git("log", "--format=%s").split() == ["start"]
    assert [row["error_details"]["type"] for row in refusals(reporter)] == ["auth"]
    assert reporter.tdd("cycle", "next").returncode == 0
    finished(reporter, tmp_path / "clone")
    assert retries(reporter) == 0


@THREE
def test_an_unknown_model_pauses_in_the_clients_own_words(seat: Seat, preset: str) -> None:
    unknown = {"status": 404, "type": "not_found_error", "message": "model: big-9 not found"}
    reporter = seat(preset, rule(RED, {"fault": unknown}), settings="[retry]\ntransient_retries = 0\n")
    paused = reporter.tdd("cycle", "next")
    assert paused.returncode == 4
    own = "issue with the selected model" if preset == "claude" else "big-9 not found"
    assert own in paused.stderr
    assert "Check the agent's model" in paused.stderr
    assert [row["error_details"]["type"] for row in refusals(reporter)] == ["denied"]
    assert retries(reporter) == 0


@THREE
def test_a_prompt_larger_than_the_context_ends_in_a_sentence(seat: Seat, preset: str) -> None:
    said = "prompt is too long: 250000 tokens > 200000 maximum"
    large = {"status": 400, "code": "context_length_exceeded", "message": said}
    reporter = seat(preset, rule(RED, {"fault": large}))
    paused = reporter.tdd("cycle", "next")
    assert paused.returncode == 4
    assert "This also holds when it is cut to a quarter." in paused.stderr
    assert [row["error_details"]["type"] for row in refusals(reporter)] == ["context_overflow"] * 2
    assert retries(reporter) == 0
    assert reporter.git("status", "--porcelain") == ""


@pytest.mark.parametrize("preset", list(ACP))
def test_a_wrong_key_over_the_protocol(seat: Seat, preset: str) -> None:
    reporter = seat(preset, rule(RED, {"fault": {"status": 401}}))
    paused = reporter.tdd("cycle", "next")
    assert paused.returncode == 4
    assert "did not accept the key" in paused.stderr
    assert [row["error_details"]["type"] for row in refusals(reporter)] == ["auth"]


def test_over_the_protocol_each_request_of_opencode_is_counted(seat: Seat) -> None:
    """Its answer counts the last one alone."""
    work = write("tests/test_calc.py", TEST, usage={"input": 1200, "cached": 700, "output": 80})
    red = rule(RED, work, {**DONE, "usage": {"input": 1500, "cached": 900, "output": 20}})
    reporter = seat("opencode-acp", red, GREEN_RULE, REFACTOR_RULE)
    assert reporter.tdd("cycle", "next").returncode == 0
    (agent,) = [row["agent"] for row in trail(reporter) if row["kind"] == "handoff" and row["phase"] == "RED"]
    assert (agent["input_tokens"], agent["cached_tokens"], agent["output_tokens"]) == (1100, 1600, 100)
    assert (agent["turns"], agent["cost_from"]) == (2, "client")


def test_a_hang_of_the_provider_costs_no_retry_where_the_client_shows_it(seat: Seat, tmp_path: Path) -> None:
    """pi prints each step: stopped while it asked its model, it is not to blame."""
    reporter = seat("pi", RED_RULE, green({"hang": True, "times": 1}), REFACTOR_RULE, agent="timeout = 15")
    assert reporter.tdd("cycle", "next").returncode == 0
    finished(reporter, tmp_path / "clone")
    assert [row["error_details"]["type"] for row in refusals(reporter)] == ["unreachable"]
    assert retries(reporter) == 0


@pytest.mark.parametrize("preset", ["codex", "claude"])
def test_a_hang_is_a_failed_attempt_and_the_next_one_does_it(seat: Seat, preset: str, tmp_path: Path) -> None:
    reporter = seat(preset, RED_RULE, green({"hang": True, "times": 1}), REFACTOR_RULE, agent="timeout = 15")
    assert reporter.tdd("cycle", "next").returncode == 0
    finished(reporter, tmp_path / "clone")
    assert retries(reporter) == 1
    assert "took longer than its time limit (15 s)" in refusals(reporter)[0]["reasons"][0]


@THREE
def test_a_stream_that_is_cut_once_costs_no_retry(seat: Seat, preset: str, tmp_path: Path) -> None:
    reporter = seat(preset, RED_RULE, green({"truncate_after": 3, "times": 1}), REFACTOR_RULE)
    assert reporter.tdd("cycle", "next").returncode == 0
    finished(reporter, tmp_path / "clone")
    assert retries(reporter) == 0


@pytest.mark.parametrize("preset", ["codex", "pi"])
def test_a_stream_that_is_always_cut_is_waited_for_and_pauses(seat: Seat, preset: str) -> None:
    """(claude asks again without a stream, and gets the whole answer.)"""
    reporter = seat(preset, RED_RULE, green({"truncate_after": 3, "times": 999}), REFACTOR_RULE, agent="timeout = 60",
                settings="[retry]\ntransient_retries = 1\ntransient_delay = 0.1\n")  # fmt: skip
    paused = reporter.tdd("cycle", "next")
    assert paused.returncode == 4
    assert re.search(
        r"The provider cannot be reached: .+, after 1 time of waiting and asking again\.", paused.stderr
    )
    assert "Run the same command again in about" in paused.stderr
    assert reporter.git("log", "--format=%s").split() == ["start"]
    assert retries(reporter) == 0


@THREE
def test_an_agent_that_gives_up_is_told_and_tries_again(seat: Seat, preset: str, tmp_path: Path) -> None:
    first = rule(GREEN, {"do": [{"done": "I cannot do this. All tests pass."}]})
    again = rule(
        GREEN,
        write("calc.py", CODE),
        DONE,
        and_also=["This is attempt 2 of", "Edit the files; a description"],
    )
    reporter = seat(preset, RED_RULE, again, first, REFACTOR_RULE)
    assert reporter.tdd("cycle", "next").returncode == 0
    finished(reporter, tmp_path / "clone")
    assert [row["verdict"] for row in refusals(reporter)] == ["no_change"]
    assert retries(reporter) == 1


@THREE
def test_an_agent_that_never_does_it_is_escalated_on_known_good(seat: Seat, preset: str) -> None:
    reporter = seat(preset, RED_RULE, rule(GREEN, {"do": [{"done": "All tests pass now!"}]}))
    done = reporter.tdd("cycle", "next")
    assert done.returncode == 1
    assert "was aborted in GREEN; main stands as it was" in done.stdout
    assert {row["verdict"] for row in refusals(reporter)} == {"no_change"}
    assert reporter.git("log", "--format=%s").split() == ["start"]
    assert reporter.git("status", "--porcelain") == ""
    assert not (reporter.root / "calc.py").exists()
