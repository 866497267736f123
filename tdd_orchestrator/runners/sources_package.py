"""Resolve a Node package's own name and exports from its package.json."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Callable, Mapping
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
