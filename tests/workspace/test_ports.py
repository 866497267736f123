"""A port for each orchestrator and each service, freed with it; none left is a resource error."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tdd_orchestrator.model.errors import Paused
from tdd_orchestrator.workspace import services
from tdd_orchestrator.workspace.services import slot

ROOT = Path(__file__).resolve().parents[2]
OTHER = """\
from tdd_orchestrator.workspace import services
services.FIRST, services.SLOTS = {first}, {slots}
with services.slot() as port:
    print(port, flush=True)
    input()
"""


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three ports of this process's own."""
    monkeypatch.setattr(services, "FIRST", 20000 + os.getpid() % 1000 * 6)
    monkeypatch.setattr(services, "SLOTS", 3)


def test_each_holder_has_its_own_and_it_comes_back() -> None:
    with slot() as one, slot() as other:
        assert one != other
    with slot() as again:
        assert again == one


def test_a_port_that_somebody_listens_on_is_passed_over() -> None:
    with slot() as first:
        pass
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", first))
        busy.listen()
        with slot() as other:
            assert other > first


def test_another_user_gets_another_one_before_anybody_listens(tmp_path: Path) -> None:
    """Nothing is shared but the machine: a state folder of one's own is what a worker or another user has."""
    code = OTHER.format(first=services.FIRST, slots=services.SLOTS)
    env = {**os.environ, "PYTHONPATH": str(ROOT), "TDD_STATE_DIR": str(tmp_path)}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with slot() as mine:
        other = subprocess.Popen([sys.executable, "-c", code], env=env, **pipes)  # type: ignore[call-overload]
        assert int(other.stdout.readline()) == mine + 1
    other.communicate("\n")
    assert other.returncode == 0


def test_none_left_is_said() -> None:
    with contextlib.ExitStack() as stack:
        for number in range(services.SLOTS):
            assert stack.enter_context(slot()) == services.FIRST + number
        with pytest.raises(Paused, match="resource error"):
            stack.enter_context(slot())
