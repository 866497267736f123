"""Find the functions and methods of production code."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tdd_orchestrator.languages.base import Language
from tdd_orchestrator.languages.find import groups_of, reader_of, whole
from tdd_orchestrator.languages.parse import parse

if TYPE_CHECKING:
    from tree_sitter import Node


@dataclass(frozen=True)
class Function:
    """A function or method. ``key`` is its qualified name, with #2 for the second of that name."""

    name: str
    key: str
    lines: tuple[int, int]
    code: str = field(repr=False)  # normalized
    node: Node = field(repr=False, compare=False)
    body: Node = field(repr=False, compare=False)


@functools.lru_cache(maxsize=64)
def functions_of(text: str, language: Language) -> tuple[Function, ...]:
    """Return the functions of a text, outer ones before those inside them."""
    source = parse(text, language)
    groups, reader = groups_of(source), reader_of(source)
    seen: dict[str, int] = {}
    found: list[Function] = []
    done: set[int] = set()
    for match in sorted(source.matches(language.functions), key=lambda m: m["function"].start_byte):
        node, name = match["function"], source.text(match["name"])
        if node.start_byte in done:
            continue
        done.add(node.start_byte)
        around = [group.name for group in groups.around((node.start_byte, node.end_byte))]
        if "suite" in match:  # a method outside its class names it: func (k *Kata) Double()
            around.append(source.text(match["suite"]).lstrip("*"))
        key = ".".join((*around, name))
        seen[key] = seen.get(key, 0) + 1
        found.append(
            Function(
                name=name,
                key=key if seen[key] == 1 else f"{key}#{seen[key]}",
                lines=(node.start_point[0] + 1, node.end_point[0] + 1),
                code=reader.normalize(whole(language, node)),
                node=node,
                body=match["body"],
            )
        )
    return tuple(found)
