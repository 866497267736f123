"""What git and the remote answer where a fetch or a push failed: who has to do what, in one sentence without
secrets."""

from __future__ import annotations

import os
import re

from tdd_orchestrator.model.errors import GitFailed, Paused, Refused, TddError
from tdd_orchestrator.prompting.secrets import redactor
from tdd_orchestrator.text import one_line

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


def told(remote: str, error: GitFailed) -> TddError:
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
