"""``tdd errors`` as a user has it: list, show, prompt, fix, close; and the question at a terminal."""

from __future__ import annotations

import base64
import json
import os
import pty
import re
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tdd_orchestrator.app.open_repository import OpenRepository
from tdd_orchestrator.model.plan import Item, Status

from .conftest import AGENT, Scene, Tdd, stage
from .forge_server import Trouble, serving
from .test_escalation import ITEM, over


@pytest.fixture
def failed(scene: Scene) -> str:
    """A repository with one failure; its report's id."""
    stage(scene, ITEM)
    over(scene)
    return scene.reports()[0].error_id


def plan_of(scene: Scene) -> tuple[Item, ...]:
    with OpenRepository(scene.root) as opened:
        return opened.plan_repository.plan().items


def test_nothing_failed(tdd: Tdd) -> None:
    assert tdd("errors", "list").stdout == "No failure is open.\n"
    done = tdd("errors", "list", "--json")
    assert json.loads(done.stdout) == {"schema": "tdd/errors", "v": 1, "errors": []}
    refused = tdd("errors", "show", "err_1")
    assert refused.returncode == 2
    assert "No failure was ever reported here." in refused.stderr


def test_list_show_and_prompt(failed: str, tdd: Tdd) -> None:
    listed = tdd("errors", "list")
    assert failed in listed.stdout
    assert "adds two numbers" in listed.stdout
    [row] = json.loads(tdd("errors", "list", "--json").stdout)["errors"]
    assert (row["error_id"], row["status"]) == (failed, "open")
    shown = tdd("errors", "show", failed)
    for word in (failed, "assert -1 == 5", "calc.py:2", "quick_patch", f"tdd errors fix {failed}"):
        assert word in shown.stdout
    assert tdd("errors", "show").stdout == shown.stdout, "without an id, the newest"
    data = json.loads(tdd("errors", "show", "last", "--json").stdout)
    assert data["schema"] == "tdd/error"
    assert data["fix_item"] == row["fix_item"]
    prompt = tdd("errors", "prompt", failed)
    assert prompt.stdout.startswith("# Fix adds two numbers")
    assert data["fix_item"] in prompt.stdout
    assert json.loads(tdd("errors", "prompt", failed, "--json").stdout)["prompt"] == prompt.stdout


def test_user_may_choose_another_strategy(failed: str, tdd: Tdd) -> None:
    done = tdd("errors", "prompt", failed, "--strategy", "revert_and_redesign")
    assert "`revert_and_redesign`, about 4 h, confidence low" in done.stdout
    data = json.loads(tdd("errors", "show", failed, "--strategy", "full_rework", "--json").stdout)
    assert (data["fix_strategy"], data["estimated_fix_hours"]) == ("full_rework", 3.0)
    refused = tdd("errors", "prompt", failed, "--strategy", "hope")
    assert refused.returncode == 2
    assert "quick_patch" in refused.stderr


def test_close(failed: str, tdd: Tdd, scene: Scene) -> None:
    assert tdd("errors", "close", failed, "--reason", "works here").returncode == 0
    assert tdd("errors", "list").stdout == "No failure is open.\n"
    [row] = json.loads(tdd("errors", "list", "--all", "--json").stdout)["errors"]
    assert (row["status"], row["closed_because"]) == ("closed", "works here")
    assert tdd("errors", "close", failed).returncode == 2
    assert tdd("errors", "fix", failed).returncode == 2
    assert plan_of(scene)[0].status is Status.FAILED


def test_fix_runs_its_cycle_and_lets_the_item_be_tried_again(scene: Scene, tdd: Tdd) -> None:
    scene.fail()
    failed = scene.reports()[0].error_id
    logs = scene.root.parent / "state"
    before = {path.parent.parent.name for path in logs.rglob("runs/*/*/*")}
    done = tdd("errors", "fix", failed)
    assert done.returncode == 0, done.stderr
    assert "can be tried again" in done.stdout
    item, fix = plan_of(scene)
    assert (item.status, fix.status) == (Status.PLANNED, Status.COMPLETED)
    assert scene.reports()[0].status == "closed"
    assert (scene.root / "calc.py").read_text().endswith("a + b\n")
    assert not any((path / name).exists() for path in logs.rglob("runs") for name in before)
    outcomes = [record.get("outcome") for record in scene.records() if record["kind"] == "cycle_ended"]
    assert outcomes == ["aborted", "landed"]
    assert tdd("errors", "fix", failed).returncode == 2


def test_fix_that_fails_leaves_the_report_open(scene: Scene, tdd: Tdd) -> None:
    stage(scene, Item("", "fixes nothing"))
    over(scene)
    agent = scene.root.parent / "agent.py"
    agent.write_text("import sys; sys.stdin.read()")
    failed = scene.reports()[0].error_id
    done = tdd("errors", "fix", failed)
    assert done.returncode == 1
    assert "is not fixed (aborted)" in done.stdout
    first, second = scene.reports()
    assert (first.status, second.status) == ("open", "open"), "nobody works on it any more"
    assert [item.status for item in plan_of(scene)] == [Status.FAILED, Status.FAILED]
    agent.write_text(AGENT)
    assert tdd("errors", "fix", second.error_id).returncode == 0
    assert [one.status for one in scene.reports()] == ["closed", "closed"]
    assert [item.status for item in plan_of(scene)] == [Status.PLANNED, Status.COMPLETED]


def test_fix_is_refused_while_another_cycle_runs(failed: str, scene: Scene, tdd: Tdd) -> None:
    stage(scene, Item("", "multiplies"))
    done = tdd("errors", "fix", failed)
    assert done.returncode == 2
    assert "The cycle of 'multiplies' is not over" in done.stderr


# the clipboard


def program(folder: Path, name: str, body: str) -> str:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


def test_prompt_goes_to_the_clipboard_program(failed: str, tdd: Tdd, tmp_path: Path) -> None:
    path = program(tmp_path / "bin", "pbcopy", f"cat > {tmp_path}/copied")
    done = tdd("errors", "prompt", failed, "--copy", PATH=path, SSH_CONNECTION="", SSH_TTY="")
    assert (done.returncode, done.stdout) == (0, "")
    assert "Copied by pbcopy" in done.stderr
    assert (tmp_path / "copied").read_text() == tdd("errors", "prompt", failed).stdout


def test_program_that_stays_behind_to_serve_is_not_awaited_nor_ended(
    failed: str, tdd: Tdd, tmp_path: Path
) -> None:
    path = program(
        tmp_path / "bin", "xclip", f"cat > {tmp_path}/copied\n(sleep 2; echo 1 > {tmp_path}/served) &"
    )
    begun = time.monotonic()
    done = tdd("errors", "prompt", failed, "--copy", PATH=path, DISPLAY=":7", SSH_CONNECTION="", SSH_TTY="")
    assert "Copied by xclip" in done.stderr
    until = begun + 20
    while not (tmp_path / "served").exists() and time.monotonic() < until:
        time.sleep(0.05)
    assert (tmp_path / "served").exists()


def test_without_any_clipboard_it_says_so(failed: str, tdd: Tdd, tmp_path: Path) -> None:
    path = program(tmp_path / "bin", "pbcopy", "exit 1")
    done = tdd("errors", "prompt", failed, "--copy", PATH=path)
    assert done.returncode == 2
    assert "no clipboard" in done.stderr


# at a terminal


def at_terminal(scene: Scene, argv: list[str], typed: list[str], **env: str) -> str:
    """Run with standard input and error on a terminal; ``typed`` is answered prompt by prompt. What it showed."""
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        argv, cwd=scene.root, stdin=theirs, stderr=theirs, stdout=theirs, env={**os.environ, **env}
    )
    os.close(theirs)
    shown, answers, until = "", list(typed), time.monotonic() + 60
    while time.monotonic() < until:
        ready, _, _ = select.select([ours], [], [], 0.2)
        if ready:
            try:
                data = os.read(ours, 65536)
            except OSError:
                break
            shown += data.decode("utf-8", "replace")
            if answers and re.search(r"(choice|agents): $", shown):
                shown += "<typed>"
                os.write(ours, f"{answers.pop(0)}\n".encode())
        elif child.poll() is not None:
            break
    child.wait(10)
    os.close(ours)
    return shown


def test_terminal_takes_the_prompt_over_ssh(failed: str, scene: Scene, tdd: Tdd) -> None:
    argv = [sys.executable, "-m", "tdd_orchestrator", "errors", "prompt", failed, "--copy"]
    shown = at_terminal(scene, argv, [], SSH_CONNECTION="1 2 3 4", TERM="xterm")
    found = re.search(r"\x1b\]52;c;([A-Za-z0-9+/=]+)\x07", shown)
    assert found is not None
    assert base64.b64decode(found[1]).decode() == tdd("errors", "prompt", failed).stdout


WHAT_NOW = """
import click
from tdd_orchestrator.cli import command_context
from tdd_orchestrator.cli.cycle_result import what_now

with click.Context(click.Command("x"), obj={"no_input": False}) as ctx, command_context.cycle_context(ctx) as shop:
    print("NEXT", what_now(ctx, shop, shop.state()))
"""


def asked(scene: Scene, *typed: str) -> str:
    return at_terminal(
        scene, [sys.executable, "-c", WHAT_NOW], list(typed), TERM="dumb", DISPLAY="", WAYLAND_DISPLAY=""
    )


def test_continue_leaves_everything(failed: str, scene: Scene) -> None:
    shown = asked(scene, "continue")
    assert "NEXT True" in shown
    assert "'adds two numbers' failed for good" in shown
    assert plan_of(scene)[0].status is Status.FAILED


def test_abort_stops(failed: str, scene: Scene) -> None:
    assert "NEXT False" in asked(scene, "a")


def test_ctrl_d_at_the_question_is_no_failure(failed: str, scene: Scene) -> None:
    assert "NEXT" not in asked(scene, "\x04")
    assert [report.error_id for report in scene.reports()] == [failed]


def test_retry_takes_the_cycle_up_with_the_hint(failed: str, scene: Scene) -> None:
    assert "NEXT True" in asked(scene, "retry", "use a plus")
    with scene.context() as context:
        state = context.state()
    assert state is not None
    assert (state.over, state.hint) == ("", "use a plus")
    assert plan_of(scene)[0].status is Status.IN_PROGRESS


def test_skip_sets_the_item_and_its_fix_aside(failed: str, scene: Scene) -> None:
    assert "NEXT True" in asked(scene, "skip")
    assert [item.status for item in plan_of(scene)] == [Status.CANCELLED, Status.CANCELLED]
    assert [(one.status, one.reason) for one in scene.reports()] == [("closed", "its item was set aside")]


def test_open_shows_the_tree_and_asks_again(failed: str, scene: Scene) -> None:
    shown = asked(scene, "nonsense", "open", "abort")
    assert "Choose one of continue, retry" in shown
    tree = re.search(r"lies in (\S+);", shown)
    assert tree is not None
    assert (Path(tree[1]) / "calc.py").exists()
    assert "NEXT False" in shown


def test_without_a_terminal_nobody_is_asked(failed: str, scene: Scene) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WHAT_NOW],
        cwd=scene.root,
        capture_output=True,
        text=True,
        check=False,
        input="",
    )
    assert done.stdout == "NEXT False\n"
    assert "What now" not in done.stderr


def test_what_could_not_be_posted_is_posted_once_and_needs_no_remote(scene: Scene, tdd: Tdd) -> None:
    with serving() as server:
        server.open_issue(7)
        scene.configure(f'[github]\nrepository = "ada/calc"\napi = "{server.address}"\n')
        server.trouble = Trouble(503)
        stage(scene, Item("", "adds two numbers", issue=7))
        over(scene)
        away = tdd("sync", "--github", GITHUB_TOKEN="t0ken")
        assert (away.returncode, server.comments[7]) == (4, []), away.stderr
        assert "1 error report is not posted" in away.stderr
        server.trouble = None
        posted = tdd("sync", "--github", GITHUB_TOKEN="t0ken")
        assert posted.returncode == 0, posted.stderr
        assert "nothing but the issues" in posted.stderr
        assert tdd("sync", "--github", GITHUB_TOKEN="t0ken").returncode == 0
        assert len(server.comments[7]) == 1
    assert tdd("sync").returncode == 2
