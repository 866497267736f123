"""Why a new test failed, as RED must know it (S3): by an assertion or a symbol that the project is to define,
or not."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass

from tdd_orchestrator.model.report import PROPER_RED, BuildError, Case, Outcome, Reason, RedReason
from tdd_orchestrator.runners.reason_frames import Layout, Origin, frames_in
from tdd_orchestrator.runners.reason_owners import OWNERS, Context
from tdd_orchestrator.runners.reason_row import ReasonRow
from tdd_orchestrator.runners.reason_rows import ROWS
from tdd_orchestrator.text import one_line

_BY_THE_RUNNER = frozenset({"go", "c", "perl", "lua", "elixir", "shell"})
"""Languages whose runners keep a failed assertion apart from an error, and whose assertions look like
anything."""
_FAMILIES = {"typescript": "javascript", "c++": "c", "cpp": "c", "kotlin": "java"}
_SUFFIXES = {
    "c": "c", "h": "c", "cc": "c", "cpp": "c", "cxx": "c", "hpp": "c", "py": "python", "go": "go",
    "rs": "rust", "java": "java",
    "kt": "java", "rb": "ruby", "php": "php", "js": "javascript", "mjs": "javascript", "cjs": "javascript",
    "ts": "javascript",
    "t": "perl", "pm": "perl", "lua": "lua", "exs": "elixir", "ex": "elixir", "bats": "shell", "sh": "shell",
    "cs": "csharp",
    "swift": "swift",
}  # fmt: skip
_NOT_LOADED = frozenset({"ModuleNotFoundError", "ImportError"})
"""What a fixture may fail by as a file's own import may: the module that the project is to define is not
there."""
_MODULES = {"t": "pm", "exs": "ex"}
"""Suffixes of test files, and those of the modules that they use, where the two differ."""
_TEXT_LIMIT = 12_000
_BY_THE_TEST = frozenset({Reason.EXCEPTION, Reason.SYNTAX, Reason.TIMEOUT, Reason.UNKNOWN})
"""What is an exception of the project's own where its code raised it: a parser's SyntaxError, a client's
TimeoutError."""
_WITHOUT_STACK = frozenset({"c"})
"""Languages whose exceptions carry no stack: what a test does not throw by itself, the code under test
threw."""
_STOPPED = frozenset({"Failed", "Exit"})
"""Exceptions by which pytest itself ends a test, whoever was at work."""
_HELPERS = re.compile(r"(?:tests?_?)?(?:helpers?|support|fixtures|factories)|test_?utils?|conftest")
"""Modules that tests import for their own use: one that is not there is a helper that is missing."""
_IMPORTED_FROM = re.compile(r"cannot import name '\w+' from '[\w.]+' \((\S+?)\)")


@dataclass(frozen=True, slots=True)
class Project:
    """What decides whose a name is. ``names``: the project's own top-level modules, packages, crates or
    namespaces; ``declared``: its declared dependencies; ``open``: whether it has top-level modules, so that a
    new one may be its own."""

    names: frozenset[str] = frozenset()
    declared: frozenset[str] = frozenset()
    layout: Layout = Layout()
    open: bool = True


def red_reason(
    case: Case | None, *, language: str, project: Project, error: BuildError | None = None
) -> RedReason:
    """The reason of one failing test, or of a build error (``error``) that keeps its file from running."""
    text = _text(case, error)
    script = _SUFFIXES.get(case.name.rpartition(".")[2]) if case and case.name in project.layout.paths else ""
    family = script or _FAMILIES.get(language, language) or _by_suffix(case, error)  # a test that is a file
    raised = _raised_in(text, case, error, project.layout)
    context = Context(family, project.names, project.declared, text, raised, project.open)
    if case is None or error is not None or case.phase not in ("setup", "teardown"):
        decided = _decided(case, error, context, project.layout)
        if case and family in _WITHOUT_STACK and decided.reason is Reason.EXCEPTION:
            raised = Origin.PROJECT
        return _of_the_project(decided, case, raised)
    early = case.phase == "setup" and case.exception.rpartition(".")[2] in _NOT_LOADED
    found = _decided(case, error, context, project.layout) if early else None
    if found is not None and found.reason is Reason.MISSING_SYMBOL:
        return found
    return _judged(Reason.FIXTURE, case.message or f"It failed in {case.phase}.")


def _of_the_project(found: RedReason, case: Case | None, raised: Origin) -> RedReason:
    """An exception that the project's own code raised is a proper failure, whatever its type (S3)."""
    thrown = case is not None and case.exception.rpartition(".")[2] not in _STOPPED
    if thrown and raised is Origin.PROJECT and found.reason in _BY_THE_TEST:
        return _judged(Reason.PROJECT_EXCEPTION, found.evidence, found.symbol)
    if case is None and raised is Origin.PROJECT and found.acceptable:  # it is not the new test that names it
        return _judged(Reason.EXCEPTION, found.evidence, found.symbol)
    return found


def _decided(case: Case | None, error: BuildError | None, context: Context, layout: Layout) -> RedReason:
    # What the exception says of itself decides; a trace quotes source, which may say anything.
    for told in (_head(case, error), context.text):
        for row in ROWS:
            found = row.pattern.search(told) if _applies(row, context.language, error) else None
            if found:
                reason = OWNERS[row.owner](row, found, context)
                symbol = next((group for group in found.groups() if group), "")
                if reason is Reason.MISSING_SYMBOL and _is_helper(symbol, told, case or error, layout):
                    reason = Reason.FIXTURE
                return _judged(reason, _line_of(told, found.start()), symbol)
    return _without_row(case, error, context.language)


def _is_helper(symbol: str, told: str, failed: Case | BuildError | None, layout: Layout) -> bool:
    """Whether the module that is missing, or that lacks a name, is one of the tests' own."""
    named = _IMPORTED_FROM.search(told)
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
    held = [one for one in layout.paths if one == path or one.endswith(f"/{path}")]
    return all(layout.is_test(one, 0) for one in held or [path])


def _by_suffix(case: Case | None, error: BuildError | None) -> str:
    """The language of the file, where the command says nothing of the runner's."""
    if error is not None and error.message.startswith("undefined reference to "):
        return "c"
    file = error.file if error else case.file if case else ""
    return _SUFFIXES.get(file.rpartition(".")[2], "")


def _applies(row: ReasonRow, family: str, error: BuildError | None) -> bool:
    return row.language == family and (not row.build or error is not None)


def _judged(reason: Reason, evidence: str, symbol: str = "") -> RedReason:
    return RedReason(reason, one_line(evidence), symbol, reason in PROPER_RED)


def _without_row(case: Case | None, error: BuildError | None, family: str) -> RedReason:
    """What is not in the table: an error is an exception; a failure is an assertion where the runner keeps
    the two apart, or where its language has no rows."""
    if error is not None or case is None:
        return _judged(Reason.UNKNOWN, error.message if error else "")
    known = any(row.language == family for row in ROWS)
    if case.exception or case.outcome is Outcome.ERROR:
        return _judged(Reason.EXCEPTION, f"{case.exception}: {case.message}".strip(": "))
    if not known or family in _BY_THE_RUNNER:
        return _judged(Reason.ASSERTION, case.message or "The runner calls it failed, not an error.")
    return _judged(Reason.UNKNOWN, case.message)


def _head(case: Case | None, error: BuildError | None) -> str:
    """Exception and message, as a traceback's last line has them."""
    told = error or case
    if told is None:
        return ""
    whole = not told.exception or told.message.startswith(told.exception)
    return (told.message if whole else f"{told.exception}: {told.message}")[:_TEXT_LIMIT]


def _text(case: Case | None, error: BuildError | None) -> str:
    told = error or case
    return f"{_head(case, error)}\n{told.detail if told else ''}"[:_TEXT_LIMIT]


def _line_of(text: str, at: int) -> str:
    begin = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    return text[begin : end if end >= 0 else len(text)]


def _raised_in(text: str, case: Case | None, error: BuildError | None, layout: Layout) -> Origin:
    """Whose code the innermost frame is in; the file that the reader named where there is no stack."""
    failed = error or case
    frames = (case.frames if case is not None else ()) or frames_in(text)
    if frames or failed is None or not failed.file:
        return layout.origin(frames)
    return layout.origin((f"{failed.file}:{failed.line}",))
