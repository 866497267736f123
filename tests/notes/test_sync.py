"""Two clones and a remote: whatever is written where, and however often they meet, no record is lost."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tdd_orchestrator.model.errors import Paused, Refused
from tdd_orchestrator.notes import known_good, setup
from tdd_orchestrator.notes.plan_ref import PlanRef
from tdd_orchestrator.notes.rewritten import refind
from tdd_orchestrator.notes.store import Store
from tdd_orchestrator.notes.sync import sync
from tdd_orchestrator.repo import refs
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.repo.objects import Objects

from .conftest import archived, commit, plain


@contextmanager
def opened(where: Path) -> Iterator[tuple[Git, Objects, Store]]:
    with Git(where / ".git", where) as git, Objects(git, sync=False) as objects:
        yield git, objects, Store(git, objects)


@pytest.fixture
def clones(where: Path, tmp_path: Path) -> list[Path]:
    plain(tmp_path, "clone", "-q", "--bare", str(where), "hub.git")
    made = []
    for name in ("ann", "bob"):
        plain(tmp_path, "clone", "-q", "hub.git", name)
        made.append(tmp_path / name)
    return made


def every_id(where: Path) -> set[str]:
    with opened(where) as (_, _, store):
        by_note = {record["id"] for note in store.all() for record in note.strictly()}
        by_trail = {entry.record["id"] for entry in store.trail()}
        assert by_note == by_trail
        return by_note


def operate(where: Path, rng: random.Random, number: int, ids: set[str]) -> None:
    """One thing that a person or the orchestrator does in a clone."""
    with opened(where) as (git, objects, store):
        head = plain(where, "rev-parse", "HEAD")
        match rng.choice(
            [
                "record",
                "record",
                "record",
                "attempt",
                "plan",
                "gc",
                "commit",
                "sync",
                "evidence",
                "foreign",
                "fold",
            ]
        ):
            case "record":
                ids.add(
                    store.append(
                        head, {"kind": "k", "known_good": rng.random() < 0.3}, subject=f"s{number}"
                    ).id
                )
            case "attempt":
                oid = plain(where, "commit-tree", "-p", head, "-m", f"a{number}", "HEAD^{tree}")
                pin = f"refs/tdd/attempts/{where.name}/{number}"
                ids.add(store.append(oid, {"kind": "k"}, subject="s", pins={pin: oid}).id)
            case "plan":
                PlanRef(git, objects).save(
                    [{"id": f"i{rng.randrange(5)}", "title": f"{where.name} {number}"}]
                )
            case "gc":
                plain(where, "gc", "-q")
            case "commit":
                commit(where, f"{where.name}{number}")
            case "sync":
                sync(git, objects)
            case "evidence":
                blob = store.evidence(f"{where.name}{number}".encode())
                ids.add(store.append(head, {"kind": "k", "evidence": blob}, subject="s").id)
            case "foreign":
                line = f'{{"at":"2026-01-01T00:00:00.{number:03}Z","id":"{where.name}{number}","v":1,"kind":"by hand"}}'
                plain(where, "notes", "--ref=tdd", "append", "-m", line, head)
                ids.add(f"{where.name}{number}")
            case "fold":
                known_good.fold(git, objects, limit=4)


def meet(clones: list[Path], ids: set[str]) -> None:
    for where in (*clones, *clones):
        with opened(where) as (git, objects, _):
            assert sync(git, objects).clashing == []
    for where in clones:
        assert every_id(where) == ids
        assert plain(where, "fsck", "--strict", "--no-dangling") == ""
    for ref in ("refs/notes/tdd", "refs/notes/tdd-plan", "refs/tdd/evidence", "refs/tdd/archive"):
        assert len({plain(where, "for-each-ref", "--format=%(objectname)", ref) for where in clones}) == 1
    plans = []
    for where in clones:
        with opened(where) as (git, objects, _):
            plans.append(PlanRef(git, objects).load())
    assert plans[0] == plans[1]


@pytest.mark.parametrize("seed", range(4))
def test_random_operations_lose_nothing(clones: list[Path], seed: int) -> None:
    assert run(clones, random.Random(seed), 60) > 10


@pytest.mark.slow
def test_a_thousand_random_operations_lose_nothing(clones: list[Path]) -> None:
    assert run(clones, random.Random(99), 1000) > 200


def run(clones: list[Path], rng: random.Random, count: int) -> int:
    """How many records the clones have in the end, all of them in each."""
    ids: set[str] = set()
    for number in range(count):
        operate(rng.choice(clones), rng, number, ids)
    meet(clones, ids)
    return len(ids)
    attempts = set()
    for where in clones:
        with opened(where) as (git, _, _):
            attempts |= {name for name, _ in (*known_good.listed(git), *archived(git))}
            for _, oid in archived(git):
                assert git.finished("cat-file", "-e", oid).exit_code == 0
    assert ids
    assert attempts


def test_both_at_once_retry_until_both_are_in(clones: list[Path]) -> None:
    head = plain(clones[0], "rev-parse", "HEAD")
    ids: set[str] = set()
    failures: list[BaseException] = []

    def work(where: Path) -> None:
        try:
            with opened(where) as (git, objects, store):
                for number in range(6):
                    ids.add(store.append(head, {"kind": "k", "n": number}, subject="s").id)
                    sync(git, objects)
        except BaseException as error:
            failures.append(error)
            raise

    threads = [threading.Thread(target=work, args=(where,)) for where in clones]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    meet(clones, ids)


def test_a_clone_of_a_clone_gets_everything(clones: list[Path], tmp_path: Path) -> None:
    head = plain(clones[0], "rev-parse", "HEAD")
    with opened(clones[0]) as (git, objects, store):
        written = store.append(head, {"kind": "k"}, subject="s", pins={"refs/tdd/attempts/c/1": head})
        done = sync(git, objects)
    assert sorted(done.sent) == ["refs/notes/tdd", "refs/tdd/attempts/c/1"]
    hub = plain(tmp_path / "hub.git", "for-each-ref", "--format=%(refname)").split()
    assert "refs/tdd/good" not in hub
    assert not any("remotes" in ref for ref in hub)
    with opened(clones[1]) as (git, objects, store):
        assert store.last() is None
        assert sync(git, objects, push=False).received == ["refs/notes/tdd"]
        last = store.last()
        assert last is not None
        assert last.record["id"] == written.id
        again = sync(git, objects)
        assert (again.received, again.sent, again.tries) == ([], [], 1)


def test_nothing_is_forced_and_a_clash_is_reported(clones: list[Path], tmp_path: Path) -> None:
    oids = []
    for where in clones:
        oids.append(plain(where, "commit-tree", "-m", where.name, "HEAD^{tree}"))
        plain(where, "update-ref", "refs/tdd/attempts/c/1", oids[-1])
        with opened(where) as (git, objects, _):
            done = sync(git, objects)
    assert done.clashing == ["refs/tdd/attempts/c/1"]
    assert plain(tmp_path / "hub.git", "rev-parse", "refs/tdd/attempts/c/1") == oids[0]
    assert plain(clones[1], "rev-parse", "refs/tdd/attempts/c/1") == oids[1]
    assert plain(clones[1], "rev-parse", "refs/tdd/remotes/origin/attempts/c/1") == oids[0]


@pytest.mark.parametrize("remote", ["nowhere", "--upload-pack=touch x", ""])
def test_only_a_configured_remote(clones: list[Path], remote: str) -> None:
    with opened(clones[0]) as (git, objects, _), pytest.raises(Refused, match="no remote"):
        sync(git, objects, remote)


def test_a_remote_out_of_reach_pauses(clones: list[Path], tmp_path: Path) -> None:
    (tmp_path / "hub.git").rename(tmp_path / "away.git")
    with opened(clones[0]) as (git, objects, store):
        store.append(plain(clones[0], "rev-parse", "HEAD"), {"kind": "k"}, subject="s")
        with pytest.raises(Paused, match="cannot be reached"):
            sync(git, objects)
        assert store.last() is not None


def _hook(hub: Path, name: str) -> None:
    said = "GL-HOOK-ERR: sk-ant-api03-" + "Zq9" * 12 + " \\033[31mis not wanted"
    (hub / "hooks").mkdir(exist_ok=True)
    (hub / "hooks" / name).write_text(f"#!/bin/sh\nprintf '{said}\\n' >&2\nexit 1\n")
    (hub / "hooks" / name).chmod(0o755)


def _fsck(hub: Path, clone: Path) -> None:
    plain(hub, "config", "receive.fsckObjects", "true")
    blob = plain(
        clone, "hash-object", "-w", "--stdin", stdin='[submodule "../../x"]\n\tpath = x\n\turl = ./x\n'
    )
    tree = plain(clone, "mktree", stdin=f"100644 blob {blob}\t.gitmodules\n")
    plain(clone, "update-ref", "refs/tdd/attempts/c/red-1", plain(clone, "commit-tree", "-m", "x", tree))


def _blob(hub: Path, ref: str = "refs/notes/tdd") -> None:
    plain(hub, "update-ref", ref, plain(hub, "hash-object", "-w", "--stdin", stdin="x"))


REFUSALS = {
    # what is wrong with the remote: how it comes to be, what is said
    "a hook": (lambda hub, _: _hook(hub, "pre-receive"), r"origin refused .*GL-HOOK-ERR: \[redacted"),
    "a hook for one ref": (lambda hub, _: _hook(hub, "update"), r"origin refused .*GL-HOOK-ERR: \[redacted"),
    "a check of objects": (_fsck, "origin refused .*disallowed submodule name"),
    "a blob for a history": (lambda hub, _: _blob(hub), "refs/notes/tdd at origin is a blob"),
    "a folder of refs": (
        lambda hub, _: plain(hub, "update-ref", "refs/notes/tdd/x", "HEAD"),
        "origin .*refs/notes/tdd/x",
    ),
    "a mirror": (lambda _, clone: plain(clone, "config", "remote.origin.mirror", "true"), "mirror"),
}


@pytest.mark.parametrize(("make", "said"), REFUSALS.values(), ids=REFUSALS)
def test_a_remote_that_refuses_is_not_out_of_reach(
    clones: list[Path], tmp_path: Path, make: Callable[[Path, Path], object], said: str
) -> None:
    make(tmp_path / "hub.git", clones[0])
    with opened(clones[0]) as (git, objects, store):
        store.append(plain(clones[0], "rev-parse", "HEAD"), {"kind": "k"}, subject="s")
        for _ in range(2):
            with pytest.raises(Refused, match=said) as refused:
                sync(git, objects)
            assert refused.value.what.isprintable()
            assert refused.value.todo
        assert store.last() is not None


def test_what_git_says_of_a_remote_out_of_reach_is_shown_without_secrets(
    clones: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HUB_TOKEN", "hunter2hunter2hunter2")
    plain(clones[0], "remote", "set-url", "origin", "/nowhere/hunter2hunter2hunter2/hub.git")
    with opened(clones[0]) as (git, objects, _), pytest.raises(Paused, match="cannot be reached") as paused:
        sync(git, objects)
    assert "hunter2" not in str(paused.value)


def test_records_follow_amend_and_rebase_and_are_found_again_after_the_rest(where: Path) -> None:
    with opened(where) as (git, objects, store):
        setup.apply(git)
        base = plain(where, "rev-parse", "HEAD")
        plain(where, "checkout", "-q", "-b", "work")
        done = {}
        for name in ("alpha", "beta"):
            (where / name).write_text(f"{name}\n")
            plain(where, "add", name)
            plain(where, "commit", "-q", "-m", name)
            done[name] = plain(where, "rev-parse", "HEAD")
            store.append(done[name], {"kind": "k", "name": name}, subject=name)
        plain(where, "commit", "-q", "--amend", "-m", "beta, amended")
        amended = plain(where, "rev-parse", "HEAD")
        assert [record["name"] for record in store.of(amended).records] == ["beta"]
        plain(where, "checkout", "-q", "-b", "upstream", base)
        commit(where, "moved on")
        plain(where, "cherry-pick", done["alpha"], amended)
        picked, earlier = plain(where, "rev-parse", "HEAD"), plain(where, "rev-parse", "HEAD~1")
        plain(where, "checkout", "-q", "-b", "squash", base)
        plain(where, "merge", "-q", "--squash", "work")
        plain(where, "commit", "-q", "-m", "squashed")
        squashed = plain(where, "rev-parse", "HEAD")
        stranger = commit(where, "unknown")
        found = refind(git, objects, store, [amended, earlier, squashed, picked, stranger])
        assert (found[amended].how, found[amended].commits) == ("commit", (amended,))
        assert (found[earlier].how, found[earlier].commits) == ("patch", (done["alpha"],))
        assert (found[squashed].how, set(found[squashed].commits)) == ("tree", {done["beta"], amended})
        assert len(found[squashed].commits) > 1
        assert (found[picked].how, set(found[picked].commits)) == ("patch", {done["beta"], amended})
        assert found[stranger].how == ""
        plain(where, "checkout", "-q", "work")
        plain(where, "rebase", "-q", "upstream~2")
        rebased = plain(where, "rev-parse", "HEAD")
        assert [record["name"] for record in store.of(rebased).records] == ["beta"]
        store.append(rebased, {"kind": "k"}, subject="goes on")
        assert {entry.record.get("name") for entry in store.trail()} == {"alpha", "beta", None}


def test_pins_are_folded_and_still_listed(where: Path) -> None:
    with opened(where) as (git, objects, _):
        wanted = set()
        for number in range(12):
            oid = plain(where, "commit-tree", "-m", f"a{number}", "HEAD^{tree}")
            plain(where, "update-ref", f"refs/tdd/attempts/c/{number}", oid)
            wanted.add((f"refs/tdd/attempts/c/{number}", oid))
        assert known_good.fold(git, objects, limit=12) == 0
        assert known_good.fold(git, objects, limit=6) == 9
        assert len(known_good.listed(git)) == 3
        for number in range(12, 20):
            oid = plain(where, "commit-tree", "-m", f"a{number}", "HEAD^{tree}")
            refs.update(git, [(f"refs/tdd/attempts/c/{number}", oid, None)])
            wanted.add((f"refs/tdd/attempts/c/{number}", oid))
        assert known_good.fold(git, objects, limit=6) == 8
        plain(where, "-c", "gc.reflogExpire=now", "gc", "-q", "--prune=now")
        assert {*known_good.listed(git), *archived(git)} == wanted
        assert plain(where, "fsck", "--strict", "--no-dangling") == ""
        assert all(git.finished("cat-file", "-e", oid).exit_code == 0 for _, oid in wanted)
