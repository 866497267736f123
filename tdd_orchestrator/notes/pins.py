"""Pins keep attempts from being collected as garbage: a ref each while they are new, then one archive.

The archive is a chain of commits whose second parent is what was pinned, and whose subject says what its ref
was called: ten thousand pins cost one ref. The branches of ended cycles (``refs/tdd/cycles``) go the same
way.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

from tdd_orchestrator.model.errors import RefMoved
from tdd_orchestrator.repo import refs
from tdd_orchestrator.repo.git import ZERO, Git
from tdd_orchestrator.repo.objects import Objects
from tdd_orchestrator.repo.refs import RefUpdate

ATTEMPTS = "refs/tdd/attempts"
CYCLES = "refs/tdd/cycles"
ARCHIVE = "refs/tdd/archive"
LIMIT = 120


def listed(git: Git) -> list[tuple[str, str]]:
    """(ref, object) of the attempts and cycles that have a ref of their own, the oldest commit first."""
    words = ("--sort=creatordate", "--format=%(objectname) %(refname)", ATTEMPTS, CYCLES)
    lines = git.run("for-each-ref", *words).decode("utf-8", "surrogateescape").splitlines()
    return [(ref, oid) for oid, _, ref in (line.partition(" ") for line in lines)]


def count(git: Git) -> int:
    """How many such refs there are, counted without a git process; of a reftable, 0."""
    loose = sum(len(names) for kind in (ATTEMPTS, CYCLES) for _, _, names in os.walk(git.common_dir / kind))
    return loose + _packed(git.common_dir / "packed-refs")


def _packed(path: Path) -> int:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return 0
    return sum(data.count(f" {kind}/".encode()) for kind in (ATTEMPTS, CYCLES))


def archived(git: Git) -> Iterator[tuple[str, str]]:
    """(ref as it was called, object) of the archived pins, the newest first."""
    tip = refs.read(git, ARCHIVE)
    if tip is not None:
        yield from chain(git, tip)


def chain(git: Git, tip: str) -> Iterator[tuple[str, str]]:
    """The pins in the archive that ends at a commit."""
    for line in git.stream("log", "--first-parent", "--format=%P %s", tip, "--", separator=b"\n"):
        words = line.decode("utf-8", "surrogateescape").split(" ", 2)
        if len(words) == 3 and words[2].startswith(f"{ATTEMPTS}/"):
            yield words[2], words[1]


def fold(git: Git, objects: Objects, *, limit: int = LIMIT) -> int:
    """Where there are more pins than ``limit``, archive all but the newest half of it; return how many refs
    went.

    What is archived is written first; then the archive moves and the refs go, in this order. Safe to be
    killed.
    """
    pins = listed(git)
    if len(pins) <= limit:
        return 0
    going = pins[: len(pins) - limit // 2]
    old = refs.read(git, ARCHIVE)
    empty = objects.write_tree({})
    who = f"tdd <tdd@localhost> {int(time.time())} +0000"
    tip = old or objects.write_commit(empty, [], "archived attempts\n", author=who)
    kept = {oid for ref, oid in pins if ref.startswith(f"{ATTEMPTS}/")}
    for ref, oid in going:
        if ref.startswith(f"{ATTEMPTS}/") or oid not in kept:  # a cycle's commit is an attempt's, as a rule
            tip = objects.write_commit(empty, [tip, oid], f"{ref}\n", author=who)
    gone: list[RefUpdate] = [(ref, ZERO, oid) for ref, oid in going]
    try:
        refs.update(git, [(ARCHIVE, tip, old or ZERO)], gone, reason="tdd: attempts archived")
    except RefMoved as moved:
        if moved.committed == 0:
            raise
        return 0  # a pin was moved meanwhile: it is archived as it was, and all refs stay until the next time
    return len(going)
