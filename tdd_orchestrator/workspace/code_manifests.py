"""Manifests that are code, or XML: the statements, or the elements, that testing reads of them. Pure, nothing is run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any
from xml.etree import ElementTree

_NOISE = re.compile(
    r"(?P<string>\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*')|(?P<comment>//[^\n]*|/\*.*?\*/)", re.DOTALL
)
_HASH = re.compile(r"(?P<string>\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*')|(?P<comment>#[^\n]*)", re.DOTALL)
_BRACKET = re.compile(r"[()\[\]{}]")
_CODE = {".gradle": _NOISE, ".kts": _NOISE, ".swift": _NOISE, ".exs": _HASH}


def is_code(name: str) -> bool:
    return name.endswith(tuple(_CODE))


def statements(name: str, text: str, keys: Sequence[str]) -> dict[str, Any]:
    """For each key the statements that begin with it: to the end of the line, or of the brackets or the ``do`` block that
    open on it. Comments and white space do not count."""
    noise = next(pattern for suffix, pattern in _CODE.items() if name.endswith(suffix))
    clean = noise.sub(lambda found: found["string"] or " ", text)
    blank = noise.sub(
        lambda found: " " * len(found[0]), clean
    )  # what strings say is neither a key nor a bracket
    return {key: [" ".join(one.split()) for one in _of(clean, blank, key)] for key in keys}


def _of(clean: str, blank: str, key: str) -> Iterator[str]:
    end = 0
    for found in re.finditer(rf"(?<![\w:/-]){re.escape(key)}\b", blank):
        if found.start() >= end:
            end = _end(blank, found.end())
            yield clean[found.start() : end]


def _end(blank: str, at: int) -> int:
    line = blank.find("\n", at)
    line = len(blank) if line < 0 else line
    if blank[at:line].rstrip().endswith(" do"):
        return _end_of_do(blank, at, line)
    depth = 0
    for bracket in _BRACKET.finditer(blank, at):
        if bracket.start() > line and depth <= 0:
            break
        depth += 1 if bracket[0] in "([{" else -1
        if depth < 0:  # it closes what opened before the statement
            return min(bracket.start(), line)
        line = max(line, bracket.end()) if depth == 0 and bracket.start() > line else line
    return line if depth <= 0 else len(blank)


def _end_of_do(blank: str, at: int, line: int) -> int:
    begin = blank.rfind("\n", 0, at) + 1
    indent = re.match(r"[ \t]*", blank[begin:at])
    close = re.compile(rf"^{indent[0] if indent else ''}end\b", re.MULTILINE).search(blank, line)
    return close.end() if close else len(blank)


def elements(text: str) -> dict[str, Any] | None:
    """The children of the root by their names, dotted names as tables in tables; None for what cannot be read, or may
    say anything by its entities."""
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


def _nested(properties: ElementTree.Element) -> dict[str, Any]:
    table: dict[str, Any] = {}
    for one in properties:
        here = table
        for part in _bare(one.tag).split("."):
            here = here.setdefault(part, {})
        here[""] = (one.text or "").strip()
    return table


def _shape(element: ElementTree.Element) -> tuple[Any, ...]:
    children = tuple(_shape(child) for child in element)
    return (_bare(element.tag), sorted(element.attrib.items()), (element.text or "").strip(), children)


def _bare(tag: object) -> str:
    return str(tag).rpartition("}")[2]
