"""An escalation: reported once, shown, notified of; and what fails in it goes no further."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tdd_orchestrator.app.open_repository import OpenRepository
from tdd_orchestrator.cycle import controls, loop
from tdd_orchestrator.cycle.context import Escalated
from tdd_orchestrator.cycle.landing import ending
from tdd_orchestrator.failures import cleanup, fixes
from tdd_orchestrator.failures.escalation import FailureReporter
from tdd_orchestrator.failures.fix_cycle import run_fix_cycle
from tdd_orchestrator.failures.reports import settle_landed
from tdd_orchestrator.model.plan import Item, Status

from .conftest import Scene, plain, stage

SECRET = "s3cr3t-value-of-mine"
ITEM = Item("", "adds two numbers", issue=7)


def over(scene: Scene) -> None:
    """The next start of the command: the staged failure is carried to its end."""
    with scene.context() as context:
        state = loop.cycle(context)
    assert state is not None
    assert state.over == "aborted"


def desk_asked(scene: Scene) -> Escalated:
    """The failure is reported, and a kill comes before the cycle's end is written."""
    with scene.context() as context:
        state = context.state()
        assert state is not None
        return context.reporter.escalated(
            context, state, ending.item_of(context.repo, state), "retried 3 times"
        )


def plan_of(scene: Scene) -> tuple[Item, ...]:
    with OpenRepository(scene.root) as opened:
        return opened.plan_repository.plan().items


def count(scene: Scene, kind: str) -> int:
    return sum(record["kind"] == kind for record in scene.records())


def incidents(scene: Scene) -> list[dict[str, Any]]:
    return [record for record in scene.records() if record["kind"] == "incident"]


def teller(scene: Scene, code: int = 0) -> Path:
    """A notification command that keeps what it hears."""
    heard = scene.root.parent / "heard"
    program = scene.root.parent / "teller.py"
    program.write_text(
        f"import sys\nwith open({str(heard)!r}, 'a') as f:\n    f.write(sys.stdin.read() + '\\n')\nsys.exit({code})\n"
    )
    scene.configure(f"[notify]\ncommand = [{sys.executable!r}, {str(program)!r}]\n")
    return heard


def test_failure_is_reported_and_the_plan_shows_it(scene: Scene) -> None:
    failed = stage(scene, ITEM)
    over(scene)
    one = scene.reports()[0]
    shown, fix = plan_of(scene)
    assert shown.id == failed.id
    assert shown.status is Status.FAILED
    assert shown.failure is not None
    assert (shown.failure.error_id, shown.failure.error_type) == (one.error_id, "test")
    assert shown.failure.summary == "GREEN: assert -1 == 5"
    assert shown.failure.retry_count == one.report.retry_count == 0, "it was tried once, and never again"
    assert (fix.parent, fix.title, fix.status) == (failed.id, "Fix: adds two numbers - test", Status.PLANNED)
    assert any(one.error_id in sentence for sentence in scene.said)
    assert one.report.issue_number == 7
    assert one.report.affected_files == ["calc.py:2"]
    saved = next((scene.root.parent / "state").rglob(f"{one.error_id}.md"))
    assert "## Done when" in saved.read_text()
    assert "git diff" not in saved.read_text(), "nothing was made: its commit is the base"


def test_whole_cycle_that_fails_leaves_a_full_report(scene: Scene) -> None:
    scene.fail()
    one = scene.reports()[0]
    report, snapshot = one.report, one.report.context_snapshot
    saved = next((scene.root.parent / "state").rglob(f"{one.error_id}.md")).read_text()
    assert snapshot.base != snapshot.commit
    assert f"`git diff {snapshot.base[:12]} {snapshot.commit[:12]}`" in saved, "with RED's test"
    assert report.affected_files == ["tests/test_add.py:5", "calc.py"]
    assert "assert add(2, 3) == 5" in report.stack_trace
    assert report.context_snapshot.changed_files == ["calc.py", "tests/test_add.py"]
    assert (report.context_snapshot.tests_failed, report.context_snapshot.tests_passed) == (1, 1)
    assert str(scene.root.parent / "state") not in json.dumps(report.data())
    assert plain(scene.root, "show", f"{report.context_snapshot.commit}:calc.py").endswith("return a - b")


def test_kill_after_the_report_writes_no_second_one(scene: Scene) -> None:
    heard = teller(scene)
    stage(scene, ITEM)
    first = desk_asked(scene)
    second = desk_asked(scene)
    over(scene)
    assert first == second
    assert count(scene, "error_report") == 1
    assert len(plan_of(scene)) == 2
    assert len(heard.read_text().splitlines()) == 1
    ended = [record for record in scene.records() if record["kind"] == "cycle_ended"]
    assert [record["error_id"] for record in ended] == [first.error_id]


KILLED = """
import os, sys
from pathlib import Path
from tdd_orchestrator.app.open_repository import OpenRepository
from tdd_orchestrator.app.context import Surroundings, make_context
from tdd_orchestrator.cycle import loop
from tdd_orchestrator.cli.watch import TerminalWatcher
from tdd_orchestrator.failures.escalation import FailureReporter

def say(text):
    if sys.argv[1] in text:
        os.kill(os.getpid(), 9)

with OpenRepository(Path.cwd()) as opened:
    reporter = FailureReporter(opened.config, say)
    loop.cycle(make_context(opened, Surroundings(TerminalWatcher(quiet=True), reporter, say)))
"""


@pytest.mark.parametrize("moment", ["error report", "fix item", "kept:"])
def test_kill_between_report_and_end_is_made_good(scene: Scene, moment: str) -> None:
    heard = teller(scene)
    stage(scene, ITEM)
    killed = subprocess.run([sys.executable, "-c", KILLED, moment], cwd=scene.root, check=False)
    assert killed.returncode == -9
    assert count(scene, "cycle_ended") == 0
    over(scene)
    assert count(scene, "error_report") == 1
    assert len(plan_of(scene)) == 2
    assert len(heard.read_text().splitlines()) == 1
    assert plan_of(scene)[0].status is Status.FAILED


def test_cycle_that_is_taken_up_and_fails_again_gets_a_report_of_its_own(scene: Scene) -> None:
    failed = stage(scene, ITEM)
    over(scene)
    with scene.context() as context:
        controls.take_up(context, "try harder")
        state = context.state()
        assert state is not None
        context.reporter.escalated(context, state, failed, "again")
        context.reporter.escalated(context, state, failed, "again")
    ids = [one.error_id for one in scene.reports()]
    assert len(ids) == len(set(ids)) == 2


def test_same_failure_again_is_the_same_fix_items(scene: Scene) -> None:
    scene.fail()
    with scene.context() as context:
        controls.take_up(context, "try harder")
        state = loop.cycle(context)
    assert state is not None
    assert state.over == "aborted"
    _, fix = plan_of(scene)
    reports = scene.reports()
    assert [fixes.fix_of(one.report, [fix]) for one in reports] == [fix, fix]
    assert any(sentence.startswith(f"fix item {fix.id} again") for sentence in scene.said)
    with scene.context() as context:
        run_fix_cycle(context, cleanup.table_with({}), reports[1], scene.said.append)
    assert [one.status for one in scene.reports()] == ["closed", "closed"]
    assert [item.status for item in plan_of(scene)] == [Status.PLANNED, Status.COMPLETED]


def test_cycle_that_mends_settles_what_it_mended(scene: Scene) -> None:
    stage(scene, ITEM)
    over(scene)
    with scene.context() as context:
        controls.take_up(context, "")
        state = context.state()
        assert state is not None
        assert settle_landed(context.repo, state) == []
        landed = ending.finish(context, state, ITEM)
        assert landed.over == "already_covered"
        assert len(settle_landed(context.repo, landed)) == 1
    assert scene.reports()[0].status == "closed"


def test_failed_fix_gets_no_fix_of_its_own(scene: Scene) -> None:
    stage(scene, Item("", "Fix: adds two numbers - test", tags=("auto-generated", "error-fix", "test")))
    over(scene)
    assert len(plan_of(scene)) == 1
    assert any("a person should look" in sentence for sentence in scene.said)


def test_item_gets_only_so_many_fix_items(scene: Scene) -> None:
    failed = stage(scene, ITEM)
    with scene.context() as context:
        context.repo.plan.add([Item("", f"Fix {n}", parent=failed.id, tags=("error-fix",)) for n in range(3)])
    over(scene)
    assert len(plan_of(scene)) == 4


def test_secret_is_in_no_report(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_API_KEY", SECRET)
    heard = teller(scene)
    with scene.context() as context:
        hidden = context.redact(SECRET)
    stage(scene, ITEM, message=f"refused: {SECRET}")
    over(scene)
    assert SECRET not in json.dumps(scene.reports()[0].report.data())
    assert hidden in scene.reports()[0].report.error_message
    assert SECRET not in heard.read_text()
    assert not any(SECRET in sentence for sentence in scene.said)


def test_command_gets_the_report_as_json(scene: Scene) -> None:
    heard = teller(scene)
    stage(scene, ITEM)
    over(scene)
    told = json.loads(heard.read_text())
    one = scene.reports()[0]
    assert told["schema"] == "tdd/error-report"
    assert told["error_id"] == one.error_id
    assert told["next"][0] == f"tdd errors show {one.error_id}"
    assert one.work["notify"].status == "done"


def test_notification_that_a_kill_cut_short_is_not_sent_twice(scene: Scene) -> None:
    heard = teller(scene)
    scene.configure("")
    stage(scene, ITEM)
    desk_asked(scene)
    records = [record for record in scene.records() if record["kind"] == "report_action"]
    assert [record["status"] for record in records] == ["begun", "done"]
    assert len(heard.read_text().splitlines()) == 1
    with scene.context() as context:
        from tdd_orchestrator.failures.reports import note_work

        note_work(context.repo.store, scene.reports()[0], "notify", "begun")
    over(scene)
    assert len(heard.read_text().splitlines()) == 1
    assert "may have arrived" in scene.reports()[0].work["notify"].why


@pytest.mark.parametrize(
    ("notify", "words"),
    [
        ('command = ["/nowhere/teller"]', "did not start"),
        (f"command = [{sys.executable!r}, '-c', 'print(1); raise SystemExit(3)']", "exit code 3: 1"),
        ("webhook = 'http://127.0.0.1:9/'", "is unavailable"),
        ("webhook = 'file:///etc/passwd'", "no http or https address"),
    ],
)
def test_notification_that_fails_is_recorded_and_said(scene: Scene, notify: str, words: str) -> None:
    scene.configure(f"[notify]\n{notify}\n")
    stage(scene, ITEM)
    over(scene)
    work = scene.reports()[0].work["notify"]
    assert work.status == "failed"
    assert words in work.why
    assert any(words in sentence for sentence in scene.said)
    assert scene.reports()[0].status == "open"


@pytest.mark.parametrize(
    ("kind", "setting", "kept"),
    [("syntax", "", False), ("type", "", False), ("test", "", True), ("build", "", True), ("logic", "", True),
     ("build", 'build = "now"', False), ("syntax", 'syntax = "keep"', True)],
)  # fmt: skip
def test_clean_up_follows_the_table(scene: Scene, kind: str, setting: str, kept: bool) -> None:
    scene.configure(f"[cleanup]\n{setting}\n")
    stage(scene, ITEM, kind=kind)
    over(scene)
    logs = list((scene.root.parent / "state").rglob("output.log"))
    assert bool(logs) is kept
    assert any(("kept: " if kept else "removed the transcripts") in sentence for sentence in scene.said)


# what fails in the reporting itself (F10)


def failed_part(scene: Scene, part: str) -> None:
    """The part's failure is recorded and said, and the original error is what the cycle ended with."""
    over(scene)
    assert [record["error"] for record in incidents(scene)] == [f"{part} failed"]
    assert any(sentence.startswith(f"{part} failed") for sentence in scene.said)
    ended = next(record for record in scene.records() if record["kind"] == "cycle_ended")
    assert ended["error_type"] == "test"
    assert "assert -1 == 5" in ended["summary"]
    assert plan_of(scene)[0].status is Status.FAILED


def test_evidence_that_is_gone(scene: Scene) -> None:
    stage(scene, ITEM, evidence="1" * 40)
    failed_part(scene, "the evidence of the error report")
    assert len(scene.reports()) == 1


def test_folder_that_cannot_be_written(scene: Scene) -> None:
    stage(scene, ITEM)
    with scene.context() as context:
        (context.repo.places.root / "prompts").write_text("in the way")
    failed_part(scene, "the saved fix prompt")
    assert len(plan_of(scene)) == 2


def test_folder_that_cannot_be_removed(scene: Scene) -> None:
    stage(scene, ITEM, kind="test")
    scene.configure('[cleanup]\ntest = "now"\n')
    log = next((scene.root.parent / "state").rglob("output.log"))
    here = os.getcwd()
    try:
        os.chdir(log.parent)
        for _ in range(sys.getrecursionlimit() + 50):  # deeper than it can be walked
            os.mkdir("d")
            os.chdir("d")
        os.chdir(here)
        failed_part(scene, "the clean-up")
    finally:
        os.chdir(here)
        subprocess.run(["rm", "-rf", str(log.parent)], check=True)


def test_clean_up_of_a_type_that_there_is_none_of(scene: Scene) -> None:
    stage(scene, ITEM)
    with scene.context() as context, OpenRepository(scene.root) as opened:
        state = context.state()
        assert state is not None
        config = opened.config.model_copy(update={"cleanup": {"syntaxx": "now"}})
        escalated = FailureReporter(config, scene.said.append).escalated(context, state, ITEM, "why")
    assert escalated.error_id == scene.reports()[0].error_id
    assert [record["error"] for record in incidents(scene)] == ["the clean-up failed"]
    assert any("syntaxx" in sentence for sentence in scene.said)


def test_plan_that_cannot_be_read(scene: Scene) -> None:
    stage(scene, ITEM)
    with scene.context() as context:
        state = context.state()
        assert state is not None
        item = ending.item_of(context.repo, state)
        broken(scene)
        escalated = context.reporter.escalated(context, state, item, "why")
    assert escalated.error_id == scene.reports()[0].error_id
    assert {record["error"] for record in incidents(scene)} == {
        "the fix item failed",
        "the saved fix prompt failed",
    }


def broken(scene: Scene) -> None:
    """A plan whose ref somebody damaged."""
    blob = scene.root.parent / "junk"
    blob.write_text("no plan")
    oid = plain(scene.root, "hash-object", "-w", str(blob))
    (scene.root / ".git" / "refs" / "notes" / "tdd-plan").write_text(f"{oid}\n")


def test_report_that_cannot_be_made_keeps_the_error(scene: Scene) -> None:
    stage(scene, ITEM)
    with scene.context() as context:
        from dataclasses import replace

        state = context.state()
        assert state is not None
        escalated = context.reporter.escalated(context, replace(state, base="2" * 40), ITEM, "why")
    assert escalated == Escalated("", "test", "assert -1 == 5")
    assert [record["error"] for record in incidents(scene)] == ["the error report failed"]


def test_store_that_cannot_be_written_is_said(scene: Scene) -> None:
    stage(scene, ITEM)
    with scene.context() as context:
        state = context.state()
        assert state is not None
        lock = scene.root / ".git" / "refs" / "notes" / "tdd.lock"
        lock.write_text("")
        escalated = context.reporter.escalated(context, state, ITEM, "why")
    assert escalated.error_type == "test"
    assert any("could not be recorded" in sentence for sentence in scene.said)


def test_forge_that_is_not_to_be_had(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("github", reason="PyGithub is not installed")
    monkeypatch.setenv("GITHUB_TOKEN", "ghp_" + "a1B2" * 9)
    scene.configure('[github]\nrepository = "ada/calc"\napi = "http://127.0.0.1:9"\n')
    stage(scene, ITEM)
    over(scene)
    assert scene.reports()[0].work["post"].status == "failed"
    assert any("tdd sync --github" in sentence for sentence in scene.said)


def test_interrupt_goes_through(scene: Scene) -> None:
    stage(scene, ITEM)

    def interrupted(_: str) -> None:
        raise KeyboardInterrupt

    with OpenRepository(scene.root) as opened:
        reporter = FailureReporter(opened.config, interrupted)
        with scene.context() as context:
            state = context.state()
            assert state is not None
            with pytest.raises(KeyboardInterrupt):
                reporter.escalated(context, state, ITEM, "why")
