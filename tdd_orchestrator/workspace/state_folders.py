"""The folders of one repository in the user's state folder: trees, transcripts, logs."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
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
