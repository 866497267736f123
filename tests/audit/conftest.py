"""A repository with two real cycles, made once: every test gets a copy of its own to tamper with."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from kit import GREEN, RED, Kata

from tdd_orchestrator.app.open_repository import OpenRepository
from tdd_orchestrator.audit.findings import Finding
from tdd_orchestrator.audit.verify import Audit, audit

WRONG = 'write("double.py", "def double(number):\\n    return number + 3\\n")'
RED_2 = '''
write("tests/test_triple.py", """
from double import triple


def test_triples():
    assert triple(2) == 6
""")
'''
GREEN_2 = 'pathlib.Path("double.py").write_text(pathlib.Path("double.py").read_text() + "\\n\\ndef triple(number):\\n    return number + number + number\\n")'
REFACTOR_2 = 'pathlib.Path("double.py").write_text(pathlib.Path("double.py").read_text().replace("number + number + number", "number * 3"))'


class Copied(Kata):
    """A kata that was made elsewhere."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def check(self, wanted: str = "HEAD", **options: bool) -> Audit:
        """The audit without a replay, in this process."""
        with OpenRepository(self.root) as opened:
            return audit(opened.git, opened.objects, opened.store, wanted, **options)

    def findings(self, wanted: str = "HEAD", **options: bool) -> list[Finding]:
        return self.check(wanted, **options).findings

    def rules(self, wanted: str = "HEAD", **options: bool) -> set[str]:
        return {finding.rule for finding in self.findings(wanted, **options)}

    def note(self, commit: str = "HEAD") -> list[str]:
        return self.git("notes", "--ref=tdd", "show", commit).splitlines()

    def set_note(self, commit: str, lines: list[str]) -> None:
        path = self.root / ".git" / "new-note"
        path.write_text("\n".join(lines) + "\n")
        self.git("notes", "--ref=tdd", "add", "-f", "-F", str(path), commit)


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Kata:
    """Two cycles: one with a refused attempt and no refactoring, one with all three phases."""
    folder = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(("GIT_", "TDD_", "XDG_"))]:
            patch.delenv(name)
        patch.setenv("HOME", str(folder / "home"))
        patch.setenv("TDD_STATE_DIR", str(folder / "state"))
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        patch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
        kata = Kata(folder)
        kata.plan("doubles a number")
        kata.plan("triples a number")
        kata.script(red=[RED, RED_2], green=[WRONG, GREEN, GREEN_2], refactor=["", REFACTOR_2])
        for _ in range(2):
            done = kata.next()
            assert done.code == 0, done.err
        assert kata.subjects() == [
            "chore: begin",
            "test: doubles a number", "feat: doubles a number",
            "test: triples a number", "feat: triples a number", "refactor: triples a number",
        ]  # fmt: skip
    return kata


@pytest.fixture
def kata(made: Kata, tmp_path: Path) -> Copied:
    root = tmp_path / "kata"
    shutil.copytree(made.root, root, symlinks=True)
    return Copied(root)
