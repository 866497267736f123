"""The local git configuration that makes notes show, travel with rewrites, and be fetched; and its
undoing."""

from __future__ import annotations

from dataclasses import dataclass

from tdd_orchestrator.repo.git import Git

REF = "refs/notes/tdd"
_DISPLAY = "core.notesRef"
_IN_LOG = "notes.displayRef"
_USERS_OWN = "refs/notes/commits"
_PRETTY = "format.pretty"
_SINGLE = frozenset({"notes.rewriteMode", "notes.mergeStrategy", _DISPLAY, _PRETTY})
_WITHOUT_NOTES = "format:%C(auto,yellow)commit %H%C(auto)%d%nAuthor: %aN <%aE>%nDate:   %ad%n%n%w(0,4,4)%B"
"""git's own format ``medium``. Below that one git prints the notes that core.notesRef names, which no other
setting prevents; below a format that is spelled out it does not."""


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
        Setting(_DISPLAY, ref, "git notes show reads the records"),
        Setting(_PRETTY, _WITHOUT_NOTES, "git log leaves the records out; tdd init --show-notes undoes that"),
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
    if show_in_log:
        _unset(git, _PRETTY, _WITHOUT_NOTES)
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
        _unset(git, setting.key, setting.value)
    return ours


def _unset(git: Git, key: str, value: str) -> None:
    git.run("config", "--local", "--fixed-value", "--unset-all", key, value, ok=(0, 5))


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
    """The values that this repository should have; core.notesRef and format.pretty only where they hide no
    notes of the user's."""
    left_out = {_DISPLAY} if _has_notes_of_their_own(git) else set()
    displayed = _values(git).get(_folded(_DISPLAY), [ref])[-1]
    left_out.add(_PRETTY if show_in_log else _IN_LOG)
    if _DISPLAY in left_out or not displayed.startswith(REF):
        left_out.add(_PRETTY)  # it would hide the user's notes
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
