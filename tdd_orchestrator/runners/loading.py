"""Find from the sources why a test file failed to load, if the runner reports the file as one test."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path, PurePosixPath

from tdd_orchestrator.model.errors import raise_if_of_machine
from tdd_orchestrator.model.report import BAD, BuildError, Case, Reason, Report
from tdd_orchestrator.runners.reason_owners import STANDARD
from tdd_orchestrator.runners.reasons import Project, red_reason
from tdd_orchestrator.runners.sources_imports import (
    MissingImport,
    find_missing_import,
    find_package,
    packages,
)

_READ_LIMIT = 1 << 20
_PLAIN = (".js", ".mjs", ".cjs")
_ELSEWHERE = (".pnp.cjs", ".pnp.js")  # Yarn's packages are found only by its own resolver
_SYNTAX = re.compile(r"^(SyntaxError: .*)$", re.MULTILINE)
_TYPESCRIPT = re.compile(r"TS\d+")
_OTHER_KIND = re.compile(
    r"import statement outside|import call|'import\.meta'|token 'export'|await is only valid"
)
UNBORNE = (
    "The file failed as a whole, and nothing that it loads is missing; what it printed is not taken as "
    "the reason."
)


def add_load_errors(report: Report, tree: Path, cwd: str = "") -> Report:
    """Add a build error for each failed test file whose source imports what the tree lacks.

    The runner may not print a reason, and tests may print false ones: a printed reason that RED would
    accept is removed unless the source confirms it, or a compiler gave it before any test ran. Paths are
    relative to ``tree``.
    """
    whole = _whole(report, tree, cwd)
    if not whole:
        return report
    found_in = {file: find_missing_import(file, lambda path: _read(tree, path)) for file in whole}
    errors = [
        _without_reason(one) if one.file in found_in and not _by_compiler(one, report) else one
        for one in report.build_errors
        if not found_in.get(one.file) or _is_contradicted(one, tree)
    ]
    errors += [_error(file, found) for file, found in found_in.items() if found]
    known = {error.message for error in errors}
    absent = [error for file in whole if file.endswith(_PLAIN) for error in _uninstalled(file, tree)]
    errors += [error for error in absent if error.message not in known]
    return replace(report, build_errors=tuple(dict.fromkeys(errors)))


def add_syntax_errors(report: Report, tree: Path, cwd: str, complaint: Callable[[str], str]) -> Report:
    """Replace the reason of each failed test file that does not parse by its syntax error.

    ``complaint`` returns the error that the language reports for a path of the tree, without running
    it; empty: it parses.
    """
    complaints = {file: complaint(file) for file in _whole(report, tree, cwd) if file.endswith(_PLAIN)}
    wrong = [BuildError(text, file, 0, "SyntaxError") for file, text in complaints.items() if text]
    errors = [one for one in report.build_errors if not complaints.get(one.file)]
    return replace(report, build_errors=(*errors, *wrong)) if wrong else report


def find_syntax_error(output: str) -> str:
    """Return the syntax error in a parser's output; '' if it only expects another module type."""
    found = _SYNTAX.search(output)
    return found[1] if found and not _OTHER_KIND.search(found[1]) else ""


def _whole(report: Report, tree: Path, cwd: str) -> list[str]:
    """Return the test files that failed as a whole."""
    whole = dict.fromkeys(filter(None, (_file_of(case, tree, cwd) for case in report.failing)))
    whole.update(dict.fromkeys(one.file for one in report.build_errors if _is_file(tree, one.file)))
    return list(whole)


def _uninstalled(file: str, tree: Path) -> list[BuildError]:
    """Return an error for each imported package that no ``node_modules`` above the file contains."""
    if any((tree / name).exists() for name in _ELSEWHERE):
        return []
    own = find_package(file, lambda path: _read(tree, path)).name
    above = [tree / folder / "node_modules" for folder in PurePosixPath(file).parents]
    return [
        BuildError(f"Cannot find package '{name}' imported from {file}", file, line)
        for name, line in packages(_read(tree, file) or "", file)
        if name != own
        and name not in STANDARD["javascript"]
        and not any((one / name).exists() for one in above)
    ]


def _by_compiler(error: BuildError, report: Report) -> bool:
    """Whether TypeScript's compiler says so and no runner said anything: no test has printed it."""
    return bool(_TYPESCRIPT.fullmatch(error.exception)) and not (report.runners or report.cases)


def _is_contradicted(error: BuildError, tree: Path) -> bool:
    """Whether the error names a missing package that the file itself imports."""
    judged = red_reason(None, language="javascript", project=Project(), error=error)
    source = _read(tree, error.file) or ""
    named = any(f"{quote}{judged.symbol}{quote}" in source for quote in "'\"")
    return judged.reason is Reason.THIRD_PARTY and bool(judged.symbol) and named


def _file_of(case: Case, tree: Path, cwd: str) -> str:
    """Return the test file that the case stands for; '' for a test."""
    if case.outcome not in BAD:
        return ""
    named = (case.name, str(PurePosixPath(cwd) / case.name))
    return next((name for name in named if _is_file(tree, name)), "")


def _is_file(tree: Path, name: str) -> bool:
    return bool(name) and "\n" not in name and len(name) < 1_000 and _read(tree, name) is not None


def _read(tree: Path, path: str) -> str | None:
    """Return the text of a plain file inside the tree."""
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


def _without_reason(error: BuildError) -> BuildError:
    project = Project(frozenset({error.file}))
    good = red_reason(None, language="javascript", project=project, error=error).acceptable
    return replace(error, message=UNBORNE, exception="", detail="") if good else error


def _error(file: str, found: MissingImport) -> BuildError:
    """Return the error in the loader's wording, which RED's table knows."""
    if found.symbol:
        words = f"The requested module '{found.module}' does not provide an export named '{found.symbol}'"
    else:
        words = f"Cannot find module '{found.module}' imported from {found.file}"
    return BuildError(words, file, found.line if found.file == file else 0)
