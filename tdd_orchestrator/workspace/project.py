"""What a project itself defines, and what it declares to depend on: read from its files, nothing is run."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

_SKIPPED = {".git", ".venv", "venv", "node_modules", "build", "dist", "target", ".tox", "__pycache__", "docs"}
_NAME = re.compile(r"^\s*([A-Za-z0-9][A-Za-z0-9._-]*)")


def project_names(root: Path, language: str) -> frozenset[str]:
    """Top-level modules and packages of the project (in the root and in ``src``); for other languages the names
    of its folders and files, by which an import path begins."""
    found: set[str] = set()
    for base in (root, root / "src", root / "lib"):
        if not base.is_dir():
            continue
        for entry in base.iterdir():
            if entry.name in _SKIPPED or entry.name.startswith("."):
                continue
            if entry.is_dir():
                found.add(entry.name)
            elif entry.suffix in _SUFFIXES.get(language, (entry.suffix,)):
                found.add(entry.stem)
    return frozenset(found)


_SUFFIXES = {"python": (".py",)}


def names_in(paths: Iterable[str], language: str) -> frozenset[str]:
    """The same, from the paths of a commit."""
    found: set[str] = set()
    for path in paths:
        first, *rest = path.split("/")
        parts = rest if first in ("src", "lib") and rest else [first, *rest]
        for name in {first, parts[0]}:
            stem, dot, suffix = name.rpartition(".")
            if name in _SKIPPED or name.startswith("."):
                continue
            if not dot or len(parts) > 1:
                found.add(name)
            elif f".{suffix}" in _SUFFIXES.get(language, (f".{suffix}",)):
                found.add(stem)
    return frozenset(found)


def declared_dependencies(root: Path) -> frozenset[str]:
    """Names of the packages that manifests declare, in lower case with dashes as underscores."""
    names: set[str] = set()
    pyproject = _toml(root / "pyproject.toml")
    project = pyproject.get("project", {})
    if isinstance(project, dict):
        lists = [project.get("dependencies", [])]
        extras = project.get("optional-dependencies", {})
        lists += list(extras.values()) if isinstance(extras, dict) else []
        names |= {_first(line) for some in lists if isinstance(some, list) for line in some}
    poetry = pyproject.get("tool", {}).get("poetry", {}).get("dependencies", {})
    names |= {str(name) for name in poetry} if isinstance(poetry, dict) else set()
    for path in root.glob("requirements*.txt"):
        names |= {_first(line) for line in path.read_text("utf-8", "replace").splitlines()}
    names |= _node(root / "package.json")
    cargo = _toml(root / "Cargo.toml")
    for table in ("dependencies", "dev-dependencies"):
        names |= {str(name) for name in cargo.get(table, {})}
    return frozenset(name.lower().replace("-", "_") for name in names if name)


def _first(line: object) -> str:
    found = _NAME.match(str(line))
    return found[1] if found else ""


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}


def _node(path: Path) -> set[str]:
    try:
        data = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return set()
    tables = [data.get(key, {}) for key in ("dependencies", "devDependencies", "peerDependencies")]
    return {str(name) for table in tables if isinstance(table, dict) for name in table}
