"""Find what a JavaScript file imports and the project lacks, from the sources alone.

A runner may not say why a file failed, and a test's output is no evidence; a missing top-level import
is.
"""

from __future__ import annotations

import functools
import json
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

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


_INSIDE = {
    '"': re.compile(r"(?:\\.|[^\"\\\n])*+", re.DOTALL),
    "'": re.compile(r"(?:\\.|[^'\\\n])*+", re.DOTALL),
    "`": re.compile(r"(?:\\.|[^`\\])*+", re.DOTALL),
    "/*": re.compile(r"(?:[^*]|\*(?!/))*+"),
}
_CLOSING = {"/*": "*/"}


@functools.cache
def _opener(comment: str) -> re.Pattern[str]:
    return re.compile(rf"{re.escape(comment)}[^\n]*|[\"'`]" + (r"|/\*" if comment == "//" else ""), re.DOTALL)


def tokens(source: str, comment: str = "//") -> Iterator[tuple[int, int]]:
    """Yield (begin, end) of each comment and closed string. ``comment`` opens one up to the line's end."""
    opener = _opener(comment)
    open_until: dict[str, int] = {}  # an unclosed quote: none of its kind before this place
    found = opener.search(source)
    while found:
        kind, begin, end = found[0], found.start(), found.end()
        if kind not in _INSIDE:
            yield begin, end
        elif begin >= open_until.get(kind, 0):
            stop = _INSIDE[kind].match(source, end).end()  # type: ignore[union-attr]  # it matches nothing, too
            closing = _CLOSING.get(kind, kind)
            if source.startswith(closing, stop):
                end = stop + len(closing)
                yield begin, end
            else:
                open_until[kind] = stop
        found = opener.search(source, end)


def blank_tokens(source: str, comment: str = "//") -> str:
    """Return the source with comments and strings blanked to the same length, to ignore their brackets."""
    parts, last = [], 0
    for begin, end in tokens(source, comment):
        parts += [source[last:begin], re.sub(r"[^\n]", " ", source[begin:end])]
        last = end
    return "".join([*parts, source[last:]])


Read = Callable[[str], str | None]
"""Returns the text of a file by its path in the tree; None if missing."""

_PACKAGE = re.compile(r"(['\"])((?:@[\w.-]+/)?[a-z0-9][\w.-]*(?:/[^'\"]*)?)\1")
_CODE = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx")
_SUFFIXES = ("", *_CODE, ".json", ".node", *(f"/index{suffix}" for suffix in (*_CODE, ".json")))
_SOURCE_OF = {".js": (".ts", ".tsx"), ".jsx": (".tsx",), ".mjs": (".mts",), ".cjs": (".cts",)}
_DECLARED = re.compile(r"(?:const|let|var)\s+(\{[^{}]*\}|\w+)\s*=$")
_CLAUSE = re.compile(r"[\w$*,{}\s]*")
_WORD = re.compile(r"[\w$]+")
_HANDS_ON = re.compile(r"\brequire\s*\(|\.\.\.|\bObject\s*\.")
_WINDOW = 4_000  # characters of one statement
_FILES = 300  # files that are followed from one test file


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
    loaded = _loaded_by(own.name)
    waiting, seen = [path], {path}
    known: set[tuple[str, tuple[str, ...]]] = set()
    while waiting and len(seen) <= _FILES:
        file = waiting.pop(0)
        for load in _loads(read(file) or "", loaded):
            relative = load.module.startswith(".")
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
            absent = next((name for name in load.names if not _has(read(target) or "", name)), "")
            if absent:
                return MissingImport(file, load.line, load.module, absent)
            if target not in seen:
                seen.add(target)
                waiting.append(target)
    return None


def packages(source: str) -> tuple[tuple[str, int], ...]:
    """Return the packages that a file imports at its top level, as installed, each with its line."""
    loads = ((load.module.split("/"), load.line) for load in _loads(source, _PACKAGE))
    return tuple(("/".join(parts[: 2 if parts[0].startswith("@") else 1]), line) for parts, line in loads)


def _candidates(path: str) -> Iterator[str]:
    for suffix in _SUFFIXES:
        yield f"{path}{suffix}"
    stem, suffix = posixpath.splitext(path)
    for source in _SOURCE_OF.get(suffix, ()):
        yield f"{stem}{source}"


def _loaded_by(name: str) -> re.Pattern[str]:
    """Return a pattern for a string that names a module by a relative path or the package's name."""
    own = rf"|{re.escape(name)}(?:/[^'\"]*)?" if name else ""
    return re.compile(rf"(['\"])(\.{{1,2}}(?:/[^'\"?#]*)?{own})(?:[?#][^'\"]*)?\1")


def _loads(source: str, loaded: re.Pattern[str]) -> Iterator[_Load]:
    """Yield the tree's modules imported at the top level, in order: not in blocks, functions or
    conditions."""
    blank = blank_tokens(source)
    depth = last = 0
    line = 1
    for begin, end in tokens(source):
        depth += blank.count("{", last, begin) - blank.count("}", last, begin)
        line += source.count("\n", last, begin)
        module = loaded.fullmatch(source, begin, end)
        names = None
        if module and not depth:
            names = _statement(blank[max(0, begin - _WINDOW) : begin].rstrip())
        if module and names is not None:
            yield _Load(module[2], line, names)
        line += source.count("\n", begin, end)
        last = end


def _statement(head: str) -> tuple[str, ...] | None:
    """Return the names that a statement imports from the module that follows; None if it is no import."""
    if _ends_with(head, "from") or _ends_with(head, "import"):
        return _static(head)
    call = head[:-1].rstrip() if head.endswith("(") else ""
    keyword = next((word for word in ("require", "import") if _ends_with(call, word)), "")
    if not keyword:
        return None
    before = call[: -len(keyword)].rstrip(" \t")
    before = before[:-5].rstrip(" \t") if _ends_with(before, "await") else before
    if before.endswith("="):
        begin = max(before.rfind(word) for word in ("const", "let", "var"))
        found = _DECLARED.fullmatch(before, begin) if _begins(before, begin) else None
        return _taken(found[1], ":") if found else None
    return () if _begins(before + " ", len(before)) else None


def _static(head: str) -> tuple[str, ...] | None:
    begin = max(head.rfind("import"), head.rfind("export"))
    if not _begins(head, begin):
        return None
    clause = head[begin + 6 :].removesuffix("from").strip()
    if not _CLAUSE.fullmatch(clause) or clause.startswith("type "):
        return None
    return _taken(clause, " as ")


def _taken(clause: str, renames: str) -> tuple[str, ...]:
    """Return the names in braces as the module exports them; ``default`` for a name before the braces."""
    outside, brace, inside = clause.partition("{")
    names = [one.split("=")[0].split(renames)[0].strip() for one in inside.rstrip("} \n").split(",")]
    first = outside.split(",")[0].strip()
    default = ("default",) if renames == " as " and _WORD.fullmatch(first) else ()
    return (*default, *(name for name in names if brace and _WORD.fullmatch(name)))


def _begins(text: str, at: int) -> bool:
    """Whether a statement begins there: on its own line, not continuing the line above."""
    if at < 0:
        return False
    above, _, line = text[:at].rpartition("\n")
    return (not line.strip() or line.rstrip().endswith(";")) and not above.rstrip().endswith(
        tuple("&|?=(,:>+[")
    )


def _ends_with(text: str, word: str) -> bool:
    """Whether the text ends with the whole word."""
    return text.endswith(word) and not re.match(r"[\w$.]", text[-len(word) - 1 : -len(word)])


def _has(source: str, name: str) -> bool:
    """Whether a module exports ``name``; True if unsure."""
    code = blank_tokens(source)
    exports = [code[at.end() : at.end() + _WINDOW] for at in re.finditer(r"\bexport\b", code)]
    if not exports:
        return name == "default" or bool(_HANDS_ON.search(code)) or name in _WORD.findall(source)
    return any(one.lstrip().startswith("*") or name in _exported(one) for one in exports)


def _exported(statement: str) -> list[str]:
    """Return the words of an export: those in its braces, else of its line and comma continuations."""
    braces = re.match(r"\s*(?:const|let|var)?\s*\{[^}]*", statement)
    lines = re.match(r"(?:[^\n]*,[ \t]*\n)*+[^\n]*", statement)
    found = braces or lines
    return _WORD.findall(found[0]) if found else []
