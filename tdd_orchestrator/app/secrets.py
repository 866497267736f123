"""The secrets that a run may meet: of the environment, and of the environment files that git does not
hold."""

from __future__ import annotations

import os
from pathlib import Path

from tdd_orchestrator.app.open_repository import OpenRepository
from tdd_orchestrator.model.errors import raise_if_of_machine
from tdd_orchestrator.prompting.secrets import dotenv, secret_values
from tdd_orchestrator.workspace.folders import listed

_LARGEST = 1 << 20  # bytes of an environment file


def secrets_of(opened: OpenRepository) -> tuple[str, ...]:
    """Return secret values, longest first. A committed value is no secret, so tracked files are skipped."""
    values = set(secret_values(os.environ))
    for path in _untracked(opened):
        values.update(secret_values(dotenv(_text(path))))
    return tuple(sorted(values, key=lambda value: (-len(value), value)))


def _untracked(opened: OpenRepository) -> list[Path]:
    root = opened.found.work_tree
    linked = [root / name for name in opened.config.workspace.link if Path(name).name.startswith(".env")]
    files = [path for path in (*listed(root, ".env*"), *linked) if path.is_file()]
    if not files:
        return []
    names = [os.fsencode(path.relative_to(root)) for path in files]
    raw = opened.git.run("--literal-pathspecs", "ls-files", "-z", "--", *map(os.fsdecode, names))
    tracked = set(raw.split(b"\0"))
    return [path for path, name in zip(files, names, strict=True) if name not in tracked]


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(_LARGEST).decode("utf-8", "replace")
    except OSError as error:
        raise_if_of_machine(error)
        return ""  # who may not read it does not let it out either
