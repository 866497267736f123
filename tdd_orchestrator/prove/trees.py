"""Make the trees that a proof runs and no commit has: HEAD's tests on BASE's code, and the other way
round."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable

from tdd_orchestrator.cycle.attempt.candidate import Candidate, changes_between
from tdd_orchestrator.cycle.context import Repository
from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.prove.split import Parts, with_other_tests
from tdd_orchestrator.prove.values import ChangeRange
from tdd_orchestrator.repo.diff import differing
from tdd_orchestrator.repo.encoding import Entry
from tdd_orchestrator.workspace.guard import Change, matches


def tests_on_base(repo: Repository, change: ChangeRange, parts: Parts, *, setup: bool) -> Candidate:
    """Return BASE with HEAD's tests, and with its set-up where ``setup`` is true."""
    taken = {one.path for one in (*parts.tests, *(parts.setup if setup else ()))}
    entries = _entries(repo, change, lambda path: path in taken)
    for one in parts.shared:
        if one.before is not None and one.after is not None:
            entries |= _composed(repo, one, with_other_tests(one.before, one.after, one.path))
    tree = repo.objects.edit_tree(change.base_tree, entries)
    return candidate_of(repo, tree, change.base, change.base_tree)


def code_put_back(
    repo: Repository, change: ChangeRange, parts: Parts, patterns: tuple[str, ...]
) -> Candidate:
    """Return HEAD with the code at the paths that match a pattern as it is in BASE. Tests stay. Refused where
    no changed code matches."""
    kept = {one.path for one in (*parts.tests, *parts.shared)}
    entries = _entries(repo, change, lambda path: path not in kept and matches(path, patterns), after=False)
    for one in parts.shared:
        if one.before is not None and one.after is not None and matches(one.path, patterns):
            entries |= _composed(repo, one, with_other_tests(one.before, one.after, one.path))
    if not entries:
        raise Refused(
            f"--revert {' --revert '.join(patterns)} matches no code that {change.name} changes.",
            "Name paths or patterns of its code, such as --revert 'src/**'.",
        )
    tree = repo.objects.edit_tree(change.head_tree, entries)
    return candidate_of(repo, tree, change.base, change.base_tree)


def old_tests_at_head(repo: Repository, change: ChangeRange, parts: Parts) -> Candidate:
    """Return HEAD with BASE's tests."""
    taken = {one.path for one in parts.tests}
    entries = _entries(repo, change, lambda path: path in taken, after=False)
    for one in parts.shared:
        if one.before is not None and one.after is not None:
            entries |= _composed(repo, one, with_other_tests(one.after, one.before, one.path))
    tree = repo.objects.edit_tree(change.head_tree, entries)
    return candidate_of(repo, tree, change.head, change.head_tree)


def candidate_of(repo: Repository, tree: str, parent: str, base_tree: str) -> Candidate:
    """Return a tree as a commit on ``parent`` that no ref holds, with its changes against ``base_tree``."""
    author = f"{repo.identity or 'tdd <tdd@localhost>'} {int(time.time())} +0000"
    commit = repo.objects.write_commit(tree, [parent], "test: a tree of tdd prove\n", author=author)
    changes = changes_between(repo, base_tree, tree)
    return Candidate(tree, commit, changes, base=base_tree, own=True)


def _entries(
    repo: Repository, change: ChangeRange, wanted: Callable[[str], bool], *, after: bool = True
) -> dict[bytes, Entry | None]:
    rows: Iterable[tuple[bytes, Entry | None, Entry | None]] = differing(
        repo.objects, change.base_tree, change.head_tree
    )
    return {path: now if after else was for path, was, now in rows if wanted(os.fsdecode(path))}


def _composed(repo: Repository, change: Change, text: str) -> dict[bytes, Entry | None]:
    blob = repo.objects.write_blob(text.encode("utf-8", "surrogatepass"))
    return {os.fsencode(change.path): (0o100644, blob)}
