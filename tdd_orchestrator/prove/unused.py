"""Find new public functions that nothing calls: what a refactoring does not bring."""

from __future__ import annotations

import os
from collections.abc import Iterable

from tdd_orchestrator.cycle.context import Repository
from tdd_orchestrator.languages.functions import defined_names, named_words, public_functions
from tdd_orchestrator.prove.split import Side, side_of
from tdd_orchestrator.workspace.guard import Change, Rules


def uncalled_functions(changes: Iterable[Change]) -> list[tuple[str, str]]:
    """Return the public functions and classes that a change adds and whose names no other code of the changed
    files holds, each with its path. One that only other such functions name is among them."""
    changes = list(changes)
    old = {name for one in changes for name in defined_names(one.before or "", one.path)}
    new = {
        name: one.path
        for one in changes
        for name in public_functions(one.after or "", one.path)
        if name not in old
    }
    while new:
        words = {word for one in changes for word in named_words(one.after or "", one.path, new)}
        if words.isdisjoint(new):
            break
        new = {name: path for name, path in new.items() if name not in words}
    return list(new.items())


def unused_functions(repo: Repository, tree: str, changes: Iterable[Change], rules: Rules) -> tuple[str, ...]:
    """Return the new public functions that no file of a tree names but in prose, each as a sentence."""
    changes = list(changes)
    own = {one.path for one in changes}
    return tuple(
        f"{path} adds {name}, which no code here calls: test it, or leave it out of a refactoring"
        for name, path in uncalled_functions(changes)
        if not any(
            found not in own and side_of(Change(found, "changed", "", ""), rules) is not Side.PROSE
            for found in _files_with(repo, tree, name)
        )
    )


def _files_with(repo: Repository, tree: str, word: str) -> list[str]:
    words = ("grep", "-l", "-z", "--word-regexp", "--fixed-strings", "-e", word, tree, "--")
    found = repo.git.run(*words, ok=(0, 1)).split(b"\0")
    return [os.fsdecode(raw).partition(":")[2] for raw in found if raw]
