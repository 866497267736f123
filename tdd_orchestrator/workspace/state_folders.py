"""The folders of one repository in the user's state folder, and how they are kept small."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from tdd_orchestrator.model.errors import Refused, raise_if_of_machine
from tdd_orchestrator.workspace.folders import remove


@dataclass(frozen=True, slots=True)
class Places:
    """``root`` belongs to one repository, known by its common git dir."""

    root: Path
    agent: Path
    proof: Path
    runs: Path  # one folder per attempt: output, transcript, logs

    def run(self, cycle_id: str, phase: str, attempt: int, role: str = "") -> Path:
        """Create a new folder for one agent run."""
        name = f"{phase.lower()}-{attempt}" + (f"-{role}" if role else "")
        folder = self.runs / cycle_id / name
        remove(folder)
        folder.mkdir(parents=True)
        return folder


def state_home() -> Path:
    """Return ``TDD_STATE_DIR``, else the platform's folder for state."""
    chosen = os.environ.get("TDD_STATE_DIR")
    if chosen:
        return Path(chosen).resolve()
    from platformdirs import user_state_path

    return user_state_path("tdd").resolve()


def places_for(common_dir: Path, name: str) -> Places:
    """Create the folders of this repository. Raises Refused if that fails."""
    real = common_dir.resolve()
    digest = hashlib.sha256(os.fsencode(real)).hexdigest()[:10]
    plain_name = "".join(
        char if char.isascii() and (char.isalnum() or char in "-_") else "-" for char in name
    )
    root = state_home() / "repositories" / f"{plain_name[:40]}-{digest}"
    places = Places(root, root / "agent", root / "proof", root / "runs")
    try:
        places.runs.mkdir(parents=True, exist_ok=True)
        owner = root / "repository"
        if not owner.exists():
            owner.write_text(f"{real}\n", encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        raise_if_of_machine(error)
        raise Refused(
            f"The state folder {root} cannot be written ({error.strerror}).",
            "Make it writable, or set TDD_STATE_DIR to a folder that is.",
        ) from error
    return places


def repository_of_tree(folder: Path) -> Path | None:
    """Return the user's work tree where ``folder`` is in a tree of ours; None elsewhere."""
    for below, above in pairwise((folder, *folder.parents)):
        owner = above / "repository"
        if above.parent.name == "repositories" and below.is_dir() and owner.is_file():
            if above.parent != state_home() / "repositories":
                return None
            common_dir = Path(os.fsdecode(owner.read_bytes().removesuffix(b"\n")))
            return common_dir.parent if common_dir.name == ".git" else None
    return None


@dataclass(frozen=True, slots=True)
class Limits:
    """The largest number of ``entries`` and ``size`` (bytes on disk); the ``newest`` always stay."""

    entries: int
    size: int
    newest: int


LOGS = Limits(entries=100, size=24 << 20, newest=10)  # an entry a test run
RUNS = Limits(entries=300, size=48 << 20, newest=5)  # an entry a cycle


def prune(places: Places) -> int:
    """Remove the oldest logs and transcripts beyond the limits; return how many.

    Raises OSError if one cannot be removed.
    """
    return prune_folder(places.root / "logs", LOGS) + prune_folder(places.runs, RUNS)


def prune_folder(folder: Path, limits: Limits) -> int:
    """Remove the oldest entries of one folder beyond its limits."""
    removed = size = 0
    for number, entry in enumerate(_newest_first(folder)):
        size += _disk_size(entry)
        if number >= limits.newest and (number >= limits.entries or size > limits.size):
            remove(entry)
            removed += 1
    return removed


def _newest_first(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            found = [(entry.stat(follow_symlinks=False).st_mtime, entry.path) for entry in entries]
    except FileNotFoundError:
        return []
    return [Path(path) for _, path in sorted(found, reverse=True)]


def _disk_size(path: Path) -> int:
    """Return the bytes on disk of a file or folder; links are not followed."""
    total = 0
    todo = [os.fspath(path)]
    while todo:
        with suppress(FileNotFoundError, NotADirectoryError), os.scandir(todo.pop()) as entries:
            for entry in entries:
                total += entry.stat(follow_symlinks=False).st_blocks * 512
                if entry.is_dir(follow_symlinks=False):
                    todo.append(entry.path)
    return total + os.lstat(path).st_blocks * 512
