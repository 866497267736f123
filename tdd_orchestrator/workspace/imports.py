"""Detect editable installs: a ``.venv`` that imports the user's checkout instead of the work tree.

Found in the files that pip, uv, poetry and setuptools leave in site-packages; fixed by putting the same
folders of the work tree first on PYTHONPATH (``.pth`` entries and import hooks come after it).
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlparse

from tdd_orchestrator.model.errors import raise_if_of_machine
from tdd_orchestrator.workspace.folders import listed

_QUOTED = re.compile(r"['\"]((?:/|[A-Za-z]:\\)[^'\"\n]+)['\"]")


def editable_roots(site_packages: Path, checkout: Path) -> tuple[str, ...]:
    """Return the folders of the checkout (relative, '.' for its root) that site-packages points to."""
    real = checkout.resolve()
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
