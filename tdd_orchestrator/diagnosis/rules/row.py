"""The form of one rule of diagnosis. A rule is data; ``classify`` runs it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from tdd_orchestrator.model.diagnosis import Category, ErrorType, RoutingType, Severity

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
    words: tuple[str, ...]
    pattern: str = ""
    weight: int = 50
    zone: Zone = Zone.ANY
    needs: tuple[str, ...] = ()
    secondary: RoutingType | None = None
    asserts: bool = False  # may judge a failed assertion, whose words are data to all other rules
    limit: int = LINE_LIMIT  # characters of a line that ``pattern`` sees
    samples: tuple[str, ...] = ()
