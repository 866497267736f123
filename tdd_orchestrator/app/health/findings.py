"""A finding: one thing that is wrong, and its fix."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Remedy:
    """A change that `tdd init` can make itself. ``question``: asked with yes as the answer; ``settings``:
    dotted keys of tdd.toml with their values; ``ignore``: lines for .gitignore."""

    question: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    ignore: tuple[str, ...] = ()

    def commands(self) -> tuple[str, ...]:
        """The same change as commands that a person can run."""
        lines = [f"echo {shlex.quote(line)} >> .gitignore" for line in self.ignore]
        for key, value in self.settings.items():
            lines.append(f"tdd config set {key} {shlex.quote(toml_text(value))}")
        return tuple(lines)


@dataclass(frozen=True, slots=True)
class Finding:
    """``check``: the group it belongs to; ``stops``: whether `tdd cycle next` would be refused because of
    it."""

    check: str
    sentence: str
    remedy: Remedy | None = None
    stops: bool = True


def toml_text(value: Any) -> str:
    """Return a value as `tdd config set` takes it: TOML on one line, a text as it is."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(one, dict) for one in value):
        tables = (", ".join(f"{key} = {json.dumps(text)}" for key, text in one.items()) for one in value)
        return "[" + ", ".join(f"{{ {table} }}" for table in tables) + "]"
    return json.dumps(value, ensure_ascii=False)
