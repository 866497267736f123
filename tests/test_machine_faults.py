"""What disk, memory or a limit did not let us read is not "not there": nothing is lost or accepted for it (T43).

Each row is a reader that says "nothing" of what is missing or may not be read. Where the machine is why, it says so.
"""

from __future__ import annotations

import builtins
import errno
import io
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest

from tdd_orchestrator import process
from tdd_orchestrator.agents.sandbox import Sandbox, _entries, _hidden
from tdd_orchestrator.agents.validate import read_left, scrub
from tdd_orchestrator.app.open_repository import secrets_of
from tdd_orchestrator.audit.run_trees import slots
from tdd_orchestrator.process import child
from tdd_orchestrator.prompting import templates
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.repo.refs import movements
from tdd_orchestrator.runners import loading
from tdd_orchestrator.runners.detect import _paths
from tdd_orchestrator.runners.framework import Ask
from tdd_orchestrator.runners.redacted_run import keep_log_only
from tdd_orchestrator.runners.run import collect_reports
from tdd_orchestrator.testlog.read import read_report
from tdd_orchestrator.workspace import landing, repository_snapshot
from tdd_orchestrator.workspace.folders import listed, places_for, remove
from tdd_orchestrator.workspace.inplace import InPlaceTree
from tdd_orchestrator.workspace.project import editable_roots, site_packages_of
from tdd_orchestrator.workspace.project_modules import text_of
from tdd_orchestrator.workspace.shared import Shared
from tdd_orchestrator.workspace.tree import Tree

_OPENS = (
    (builtins, "open"),
    (io, "open"),
    (os, "open"),
    (os, "scandir"),
    (os, "listdir"),
    (os, "lstat"),
    (os, "stat"),
    (os, "rmdir"),
)


def refuse(monkeypatch: pytest.MonkeyPatch, place: Path, number: int) -> None:
    """Whatever would open, list or look at this one path gets this error."""

    def refusing(real: Callable[..., object]) -> Callable[..., object]:
        def call(path: object = ".", *words: object, **more: object) -> object:
            if isinstance(path, str | Path) and os.fspath(path) == str(place):
                raise OSError(number, os.strerror(number), str(place))
            return real(path, *words, **more)

        return call

    for module, name in _OPENS:
        monkeypatch.setattr(module, name, refusing(getattr(module, name)))


@dataclass(frozen=True)
class Row:
    """``place`` is what cannot be read (a folder where it ends with a slash), ``reads`` who reads it, given the root."""

    place: str
    reads: Callable[[Path], object]

    def __str__(self) -> str:
        return self.place.strip("/").replace("/", "-")


def _secrets(root: Path) -> object:
    git = SimpleNamespace(run=lambda *_: b"")
    found = SimpleNamespace(work_tree=root)
    return secrets_of(
        SimpleNamespace(found=found, config=SimpleNamespace(workspace=SimpleNamespace(link=())), git=git)
    )  # type: ignore[arg-type]


def _in_place(root: Path) -> object:
    return InPlaceTree(Git(root), root, root / "objects", root / "place.git", print)._users()


ROWS = (
    Row("pyproject.toml", lambda root: text_of(root / "pyproject.toml")),
    Row("src/", lambda root: listed(root / "src")),
    Row("venv/lib/", lambda root: site_packages_of(root / "venv")),
    Row("site/a.pth", lambda root: editable_roots(root / "site", root)),
    Row("site2/a.dist-info/direct_url.json", lambda root: editable_roots(root / "site2", root)),
    Row("out/test-list.md", lambda root: read_left(root / "out/test-list.md")),
    Row("left/folder/", lambda root: scrub(root / "left", str)),
    Row("cache/", lambda root: _entries(root / "cache")),
    Row(".env", _secrets),
    Row("tests/a.js", lambda root: loading._read(root, "tests/a.js")),
    Row("sources/", lambda root: list(_paths(root))),
    Row("report.xml", lambda root: read_report(root / "report.xml", 0)),
    Row("runs/report/", lambda root: keep_log_only(root / "runs/log.txt", str)),
    Row("logs/refs/stash", repository_snapshot._stashed),
    Row(
        "logs/refs/notes/tdd",
        lambda root: list(movements(SimpleNamespace(common_dir=root), "refs/notes/tdd")),
    ),  # type: ignore[arg-type]
    Row("code.py", lambda root: landing._is_blob(Git(root), root / "code.py", "0" * 40)),
    Row("reports/a/", lambda root: collect_reports(Ask("junit"), root / "reports", root, 0)),
    Row(".ssh/", lambda root: _hidden(Sandbox(home=root))),
    Row("gone/", lambda root: remove(root / "gone")),
    Row("place.users", _in_place),
    Row("tree.setup", lambda root: Shared(root)._made(root / "tree")),
    Row("tree/.git/HEAD", lambda root: Tree(root / "tree", root).moved_git("", "main")),
)


def _made(root: Path, row: Row) -> Path:
    place = root / row.place
    place.parent.mkdir(parents=True, exist_ok=True)
    if row.place.endswith("/"):
        place.mkdir()
    else:
        place.write_text("KEY=a-secret-of-ours\n")
    return place


@pytest.mark.parametrize("number", [errno.EIO, errno.EMFILE], ids=["EIO", "EMFILE"])
@pytest.mark.parametrize("row", ROWS, ids=str)
def test_what_the_machine_refused_is_not_taken_for_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, row: Row, number: int
) -> None:
    refuse(monkeypatch, _made(tmp_path, row), number)
    with pytest.raises(OSError, match=os.strerror(number)):
        row.reads(tmp_path)


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_what_is_missing_is_nothing(tmp_path: Path, row: Row) -> None:
    (tmp_path / row.place).parent.mkdir(parents=True, exist_ok=True)
    row.reads(tmp_path)
    assert not (tmp_path / row.place).exists(), "reading makes nothing"


def test_a_part_of_a_prompt_that_cannot_be_looked_at_is_no_bug_of_ours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The template engine's own loader says that there is none."""
    part = templates.shipped() / "parts/context.md"
    templates._environment.cache_clear()
    refuse(monkeypatch, part, errno.EIO)
    with pytest.raises(OSError, match="Input/output error"):
        templates._environment().get_template("context.md")


def test_a_process_is_looked_for_again_where_no_file_could_be_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours, that outlived its leader, would live on."""
    looked: list[int] = []

    def pids() -> list[int]:
        looked.append(1)
        if len(looked) < 3:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE), "/proc")
        return []

    monkeypatch.setattr(child, "_proc_pids", pids)
    assert (child.sweep("cookie"), len(looked)) == (0, 3)


def test_that_no_process_could_be_looked_for_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    refuse(monkeypatch, Path("/proc"), errno.EMFILE)
    with pytest.raises(OSError, match="Too many open files"):
        child.sweep("cookie")


@pytest.mark.parametrize(
    "begins",
    [
        lambda root: places_for(root, "kata"),
        lambda root: slots(root / "slots", 1).__enter__(),
        lambda root: Git(root).start("version"),
    ],
    ids=["state", "slots", "git"],
)
def test_what_the_machine_refused_is_not_told_as_a_wrong_set_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, begins: Callable[[Path], object]
) -> None:
    """To make a folder writable or to install git would be of no help."""

    def refused(*_: object, **more: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(Path, "mkdir", refused)
    monkeypatch.setattr(process, "start", refused)
    with pytest.raises(OSError, match="Input/output error"):
        begins(tmp_path)
