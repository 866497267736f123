"""Find the functions and methods of production code, its public names, and what a change did to them."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import cached_property

from tdd_orchestrator.languages import language_of
from tdd_orchestrator.languages.base import Language, Node
from tdd_orchestrator.languages.find import groups_of, reader_of, whole
from tdd_orchestrator.languages.parse import parse, walk

_WORD = re.compile(r"\w+|[^\w\s{}();,]+")


@dataclass(frozen=True)
class Function:
    """A function or method. ``key`` is its qualified name, with #2 for the second of that name."""

    name: str
    key: str
    lines: tuple[int, int]
    node: Node = field(repr=False, compare=False)
    body: Node = field(repr=False, compare=False)
    normalized: Callable[[], str] = field(repr=False, compare=False)

    @property
    def owner(self) -> str:
        """The name of the outermost function or class that holds it, which may be itself."""
        return re.split("[.#]", self.key, maxsplit=1)[0]

    @cached_property
    def code(self) -> str:
        """The normalized text, made when it is asked for: most are asked for their names."""
        return self.normalized()


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
                node=node,
                body=match["body"],
                normalized=functools.partial(reader.normalize, whole(language, node)),
            )
        )
    return tuple(found)


def outside_functions(text: str, path: str) -> str:
    """Return the words of a file outside its functions, imports, comments, bare strings and headers of
    classes.

    Equal before and after a change that touched nothing else; empty for a language that is not known.
    """
    language = language_of(path)
    if language is None:
        return ""
    source = parse(text, language)
    spans = [whole(language, function.node) for function in functions_of(text, language)]
    spans += [(m["import"].start_byte, m["import"].end_byte) for m in source.matches(language.imports)]
    spans += [(m["group"].start_byte, m["body"].start_byte) for m in source.matches(language.groups)]
    for node in walk(source.root):
        bare = node.type == "expression_statement" and [one.type for one in node.named_children] == ["string"]
        if bare or node.type in language.comments:
            spans.append((node.start_byte, node.end_byte))
    return " ".join(_WORD.findall(_cut(source.data, spans)))


def _cut(data: bytes, spans: list[tuple[int, int]]) -> str:
    """Return the text that lies in none of the spans."""
    left, at = [], 0
    for start, end in sorted(spans):
        left.append(data[at:start] if start > at else b"")
        at = max(at, end)
    left.append(data[at:])
    return b" ".join(left).decode("utf-8", "replace")


_OFFERED = re.compile(r"^__all__\b[^\[(\n]*[\[(][^\])]*", re.MULTILINE)


def named_words(text: str, path: str, but: Collection[str]) -> frozenset[str]:
    """Return the words of a file outside its imports, comments and names of what it offers, and outside the
    functions and classes ``but``; none for a language that is not known."""
    language = language_of(path)
    if language is None:
        return frozenset()
    source = parse(text, language)
    spans = [whole(language, one.node) for one in functions_of(text, language) if one.owner in but]
    spans += [(m["import"].start_byte, m["import"].end_byte) for m in source.matches(language.imports)]
    names = source.captures(language.public).get("public", ())
    comments = [node for node in walk(source.root) if node.type in language.comments]
    spans += [(node.start_byte, node.end_byte) for node in (*names, *comments)]
    return frozenset(_WORD.findall(_OFFERED.sub("", _cut(source.data, spans))))


def public_functions(text: str, path: str) -> tuple[str, ...]:
    """Return the functions that a file offers and classes with methods, in order, but what is decorated, which may
    be registered by that."""
    language = language_of(path)
    if language is None:
        return ()
    owners = {one.owner for one in functions_of(text, language)}
    source = parse(text, language)
    nodes = sorted(source.captures(language.public).get("public", ()), key=lambda node: node.start_byte)
    names = dict.fromkeys(source.text(node) for node in nodes if not _is_decorated(node))
    return tuple(name for name in names if name in owners)


def _is_decorated(name: Node) -> bool:
    around = (name.parent, name.parent.parent if name.parent else None)
    beside = [child.type for node in around if node for child in node.children if node.parent]
    return any("decorator" in kind or "annotation" in kind for kind in beside)


def code_tokens(text: str, path: str, *, without: Collection[str] = ()) -> str:
    """Return the tokens of a file without comments and docstrings, in one line; ``without``: and without these
    captures of :attr:`Language.inert`.

    Equal before and after a change of nothing but what is left out and of format; empty for a language that
    is not known.
    """
    language = language_of(path)
    if language is None:
        return ""
    source = parse(text, language)
    bare = [
        (node.start_byte, node.end_byte)
        for node in walk(source.root)
        if node.type == "expression_statement" and [one.type for one in node.named_children] == ["string"]
    ]
    if without:
        captures = source.captures(language.inert)
        bare += [(node.start_byte, node.end_byte) for name in without for node in captures.get(name, ())]
    tokens = reader_of(source).normalize((0, len(source.data)), _outermost(bare))
    return re.sub(r"(?: ;)+", " ;", tokens).strip(" ;")


def _outermost(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the spans, in order, that lie in no other one."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(spans, key=lambda one: (one[0], -one[1])):
        if not found or start >= found[-1][1]:
            found.append((start, end))
    return found


def public_names(text: str, path: str) -> frozenset[str]:
    """Return the names that a file offers: its top-level public functions, classes and exports."""
    language = language_of(path)
    if language is None:
        return frozenset()
    source = parse(text, language)
    return frozenset(source.text(node) for node in source.captures(language.public).get("public", ()))


def defined_names(text: str, path: str) -> frozenset[str]:
    """Return the names that a file offers, with those of its functions and methods."""
    language = language_of(path)
    if language is None:
        return frozenset()
    return public_names(text, path).union(function.name for function in functions_of(text, language))


def changed_functions(before: str, after: str, path: str) -> tuple[Function, ...]:
    """Return the functions and methods of ``after`` that are new or do something else than in ``before``."""
    language = language_of(path)
    if language is None:
        return ()
    old = {function.key: function.code for function in functions_of(before, language)}
    return tuple(f for f in functions_of(after, language) if old.get(f.key) != f.code)


_NOTHING = re.compile(r"[\s{}:;()]*|(?:return\s+)?(?:pass|\.{3}|None|null|nil|undefined|return)|do\s+end|end")


def emptied_functions(before: str, after: str, path: str) -> list[str]:
    """Return the functions that did something in ``before`` and do nothing in ``after``."""
    language = language_of(path)
    if language is None:
        return []
    did = {function.key for function in functions_of(before, language) if not _does_nothing(function)}
    return [one.key for one in functions_of(after, language) if one.key in did and _does_nothing(one)]


def _does_nothing(function: Function) -> bool:
    body = (function.body.text or b"").decode("utf-8", "replace")
    return bool(_NOTHING.fullmatch(body.strip("{}:; \n\t")))
