"""The same attacks inside bubblewrap: they do not reach the user's repository at all (T24, T28, T29)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tdd_orchestrator.agents.sandbox import Sandbox, available, wrap
from tdd_orchestrator.process import run

from .rows import TOOLS, agents
from .stage import GREEN, Row, Stage, play, templates, wrong

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(available() is not None, reason=f"no bubblewrap here: {available()}"),
]
_TRIED = """
def tried(source):
    try:
        exec(source, globals())
    except OSError:
        pass
"""
SCENES = [row.scene.removeprefix(TOOLS + GREEN) for row in agents("attacks")]
ALL = TOOLS + GREEN + _TRIED + "".join(f"tried({scene!r})\n" for scene in SCENES)


@pytest.fixture(scope="module")
def boxed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Stage]:
    return templates(tmp_path_factory.mktemp("boxed"), '[workspace]\nsandbox = "bubblewrap"\n')


def test_no_attack_reaches_the_user(boxed: dict[str, Stage], tmp_path: Path, record_property: Any) -> None:
    incidents: list[dict[str, Any]] = []
    row = Row("sandbox", "every attack at once", "GREEN", ALL, "T")
    done, broken = play(boxed, tmp_path, [row], lambda kata: incidents.extend(kata.records("incident")))
    record_property("hostile", (row.threat, "variants", "tolerated"))
    assert [wrong(one) for one in done] + broken == [""]
    assert incidents == []


def test_a_program_that_is_a_link_can_be_shown(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "bin").mkdir(parents=True)
    (home / "bin" / "python").symlink_to("/bin/sh")
    boxed = wrap(["/bin/sh", "-c", "true"], Sandbox(readable=(home / "bin" / "python",)), Path("/"))
    assert run(boxed).exit_code == 0
