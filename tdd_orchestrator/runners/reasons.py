"""Why a new test failed, as RED must know it (S3): by an assertion or a symbol that the project is to define, or not."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from tdd_orchestrator.model.report import PROPER_RED, BuildError, Case, Outcome, Reason, RedReason
from tdd_orchestrator.runners.reason_names import FOREIGN, OWN_TYPE_EXCLUDED, STANDARD
from tdd_orchestrator.runners.reason_rows import ROWS, ReasonRow
from tdd_orchestrator.text import one_line

_TEXT_LIMIT = 12_000
_TEST_PATH = re.compile(
    r"(?:^|[/_.\-])(?:tests?|specs?|conftest|e2e|t)(?:[/_.\-]|$)|(?:Tests?|Spec|TestCase|IT)\.\w+$",
    re.IGNORECASE,
)
_SEPARATORS = "./:\\"
_PYTHON_FRAME = re.compile(r"^(\S+?):(\d+): in \S+$", re.MULTILINE)
_STACK_FRAME = re.compile(
    r"^\s+at (?:.*[( ])?(?:file://)?([^()\s]+?):(\d+)(?::\d+)?\)?\s*$|❯ (\S+?):(\d+):\d+", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class _Context:
    language: str
    project: frozenset[str]
    declared: frozenset[str]
    text: str  # all that was said
    raised: str  # test | project | foreign | "": in whose file it was raised, where the trace says

    def owns(self, name: str) -> bool:
        """A name of the project, or one that begins with it and goes on after a separator."""
        return _root(name) in self.project or any(_within(name, own) for own in self.project)

    @property
    def namespaced(self) -> bool:
        """Whether the project has said under which namespaces all of its names are."""
        return any(own.endswith("\\") for own in self.project)

    def foreign(self, name: str) -> bool:
        """A name that a dependency or the language's own library has."""
        root = _root(name)
        return (
            root in self.declared
            or _folded(root) in {_folded(one) for one in self.declared}
            or root in STANDARD.get(self.language, frozenset())
            or root in FOREIGN.get(self.language, frozenset())
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
    family = {"typescript": "javascript", "c++": "c", "cpp": "c", "kotlin": "java"}.get(language, language)
    context = _Context(family, project_names, declared, text, _raised_in(text, case, error))
    if case is not None and error is None and case.phase in ("setup", "teardown"):
        return _judged(Reason.FIXTURE, case.message or f"It failed in {case.phase}.")
    # What the exception says of itself decides; a trace quotes source, which may say anything.
    for told in (_head(case, error), text):
        for row in ROWS:
            found = row.pattern.search(told) if _applies(row, family, error) else None
            if found:
                reason = _OWNERS[row.owner](row, found, context)
                symbol = next((group for group in found.groups() if group), "")
                return _judged(reason, _line_of(told, found.start()), symbol)
    return _without_row(case, error, family)


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
    if not known or family in ("go", "c"):
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


def _root(name: str) -> str:
    return re.split(r"[./:\\]+", name.lstrip("&*./:\\"))[0]


def _within(name: str, own: str) -> bool:
    rest = name.removeprefix(own)
    return rest != name and (not rest or own[-1:] in _SEPARATORS or rest[0] in _SEPARATORS)


def _folded(name: str) -> str:
    return name.lower().replace("-", "_")


def _plain(row: ReasonRow, found: re.Match[str], context: _Context) -> Reason:
    return row.reason


def _module(row: ReasonRow, found: re.Match[str], context: _Context) -> Reason:
    """A module, package, crate or namespace: the project's, or one that nobody else has."""
    name = next((group for group in found.groups() if group), "")
    if context.owns(name):
        return row.reason
    return Reason.THIRD_PARTY if context.foreign(name) else row.reason


def _strict_module(row: ReasonRow, found: re.Match[str], context: _Context) -> Reason:
    """A module that is there, or a bare package name: the project's only if it is known to be."""
    name = next((group for group in found.groups() if group), "")
    return row.reason if context.owns(name) else Reason.THIRD_PARTY


def _namespaced(row: ReasonRow, found: re.Match[str], context: _Context) -> Reason:
    """A class: one in a namespace is the project's only where the namespace is, if the project told which it has."""
    name = next((group for group in found.groups() if group), "").lstrip("\\")
    if "\\" in name and context.namespaced and not context.owns(name):
        return Reason.THIRD_PARTY
    return _module(row, found, context)


def _header(row: ReasonRow, found: re.Match[str], context: _Context) -> Reason:
    """A header: one of a folder that stands between angle brackets is the project's only if the folder is."""
    name = next((group for group in found.groups() if group), "")
    angled = re.search(rf"#\s*include\s*<{re.escape(name)}>", context.text)
    return _strict_module(row, found, context) if angled and "/" in name else _module(row, found, context)


def _path(row: ReasonRow, found: re.Match[str], context: _Context) -> Reason:
    """A path to a module: relative ones and aliases are the project's, bare names are packages."""
    name = next((group for group in found.groups() if group), "")
    if "node_modules" in name:
        return Reason.THIRD_PARTY
    relative = name.startswith(
        (".", "/", "file:", "~/", "@/", "#", "src/", "lib/", "test/", "tests/", "spec/")
    )
    return row.reason if relative or context.owns(name) else Reason.THIRD_PARTY


def _type(row: ReasonRow, found: re.Match[str], context: _Context) -> Reason:
    """Something that a type lacks: the project's, unless the type is the language's own; raised in the test."""
    excluded = OWN_TYPE_EXCLUDED.get(context.language, frozenset())
    types = [
        re.split(r"[<\[{( ]", group.lstrip("&*").removeprefix("mut "))[0] for group in found.groups() if group
    ]
    own = [one for one in types if one not in excluded and not context.foreign(one)]
    if not own or context.raised == "project":
        return Reason.EXCEPTION
    return row.reason


def _call(row: ReasonRow, found: re.Match[str], context: _Context) -> Reason:
    """A call that does not fit what the project defines yet, made by the test itself."""
    name = next((group for group in found.groups() if group), "")
    if name in OWN_TYPE_EXCLUDED.get(context.language, frozenset()) or context.foreign(name):
        return Reason.EXCEPTION
    return (
        Reason.EXCEPTION if context.raised == "project" and context.language == "javascript" else row.reason
    )


def _stub(row: ReasonRow, found: re.Match[str], context: _Context) -> Reason:
    """A body that says that it is not written yet: good in the project, not in the test."""
    return Reason.EXCEPTION if context.raised == "test" and context.language == "python" else row.reason


def _asserted(row: ReasonRow, found: re.Match[str], context: _Context) -> Reason:
    """An assertion of the test's or of its library; one in the project's own code is an exception there."""
    return Reason.EXCEPTION if context.raised == "project" else row.reason


_OWNERS: dict[str, Callable[[ReasonRow, re.Match[str], _Context], Reason]] = {
    "": _plain, "module": _module, "strict": _strict_module, "path": _path, "namespaced": _namespaced, "header": _header, "type": _type, "call": _call,
    "stub": _stub, "asserted": _asserted,
}  # fmt: skip
