"""Unforeseen errors: a fault of the machine gets its sentence; a bug of ours is saved and its path shown
(70)."""

from __future__ import annotations

import errno
import os
import sys
import tempfile
import traceback
from datetime import UTC, datetime
from pathlib import Path

import click

from tdd_orchestrator import __version__
from tdd_orchestrator.model.errors import GitFailed, RefMoved, TddError
from tdd_orchestrator.text import one_line

_PAUSED, _REFUSED = 4, 2
_AGAIN = "then run the same command again: it goes on from here."
_FATAL = 128  # git's own word for what it cannot go on with; a wrong use of it by us is another (129)
_ASK = (
    "Run the same command again: it goes on from here. If git says so again, `tdd doctor` looks for "
    "the reason."
)
_UNWRITTEN = ("couldn't write", "couldn't set", "failed to write", "unable to create directory")
_FAULTS: dict[int, tuple[int, str, str]] = {
    # what the system said: exit code, what is wrong, what to do
    errno.ENOSPC: (_PAUSED, "The disk is full", f"Make room, {_AGAIN}"),
    errno.EDQUOT: (_PAUSED, "Your disk quota is used up", f"Make room, {_AGAIN}"),
    errno.EFBIG: (_PAUSED, "A file would grow beyond the file size limit", f"Raise it (ulimit -f), {_AGAIN}"),
    errno.EIO: (
        _PAUSED,
        "A file could not be written or read (input/output error)",
        f"Look for room on the disk and at its health, {_AGAIN}",
    ),
    errno.EMFILE: (_PAUSED, "Too many files are open", f"Raise the limit (ulimit -n), {_AGAIN}"),
    errno.ENFILE: (_PAUSED, "Too many files are open on this machine", f"Close some programs, {_AGAIN}"),
    errno.ENOMEM: (_PAUSED, "There is not enough memory", f"Close some programs, {_AGAIN}"),
    errno.EROFS: (_REFUSED, "The file system is read-only", f"Make it writable, {_AGAIN}"),
    errno.EACCES: (_REFUSED, "A file may not be read or written", f"Set its permissions right, {_AGAIN}"),
}


def fault(error: BaseException) -> TddError | None:
    """Return the error for a fault of disk, memory or permissions, ours or git's; None for anything else."""
    number, where = 0, ""
    if isinstance(error, OSError):
        number, where = error.errno or 0, str(error.filename or "")
    elif isinstance(error, GitFailed | RefMoved):
        message = error.stderr if isinstance(error, GitFailed) else error.what
        number = next((known for known in _FAULTS if os.strerror(known) in message), 0)
        if not number and any(sign in message for sign in _UNWRITTEN):
            number = errno.EIO  # git does not pass on why
        where = "git " + error.argv[0] if isinstance(error, GitFailed) and error.argv else error.what
    if number in _FAULTS:
        code, what, todo = _FAULTS[number]
        return _as_error(code, f"{what}{f' ({one_line(where, 200)})' if where else ''}.", todo)
    if isinstance(error, GitFailed) and error.code == _FATAL:
        return _as_error(_PAUSED, error.what, _ASK)
    return None


def _as_error(code: int, what: str, todo: str) -> TddError:
    found = TddError(what, todo)
    found.exit_code = code
    return found


def report_bug(error: BaseException) -> int:
    """Save what happened where the user's state lives; the terminal gets two sentences."""
    text = "".join(traceback.format_exception(error))
    head = f"tdd {__version__}\npython {sys.version}\nargv {len(sys.argv) - 1} words\n\n"
    name = f"bug-{datetime.now(UTC):%Y%m%d-%H%M%S}-{os.getpid()}.log"
    path = _folder() / name
    try:
        path.write_text(head + text, encoding="utf-8")
        where = f"The log is saved: {path}"
    except OSError as failed:
        where = f"The log could not be saved ({failed.strerror})."
    click.echo(f"tdd: a bug of ours stopped this: {type(error).__name__}: {str(error)[:200]}", err=True)
    click.echo(f"     {where}  Nothing accepted is lost; the same command goes on.", err=True)
    return 70


def _folder() -> Path:
    from tdd_orchestrator.workspace.folders import state_home

    try:
        folder = state_home() / "logs"
        folder.mkdir(parents=True, exist_ok=True)
        return folder
    except OSError:
        return Path(tempfile.gettempdir())
