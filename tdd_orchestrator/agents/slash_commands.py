"""Whether a specialist is called by a slash command of the user's own (A8)."""

from __future__ import annotations

from pathlib import Path

from tdd_orchestrator.agents.agent import Request
from tdd_orchestrator.agents.preset import Preset
from tdd_orchestrator.agents.validate import read_left


def called(preset: Preset, request: Request, root: Path | None) -> str:
    """The command's name, or "" where the specialist is a role prompt. The command must lie in the agent's
    tree as it lies in the user's, ``root``: one that an agent wrote or changed, or put beside the user's, is
    not called."""
    if request.phase != "fix" or root is None:
        return ""
    places = [place.format(name=request.role) for place in preset.commands]
    mine, given = ([read_left(tree / place) for place in places] for tree in (root, request.tree))
    return request.role if any(mine) and mine == given else ""
