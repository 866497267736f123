"""Find the names by which tests import a project's code, from manifests and package folders."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from tdd_orchestrator.model.errors import raise_if_of_machine
from tdd_orchestrator.workspace.folders import listed
from tdd_orchestrator.workspace.manifests import elements

SKIPPED = {".git", ".venv", "venv", "node_modules", "build", "dist", "target", ".tox",
           "__pycache__", "docs"}  # fmt: skip
_SKIPPED = SKIPPED | {"vendor"}  # a package manager's folder has its own manifests
_MANIFESTS_LIMIT = 200
_DEPTHS = 3  # the root, and two folders below it
_LARGEST = 4 << 20  # bytes of a manifest that are read
_GO_MODULE = re.compile(r'^module\s+"?([^\s"]+)', re.MULTILINE)
_GROUP = re.compile(r"""^\s*group\s*=?\s*\(?['"]([\w.-]+)['"]""", re.MULTILINE)
_GEM_NAME = re.compile(r"""\.name\s*=\s*['"]([\w.-]+)['"]""")
_ALIAS = re.compile(r'"([^"*\n]+)\*?"\s*:\s*\[\s*"(?![^"\n]*node_modules)')
_APP = re.compile(r"\bapp:\s*:(\w+)")
_JVM_SOURCE = re.compile(r"(?:^|/)src/\w+/(?:java|kotlin|groovy|scala)/(.+)/[^/]+\.(?:java|kt|groovy|scala)$")
_CODE_HOSTS = frozenset({"github", "gitlab", "bitbucket", "sourceforge", "codeberg"})


def own_names(root: Path, language: str) -> frozenset[str]:
    """Return the project's names in manifests of ``root`` and two folder levels below.

    A name owns what begins with it and a separator; one that ends with a separator covers all of the
    project's names.
    """
    found: set[str] = set()
    for pattern, named in _MANIFESTS.get(language, ()):
        for path in _manifests(root, pattern):
            found.update(name for name in named(text_of(path)) if name)
    return frozenset(found)


def packages_in(paths: Iterable[str], language: str) -> frozenset[str]:
    """Return the packages of sources by their owner's part: ``com.acme`` of ``com.acme.kata.money``."""
    if language not in ("java", "kotlin"):
        return frozenset()
    folders = {found[1] for path in paths if (found := _JVM_SOURCE.search(path))}
    return frozenset(_whose(folder.split("/")) for folder in folders)


def modules_in(paths: Iterable[str]) -> frozenset[str]:
    """Return the names by which Python can import the files, from any folder.

    The outermost package around each, the content of ``src``, else the file itself.
    """
    files = [path.split("/") for path in paths if path.endswith(".py")]
    packages = {tuple(parts[:-1]) for parts in files if parts[-1] == "__init__.py" and len(parts) > 1}
    return frozenset(_outermost(parts, packages) for parts in files if not SKIPPED & set(parts)) - {
        "__init__"
    }


def modules_of(root: Path, paths: Iterable[str]) -> tuple[str, ...]:
    """Return the project's modules that tests import, without names of the standard library."""
    places = (root, root / "src")
    names = {name for name in modules_in(paths) if name.isidentifier()} - sys.stdlib_module_names
    found = (
        name
        for name in names
        if any(
            (place / name / "__init__.py").is_file() or (place / f"{name}.py").is_file() for place in places
        )
    )
    return tuple(sorted(found))


def _outermost(parts: list[str], packages: set[tuple[str, ...]]) -> str:
    sources = parts.index("src") + 1 if "src" in parts else 0
    if 0 < sources < len(parts) - 1:
        return parts[sources]
    depth = len(parts) - 1
    while depth and tuple(parts[:depth]) in packages:
        depth -= 1
    return parts[depth].removesuffix(".py")


def _whose(package: list[str]) -> str:
    hosted = len(package) > 1 and package[1] in _CODE_HOSTS
    return ".".join(package[: 3 if hosted else 2])


def _manifests(root: Path, pattern: str) -> Iterator[Path]:
    count = 0
    level = [root]
    for _ in range(_DEPTHS):
        for path in (path for folder in level for path in listed(folder, pattern)):
            if path.is_file() and not path.is_symlink():
                yield path
                count += 1
            if count >= _MANIFESTS_LIMIT:
                return
        level = [
            path for folder in level for path in listed(folder) if path.name not in _SKIPPED and path.is_dir()
        ]


def _crate(text: str) -> Iterator[str]:
    manifest = loaded(text, tomllib.loads)
    for key in ("package", "lib"):
        yield _string(table(manifest, key).get("name")).replace("-", "_")


def _package(text: str) -> Iterator[str]:
    yield _string(table(loaded(text, json.loads)).get("name"))


def _namespaces(text: str) -> Iterator[str]:
    manifest = loaded(text, json.loads)
    for key in ("autoload", "autoload-dev"):
        for standard in ("psr-4", "psr-0"):
            yield from table(manifest, key, standard)


def _group_id(text: str) -> Iterator[str]:
    """Yield the project's group id; its parent's if it has none."""
    pom = table(loaded(text, elements))
    own = _texts(pom.get("groupId", ()))
    yield from own[:1] or [name for parent in pom.get("parent", ()) for name in _texts(parent[-1])][:1]


def _texts(elements: Iterable[tuple[Any, ...]]) -> list[str]:
    """Return the texts of the ``groupId`` elements."""
    return [text for tag, _, text, _ in elements if tag == "groupId" and text]


def _app(text: str) -> Iterator[str]:
    for name in _APP.findall(text)[:1]:
        yield "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def _by(pattern: re.Pattern[str]) -> Callable[[str], Iterator[str]]:
    return lambda text: iter(pattern.findall(text)[:1])


def _aliases(text: str) -> Iterator[str]:
    """Yield TypeScript's path aliases: ``@app/`` of ``"@app/*": ["./src/*"]``."""
    yield from _ALIAS.findall(text.partition('"paths"')[2].partition("}")[0])


_Named = Callable[[str], Iterator[str]]
_NODE: tuple[tuple[str, _Named], ...] = (
    ("package.json", _package),
    ("tsconfig*.json", _aliases),
    ("jsconfig.json", _aliases),
)
_JVM: tuple[tuple[str, _Named], ...] = (
    ("pom.xml", _group_id),
    ("build.gradle", _by(_GROUP)),
    ("build.gradle.kts", _by(_GROUP)),
)
_MANIFESTS: dict[str, tuple[tuple[str, _Named], ...]] = {
    "rust": (("Cargo.toml", _crate),),
    "go": (("go.mod", _by(_GO_MODULE)),),
    "javascript": _NODE,
    "typescript": _NODE,
    "php": (("composer.json", _namespaces),),
    "ruby": (("*.gemspec", _by(_GEM_NAME)),),
    "java": _JVM,
    "kotlin": _JVM,
    "elixir": (("mix.exs", _app),),
}


def table(data: Any, *keys: str) -> dict[Any, Any]:
    """Return the table at the end of the keys; an empty one if the manifest has another shape."""
    for key in keys:
        data = data.get(key) if isinstance(data, dict) else None
    return data if isinstance(data, dict) else {}


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""


def text_of(path: Path) -> str:
    """Return a manifest's text; '' if it is no file, or unreadable. Raises OSError if the machine failed."""
    try:
        if not path.is_file():
            return ""
        with path.open("rb") as file:
            return file.read(_LARGEST).decode("utf-8", "replace")
    except OSError as error:
        raise_if_of_machine(error)
        return ""


def loaded(text: str, loads: Callable[[str], Any]) -> Any:
    """Return the parsed manifest; None if it does not parse."""
    try:
        return loads(text)
    except (ValueError, RecursionError):
        return None
