"""Source text in many languages, read by tree-sitter: tests, functions, imports, and twins of test files.

One file a language stands in ``rows/``. A language whose grammar is not installed has no row here.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import pkgutil
from pathlib import PurePosixPath
from posixpath import splitext

from tdd_orchestrator.languages import rows
from tdd_orchestrator.languages.base import Language
from tdd_orchestrator.model.errors import add_extra

__all__ = ["Language", "all_languages", "language_of", "why_not"]


@functools.cache
def all_languages() -> tuple[Language, ...]:
    """Return every language that has a file in ``rows/``, installed or not."""
    found: list[Language] = []
    for module in pkgutil.iter_modules(rows.__path__):
        row = importlib.import_module(f"{rows.__name__}.{module.name}")
        found += [value for value in vars(row).values() if isinstance(value, Language)]
    return tuple(found)


@functools.cache
def _by_suffix() -> dict[str, Language]:
    return {suffix: language for language in all_languages() for suffix in language.suffixes}


@functools.cache
def _installed(module: str) -> bool:
    return all(importlib.util.find_spec(name) is not None for name in ("tree_sitter", module))


def language_of(path: str) -> Language | None:
    """Return the language of a file by its name, or None where there is none (see `why_not`)."""
    language = _by_suffix().get(splitext(path)[1].lower())
    return language if language is not None and _installed(language.grammar) else None


def why_not(path: str) -> str:
    """Return why a file has no language, as a sentence; empty where it has one."""
    suffix = PurePosixPath(path).suffix
    language = _by_suffix().get(suffix.lower())
    if language is None:
        return (
            f"Files ending in {suffix} cannot be read."
            if suffix
            else "A file without a suffix cannot be read."
        )
    if not _installed(language.grammar):
        wheel = language.grammar.replace("_", "-")
        return f"{language.name} needs the package {wheel}. {add_extra('languages')}"
    return ""
