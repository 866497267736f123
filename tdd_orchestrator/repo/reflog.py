"""What a ref was before: read from its log, for repair and for finding what was pushed aside."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from tdd_orchestrator.model.errors import StoreDamaged, raise_if_of_machine
from tdd_orchestrator.repo.git import ZERO, Git

_MOVED = re.compile(rb"[0-9a-f]{40} [0-9a-f]{40} ")
_BYTES = 1 << 16  # of a log that are looked at, from its end


def damaged(git: Git, ref: str) -> StoreDamaged:
    """What to say of a ref file that holds no object name, with the reflog's last value that still exists."""
    value = last_value(git, ref)
    todo = (
        f"Its reflog says {value}; to go back to it: git update-ref --no-deref {ref} {value}"
        if value
        else "Its reflog has no value to go back to; restore it from a clone or a backup."
    )
    return StoreDamaged(f"The file of {ref} holds no object name (a power loss leaves such a file).", todo)


def last_value(git: Git, ref: str) -> str | None:
    """The newest value in the ref's reflog whose object exists."""
    for _, value in movements(git, ref):
        if value != ZERO and git.finished("cat-file", "-e", value).exit_code == 0:
            return value
    return None


def movements(git: Git, ref: str) -> Iterator[tuple[str, str]]:
    """(old, new) of the ref's last movements, newest first; nothing where it has no reflog. OSError where the
    machine failed: what was pushed aside would be found no more, for the next write of ours ends the
    search."""
    try:
        with open(git.common_dir / "logs" / ref, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _BYTES))
            lines = file.read().splitlines()
    except OSError as error:
        raise_if_of_machine(error)
        return
    for line in reversed(lines):
        if _MOVED.match(line):
            yield line[:40].decode(), line[41:81].decode()
