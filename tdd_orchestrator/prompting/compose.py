"""A role, a brief and skills to the one text that an agent gets; each section within its budget.

The same values give the same text. Nothing secret leaves: the whole prompt is redacted at the end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, TypeGuard

from tdd_orchestrator.model.diagnosis import Diagnosis
from tdd_orchestrator.model.errors import BadConfig
from tdd_orchestrator.prompting.brief import Brief, FixRequest, Try
from tdd_orchestrator.prompting.logs import cut_log, sentence
from tdd_orchestrator.prompting.templates import ROLES, Role, Skill, find_role, load, own_files
from tdd_orchestrator.redaction import Redact, redactor
from tdd_orchestrator.text import middle_cut, one_line, plain

BUDGET = {
    # characters
    "title": 200,
    "description": 4_000,
    "feature": 24_000,
    "style_code": 2_500,
    "failing_output": 6_000,
    "cycle_diff": 6_000,
    "investigation": 5_000,
    "handoff": 1_200,
    "context": 2_000,
    "problem": 2_000,
    "diff": 3_000,  # of the last try
    "older_diff": 1_000,
    "last_words": 600,
    "stack": 4_000,
    "line": 300,
    "list": 12_000,
    "whole": 90_000,
}
SHORT = 0.25
"""``Brief.room`` where the whole prompt did not fit into the model's context."""
_WHOLE = ("title", "line")  # what names things is never shortened
MOST = {
    "names": 40,
    "existing_tests": 300,
    "tries": 3,
    "reasons": 8,
    "console": 50,
    "network": 20,
    "hints": 10,
}
"""How many entries of a list; what goes beyond is said in one entry."""


Room = Mapping[str, int]
"""Characters for each section."""


def check_own(root: Path) -> None:
    """Read the repository's own role files as for an agent. Raises BadConfig for the first that cannot be
    used."""
    for path in own_files(root):
        if path.stem in ROLES:
            load(find_role(path.stem, root), VARIABLES)


def compose(role: Role, brief: Brief, skills: Sequence[Skill] = (), *, redact: Redact | None = None) -> str:
    """The prompt. Raises BadConfig where the role's template asks for what there is not."""
    from jinja2 import UndefinedError

    room = {name: size if name in _WHOLE else int(size * brief.room) for name, size in BUDGET.items()}
    values = _values(brief, skills if brief.room >= 1 else (), room)
    try:
        fence = _fence(values)
        text = load(role, VARIABLES).render({**values, "fence": fence})
    except UndefinedError as error:
        raise BadConfig(f"{role.path}: {error.message}.") from error
    text = _without_gaps(text, fence).strip() + "\n"
    return middle_cut((redact or redactor({}))(text), room["whole"])


def kinds_of(brief: Brief) -> frozenset[str]:
    """What kind of failure this brief is about, for choosing skills: verdict, category, routing type, error
    type."""
    found = {one.verdict.value for one in brief.tries[-1:]}
    if brief.diagnosis:
        diagnosis = brief.diagnosis
        found |= {
            str(kind.value).lower()
            for kind in (diagnosis.category, diagnosis.error_type, diagnosis.routing_type)
            if kind
        }
    return frozenset(found)


def _values(brief: Brief, skills: Sequence[Skill], room: Room) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for one in fields(brief):
        value = getattr(brief, one.name)
        if isinstance(value, str):
            value = one_line(value, room["line"])
        elif isinstance(value, tuple) and all(isinstance(entry, str) for entry in value):
            value = _some(value, MOST.get(one.name, MOST["names"]), room)
        values[one.name] = value
    for name in ("description", "feature", "investigation", "handoff", "context", "problem"):
        values[name] = middle_cut(plain(getattr(brief, name)).strip(), room[name])
    values["style_code"] = _first_lines(brief.style_code, room["style_code"])
    values["forbidden"] = _some(tuple(dict.fromkeys(brief.forbidden)), MOST["names"], room)
    values["title"] = one_line(brief.title, room["title"])
    values["cycle_diff"] = middle_cut(plain(brief.cycle_diff).strip("\n"), room["cycle_diff"])
    values["minutes"] = f"{brief.minutes:g}" if brief.minutes >= 1 else ""
    values["failing_output"] = cut_log(brief.failing_output, room["failing_output"])
    values["tries"] = _tries(brief, room)
    values["feedback"] = sentence(brief.phase, brief.tries[-1].verdict) if brief.tries else ""
    values["diagnosis"] = _diagnosis(brief.diagnosis, room) if _adds(brief.diagnosis, brief.tries) else None
    request = brief.request or FixRequest(test_name=brief.title)
    values["request"] = _request(request, room)
    if request.stack.strip() and request.stack.strip() in brief.failing_output:
        values["request"]["stack"] = ""  # shown with the output
    values["skills"] = [{"name": skill.name, "body": skill.body} for skill in skills]
    return values


def _tries(brief: Brief, room: Room) -> list[dict[str, Any]]:
    """The last few, oldest first. Older ones show their diffs shorter, no instruction, and nothing that the
    newest shows too."""
    tries = brief.tries[-MOST["tries"] :]
    return [
        *(_try("", _unlike(one, tries[-1]), room["older_diff"], room) for one in tries[:-1]),
        *(_try(brief.phase, one, room["diff"], room) for one in tries[-1:]),
    ]


def _unlike(older: Try, newest: Try) -> Try:
    """The older attempt without what the newest one shows."""
    same = bool(older.diff) and older.diff == newest.diff
    reasons = (
        (*older.reasons, f"its change was the one of attempt {newest.attempt}") if same else older.reasons
    )
    words = "" if older.last_words == newest.last_words else older.last_words
    return replace(older, diff="" if same else older.diff, reasons=reasons, last_words=words)


def _try(phase: str, one: Try, of_diff: int, room: Room) -> dict[str, Any]:
    return {
        "attempt": one.attempt,
        "verdict": one.verdict.value.replace("_", " "),
        "said": sentence(phase, one.verdict) if phase else "",
        "reasons": _some(one.reasons, MOST["reasons"], room),
        "diff": middle_cut(plain(one.diff).strip("\n"), of_diff),
        "last_words": middle_cut(plain(one.last_words).strip(), room["last_words"]),
    }


_REPEATED = ("verdict:", "words:", "fault:")
"""Rules whose message is made of the attempt's own reasons or last words, which the prompt shows anyway."""


def _adds(diagnosis: Diagnosis | None, tries: Sequence[Try]) -> TypeGuard[Diagnosis]:
    """Return whether the diagnosis says more than the attempt that it is of."""
    if diagnosis is None or diagnosis.rule.startswith(_REPEATED):
        return False
    reasons = [reason for one in tries[-1:] for reason in one.reasons]
    return not diagnosis.message or not any(diagnosis.message in reason for reason in reasons)


def _diagnosis(diagnosis: Diagnosis, room: Room) -> dict[str, str]:
    kinds = [
        diagnosis.routing_type.value,
        *(kind.value for kind in (diagnosis.error_type, diagnosis.category) if kind),
    ]
    message = diagnosis.message or diagnosis.exception or diagnosis.warning
    evidence = "" if diagnosis.evidence in message else diagnosis.evidence
    where = f"{diagnosis.file}:{diagnosis.line}" if diagnosis.file and diagnosis.line else diagnosis.file
    return {
        "kind": ", ".join(kinds),
        "where": one_line(where),
        "message": one_line(message, room["line"]),
        "evidence": one_line(evidence, room["line"]),
    }


def _request(request: FixRequest, room: Room) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for one in fields(request):
        value = getattr(request, one.name)
        values[one.name] = one_line(value, 1_000) if isinstance(value, str) else value
    values["stack"] = cut_log(request.stack, room["stack"])
    values["console"] = [one_line(entry, room["line"]) for entry in request.console[-MOST["console"] :]]
    values["network"] = [one_line(entry, room["line"]) for entry in request.network[-MOST["network"] :]]
    return values


def _some(entries: tuple[str, ...], most: int, room: Room) -> list[str]:
    lines: list[str] = []
    left_over = room["list"]
    for entry in entries[:most]:
        lines.append(one_line(entry, room["line"]))
        left_over -= len(lines[-1])
        if left_over < 0:
            break
    left = len(entries) - len(lines)
    return [*lines, f"... and {left} more"] if left else lines


def _first_lines(text: str, limit: int) -> str:
    """Whole lines from the beginning: an example of style needs no end."""
    text = plain(text).rstrip()
    return text if len(text) <= limit else text[:limit].rsplit("\n", 1)[0] + "\n..."


def _fence(values: Any) -> str:
    """A fence that no value can close: longer than any run of backticks in them."""
    longest = 2
    for run in _texts(values, lambda text: re.findall(r"`{3,}", text)):
        longest = max(longest, len(run))
    return "`" * (longest + 1)


def _without_gaps(text: str, fence: str) -> str:
    """One blank line at most between paragraphs; what stands in a fence stays as it is."""
    parts = re.split(rf"(?ms)(^{fence}\w*\n.*?^{fence}$)", text)
    return "".join(part if part.startswith(fence) else re.sub(r"\n{3,}", "\n\n", part) for part in parts)


def _texts(value: Any, find: Callable[[str], list[str]]) -> list[str]:
    if isinstance(value, str):
        return find(value)
    if isinstance(value, dict):
        value = list(value.values())
    return [hit for one in value for hit in _texts(one, find)] if isinstance(value, list | tuple) else []


VARIABLES = frozenset({*(one.name for one in fields(Brief)), "feedback", "skills", "fence"})
"""What a template may ask for."""
