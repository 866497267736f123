"""Why a test file failed as a whole, where the runner names it like a test: its source says why, nothing
printed does."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path, PurePosixPath

from tdd_orchestrator.model.errors import raise_if_of_machine
from tdd_orchestrator.model.report import BAD, BuildError, Case, Reason, Report
from tdd_orchestrator.runners.reason_names import STANDARD
from tdd_orchestrator.runners.reasons import Project, red_reason
from tdd_orchestrator.runners.sources_imports import Lacking, lacking, packages
from tdd_orchestrator.runners.sources_package import own_package

_READ_LIMIT = 1 << 20
_PLAIN = (".js", ".mjs", ".cjs")
_ELSEWHERE = (".pnp.cjs", ".pnp.js")  # Yarn keeps packages where only its own resolver finds them
_SYNTAX = re.compile(r"^(SyntaxError: .*)$", re.MULTILINE)
_OTHER_KIND = re.compile(
    r"import statement outside|import call|'import\.meta'|token 'export'|await is only valid"
)
UNBORNE = (
    "The file failed as a whole, and nothing that it loads is missing; what it printed is not taken as "
    "the reason."
)


def explained(report: Report, tree: Path, cwd: str = "") -> Report:
    """The report with a build error for each failing test file whose source loads what the tree lacks.

    The runner may not say why, and its words reach us mixed with those of the tests: so a printed reason that
    RED would accept is taken back where the source does not bear it out. Paths are relative to ``tree``.
    """
    whole = _whole(report, tree, cwd)
    if not whole:
        return report
    borne = {file: lacking(file, lambda path: _read(tree, path)) for file in whole}
    errors = [
        _weighed(one) if one.file in borne else one
        for one in report.build_errors
        if not borne.get(one.file) or _foreign(one, tree)
    ]
    errors += [_error(file, found) for file, found in borne.items() if found]
    told = {error.message for error in errors}
    absent = [error for file in whole if file.endswith(_PLAIN) for error in _uninstalled(file, tree)]
    errors += [error for error in absent if error.message not in told]
    return replace(report, build_errors=tuple(dict.fromkeys(errors)))


def with_syntax(report: Report, tree: Path, cwd: str, complaint: Callable[[str], str]) -> Report:
    """The report in which a test file that failed as a whole and does not parse has this, and nothing else,
    for its reason. ``complaint`` asks the language itself about a path of the tree, and runs nothing of it;
    empty = it parses."""
    told = {file: complaint(file) for file in _whole(report, tree, cwd) if file.endswith(_PLAIN)}
    wrong = [BuildError(words, file, 0, "SyntaxError") for file, words in told.items() if words]
    errors = [one for one in report.build_errors if not told.get(one.file)]
    return replace(report, build_errors=(*errors, *wrong)) if wrong else report


def complaint_in(said: str) -> str:
    """The syntax error in what a parser printed; none where it only takes the file for another kind of
    module."""
    found = _SYNTAX.search(said)
    return found[1] if found and not _OTHER_KIND.search(found[1]) else ""


def _whole(report: Report, tree: Path, cwd: str) -> list[str]:
    """The test files that failed as a whole."""
    whole = dict.fromkeys(filter(None, (_file_of(case, tree, cwd) for case in report.failing)))
    whole.update(dict.fromkeys(one.file for one in report.build_errors if _is_file(tree, one.file)))
    return list(whole)


def _uninstalled(file: str, tree: Path) -> list[BuildError]:
    """The packages that the file loads and no ``node_modules`` above it has; node itself knows no other
    names."""
    if any((tree / name).exists() for name in _ELSEWHERE):
        return []
    own = own_package(file, lambda path: _read(tree, path)).name
    above = [tree / folder / "node_modules" for folder in PurePosixPath(file).parents]
    return [
        BuildError(f"Cannot find package '{name}' imported from {file}", file, line)
        for name, line in packages(_read(tree, file) or "")
        if name != own
        and name not in STANDARD["javascript"]
        and not any((one / name).exists() for one in above)
    ]


def _foreign(error: BuildError, tree: Path) -> bool:
    """Whether a package is told missing that the file itself names: what else the file lacks does not excuse
    that."""
    judged = red_reason(None, language="javascript", project=Project(), error=error)
    source = _read(tree, error.file) or ""
    named = any(f"{quote}{judged.symbol}{quote}" in source for quote in "'\"")
    return judged.reason is Reason.THIRD_PARTY and bool(judged.symbol) and named


def _file_of(case: Case, tree: Path, cwd: str) -> str:
    """The test file of which the case is the whole; empty for a test."""
    if case.outcome not in BAD:
        return ""
    named = (case.name, str(PurePosixPath(cwd) / case.name))
    return next((name for name in named if _is_file(tree, name)), "")


def _is_file(tree: Path, name: str) -> bool:
    return bool(name) and "\n" not in name and len(name) < 1_000 and _read(tree, name) is not None


def _read(tree: Path, path: str) -> str | None:
    """The text of a plain file inside the tree."""
    root = tree.resolve()
    try:
        place = (root / path).resolve()
        if not place.is_relative_to(root) or not place.is_file():
            return None
        with place.open("rb") as file:
            return file.read(_READ_LIMIT).decode("utf-8", "replace")
    except ValueError:
        return None
    except OSError as error:
        raise_if_of_machine(error)
        return None


def _weighed(error: BuildError) -> BuildError:
    project = Project(frozenset({error.file}))
    good = red_reason(None, language="javascript", project=project, error=error).acceptable
    return replace(error, message=UNBORNE, exception="", detail="") if good else error


def _error(file: str, found: Lacking) -> BuildError:
    """In the loader's own words, which RED's table knows."""
    if found.symbol:
        words = f"The requested module '{found.module}' does not provide an export named '{found.symbol}'"
    else:
        words = f"Cannot find module '{found.module}' imported from {found.file}"
    return BuildError(words, file, found.line if found.file == file else 0)
