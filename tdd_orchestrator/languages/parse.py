"""Parse source text with tree-sitter and run queries on it. Grammars are imported when first needed."""

from __future__ import annotations

import functools
import importlib
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tdd_orchestrator.languages.base import Edit, Language

if TYPE_CHECKING:
    from tree_sitter import Language as Grammar
    from tree_sitter import Node, Query

_CODEC = "surrogatepass"


@functools.cache
def load_grammar(language: Language) -> Grammar:
    """Return the compiled grammar. Raises ImportError where its wheel is not installed."""
    from tree_sitter import Language as Grammar

    module = importlib.import_module(language.grammar)
    with warnings.catch_warnings():  # some wheels still hand over a number
        warnings.simplefilter("ignore", DeprecationWarning)
        return Grammar(getattr(module, language.entry)())


@functools.cache
def _compile(language: Language, query: str) -> Query:
    from tree_sitter import Query

    return Query(load_grammar(language), query)


@dataclass(frozen=True, eq=False)
class Source:
    """One parsed text. ``data`` is the original; the tree may come from a prepared copy of the same
    length."""

    language: Language
    data: bytes
    root: Node

    def text(self, node: Node) -> str:
        """Return the original source of a node."""
        return self.slice(node.start_byte, node.end_byte)

    def slice(self, start: int, end: int) -> str:
        """Return the original source between two byte offsets."""
        return self.data[start:end].decode("utf-8", "replace")

    def matches(self, query: str, node: Node | None = None) -> Iterator[dict[str, Node]]:
        """Yield one dictionary a match: capture name to the last node captured under it."""
        if not query:
            return
        from tree_sitter import QueryCursor

        cursor = QueryCursor(_compile(self.language, query))
        for _, captures in cursor.matches(node or self.root):
            yield {name: nodes[-1] for name, nodes in captures.items()}

    def captures(self, query: str, node: Node | None = None) -> dict[str, list[Node]]:
        """Return all nodes that a query captures, by capture name."""
        if not query:
            return {}
        from tree_sitter import QueryCursor

        return QueryCursor(_compile(self.language, query)).captures(node or self.root)


@functools.lru_cache(maxsize=32)
def parse(text: str, language: Language) -> Source:
    """Parse a text. Raises ImportError where the grammar's wheel is not installed."""
    from tree_sitter import Parser

    data = text.encode("utf-8", _CODEC)
    return Source(language, data, Parser(load_grammar(language)).parse(language.prepare(data)).root_node)


def apply_edits(source: Source, edits: list[Edit]) -> str:
    """Return the text with edits applied. Equal edits count once; edits inside a larger one are dropped."""
    unique = sorted(dict.fromkeys(edits), key=lambda edit: (edit[0], edit[0] != edit[1], -edit[1]))
    parts: list[bytes] = []
    at = 0
    for start, end, new in unique:
        if start < at:
            continue
        parts += [source.data[at:start], new.encode("utf-8", _CODEC)]
        at = end
    parts.append(source.data[at:])
    return b"".join(parts).decode("utf-8", _CODEC)


def walk(node: Node, skip: tuple[str, ...] = ()) -> Iterator[Node]:
    """Yield the named nodes below a node, not those inside a node of a type in ``skip``."""
    waiting = node.named_children[::-1]  # no recursion: source may be nested as deep as its author likes
    while waiting:
        child = waiting.pop()
        yield child
        if child.type not in skip:
            waiting += child.named_children[::-1]


def ancestors(node: Node, end: Node) -> Iterator[Node]:
    """Yield the nodes around a node, up to but without ``end``."""
    parent = node.parent
    while parent is not None and parent.id != end.id:
        yield parent
        parent = parent.parent
