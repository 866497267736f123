"""Records and pins to a remote and from it, without losing a line of either side (N5).

Fetched onto tracking refs, merged here by union of lines, pushed in one atomic push; where others were
quicker, all over again. Never forced, never pruned, never fetched onto a live ref.
"""

from __future__ import annotations

import os
import re
import time
from dataclasses import dataclass, field

from tdd_orchestrator.model.errors import GitFailed, Paused, RefMoved, Refused, TddError
from tdd_orchestrator.notes import known_good, tree
from tdd_orchestrator.notes.write_journal import pause, queue
from tdd_orchestrator.redaction import redactor
from tdd_orchestrator.repo import refs
from tdd_orchestrator.repo.git import ZERO, Git, failed
from tdd_orchestrator.repo.objects import Objects
from tdd_orchestrator.repo.refs import RefUpdate
from tdd_orchestrator.text import one_line

PRIVATE = ("refs/tdd/remotes/", "refs/tdd/good", "refs/tdd/undoing")
"""What is never sent: others' refs as seen from here, a pointer that is made anew wherever it is asked for,
and the sign of a rollback that is under way here."""

_EVIDENCE = "refs/tdd/evidence"
_TRIES = 12
_TIMEOUT = 300.0  # seconds for one fetch or push


@dataclass(slots=True)
class Synced:
    """``received`` and ``sent`` are refs; ``clashing`` are pins that mean something else at the remote: not
    sent."""

    received: list[str] = field(default_factory=list)
    sent: list[str] = field(default_factory=list)
    clashing: list[str] = field(default_factory=list)
    tries: int = 0


def sync(git: Git, objects: Objects, remote: str = "origin", *, push: bool = True) -> Synced:
    """Fetch, merge, push. Refused for an unknown remote, or where the remote refuses or holds what is no
    trail; Paused where it cannot be reached or others are always quicker."""
    if remote not in git.remotes():
        raise Refused(f"There is no remote {remote!r}.", "See them with: git remote -v")
    done = Synced()
    for attempt in range(_TRIES):
        done.tries += 1
        _fetch(git, remote)
        try:
            _merge_all(git, objects, remote, done)
        except RefMoved:
            time.sleep(pause(attempt))
            continue
        if not push or _push(git, remote, done):
            return done
        time.sleep(pause(attempt) * 3)
    raise Paused(f"Others wrote to {remote} each time before we could.", "Run the same command again.")


def push_if_unmoved(git: Git, remote: str, ref: str, commit: str) -> bool:
    """RefUpdate a ref at the remote to a commit that goes on from it; False where it is somewhere else by now."""
    args = ("push", "--quiet", "--porcelain", "--no-verify", "--recurse-submodules=no", "--end-of-options")
    sent = git.finished(*args, remote, f"{commit}:{ref}", remote=True, timeout=_TIMEOUT)
    error = failed(args, sent) if sent.exit_code else None
    if error is not None and not others_were_quicker(error):
        raise remote_failure(remote, error)
    return error is None


def _tracking(remote: str, ref: str) -> str:
    """refs/notes/tdd -> refs/notes/remotes/REMOTE/tdd; refs/tdd/x -> refs/tdd/remotes/REMOTE/x."""
    root, name = ("refs/notes/", ref[11:]) if ref.startswith("refs/notes/") else ("refs/tdd/", ref[9:])
    return f"{root}remotes/{remote}/{name}"


def _fetch(git: Git, remote: str) -> None:
    specs = (
        f"+refs/notes/tdd*:refs/notes/remotes/{remote}/tdd*",
        f"+refs/tdd/*:refs/tdd/remotes/{remote}/*",
        "^refs/notes/tdd/*",  # a folder where the notes themselves are: it could not stand beside ours
        "^refs/notes/tdd-plan/*",
        *(f"^{private}*" if private.endswith("/") else f"^{private}" for private in PRIVATE),
    )
    args = (
        "fetch",
        "--quiet",
        "--no-tags",
        "--no-prune",
        "--no-write-fetch-head",
        "--no-auto-maintenance",
        "--refmap=",
    )
    try:
        git.run(*args, "--end-of-options", remote, *specs, remote=True, timeout=_TIMEOUT)
    except GitFailed as error:
        raise remote_failure(remote, error) from error
    git.moves += refs.listed(git, f"refs/notes/remotes/{remote}", f"refs/tdd/remotes/{remote}").items()


def _ours(git: Git) -> dict[str, str]:
    """The refs that are sent: name -> object."""
    every = refs.listed(git, "refs/notes", "refs/tdd")
    return {ref: oid for ref, oid in every.items() if _is_ours(ref) and not ref.startswith(PRIVATE)}


def _is_ours(ref: str) -> bool:
    return ref.startswith("refs/tdd/") or (ref.startswith("refs/notes/tdd") and "/" not in ref[11:])


def _merge_all(git: Git, objects: Objects, remote: str, done: Synced) -> None:
    theirs = refs.listed(git, f"refs/notes/remotes/{remote}", f"refs/tdd/remotes/{remote}")
    known = {f"refs/notes/tdd{ref.rpartition('/tdd')[2]}" for ref in theirs if ref.startswith("refs/notes/")}
    for ref in sorted({*known, _EVIDENCE, known_good.ARCHIVE}):
        other = theirs.get(_tracking(remote, ref))
        if other is None:
            continue
        kind = objects.read(other)[0]
        if kind != "commit":
            raise no_history(remote, ref, kind)
        with queue(git):
            if _merge(git, objects, ref, other) and ref not in done.received:
                done.received.append(ref)


def _merge(git: Git, objects: Objects, ref: str, other: str) -> bool:
    """Join the other history to ours; True where ours changed."""
    ours = refs.read(git, ref)
    if ours == other or (ours and git.holds(ours, other)):
        return False
    if ours is None or git.holds(other, ours):
        refs.update(git, [(ref, other, ours or ZERO)], reason="tdd: sync")
        return True
    who = f"tdd <tdd@localhost> {int(time.time())} +0000"
    mine = ours
    if ref != known_good.ARCHIVE:
        root = tree.union(objects, objects.read_commit(ours).tree, objects.read_commit(other).tree)
    else:
        root = objects.read_commit(ours).tree
        held = set(known_good.chain(git, ours))
        for name, oid in reversed([pin for pin in known_good.chain(git, other) if pin not in held]):
            mine = objects.write_commit(root, [mine, oid], f"{name}\n", author=who)
    merged = objects.write_commit(root, [mine, other], "sync: both sides joined\n", author=who)
    refs.update(git, [(ref, merged, ours)], reason="tdd: sync")
    return True


def _push(git: Git, remote: str, done: Synced) -> bool:
    """One atomic push of what the remote lacks; False where it was refused because others were quicker."""
    theirs = refs.listed(git, f"refs/notes/remotes/{remote}", f"refs/tdd/remotes/{remote}")
    todo: list[tuple[str, str]] = []
    done.clashing = []
    for ref, oid in _ours(git).items():
        held = theirs.get(_tracking(remote, ref))
        if held == oid:
            continue
        if held is not None and ref.startswith(f"{known_good.ATTEMPTS}/"):
            done.clashing.append(ref)
            continue
        todo.append((ref, oid))
    if not todo:
        return True
    args = (
        "push",
        "--quiet",
        "--porcelain",
        "--atomic",
        "--no-verify",
        "--recurse-submodules=no",
        "--end-of-options",
    )
    sent = git.finished(*args, remote, *(f"{oid}:{ref}" for ref, oid in todo), remote=True, timeout=_TIMEOUT)
    if sent.exit_code != 0:
        error = failed(args, sent)
        if others_were_quicker(error):
            return False
        raise remote_failure(remote, error)
    done.sent = sorted({*done.sent, *(ref for ref, _ in todo)})
    seen: list[RefUpdate] = [(_tracking(remote, ref), oid, None) for ref, oid in todo]
    refs.update(git, seen, reason="tdd: sent")
    return True


_QUICKER = ("[rejected]", "fetch first", "non-fast-forward", "cannot lock ref", "failed to update ref",
    "stale info",
            "incorrect old value provided", "remote ref is at", "atomic transaction failed",
    "failed to lock")  # fmt: skip
"""What git says, in LC_ALL=C, where the remote's ref is not where we saw it."""

_IN_THE_WAY = re.compile(r"'(refs/[^']{1,500})' exists; cannot create '(refs/[^']{1,500})'")
_REMOTE_LINE = re.compile(r"^remote: ?(.*)$", re.MULTILINE)
_DECLINED = re.compile(r"\[remote rejected\] \(([^)]{1,300})\)")
_REASONS = 3  # lines of the remote's


def others_were_quicker(error: GitFailed) -> bool:
    said = error.stdout + error.stderr
    return not _IN_THE_WAY.search(said) and any(sign in said for sign in _QUICKER)


def remote_failure(remote: str, error: GitFailed) -> TddError:
    """A remote that says no is asked in vain later; one that does not answer is not."""
    said = error.stdout + error.stderr
    if "--mirror can't be combined" in said:
        return Refused(
            f"{remote} is set up as a mirror, which is written as a whole; tdd sends only refs of its own.",
            f"Take that off (git config --unset remote.{remote}.mirror), or name another remote.",
        )
    if conflict := _IN_THE_WAY.search(said):
        return Refused(
            (
                f"At {remote} the ref {conflict[1]} is in the way of {conflict[2]}: one would be a "
                "folder of the other."
            ),
            f"Delete it there if nobody needs it: git push {remote} --delete {conflict[1]}",
        )
    if "[remote rejected]" in said:
        return Refused(
            f"{remote} refused what was sent: {_reason(error)}.",
            "Nothing is lost; the owner of the remote can allow refs/notes/tdd* and refs/tdd/* there.",
        )
    first = error.what.partition(": ")[2]
    return Paused(f"{remote} cannot be reached: {_shown(first)}.", "Nothing is lost; try again later.")


def no_history(remote: str, ref: str, kind: str) -> Refused:
    return Refused(
        f"{ref} at {remote} is a {kind}, no history of records.",
        f"Delete it there if nobody needs it (git push {remote} --delete {ref}), or name another remote.",
    )


def _reason(error: GitFailed) -> str:
    """The remote's own words, else git's for them."""
    lines = [line.strip() for line in _REMOTE_LINE.findall(error.stderr)]
    words = list(dict.fromkeys(line for line in lines if line))[:_REASONS]
    return _shown("; ".join(words) or "; ".join(dict.fromkeys(_DECLINED.findall(error.stdout))))


def _shown(text: str) -> str:
    return one_line(redactor(os.environ)(text), 300).rstrip(".")
