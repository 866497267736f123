"""Forms of regular expressions that not every Python of ours reads rightly."""

from __future__ import annotations

import re
from pathlib import Path

import tdd_orchestrator

ROOT = Path(tdd_orchestrator.__file__).parent
COUNTED = re.compile(r"\)\{[0-9,]+\}\+")


def test_no_group_is_possessive_and_counted() -> None:
    """Before 3.11.4 Python gives up what stands in such a group, and finds nothing or something else."""
    assert COUNTED.search(r"(?:a|b){3,}+")
    assert [path.name for path in ROOT.rglob("*.py") if COUNTED.search(path.read_text("utf-8"))] == []
