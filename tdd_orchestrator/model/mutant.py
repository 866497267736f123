"""A mutant: one small fault in the project's code, as in mutation testing."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mutant:
    """Lines ``line`` .. ``line + count - 1`` (from 1) of ``path``, which read ``old``, replaced by
    ``new``."""

    path: str
    line: int
    count: int
    old: str
    new: str

    def applied(self, text: str) -> str | None:
        """Return ``text`` with the fault in place, where ``old`` stands nearest to ``line``; None where it
        stands nowhere."""
        lines = text.splitlines(keepends=True)
        places = [at for at in range(len(lines)) if "".join(lines[at : at + self.count]) == self.old]
        if not places:
            return None
        at = min(places, key=lambda place: abs(place + 1 - self.line))
        return "".join((*lines[:at], self.new, *lines[at + self.count :]))

    def __str__(self) -> str:
        return f"`{_short(self.old)}` as `{_short(self.new)}` in {self.path}:{self.line}"


def _short(code: str) -> str:
    return " ".join(code.split())[:80]
