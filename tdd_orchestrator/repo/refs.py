"""Refs and their logs: read, and moved by compare-and-swap."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress

from tdd_orchestrator.events import log
from tdd_orchestrator.model.errors import RefMoved, Refused, StoreDamaged, raise_if_of_machine
from tdd_orchestrator.process import Finished
from tdd_orchestrator.repo.git import ZERO, Git, failed

RefUpdate = tuple[str, str | None, str | None]
"""(ref, new, old): ``ZERO`` as new deletes, as old means "must not exist"; None as old means "whatever it
is", as new "only verify that it is at old"."""

_OID = re.compile(rb"[0-9a-f]{40}\n?")
_REFTABLE = b"ref: refs/heads/.invalid\n"
_NAMED = re.compile(
    r"(?:cannot lock ref|cannot update ref|unable to resolve reference|invalid ref format:?) '?([^':]+)"
)
_HURT = re.compile(
    "couldn't (?:write|set|close)|error reading reference|unable to (?:write|append"
    "|create directory)|Unable to create (?!.*File exists)"
)


def loose(git: Git, ref: str) -> str | None:
    """The object that the ref's own file names; None where it has no file (it is packed, or not there).

    StoreDamaged where the file holds no object name: what a power loss leaves (T44).
    """
    try:
        raw = (git.common_dir / ref).read_bytes()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    if _OID.fullmatch(raw):
        return raw[:40].decode()
    if raw.startswith(b"ref: "):
        return _asked(git, ref)
    raise damaged(git, ref)


def read(git: Git, ref: str) -> str | None:
    """The object a ref names, or None: from its own file, or from the packed refs."""
    return loose(git, ref) or _packed(git, ref)


def _packed(git: Git, ref: str) -> str | None:
    """Looked at after the loose file, for git packs before it removes that. git is asked where it is not this
    simple."""
    try:
        data = (git.common_dir / "packed-refs").read_bytes()
    except FileNotFoundError:
        return _asked(git, ref) if (git.common_dir / "reftable").exists() else None
    end = data.find(b" %s\n" % os.fsencode(ref))
    if end < 0:
        return None
    said = data[max(0, end - 41) : end]
    return said[1:].decode() if said[:1] == b"\n" and _OID.fullmatch(said[1:]) else _asked(git, ref)


def listed(git: Git, *under: str) -> dict[str, str]:
    """Return the refs at or below these names with their objects, sorted by name; a torn one is left out.

    Loose files are read before the packed refs: git writes those before it removes a file. git is asked for a
    symbolic ref, and for all of them in a repository with reftables. OSError where the machine fails.
    """
    if (git.common_dir / "reftable").exists():
        lines = git.run("for-each-ref", "--format=%(refname) %(objectname)", *under)
        return dict(line.split(" ") for line in lines.decode("utf-8", "surrogateescape").splitlines())
    found: dict[str, str] = {}
    for name in (name for root in under for name in _loose_names(git, root.rstrip("/"))):
        with suppress(StoreDamaged):
            if oid := loose(git, name):
                found[name] = oid
    return dict(sorted((_packed_below(git, under) | found).items()))


def _loose_names(git: Git, root: str) -> Iterator[str]:
    """Yield the names of the refs that have files of their own."""
    if (git.common_dir / root).is_file():
        yield root
    for above, _, names in os.walk(git.common_dir / root, onerror=raise_if_of_machine):
        folder = os.path.relpath(above, git.common_dir)
        yield from (f"{folder}/{name}" for name in names if not name.endswith(".lock"))


def _packed_below(git: Git, under: Sequence[str]) -> dict[str, str]:
    try:
        data = (git.common_dir / "packed-refs").read_bytes()
    except FileNotFoundError:
        return {}
    roots = tuple(os.fsencode(root.rstrip("/")) for root in under)
    rows = (line.split(b" ", 1) for line in data.splitlines() if line[:1] not in (b"#", b"^"))
    return {
        os.fsdecode(name): oid.decode()
        for oid, name in rows
        if any(name == root or name.startswith(root + b"/") for root in roots)
    }


def head_branch(git: Git) -> str:
    """Return the branch that HEAD names, without ``refs/heads/``; "" where it names none.

    git is asked where HEAD is no plain file (reftables), and says what is wrong where it is missing.
    """
    try:
        head = (git.git_dir / "HEAD").read_bytes()
    except FileNotFoundError:
        head = _REFTABLE
    if head == _REFTABLE:
        name = git.line("symbolic-ref", "-q", "HEAD", ok=(0, 1))
    else:
        name = os.fsdecode(head.removeprefix(b"ref: ").rstrip(b"\n"))
    return name.removeprefix("refs/heads/") if name.startswith("refs/heads/") else ""


def _asked(git: Git, ref: str) -> str | None:
    return git.line("rev-parse", "--verify", "--quiet", "--end-of-options", ref, ok=(0, 1)) or None


_UPDATE = ("update-ref", "--no-deref", "-m", "tdd", "--stdin", "-z")


def warm(git: Git) -> None:
    """Start the child that moves refs, so that it is there when the objects are."""
    git.helper(*_UPDATE)


def update(git: Git, *groups: Sequence[RefUpdate], reason: str = "") -> None:
    """RefUpdate refs by compare-and-swap: each group is one transaction, in order, all through one git process.

    That process stays for the next call, unless there is a ``reason`` for the reflog. RefMoved names the ref
    that was elsewhere or locked, and how many of the groups that are not empty had gone through; within a
    group it is all or nothing.
    """
    groups = tuple(group for group in groups if group)
    if not groups:
        return
    script = b"".join(
        b"start\0" + b"".join(_command(move) for move in group) + b"prepare\0commit\0" for group in groups
    )
    if reason:
        args: tuple[str, ...] = ("update-ref", "--no-deref", "-m", reason, "--stdin", "-z")
        done = git.finished(*args, stdin=script)
    else:
        args = _UPDATE
        done = _talk(git, script, len(groups))
    gone_through = len(groups) if done.exit_code == 0 else done.stdout.count(b"commit: ok")
    git.moves += [(ref, new) for group in groups[:gone_through] for ref, new, _ in group if new is not None]
    if done.exit_code == 0:
        moved = [f"{ref} {new[:12]}" for group in groups for ref, new, _ in group if new]
        log("refs moved", "debug", refs=moved, why=reason)
        return
    text = done.stderr.decode("utf-8", "replace").strip()
    named = _NAMED.search(text)
    if named is None or _HURT.search(text):
        raise failed(args, done)
    expected = {ref: old for group in groups for ref, _, old in group if old}
    raise RefMoved(
        named[1],
        expected.get(named[1], ""),
        text.rpartition(": ")[2],
        locked="Unable to create" in text and "File exists" in text,
        committed=gone_through,
    )


def _talk(git: Git, script: bytes, groups: int) -> Finished:
    """Give the lasting child its orders and read its answers: three lines for each group, or its end."""
    child = git.helper(*_UPDATE)
    assert child.stdin is not None
    assert child.stdout is not None
    said = b""
    with suppress(BrokenPipeError):
        child.stdin.write(script)
        child.stdin.flush()
        for _ in range(3 * groups):
            line = child.stdout.readline()
            if not line:
                break
            said += line
        else:
            return Finished(_UPDATE, 0, said)
    child.wait()
    return Finished(_UPDATE, child.returncode, said, git.drop(*_UPDATE))


def _command(move: RefUpdate) -> bytes:
    ref, new, old = move
    if new is None:
        return b"verify %s\0%s\0" % (_name(ref), (old or "").encode())
    return b"update %s\0%s\0%s\0" % (_name(ref), new.encode(), (old or "").encode())


def _name(ref: str) -> bytes:
    if not ref.startswith("refs/") or "\0" in ref or "\n" in ref:
        raise Refused(f"{ref!r} is not the name of a ref.")
    return os.fsencode(ref)


_MOVED = re.compile(rb"[0-9a-f]{40} [0-9a-f]{40} ")
_BYTES = 1 << 16  # of a log that are looked at, from its end


def damaged(git: Git, ref: str) -> StoreDamaged:
    """What to say of a ref file that holds no object name, with the reflog's last value that still exists."""
    value = last_value(git, ref)
    todo = (
        f"Its reflog says {value}; to go back to it: git update-ref --no-deref {ref} {value}"
        if value
        else "Its reflog has no value to go back to; restore it from a clone or a backup."
    )
    return StoreDamaged(f"The file of {ref} holds no object name (a power loss leaves such a file).", todo)


def last_value(git: Git, ref: str) -> str | None:
    """The newest value in the ref's reflog whose object exists."""
    for _, value in movements(git, ref):
        if value != ZERO and git.finished("cat-file", "-e", value).exit_code == 0:
            return value
    return None


def movements(git: Git, ref: str) -> Iterator[tuple[str, str]]:
    """(old, new) of the ref's last movements, newest first; nothing where it has no reflog. OSError where the
    machine failed: what was pushed aside would be found no more, for the next write of ours ends the
    search."""
    try:
        with open(git.common_dir / "logs" / ref, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _BYTES))
            lines = file.read().splitlines()
    except OSError as error:
        raise_if_of_machine(error)
        return
    for line in reversed(lines):
        if _MOVED.match(line):
            yield line[:40].decode(), line[41:81].decode()
