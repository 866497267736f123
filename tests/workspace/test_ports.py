"""Fifteen slots: one for each orchestrator, freed with it; none left is a resource error."""

from __future__ import annotations

import contextlib
import socket
from pathlib import Path

import pytest

from tdd_orchestrator.model.errors import Paused
from tdd_orchestrator.workspace.services import FIRST, SLOTS, slot


def test_each_holder_has_its_own_and_it_comes_back(tmp_path: Path) -> None:
    with slot(tmp_path) as one, slot(tmp_path) as other:
        assert one != other
    with slot(tmp_path) as again:
        assert again == one


def test_a_port_that_somebody_listens_on_is_passed_over(tmp_path: Path) -> None:
    with slot(tmp_path) as first:
        pass
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", first))
        busy.listen()
        with slot(tmp_path) as other:
            assert other > first


def test_none_left_is_said(tmp_path: Path) -> None:
    with contextlib.ExitStack() as stack:
        for _ in range(SLOTS):
            assert FIRST <= stack.enter_context(slot(tmp_path)) < FIRST + SLOTS
        with pytest.raises(Paused, match="resource error"):
            stack.enter_context(slot(tmp_path))
