"""Decide why a new test failed (S3): by an assertion, a missing symbol of the project, or otherwise."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass

from tdd_orchestrator.languages.source import SourceTest, imports
from tdd_orchestrator.model.report import PROPER_RED, BuildError, Case, Outcome, Reason, RedReason
from tdd_orchestrator.runners.reason_frames import Layout, Origin, frames_in
from tdd_orchestrator.runners.reason_owners import OWNERS, Context, ReasonRow
from tdd_orchestrator.runners.reason_rows import ROWS
from tdd_orchestrator.text import one_line

_BY_THE_RUNNER = frozenset({"go", "c", "perl", "lua", "elixir", "shell"})
"""Languages whose runners tell a failed assertion from an error, and whose assertions have no common form."""
_NAMED_ERRORS = frozenset({"javascript"})
"""Languages whose exceptions all have a name: a failure with a place and without one is an assertion that has a
message of its own (`t.ok(value, 'it is there')`)."""
_FAMILIES = {"typescript": "javascript", "c++": "c", "cpp": "c", "kotlin": "java"}
_SUFFIXES = {
    "c": "c", "h": "c", "cc": "c", "cpp": "c", "cxx": "c", "hpp": "c", "py": "python", "go": "go",
    "rs": "rust", "java": "java", "kt": "java", "rb": "ruby", "php": "php", "js": "javascript",
    "mjs": "javascript", "cjs": "javascript", "ts": "javascript", "t": "perl", "pm": "perl", "lua": "lua",
    "exs": "elixir", "ex": "elixir", "bats": "shell", "sh": "shell", "cs": "csharp", "swift": "swift",
}  # fmt: skip
_NOT_LOADED = frozenset({"ModuleNotFoundError", "ImportError"})
"""Errors of a fixture that count like those of an import: the project's module is missing."""
_MODULES = {"t": "pm", "exs": "ex"}
"""Suffixes of test files whose modules have another suffix."""
_TEXT_LIMIT = 12_000
_BY_THE_TEST = frozenset({Reason.EXCEPTION, Reason.SYNTAX, Reason.TIMEOUT, Reason.UNKNOWN})
"""Reasons that become the project's own exception if its code raised them: a parser's SyntaxError."""
_WITHOUT_STACK = frozenset({"c"})
"""Languages whose exceptions have no stack: the code under test raised what the test did not."""
_MISSPELT = re.compile(
    r"(?:\w+Error: )?(?:NameError|UnboundLocalError|ReferenceError|undefined local variable|Undefined variable|.*circular import)"
)
"""How an exception begins that no value can cause: the test uses a name that it does not define."""
_STOPPED = frozenset({"Failed", "Exit"})
"""Exceptions by which pytest itself ends a test, in any code."""
_HELPERS = re.compile(r"(?:tests?_?)?(?:helpers?|support|fixtures|factories)|test_?utils?|conftest")
"""Modules that only tests import: if missing, a helper is missing."""
_IMPORTED_FROM = re.compile(r"cannot import name '\w+' from '[\w.]+' \((\S+?)\)")


@dataclass(frozen=True, slots=True)
class Project:
    """The facts that decide whose a name is.

    ``names``: the project's own top-level modules, packages, crates or namespaces; ``declared``: its
    dependencies; ``open``: it has top-level modules, so a new one may be its own.
    """

    names: frozenset[str] = frozenset()
    declared: frozenset[str] = frozenset()
    layout: Layout = Layout()
    open: bool = True


def red_reason(
    case: Case | None,
    *,
    language: str,
    project: Project,
    error: BuildError | None = None,
    test: SourceTest | None = None,
) -> RedReason:
    """Return the reason of one failing test, or of a build error (``error``) that keeps its file from
    running. ``test``: the case's test in its source, where that is known."""
    text = _text(case, error)
    files = (case.name if case else "", (error or case or BuildError("")).file)
    own = next((_SUFFIXES.get(one.rpartition(".")[2]) for one in files if project.layout.find(one)), "")
    family = own or _FAMILIES.get(language, language) or _by_suffix(case, error)
    raised = _raised_in(text, case, error, project.layout)
    context = Context(family, project.names, project.declared, text, raised, project.open)
    if case is None or error is not None or case.phase not in ("setup", "teardown"):
        decided = _decided(case, error, context, project.layout)
        if case and family in _WITHOUT_STACK and decided.reason is Reason.EXCEPTION:
            raised = Origin.PROJECT
        return _of_the_project(decided, case, raised, project.layout, test)
    found = _decided(case, error, context, project.layout)
    early = case.exception.rpartition(".")[2] in _NOT_LOADED and found.reason is Reason.MISSING_SYMBOL
    if case.phase == "setup" and (early or found.reason is Reason.ASSERTION):
        return found  # an expectation may stand in a fixture
    return _judged(Reason.FIXTURE, case.message or f"It failed in {case.phase}.")


def _of_the_project(
    found: RedReason, case: Case | None, raised: Origin, layout: Layout, test: SourceTest | None
) -> RedReason:
    """Accept an exception that the project's own code raised, or at what it gave the test (S3). One that
    went through neither was raised while the test waited, by a socket say: the whole test had run."""
    thrown = case is not None and case.exception.rpartition(".")[2] not in _STOPPED
    if case and thrown and raised is not Origin.PROJECT and found.reason is Reason.EXCEPTION:
        frames = case.frames or frames_in(case.detail) or (f"{case.file}:{case.line}",)
        if raised is not Origin.TEST:
            frames = (f"{test.path}:{test.end_line}",) if test else ()
        if layout.had_called(frames) and not _MISSPELT.match(found.evidence):
            return _judged(Reason.TEST_EXCEPTION, found.evidence, found.symbol)
    if thrown and raised is Origin.PROJECT and found.reason in _BY_THE_TEST:
        return _judged(Reason.PROJECT_EXCEPTION, found.evidence, found.symbol)
    if case is None and raised is Origin.PROJECT and found.acceptable:  # the new test does not name it
        return _judged(Reason.EXCEPTION, found.evidence, found.symbol)
    return found


def _decided(case: Case | None, error: BuildError | None, context: Context, layout: Layout) -> RedReason:
    # The exception's own message decides; a trace quotes source with arbitrary text.
    for text in (_head(case, error), context.text):
        for row in ROWS:
            found = row.pattern.search(text) if _applies(row, context.language, error) else None
            if found:
                reason = OWNERS[row.owner](row, found, context)
                symbol = next((group for group in found.groups() if group), "")
                if reason is Reason.MISSING_SYMBOL and _is_helper(symbol, text, case or error, layout):
                    reason = Reason.FIXTURE
                if reason is Reason.MISSING_SYMBOL and (there := _not_on_path(symbol, text, layout)):
                    return _judged(Reason.EXCEPTION, f"{_line_of(text, found.start())}: {there}", symbol)
                if reason is Reason.EXCEPTION and _takes_all(context, layout, case or error):
                    reason = Reason.MISSING_SYMBOL
                typed = row.owner == "types" or (row.owner == "type" and reason is Reason.EXCEPTION)
                if typed and error and layout.uses_project(f"{error.file}:{error.line}"):
                    reason = Reason.TEST_EXCEPTION
                return _judged(reason, _line_of(text, found.start()), symbol)
    return _without_row(case, error, context.language)


def _is_helper(symbol: str, text: str, failed: Case | BuildError | None, layout: Layout) -> bool:
    """Whether the missing module, or the module that lacks a name, belongs to the tests."""
    named = _IMPORTED_FROM.search(text)
    if named and layout.find(named[1]):
        return layout.is_test(layout.find(named[1]), 0)
    suffix = (failed.file if failed else "").rpartition(".")[2]
    suffix = _MODULES.get(suffix, suffix)
    if not symbol or not suffix:
        return False
    if _HELPERS.fullmatch(symbol) and not any(
        one.rpartition("/")[2].startswith(f"{symbol}.") for one in layout.paths
    ):
        return True
    if symbol.startswith("."):
        path = posixpath.normpath(posixpath.join(posixpath.dirname(failed.file if failed else ""), symbol))
    else:
        path = symbol.replace(".", "/").replace("::", "/")
    path = path if path.endswith(f".{suffix}") else f"{path}.{suffix}"
    found = [one for one in layout.paths if one == path or one.endswith(f"/{path}")]
    return all(layout.is_test(one, 0) for one in found or [path])


def _not_on_path(module: str, text: str, layout: Layout) -> str:
    """Return what to do about a missing Python module that stands in ``src``: no code can mend that; empty
    otherwise."""
    places = (f"/src/{module}/__init__.py", f"/src/{module}.py")
    if "No module named" not in text or not any(f"/{path}".endswith(places) for path in layout.paths):
        return ""
    return (
        f"{module} is there, in src, where the tests do not look: a conftest.py may put src on sys.path, or set "
        """workspace.python_path = ["src"]"""
    )


def _takes_all(context: Context, layout: Layout, failed: Case | BuildError | None) -> bool:
    """Whether the failing test has all names of a module of the project: by ``from kata import *``, or because
    it stands in that module."""
    path = layout.find(failed.file) if failed and context.language == "python" else ""
    if path and context.raised is Origin.TEST and not layout.is_test(path, 0):
        return True
    return any(
        "*" in one.names and (one.module.startswith(".") or context.owns(one.module))
        for one in imports(layout.text_of(path), path)
    )


def _by_suffix(case: Case | None, error: BuildError | None) -> str:
    """Return the language of the file, if the command does not determine it."""
    if error is not None and error.message.startswith("undefined reference to "):
        return "c"
    file = error.file if error else case.file if case else ""
    return _SUFFIXES.get(file.rpartition(".")[2], "")


def _applies(row: ReasonRow, family: str, error: BuildError | None) -> bool:
    return row.language == family and (not row.build or error is not None)


def _judged(reason: Reason, evidence: str, symbol: str = "") -> RedReason:
    return RedReason(reason, one_line(evidence), symbol, reason in PROPER_RED)


def _without_row(case: Case | None, error: BuildError | None, family: str) -> RedReason:
    """Return the reason without a matching row: an exception for an error, else an assertion.

    A failure counts as an assertion if the runner tells the two apart, or its language has no rows.
    """
    if error is not None or case is None:
        return _judged(Reason.UNKNOWN, error.message if error else "")
    known = any(row.language == family for row in ROWS)
    if case.exception or case.outcome is Outcome.ERROR:
        return _judged(Reason.EXCEPTION, f"{case.exception}: {case.message}".strip(": "))
    if not known or family in _BY_THE_RUNNER or (family in _NAMED_ERRORS and case.line):
        return _judged(Reason.ASSERTION, case.message or "The runner calls it failed, not an error.")
    return _judged(Reason.UNKNOWN, case.message)


def _head(case: Case | None, error: BuildError | None) -> str:
    """Return exception and message, as in a traceback's last line."""
    failure = error or case
    if failure is None:
        return ""
    whole = not failure.exception or failure.message.startswith(failure.exception)
    return (failure.message if whole else f"{failure.exception}: {failure.message}")[:_TEXT_LIMIT]


def _text(case: Case | None, error: BuildError | None) -> str:
    failure = error or case
    return f"{_head(case, error)}\n{failure.detail if failure else ''}"[:_TEXT_LIMIT]


def _line_of(text: str, at: int) -> str:
    begin = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    return text[begin : end if end >= 0 else len(text)]


def _raised_in(text: str, case: Case | None, error: BuildError | None, layout: Layout) -> Origin:
    """Return whose code the innermost frame is in; without a stack, that of the reported file."""
    failed = error or case
    frames = (case.frames if case is not None else ()) or frames_in(text)
    if frames or failed is None or not failed.file:
        return layout.origin(frames)
    return layout.origin((f"{failed.file}:{failed.line}",))
