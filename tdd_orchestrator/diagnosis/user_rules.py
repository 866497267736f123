"""Check and build the rules that users write in their configuration (D4)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from enum import StrEnum
from typing import Any, TypeVar

from tdd_orchestrator.diagnosis.classify import classify
from tdd_orchestrator.diagnosis.rules import Rule
from tdd_orchestrator.model.diagnosis import Category, ErrorType, RoutingType, Severity
from tdd_orchestrator.model.errors import BadConfig

_KEYS = (
    "name", "pattern", "words", "routing_type", "error_type", "category", "severity", "weight", "samples",
)  # fmt: skip
_WEIGHT = 97  # above every built-in rule that names a cause
_LIMIT = 500  # characters of a line that a user's pattern sees
_REPEATS = 3  # repeats without an upper bound that one pattern may have

_TOKEN = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\{\d*,?\d*\}|.", re.DOTALL)
_OPEN_REPEAT = re.compile(r"\{\d*,\}")

_Value = TypeVar("_Value", bound=StrEnum)


def user_rules(rows: Sequence[Mapping[str, Any]]) -> tuple[Rule, ...]:
    """Return the configuration's rows as rules. Raises BadConfig with the row and its fault."""
    rules: list[Rule] = []
    for number, row in enumerate(rows, 1):
        rule = _rule(row, f"diagnosis rule {row.get('name') or number}")
        if rule.name in (one.name for one in rules):
            raise BadConfig(f"The name {rule.name} is given to two diagnosis rules.", "Give each its own.")
        rules.append(rule)
    _check_samples(rules)
    return tuple(rules)


def _rule(row: Mapping[str, Any], label: str) -> Rule:
    for key in row:
        if key not in _KEYS:
            near = get_close_matches(key, _KEYS, 1)
            raise BadConfig(
                f"{label}: unknown key {key}.",
                f"Did you mean {near[0]}?" if near else f"Keys: {', '.join(_KEYS)}.",
            )
    name, pattern = _text(row, "name", label), _text(row, "pattern", label)
    words = _texts(row, "words", label)
    if not name:
        raise BadConfig(f"{label}: it has no name.")
    if not pattern and not words:
        raise BadConfig(f"{label}: it needs a pattern (a regular expression) or words.")
    _check_pattern(pattern, label)
    routing = _value(RoutingType, row, "routing_type", label)
    if routing is None:
        raise BadConfig(f"{label}: it needs a routing_type.", f"One of {_all(RoutingType)}.")
    weight = row.get("weight", _WEIGHT)
    if not isinstance(weight, int) or isinstance(weight, bool) or not 1 <= weight <= 200:
        raise BadConfig(f"{label}: weight is {weight!r}.", "Give a whole number from 1 to 200.")
    return Rule(
        name=name,
        routing=routing,
        error=_value(ErrorType, row, "error_type", label),
        category=_value(Category, row, "category", label),
        severity=_value(Severity, row, "severity", label) or Severity.MEDIUM,
        words=words,
        pattern=pattern,
        weight=weight,
        limit=_LIMIT,
        samples=_texts(row, "samples", label),
    )


def _text(row: Mapping[str, Any], key: str, label: str) -> str:
    value = row.get(key, "")
    if not isinstance(value, str):
        raise BadConfig(f"{label}: {key} is not a text but {value!r}.")
    return value


def _texts(row: Mapping[str, Any], key: str, label: str) -> tuple[str, ...]:
    value = row.get(key, [])
    if not isinstance(value, list | tuple) or not all(isinstance(one, str) and one for one in value):
        raise BadConfig(f"{label}: {key} is not a list of texts but {value!r}.")
    return tuple(value)


def _all(kind: type[StrEnum]) -> str:
    return ", ".join(member.value for member in kind)


def _value(kind: type[_Value], row: Mapping[str, Any], key: str, label: str) -> _Value | None:
    given = row.get(key)
    if given is None or given == "":
        return None
    try:
        return kind(given)
    except ValueError:
        raise BadConfig(f"{label}: {key} is {given!r}.", f"One of {_all(kind)}.") from None


def _check_pattern(pattern: str, label: str) -> None:
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise BadConfig(f"{label}: the pattern is no regular expression: {error}.") from error
    count = _unbounded(pattern)
    if count < 0:
        raise BadConfig(
            f"{label}: the pattern repeats a repeat, as (a+)+ does.", "It could take forever; write it flat."
        )
    if count > _REPEATS:
        raise BadConfig(
            f"{label}: the pattern has {count} repeats without a bound.", f"At most {_REPEATS}: use {{0,80}}."
        )


def _unbounded(pattern: str) -> int:
    """Return the number of unbounded repeats in a valid pattern; -1 if they nest."""
    total = 0
    groups = [0]  # repeats seen in each open group
    closed = 0  # repeats inside the group that the last token closed
    for token in _TOKEN.findall(pattern):
        if token == "(":
            groups.append(0)
            closed = 0
        elif token == ")":
            closed = groups.pop()
            groups[-1] += closed
        elif token in ("*", "+") or _OPEN_REPEAT.fullmatch(token):
            if closed:
                return -1
            total += 1
            groups[-1] += 1
        else:
            closed = 0
    return total


def _check_samples(rules: Sequence[Rule]) -> None:
    for rule in rules:
        for text in rule.samples:
            decided = classify(text, extra_rules=rules).rule
            if decided != rule.name:
                by = f"rule {decided} decides it" if decided else "no rule decides it"
                raise BadConfig(
                    f"diagnosis rule {rule.name}: its own sample is not its: {by}.",
                    "Fix the pattern or the weight.",
                )
