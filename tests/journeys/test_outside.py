"""What lies outside of the code: a service that is away, rights, the state of the machine, an agent that crashes (R4, A7)."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

import pytest
from kit import GREEN, Kata
from test_recovery import WAITS, moves, other_agent

SERVED = '''
write("double.py", """
import pathlib
import socket


def double(number):
    runs = pathlib.Path(RUNS)
    runs.write_text((runs.read_text() if runs.exists() else "") + "x")
    if len(runs.read_text()) < UP:
        socket.create_connection(("127.0.0.1", 9)).close()
    return number * 2  # MORE
""")'''
DIED = "import signal\nos.kill(os.getpid(), signal.SIGSEGV)"


@pytest.fixture
def kata(tmp_path: Path) -> Kata:
    kata = Kata(tmp_path, config=WAITS)
    kata.plan()
    return kata


def served(runs: Path, up: int, more: str = "") -> str:
    """Code that needs a service, which answers from run ``up`` on."""
    return SERVED.replace("RUNS", repr(str(runs))).replace("UP", str(up)).replace("MORE", more)


def reported(kata: Kata) -> dict[str, Any]:
    found: dict[str, Any] = kata.records("error_report")[-1]["report"]
    return found


def test_a_service_that_comes_back_costs_no_retry_and_no_agent(kata: Kata, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    kata.script(green=[served(runs, 3)])
    done = kata.next()
    assert done.code == 0, done.err
    assert kata.verdicts() == ["proven", "proven", "unchanged"]
    assert len(kata.calls("green")) == 1
    assert not kata.calls("fix")
    green = kata.records("handoff")[1]
    assert green["retry_count"] == 0
    assert "run 2 times more" in green["warnings"][0]
    assert "after 0.01 and 0.02 s" in green["warnings"][0]


def test_a_service_that_stays_away_is_looked_at_once_and_then_a_persons(kata: Kata, tmp_path: Path) -> None:
    """R4, DEPENDENCY: three times more, then whoever fixes such errors (D1), then a person; no retry is burnt."""
    runs = tmp_path / "runs"
    kata.script(green=[served(runs, 999)], debugger_role=[served(runs, 999, "looked")], analyze=[""])
    done = kata.next()
    assert done.code == 1
    assert moves(kata) == ["specialist", "escalate"]
    assert len(kata.calls("green")) == 1
    assert [call["TDD_ROLE"] for call in kata.calls("fix")] == ["debugger"]
    assert len(runs.read_text()) == 2 * (1 + 3)
    assert [record["retry_count"] for record in kata.records("error")] == [0, 0]
    told = reported(kata)
    assert "run 3 times more, after 0.01, 0.02 and 0.04 s" in " ".join(told["reasons"])
    assert "is unavailable" in told["why"]
    assert "Connection refused" in told["root_cause"]


def test_an_agent_that_fails_again_is_relieved_by_its_fallback(kata: Kata) -> None:
    """R4, DEPENDENCY: the fallback service of an agent is the agent that its configuration names."""
    kata.configure(WAITS + other_agent(kata))
    kata.script(green=["sys.exit(3)", "sys.exit(3)", GREEN], analyze=[""])
    done = kata.next(env={"TDD_AGENTS_DEFAULT": "first"})
    assert done.code == 0, done.err
    assert moves(kata) == ["retry", "other_agent"]
    assert [record["agent"]["name"] for record in kata.records("error")] == ["first", "first"]
    assert kata.records("handoff")[1]["agent"]["name"] == "second"


def test_what_the_machine_does_not_permit_is_a_persons_at_once(kata: Kata, tmp_path: Path) -> None:
    """R4, PERMISSION: the rights are looked at, and what was found is what the user reads."""
    tool = tmp_path / "tool"
    tool.write_text("#!/bin/sh\n")
    runs = (
        'write("double.py", "import subprocess\\n\\n\\ndef double(number):\\n'
        f"    subprocess.run(['{tool}'])\\n    return number * 2\\n\")"
    )
    kata.script(green=[runs], debugger_role=[GREEN], analyze=[""])
    done = kata.next()
    assert done.code == 1
    assert len(kata.calls("green")) == 1
    assert not kata.calls("fix")
    assert moves(kata) == ["escalate"]
    assert kata.records("error")[0]["diagnosis"]["standing"] == "confirmed"
    for said in (done.err, reported(kata)["root_cause"], kata.tdd("errors", "show", "last").out):
        assert "tool is not executable" in " ".join(said.split())


def test_what_the_code_itself_refuses_is_no_matter_of_rights(kata: Kata) -> None:
    kata.script(
        green=['write("double.py", "def double(number):\\n    raise PermissionError(\'not for you\')\\n")'],
        debugger_role=[GREEN],
    )
    done = kata.next()
    assert done.code == 0, done.err
    assert moves(kata) == ["specialist"]
    assert kata.records("error")[0]["diagnosis"]["standing"] == "refuted"


def test_the_real_state_is_looked_at_then_rolled_back_then_planned_anew(kata: Kata) -> None:
    """R4, STATE: a port that another program holds; whoever goes on is told what the machine showed."""
    plan = {"items": [{"title": "double without a server", "description": "no port is needed"}]}
    listed = (
        f'(pathlib.Path(os.environ["TDD_OUTPUT_DIR"]) / "test-list.json").write_text({json.dumps(plan)!r})'
    )
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        binds = (
            'write("double.py", "import socket\\n\\n\\ndef double(number):\\n    try:\\n'
            f"        socket.socket().bind(('127.0.0.1', {port}))\\n    except OSError as error:\\n"
            f"        raise OSError(error.errno, 'Address already in use: 127.0.0.1:{port}') from None\\n    return number * 2\\n\")"
        )
        kata.script(green=[binds, binds, GREEN], analyze=[""], test_list=[listed])
        done = kata.next()
    assert done.code == 0, done.err
    assert moves(kata) == ["roll_back", "replan"]
    first = kata.records("error")[0]
    assert first["diagnosis"]["standing"] == "confirmed"
    assert f"port {port} is held by another program" in first["diagnosis"]["checked"]
    assert f"port {port} is held by another program" in kata.prompts("green")[1]
    assert "double without a server: no port is needed" in kata.prompts("green")[2]


def test_after_a_crash_the_tests_run_once_more_without_an_agent(kata: Kata, tmp_path: Path) -> None:
    """A7: marked failed, logged, and the tests are run; what a specialist was to fix may pass by then."""
    gate = tmp_path / "gate"
    code = (
        f'write("double.py", "import pathlib\\n\\n\\ndef double(number):\\n    table = {{\'factor\': 2}} if pathlib.Path({str(gate)!r})'
        ".exists() else {}\\n    return table['factor'] * number\\n\")"
    )
    kata.script(green=[DIED, code], debugger_role=[f"pathlib.Path({str(gate)!r}).touch()\n{DIED}"])
    done = kata.next()
    assert done.code == 0, done.err
    assert kata.verdicts() == ["proven", "agent_failed", "still_failing", "proven", "unchanged"]
    crashed = kata.records("error")[0]
    assert crashed["agent"]["status"] == "error"
    assert crashed["incident"].startswith("inc_")
    assert crashed["tests"]["exit_code"] == 2  # pytest: a file that could not be imported
    assert "run once more without an agent" in crashed["reasons"][-1]
    green = kata.records("handoff")[1]
    assert (green["agent"]["role"], green["agent"]["status"]) == ("debugger", "error")
