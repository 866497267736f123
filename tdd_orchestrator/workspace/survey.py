"""Inspect a repository: shared folders, origin of its modules, programs that are missing."""

from __future__ import annotations

import json
import os
import shutil
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tdd_orchestrator import process
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.workspace.project import linked_packages

LINKABLE = (".venv", "venv", "node_modules", ".env", "vendor/bundle")
"""Untracked files that tests commonly need, and that a work tree may share with the checkout."""

_LOCKS = {"pnpm": "pnpm-lock.yaml", "yarn": "yarn.lock", "bun": "bun.lock"}


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the test command's Python finds a project module: in its own tree, or elsewhere."""

    module: str
    path: str
    inside: bool


def ignored_of(git: Git, names: list[str]) -> frozenset[str]:
    """Return those of the names that git ignores."""
    if not names:
        return frozenset()
    given = "\0".join(names).encode()
    found = git.run("check-ignore", "-z", "--stdin", stdin=given, ok=(0, 1))
    return frozenset(found.decode("utf-8", "surrogateescape").split("\0")) - {""}


def linkable(root: Path, git: Git) -> tuple[str, ...]:
    """Return what exists here without being tracked: those, and the sources that a build wrote. What is
    tracked is in every tree."""
    present = [name for name in LINKABLE if (root / name).exists()]
    there = tuple(name for name in present if not git.run("ls-files", "-z", "--", name))
    return (*there, *_generated(root, git))


def _generated(root: Path, git: Git) -> list[str]:
    """Return the source files that pyproject.toml names and git ignores, such as the `version-file` of hatch-vcs
    or setuptools-scm: an installation wrote them, and the package does not load without them."""
    try:
        tools = tomllib.loads((root / "pyproject.toml").read_text("utf-8")).get("tool", {})
    except (OSError, ValueError):
        return []
    named = {text for text in _texts(tools) if text.endswith(".py") and (root / text).is_file()}
    return sorted(ignored_of(git, [text for text in named if not Path(text).is_absolute()]))


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)


def origins(
    modules: tuple[str, ...], tree: Path, interpreter: str, env: Mapping[str, str]
) -> tuple[Origin, ...]:
    """Ask the tests' interpreter, started in ``tree``, where it imports each module from."""
    program = (
        "import importlib.util as u, json, sys\n"
        "found = {}\n"
        "for name in json.loads(sys.argv[1]):\n"
        "    try:\n"
        "        spec = u.find_spec(name)\n"
        "    except Exception as error:\n"
        "        found[name] = ''\n"
        "        continue\n"
        "    where = (spec.origin or next(iter(spec.submodule_search_locations or []), '')) if spec else ''\n"
        "    found[name] = where\n"
        "print(json.dumps(found))\n"
    )
    done = process.run(
        [interpreter, "-c", program, json.dumps(list(modules))],
        cwd=tree,
        env=env,
        limits=process.Limits(timeout=30),
    )
    try:
        paths = json.loads(done.stdout.decode("utf-8", "replace").strip().splitlines()[-1])
    except (ValueError, IndexError):
        return ()
    real = tree.resolve()
    found = []
    for name, path in paths.items():
        if path and path not in ("built-in", "frozen", "namespace"):
            found.append(Origin(name, path, Path(path).resolve().is_relative_to(real)))
    return tuple(found)


def lacks(module: str, folder: Path, interpreter: str) -> bool:
    """Whether an interpreter that can be asked has no such module."""
    program = "import importlib.util as u, sys; print(u.find_spec(sys.argv[1]) is None)"
    return _asked(interpreter, program, module, folder) == b"True"


def _managed_elsewhere(folder: Path, interpreter: str) -> bool:
    """Whether pip refuses to install for an interpreter, as the system's packages are another tool's (PEP 668)."""
    program = (
        "import os, sys, sysconfig as s; print(sys.prefix == sys.base_prefix and "
        "os.path.exists(os.path.join(s.get_path('stdlib'), 'EXTERNALLY-MANAGED')))"
    )
    return _asked(interpreter, program, "", folder) == b"True"


def _asked(interpreter: str, program: str, argument: str, folder: Path) -> bytes:
    done = process.run(
        [interpreter, "-c", program, argument],
        cwd=folder,
        env=dict(os.environ),
        limits=process.Limits(timeout=30),
    )
    return done.stdout.strip()


def workspaces_linked(root: Path) -> tuple[str, ...]:
    return linked_packages(root / "node_modules", root)


def interpreter_of(command: tuple[str, ...], tree: Path) -> str:
    """The Python that a command runs, where it names one; else the one that stands beside the program."""
    program = Path(command[0])
    if program.name.startswith("python"):
        return str(tree / program) if "/" in command[0] and not program.is_absolute() else command[0]
    beside = shutil.which(command[0])
    candidate = Path(beside).parent / "python" if beside else None
    return str(candidate) if candidate and candidate.exists() else ""


def missing_runner(root: Path, command: tuple[str, ...], module: str) -> str:
    """Why the Python of a test command cannot run ``module``; empty where it can, or where that is not
    known."""
    interpreter = interpreter_of(command, root)
    if not interpreter or not lacks(module, root, interpreter):
        return ""
    what = f"{module} is not installed for {interpreter}. Install it"
    if _managed_elsewhere(root, interpreter):
        venv = f"{interpreter} -m venv .venv && .venv/bin/python -m pip install {module}"
        return f"{what} in an environment of the project: {venv}"
    return f"{what}: {interpreter} -m pip install {module}"


def module_missing(folder: Path, language: str, command: tuple[str, ...]) -> str:
    """Why the Python of a test command cannot run the module that it names after ``-m``; empty as
    :func:`missing_runner` is."""
    named = command[command.index("-m") + 1 :][:1] if language == "python" and "-m" in command else ()
    return missing_runner(folder, command, named[0]) if named else ""


def packages_missing(folder: Path, language: str, command: Sequence[str] = ()) -> str:
    """Return why the tests of a Node or PHP project cannot run: its dependencies are not installed; '' if
    they are. A ``command`` of a package manager of Node's says the language by itself."""
    if command and command[0] in ("npm", "pnpm", "yarn", "bun"):
        language = "javascript"
    if language not in _PACKAGES:
        return ""
    name, keys, places = _PACKAGES[language]
    try:
        manifest = json.loads((folder / name).read_text("utf-8"))
        wanted = [package for key in keys for package in manifest.get(key) or ()]
        if "vendor-dir" in (manifest.get("config") or ()):
            return ""  # Composer puts them elsewhere
    except (OSError, ValueError, AttributeError, TypeError):
        return ""
    wanted = [one for one in wanted if name != "composer.json" or "/" in one]  # php and ext-* are no packages
    above = [folder, *folder.parents][:3]  # a package of a workspace has its packages further up
    if not wanted or any((one / place).exists() for one in above for place in places):
        return ""
    return f"The packages of {name} are not installed. Install them: {_installer(folder, name)} install"


_PACKAGES = {
    "javascript": ("package.json", ("dependencies", "devDependencies"), ("node_modules", ".pnp.cjs")),
    "php": ("composer.json", ("require", "require-dev"), ("vendor",)),
}
"""By language: the manifest, the keys of its dependencies, and where these are installed."""


def _installer(folder: Path, manifest: str) -> str:
    if manifest == "composer.json":
        return "composer"
    return next((name for name, lock in _LOCKS.items() if (folder / lock).exists()), "npm")


def unshareable(root: Path, git: Git) -> dict[str, tuple[str, str]]:
    """Return the folders of packages that lead back into the checkout, so that a work tree that shared them
    would test the user's files: each with the reason, and the command that makes it anew."""
    found = {}
    if (root / "vendor" / "composer" / "autoload_real.php").is_file():
        why = "Composer's autoloader looks for the project's classes beside it"
        found["vendor"] = (why, "composer install")
    packages = workspaces_linked(root)
    if packages:
        tool = _installer(root, "package.json")
        why = f"it links {', '.join(packages[:3])} back into your checkout"
        found["node_modules"] = (why, "npm ci" if tool == "npm" else f"{tool} install")
    return {name: found[name] for name in ignored_of(git, list(found)) if name in found}


def not_there(
    command: Sequence[str], folder: Path, path: str | None, whose: str = "of the test command"
) -> str:
    """Return why the first word of ``command`` cannot start in ``folder``; '' if it can.

    ``path``: the PATH of the command (None: ours); a word with a slash is relative to ``folder``.
    """
    program = command[0]
    if os.path.sep not in program:
        if shutil.which(program, path=path):
            return ""
        other = "; python3 is" if program == "python" and shutil.which("python3", path=path) else ""
        return f"The program {whose} is not there: {program}{other}."
    place = folder / program
    if not place.exists():
        return f"The program {whose} is not there: {program}."
    if not place.is_file() or not os.access(place, os.X_OK):
        return f"The program {whose} may not be run: {program} (chmod +x makes a script one)."
    return ""
