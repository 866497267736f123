"""From an agent's files to a candidate commit: collected, compared with where the phase began, guarded."""

from __future__ import annotations

import os
import shlex
import time
from bisect import insort
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from difflib import unified_diff
from functools import partial

from tdd_orchestrator.cycle.context import CycleContext, Repository
from tdd_orchestrator.model.parts import FilesChanged
from tdd_orchestrator.model.phase import Phase
from tdd_orchestrator.redaction import Redact, is_key_like, keys, redacted_cut
from tdd_orchestrator.repo.diff import Difference, diff_of_trees, differing, patch_id
from tdd_orchestrator.repo.encoding import Entry, parse_commit
from tdd_orchestrator.text import one_line, plain
from tdd_orchestrator.workspace import fixtures
from tdd_orchestrator.workspace.collect import MAX_FILE, FileChange, collect
from tdd_orchestrator.workspace.denied_paths import NEVER
from tdd_orchestrator.workspace.fixtures import borrowed
from tdd_orchestrator.workspace.guard import Change, Rules, check, find_warnings, tests_among

_ASCII = bytes(range(128)) + b" " * 128
"""Keys are ASCII, and what stands beside them need not be text in any encoding: all else is a gap."""

_READ_BY_GIT = {name: dict(NEVER)[f"**/{name}"] for name in (".gitattributes", ".gitmodules")}


def redacted_content(
    file: FileChange, before: Callable[[], bytes], values: tuple[str, ...], redact: Redact
) -> tuple[bytes, str]:
    """Return the bytes to store for a file, and why they are not all of it.

    ``before`` is read only where the file holds a secret: one that was there before is allowed.
    """
    content = file.content or b""
    found = _secrets(content, values)
    new = found and {one: why for one, why in found.items() if one not in _secrets(before(), values)}
    if not new:
        return content, ""
    why = next(iter(new.values()))
    redacted = redact(content.decode("utf-8", "replace")).encode("utf-8", "replace")
    return (f"[withheld: {why}]\n".encode() if _secrets(redacted, values) else redacted), why


def reason_to_withhold(file: FileChange, values: tuple[str, ...]) -> str:
    """Why a file is kept out altogether, or "". What git reads of itself is refused in any case, and an
    object of it that `git fsck` objects to would be sent with the attempt, or stop everything else from being
    sent."""
    name = file.path.rpartition("/")[2]
    return _READ_BY_GIT.get(name) or (secret_in_name(file.path, values) if file.how == "new" else "")


def secret_in_name(path: str, values: tuple[str, ...]) -> str:
    """Why nothing may have this name, or ""."""
    for text in {path, plain(path)}:
        for why in _secrets(text.encode("utf-8", "replace"), values).values():
            return why.replace("it ", "its name ", 1)
    return ""


def _secrets(data: bytes, values: tuple[str, ...]) -> dict[str, str]:
    """Secret -> why it may not be committed: it is a key by its shape, or the value of a secret of the
    user's."""
    found: dict[str, str] = {}
    # with the zero bytes, and without: in UTF-16 every other byte of a key is one
    for form in (data, data.replace(b"\0", b"")) if b"\0" in data else (data,):
        for kind, value in keys(form.translate(_ASCII).decode("ascii")):
            found[value] = f"it seems to hold a secret ({kind})"
        for value in values:
            if is_key_like(value) and value.encode("utf-8", "surrogateescape") in form:
                found[value] = "it holds the value of a secret variable"
    return found


_DIFF = 6000  # characters of a rejected diff that the record keeps
_TEXT = MAX_FILE  # bytes of a file that are looked at as text: all of what an agent may write
_WARNING = 400  # characters


@dataclass(frozen=True, slots=True)
class Candidate:
    """The files an agent left, as a commit.

    ``commit`` is empty where nothing changed; ``changes`` are against ``base``, the commit the phase began
    with; ``diff`` is made only for a refused one (:func:`with_diff`).
    """

    tree: str
    commit: str = ""
    changes: tuple[Change, ...] = ()
    violations: tuple[tuple[str, str], ...] = ()
    left: tuple[tuple[str, str], ...] = ()
    warnings: tuple[str, ...] = ()
    diff: str = ""
    base: str = ""  # tree
    own: bool = False  # the agent itself changed something, on top of what it was given

    @property
    def files(self) -> FilesChanged:
        by_how: dict[str, list[str]] = {"new": [], "changed": [], "gone": []}
        for change in self.changes[:500]:
            by_how[change.how].append(change.path)
        return FilesChanged(added=by_how["new"], modified=by_how["changed"], deleted=by_how["gone"])


def paths_of(repo: Repository, treeish: str) -> tuple[str, ...]:
    """Every path of a commit or tree, in git's order; asked of git only where it does not follow from a tree
    that was."""
    tree = _tree(repo, treeish)
    if tree not in repo.paths_by_tree:
        raw = repo.git.run("ls-tree", "-r", "-z", "--name-only", "--full-tree", "--end-of-options", tree)
        repo.paths_by_tree[tree] = tuple(os.fsdecode(path) for path in raw.split(b"\0") if path)
    return repo.paths_by_tree[tree]


def _tree(repo: Repository, treeish: str) -> str:
    kind, data = repo.objects.read(treeish)
    return parse_commit(data).tree if kind == "commit" else treeish


def paths_between(repo: Repository, before: str, after: str) -> tuple[str, ...]:
    """Every path that differs between two commits."""
    return tuple(
        os.fsdecode(path) for path, _, _ in _differing(repo, _tree(repo, before), _tree(repo, after))
    )


def _differing(repo: Repository, before: str, after: str) -> list[Difference]:
    """Where two trees differ; the paths of the second follow from those of the first."""
    found = differing(repo.objects, before, after)
    if before in repo.paths_by_tree and after not in repo.paths_by_tree:
        paths = list(repo.paths_by_tree[before])
        removed = {os.fsdecode(path) for path, _, now in found if now is None}
        for path, was, now in found:
            if was is None and now is not None:
                insort(paths, os.fsdecode(path), key=os.fsencode)
        repo.paths_by_tree[after] = tuple(path for path in paths if path not in removed)
    return found


def file_at(repo: Repository, treeish: str, path: str) -> bytes | None:
    """Return the content of a path in a commit or tree; None where there is no file, or where git cannot
    be asked for such a name (a line feed ends the question; ``./`` and ``../`` are resolved from git's
    own folder)."""
    if "\n" in path or path.startswith(("./", "../")):
        return None
    found = repo.objects.find(f"{treeish}:{path}")
    return found[2] if found is not None and found[1] == "blob" else None


def rules_at(context: CycleContext, commit: str, changes: tuple[Change, ...]) -> Rules:
    """The guard's rules for changes on top of a commit, with what its tests stand on."""
    rules = _with_data(context.repo, commit, context.project.rules, changes)
    commands = [
        shlex.join(suite.command) for suite in context.prover.suites if suite.framework.language == "python"
    ]
    if not commands:
        return rules

    def read(path: str) -> str:
        return (file_at(context.repo, commit, path) or b"")[:_TEXT].decode("utf-8", "replace")

    return replace(
        rules, borrowed=rules.borrowed | borrowed(paths_of(context.repo, commit), read, "\n".join(commands))
    )


def _with_data(repo: Repository, tip: str, rules: Rules, changes: tuple[Change, ...]) -> Rules:
    """The rules with the data of the tests' that these changes touch: test files are read only where there
    may be some."""
    asked = [one.path for one in changes if one.how != "new" and fixtures.may_be(one.path)]
    if not asked:
        return rules
    tests = (file_at(repo, tip, path) or b"" for path in tests_among(paths_of(repo, tip), rules))
    used = fixtures.named(asked, (text.decode("utf-8", "replace") for text in tests))
    return replace(rules, borrowed=rules.borrowed | used)


def tree_of(repo: Repository, commit: str) -> str:
    return repo.objects.read_commit(commit).tree


def take(context: CycleContext, phase: Phase, tip: str, start: str, message: str) -> Candidate:
    """Collect the agent's tree. ``begun`` is the commit the phase starts from, ``start`` the one the agent
    was given (a refused candidate, when a specialist goes on from it)."""
    known = paths_of(context.repo, start)
    collected = collect(context.agents.tree, known=known, ignored=lambda fresh: _hidden(context, tip, fresh))
    base_tree, start_tree = tree_of(context.repo, tip), tree_of(context.repo, start)
    entries, secret = _written(context, tip, collected.changes)
    tree = context.repo.objects.edit_tree(start_tree, entries) if entries else start_tree
    left = tuple((_name(context, path), why) for path, why in collected.left)
    if tree == base_tree:
        return Candidate(tree, left=(*left, *secret))
    found = candidate_of(context, phase, tip, tree, message, known=frozenset(known))
    return replace(found, violations=(*found.violations, *secret), left=left, own=tree != start_tree)


def candidate_of(
    context: CycleContext, phase: Phase, tip: str, tree: str, message: str, *, known: frozenset[str]
) -> Candidate:
    """Return the commit of a tree on top of ``tip``, its changes checked by the rules of the phase.
    ``known``: the paths that were there before."""
    base_tree = tree_of(context.repo, tip)
    changes = changes_between(context.repo, base_tree, tree)
    rules = rules_at(context, tip, changes)
    violations = [(violation.path, violation.why) for violation in check(phase, changes, rules, known=known)]
    when = f"{int(time.time())} +0000"
    author = f"{context.repo.identity} {when}"
    commit = context.repo.objects.write_commit(tree, [tip], message, author=author)
    return Candidate(
        tree,
        commit,
        changes,
        tuple(violations),
        warnings=tuple(
            one_line(context.redact(warning), _WARNING) for warning in find_warnings(phase, changes, rules)
        ),
        base=base_tree,
        own=bool(changes),
    )


def _written(
    context: CycleContext, tip: str, files: tuple[FileChange, ...]
) -> tuple[dict[bytes, Entry | None], list[tuple[str, str]]]:
    """Return the tree's entries for the collected files, and the withheld ones with the reason."""
    entries: dict[bytes, Entry | None] = {}
    refused: list[tuple[str, str]] = []
    for file in files:
        path = os.fsencode(file.path)
        if file.content is None:
            entries[path] = None
        elif why := reason_to_withhold(file, context.agents.secrets):
            refused.append((_name(context, file.path), why))
        else:
            before = partial(_held, context, tip, file.path)
            content, why = redacted_content(file, before, context.agents.secrets, context.redact)
            refused += [(file.path, why)] if why else []
            entries[path] = (
                0o100755 if file.executable else 0o100644,
                context.repo.objects.write_blob(content),
            )
    return entries, refused


def _name(context: CycleContext, path: str) -> str:
    """Return a path that an agent chose, made safe for the screen and the record."""
    return context.redact(path) if secret_in_name(path, context.agents.secrets) else path


def _held(context: CycleContext, tip: str, path: str) -> bytes:
    return file_at(context.repo, tip, path) or b""


def changes_between(repo: Repository, before: str, after: str) -> tuple[Change, ...]:
    """Every path that differs between two trees, with both texts where they are text."""
    found = []
    for path, was, now in _differing(repo, before, after):
        how = "new" if was is None else "gone" if now is None else "changed"
        found.append(Change(os.fsdecode(path), how, _text(repo, was), _text(repo, now)))
    return tuple(found)


def _text(repo: Repository, entry: Entry | None) -> str | None:
    if entry is None:
        return None
    kind, data = repo.objects.read(entry[1])
    return _as_text(data) if kind == "blob" else None


def _as_text(data: bytes) -> str | None:
    return None if b"\0" in data[:8000] else data[:_TEXT].decode("utf-8", "replace")


def changed_lines(changes: Iterable[Change]) -> int:
    """Return how many lines were added and removed; a file that is no text counts as one."""
    found = 0
    for change in changes:
        before, after = (change.before or "").splitlines(), (change.after or "").splitlines()
        changed = sum(line[0] in "+-" for line in unified_diff(before, after, n=0)) - 2
        found += max(changed, 1)
    return found


def patch_id_of(repo: Repository, candidate: Candidate) -> str:
    """Return git's stable patch id of the change, by which its record is found again after a rewrite (N5)."""
    return patch_id(repo.git, diff_of_trees(repo.git, candidate.base, candidate.tree))


def with_diff(context: CycleContext, candidate: Candidate) -> Candidate:
    """The same candidate with the text of its changes, bounded and redacted, for the next attempt to learn
    from."""
    if not candidate.changes:
        return candidate
    return replace(candidate, diff=diff_between(context, candidate.base, candidate.tree))


def diff_between(context: CycleContext, before: str, after: str) -> str:
    """Return the unified diff of two trees, bounded and redacted; ``""`` where they are the same."""
    if before == after:
        return ""
    raw = diff_of_trees(context.repo.git, _tree(context.repo, before), _tree(context.repo, after))
    return redacted_cut(raw[: 1 << 20].decode("utf-8", "replace"), _DIFF, context.redact)


def _hidden(context: CycleContext, tip: str, fresh: list[str]) -> frozenset[str]:
    """Return the new paths that the ignore files of the phase's start hide; the agent's own ignore files
    hide nothing (T32). In place, where there is no other tree, the files as they are decide."""
    if not fresh:
        return frozenset()
    proof = context.prover.tree
    if proof is not context.agents.tree and proof.at != tip:
        proof.move_to(tip)
    return proof.ignored(fresh)
