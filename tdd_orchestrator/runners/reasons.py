"""Why a new test failed, as RED must know it (S3): by an assertion or a symbol that the project is to define, or not."""

from __future__ import annotations

import re

from tdd_orchestrator.model.report import PROPER_RED, BuildError, Case, Outcome, Reason, RedReason
from tdd_orchestrator.runners.reason_owners import OWNERS, Context
from tdd_orchestrator.runners.reason_row import ReasonRow
from tdd_orchestrator.runners.reason_rows import ROWS
from tdd_orchestrator.text import one_line

_BY_THE_RUNNER = frozenset({"go", "c", "perl", "lua", "elixir", "shell"})
"""Languages whose runners keep a failed assertion apart from an error, and whose assertions look like anything."""
_FAMILIES = {"typescript": "javascript", "c++": "c", "cpp": "c", "kotlin": "java"}
_SUFFIXES = {
    "c": "c", "h": "c", "cc": "c", "cpp": "c", "cxx": "c", "hpp": "c", "py": "python", "go": "go", "rs": "rust", "java": "java",
    "kt": "java", "rb": "ruby", "php": "php", "js": "javascript", "mjs": "javascript", "cjs": "javascript", "ts": "javascript",
    "t": "perl", "pm": "perl", "lua": "lua", "exs": "elixir", "ex": "elixir", "bats": "shell", "sh": "shell", "cs": "csharp",
    "swift": "swift",
}  # fmt: skip
_NOT_LOADED = frozenset({"ModuleNotFoundError", "ImportError"})
"""What a fixture may fail by as a file's own import may: the module that the project is to define is not there."""
_TEXT_LIMIT = 12_000
_TEST_PATH = re.compile(
    r"(?:^|[/_.\-])(?:tests?|specs?|conftest|e2e|t)(?:[/_.\-]|$)|(?:Tests?|Spec|TestCase|IT)\.\w+$",
    re.IGNORECASE,
)
_PYTHON_FRAME = re.compile(r"^(\S+?):(\d+): in \S+$", re.MULTILINE)
_STACK_FRAME = re.compile(
    r"^\s+at (?:.*[( ])?(?:file://)?([^()\s]+?):(\d+)(?::\d+)?\)?\s*$|❯ (\S+?):(\d+):\d+", re.MULTILINE
)


def red_reason(
    case: Case | None,
    *,
    language: str,
    project_names: frozenset[str],
    declared: frozenset[str] = frozenset(),
    error: BuildError | None = None,
) -> RedReason:
    """The reason of one failing test, or of a build error (``error``) that keeps its file from running.

    ``project_names``: the project's own top-level modules, packages, crates or namespaces; ``declared``: names of
    its declared dependencies. A name that neither knows, and that no well-known library has, is the project's to make.
    """
    text = _text(case, error)
    family = _FAMILIES.get(language, language) or _by_suffix(case, error)
    context = Context(family, project_names, declared, text, _raised_in(text, case, error))
    if case is None or error is not None or case.phase not in ("setup", "teardown"):
        return _decided(case, error, context)
    early = case.phase == "setup" and case.exception.rpartition(".")[2] in _NOT_LOADED
    found = _decided(case, error, context) if early else None
    if found is not None and found.reason is Reason.MISSING_SYMBOL:
        return found
    return _judged(Reason.FIXTURE, case.message or f"It failed in {case.phase}.")


def _decided(case: Case | None, error: BuildError | None, context: Context) -> RedReason:
    # What the exception says of itself decides; a trace quotes source, which may say anything.
    for told in (_head(case, error), context.text):
        for row in ROWS:
            found = row.pattern.search(told) if _applies(row, context.language, error) else None
            if found:
                reason = OWNERS[row.owner](row, found, context)
                symbol = next((group for group in found.groups() if group), "")
                return _judged(reason, _line_of(told, found.start()), symbol)
    return _without_row(case, error, context.language)


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
    """What is not in the table: an error is an exception; a failure is an assertion where the runner keeps the two
    apart, or where its language has no rows."""
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


def _raised_in(text: str, case: Case | None, error: BuildError | None) -> str:
    """Whose file the innermost frame is in; the file that the reader named where there is no trace."""
    frames = _PYTHON_FRAME.findall(text)
    file = frames[-1][0] if frames else ""
    for groups in () if file else _STACK_FRAME.findall(text):
        file = groups[0] or groups[2]
        if not file.startswith("node:") and "node_modules" not in file:
            break
        file = ""
    told = error or case
    file = file or (told.file if told else "")
    if not file:
        return ""
    if file.startswith("/") or "site-packages" in file or "node_modules" in file:
        return "foreign"
    own_test = case is not None and file == case.file and bool(_TEST_PATH.search(file))
    return "test" if own_test or _TEST_PATH.search(file) else "project"
