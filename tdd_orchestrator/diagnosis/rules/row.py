"""The form of one rule of diagnosis, and of a table of them. A rule is data; ``classify`` runs it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from tdd_orchestrator.model.diagnosis import Category, ErrorType, RoutingType, Severity
from tdd_orchestrator.text import Entry, parse_entries

LINE_LIMIT = 1_000


class Zone(StrEnum):
    """The part of a text that a rule searches.

    THROWN is the deciding exception or failed assertion; FREE is every line that is neither source, nor
    frame, nor diff, nor captured log; ANY is both, and captured logs if nothing else matches.
    """

    THROWN = "thrown"
    FREE = "free"
    ANY = "any"


@dataclass(frozen=True, slots=True)
class Rule:
    """One sign of one kind of failure.

    A line is a hit if it contains one of ``words`` (none given: any line) and ``pattern`` matches in it
    (cut at ``LINE_LIMIT`` characters); an empty pattern always matches. One of ``needs`` must stand
    somewhere in the text. The heaviest hit decides: 90 and more names the cause, 50 a kind of failure,
    below 30 is a last resort; 98 and more is a tool that reports other tools' failures. ``samples`` are
    texts that this rule must decide.
    """

    name: str
    routing: RoutingType
    error: ErrorType | None
    category: Category | None
    severity: Severity
    words: tuple[str, ...] = ()
    pattern: str = ""
    weight: int = 50
    zone: Zone = Zone.ANY
    needs: tuple[str, ...] = ()
    secondary: RoutingType | None = None
    asserts: bool = False  # may judge a failed assertion, whose words are data to all other rules
    limit: int = LINE_LIMIT  # characters of a line that ``pattern`` sees
    samples: tuple[str, ...] = ()


_VALUES: dict[str, Callable[[str], object]] = {
    "routing": RoutingType,
    "error": lambda text: ErrorType(text) if text else None,
    "category": lambda text: Category(text) if text else None,
    "severity": Severity,
    "secondary": RoutingType,
    "zone": Zone,
    "weight": int,
    "limit": int,
    "asserts": bool,
}


def rules(table: str) -> tuple[Rule, ...]:
    """Return a table's rules.

    A row's head has its family, its name, and ``key=value`` where it differs from the family; its fields are
    ``words``, ``needs``, ``pattern`` and any number of ``sample``. A family is a row too: ``family``, its name, that
    of the family that it varies, and what its rules have in common.
    """
    families: dict[str, dict[str, Any]] = {}
    found = []
    for entry in parse_entries(table):
        kind, name, *rest = entry.head
        bases = [word for word in rest if "=" not in word] if kind == "family" else [kind]
        values = {key: value for base in bases for key, value in families[base].items()} | _values(
            entry, rest
        )
        if kind == "family":
            families[name] = values
        else:
            found.append(Rule(name, samples=entry.all("sample"), **values))
    return tuple(found)


def _values(entry: Entry, words: list[str]) -> dict[str, Any]:
    own: dict[str, Any] = {}
    for key, equals, value in (word.partition("=") for word in words):
        if equals:
            own[key] = _VALUES[key](value)
    own |= {key: entry.words(key) for key in ("words", "needs") if entry.all(key)}
    return own | ({"pattern": entry.get("pattern")} if entry.get("pattern") else {})
