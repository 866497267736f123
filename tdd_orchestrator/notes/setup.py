"""The local git configuration that makes notes show, travel with rewrites, and be fetched; and its
undoing."""

from __future__ import annotations

from dataclasses import dataclass

from tdd_orchestrator.repo.git import Git

REF = "refs/notes/tdd"
_DISPLAY = "core.notesRef"
_IN_LOG = "notes.displayRef"
_USERS_OWN = "refs/notes/commits"
_SINGLE = frozenset({"notes.rewriteMode", "notes.mergeStrategy", "core.notesRef"})


@dataclass(frozen=True, slots=True)
class Setting:
    """One value of a key in the repository's own configuration, and what it is for."""

    key: str
    value: str
    why: str


def _of(ref: str) -> tuple[Setting, ...]:
    """What every repository should have, whose records are kept on ``ref``."""
    return (
        Setting("notes.rewriteRef", "refs/notes/tdd*", "amend and rebase carry the records along"),
        Setting("notes.rewriteMode", "cat_sort_uniq", "records that meet on one commit are all kept"),
        Setting("notes.mergeStrategy", "cat_sort_uniq", "git notes merge keeps the lines of both sides"),
        Setting(_IN_LOG, ref, "git log shows the records"),
        Setting(_DISPLAY, ref, "git notes show reads the records; git log --no-notes hides them"),
    )


@dataclass(frozen=True, slots=True)
class Plan:
    """``add`` is missing; ``there`` is set already; ``skipped`` are keys that the user uses otherwise, with
    the reason."""

    add: tuple[Setting, ...] = ()
    there: tuple[Setting, ...] = ()
    skipped: tuple[tuple[str, str], ...] = ()


def plan(git: Git, ref: str = REF, *, show_in_log: bool = False) -> Plan:
    """What is still to be set. Nothing is written: this is also the dry run. ``show_in_log``: also
    notes.displayRef."""
    local = _values(git, "--local")
    effective = _values(git)
    add, there, skipped = [], [], []
    for setting in wanted(git, ref, show_in_log=show_in_log):
        held = effective.get(_folded(setting.key), [])
        if setting.value in held:
            there.append(setting)
        elif (
            setting.key in _SINGLE and held and not held[-1].startswith(REF)
        ):  # else we set it, for another ref
            skipped.append((setting.key, f"it is set to {held[-1]} already"))
        else:
            add.append(setting)
    if _has_notes_of_their_own(git) and "core.notesref" not in local:
        skipped.append(
            (
                "core.notesRef",
                (
                    f"you have notes of your own in {_USERS_OWN}: use git notes "
                    f"--ref={ref.removeprefix('refs/notes/')} show"
                ),
            )
        )
    return Plan(tuple(add), tuple(there), tuple(skipped))


def apply(git: Git, ref: str = REF, *, show_in_log: bool = False) -> Plan:
    """Set what is missing; idempotent. Returns what was planned."""
    todo = plan(git, ref, show_in_log=show_in_log)
    for setting in todo.add:
        mode = ("--replace-all",) if setting.key in _SINGLE else ("--add",)
        git.run("config", "--local", *mode, setting.key, setting.value)
    return todo


def undo(git: Git, ref: str = REF) -> tuple[Setting, ...]:
    """Take out the values that we set, and only those; returns them."""
    local = _values(git, "--local")
    both = dict.fromkeys([*every(git, ref), *every(git)])  # the ref may have been named after it was set up
    ours = tuple(one for one in both if one.value in local.get(_folded(one.key), []))
    for setting in ours:
        git.run("config", "--local", "--fixed-value", "--unset-all", setting.key, setting.value, ok=(0, 5))
    return ours


def every(git: Git, ref: str = REF) -> tuple[Setting, ...]:
    """Every value that may have been set, whatever else the user has: what ``undo`` looks for."""
    settings = list(_of(ref))
    for remote in git.remotes():
        key = f"remote.{remote}.fetch"
        settings.append(
            Setting(key, refspec(remote), "git fetch brings the records of others, beside our own")
        )
    return tuple(settings)


def wanted(git: Git, ref: str = REF, *, show_in_log: bool = False) -> tuple[Setting, ...]:
    """The values that this repository should have; core.notesRef only where it hides no notes of the
    user's."""
    left_out = {_DISPLAY} if _has_notes_of_their_own(git) else set()
    left_out |= set() if show_in_log else {_IN_LOG}
    return tuple(one for one in every(git, ref) if one.key not in left_out)


def refspec(remote: str) -> str:
    """Never onto the live ref: that would push unsent records aside."""
    return f"+refs/notes/tdd*:refs/notes/remotes/{remote}/tdd*"


def _has_notes_of_their_own(git: Git) -> bool:
    return bool(git.run("for-each-ref", _USERS_OWN).strip())


def _values(git: Git, *scope: str) -> dict[str, list[str]]:
    values: dict[str, list[str]] = {}
    for piece in git.run("config", *scope, "--list", "-z").decode("utf-8", "surrogateescape").split("\0"):
        key, _, value = piece.partition("\n")
        values.setdefault(_folded(key), []).append(value)
    return values


def _folded(key: str) -> str:
    """Section and name are told without case, the middle (a remote's name) with it; git prints the former
    so."""
    return key.lower() if key.count(".") < 2 else key
