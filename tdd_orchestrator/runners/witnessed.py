"""Whether a passing run of a suite is believed only with the word of a witness in the runner's own process."""

from __future__ import annotations

import os
from pathlib import Path

from tdd_orchestrator.runners import unittest_run
from tdd_orchestrator.runners.run import Suite
from tdd_orchestrator.runners.wrappers import Reach, reach


def is_witnessed(suite: Suite, root: Path) -> bool:
    """pytest's text alone is never believed, unless it runs where nothing of ours gets to; that of unittest, Django and
    nose2 is where the witness may not have been heard."""
    row, cwd = suite.framework, root / suite.cwd
    how = reach(suite.command, cwd, row.signs.words)
    if row.ask.format == "witness":
        return how is not Reach.OPAQUE
    path = os.environ.get("PATH", os.defpath)
    return row.confirmed and how is Reach.DIRECT and unittest_run.heard_of(suite.command, cwd, path)
