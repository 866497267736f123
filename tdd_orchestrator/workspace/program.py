"""Whether the program of a command is there: a sentence where it is not. Starts nothing."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path


def not_there(
    command: Sequence[str], folder: Path, path: str | None, whose: str = "of the test command"
) -> str:
    """Why the first word of ``command`` starts nothing in ``folder``; empty where it does.

    ``path`` is the PATH that the command would see (None: ours); a word with a slash is looked up from
    ``folder``.
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
