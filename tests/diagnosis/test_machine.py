"""A look at the machine (R4): what a message blames is looked at, and nothing is changed by looking."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from tdd_orchestrator.diagnosis import machine
from tdd_orchestrator.diagnosis.classify import classify
from tdd_orchestrator.diagnosis.machine import look
from tdd_orchestrator.model.diagnosis import Standing

CONFIRMED, REFUTED, OPEN = Standing.CONFIRMED, Standing.REFUTED, Standing.OPEN
WORDS = (  # how each tool says that a path may not be used
    "Traceback (most recent call last):\n  File \"/repo/a.py\", line 1, in f\n    g()\nPermissionError: [Errno 13] Permission denied: '{}'",
    "Error: EACCES: permission denied, open '{}'",
    "mkdir: cannot create directory '{}': Permission denied",
    "mkdir: cannot create directory \u2018{}\u2019: Permission denied",
    "open {}: permission denied",
    "java.nio.file.AccessDeniedException: {}\n\tat sun.nio.fs.UnixException.translateToIOException(UnixException.java:90)\n\tat shop.Cart.save(Cart.java:7)",
    "Errno::EACCES: Permission denied @ rb_sysopen - {}",
    "/bin/sh: 1: {}: Permission denied",
    "PHP Warning:  fopen({}): Failed to open stream: Permission denied in /repo/a.php on line 3",
)


@pytest.mark.parametrize("words", WORDS)
def test_the_path_is_found_in_every_tools_words(words: str, tmp_path: Path) -> None:
    tool = tmp_path / "tool"
    tool.touch(mode=0o600)
    seen = look(classify(words.format(tool)), tmp_path / "project")
    assert seen is not None
    assert seen.standing is CONFIRMED
    assert seen.finding.startswith(f"{tool} is not executable for ")
    assert "mode -rw-------" in seen.finding


def test_what_is_the_projects_own_or_allowed_is_no_matter_for_a_person(tmp_path: Path) -> None:
    (tmp_path / "run.sh").touch(mode=0o600)
    (tmp_path / "free.sh").touch(mode=0o700)
    own = look(classify("bash: ./run.sh: Permission denied"), tmp_path)
    free = look(classify(f"open {tmp_path}/free.sh: permission denied"), tmp_path / "elsewhere")
    code = look(classify("PermissionError: not for you", exception="PermissionError"), tmp_path)
    assert [one.standing for one in (own, free, code) if one] == [REFUTED] * 3
    assert own is not None
    assert "the project's own" in own.finding
    assert free is not None
    assert "may be used by" in free.finding


def test_what_is_missing_is_told_by_the_folder_above_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, right: right != os.W_OK)
    seen = look(
        classify(f"mkdir: cannot create directory '{tmp_path}/a/b': Permission denied"), Path("/repo")
    )
    assert seen is not None
    assert seen.standing is CONFIRMED
    assert f"{tmp_path}/a/b does not exist, and {tmp_path} may not be written by" in seen.finding


def test_a_low_port_is_told_by_its_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = classify("Error: listen EACCES: permission denied 0.0.0.0:80")
    monkeypatch.setattr(machine, "_LOW_PORT", tmp_path / "none")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    seen = look(said, tmp_path)
    assert seen is not None
    assert (seen.standing, "port 80 is below 1024" in seen.finding) == (CONFIRMED, True)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    again = look(said, tmp_path)
    assert again is not None
    assert again.standing is OPEN


@pytest.mark.parametrize(
    ("text", "who"),
    [
        ('ERROR:  new row violates row-level security policy for table "orders"', "database"),
        ("curl: (22) The requested URL returned error: 403", "server"),
    ],
)
def test_what_a_server_refuses_is_not_seen_from_here(text: str, who: str, tmp_path: Path) -> None:
    seen = look(classify(text), tmp_path)
    assert seen is not None
    assert seen.standing is OPEN
    assert f"the {who} itself" in seen.finding


def test_a_port_that_is_held_and_one_that_is_free(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        held = look(classify(f"Error: listen EADDRINUSE: address already in use :::{port}"), tmp_path)
    free = look(classify(f"Error: Port {port} is already in use"), tmp_path)
    assert held is not None
    assert (held.standing, held.finding) == (CONFIRMED, f"port {port} is held by another program now")
    assert free is not None
    assert (free.standing, free.finding) == (REFUTED, f"port {port} is free now")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("cp: error writing '/mnt/x': No space left on device", "MB are free on the disk"),
        ("FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory", "MB of memory"),
        ("OSError: [Errno 24] Too many open files: '/repo/x'", "files open"),
    ],
)
def test_what_ran_out_is_measured(text: str, words: str, tmp_path: Path) -> None:
    seen = look(classify(text), tmp_path)
    assert seen is not None
    assert words in seen.finding


def test_all_else_is_not_looked_at(tmp_path: Path) -> None:
    assert look(classify("KeyError: 'id'"), tmp_path) is None
