"""Check whether the program of a command exists. Starts nothing."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path


def not_there(
    command: Sequence[str], folder: Path, path: str | None, whose: str = "of the test command"
) -> str:
    """Return why the first word of ``command`` cannot start in ``folder``; '' if it can.

    ``path``: the PATH of the command (None: ours); a word with a slash is relative to ``folder``.
    """
    program = command[0]
    if os.path.sep not in program:
        return "" if shutil.which(program, path=path) else f"The program {whose} is not there: {program}."
    place = folder / program
    if not place.exists():
        return f"The program {whose} is not there: {program}."
    if not place.is_file() or not os.access(place, os.X_OK):
        return f"The program {whose} may not be run: {program} (chmod +x makes a script one)."
    return ""
