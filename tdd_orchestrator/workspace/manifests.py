"""Shared manifests: keys that configure tests must not change, others may. Pure."""

from __future__ import annotations

import configparser
import json
import re
import tomllib
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

UNREAD = "what cannot be told from code"
"""The key for lines with a string that we cannot parse to its end: they must not change."""


@dataclass(frozen=True, slots=True)
class _Language:
    """``noise``: strings and comments; ``inside``: code within a string.

    ``unread``: beginnings of other kinds of strings, where strings are blank.
    """

    noise: re.Pattern[str]
    inside: re.Pattern[str]
    unread: re.Pattern[str]


_LINE = r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'"
_BLOCK = r"\"\"\"(?:\\.|[^\\])*?\"\"\"|'''(?:\\.|[^\\])*?'''"
_RAW = r"\"\"\".*?\"\"\"(?!\")"
_SLASHES = r"//[^\n]*|/\*(?:.*?\*/|.*)"
_SLASHY = re.compile(r"(?:^|[=(,\[~:{;!&|?+]|\breturn)[ \t]*\$?/|\$/", re.MULTILINE)


def _language(strings: str, comments: str, inside: str, unread: re.Pattern[str]) -> _Language:
    noise = re.compile(rf"(?P<string>{strings})|(?P<comment>{comments})", re.DOTALL)
    return _Language(noise, re.compile(inside, re.DOTALL), unread)


_CODE = {
    ".gradle": _language(f"{_BLOCK}|{_LINE}", _SLASHES, r"\$\{.*\}", _SLASHY),
    ".kts": _language(f"{_RAW}|{_LINE}", _SLASHES, r"\$\{.*\}", _SLASHY),
    ".swift": _language(
        f"{_BLOCK}|{_LINE}", _SLASHES, r"\\\(.*\)", re.compile(_SLASHY.pattern + r"|#[ \"]", re.MULTILINE)
    ),
    ".exs": _language(f"{_BLOCK}|\\?\\\\?[\"']|{_LINE}", r"#[^\n]*", r"#\{.*\}", re.compile(r"~[A-Za-z]")),
}


_COMMENT = re.compile(r"\s*(?:#|--|;|%|//)")


_TEST = re.compile(r"(?<![a-z])(?:unit)?tests?(?![a-z])|(?<![a-z])spec(?![a-z])", re.IGNORECASE)


def is_code(name: str) -> bool:
    return name.endswith(tuple(_CODE))


def statements(name: str, text: str, keys: Sequence[str]) -> dict[str, Any]:
    """Return for each key the statements that begin with it.

    A statement ends with the line, or with the brackets or the ``do`` block that open on it. Comments
    and white space do not count.
    """
    language = next(language for suffix, language in _CODE.items() if name.endswith(suffix))
    clean = language.noise.sub(lambda found: found["string"] or " ", text)
    # Text in strings is neither a key nor a bracket, unless it is code, or exactly the key.
    blank = language.noise.sub(lambda found: _blank(found[0], language.inside, keys), clean)
    marks = _Marks(
        [(found.start(), found[0]) for found in re.finditer(r"[()\[\]{}]", blank)],
        [found.start() for found in re.finditer(r"\n|\Z", blank)],
        frozenset(found.end() for found in re.finditer(r" do[ \t\r]*$", blank, re.MULTILINE)),
    )
    found_by_key: dict[str, Any] = {
        key: [" ".join(one.split()) for one in _of(clean, blank, marks, key)] for key in keys
    }
    return {**found_by_key, UNREAD: sorted(_lines(clean, blank, language.unread))}


def _blank(string: str, inside: re.Pattern[str], keys: Sequence[str]) -> str:
    if string.strip("\"'") in keys:
        return string
    code = inside.search(string)
    if not code:
        return " " * len(string)
    return " " * code.start() + code[0] + " " * (len(string) - code.end())


def _lines(clean: str, blank: str, pattern: re.Pattern[str]) -> set[str]:
    """Return the lines on which ``pattern`` is found outside of strings."""
    found: set[str] = set()
    for hit in pattern.finditer(blank):
        end = clean.find("\n", hit.end())
        found.add(clean[clean.rfind("\n", 0, hit.end()) + 1 : len(clean) if end < 0 else end].strip())
    return found


@dataclass(frozen=True, slots=True)
class _Marks:
    """The positions of brackets, line ends and ``do`` blocks, found once for all statements."""

    brackets: Sequence[tuple[int, str]]
    lines: Sequence[int]
    do: frozenset[int]


def _of(clean: str, blank: str, marks: _Marks, key: str) -> Iterator[str]:
    end = 0
    for found in re.finditer(rf"(?<!\w){re.escape(key)}\b", blank):
        if found.start() >= end:
            end = _end(blank, marks, found.end())
            yield clean[found.start() : end]


def _end(blank: str, marks: _Marks, at: int) -> int:
    line = marks.lines[bisect_left(marks.lines, at)]
    if line in marks.do:
        return _end_of_do(blank, at, line)
    depth = 0
    for number in range(bisect_left(marks.brackets, (at, "")), len(marks.brackets)):
        place, bracket = marks.brackets[number]
        if place > line and depth <= 0:
            break
        depth += 1 if bracket in "([{" else -1
        if depth < 0:  # it closes what opened before the statement
            return min(place, line)
        line = max(line, place + 1) if depth == 0 and place > line else line
    return line if depth <= 0 else len(blank)


def _end_of_do(blank: str, at: int, line: int) -> int:
    begin = blank.rfind("\n", 0, at) + 1
    indent = re.match(r"[ \t]*", blank[begin:at])
    close = re.compile(rf"^{indent[0] if indent else ''}end\b", re.MULTILINE).search(blank, line)
    return close.end() if close else len(blank)


def elements(text: str) -> dict[str, Any] | None:
    """Return the root's children by name, dotted names as nested tables.

    None for unparsable files, and for files with entities.
    """
    if not text.strip():
        return {}
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        return None
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError:
        return None
    found: dict[str, Any] = {}
    for child in root:
        name = _bare(child.tag)
        if name == "properties":
            found[name] = _nested(child)
        else:
            found.setdefault(name, []).append(_shape(child))
    return found


def _nested(properties: ElementTree.Element) -> dict[str | None, Any]:
    """Return properties as nested tables, with a value at the key None (a name may end with a dot)."""
    table: dict[str | None, Any] = {}
    for one in properties:
        here = table
        for part in _bare(one.tag).split("."):
            here = here.setdefault(part, {})
        here[None] = (one.text or "").strip()
    return table


def _shape(element: ElementTree.Element) -> tuple[Any, ...]:
    children = tuple(_shape(child) for child in element)
    return (_bare(element.tag), sorted(element.attrib.items()), (element.text or "").strip(), children)


def _bare(tag: object) -> str:
    return str(tag).rpartition("}")[2]


def configures(name: str, before: str | None, after: str | None, keys: Sequence[str]) -> str:
    """Return why a manifest's change is forbidden, or "".

    A shared manifest (pyproject.toml, package.json ...) may change, except in keys that configure
    tests.
    """
    was, now = _parse(name, before or "", keys), _parse(name, after or "", keys)
    if was is None or now is None or was.get(UNREAD) != now.get(UNREAD):
        return "it configures how tests run, and its change cannot be told apart"
    for key in keys:
        if _at(was, key) != _at(now, key):
            return f"its '{key}' configures how tests run"
    return ""


def only_more_markers(name: str, before: str, after: str) -> bool:
    """Return whether pytest's settings differ by new entries of ``markers`` alone."""
    try:
        (was, old), (now, new) = (_without_markers(name, text) for text in (before, after))
    except (configparser.Error, ValueError, TypeError, AttributeError, RecursionError):
        return False
    return was == now and set(old) < set(new)


def _without_markers(name: str, text: str) -> tuple[dict[str, Any], list[str]]:
    """Return settings without their registered markers, and these."""
    if name.endswith(".toml"):
        data = tomllib.loads(text)
        tool = data.get("tool", {}).get("pytest", {})
        return data, [str(marker) for marker in tool.get("ini_options", tool).pop("markers", [])]
    parser = configparser.RawConfigParser(strict=True, delimiters="=", comment_prefixes=("#", ";"))
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # pytest tells ADDOPTS from addopts
    parser.read_string(text)
    sections = {section: dict(parser[section]) for section in parser.sections()}
    found = [sections.get(section, {}).pop("markers", "") for section in ("pytest", "tool:pytest")]
    return sections, [line for value in found for line in value.splitlines() if line.strip()]


def _parse(name: str, text: str, keys: Sequence[str]) -> dict[str, Any] | None:
    if is_code(name):
        return statements(name, text, keys)
    try:
        if name.endswith(".xml"):
            return elements(text)
        if name.endswith(".toml"):
            return tomllib.loads(text)
        if name.endswith(".json"):
            loaded = json.loads(text or "{}")
            return loaded if isinstance(loaded, dict) else None
        if name.endswith((".cfg", ".ini")):
            return _sections(text)
    except (ValueError, RecursionError):
        return None
    return _blocks(text, keys)


def apart_from_tests(text: str, keys: Sequence[str]) -> list[str]:
    """Return the blocks of a build file that name neither a key nor anything called a test."""
    named = [*map(_named, keys), _TEST]
    return [block for block in _split(text) if not any(word.search(block) for word in named)]


def _blocks(text: str, keys: Sequence[str]) -> dict[str, Any]:
    """Return for each key the blocks of a build file that name it."""
    blocks = _split(text)
    return {key: [block for block in blocks if _named(key).search(block)] for key in keys}


def _split(text: str) -> list[str]:
    """Return the blocks of a build file: a line at the margin with what is indented below. White space and
    comments do not count."""
    blocks: list[list[str]] = [[]]
    for line in text.splitlines():
        if _COMMENT.match(line) or not line.strip():
            continue
        if line[0] not in " \t)]}":
            blocks.append([])
        blocks[-1] += line.split()
    return [" ".join(words) for words in blocks if words]


def _named(key: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w./-]){re.escape(key)}(?![\w./-])", re.IGNORECASE)


def _sections(text: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    current = ""
    for line in text.splitlines():
        head = re.match(r"\s*\[([^\]]+)\]", line)
        if head:
            current = head.group(1).strip()
        found.setdefault(current, []).append(line.rstrip())
    return found


def _at(data: dict[str, Any], dotted: str) -> Any:
    """Return the value at a dotted key; with a trailing ``*``, of all keys with that prefix."""
    if dotted in data:
        return data[dotted]
    if dotted.endswith("*"):
        parent, _, prefix = dotted[:-1].rpartition(".")
        holder = _at(data, parent) if parent else data
        if not isinstance(holder, dict):
            return None
        return {key: value for key, value in holder.items() if key.startswith(prefix)}
    here: Any = data
    for part in dotted.split("."):
        if not isinstance(here, dict) or part not in here:
            return None
        here = here[part]
    return here
