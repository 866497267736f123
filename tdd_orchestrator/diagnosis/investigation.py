"""Parse, write and check the Error Analyzer's report (D5): tolerant of form, strict on values.

``analyzer`` fills it without a model.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, TypeVar

from tdd_orchestrator.diagnosis.places import is_project, paths_in, relative
from tdd_orchestrator.model.diagnosis import Action, Belief, Category, Investigation, Severity

_LIMIT = 1_000_000  # characters read of an answer
_LEVELS = {"high": 0.9, "medium": 0.6, "low": 0.3}
_HEADING = re.compile(r"^(#{1,6})\s+(.+?)\s*#*$")
_ITEM = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+(.*)$")
_PAIR = re.compile(r"^(?:[-*+]\s+)?\**([A-Za-z][\w /-]{1,40}?)\**\s*:\**\s*(.*)$")
_FENCE = re.compile(r"```(?:json)?\s*(\{.*\})\s*```", re.DOTALL)
_Value = TypeVar("_Value", bound=StrEnum)


class NotAnInvestigation(ValueError):
    """An answer that is not the requested report; ``sentences`` list the faults for the next prompt."""

    def __init__(self, sentences: Iterable[str]) -> None:
        self.sentences = tuple(sentences)
        super().__init__(" ".join(self.sentences))


def parse(text: str) -> Investigation:
    """Parse Markdown or JSON. Raises NotAnInvestigation with all faults at once."""
    data = _from_json(text[:_LIMIT])
    return _build(_from_markdown(text[:_LIMIT]) if data is None else data)


def _from_json(text: str) -> dict[str, Any] | None:
    stripped = text.strip()
    fenced = None if stripped.startswith("{") else _FENCE.search(stripped)
    body = stripped if stripped.startswith("{") else (fenced[1] if fenced else "")
    if not body:
        return None
    try:
        loaded = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise NotAnInvestigation([f"The JSON cannot be read: {error}."]) from error
    flat: dict[str, Any] = {}
    for key, value in loaded.items():
        name = _name(key)
        if isinstance(value, Mapping) and name in ("classification", "recommendation"):
            flat.update({_name(inner): one for inner, one in value.items()})
        elif isinstance(value, Mapping) and name == "confidence":
            flat.update({f"confidence {_name(inner)}": one for inner, one in value.items()})
        else:
            flat[name] = value
    return flat


def _name(key: str) -> str:
    return re.sub(r"[^a-z]+", " ", str(key).lower()).strip()


_SECTIONS = {
    "classification": "classification", "root cause": "root cause", "evidence": "evidence",
    "pattern": "patterns", "recommendation": "recommendation", "step": "steps",
    "alternative": "alternatives", "confidence": "confidence", "action": "action",
}  # fmt: skip


def _from_markdown(text: str) -> dict[str, Any]:
    """Return sections and their ``key: value`` rows, under the model's names."""
    data: dict[str, Any] = {}
    section, skill, depth = "", "", 0
    for line in text.splitlines():
        heading = _HEADING.match(line.strip())
        if heading:
            name = _name(heading[2])
            if section == "patterns" and len(heading[1]) > depth:
                skill = heading[2].strip("*` ")
                continue
            section = next((value for word, value in _SECTIONS.items() if word in name), "")
            skill, depth = "", len(heading[1])
            continue
        if line.strip():
            _take(data, section, skill, line.strip())
    return data


_KEYS = ("category", "severity", "recoverable", "strategy", "action", "root cause")


def _take(data: dict[str, Any], section: str, skill: str, line: str) -> None:
    pair = _PAIR.match(line)
    key = _name(pair[1]) if pair else ""
    if pair and section == "confidence" and ("diagnosis" in key or "recommendation" in key):
        data[f"confidence {'diagnosis' if 'diagnosis' in key else 'recommendation'}"] = pair[2]
        return
    found = next(
        (
            name
            for name in _KEYS
            if key == name or (key.startswith(name) and name in ("action", "root cause"))
        ),
        None,
    )
    if pair and found and section not in ("evidence", "steps", "alternatives", "patterns"):
        data.setdefault(found, pair[2])
        return
    item = _ITEM.match(line)
    row = item[1] if item else line
    if section in ("evidence", "steps", "alternatives"):
        data.setdefault(section, []).append(row)
    elif section == "patterns":
        data.setdefault("patterns", []).append(f"{skill}: {row}" if skill else row)
    elif section in ("root cause", "action"):
        data[section] = f"{data[section]} {row}" if section in data else row


def _build(data: Mapping[str, Any]) -> Investigation:
    faults: list[str] = []
    category = _choice(Category, data, "category", faults)
    severity = _choice(Severity, data, "severity", faults)
    action = _choice(Action, data, "action", faults)
    recoverable = _yes(data.get("recoverable"), faults)
    root, strategy = _sentence(data, "root cause", faults), _sentence(data, "strategy", faults)
    evidence = _rows(data.get("evidence"))
    if not evidence:
        faults.append(
            "There is no evidence: name at least one line, file or output that shows the root cause."
        )
    diagnosis = _belief(data.get("confidence diagnosis"), "diagnosis", faults)
    recommendation = _belief(data.get("confidence recommendation"), "recommendation", faults)
    if faults or category is None or severity is None or action is None:
        raise NotAnInvestigation(faults)
    return Investigation(
        category=category,
        severity=severity,
        recoverable=recoverable,
        root_cause=root,
        evidence=evidence,
        strategy=strategy,
        action=action,
        diagnosis_confidence=diagnosis,
        recommendation_confidence=recommendation,
        steps=_rows(data.get("steps")),
        alternatives=_rows(data.get("alternatives")),
        patterns=_patterns(data.get("patterns")),
    )


def _choice(kind: type[_Value], data: Mapping[str, Any], key: str, faults: list[str]) -> _Value | None:
    given = str(data.get(key, "")).strip(" *`_.").upper()
    if given in kind.__members__:
        return kind[given]
    allowed = ", ".join(kind.__members__)
    problem = f"is {given[:60]!r}" if given else "is missing"
    faults.append(f"The {key} {problem}: it must be one of {allowed}.")
    return None


def _yes(given: Any, faults: list[str]) -> bool:
    if isinstance(given, bool):
        return given
    answer = str(given or "").strip(" *`_.").lower().split(" ")[0].rstrip(",;")
    if answer in ("yes", "true", "no", "false"):
        return answer in ("yes", "true")
    faults.append("It is not said whether the error is recoverable: yes or no.")
    return False


def _sentence(data: Mapping[str, Any], key: str, faults: list[str]) -> str:
    text = _flat(str(data.get(key) or ""))
    if not text:
        faults.append(f"The {key} is missing.")
    return text


def _rows(given: Any) -> tuple[str, ...]:
    if isinstance(given, str):
        given = [given]
    return tuple(flat for one in given or () if (flat := _flat(str(one))))


def _patterns(given: Any) -> tuple[tuple[str, str], ...]:
    if isinstance(given, Mapping):
        return tuple((str(skill), _flat(str(saw))) for skill, saw in given.items())
    pairs = (row.partition(": ") for row in _rows(given))
    return tuple((skill.strip("*` "), saw) if saw else ("", skill) for skill, _, saw in pairs)


def _belief(given: Any, name: str, faults: list[str]) -> Belief:
    if isinstance(given, Mapping):
        level, reason = given.get("level", given.get("value")), str(given.get("reason", ""))
    else:
        text = str(given if given is not None else "").strip(" *")
        head, _, reason = text.partition(" ") if text else ("", "", "")
        level, reason = head.strip(",;:()"), reason.strip(" -—–:;,(").removesuffix(")")
        if reason.startswith("%"):
            level, reason = f"{level}%", reason[1:].strip(" -—–:;,(")
    number = _number(level)
    if number is None:
        faults.append(f"The confidence of the {name} is missing or no number from 0 to 1.")
        return Belief(0.0)
    return Belief(number, _flat(reason))


def _number(level: Any) -> float | None:
    text = str(level).strip().lower()
    if text in _LEVELS:
        return _LEVELS[text]
    try:
        value = float(text.rstrip("% ")) / (100 if text.endswith("%") else 1)
    except ValueError:
        return None
    return value if 0 <= value <= 1 else None


def _flat(text: str) -> str:
    return " ".join(text.split())


def write(found: Investigation) -> str:
    """Return the report as Markdown, which ``parse`` reads back to the same value."""

    def bullets(rows: Iterable[str]) -> list[str]:
        return [f"- {_flat(row)}" for row in rows]

    def belief(name: str, one: Belief) -> str:
        return f"- {name}: {one.level:.2f}" + (f" — {_flat(one.reason)}" if one.reason else "")

    lines = [
        "# Investigation report",
        "## Classification",
        f"- category: {found.category.value}",
        f"- severity: {found.severity.value}",
        f"- recoverable: {'yes' if found.recoverable else 'no'}",
        "## Root cause",
        _flat(found.root_cause),
        "## Evidence",
        *bullets(found.evidence),
        "## Patterns",
        *bullets(f"{skill}: {saw}" for skill, saw in found.patterns),
        "## Recommendation",
        f"- strategy: {_flat(found.strategy)}",
        "### Steps",
        *(f"{number}. {_flat(step)}" for number, step in enumerate(found.steps, 1)),
        "### Alternatives",
        *bullets(found.alternatives),
        "## Confidence",
        belief("diagnosis", found.diagnosis_confidence),
        belief("recommendation", found.recommendation_confidence),
        "## Action",
        found.action.value,
    ]
    return "\n".join(lines) + "\n"


def believable(found: Investigation, known_files: Iterable[str]) -> list[str]:
    """Return a sentence for each file that the report names and the tree does not have."""
    known = set(known_files)
    endings = {path.rsplit("/", 1)[-1] for path in known}
    doubts = []
    for place, text in (("root cause", found.root_cause), *(("evidence", row) for row in found.evidence)):
        for path in paths_in(text):
            name = relative(path)
            if not is_project(path) or name in known or any(one.endswith("/" + name) for one in known):
                continue
            if "/" not in name and name in endings:
                continue
            doubts.append(f"The {place} names {name}, which is not in the tree.")
    return list(dict.fromkeys(doubts))
