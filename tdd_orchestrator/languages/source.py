"""What a source file says: its production code and the tests that stand beside it, what a change did to
them, and its imports.

Nothing here raises: a file without a language has no tests, and its text is all production code.
"""

from __future__ import annotations

import functools
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import takewhile
from textwrap import dedent

from tdd_orchestrator.languages import language_of
from tdd_orchestrator.languages.base import Language, Node
from tdd_orchestrator.languages.find import (
    SourceTest,
    found_tests,
    groups_of,
    ids_of,
    reader_of,
    source_tests,
    whole,
)
from tdd_orchestrator.languages.functions import code_tokens
from tdd_orchestrator.languages.parse import Source, parse, walk
from tdd_orchestrator.languages.shift import count_values, fixed_results, same_sides
from tdd_orchestrator.languages.tokens import Span

__all__ = [
    "Import", "SourceTest", "TestChanges", "calls_up_to", "changed_surroundings", "compare_tests",
    "find_tests", "imports", "is_in_tests", "production_part", "self_comparisons", "test_part",
]  # fmt: skip

_BLANK = re.compile(rb"[ \t\r]*\n\s*\n([ \t]*)|[ \t\r]*\n")
_LINE_START = re.compile(rb"\A[ \t]*\r?\n")
_NAME = re.compile(rb"[A-Za-z_$][\w$]*")
_NO_NAME = re.compile("type|specifier|modifier")  # leaves of a declaration that stand before its name


@functools.lru_cache(maxsize=64)
def split_parts(text: str, language: Language) -> tuple[str, str]:
    """Return the production part and the test part. Blank lines outside strings are left out of both."""
    source = parse(text, language)
    kept = _test_spans(source, text)
    strings = reader_of(source).strings
    tests = b"\n".join(source.data[start:end] for start, end in kept)
    pieces = [_without_blank_lines(source.data, piece, strings) for piece in _others(kept, len(source.data))]
    trimmed = [_LINE_START.sub(b"", piece.rstrip()) for piece in pieces]
    return _decode(b"".join(piece + b"\n" for piece in trimmed if piece)), _decode(tests)


def test_lines(text: str, language: Language) -> tuple[range, ...]:
    """Return the lines (from 1) of the tests of a file that holds code as well."""
    source = parse(text, language)
    return tuple(
        range(source.data.count(b"\n", 0, start) + 1, source.data.count(b"\n", 0, end) + 2)
        for start, end in _test_spans(source, text)
    )


test_lines.__test__ = False  # type: ignore[attr-defined]


def _test_spans(source: Source, text: str) -> list[Span]:
    """Return where a file's tests stand, and what only tests use."""
    language = source.language
    tests = [test.span for test in found_tests(text, language)]
    if not tests and language.in_file != "always":
        return []
    parts = source.captures(language.parts).get("part", [])
    spans = _merged([*tests, *(whole(language, node) for node in parts)])
    return _merged([*spans, *_values_of_tests(source, spans)]) if language.values else spans


def _values_of_tests(source: Source, spans: list[Span]) -> list[Span]:
    """Return where a name that only the tests use gets its value."""
    code = _NAME.findall(
        b"\n".join(source.data[start:end] for start, end in _others(spans, len(source.data)))
    )
    tests = {name for start, end in spans for name in _NAME.findall(source.data[start:end])}
    found = []
    for match in source.matches(source.language.values):
        name, value = match["name"].text or b"", match["value"]
        if name in tests and code.count(name) == _NAME.findall(value.text or b"").count(name):
            found.append((value.start_byte, value.end_byte))
    return found


def _decode(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")


def _merged(spans: list[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _others(spans: list[Span], size: int) -> list[Span]:
    at, found = 0, []
    for start, end in spans:
        found.append((at, start))
        at = end
    return [*found, (at, size)]


def _without_blank_lines(data: bytes, piece: Span, strings: list[Span]) -> bytes:
    at, end = piece
    parts: list[bytes] = []
    for start, stop in strings:
        if stop <= at or start >= end:
            continue
        parts += [_BLANK.sub(rb"\n\1", data[at:start]), data[max(at, start) : min(stop, end)]]
        at = stop
    parts.append(_BLANK.sub(rb"\n\1", data[at:end]))
    return b"".join(parts)


@dataclass(frozen=True)
class TestChanges:
    """What a change did to the tests of a file. ``cosmetic``: only names, imports or format differ."""

    __test__ = False
    added: tuple[SourceTest, ...] = ()
    changed: tuple[SourceTest, ...] = ()
    cosmetic: tuple[SourceTest, ...] = ()
    removed: tuple[SourceTest, ...] = ()  # as they were before


@dataclass(frozen=True)
class Import:
    """One import statement's module, with the names taken from it."""

    module: str
    names: tuple[str, ...]
    line: int


def find_tests(text: str, path: str) -> tuple[SourceTest, ...]:
    """Return the tests of a file, in order; none where its language is not known."""
    language = language_of(path)
    return () if language is None else source_tests(text, path, language)


def self_comparisons(text: str, path: str) -> dict[str, str]:
    """Return the tests that compare an expression with itself and nothing else, by id, each with the expression."""
    language = language_of(path)
    if language is None:
        return {}
    source = parse(text, language)
    found = {test: same_sides(source, one.body) for test, one in ids_of(text, path, language).items()}
    return {test: expression for test, expression in found.items() if expression}


def values_compared(text: str, path: str) -> dict[str, int]:
    """Return how many values the assertions of each test compare with, by the test's id."""
    language = language_of(path)
    if language is None:
        return {}
    source = parse(text, language)
    return {test: count_values(source, one.body) for test, one in ids_of(text, path, language).items()}


def results_of_calls(text: str, path: str) -> list[tuple[str, str]]:
    """Return the calls that assertions compare with one literal, each with that literal."""
    language = language_of(path)
    return fixed_results(parse(text, language)) if language else []


def compare_tests(before: str, after: str, path: str) -> TestChanges:
    """Compare the tests of two versions of a file. A renamed test with the same body is cosmetic."""
    old = {test.id: test for test in find_tests(before, path)}
    new = {test.id: test for test in find_tests(after, path)}
    removed = {key: test for key, test in old.items() if key not in new}
    by_body: dict[str, list[str]] = {}
    for key, test in removed.items():
        by_body.setdefault(test.body, []).append(key)
    added, changed, cosmetic = [], [], []
    for key, test in new.items():
        if key in old:
            if _does_other_things(old[key], test) or test.marks != old[key].marks:
                changed.append(test)
            elif test.text != old[key].text:
                cosmetic.append(test)
        elif by_body.get(test.body):
            removed.pop(by_body[test.body].pop(0))
            cosmetic.append(test)
        else:
            added.append(test)
    return TestChanges(tuple(added), tuple(changed), tuple(cosmetic), tuple(removed.values()))


def _does_other_things(old: SourceTest, new: SourceTest) -> bool:
    """Return whether more than hints of types, comments and docstrings changed in a test; examples in a docstring are
    tests themselves. (A version's number is a value like any other here.)"""
    if old.text == new.text or old.body == new.body:
        return False
    if ">>>" in old.text + new.text:
        return True
    first, second = (code_tokens(dedent(one.text), one.path, without=("inert",)) for one in (old, new))
    return first != second


def production_part(text: str, path: str) -> str:
    """Return a file without its tests: equal before and after where only tests were touched."""
    language = language_of(path)
    return text if language is None else split_parts(text, language)[0]


def test_part(text: str, path: str) -> str:
    """Return the tests of a file and the code that only they use, such as a Rust test module."""
    language = language_of(path)
    return "" if language is None else split_parts(text, language)[1]


test_part.__test__ = False  # type: ignore[attr-defined]


def is_in_tests(text: str, path: str, line: int) -> bool:
    """Whether a line (from 1) of a file that holds code and tests is one of its tests."""
    language = language_of(path)
    return language is not None and any(line in lines for lines in test_lines(text, language))


def calls_up_to(text: str, path: str, line: int, ours: Callable[[str], bool]) -> bool:
    """Whether the test around a line (from 1) calls the project up to that line, as far as its source tells.

    A call counts where a name before its arguments is ``ours``, is bound by a relative import, is made of such in
    this file (``client = TestClient(app)``), or is a parameter of the test (``self``, a fixture). And where its
    arguments name what is ours or made so: ``request(app)``, ``render(<Counter />)``. Assertions do not count, nor
    does a call around the line, such as one of ``t.Run``.
    """
    language = language_of(path)
    if language is None:
        return False
    source = parse(text, language)
    asserted = {node.start_byte for node in source.captures(language.assertions).get("assertion", ())}
    relative = _bound_by_relative_imports(text, path)
    imported = relative.union(name for _, name in _bound_names(text, language) if ours(name))
    made = _made_of(imported, text, language)

    def counts(node: Node, given: set[str]) -> bool:
        row, end = node.start_point.row + 1, node.end_point.row + 1
        if (
            node.type not in language.twins.calls
            or node.start_byte in asserted
            or row > line
            or row < line <= end
        ):
            return False
        names = list(_called(source, node))
        if names and (names[0] in given or any(map(ours, names))):
            return True
        return any(name in made or ours(name) for name in _given_to(source, node))

    for test in found_tests(text, language):
        if _stands_in(test.node, line):
            head = source.slice(test.node.start_byte, test.body.start_byte)
            given = made.union(_WORD.findall(head))
            if any(counts(node, given) for node in walk(test.body)):
                return True
    return False


def words_up_to(text: str, path: str, line: int) -> list[str]:
    """Return the words of the test around a line (from 1), from its body up to that line, the nearest first; of the
    file where no test is around it."""
    language = language_of(path)
    tests = found_tests(text, language) if language else ()
    bodies = [test.body.start_point for test in tests if _stands_in(test.node, line)]
    row, column = max(bodies, default=(0, 0))
    lines = text.splitlines()[row:line]
    return list(dict.fromkeys(reversed(_WORD.findall("\n".join(lines)[column:]))))


def _stands_in(node: Node, line: int) -> bool:
    return bool(node.start_point.row < line <= node.end_point.row + 1)


_WORD = re.compile(r"[A-Za-z_$][\w$]*")


def _bound_by_relative_imports(text: str, path: str) -> set[str]:
    lines = text.splitlines()
    relative = [one for one in imports(text, path) if one.module.startswith(".")]
    found = {name for one in relative for name in _WORD.findall(" ".join((*one.names, lines[one.line - 1])))}
    return found - _IMPORTING


_IMPORTING = frozenset({"const", "let", "var", "require", "import", "from", "as", "type", "default", "await"})


_QUOTED = re.compile(r"(['\"`]).*?\1")
_ASSIGNED = re.compile(
    r"^[ \t]*(?:(?:const|let|var|val|auto|final|my|our|local)\s+)*[@$]?(?:\w+(?:\.|->|::))*(\w+)"
    r"\s*(?::[^=\n]+)?:?=(?![=>~])([^\n]+)",
    re.MULTILINE,
)
_ROUNDS = 5  # from one thing to what is made of it, and on


def _made_of(imported: set[str], text: str, language: Language) -> set[str]:
    """Return the names with all those that a file makes of them: variables, and functions that use them."""
    pairs = [(one[1], one[2]) for one in _ASSIGNED.finditer(text)]
    pairs += [(name, body) for name, bodies in _helpers(text, language).items() for body in bodies]
    made_of = [(name, set(_WORD.findall(_QUOTED.sub("", value)))) for name, value in pairs]
    found = set(imported)
    for _ in range(_ROUNDS):
        found |= {name for name, words in made_of if not words.isdisjoint(found)}
    return found


_TEXT = re.compile("str(?!uct)|content|quoted|comment")  # leaves that are words of a string


def _given_to(source: Source, call: Node) -> Iterator[str]:
    """Yield the names in a call's arguments, but for what strings say."""
    for child in call.named_children:
        for leaf in _leaves(child) if "argument" in child.type else ():
            if leaf.is_named and not _TEXT.search(leaf.type) and _WORD.fullmatch(source.text(leaf)):
                yield source.text(leaf)


def _called(source: Source, call: Node) -> Iterator[str]:
    """Yield the names before a call's arguments: a, b and c of ``a.b.c(d)``."""
    for child in call.named_children:
        if "argument" in child.type or "string" in child.type:
            continue
        if child.named_child_count:
            yield from _called(source, child)
        elif _WORD.fullmatch(source.text(child)):
            yield source.text(child)


@dataclass(frozen=True)
class Surroundings:
    """What a change of a file did around its tests. ``names``: imports that are new or other, helpers that do
    something else, other values; ``groups``: titles of groups with other set-up, from the outermost."""

    names: frozenset[str] = frozenset()
    groups: frozenset[tuple[str, ...]] = frozenset()


def changed_surroundings(before: str, after: str, path: str) -> Surroundings:
    """Return what differs around the tests of two versions of a file; nothing of a file that is new."""
    language = language_of(path)
    if language is None or not before or _outside_tests(before, language) == _outside_tests(after, language):
        return Surroundings()
    names = {name for _, name in {*_bound_names(after, language)} - {*_bound_names(before, language)}}
    values, others = {*_top_values(before, language)}, {*_top_values(after, language)}
    names |= {name for _, name in values ^ others}
    old, new = _helpers(before, language), _helpers(after, language)
    names |= {name for name, texts in new.items() if old.get(name, texts) != texts}
    was, now = _set_ups(before, language), _set_ups(after, language)
    groups = {title for title, words in now.items() if was.get(title, words) != words}
    return Surroundings(frozenset(names), frozenset(groups))


def _outside_tests(text: str, language: Language) -> list[bytes]:
    """Return the lines of a file outside its tests, without blank ones."""
    data = parse(text, language).data
    spans = _merged([test.span for test in found_tests(text, language)])
    lines = b"".join(data[start:end] for start, end in _others(spans, len(data))).splitlines()
    return [line for line in lines if line.strip()]


def _helpers(text: str, language: Language) -> dict[str, list[str]]:
    """Return the functions outside tests by name, with the text of each."""
    source = parse(text, language)
    tests = sorted(test.span for test in found_tests(text, language))
    found: dict[str, list[str]] = {}
    for match in source.matches(language.functions):
        node = match["function"]
        at = bisect_right(tests, (node.start_byte, len(source.data))) - 1
        if at < 0 or node.start_byte >= tests[at][1]:
            found.setdefault(source.text(match["name"]), []).append(source.text(node))
    return found


def _set_ups(text: str, language: Language) -> dict[tuple[str, ...], list[str]]:
    """Return the words of each group outside its tests and its inner groups, by its title."""
    source = parse(text, language)
    bodies = groups_of(source).bodies()
    tests = sorted(test.span for test in found_tests(text, language))
    found: dict[tuple[str, ...], list[str]] = {}
    for at, (title, (start, end)) in enumerate(bodies):
        held = tests[bisect_left(tests, (start, start)) : bisect_left(tests, (end, end))]
        held += [span for _, span in takewhile(lambda one: one[1][0] < end, bodies[at + 1 :])]  # noqa: B023
        pieces = [source.slice(max(start, one), stop) for one, stop in _others(_merged(held), end)]
        found.setdefault(title, []).extend(" ".join(pieces).split())
    return found


def _bound_names(text: str, language: Language) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield each imported thing, by its module, its name there and its form, with the name that it is bound
    to: of ``a as b`` the name b."""
    source = parse(text, language)
    for match in source.matches(language.imports):
        if "name" in match:
            node = match["name"]
            form = node.parent.type if node.parent is not None else ""  # a default export is another thing
            thing = (source.text(match["module"]), source.text(node), form)
            alias = node.next_named_sibling
            if alias is not None and node.parent is not None and node.parent.named_child_count == 2:
                node = alias if _WORD.fullmatch(source.text(alias)) else node
            yield thing, source.text(node)


def _top_values(text: str, language: Language) -> Iterator[tuple[str, str]]:
    """Yield each statement at the top of a file that gives a name its value, with the name."""
    source = parse(text, language)
    for node in source.root.named_children:
        name = ""
        for leaf in _leaves(node):
            word = source.text(leaf)
            if word in ("=", ":=") and name:
                yield source.text(node), name
            if word in ("=", ":=", "(", "."):
                break
            if not name and leaf.is_named and not _NO_NAME.search(leaf.type) and _WORD.fullmatch(word):
                name = word


def _leaves(top: Node) -> Iterator[Node]:
    """Yield what a node consists of, in order, without the types that are declared in it."""
    waiting = [top]  # no recursion: a test file may be nested as deep as its author likes
    while waiting:
        node = waiting.pop()
        if not node.child_count:
            yield node
        kept = (child for at, child in enumerate(node.children) if node.field_name_for_child(at) != "type")
        waiting += reversed([*kept])


def imports(text: str, path: str) -> tuple[Import, ...]:
    """Return the imports of a file, one for each module of a statement."""
    language = language_of(path)
    if language is None:
        return ()
    source = parse(text, language)
    found: dict[tuple[int, str], list[str]] = {}
    for match in source.matches(language.imports):
        key = (match["import"].start_point[0] + 1, language.title(source.text(match["module"])))
        names = found.setdefault(key, [])
        if "name" in match and (name := source.text(match["name"])) not in names:
            names.append(name)
    return tuple(Import(module, tuple(names), line) for (line, module), names in found.items())
