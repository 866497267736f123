"""A behaviour through RED, GREEN and REFACTOR in a real repository, and every ordinary way that goes wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from kit import GREEN, RED, Kata

from tdd_orchestrator.cli.status import TAKE_UP

WRONG = 'write("double.py", "def double(number):\\n    return number + 3\\n")'
NO_CODE = ""


@pytest.fixture
def kata(tmp_path: Path) -> Kata:
    kata = Kata(tmp_path)
    kata.plan()
    return kata


def test_a_behaviour_lands_as_test_and_feature_commits(kata: Kata) -> None:
    done = kata.next()
    assert done.code == 0, done.err
    assert kata.subjects() == ["chore: begin", "test: doubles a number", "feat: doubles a number"]
    assert kata.verdicts() == ["proven", "proven", "unchanged"]
    assert (kata.root / "double.py").exists()
    assert kata.git("status", "--porcelain") == ""


def test_why_a_test_fails_is_said_in_the_runners_words(kata: Kata) -> None:
    kata.write("double.py", "def double(number):\n    return 0\n")
    kata.git("add", "-A")
    kata.git("commit", "-q", "-m", "feat: a stub")
    kata.plan()
    done = kata.next("--phase")
    assert "RED: tests/test_double.py::test_doubles fails: AssertionError: assert " in done.err, done.err


def test_the_log_says_what_each_record_is_after_an_amended_commit(kata: Kata) -> None:
    """git's own commit carries the records then, with a subject of its own for all of them."""
    kata.tdd("init")
    kata.next()
    kata.git("commit", "-q", "--amend", "-m", "feat: in other words")
    lines = [line.split(maxsplit=3)[-1] for line in kata.tdd("log", "-n", "4").out.splitlines()[1:]]
    by = "Notes added by 'git commit --amend'"  # whoever adds one by hand is seen as well
    assert lines == [
        f"{what}: {by}"
        for what in ("landed", "landing", "REFACTOR accepted (attempt 1)", "REFACTOR begun (attempt 1)")
    ]


def test_the_trail_reads_with_plain_git(kata: Kata) -> None:
    kata.tdd("init")
    kata.next()
    note = kata.git("notes", "show", "HEAD").splitlines()
    records = [json.loads(line) for line in note]
    green = next(record for record in records if record["kind"] == "handoff" and record["phase"] == "GREEN")
    assert green["known_good"] is True
    assert green["tests"]["target_tests"] == ["tests/test_double.py::test_doubles"]
    assert green["tests"]["counts"]["passed"] == 2
    assert list(green)[:4] == ["at", "id", "v", "kind"]
    audit = kata.git("log", "--reverse", "--format=%s", "refs/notes/tdd").splitlines()
    assert audit[0].startswith("baseline")
    assert [line.partition("; ")[::2] for line in audit if "GREEN accepted" in line] == [
        (
            "GREEN accepted: doubles a number (attempt 1)",
            "REFACTOR begun: doubles a number (attempt 1, scripted)",
        )
    ]


def test_a_refused_attempt_leaves_an_error_record_and_is_kept(kata: Kata) -> None:
    kata.script(green=[WRONG, GREEN])
    assert kata.next().code == 0
    error = kata.records("error")[0]
    assert error["phase"] == "GREEN"
    assert error["error"] == "Test still failing after implementation"
    assert error["error_details"]["type"] == "TestFailure"
    assert "assert 5 == 4" in error["error_details"]["message"]
    assert error["retry_count"] == 0
    assert kata.git("cat-file", "-t", error["candidate"]) == "commit"
    assert f"refs/tdd/attempts/{error['cycle_id']}/green-1" in kata.git("for-each-ref", "--format=%(refname)")
    assert "return number + 3" in kata.prompts("green")[1]


def test_a_phase_is_retried_three_times_and_then_escalated(kata: Kata) -> None:
    kata.script(green=[WRONG], analyze=[""])
    before = kata.git("rev-parse", "HEAD")
    done = kata.next()
    assert done.code == 1
    assert [record["retry_count"] for record in kata.records("error")] == [0, 1, 2, 3]
    assert len(kata.calls("green")) == 4
    assert kata.git("rev-parse", "HEAD") == before
    ended = kata.records("cycle_ended")[-1]
    assert ended["outcome"] == "aborted"
    assert kata.tdd("plan", "list", "--json").json["items"][0]["status"] == "failed"
    again = kata.next()
    assert again.code == 0
    assert again.out == f"Nothing is left to begin; 1 item failed.\n  next: {TAKE_UP}\n"


def test_an_aborted_cycle_is_taken_up_after_help(kata: Kata) -> None:
    kata.script(green=[WRONG], analyze=[""])
    assert kata.next().code == 1
    kata.script(green=[GREEN])
    done = kata.tdd("cycle", "resume", "--hint", "multiply instead of adding")
    assert done.code == 0, done.err
    assert "multiply instead of adding" in kata.prompts("green")[-1]
    assert kata.subjects()[-1] == "feat: doubles a number"


@pytest.mark.parametrize(
    ("scene", "verdict"),
    [
        ("", "no_change"),
        ('write("notes.txt", "I wrote a test")', "forbidden_change"),
        (RED + GREEN, "forbidden_change"),
        ('write("tests/test_double.py", "def test_doubles(:\\n    assert 1\\n")', "invalid_test"),
        ('write("tests/test_double.py", "import numpy\\n\\n\\ndef test_x():\\n    assert numpy.add(1, 1) == 2\\n")', "invalid_test"),
        ('write("tests/test_double.py", "def test_x(missing_fixture):\\n    assert missing_fixture == 1\\n")', "invalid_test"),
        ('write("tests/test_double.py", "import os\\n\\n\\ndef test_x():\\n    os._exit(0)\\n")', "crashed"),
        ('write("tests/test_double.py", "def helper():\\n    return 1\\n")', "no_new_test"),
        ('write("tests/test_again.py", "from greet import greet\\n\\n\\ndef test_greets_too():\\n    assert greet(\'ada\') == \'hello ada\'\\n")', "duplicate_test"),
        ('write("tests/test_greet.py", "def test_greets():\\n    assert True\\n")', "weakened_test"),
    ],
)  # fmt: skip
def test_red_is_not_proven_by(kata: Kata, scene: str, verdict: str) -> None:
    kata.script(red=[scene, RED])
    done = kata.next("--phase")
    assert kata.verdicts() == [verdict, "proven"], kata.records("error")
    assert done.code == 0, done.err


def test_an_item_whose_test_passes_twice_waits_for_a_yes(kata: Kata) -> None:
    passing = "write(\"tests/test_loud.py\", \"from greet import greet\\n\\n\\ndef test_loud():\\n    assert greet('bob').endswith('bob')\\n\")"
    kata.script(red=[passing])
    done = kata.next()
    assert done.code == 3
    assert kata.verdicts() == ["unexpected_pass", "already_covered"]
    assert kata.tdd("plan", "list", "--json").json["items"][0]["status"] == "already_covered"
    assert kata.subjects() == ["chore: begin"]
    handoff = kata.records("handoff")[0]
    assert "nothing was built" in done.out
    assert "What says so: tests/test_loud.py::test_loud passes already" in done.out
    assert f"(git show {handoff['candidate'][:12]})" in done.out
    assert "only tests/test_loud.py::test_loud says that the item is covered" in handoff["warnings"][0]
    assert "unrecorded" not in kata.tdd("verify").out


@pytest.mark.parametrize(
    ("scene", "verdict"),
    [
        ("", "no_change"),
        (WRONG, "still_failing"),
        (GREEN + '\nwrite("greet.py", "def greet(name):\\n    return name\\n")', "breaks_existing"),
        (GREEN + '\nos.remove("tests/test_greet.py")', "forbidden_change"),
        ('write("tests/test_double.py", "def test_doubles():\\n    assert True\\n")', "forbidden_change"),
        ('write("double.py", "def double(number):\\n    return number *\\n")', "build_error"),
        (GREEN + '\nwrite("conftest.py", "def pytest_runtest_makereport(item, call):\\n    call.excinfo = None\\n")', "forbidden_change"),
        (GREEN + '\nwrite("pytest.ini", "[pytest]\\naddopts = -k greets\\n")', "forbidden_change"),
        (GREEN + '\nwrite("sitecustomize.py", "import os\\n")', "forbidden_change"),
        ('write("double.py", "import os\\nos._exit(0)\\n")', "crashed"),
        ('write("double.py", "import sys\\nsys.exit(0)\\n")', "crashed"),
    ],
)  # fmt: skip
def test_green_is_not_proven_by(kata: Kata, scene: str, verdict: str) -> None:
    kata.script(green=[scene, GREEN])
    done = kata.next()
    assert kata.verdicts()[1] == verdict, kata.records("error")
    assert done.code == 0, done.err
    assert kata.git("show", "HEAD:tests/test_double.py").startswith("from double import double")


def test_a_refactoring_that_breaks_tests_is_rolled_back(kata: Kata) -> None:
    broken = 'write("double.py", "def double(number):\\n    return 7\\n")'
    better = 'write("double.py", "def double(number: int) -> int:\\n    return 2 * number\\n")'
    kata.script(refactor=[broken, better])
    assert kata.next().code == 0
    assert kata.verdicts() == ["proven", "proven", "breaks_existing", "proven"]
    assert kata.subjects()[-1] == "refactor: doubles a number"
    assert "2 * number" in (kata.root / "double.py").read_text()


def test_a_refactoring_given_up_costs_only_the_refactoring(kata: Kata) -> None:
    kata.script(refactor=['write("double.py", "def double(number):\\n    return 7\\n")'])
    done = kata.next()
    assert done.code == 0
    assert kata.subjects()[-1] == "feat: doubles a number"
    assert "warning: finished without a refactoring: REFACTOR was retried 3 times" in done.out
    last = kata.records("error")[-1]
    assert (last["move"]["kind"], last["next_phase"]) == ("give_up", "COMPLETE"), "and nothing was aborted"
    chore = kata.tdd("plan", "list", "--json").json["items"][-1]
    assert (chore["type"], chore["title"]) == ("chore", "refactor: doubles a number")
    assert "test_double" in chore["description"], "what broke"
    said = " ".join(kata.tdd("cycle", "run").out.split())
    assert "The list is done; 1 item is left for you to begin: tdd cycle next --item " in said


def test_one_phase_at_a_time_with_its_progress_as_events(kata: Kata) -> None:
    action = {"type": "tool_use", "tool_name": "write_file", "parameters": {"file_path": "/t/double.py"}}
    kata.script(green=[f"print({json.dumps(action)!r}, flush=True)\n{GREEN}"])
    for phase in ("GREEN", "REFACTOR"):
        done = kata.next("--phase", "--json")
        assert done.code == 0
        assert done.json["phase"] == phase
        events = [json.loads(line) for line in done.err.splitlines()]
        assert {(event["schema"], event["v"]) for event in events} == {("tdd/progress", 1)}
        assert [event["good"] for event in events if event["kind"] == "result"][-1] is True
    (seen,) = [event for event in events if event["kind"] == "agent"]
    assert seen["seconds"] >= 0
    assert {key: seen[key] for key in ("phase", "agent", "action", "files", "tokens")} == {
        "phase": "GREEN", "agent": "scripted", "action": "write_file double.py", "files": 1, "tokens": 0,
    }  # fmt: skip
    assert kata.next().code == 0
    assert kata.subjects()[-1] == "feat: doubles a number"


def test_the_users_own_edits_stay(kata: Kata) -> None:
    kata.write("README.md", "# Mine\n")
    kata.write("scratch.txt", "untracked\n")
    kata.write("greet.py", "def greet(name):\n    return f'hello {name}'\n\n# staged\n")
    kata.git("add", "greet.py")
    assert kata.next().code == 0
    assert (kata.root / "README.md").read_text() == "# Mine\n"
    assert (kata.root / "scratch.txt").read_text() == "untracked\n"
    assert kata.git("diff", "--cached", "--name-only") == "greet.py"


def test_an_untracked_file_in_the_way_of_landing_is_kept(kata: Kata) -> None:
    kata.write("double.py", "mine\n")
    head = kata.git("rev-parse", "HEAD")
    done = kata.next()
    assert done.code == 2
    assert "double.py" in done.err
    assert kata.git("rev-parse", "HEAD") == head
    (kata.root / "double.py").unlink()
    assert kata.next().code == 0
    assert kata.subjects()[-1] == "feat: doubles a number"


def test_a_branch_that_moved_meanwhile_gets_the_cycle_rebased_and_proven_again(kata: Kata) -> None:
    kata.script(
        refactor=[
            f'import subprocess\nsubprocess.run("echo more >> README.md && git commit -qam docs", shell=True, cwd={str(kata.root)!r}, check=True)'
        ]
    )
    done = kata.next()
    assert done.code == 0, done.err
    assert kata.subjects() == ["chore: begin", "docs", "test: doubles a number", "feat: doubles a number"]


def test_what_the_user_took_back_meanwhile_does_not_come_back_with_the_cycle(kata: Kata) -> None:
    kata.write("leak.txt", "oops\n")
    kata.git("add", "leak.txt")
    kata.git("commit", "-q", "-m", "docs: too much")
    assert kata.next("--phase").code == 0
    kata.git("reset", "-q", "--hard", "HEAD~1")
    done = kata.next()
    assert done.code == 0, done.err
    assert kata.subjects() == ["chore: begin", "test: doubles a number", "feat: doubles a number"]
    assert "leak.txt" not in kata.git("log", "--name-only", "--format=")
    verified = kata.tdd("verify")
    assert verified.code == 0, verified.out


def test_the_list_done_is_said(kata: Kata) -> None:
    kata.next()
    done = kata.next()
    assert done.code == 0
    assert "list is done" in done.out
