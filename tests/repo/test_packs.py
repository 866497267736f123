"""Packs read without git: the same answers as git's, or none at all."""

from __future__ import annotations

import random
import shutil
import stat
from pathlib import Path

import pytest

from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.repo.objects import Objects
from tdd_orchestrator.repo.packs import MOST_PACKS, Packs

from .conftest import plain, repository, seal


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Trees, commits and blobs that git packs as long chains of deltas, and a tag."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("made")
        seal(folder, patch)
        where = repository(folder)
        random.seed(1)
        lines = [f"{random.random()} line {number}\n" for number in range(3000)]
        for number in range(40):
            lines[number * 7] = f"changed {number}\n"
            lines.insert(number * 3, "more\n")
            (where / "long.txt").write_text("".join(lines))
            (where / f"file{number}.txt").write_text(f"{number}\n" * 50)
            plain(where, "add", "--all")
            plain(where, "commit", "-q", "-m", f"grüße {number}")
        plain(where, "tag", "-a", "-m", "one", "v1")
    return where


@pytest.fixture
def history(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "history"))


def packed(where: Path, *options: str) -> Path:
    plain(where, *options, "repack", "-a", "-d", "-f", "-q", "--depth=50", "--window=50")
    plain(where, "prune-packed", "-q")
    (index,) = (where / ".git/objects/pack").glob("*.idx")
    return index


def everything(where: Path) -> list[str]:
    words = ("cat-file", "--batch-all-objects", "--batch-check=%(objectname)")
    return plain(where, *words).split()


def same_as_git(where: Path) -> int:
    """Compares every object with git's answer; returns how many were read without git."""
    packs, read = Packs(where / ".git/objects"), 0
    with Git(where / ".git") as git:
        for oid in everything(where):
            found = packs.find(oid)
            if found is not None:
                kind = git.line("cat-file", "-t", oid)
                assert found == (kind, git.run("cat-file", kind, oid))
                read += 1
    packs.close()
    return read


@pytest.mark.parametrize("option", ["repack.useDeltaBaseOffset=true", "repack.useDeltaBaseOffset=false"])
def test_every_object_as_git_reads_it(history: Path, option: str) -> None:
    index = packed(history, "-c", option)
    chains = plain(history, "verify-pack", "-v", str(index))
    assert "chain length = 9" in chains  # or this would prove nothing about deltas
    assert same_as_git(history) == len(everything(history))


def test_an_index_with_offsets_of_eight_bytes(history: Path) -> None:
    index = packed(history)
    pack = index.with_suffix(".pack")
    index.chmod(stat.S_IRUSR | stat.S_IWUSR)
    plain(history, "index-pack", "--index-version=2,0x40", "-o", str(index), str(pack))
    assert same_as_git(history) == len(everything(history))


def test_an_index_of_the_first_version_is_left_to_git(history: Path) -> None:
    index = packed(history)
    index.unlink()
    plain(history, "index-pack", "--index-version=1", "-o", str(index), str(index.with_suffix(".pack")))
    assert same_as_git(history) == 0


def test_no_pack_and_no_folder(where: Path) -> None:
    assert same_as_git(where) == 0
    shutil.rmtree(where / ".git/objects/pack")
    assert Packs(where / ".git/objects").find("0" * 40) is None


def test_a_pack_that_goes_while_it_is_read_is_read_to_its_end(history: Path) -> None:
    index = packed(history)
    first, last, *_ = everything(history)
    packs = Packs(history / ".git/objects")
    assert packs.find(first) is not None
    index.with_suffix(".pack").unlink()
    index.unlink()
    assert packs.find(last) is not None
    packs.close()
    assert packs.find(last) is None  # anew: it is gone


@pytest.mark.parametrize("suffix", [".idx", ".pack"])
def test_damage_never_becomes_an_answer(history: Path, suffix: str) -> None:
    """Any byte turned, or the end cut off: the right content or none, never another one and never an error."""
    file = packed(history).with_suffix(suffix)
    with Git(history / ".git") as git:
        some = everything(history)[::5]
        true = {}
        for oid in some:
            kind = git.line("cat-file", "-t", oid)
            true[oid] = (kind, git.run("cat-file", kind, oid))
    whole = file.read_bytes()
    file.chmod(stat.S_IRUSR | stat.S_IWUSR)
    rounds, lost = random.Random(2), 0
    for attempt_plan in range(60):
        damaged = bytearray(whole)
        for _ in range(8):
            damaged[rounds.randrange(len(damaged))] ^= 1 << rounds.randrange(8)
        file.write_bytes(damaged[: rounds.randrange(len(damaged))] if attempt_plan % 3 == 0 else damaged)
        packs = Packs(history / ".git/objects")
        for oid, content in true.items():
            found = packs.find(oid)
            assert found in (content, None)
            lost += found is None
        packs.close()
    assert lost  # the damage was felt


def test_a_delta_that_is_its_own_base_ends(history: Path) -> None:
    """A chain in a circle, which no pack of git's has: by a delta that names itself."""
    index = packed(history, "-c", "repack.useDeltaBaseOffset=false")
    pack = index.with_suffix(".pack")
    rows = plain(history, "verify-pack", "-v", str(index)).splitlines()
    delta = next(row.split() for row in rows if len(row.split()) == 7)
    whole = bytearray(pack.read_bytes())
    at = whole.index(bytes.fromhex(delta[6]), int(delta[4]))
    whole[at : at + 20] = bytes.fromhex(delta[0])
    pack.chmod(stat.S_IRUSR | stat.S_IWUSR)
    pack.write_bytes(whole)
    packs = Packs(history / ".git/objects")
    assert packs.find(delta[0]) is None
    packs.close()


def test_more_packs_than_it_opens_are_left_to_git(where: Path) -> None:
    for number in range(MOST_PACKS + 3):
        (where / "file.txt").write_text(f"{number}\n")
        plain(where, "commit", "-q", "-a", "-m", f"{number}")
        plain(where, "repack", "-d", "-q")
    with Git(where / ".git") as git, Objects(git) as objects:
        for oid in everything(where):
            assert objects.find(oid) is not None
    assert 0 < same_as_git(where) < len(everything(where))


def test_packed_objects_are_read_without_a_git_process(history: Path) -> None:
    packed(history)
    head = plain(history, "rev-parse", "HEAD")
    with Git(history / ".git") as git, Objects(git) as objects:
        commit = objects.read_commit(head)
        assert commit.message.startswith("grüße 39")
        assert objects.read_tree(commit.tree)[b"long.txt"][0] == 0o100644
        assert git.calls == 0


def test_many_packed_objects_are_read_by_one_git_process(history: Path) -> None:
    packed(history)
    with Git(history / ".git") as git, Objects(git) as objects:
        for oid in everything(history):
            assert objects.find(oid) is not None
        assert git.calls == 1


def test_what_is_packed_after_it_looked_is_found_all_the_same(history: Path) -> None:
    packed(history)
    with Git(history / ".git") as git, Objects(git) as objects:
        assert objects.find(plain(history, "rev-parse", "HEAD")) is not None
        (history / "new.txt").write_text("new\n")
        plain(history, "add", "new.txt")
        plain(history, "commit", "-q", "-m", "new")
        packed(history)
        assert objects.read_commit(plain(history, "rev-parse", "HEAD")).message == "new\n"
