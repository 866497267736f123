"""The user's clipboard: by a program where there is one, else by the terminal's own escape (OSC 52)."""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping

from tdd_orchestrator import process
from tdd_orchestrator.model.errors import Refused

_PROGRAMS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    # program, its words, the variable without which it has no display to talk to
    ("pbcopy", (), ""),
    ("wl-copy", (), "WAYLAND_DISPLAY"),
    ("xclip", ("-selection", "clipboard"), "DISPLAY"),
    ("clip.exe", (), ""),
    ("clip", (), ""),
)
_SECONDS = 3.0
_TERMINAL_LIMIT = 74_994  # bytes that terminals commonly take in one OSC 52


def copy(text: str, environment: Mapping[str, str] | None = None) -> str:
    """Copy the text to the clipboard and return how.

    Raises Refused where there is no clipboard. Over ssh the terminal is asked first: a program here would
    fill the clipboard of the wrong machine.
    """
    environment = os.environ if environment is None else environment
    remote = bool(environment.get("SSH_TTY") or environment.get("SSH_CONNECTION"))
    ways = (_by_terminal, _by_program) if remote else (_by_program, _by_terminal)
    for way in ways:
        how = way(text, environment)
        if how:
            return how
    raise Refused(
        "There is no clipboard to be had here.", "Without --copy the text is written to standard output."
    )


def _by_program(text: str, environment: Mapping[str, str]) -> str:
    for name, words, needs in _PROGRAMS:
        program = shutil.which(name, path=environment.get("PATH", ""))
        if program and (not needs or environment.get(needs)) and _fed((program, *words), text):
            return name
    return ""


def _fed(argv: tuple[str, ...], text: str) -> bool:
    """Whether the program took it. Some stay behind to serve the clipboard: only the one that was started is
    awaited."""
    try:
        child = process.start(argv, stderr=False)
    except OSError:
        return False
    assert child.stdin is not None
    assert child.stdout is not None
    try:
        child.stdin.write(text.encode("utf-8", "replace"))
        child.stdin.close()
        return child.wait(_SECONDS) == 0
    except (OSError, subprocess.TimeoutExpired):
        child.kill()
        child.wait()
        return False
    finally:
        child.stdout.close()


def _by_terminal(text: str, environment: Mapping[str, str]) -> str:
    data = text.encode("utf-8", "replace")
    if not sys.stderr.isatty() or environment.get("TERM") == "dumb" or len(data) > _TERMINAL_LIMIT:
        return ""
    sys.stderr.write(f"\x1b]52;c;{base64.b64encode(data).decode()}\a")
    sys.stderr.flush()
    return "the terminal (OSC 52)"
