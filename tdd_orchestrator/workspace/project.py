"""Read from a project's files what it defines, declares and imports from. Runs nothing."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

from tdd_orchestrator.model.errors import raise_if_of_machine
from tdd_orchestrator.workspace.folders import listed
from tdd_orchestrator.workspace.project_modules import (
    SKIPPED,
    loaded,
    modules_in,
    own_names,
    packages_in,
    table,
    text_of,
)

_QUOTED = re.compile(r"['\"]((?:/|[A-Za-z]:\\)[^'\"\n]+)['\"]")


def editable_roots(site_packages: Path, checkout: Path) -> tuple[str, ...]:
    """Return the folders of the checkout (relative, '.' for its root) that site-packages points to."""
    try:
        written = site_packages.stat().st_mtime_ns  # pip writes new files, so an installation shows here
    except OSError as error:
        raise_if_of_machine(error)
        return ()
    return _editable_roots(site_packages, checkout.resolve(), written)


@lru_cache(
    maxsize=16
)  # asked before each run, and a package folder has a file or two of each of 100 packages
def _editable_roots(site_packages: Path, real: Path, written: int) -> tuple[str, ...]:
    found: list[str] = []
    for path in _mentioned(site_packages):
        try:
            relative = Path(os.path.realpath(path)).relative_to(real)
        except (ValueError, OSError):
            continue
        inside = relative.as_posix()
        if any(part in (".venv", "venv", "node_modules", "site-packages") for part in relative.parts):
            continue
        if inside not in found:
            found.append(inside)
    return tuple(found)


def site_packages_of(environment: Path) -> Path | None:
    """Return the site-packages folder of a virtual environment."""
    folders = (*listed(environment / "lib", "python3*"), environment / "Lib")
    return next((place for folder in folders for place in listed(folder, "site-packages")), None)


_COMMON = frozenset({"tests", "test", "src", "docs", "examples", "scripts", "utils", "tools"})
"""Folders that packages install by mistake, and that any project may have."""


def installed(environment: Path) -> frozenset[str]:
    """Return the importable modules in an environment's site-packages."""
    packages = site_packages_of(environment)
    entries = listed(packages) if packages else ()
    names = {
        entry.name.split(".")[0]
        for entry in entries
        if entry.is_dir() or entry.suffix in (".py", ".so", ".pyd")
    }
    return frozenset(name for name in names - _COMMON if name.isidentifier() and not name.startswith("__"))


def linked_packages(node_modules: Path, checkout: Path) -> tuple[str, ...]:
    """Return packages in ``node_modules`` that link into the checkout (workspaces, ``npm link``)."""
    real = checkout.resolve()
    found = []
    folders = (
        [node_modules, *(p for p in node_modules.glob("@*") if p.is_dir())] if node_modules.is_dir() else []
    )
    for folder in folders:
        for entry in folder.iterdir():
            if entry.is_symlink():
                target = Path(os.path.realpath(entry))
                if target.is_relative_to(real) and "node_modules" not in target.relative_to(real).parts:
                    found.append(entry.relative_to(node_modules).as_posix())
    return tuple(sorted(found))


def _mentioned(site_packages: Path) -> Iterator[str]:
    for path in (*listed(site_packages, "*.pth"), *listed(site_packages, "*.egg-link")):
        for line in _lines(path):
            if line and not line.startswith(("import ", "import\t", "#")):
                yield line if os.path.isabs(line) else str(site_packages / line)
    for path in listed(site_packages, "__editable__*finder.py"):
        for line in _lines(path):
            if line.startswith(("MAPPING", "NAMESPACES")):
                # the mapping names packages; their folder must be importable
                yield from (os.path.dirname(quoted) for quoted in _QUOTED.findall(line))
    for folder in listed(site_packages, "*.dist-info"):
        yield from _direct_url(folder / "direct_url.json")


def _direct_url(path: Path) -> Iterator[str]:
    try:
        data = json.loads("\n".join(_lines(path)) or "{}")
        if data.get("dir_info", {}).get("editable"):
            folder = unquote(urlparse(str(data.get("url", ""))).path)
            yield str(Path(folder) / "src") if (Path(folder) / "src").is_dir() else folder
    except (ValueError, AttributeError):
        return


def _lines(path: Path) -> list[str]:
    try:
        return [
            line.strip() for line in path.read_text(encoding="utf-8", errors="replace").splitlines()[:2000]
        ]
    except OSError as error:
        raise_if_of_machine(error)
        return []


_NAME = re.compile(r"^\s*([A-Za-z0-9][A-Za-z0-9._-]*)")


def project_names(root: Path, language: str) -> frozenset[str]:
    """Return the project's top-level modules and packages (in the root and in ``src``).

    For other languages: the names of folders, files and manifests that begin an import path.
    """
    found: set[str] = {*own_names(root, language), *packages_in(_sources(root), language)}
    for base in (root, *(root / name for name in _BASES)):
        for entry in listed(base):
            if entry.name in SKIPPED or entry.name.startswith("."):
                continue
            if os.path.isdir(entry):
                found.add(entry.name)
            elif entry.suffix in _SUFFIXES.get(language, (entry.suffix,)):
                found.add(entry.stem)
    return frozenset(found)


def _sources(root: Path) -> Iterator[str]:
    """Yield the paths in the ``src`` folders of a project and its modules."""
    for base in (root, *sorted(root.glob("*/")), *sorted(root.glob("*/*/"))):
        if not SKIPPED & set(base.relative_to(root).parts) and "src" not in base.relative_to(root).parts:
            yield from (path.relative_to(root).as_posix() for path in base.glob("src/*/*/**/*.*"))


_BASES = ("src", "lib", "include")
_GEM = re.compile(r"""^\s*(?:gem|\w+\.add(?:_\w+)?_dependency)\b[\s(]*['"]([\w.-]+)['"]""", re.MULTILINE)
_SUFFIXES = {"python": (".py",)}


def names_in(paths: Iterable[str], language: str) -> frozenset[str]:
    """Return the same names from the paths of a commit, without manifests."""
    paths = list(paths)
    found: set[str] = {*packages_in(paths, language), *(modules_in(paths) if language == "python" else ())}
    for path in paths:
        first, *rest = path.split("/")
        parts = rest if first in _BASES and rest else [first, *rest]
        for name in {first, parts[0]}:
            stem, dot, suffix = name.rpartition(".")
            if name in SKIPPED or name.startswith("."):
                continue
            if not dot or len(parts) > 1:
                found.add(name)
            elif f".{suffix}" in _SUFFIXES.get(language, (f".{suffix}",)):
                found.add(stem)
    return frozenset(found)


_MODULES = {"python": ".py", "ruby": ".rb", "perl": ".pm", "lua": ".lua"}
_TOOLS = frozenset({"setup", "conftest", "noxfile", "tasks", "manage", "fabfile", "dodo"})
_PACKAGED = (".gemspec", ".rockspec")


def has_modules(paths: Iterable[str], language: str) -> bool:
    """Whether a project without its tests (``paths``) has top-level modules, or is empty.

    Then a missing module may be one to come. A project of packages only imports its own modules by
    package.
    """
    suffix = _MODULES.get(language)
    if suffix is None:
        return True
    paths = list(paths)
    if language == "ruby" and any("/" not in path and path.endswith(_PACKAGED) for path in paths):
        return False
    code = [path.split("/") for path in paths if path.endswith(suffix)]
    code = [parts for parts in code if len(parts) > 1 or parts[0].removesuffix(suffix) not in _TOOLS]
    top = [parts for parts in code if len(parts) == 1 or (len(parts) == 2 and parts[0] in _BASES)]
    return bool(top) or not code


def declared_dependencies(root: Path) -> frozenset[str]:
    """Return the declared packages, in lower case with dashes as underscores."""
    pyproject, cargo = (
        _loaded(root / "pyproject.toml", tomllib.loads),
        _loaded(root / "Cargo.toml", tomllib.loads),
    )
    package = _loaded(root / "package.json", json.loads)
    extras = table(pyproject, "project", "optional-dependencies")
    lists = [table(pyproject, "project").get("dependencies"), *extras.values()]
    names = {_first(line) for some in lists if isinstance(some, list) for line in some}
    names |= set(table(pyproject, "tool", "poetry", "dependencies"))
    for path in root.glob("requirements*.txt"):
        names |= {_first(line) for line in text_of(path).splitlines()}
    for key in ("dependencies", "devDependencies", "peerDependencies"):
        names |= set(table(package, key))
    for key in ("dependencies", "dev-dependencies"):
        names |= set(table(cargo, key))
    for path in (root / "Gemfile", *listed(root, "*.gemspec")):
        names |= set(_GEM.findall(text_of(path)))
    return frozenset(str(name).lower().replace("-", "_") for name in names if name)


def _first(line: object) -> str:
    found = _NAME.match(str(line))
    return found[1] if found else ""


def _loaded(path: Path, loads: Callable[[str], Any]) -> Any:
    return loaded(text_of(path), loads)
