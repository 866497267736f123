"""``tdd status``, ``tdd diff``, ``tdd test``, unknown commands, and a person as the agent."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from kit import GREEN, RED, Kata

from tdd_orchestrator.cli import status
from tdd_orchestrator.cli.standing import standing_of
from tdd_orchestrator.cli.status import TAKE_UP

TEST, CODE = (text.split('"""')[1] for text in (RED, GREEN))
HUMAN = {"TDD_AGENTS_DEFAULT": "human"}


@pytest.fixture
def kata(tmp_path: Path) -> Kata:
    return Kata(tmp_path)


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("cylce", "cycle"),
        ("statuss", "status"),
        ("next", "cycle next"),
        ("add", "plan add"),
        ("doctr", "doctor"),
    ],
)
def test_an_unknown_command_names_the_nearest(kata: Kata, word: str, meant: str) -> None:
    done = kata.tdd(word)
    assert done.code == 2
    assert f"No such command '{word}'. Did you mean 'tdd {meant}'?" in done.err


def test_status_says_what_to_run_as_a_person_and_as_json(kata: Kata) -> None:
    assert kata.tdd("status", "--json").json["next"].startswith("tdd plan add")
    kata.plan()
    assert kata.tdd("status").out == "No cycle yet.\n  next: tdd cycle next\n"
    (kata.root / "tdd.toml").rename(kata.root / "tdd.off")
    assert kata.tdd("status").out == "No cycle yet.\n  next: tdd init\n"
    (kata.root / "tdd.off").rename(kata.root / "tdd.toml")
    refused = kata.next("--watch")
    assert (refused.code, "--watch needs a terminal" in refused.err) == (2, True)
    kata.script(green=["write('double.py', 'def double(number):\\n    return 0\\n')"])
    done = kata.next()
    assert done.code == 1
    standing = kata.tdd("status")
    error_id = kata.records("error_report")[0]["error_id"]
    for text in (done.out, standing.out):
        assert f"  why: tdd errors show {error_id}\n" in text
        assert '  next: tdd cycle resume --hint "what the agents should know"\n' in text
    assert kata.tdd("status", "--json").json["next"] in standing.out


def test_a_repository_without_a_commit_needs_one_first(tmp_path: Path) -> None:
    kata = Kata(tmp_path)
    kata.git("update-ref", "-d", "HEAD")
    assert kata.tdd("status").out.endswith("  next: git commit --allow-empty -m 'chore: begin'\n")


def test_a_list_with_a_failed_item_is_not_done(kata: Kata) -> None:
    item = kata.plan()
    kata.script(green=["write('double.py', 'def double(number):\\n    return 0\\n')"])
    assert kata.next().code == 1
    assert kata.next("--json").json == {
        "schema": "tdd/cycle-result", "v": 1, "outcome": "failed_left", "failed_items": [item], "next": TAKE_UP
    }  # fmt: skip
    assert f"Nothing is left to begin; 1 item failed.\n  next: {TAKE_UP}" in kata.next().out
    assert kata.tdd("status", "--json").json["next"] == TAKE_UP
    ended = kata.tdd("cycle", "abort")
    assert (ended.code, "is over (aborted)" in ended.err, "tdd status" in ended.err) == (2, True, True)


def test_status_after_the_list_is_done(kata: Kata) -> None:
    kata.plan()
    assert kata.next().code == 0
    assert kata.tdd("status", "--json").json["next"].startswith("tdd plan add")
    kata.plan("triples a number")
    assert kata.tdd("status", "--json").json["next"] == "tdd cycle next"


def test_diff_shows_what_an_attempt_changed(kata: Kata) -> None:
    kata.plan()
    kata.next()
    assert "+def double(number):" in kata.tdd("diff", "green").out
    assert "+def test_doubles():" in kata.tdd("diff", "red").out
    assert kata.tdd("diff", "1").out == kata.tdd("diff", "red").out
    assert "tests/test_double.py |" in kata.tdd("diff", "red", "--stat").out
    assert kata.tdd("diff", "green", "--json").json["phase"] == "GREEN"
    commit = kata.records("handoff")[1]["candidate"]
    assert kata.tdd("diff", commit[:7], "--json").json["phase"] == "GREEN"
    for word in ("9", commit[:3]):  # too short for a commit's id, also where one begins so
        done = kata.tdd("diff", word)
        assert done.code == 2
        assert f"no attempt '{word}'" in done.err


def test_diff_shows_what_a_person_changed_so_far(kata: Kata) -> None:
    kata.plan()
    edit(
        kata,
        "write('tests/test_double.py', 'def test_doubles():\\n    assert 0\\n')\nwrite('greet.py', 'A = 1\\n')",
    )
    done = kata.tdd("diff", env=HUMAN)
    assert done.code == 0, done.err
    assert "+def test_doubles():" in done.out
    assert "+A = 1" in done.out
    assert "RED, so far" in done.err
    shown = kata.tdd("diff", "--json", env=HUMAN).json
    assert (shown["phase"], shown["verdict"], shown["commit"]) == ("RED", "", "")
    assert kata.tdd("diff", "--stat", env=HUMAN).out.splitlines()[-1].startswith(" 2 files changed")


def test_a_person_may_look_and_test_in_the_tree_they_were_given(kata: Kata) -> None:
    kata.plan()
    edit(kata, "write('tests/test_double.py', 'def test_doubles():\\n    assert 0\\n')")
    where = next(Path(line.split()[1]) for line in kata.next(env=HUMAN).err.splitlines() if " where " in line)
    ran = kata.tdd("-C", str(where / "tests"), "test", env=HUMAN)
    assert f"(in {where})" in ran.err
    assert "1 failed" in ran.out
    for word in ("status", "diff"):
        assert kata.tdd("-C", str(where), word, env=HUMAN).out == kata.tdd(word, env=HUMAN).out
    refused = kata.tdd("-C", str(where), "cycle", "next", env=HUMAN)
    assert (refused.code, f"tdd -C {kata.root} " in refused.err) == (2, True)


def edit(kata: Kata, script: str) -> None:
    """What a person writes into the tree that they were given."""
    tree = next(Path(line.split()[1]) for line in kata.next(env=HUMAN).err.splitlines() if " where " in line)
    text = (
        f"import pathlib\ndef write(name, text):\n    pathlib.Path(name).write_text(text.lstrip())\n{script}"
    )
    subprocess.run([sys.executable, "-c", text], cwd=tree, check=True)


def test_a_person_loses_neither_files_nor_retries(kata: Kata) -> None:
    kata.plan()
    edit(kata, RED.replace("assert double(2) == 4", "assert double(2) == 4 +"))
    done = kata.next(env=HUMAN)
    assert done.code == 3, done.err
    assert "SyntaxError" in done.err
    assert "your files are as you left them" in done.err
    assert "retry" not in done.err
    assert "site-packages" not in done.err
    where = next(Path(line.split()[1]) for line in done.err.splitlines() if " where " in line)
    assert "== 4 +" in (where / "tests/test_double.py").read_text()
    (where / "tests/test_double.py").write_text(
        "from double import double\n\n\ndef test_doubles():\n    assert double(2) == 4\n"
    )
    ran = kata.tdd("test", env=HUMAN)
    assert ran.code != 0
    assert "No module named 'double'" in ran.out
    done = kata.next(env=HUMAN)
    assert done.code == 3
    assert "Your turn: GREEN  doubles a number" in done.err
    assert "  do     make tests/test_double.py::test_doubles pass; change no test" in done.err
    assert {record["retry_count"] for record in kata.records() if record["kind"] in ("error", "handoff")} == {
        0
    }
    (where / "double.py").write_text("def double(number):\n    return number * 2\n")
    assert kata.tdd("test", "--", "-k", "doubles", env=HUMAN).code == 0
    handed_on = kata.tdd("test", "--verbose", env=HUMAN)  # the runner's option, not ours
    assert " --verbose" in handed_on.err
    done = kata.next(env=HUMAN)
    assert (done.code, "Your turn: REFACTOR" in done.err) == (3, True)
    assert kata.next(env=HUMAN).code == 0


SPECIAL = GREEN.replace("return number * 2", "return 4 if number == 2 else number * 2")


def test_a_warning_is_said_once(kata: Kata) -> None:
    kata.plan()
    kata.script(green=[SPECIAL])
    done = kata.next()
    assert done.code == 0, done.err
    assert (done.out + done.err).count("a special case for 2") == 1


def test_status_sums_up_all_cycles(kata: Kata) -> None:
    kata.plan()
    assert "all cycles" not in kata.tdd("status").out
    assert kata.next().code == 0
    shown = kata.tdd("status")
    assert "all cycles: 3 agent calls, tokens unknown, cost unknown, " in shown.out
    assert " per landed behavior" in shown.out
    kata.plan("greets loudly")
    kata.script(red=["print('Which one do you mean?')"])
    assert kata.next().code == 1
    again = kata.tdd("status", "--json").json["used"]
    assert (again["calls"], again["landed"]) == (5, 1), "added to what was summed before"
    (kata.root / ".git/tdd/totals").unlink()
    assert kata.tdd("status", "--json").json["used"] == again


def test_a_warning_is_said_after_a_single_phase(kata: Kata) -> None:
    kata.plan()
    kata.script(green=[SPECIAL])
    assert kata.next("--phase").code == 0
    assert "warning: double.py:2: a special case for 2" in kata.next("--phase").out


def test_the_tests_run_in_a_clean_tree_where_no_cycle_is_under_way(kata: Kata) -> None:
    kata.write("tests/test_greet.py", "def test_mine():\n    assert False\n")
    done = kata.tdd("test")
    assert (done.code, "1 passed" in done.out) == (0, True)


def test_the_work_of_a_person_is_judged_on_save(kata: Kata) -> None:
    """On a terminal, with --watch: what $EDITOR saved, which `e` opens, and what any other program saved. Enter
    before anything was changed ends nothing."""
    kata.plan()
    editor = kata.root.parent / "editor"
    editor.write_text(
        f'#!/bin/sh\nmkdir -p "$1/tests" && cat > "$1/tests/test_double.py" << EOF\n{TEST.lstrip()}EOF\n'
    )
    editor.chmod(0o755)
    program = f"""
import os, pathlib, pty, select, sys, time
pid, terminal = pty.fork()
if not pid:
    os.execv({sys.executable!r}, [{sys.executable!r}, "-m", "tdd_orchestrator", "cycle", "next", "--watch"])
seen, done = "", []
end = time.time() + 90
while time.time() < end:
    if select.select([terminal], [], [], 0.2)[0]:
        try:
            data = os.read(terminal, 65536)
        except OSError:
            break
        seen += data.decode("utf-8", "replace")
    turns = seen.count("Watching:")
    where = [line.split()[1] for line in seen.splitlines() if line.strip().startswith("where ")]
    if turns > len(done) and len(done) < 3:
        time.sleep(0.5)
        if len(done) < 2:
            os.write(terminal, (b"\\n", b"e\\n")[len(done)])
        else:
            (pathlib.Path(where[-1]) / "double.py").write_text({CODE!r}.lstrip())
        done.append(turns)
    elif turns > 3 and len(done) == 3:
        os.write(terminal, b"\\n")
        done.append("enter")
print(seen)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""
    ran = subprocess.run(
        [sys.executable, "-c", program], cwd=kata.root, capture_output=True, text=True, timeout=120,
        env={**os.environ, **HUMAN, "EDITOR": str(editor), "TERM": "dumb", "COLUMNS": "400", "PYTHONPATH": str(Path(__file__).parents[2])},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "landed" in ran.stdout
    assert ran.stdout.count("Nothing has changed in ") == 1


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("plan show ", "ITEM"),
        ("init --agent clau", "claude"),
        ("init --agent scri", "scripted"),
        ("agents scri", "scripted"),
        ("agents res", "reset"),
        ("sta", "status"),
    ],
)
def test_a_shell_completes_what_the_repository_knows(kata: Kata, words: str, told: str) -> None:
    item = kata.plan()
    typed = ["tdd", *words.split(" ")]
    env = {"_TDD_COMPLETE": "bash_complete", "COMP_WORDS": " ".join(typed), "COMP_CWORD": str(len(typed) - 1)}
    program = (
        "import sys; sys.argv = ['tdd']; from tdd_orchestrator.cli.app import tdd; tdd.main(prog_name='tdd')"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=kata.root, capture_output=True, text=True,
        env={**os.environ, **env, "PYTHONPATH": str(Path(__file__).parents[2])}, check=False,
    )  # fmt: skip
    assert f"plain,{told.replace('ITEM', item)}" in done.stdout.splitlines(), done.stderr


def test_status_reads_reports_and_fixes_of_any_shape() -> None:
    """A note may be anybody's: what does not fit counts as empty."""
    odd = {"kind": "error_report", "report": {"fingerprint": "stop-1", "summary": ["x"], "error_id": 3}}
    fix = {"kind": "fix", "status": "ended", "results": [{}, 3]}
    for newest_first in ([odd], [fix, odd], [{**fix, "results": 3}, odd], [{**odd, "report": {}}]):
        found = standing_of(newest_first)
        assert status.status_text(found).splitlines()[0] == "No cycle yet."
        assert isinstance(status.shape(found)["next"], str)


def test_status_names_what_stopped_the_last_command() -> None:
    report = {
        "error_id": "err_1", "summary": "The circuit breaker is open", "fingerprint": "stop-1",
        "recommended_workflow": "Look into `tdd log`, then `tdd agents reset s` and run the same command again.",
    }  # fmt: skip
    action, stop = {"kind": "report_action"}, {"kind": "error_report", "report": report}
    ended = {"kind": "cycle_ended", "cycle_id": "c-1", "outcome": "aborted", "error_id": "err_0"}
    standing = standing_of([action, stop, ended])
    assert status.shape(standing)["next"] == "tdd agents reset s"
    assert status.status_text(standing).splitlines()[-4:] == [
        "  stopped: The circuit breaker is open",
        f"  {report['recommended_workflow']}",
        "  why: tdd errors show err_1",
        "  next: tdd agents reset s",
    ]
    closed = {"kind": "error_report", "status": "closed", "error_id": "err_1", "report": {}}
    for later in (closed, {"kind": "breaker_reset"}, {**ended, "kind": "error"}):
        assert standing_of([later, action, stop, ended]).stop is None
    begun = {"kind": "intent", "cycle_id": "c-1", "phase": "RED", "attempt": 2, "agent": {"name": "mine"}}
    assert "tokens unknown" not in status.status_text(standing_of([begun]))
    paused = {"kind": "error", "cycle_id": "c-1", "phase": "RED", "attempt": 2, "verdict": "agent_failed",
              "error": "The model provider's rate limit is reached", "agent": {"fault": "rate_limited"}}  # fmt: skip
    said = status.status_text(standing_of([paused]))
    assert "  RED: attempt 2 stopped: The model provider's rate limit is reached\n" in said
