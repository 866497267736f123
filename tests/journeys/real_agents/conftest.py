"""The client that a test asks for, before its scripted model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from .clients import install
from .stage import Stage, build

Staged = Callable[..., Stage]


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Staged]:
    """``stage(preset, scenario)``; skips with the reason where the client cannot be installed."""
    made: list[Stage] = []

    def make(preset: str, scenario: dict[str, Any]) -> Stage:
        program, why = install(preset)
        if program is None:
            pytest.skip(why)
        made.append(build(preset, scenario, tmp_path))
        return made[-1]

    yield make
    for one in made:
        one.close()
