"""The record that one language fills in: how its tests look and how to rewrite them.

Everything here is data for tree-sitter: queries in its own query language, statements as text, node types.
To add a language, add one file to ``rows/`` with a ``LANGUAGE`` and its samples; nothing else changes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from tree_sitter import Node as Node
else:
    Node = object  # a name for annotations alone: tree-sitter is imported when a text is first read

Edit = tuple[int, int, str]
"""Start byte, end byte, replacement text."""

_QUOTED = re.compile(r"""^\s*(?:[bBrRfFuU]{0,2}|@|:|%[qQ])(['"`]{1,3})(?P<text>.*)\1\s*$""", re.DOTALL)


def unquote(text: str) -> str:
    """Return a test's title without the quotes of its string literal."""
    match = _QUOTED.match(text)
    return match["text"] if match else text.strip()


def before_brace(body: Node, statement: str) -> list[Edit]:
    """Insert a statement before the closing brace of a block."""
    at = body.end_byte - 1
    return [(at, at, f"\n{statement}\n")]


def after_brace(body: Node, statement: str) -> list[Edit]:
    """Insert a statement after the opening brace of a block."""
    at = body.start_byte + 1
    return [(at, at, f" {statement} ")]


def opposites(table: str) -> tuple[tuple[str, str], ...]:
    """Return the pairs of words in ``Nil:NotNil  True:False``."""
    return tuple((name, other) for name, _, other in (pair.partition(":") for pair in table.split()))


@dataclass(frozen=True)
class Sample:
    """A test file in the language, with what must be found in it. One parametrised test runs every sample."""

    path: str
    text: str
    titles: tuple[str, ...]  # "Group > name" of each test, in order
    poisoned: tuple[str, ...] = ()  # parts of the poisoned text; {a} and {b} are the token's halves
    shifted: tuple[str, ...] = ()
    not_poisoned: tuple[str, ...] = ()  # names of tests that cannot be asked
    not_shifted: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    assertions: int | None = None


@dataclass(frozen=True)
class CodeSample:
    """Production code, with what must be found in it."""

    path: str
    text: str
    functions: tuple[str, ...] = ()
    public: tuple[str, ...] = ()
    imports: tuple[str, ...] = ()
    raises: tuple[str, ...] = ()  # parts of the text where every function raises
    nothing: tuple[str, ...] = ()  # parts of the text where every function returns nothing


@dataclass(frozen=True, eq=False)
class Twins:
    """How to rewrite tests and functions of one language. Texts are formats: {a}{b} halves of the token, {e}
    source."""

    fail: str  # statement that fails; {handle} where the query captures @handle
    fail_when: tuple[tuple[str, str], ...] = ()  # query on the file, and the statement where it matches
    stub_fail: str = ""  # the same for production code, where it differs
    shapes: str = ""  # query: assertions, see `shift`
    wrap: str = ""  # call that changes the value {e}; {token} names the helper
    helper: str = ""  # text appended to the file where `wrap` needs a function
    header: tuple[str, str] = ("", "")  # pattern of a line, and text put behind it, for the helper's imports
    negate: str = "!({e})"
    flip: str = ""  # replaces a @flip word that `opposites` does not name
    opposites: tuple[tuple[str, str], ...] = ()  # assertion names and their contrary
    literals: tuple[str, ...] = ()  # node types of plain literals
    calls: tuple[str, ...] = ()  # node types of calls: an expected value has none
    expected: str = "right"  # the usual side of an expected value
    inner: str = ""  # query inside a test: @body (and @handle) of its subtests
    returns: tuple[str, ...] = ()  # node types that leave a body early
    ends: str = ""  # query inside a test: @end, statements by which its @handle ends it
    leave: str = "{{ {fail} {ret} }}"  # how the statement stands before such a node
    scopes: tuple[str, ...] = ()  # node types with returns of their own
    catches: tuple[str, ...] = ()  # node types in which the statement could be swallowed
    macros: tuple[str, ...] = ()  # node types of bodies that a macro turns into code
    throws: str = ""  # query on the whole test: @throws, its end is not reached
    branches: tuple[str, ...] = ()  # node types whose assertions may not be reached
    helper_calls: str = ""  # query inside a test: @name of a called function
    nothing: Callable[[Node], str | None] | None = None  # statement that returns nothing from a function
    close: Callable[[Node, str], list[Edit]] = before_brace  # put a statement at the end of a test
    open: Callable[[Node, str], list[Edit]] = after_brace  # put a statement at the start of a function
    comment: str = "//"
    plant: Callable[[tuple[str, ...]], str] | None = None  # text of a stub module that defines names


@dataclass(frozen=True, eq=False)
class Language:
    """One language: where it is used, how to find things in it, and how to rewrite its tests."""

    name: str
    suffixes: tuple[str, ...]
    grammar: str  # module of the wheel, e.g. tree_sitter_python
    tests: str  # query: @test @name @body, and @handle, @suite
    functions: str  # query: @function @name @body
    twins: Twins
    entry: str = "language"  # the function of the wheel that returns the grammar
    groups: str = ""  # query: @group @name @body
    enclosing: str = (
        ""  # query: @scope, functions inside which a test is none; @fixture, functions that are none
    )
    wrappers: tuple[str, ...] = ()  # node types around a test or function that belong to it (decorators)
    prefixes: tuple[str, ...] = ()  # node types of siblings before a test that belong to it (attributes)
    assertions: str = ""  # query: @assertion
    messages: str = ""  # query: @message, text that an assertion only prints where it fails
    tables: str = ""  # query: @rows, @name, @used, @body, see `tables`
    marks: str = ""  # query: @mark, text with skip, only, xfail or todo in it
    comments: tuple[str, ...] = ("comment",)
    strings: tuple[str, ...] = ()  # node types of string contents, kept as they are
    newlines: bool = False  # a line end may end a statement
    indentation: bool = False  # blocks are given by indentation
    quotes_equal: bool = False  # 'a' and "a" mean the same
    locals: str = ""  # query: @local, names bound in a test; @fixed, names that mean more than themselves
    parts: str = ""  # query: @part, test code in a production file besides tests
    values: str = ""  # query: @value, a statement at the margin that gives @name a value; in `in_file` ones
    public: str = ""  # query: @public
    inert: str = (
        ""  # query: @inert, what no test sees: hints of types, of linters; @release, a version's number
    )
    imports: str = ""  # query: @import @module @name
    prepare: Callable[[bytes], bytes] = bytes  # makes the text readable for the grammar; same length
    title: Callable[[str], str] = unquote  # the title of a group or a test from the source of its @name
    computed: Callable[[str], str] | None = None  # a test's title, where it may be an expression
    name_to_body: bool = False  # the title may reach up to the body
    program: str = ""  # the function that is a whole test program: its case is called as its file
    one_a_folder: bool = False  # a folder has one test of a name: a failure's file may be a helper's there
    case: Callable[[str], str] | None = (
        None  # pattern of a test's name in a report, where the usual does not do
    )
    in_file: Literal["", "always", "named"] = (
        ""  # tests beside code: in any file, or in one the command names
    )
    samples: tuple[Sample | CodeSample, ...] = ()
