"""The local configuration: plain git shows the audit log; done twice changes nothing; undone leaves what was there."""

from __future__ import annotations

from pathlib import Path

from tdd_orchestrator.notes import setup
from tdd_orchestrator.notes.store import Store
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.repo.objects import Objects

from .conftest import plain


def config(where: Path) -> bytes:
    return (where / ".git/config").read_bytes()


def test_plain_git_shows_the_records_and_undo_restores(store: Store, where: Path, git: Git) -> None:
    plain(where, "remote", "add", "Up.Stream", "/nowhere")
    before = config(where)
    head = plain(where, "rev-parse", "HEAD")
    store.append(head, {"kind": "k"}, subject="s")
    planned = setup.plan(git, show_in_log=True)
    assert config(where) == before
    assert setup.apply(git, show_in_log=True).add == planned.add
    assert {one.key for one in planned.add} == {
        "notes.rewriteRef", "notes.rewriteMode", "notes.mergeStrategy", "notes.displayRef", "core.notesRef",
        "remote.Up.Stream.fetch",
    }  # fmt: skip
    assert '"kind":"k"' in plain(where, "notes", "show", head)
    assert '"kind":"k"' in plain(where, "log", "-1")
    after = config(where)
    again = setup.apply(git, show_in_log=True)
    assert again.add == ()
    assert set(again.there) == set(planned.add)
    assert config(where) == after
    assert set(setup.undo(git)) == set(planned.add)
    assert config(where) == before


def test_the_users_own_notes_are_not_hidden(store: Store, where: Path, git: Git) -> None:
    head = plain(where, "rev-parse", "HEAD")
    plain(where, "notes", "add", "-m", "my own", head)
    store.append(head, {"kind": "k"}, subject="s")
    done = setup.apply(git)
    assert "core.notesRef" in dict(done.skipped)
    assert plain(where, "notes", "show", head) == "my own"
    shown = plain(where, "log", "-1")
    assert "my own" in shown
    assert '"kind":"k"' not in shown
    setup.apply(git, show_in_log=True)
    assert '"kind":"k"' in plain(where, "log", "-1")


def test_git_log_prints_what_it_printed_before(store: Store, where: Path, git: Git) -> None:
    (where / "more").write_text("more\n")
    plain(where, "add", "more")
    plain(where, "commit", "-q", "-m", "feat: more", "-m", "A body\nof two lines.\n\n  indented")
    shapes = [(), ("-p",), ("--stat",), ("--graph",), ("--color=always", "--decorate"), ("--date=iso", "-1")]
    before = [plain(where, "log", "--decorate", *shape) for shape in shapes]
    shown = plain(where, "show", "--decorate")
    store.append(plain(where, "rev-parse", "HEAD"), {"kind": "k"}, subject="s")
    setup.apply(git)
    assert [plain(where, "log", "--decorate", *shape) for shape in shapes] == before
    assert plain(where, "show", "--decorate") == shown
    assert '"kind":"k"' in plain(where, "notes", "show")
    assert '"kind":"k"' in plain(where, "log", "--pretty=medium", "--notes")
    setup.apply(git, show_in_log=True)
    assert '"kind":"k"' in plain(where, "log")


def test_a_format_of_the_users_own_stays(where: Path, git: Git) -> None:
    plain(where, "config", "format.pretty", "fuller")
    before = config(where)
    assert "format.pretty" in dict(setup.apply(git).skipped)
    assert plain(where, "config", "format.pretty") == "fuller"
    setup.undo(git)
    assert config(where) == before


def test_what_the_user_has_set_stays(where: Path, git: Git) -> None:
    plain(where, "config", "core.notesRef", "refs/notes/mine")
    plain(where, "config", "notes.rewriteRef", "refs/notes/mine")
    plain(where, "config", "notes.mergeStrategy", "ours")
    before = config(where)
    done = setup.apply(git)
    assert set(dict(done.skipped)) == {"core.notesRef", "notes.mergeStrategy"}
    assert plain(where, "config", "core.notesRef") == "refs/notes/mine"
    assert "format.pretty" not in plain(where, "config", "--list")
    assert plain(where, "config", "--get-all", "notes.rewriteRef").split() == [
        "refs/notes/mine",
        "refs/notes/tdd*",
    ]
    setup.undo(git)
    assert config(where) == before


def test_a_fetch_never_touches_the_live_ref(store: Store, where: Path, tmp_path: Path) -> None:
    plain(tmp_path, "clone", "-q", str(where), "copy")
    copy = tmp_path / "copy"
    store.append(plain(where, "rev-parse", "HEAD"), {"kind": "k"}, subject="s")
    with Git(copy / ".git", copy) as git:
        setup.apply(git)
    plain(copy, "update-ref", "refs/notes/tdd", plain(copy, "commit-tree", "-m", "unsent", "HEAD^{tree}"))
    unsent = plain(copy, "rev-parse", "refs/notes/tdd")
    plain(copy, "fetch", "-q")
    assert plain(copy, "rev-parse", "refs/notes/tdd") == unsent
    assert plain(copy, "rev-parse", "refs/notes/remotes/origin/tdd") == plain(
        where, "rev-parse", "refs/notes/tdd"
    )


def test_a_ref_of_the_users_choice_is_the_one_that_git_shows(where: Path, git: Git, objects: Objects) -> None:
    before = config(where)
    head = plain(where, "rev-parse", "HEAD")
    Store(git, objects, "refs/notes/tdd-team").append(head, {"kind": "k"}, subject="s")
    setup.apply(git, "refs/notes/tdd-team")
    assert '"kind":"k"' in plain(where, "notes", "show", head)
    assert setup.plan(git, "refs/notes/tdd-team").add == ()
    setup.undo(git, "refs/notes/tdd-team")
    assert config(where) == before


def test_another_ref_takes_the_place_of_the_one_that_we_set(where: Path, git: Git) -> None:
    before = config(where)
    setup.apply(git)
    assert setup.apply(git, "refs/notes/tdd-team").skipped == ()
    assert plain(where, "config", "--get-all", "core.notesRef") == "refs/notes/tdd-team"
    setup.undo(git, "refs/notes/tdd-team")
    assert config(where) == before
