"""States of a repository that are refused or borne: each has its sentence, and what is refused changes nothing (T46-T50)."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from wreck import Room


def bare(room: Room) -> Path:
    room.git("clone", "-q", "--bare", ".", str(room.folder / "bare.git"))
    return room.folder / "bare.git"


def nothing(room: Room) -> Path:
    (room.folder / "empty").mkdir()
    return room.folder / "empty"


def unborn(room: Room) -> None:
    room.git("symbolic-ref", "HEAD", "refs/heads/fresh")


def detached(room: Room) -> None:
    room.git("switch", "-q", "--detach")


def merging(room: Room) -> None:
    room.git("update-ref", "MERGE_HEAD", "HEAD")


def rebasing(room: Room) -> None:
    (room.root / ".git/rebase-merge").mkdir()


def nobody(room: Room) -> None:
    room.git("config", "--unset", "user.name")


def key(room: Room, old: str, new: str) -> None:
    path = room.root / "tdd.toml"
    path.write_text(path.read_text().replace(old, new))


def no_such_command(room: Room) -> None:
    key(room, '"sh run.sh"', '"no-such-program run"')


def unknown_key(room: Room) -> None:
    key(room, "[test]\n", "[test]\ncomand = 1\n")


def not_toml(room: Room) -> None:
    key(room, "[test]\n", "[test\n")


def failing(room: Room) -> None:
    room.write("tests/test_greet.sh", "echo 'expected hello'; exit 1\n")
    room.git("commit", "-q", "-m", "test: fails", "--", "tests/test_greet.sh")


def no_items(room: Room) -> None:
    for item in room.tdd("plan", "list", "--json").json["items"]:
        room.tdd("plan", "remove", item["id"])


def locked_index(room: Room) -> None:
    (room.root / ".git/index.lock").touch()


def corrupted(room: Room) -> None:
    note(room, "this is not a record")


def newer(room: Room) -> None:
    note(
        room,
        '{"at":"2031-01-01T00:00:00.000000Z","id":"01ZZZZZZZZZZZZZZZZZZZZZZZZ","v":99,"kind":"handoff","prev":""}',
    )


def note(room: Room, text: str) -> None:
    assert room.tdd("cycle", "next", "--phase").code == 0
    tip = room.git("log", "-1", "--format=%b", "refs/notes/tdd")
    assert tip
    noted = [line.split()[1] for line in room.git("notes", "--ref=tdd", "list").splitlines()]
    for commit in noted:
        room.git("notes", "--ref=tdd", "add", "-f", "-m", text, commit)


@pytest.mark.parametrize(
    ("make", "code", "words"),
    [
        (nothing, 2, ("not in a git repository", "git init")),
        (bare, 2, ("bare",)),
        (unborn, 2, ("no commit yet", "git commit")),
        (detached, 2, ("detached", "git switch")),
        (merging, 2, ("merge is in progress",)),
        (rebasing, 2, ("rebase is in progress",)),
        (nobody, 2, ("who you are", "user.name")),
        (no_such_command, 2, ("no-such-program",)),
        (unknown_key, 2, ("tdd.toml", "comand", "command")),
        (not_toml, 2, ("tdd.toml:1:", "not valid TOML")),
        (failing, 2, ("tests/test_greet.sh", "known_failing")),
        (no_items, 2, ("plan is empty", "tdd plan add")),
        (newer, 2, ("later version",)),
    ],
    ids=lambda value: value.__name__ if callable(value) else None,
)  # fmt: skip
def test_is_refused_and_nothing_changes(
    room: Room, make: Callable[[Room], Path | None], code: int, words: tuple[str, ...]
) -> None:
    where = make(room)
    before, head = room.snapshot(), room.git("rev-parse", "-q", "--verify", "HEAD", check=False)
    done = room.tdd("cycle", "next", cwd=where)
    assert done.code == code, done.err
    said = " ".join(done.err.split())
    assert [word for word in words if word not in said] == [], said
    assert room.snapshot() == before
    assert room.git("rev-parse", "-q", "--verify", "HEAD", check=False) == head
    assert len(room.agent_calls()) <= 1


def test_records_that_others_overwrote_are_found_again_or_refused(room: Room) -> None:
    corrupted(room)
    before = room.snapshot()
    done = room.tdd("cycle", "next")
    assert done.code in (0, 2), done.err
    assert "bug of ours" not in done.err
    if done.code:
        assert room.snapshot() == before


def test_a_baseline_that_fails_goes_on_with_the_failures_known(room: Room) -> None:
    failing(room)
    key(room, "[test]\n", '[test]\nknown_failing = ["tests/test_greet.sh"]\n')
    done = room.tdd("cycle", "next")
    assert done.code == 0, done.err
    assert room.subjects()[-1] == "feat: doubles a number"


def test_an_index_lock_stops_the_landing_and_is_left_where_it_is(room: Room) -> None:
    locked_index(room)
    head = room.git("rev-parse", "HEAD")
    done = room.tdd("cycle", "next")
    assert done.code == 2
    assert "index.lock exists" in done.err
    assert room.git("rev-parse", "HEAD") == head
    (room.root / ".git/index.lock").unlink()
    calls = len(room.agent_calls())
    assert room.tdd("cycle", "next").code == 0
    assert len(room.agent_calls()) == calls


def test_a_state_folder_that_cannot_be_made_is_said(room: Room) -> None:
    (room.folder / "file").write_text("not a folder\n")
    before = room.snapshot()
    done = room.tdd("cycle", "next", env={"TDD_STATE_DIR": str(room.folder / "file")})
    assert done.code == 2
    assert "state folder" in done.err
    assert "TDD_STATE_DIR" in done.err
    assert room.snapshot() == before


def test_hooks_of_the_user_are_never_run_and_gpg_never_asks(room: Room) -> None:
    mark = room.folder / "ran"
    for name in (
        "pre-commit",
        "commit-msg",
        "post-commit",
        "reference-transaction",
        "post-checkout",
        "post-index-change",
        "post-merge",
    ):
        hook = room.root / ".git/hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\necho {name} >> {mark}\nexit 1\n")
        hook.chmod(0o755)
    gpg = room.folder / "gpg"
    gpg.write_text("#!/bin/sh\nsleep 600\n")
    gpg.chmod(0o755)
    for name, value in (("commit.gpgSign", "true"), ("tag.gpgSign", "true"), ("gpg.program", str(gpg))):
        room.git("config", name, value)
    done = room.tdd("cycle", "next")
    assert done.code == 0, done.err
    assert not mark.exists(), mark.read_text()


def lands(room: Room, root: Path, **env: str) -> None:
    done = room.tdd("cycle", "next", cwd=root, env=env)
    assert done.code == 0, done.err
    said = subprocess.run(
        ["git", "log", "-1", "--format=%s"], cwd=root, capture_output=True, text=True, check=True
    )
    assert said.stdout == "feat: doubles a number\n"


def test_a_shallow_clone(room: Room) -> None:
    clone = room.folder / "shallow"
    subprocess.run(["git", "clone", "-q", "--depth=1", f"file://{room.root}", str(clone)], check=True)
    for name, value in (("user.name", "Ada"), ("user.email", "ada@example.org")):
        subprocess.run(["git", "config", name, value], cwd=clone, check=True)
    assert room.tdd("plan", "add", "doubles a number", cwd=clone).code == 0
    lands(room, clone)


def test_a_linked_work_tree(room: Room) -> None:
    other = room.folder / "linked"
    room.git("worktree", "add", "-q", "-b", "topic", str(other))
    lands(room, other)
    assert room.git("status", "--porcelain", "--ignored") == room.theirs["status"]


def test_a_repository_with_a_submodule(room: Room) -> None:
    inner = room.folder / "inner"
    subprocess.run(["git", "clone", "-q", str(room.root), str(inner)], check=True)
    room.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "vendor/inner")
    room.git("commit", "-q", "-m", "chore: vendor", "--", ".gitmodules", "vendor/inner")
    lands(room, room.root)
    assert (room.root / "vendor/inner/run.sh").exists()


def test_locale_c_and_no_home_and_bytes_that_are_no_text(room: Room) -> None:
    name = os.fsencode(room.root) + b"/na\xefve \xff.txt"
    with open(name, "wb") as file:
        file.write(b"\xff\xfe\n")
    room.git("add", "--", ".")
    room.write("run.sh", "printf 'caf\\351 \\200 bytes\\n'\n" + (room.root / "run.sh").read_text())
    room.git("commit", "-q", "-a", "-m", "chore: odd names")
    child = subprocess.run(
        ["env", "-u", "HOME", "LC_ALL=C", "PYTHONUTF8=0", "sh", "-c", 'exec "$@"', "sh", *room.command("cycle", "next")],
        cwd=room.root, env={**os.environ, **room.command_env()}, capture_output=True, check=False,
    )  # fmt: skip
    assert child.returncode == 0, child.stderr
    assert os.path.exists(name)


def test_lines_that_end_in_crlf(room: Room) -> None:
    room.git("config", "core.autocrlf", "true")
    room.write("crlf.txt", "one\r\ntwo\r\n")
    room.git("add", "crlf.txt")
    room.git("commit", "-q", "-m", "docs: crlf", "--", "crlf.txt")
    lands(room, room.root)
    assert (room.root / "crlf.txt").read_bytes() == b"one\r\ntwo\r\n"


def test_dates_in_the_future(room: Room) -> None:
    ahead = "2099-01-01T00:00:00+0000"
    subprocess.run(
        ["git", "commit", "-q", "--allow-empty", "-m", "chore: ahead", "--only"], cwd=room.root, check=True,
        env={**os.environ, "GIT_AUTHOR_DATE": ahead, "GIT_COMMITTER_DATE": ahead},
    )  # fmt: skip
    lands(room, room.root)
