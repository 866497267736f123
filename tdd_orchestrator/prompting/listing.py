"""The Test List agent's answer, read: JSON or Markdown with checkboxes to items, or a sentence for each thing
wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from tdd_orchestrator.model.plan import Item, ItemType, Priority, Status
from tdd_orchestrator.text import one_line, plain

LARGEST = 512 << 10  # bytes of an answer
MOST = 60  # items: a longer list is a plan for several features
_TITLE = 200  # characters
_DESCRIPTION = 4_000
_SHOWN = 8  # problems told of one answer

_FENCE = re.compile(r"(?m)^[ \t]{0,8}```[a-z]{0,8}[ \t]{0,8}$")
_CHECKBOX = re.compile(r"^\s{0,12}(?:[-*+]|\d{1,4}[.)])\s+\[([ xX])\]\s+(.+)$")
_MARKS = re.compile(r"\((bug|chore|behaviour|high|medium|low)\)\s*$", re.IGNORECASE)
_HINT = re.compile(r"^\s+[-*+]?\s*(test|test_file|impl|impl_file|code)\s*:\s*`?([^`]+)`?$", re.IGNORECASE)
_COVERED = re.compile(r"^\s+[-*+]?\s*covered\b", re.IGNORECASE)
_WORDS = {
    "behavior": "behaviour",
    "feature": "behaviour",
    "test": "behaviour",
    "fix": "bug",
    "normal": "medium",
}


@dataclass(frozen=True, slots=True)
class ParsedList:
    """One item of an answer. ``covered``: an existing test proves it already."""

    title: str
    description: str = ""
    type: ItemType = ItemType.BEHAVIOUR
    priority: Priority = Priority.MEDIUM
    test_file: str = ""
    impl_file: str = ""
    covered: bool = False

    def item(self, identity: str, order: float) -> Item:
        """As an item of the plan."""
        return Item(
            identity,
            self.title,
            self.description,
            self.type,
            self.priority,
            test_file=self.test_file,
            impl_file=self.impl_file,
            order=order,
            status=Status.ALREADY_COVERED if self.covered else Status.PLANNED,
        )


class BadList(ValueError):
    """``problems``: a sentence for each thing wrong, for the question that is asked again."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        more = len(self.problems) - _SHOWN
        super().__init__("; ".join(self.problems[:_SHOWN]) + (f"; and {more} more" if more > 0 else ""))


def read_list(answer: bytes | str) -> tuple[ParsedList, ...]:
    """The items, in their order. Raises BadList."""
    text = answer.decode("utf-8", "replace") if isinstance(answer, bytes) else answer
    if len(text) > LARGEST:
        raise BadList([f"the answer has {len(text)} characters, at most {LARGEST} are read"])
    if not text.strip():
        raise BadList(["the answer is empty"])
    rows = _json_rows(text)
    if rows is None:
        rows = _markdown_rows(text)
    if not rows:
        raise BadList(["the list has no item"])
    if len(rows) > MOST:
        raise BadList([f"the list has {len(rows)} items, at most {MOST} are taken: keep to this feature"])
    return _checked(rows)


def _json_rows(text: str) -> list[Any] | None:
    """The rows of a JSON answer (bare, or inside a fence); None where the answer is no JSON."""
    bare = text.strip()
    fences = _FENCE.split(text, 2)
    fenced = fences[1] if len(fences) == 3 else ""
    source = bare if bare[:1] in ("{", "[") and not _CHECKBOX.match(bare[:2_000]) else fenced
    if not source.strip().startswith(("{", "[")):
        return None
    try:
        data = json.loads(source)
    except ValueError as error:
        raise BadList([f"the JSON cannot be read: {error}"]) from error
    except RecursionError as error:
        raise BadList(["the JSON is nested too deeply"]) from error
    rows = data.get("items") if isinstance(data, dict) else data
    if not isinstance(rows, list):
        raise BadList(['the JSON must be {"items": [...]} or a list'])
    return rows


def _markdown_rows(text: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for whole in plain(text).split("\n")[:20_000]:
        line = whole[:2_000].rstrip()
        box = _CHECKBOX.match(line)
        if box:
            rows.append(_marked(box[2]) | {"covered": box[1] != " "})
            continue
        hint = _HINT.match(line) if rows else None
        if hint:
            key = "test_file" if hint[1].lower().startswith("test") else "impl_file"
            rows[-1][key] = hint[2]
        elif rows and _COVERED.match(line):
            rows[-1]["covered"] = True
        elif rows and line[:1].isspace() and line.strip():
            rows[-1]["description"] = f"{rows[-1].get('description', '')}\n{line.strip()}".strip()
    if not rows:
        raise BadList(["neither JSON nor a Markdown list with checkboxes was found"])
    return rows


def _marked(title: str) -> dict[str, Any]:
    """A title with trailing marks such as ``(bug) (high)``."""
    found: dict[str, Any] = {}
    while mark := _MARKS.search(title):
        word = mark[1].lower()
        found["priority" if word in ("high", "medium", "low") else "type"] = word
        title = title[: mark.start()].rstrip()
    return found | {"title": title}


def _checked(rows: list[Any]) -> tuple[ParsedList, ...]:
    problems: list[str] = []
    items: list[ParsedList] = []
    seen: dict[str, int] = {}
    for number, row in enumerate(rows):
        where = f"items[{number}]"
        if not isinstance(row, dict):
            problems.append(f"{where}: must be an object, is {type(row).__name__}")
            continue
        item = _item(_Row(where, row, problems))
        if item is None:
            continue
        key = same(item.title)
        if key in seen:
            problems.append(f"{where}: the same title as items[{seen[key]}]")
        seen.setdefault(key, number)
        items.append(item)
    if problems:
        raise BadList(problems)
    return tuple(items)


def same(title: str) -> str:
    """Two titles are the same item's where this is equal: case, spaces and the full stop say nothing."""
    return " ".join(title.lower().split()).rstrip(".")


@dataclass(frozen=True, slots=True)
class _Row:
    """One item as it was written; what does not fit is added to ``problems``."""

    where: str
    fields: dict[str, Any]
    problems: list[str]

    def refuse(self, what: str) -> None:
        self.problems.append(f"{self.where}: {what}")

    def text(self, key: str, limit: int) -> str:
        value = self.fields.get(key)
        if value is None:
            return ""
        if not isinstance(value, str):
            self.refuse(f"{key} must be text, is {type(value).__name__}")
            return ""
        text = plain(value).strip()
        if len(text) > limit:
            self.refuse(f"{key} has {len(text)} characters, at most {limit}")
        return text

    def word(self, key: str, known: list[str], default: str) -> str:
        value = self.fields.get(key) or default
        word = _WORDS.get(value.lower(), value.lower()) if isinstance(value, str) else ""
        if word not in known:
            self.refuse(f"{key} must be one of {', '.join(known)}")
            return default
        return word

    def path(self, key: str) -> str:
        """A hint of a file: relative, inside the project, or nothing."""
        text = self.text(key, 300).strip("`")
        path = PurePosixPath(text.replace("\\", "/"))
        if path.is_absolute() or ".." in path.parts or "\n" in text or re.match(r"[A-Za-z]:", text):
            self.refuse(f"{key} must be a path inside the project")
            return ""
        return "" if text in ("", ".") else str(path)


def _item(row: _Row) -> ParsedList | None:
    before = len(row.problems)
    title = row.text("title", _TITLE)
    if not title and len(row.problems) == before:
        row.refuse("title is missing")
    description = row.text("description", _DESCRIPTION)
    kind = row.word("type", [one.value for one in ItemType], "behaviour")
    priority = row.word("priority", [one.value for one in Priority], "medium")
    files = [row.path(key) for key in ("test_file", "impl_file")]
    status = row.fields.get("status", Status.PLANNED)
    if status not in (Status.PLANNED, Status.ALREADY_COVERED):
        row.refuse("status must be planned or already_covered")
    covered = row.fields.get("covered", status == Status.ALREADY_COVERED)
    if not isinstance(covered, bool):
        row.refuse("covered must be true or false")
    if len(row.problems) > before:
        return None
    return ParsedList(
        one_line(title, _TITLE), description, ItemType(kind), Priority(priority), files[0], files[1], covered
    )
