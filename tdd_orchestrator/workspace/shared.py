"""Provide untracked files to the trees: links, a setup command, and detection of their changes."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from tdd_orchestrator import process
from tdd_orchestrator.model.errors import Refused, raise_if_of_machine
from tdd_orchestrator.workspace.folders import is_folder, remove
from tdd_orchestrator.workspace.project import editable_roots, site_packages_of
from tdd_orchestrator.workspace.tree import Tree

LOCK_FILES = (
    "requirements.txt", "requirements-dev.txt", "poetry.lock", "uv.lock", "Pipfile.lock", "pdm.lock",
    "package-lock.json", "yarn.lock", "pnpm-lock.yaml", "go.sum", "Cargo.lock", "Gemfile.lock",
    "composer.lock",
    "mix.lock", "pyproject.toml", "package.json",
)  # fmt: skip
"""The setup command runs again if one of these changed."""
PACKAGES = frozenset({".venv", "venv", "env", "node_modules", "vendor", "deps"})
"""Package folders of a setup command, which no run has a reason to change, unlike its other results."""
_CACHES = frozenset({".cache", ".vite", ".vite-temp", ".temp"})  # the last is Pest's
_BYTECODE = frozenset({"__pycache__"})


@dataclass(frozen=True, slots=True)
class Shared:
    """``links``: paths of the user's checkout linked into the trees; ``setup``: argv run once per tree."""

    checkout: Path
    links: tuple[str, ...] = ()
    setup: tuple[str, ...] = ()
    extra_python: tuple[str, ...] = ()
    environments: tuple[Path, ...] = ()  # Python environments that the test command may use

    def python_path(self) -> tuple[str, ...]:
        """Return folders, relative to a tree, that must precede editable installs on the path."""
        roots = list(self.extra_python)
        for environment in (*(self.checkout / name for name in self.links), *self.environments):
            packages = site_packages_of(environment)
            if packages is not None:
                roots.extend(root for root in editable_roots(packages, self.checkout) if root not in roots)
        return tuple(roots)

    def tree(self, path: Path, objects: Path) -> Tree:
        """Return the work tree at ``path``; cleaning it keeps links and results of the setup command."""
        return Tree(path, objects, (*self.links, *(self._made(path)[1] if self.setup else ())))

    def show_in(self, tree: Tree) -> None:
        for name in self.links:
            target = self.checkout / name
            if not target.exists():
                raise Refused(
                    f"workspace.link names '{name}', which is not in {self.checkout}.",
                    "Create it, or take it out of workspace.link in tdd.toml.",
                )
            tree.link(name, target)

    def set_up(
        self,
        tree: Tree,
        env: Mapping[str, str],
        *,
        run_marker: str,
        say: Callable[[str], None],
        sealed: bool = False,
        outside: process.Outside = nullcontext,
    ) -> None:
        """Run the setup command in a tree if it is new, lost results, or its lock files changed.

        With ``sealed`` also if a package folder changed: one run must not prepare the next. ``outside``
        is entered while it runs.
        """
        if not self.setup:
            return
        wanted = self._digest(tree.path)
        seen, made, seals = self._made(tree.path)
        broken = [name for name in made if sealed and _seal(tree.path, name) != seals.get(name, "")]
        if seen == wanted and not broken and all(os.path.lexists(tree.path / name) for name in made):
            return
        for name in broken:
            say(f"{name} is not as the setup command left it in {tree.path.name}: it is made anew")
            remove(tree.path / name)
        say(f"setting up {tree.path.name}: {' '.join(self.setup)}")
        limits = process.Limits(timeout=1800)
        with outside():
            done = process.run(
                self.setup, cwd=tree.path, env=env, limits=limits, merge=True, run_marker=run_marker
            )
        if done.exit_code != 0:
            tail = done.stdout.decode("utf-8", "replace").strip().splitlines()[-1:] or [done.error]
            raise Refused(
                f"The setup command failed in {tree.path}: {tail[0]}.",
                "Fix workspace.setup in tdd.toml, then run the same command again.",
            )
        tree.keep = self.links  # earlier results are made again
        made = tuple(tree.strangers())
        tree.keep = (*self.links, *made)
        seals = {name: _seal(tree.path, name) for name in made}
        stamp = {"setup": wanted, "made": made, "seals": seals}
        _stamp(tree.path).write_text(json.dumps(stamp), encoding="ascii")

    def _made(self, tree: Path) -> tuple[str, tuple[str, ...], dict[str, str]]:
        """Return (digest, results, seals) of the last setup in a tree; empty if it has not run."""
        try:
            stamp = json.loads(_stamp(tree).read_bytes())
            return str(stamp["setup"]), tuple(str(name) for name in stamp["made"]), dict(stamp["seals"])
        except (ValueError, TypeError, KeyError):
            return "", (), {}
        except OSError as error:
            raise_if_of_machine(error)
            return "", (), {}

    def _digest(self, tree: Path) -> str:
        digest = hashlib.sha256("\0".join(self.setup).encode())
        for name in LOCK_FILES:
            path = tree / name
            if path.is_file() and not path.is_symlink():
                digest.update(name.encode() + b"\0" + path.read_bytes())
        return digest.hexdigest()

    def fingerprint(self) -> dict[str, str]:
        """Return one digest per link of every file's size, time and inode, without bytecode caches."""
        return {name: _fingerprint(self.checkout / name, _CACHES | _BYTECODE) for name in self.links}


def _stamp(tree: Path) -> Path:
    return tree.parent / f"{tree.name}.setup"


def _seal(tree: Path, name: str) -> str:
    """Return the state of a package folder, bytecode included; '' for other or missing folders."""
    folder = tree / name
    packages = name.rsplit("/", 1)[-1] in PACKAGES and is_folder(folder)
    return _fingerprint(folder, _CACHES) if packages else ""


def _fingerprint(folder: Path, passed_over: frozenset[str]) -> str:
    digest = hashlib.sha256()
    pending = [os.fspath(folder)]
    if not folder.is_dir():
        facts = folder.stat()
        return f"{facts.st_size}-{facts.st_mtime_ns}"
    while pending:
        with os.scandir(pending.pop()) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                if entry.name in passed_over:
                    continue
                if entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)
                    continue
                facts = entry.stat(follow_symlinks=False)
                line = f"{entry.path}\0{facts.st_size}\0{facts.st_mtime_ns}\0{facts.st_ctime_ns}\n"
                digest.update(os.fsencode(line))
    return digest.hexdigest()
