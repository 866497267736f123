"""Stream the elements of an XML report: no document type, no entities, bounded text, truncated files too.

The standard library's expat is driven directly, because only there a document type declaration can be refused
before it is acted on.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from xml.parsers import expat

_CHUNK = 1 << 18
_TEXT = 16_000  # characters kept of one element's text
_MAX_DEPTH = 200  # levels of nesting
_CONTROLS = bytes(range(0x20)).translate(None, b"\t\n\r")
_DECLARED = re.compile(rb"""^\s*<\?xml[^>]{0,200}encoding=["']([\w.-]{1,40})["']""")


class Refused(Exception):
    """The file is not read further: it has a document type, or is no XML of ours. The message says why."""


@dataclass(slots=True)
class Node:
    """One element: its tag without namespace, its attributes, the text directly inside, its children."""

    tag: str
    attributes: dict[str, str]
    text: str = ""
    children: list[Node] = field(default_factory=list)

    def get(self, name: str) -> str:
        return self.attributes.get(name, "")

    def child(self, *path: str) -> Node | None:
        node: Node | None = self
        for tag in path:
            node = next((one for one in node.children if one.tag == tag), None) if node else None
        return node

    def inner(self, *path: str) -> str:
        node = self.child(*path)
        return node.text.strip() if node else ""


@dataclass(slots=True)
class Document:
    """What is known of the whole: the root (attributes only), whether it was closed, the suites around a
    node."""

    root: Node | None = None
    whole: bool = False
    problem: str = ""
    around: list[Node] = field(default_factory=list)


class _Builder:
    def __init__(self, wanted: frozenset[str], document: Document) -> None:
        self.ready: list[tuple[Node, list[Node]]] = []
        self._wanted = wanted
        self._document = document
        self._open: list[Node] = []  # outside wanted elements: attributes only
        self._inside: list[Node] = []  # the wanted element that is open, and what is open in it
        parser = expat.ParserCreate("utf-8", namespace_separator="}")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.StartDoctypeDeclHandler = self._refuse
        parser.EntityDeclHandler = self._refuse
        self.parser = parser

    def _refuse(self, *_: object) -> None:
        raise Refused("it declares a document type or entities, which reports have no use for")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        node = Node(name.rpartition("}")[2], attributes)
        if len(self._open) + len(self._inside) > _MAX_DEPTH:
            raise Refused("it is nested too deeply")
        if self._document.root is None:
            self._document.root = node
        if self._inside:
            self._inside[-1].children.append(node)
            self._inside.append(node)
        elif node.tag in self._wanted:
            self._inside.append(node)
        else:
            self._open.append(node)

    def _end(self, _: str) -> None:
        if not self._inside:
            self._open.pop()
            return
        node = self._inside.pop()
        if not self._inside:
            self.ready.append((node, list(self._open)))

    def _characters(self, text: str) -> None:
        if self._inside and len(self._inside[-1].text) < _TEXT:
            self._inside[-1].text += text[:_TEXT]


def elements(source: Path | bytes, wanted: frozenset[str], document: Document) -> Iterator[Node]:
    """Every wanted element as it closes, with ``document.around`` set to its ancestors. Raises Refused,
    OSError.

    A file that stops in the middle gives what it has; ``document.whole`` stays False and ``problem`` says
    why.
    """
    builder = _Builder(wanted, document)
    try:
        for block in _clean(source):
            builder.parser.Parse(block, False)
            for node, document.around in builder.ready:
                yield node
            builder.ready.clear()
        builder.parser.Parse(b"", True)
        document.whole = True
    except expat.ExpatError as error:
        document.problem = f"it is not whole: {error}"
    for node, document.around in builder.ready:
        yield node


def _clean(source: Path | bytes) -> Iterator[bytes]:
    """Yield the file as UTF-8 without the control characters that XML forbids."""
    with BytesIO(source) if isinstance(source, bytes) else source.open("rb") as file:
        block = file.read(_CHUNK)
        decoder = _decoder(block)
        while block:
            text = decoder.decode(block).lstrip("\ufeff")
            yield text.encode("utf-8", "replace").translate(None, _CONTROLS)
            block = file.read(_CHUNK)


def _decoder(head: bytes) -> codecs.IncrementalDecoder:
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return codecs.getincrementaldecoder("utf-16")("replace")
    declared = _DECLARED.match(head)
    try:
        name = codecs.lookup(declared[1].decode("ascii")).name if declared else "utf-8"
    except LookupError:
        name = "utf-8"
    return codecs.getincrementaldecoder("utf-8" if name == "utf-16" else name)("replace")
