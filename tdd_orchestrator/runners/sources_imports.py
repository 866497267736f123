"""Find what a JavaScript file imports and the project lacks, from the sources alone.

A runner may not say why a file failed, and a test's output is no evidence; a missing top-level import
is.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tdd_orchestrator.languages import language_of
from tdd_orchestrator.languages.parse import Source, parse

if TYPE_CHECKING:
    from tree_sitter import Node

_CONDITIONS = ("node", "import", "require", "default")


@dataclass(frozen=True, slots=True)
class Package:
    """``exports``: subpath -> file; a package without exports cannot import itself by name."""

    folder: str = ""
    name: str = ""
    exports: Mapping[str, Any] = field(default_factory=dict)

    def file(self, module: str) -> str:
        """Return the path of the file for a module of this name; empty if the package exports none."""
        subpath = f".{module.removeprefix(self.name)}"
        target = _path(self.exports.get(subpath))
        for pattern, value in () if target else self.exports.items():
            begin, star, end = pattern.partition("*")
            if star and subpath.startswith(begin) and subpath.endswith(end):
                target = _path(value).replace("*", subpath[len(begin) : len(subpath) - len(end)])
                break
        return posixpath.join(self.folder, target) if target else ""


def find_package(path: str, read: Callable[[str], str | None]) -> Package:
    """Return the package of the file at ``path``: the nearest package.json above it with a name."""
    folder = posixpath.dirname(path)
    while True:
        text = read(posixpath.join(folder, "package.json"))
        try:
            manifest = json.loads(text) if text else None
        except (ValueError, RecursionError):
            manifest = None
        if isinstance(manifest, dict) and isinstance(manifest.get("name"), str) and manifest["name"]:
            exports = _exports(manifest.get("exports"))
            return Package(folder, manifest["name"], exports) if exports else Package()
        if folder in ("", "/"):
            return Package()
        folder = posixpath.dirname(folder)


def _exports(value: object) -> dict[str, Any]:
    if isinstance(value, dict) and any(str(key).startswith(".") for key in value):
        return value
    return {".": value} if value else {}


def _path(value: object) -> str:
    """Return the file of an export: its own, or that of node's first matching condition."""
    if isinstance(value, dict):
        return next((found for key in _CONDITIONS if (found := _path(value.get(key)))), "")
    return value if isinstance(value, str) else ""


Read = Callable[[str], str | None]
"""Returns the text of a file by its path in the tree; None if missing."""

_PACKAGE = re.compile(r"((?:@[\w.-]+/)?[a-z0-9][\w.-]*)(?:/.*)?", re.DOTALL)
_CODE = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx")
_SUFFIXES = ("", *_CODE, ".json", ".node", *(f"/index{suffix}" for suffix in (*_CODE, ".json")))
_SOURCE_OF = {".js": (".ts", ".tsx"), ".jsx": (".tsx",), ".mjs": (".mts",), ".cjs": (".cts",)}
_WORD = re.compile(r"[\w$]+")
_RELATIVE = re.compile(r"\.\.?(?:/|$)")
_OUTER = ("await_expression", "call_expression", "member_expression", "parenthesized_expression")
_FILES = 300  # files that are followed from one test file
_NAMES = """
(import_specifier name: (_) @name)
(export_specifier name: (_) @name)
(import_clause (identifier) @default)
"""
"""What a statement takes from the module that it loads."""
_TAKEN = {"pair_pattern": "key", "object_assignment_pattern": "left"}
_EXPORTED = """
(export_specifier name: (_) @name !alias)
(export_specifier alias: (_) @name)
(namespace_export (_) @name)
(export_statement "default" @name)
(export_statement declaration: (_ name: (_) @name))
(export_statement declaration: (_ (variable_declarator name: (_) @name)))
"""
_HANDS_ON = """
(spread_element) @unsure
((identifier) @unsure (#any-of? @unsure "require" "Object"))
"""
"""A CommonJS module that may export more than its source names."""


@dataclass(frozen=True, slots=True)
class MissingImport:
    """``file`` imports ``module`` at ``line`` (from 1), which is missing, or lacks ``symbol``."""

    file: str
    line: int
    module: str
    symbol: str = ""


@dataclass(frozen=True, slots=True)
class _Load:
    module: str
    line: int
    names: tuple[str, ...]


def find_missing_import(path: str, read: Read) -> MissingImport | None:
    """Return the first top-level import of ``path``, or of a file it imports, that the tree lacks.

    Only relative paths and the package's own name are followed: other packages and aliases cannot be
    checked. ``path`` uses slashes.
    """
    own = find_package(path, read)
    waiting, seen = [path], {path}
    known: set[tuple[str, tuple[str, ...]]] = set()
    while waiting and len(seen) <= _FILES:
        file = waiting.pop(0)
        for load in _loads(read(file) or "", file):
            relative = bool(_RELATIVE.match(load.module))
            if not relative and not (own.name and f"{load.module}/".startswith(f"{own.name}/")):
                continue
            inside = (
                posixpath.join(posixpath.dirname(file), load.module) if relative else own.file(load.module)
            )
            if not inside:
                return MissingImport(file, load.line, load.module)
            where = posixpath.normpath(inside)
            if where.startswith("..") or (where, load.names) in known:
                continue
            known.add((where, load.names))
            target = next((one for one in _candidates(where) if read(one) is not None), None)
            if target is None:
                return MissingImport(file, load.line, load.module)
            if not target.endswith(_CODE):
                continue
            absent = next((name for name in load.names if not _has(read(target) or "", target, name)), "")
            if absent:
                return MissingImport(file, load.line, load.module, absent)
            if target not in seen:
                seen.add(target)
                waiting.append(target)
    return None


def packages(source: str, path: str) -> tuple[tuple[str, int], ...]:
    """Return the packages that a file imports at its top level, as installed, each with its line."""
    loads = ((_PACKAGE.fullmatch(load.module), load.line) for load in _loads(source, path))
    return tuple((named[1], line) for named, line in loads if named)


def _candidates(path: str) -> Iterator[str]:
    for suffix in _SUFFIXES:
        yield f"{path}{suffix}"
    stem, suffix = posixpath.splitext(path)
    for source in _SOURCE_OF.get(suffix, ()):
        yield f"{stem}{source}"


def _loads(source: str, path: str) -> Iterator[_Load]:
    """Yield the modules that a file loads at its top level, in order: not in blocks, functions or conditions."""
    language = language_of(path)
    if language is None:
        return
    parsed = parse(source, language)
    for statement in parsed.root.named_children:
        if statement.type in ("import_statement", "export_statement"):
            module = statement.child_by_field_name("source")
            if module and not statement.has_error and not _is_type(statement):
                yield _load(parsed, module, _imported(parsed, statement))
        elif statement.type in ("lexical_declaration", "variable_declaration", "expression_statement"):
            for part in statement.named_children:
                declared = part.type == "variable_declarator"
                value = part.child_by_field_name("value") if declared else part
                if value and (module := _required(parsed, value)):
                    pattern = part.child_by_field_name("name")
                    whole = module.parent and module.parent.end_byte == value.end_byte
                    yield _load(parsed, module, _taken(parsed, pattern) if whole else ())


def _load(source: Source, module: Node, names: Iterable[str]) -> _Load:
    """Return the load of the module that a string names."""
    path = re.split(r"[?#]", source.text(module)[1:-1])[0]
    return _Load(path, module.start_point.row + 1, tuple(names))


def _imported(source: Source, statement: Node) -> list[str]:
    """Return the names that a statement imports, or exports, from a module."""
    found = source.captures(_NAMES, statement)
    names = [source.text(node) for node in found.get("name", ()) if not _is_type(node.parent)]
    return ["default", *names] if "default" in found else names


def _taken(source: Source, pattern: Node | None) -> list[str]:
    """Return the names in the braces of ``const { a, b: c } = ...``."""
    parts = pattern.named_children if pattern and pattern.type == "object_pattern" else ()
    keys = [part.child_by_field_name(_TAKEN[part.type]) if part.type in _TAKEN else part for part in parts]
    return [text for key in keys if key and _WORD.fullmatch(text := source.text(key))]


def _is_type(node: Node | None) -> bool:
    """Whether an import is TypeScript's own: it is gone when the file runs."""
    return node is not None and any(child.type == "type" for child in node.children)


def _required(source: Source, value: Node) -> Node | None:
    """Return the string of ``require('x')`` or ``await import('x')`` with which an expression begins."""
    node: Node | None = value
    while node is not None and node.type in _OUTER:
        function = node.child_by_field_name("function")
        if function and source.text(function) in ("require", "import"):
            arguments = node.child_by_field_name("arguments")
            first = arguments.named_child(0) if arguments else None
            return first if first and first.type == "string" else None
        node = function or node.named_child(0)
    return None


def _has(source: str, path: str, name: str) -> bool:
    """Whether a module exports ``name``; True if unsure."""
    language = language_of(path)
    if language is None:
        return True
    parsed = parse(source, language)
    exports = [node for node in parsed.root.named_children if node.type == "export_statement"]
    if not exports:
        unsure = bool(parsed.captures(_HANDS_ON)) or name in _WORD.findall(source)
        return unsure or name == "default"
    for export in exports:
        found = [parsed.text(node) for node in parsed.captures(_EXPORTED, export).get("name", ())]
        clause = any(child.type == "export_clause" for child in export.children)
        if not (found or clause) or any(name in _WORD.findall(one) for one in found):
            return True
    return False
