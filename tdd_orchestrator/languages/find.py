"""Find the tests of one text: their nodes, groups, assertions and marks."""

from __future__ import annotations

import functools
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath

from tdd_orchestrator.languages.base import Language, Node
from tdd_orchestrator.languages.parse import Source, parse
from tdd_orchestrator.languages.tokens import Reader, Span

_MARK = re.compile(
    (
        r"xfail|expected_?failure|fail(?=ing|s\b)|skip|ignore|disable|todo|pending|only|focus"
        "|^[xf](?=it|describe|test|context)"
    ),
    re.I,
)
_AFFIX = re.compile(r"^tests?[_-]|[_-]tests?$")
_WORDS = {
    "ignore": "skip", "disable": "skip", "pending": "skip", "x": "skip", "f": "only", "focus": "only",
    "fail": "xfail",
}  # fmt: skip


@dataclass(frozen=True)
class SourceTest:
    """One test of a file. ``id`` is ``path::Group::name``; a parametrized test is one test."""

    id: str
    name: str
    title: tuple[str, ...]  # the groups around it, then its name
    path: str
    line: int
    end_line: int
    text: str = field(repr=False)  # as it stands in the file, with its decorators
    normalized: Callable[[], str] = field(repr=False, compare=False)
    assertions: tuple[str, ...]  # their texts
    marks: tuple[str, ...] = ()  # skip, only, xfail, todo
    subtests: tuple[str, ...] = ()  # titles of subtests in its body, which some runners name instead of it

    @cached_property
    def body(self) -> str:
        """The normalized text: equal for two tests that do the same, whatever their comments, format and local
        names. Made when it is asked for: of a large file, few tests are new."""
        return self.normalized()


@dataclass(frozen=True, eq=False)
class FoundTest:
    """A test with its nodes, for rewriting. ``span`` includes its decorators or attributes."""

    name: str
    title: tuple[str, ...]
    node: Node
    body: Node
    handle: str
    span: Span
    name_span: Span

    def key(self, path: str) -> str:
        return "::".join((path, *self.title))


@dataclass(frozen=True, eq=False)
class _Group:
    name: str
    span: Span
    body_start: int


def whole(language: Language, node: Node) -> Span:
    """Return the span of a node with its decorators and attributes."""
    outer = node.parent
    if outer is not None and outer.type in language.wrappers:
        node = outer
    first = node
    while language.prefixes:
        before = first.prev_named_sibling
        if before is None or before.type not in language.prefixes:
            break
        first = before
    return first.start_byte, node.end_byte


class Groups:
    """The groups of a file (classes, describe blocks, modules), for asking what stands around a place."""

    def __init__(self, groups: list[_Group]) -> None:
        self._groups = sorted(groups, key=lambda group: (group.span[0], -group.span[1]))
        self._starts = [group.span[0] for group in self._groups]
        self._outer: list[int] = []
        for at, group in enumerate(self._groups):
            outer = at - 1
            while outer >= 0 and self._groups[outer].span[1] < group.span[1]:
                outer = self._outer[outer]
            self._outer.append(outer)

    def bodies(self) -> list[tuple[tuple[str, ...], Span]]:
        """Return the title of each group, from the outermost, with the span of its body."""
        found = []
        for group in self._groups:
            body = (group.body_start, group.span[1])
            found.append((tuple(one.name for one in self.around(body)), body))
        return found

    def around(self, here: Span) -> list[_Group]:
        """Return the groups whose body holds a span, the outermost first."""
        found: list[_Group] = []
        at = bisect_right(self._starts, here[0]) - 1
        while at >= 0:
            group = self._groups[at]
            if group.body_start <= here[0] and here[1] <= group.span[1]:
                found.append(group)
            at = self._outer[at]
        return found[::-1]


@functools.lru_cache(maxsize=32)
def groups_of(source: Source) -> Groups:
    """Return the groups of a parsed text."""
    language = source.language
    found = [
        _Group(language.title(source.text(m["name"])), whole(language, m["group"]), m["body"].start_byte)
        for m in source.matches(language.groups)
    ]
    return Groups(found)


@functools.lru_cache(maxsize=64)
def found_tests(text: str, language: Language) -> tuple[FoundTest, ...]:
    """Return the tests of a text with their nodes, in the order of the file."""
    source = parse(text, language)
    groups = groups_of(source)
    others = source.captures(language.enclosing)
    scopes = sorted((node.start_byte, node.end_byte) for node in others.get("scope", ()))
    fixtures = {node.start_byte for node in others.get("fixture", ())}
    found: dict[Span, FoundTest] = {}
    for match in source.matches(language.tests):
        node = match["test"]
        here = (node.start_byte, node.end_byte)
        if (
            here in found
            or here[0] in fixtures
            or any(a < here[0] and here[1] <= b for a, b in _around(scopes, here[0]))
        ):
            continue
        suite = (language.title(source.text(match["suite"])),) if "suite" in match else ()
        name_node = match["name"]
        name_end = match["body"].start_byte if language.name_to_body else name_node.end_byte
        name_span = (name_node.start_byte, name_end)
        name = (language.computed or language.title)(source.slice(*name_span))
        around = tuple(group.name for group in groups.around(here))
        found[here] = FoundTest(
            name=name,
            title=(*around, *suite, name),
            node=node,
            body=match["body"],
            handle=source.text(match["handle"]) if "handle" in match else "",
            span=whole(language, node),
            name_span=name_span,
        )
    tests = sorted(found.values(), key=lambda test: test.node.start_byte)
    return tuple(_outer_only(tests))


def _around(spans: list[Span], at: int) -> list[Span]:
    """Return the spans that may hold an offset: top-level spans do not overlap, so few are looked at."""
    index = bisect_right(spans, (at, 1 << 62))
    return spans[max(0, index - 12) : index]


def _outer_only(tests: list[FoundTest]) -> list[FoundTest]:
    """Drop tests inside the body of another: they are its subtests."""
    kept: list[FoundTest] = []
    for test in tests:
        if not kept or test.node.start_byte >= kept[-1].body.end_byte:
            kept.append(test)
    return kept


def _numbered(tests: tuple[FoundTest, ...], path: str) -> list[str]:
    seen: dict[str, int] = {}
    ids = []
    for test in tests:
        key = test.key(path)
        seen[key] = seen.get(key, 0) + 1
        ids.append(key if seen[key] == 1 else f"{key}#{seen[key]}")
    return ids


def ids_of(text: str, path: str, language: Language) -> dict[str, FoundTest]:
    """Return the tests of a text by their id."""
    tests = found_tests(text, language)
    return dict(zip(_numbered(tests, path), tests, strict=True))


def _spans(nodes: list[Node]) -> list[Span]:
    return sorted((node.start_byte, node.end_byte) for node in nodes)


def reader_of(source: Source) -> Reader:
    """Return a reader of normalized tokens for a parsed text."""
    language = source.language
    strings = " ".join(f"({kind})" for kind in language.strings)
    comments = " ".join(f"({kind})" for kind in language.comments)
    query = (f"[{strings}] @string " if strings else "") + (f"[{comments}] @comment" if comments else "")
    captures = source.captures(query)
    read = _expected_output(source)
    listed = _spans(captures.get("comment", []))
    kept = [one for one in listed if any(start <= one[0] and one[1] <= end for start, end in read)]
    return Reader(
        language, source.data,
        sorted([*_spans(captures.get("string", [])), *kept]), [one for one in listed if one not in kept],
    )  # fmt: skip


def _expected_output(source: Source) -> list[Span]:
    """Return where comments say what a test must print, so that they are as good as an assertion (Go)."""
    query = source.language.tests
    found = (m for m in (source.matches(query) if "@output" in query else ()) if "output" in m)
    return [(m["output"].start_byte, m["body"].end_byte) for m in found]


@functools.lru_cache(maxsize=256)
def source_tests(text: str, path: str, language: Language) -> tuple[SourceTest, ...]:
    """Return the tests of a text, in the order of the file."""
    source = parse(text, language)
    tests = found_tests(text, language)
    reader = reader_of(source)
    facts = _Facts(source)
    made = []
    for key, test in zip(_numbered(tests, path), tests, strict=True):
        start, end = test.span
        made.append(
            SourceTest(
                id=key,
                name=test.name,
                title=test.title,
                path=path,
                line=test.node.start_point[0] + 1,
                end_line=test.node.end_point[0] + 1,
                text=source.slice(start, end),
                normalized=functools.partial(_normalized, reader, facts, test),
                assertions=facts.assertions_in(start, end),
                marks=facts.marks_of(test),
                subtests=(*facts.subtests_in(test.body.start_byte, end), *_programs(test, path, language)),
            )
        )
    return tuple(made)


def _normalized(reader: Reader, facts: _Facts, test: FoundTest) -> str:
    start, end = test.span
    without = [test.name_span, *facts.messages_in(start, end)]
    return reader.normalize(test.span, without, facts.locals_in(start, end))


def _programs(test: FoundTest, path: str, language: Language) -> tuple[str, ...]:
    """Return how a runner may call a test that is a whole program: as its file, with ``test`` or without."""
    if not language.program or test.name != language.program:
        return ()
    stem = PurePosixPath(path).stem
    return tuple(dict.fromkeys((stem, _AFFIX.sub("", stem))))


class _Facts:
    """Positions of assertions, marks and locals in a file, for asking by span."""

    def __init__(self, source: Source) -> None:
        language = source.language
        self._source = source
        self._groups = groups_of(source)
        asserting = source.captures(language.assertions).get("assertion", [])
        self._assertions = sorted({node.start_byte: source.text(node) for node in asserting}.items())
        self._messages = _spans(source.captures(language.messages).get("message", []))
        marks = source.captures(language.marks).get("mark", [])
        self._marks = sorted((node.start_byte, source.text(node)) for node in marks)
        inner = source.captures(language.twins.inner).get("name", [])
        title = language.computed or language.title
        self._subtests = sorted((node.start_byte, title(source.text(node))) for node in inner)
        names = source.captures(language.locals)
        self._locals = sorted((node.start_byte, source.text(node)) for node in names.get("local", []))
        self._fixed = sorted((node.start_byte, source.text(node)) for node in names.get("fixed", []))

    def assertions_in(self, start: int, end: int) -> tuple[str, ...]:
        return tuple(_between(self._assertions, start, end))

    def messages_in(self, start: int, end: int) -> list[tuple[int, int]]:
        first, last = bisect_left(self._messages, (start,)), bisect_left(self._messages, (end,))
        return [span for span in self._messages[first:last] if span[1] <= end]

    def locals_in(self, start: int, end: int) -> frozenset[str]:
        return frozenset(_between(self._locals, start, end)) - frozenset(_between(self._fixed, start, end))

    def subtests_in(self, start: int, end: int) -> tuple[str, ...]:
        return tuple(_between(self._subtests, start, end))

    def marks_of(self, test: FoundTest) -> tuple[str, ...]:
        start, end = test.span
        texts = _between(self._marks, start, end)
        for group in self._groups.around((test.node.start_byte, test.node.end_byte)):
            texts += _between(self._marks, group.span[0], group.body_start)
        words = {word for text in texts for word in [_word(text)] if word}
        return tuple(sorted(words))


def _between(items: list[tuple[int, str]], start: int, end: int) -> list[str]:
    low = bisect_left(items, start, key=lambda item: item[0])
    high = bisect_left(items, end, key=lambda item: item[0])
    return [text for _, text in items[low:high]]


def _word(text: str) -> str:
    match = _MARK.search(text)
    if match is None:
        return ""
    word = match[0].lower().replace("_", "")
    return _WORDS.get(word, "xfail" if word == "expectedfailure" else word)
