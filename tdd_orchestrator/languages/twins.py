"""Counterfactual twins of a file: the same tests or functions, rewritten so that each test must fail.

    poison   a failing statement at the end of each test: only a test that reaches its end fails with it
    shift    other expected values: a test that compares fails
    stub     functions that raise, or return nothing, at once: a test that needs them fails
    neutral  a comment more: every test behaves as before

Text in, text out. A test or function that cannot be asked is named with the reason.

Rows can be left out of a test file's tables of examples, too. A language's `tables` query finds them:

    @rows         a literal whose members are examples, such as the second argument of pytest's `parametrize`
    @name @rows   a variable and the literal that it holds; a table where a match below uses the variable
    @used         a variable whose members are examples
    @body         the loop over them; without an assertion inside, the members are no examples
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random
from typing import Literal

from tdd_orchestrator.languages import language_of, why_not
from tdd_orchestrator.languages.base import Edit, Language, Node
from tdd_orchestrator.languages.find import FoundTest, ids_of
from tdd_orchestrator.languages.functions import Function, functions_of
from tdd_orchestrator.languages.parse import Source, ancestors, apply_edits, parse, walk
from tdd_orchestrator.languages.shift import halves, shift_edits

NOT_FOUND = "the file has no such test"


@dataclass(frozen=True)
class Twin:
    """A rewritten file. ``asked``: ids of the tests (or keys of the functions) that it questions."""

    text: str
    asked: frozenset[str] = frozenset()
    not_asked: dict[str, str] = field(default_factory=dict)


def _rewritten(
    text: str,
    path: str,
    tests: Iterable[str],
    edits_of: Callable[[Source, FoundTest], tuple[str, list[Edit]]],
    apply: Callable[[Source, list[Edit]], str] = apply_edits,
) -> Twin:
    """Return the twin of the edits of each named test (by id); ``edits_of`` may say why there are none."""
    language = language_of(path)
    if language is None:
        return Twin(text, not_asked=dict.fromkeys(tests, why_not(path)))
    source, known = parse(text, language), ids_of(text, path, language)
    edits: list[Edit] = []
    asked, not_asked = set(), {}
    for key in dict.fromkeys(tests):
        reason, mine = edits_of(source, known[key]) if key in known else (NOT_FOUND, [])
        if reason:
            not_asked[key] = reason
        else:
            asked.add(key)
            edits += mine
    return Twin(apply(source, edits), frozenset(asked), not_asked)


def poison(text: str, path: str, tests: Iterable[str], token: str) -> Twin:
    """Put a failing statement at the end of each named test (by id) and before each return in it."""
    return _rewritten(text, path, tests, lambda source, test: _poison_one(source, test, token))


def _poison_one(source: Source, test: FoundTest, token: str) -> tuple[str, list[Edit]]:
    twins, fail = source.language.twins, _failing(source)
    if "{handle}" in fail and test.handle in ("", "_"):
        return "the test has no handle to fail with", []
    if test.body.type in twins.macros:
        return "the test is written by a macro", []
    if _expects_exception(source, test):
        return "the test ends by an expected exception, or does not reach its end", []
    edits: list[Edit] = []
    for body, handle in _bodies(source, test):
        statement = fail.format(**halves(token), handle=handle)
        closing = twins.close(body, statement)
        edits += closing
        returns = [node for node in walk(body, twins.scopes) if node.type in twins.returns]
        if any(node.type in twins.catches for at in returns for node in ancestors(at, body)):
            return "the test returns from inside a try", []
        ends = [m["end"] for m in source.matches(twins.ends, body) if source.text(m["handle"]) == handle]
        for node in (*returns, *ends):
            leaving = twins.leave.format(fail=statement, ret=source.text(node))
            edits.append((node.start_byte, node.end_byte, leaving))
    return ("" if edits else "the test has no end to reach"), edits


def _failing(source: Source) -> str:
    twins = source.language.twins
    return next((text for query, text in twins.fail_when if any(source.matches(query))), twins.fail)


def _bodies(source: Source, test: FoundTest) -> list[tuple[Node, str]]:
    inner = source.matches(source.language.twins.inner, test.body)
    subtests = [(m["body"], source.text(m["handle"]) if "handle" in m else test.handle) for m in inner]
    return [(test.body, test.handle), *subtests]


def _expects_exception(source: Source, test: FoundTest, *, marked: bool = False) -> bool:
    """``marked``: by an annotation before its body, so that none of its assertions need be reached."""
    query = source.language.twins.throws
    start, end = test.span[0], test.body.start_byte if marked else test.span[1]
    scope: Node = test.node.parent or test.node
    return bool(query) and any(
        start <= match["throws"].start_byte < end for match in source.matches(query, scope)
    )


def shift(text: str, path: str, tests: Iterable[str], token: str) -> Twin:
    """Change the expected values in the assertions of each named test (by id)."""

    def edits_of(source: Source, test: FoundTest) -> tuple[str, list[Edit]]:
        if _expects_exception(source, test, marked=True):
            return "the test ends by an expected exception", []
        edits = shift_edits(source, text, test.body, token)
        return ("" if edits else "the test has no assertion with an expected value that is known here"), edits

    return _rewritten(text, path, tests, edits_of, lambda source, edits: _with_helper(source, edits, token))


def _with_helper(source: Source, edits: list[Edit], token: str) -> str:
    twins = source.language.twins
    call = twins.wrap.partition("{e}")[0].format(token=token)
    if not call or not any(call in new for _, _, new in edits):
        return apply_edits(source, edits)
    before, put = twins.header
    if before:
        for match in source.matches(before):
            at = match["header"].end_byte
            edits = [*edits, (at, at, put.format(token=token))]
    return apply_edits(source, edits) + twins.helper.format(token=token)


def stub(
    text: str, path: str, functions: Iterable[str], token: str, world: Literal["raises", "nothing"] = "raises"
) -> Twin:
    """Make the named functions (by key) raise, or return nothing, at once. Their old bodies stay behind
    that."""
    language = language_of(path)
    if language is None:
        return Twin(text, not_asked=dict.fromkeys(functions, why_not(path)))
    source = parse(text, language)
    known = {function.key: function for function in functions_of(text, language)}
    edits: list[Edit] = []
    asked, not_asked = set(), {}
    for key in dict.fromkeys(functions):
        statement = _stub_statement(language, known[key], token, world) if key in known else None
        if statement is None:
            not_asked[key] = "the function cannot return nothing" if key in known else "no such function"
            continue
        edits += language.twins.open(known[key].body, statement)
        asked.add(key)
    return Twin(apply_edits(source, edits), frozenset(asked), not_asked)


def _stub_statement(language: Language, function: Function, token: str, world: str) -> str | None:
    twins = language.twins
    if world == "raises":
        return (twins.stub_fail or twins.fail).format(**halves(token))
    return twins.nothing(function.node) if twins.nothing is not None else None


def stop_before(text: str, path: str, line: int) -> str | None:
    """Return a line (from 1) with a statement before it that fails; None where no statement can stand there."""
    language = language_of(path)
    if language is None or parse(text, language).root.has_error:
        return None
    bodies = [one.body for one in functions_of(text, language)]
    if not any(body.start_point[0] < line <= body.end_point[0] + 1 for body in bodies):
        return None
    rows = text.splitlines(keepends=True)
    row = rows[line - 1]
    statement = (language.twins.stub_fail or language.twins.fail).format(a="not ", b="executed")
    stopped = f"{row[: len(row) - len(row.lstrip())]}{statement}\n{row}"
    other = "".join((*rows[: line - 1], stopped, *rows[line:]))
    return None if parse(other, language).root.has_error else stopped


def neutral(text: str, path: str) -> str:
    """Return the text with a comment more, for tests that depend on the text of their file."""
    language = language_of(path)
    if language is None:
        return text
    return f"{text.rstrip()}\n{language.twins.comment} neutral\n"


def planted_symbol(names: Iterable[str], path: str) -> str | None:
    """Return the text of a file that defines the names as stubs, or None where the language has no such
    form."""
    language = language_of(path)
    if language is None or language.twins.plant is None:
        return None
    return language.twins.plant(tuple(names))


_LEAST = 4  # rows of a table from which some are left out
_SHARE = 4  # one row in so many


def without_rows(text: str, before: str, path: str, seed: str, turn: int) -> tuple[str, int]:
    """Return the text without some rows that ``before`` has not, and how many.

    One row in four is left out of each table of at least four, never the first or the last. ``seed`` decides
    which; each ``turn``, from 0, leaves out others, until every row has been.
    """
    language = language_of(path)
    if language is None:
        return text, 0
    source = parse(text, language)
    edits = []
    for table in _tables(source):
        rows = [node for node in table.named_children if node.type not in language.comments]
        if len(rows) < _LEAST:
            continue
        fresh = [(row, after) for row, after in pairwise(rows[1:]) if source.text(row) not in before]
        Random(f"{seed}:{source.text(table)}").shuffle(fresh)
        count = len(rows) // _SHARE
        for row, after in fresh[turn * count : (turn + 1) * count]:
            edits.append((row.start_byte, after.start_byte, ""))
    return apply_edits(source, edits), len(edits)


def _tables(source: Source) -> list[Node]:
    held: list[tuple[str, Node]] = []
    used: set[str] = set()
    found: list[Node] = []
    for match in source.matches(source.language.tables):
        body = match.get("body")
        if body is not None and not source.captures(source.language.assertions, body):
            continue
        if "name" in match:
            held.append((source.text(match["name"]), match["rows"]))
        elif "used" in match:
            used.add(source.text(match["used"]))
        else:
            found.append(match["rows"])
    return [*found, *(rows for name, rows in held if name in used)]
