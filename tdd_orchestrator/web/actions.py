"""What can be done from the page, one row an action: the words of the `tdd` command that does it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tdd_orchestrator.model.errors import Refused

_ERROR_ID = re.compile(r"err_[0-9]{8}_[0-9]{6}(_[0-9]{1,4})?")
_COMMIT = re.compile(r"([0-9a-f]{40})?")
_ABOUT = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,60}")
_TEXT = 2_000  # characters of what a person writes
Words = Callable[[str], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Action:
    """``asks``: what the person may add: error_id, hint, comment, reason, commit; "" for nothing.
    ``about``: the word before the item or the cycle that it is about, None where it is about neither."""

    name: str
    label: str
    asks: str
    words: Words
    about: str | None = None
    reads: bool = False  # changes nothing, so it is there with --read-only too


def _optional(option: str, *command: str) -> Words:
    """The command, with what was written as a single word, so that it can be no option of its own."""
    return lambda text: (*command, f"--{option}={text}") if text else command


def _verify(commit: str) -> tuple[str, ...]:
    return ("verify", f"{commit}^..{commit}") if commit else ("verify",)


ACTIONS: dict[str, Action] = {
    row.name: row
    for row in (
        Action("fix", "Run the fix now", "error_id", lambda text: ("errors", "fix", text)),
        Action("next", "Begin the next item", "", lambda _: ("cycle", "next")),
        Action("resume", "Resume", "hint", _optional("hint", "cycle", "resume")),
        Action("approve", "Approve", "comment", _optional("comment", "cycle", "approve"), "--item="),
        Action("reject", "Reject", "comment", _optional("comment", "cycle", "reject"), "--item="),
        Action("abort", "Abort", "reason", _optional("reason", "cycle", "abort"), ""),
        Action("verify", "Check the records", "", lambda _: ("verify", "--no-replay"), reads=True),
        Action("replay", "Run the tests again", "commit", _verify),
    )
}

GATES: Mapping[str, tuple[str, str, str]] = {
    # gate -> what is asked, what approving means, what rejecting means
    "removed_tests": ("RED removes tests. May they go?", "Yes, these tests may go", "No, keep them"),
    "covered": (
        "The new test passes without new code. Is it covered already?",
        "Yes, it is covered already",
        "No, it is not",
    ),
    "before_landing": ("All phases are proven. May it land?", "Let it land", "Do not land it"),
    "after_failures": ("Several attempts were rejected. May it go on?", "Go on", "Give it up"),
}


def command_of(name: str, text: str = "", about: str = "") -> tuple[str, ...]:
    """The words of an action, ``about`` the item that waits or the cycle to end where one is named. Refused
    where there is no such action, or what was added does not fit it."""
    action = ACTIONS.get(name)
    if action is None:
        raise Refused(f"There is no action '{name[:40]}'.", f"Choose one of {', '.join(ACTIONS)}.")
    if action.asks == "error_id" and not _ERROR_ID.fullmatch(text):
        raise Refused("That is no error report's id.", "`tdd errors list` shows them.")
    if action.asks == "commit" and not _COMMIT.fullmatch(text):
        raise Refused("That is no commit's id.", "An id has 40 hexadecimal digits.")
    if len(text) > _TEXT or "\0" in text:
        raise Refused(f"The text is too long (limit {_TEXT} characters).")
    if about and (action.about is None or not _ABOUT.fullmatch(about)):
        raise Refused(f"'{name}' is not about '{about[:60]}'.")
    return (*action.words(text if action.asks else ""), *([f"{action.about}{about}"] if about else []))
