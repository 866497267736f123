"""Look through commands such as ``make test`` or ``npm test`` to the runner that they start, and find the
scripts that they read on the way (T10).
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

_READ_LIMIT = 1 << 20


class Reach(StrEnum):
    """What passes through a command to the runner behind it."""

    DIRECT = "direct"  # arguments and environment
    SCRIPT = "script"  # the same; npm wants ``--`` before arguments
    WRAPPER = "wrapper"  # environment only
    OPAQUE = "opaque"  # neither: a container, tox


@dataclass(frozen=True, slots=True)
class Inside:
    """A command that a wrapper runs, as text; ``by``: the file it was found in."""

    text: str
    by: str


@dataclass(frozen=True, slots=True)
class Wrapper:
    """One kind of wrapper: how a command names it, what it runs, and what passes through it."""

    name: str
    words: re.Pattern[str]
    inside: Callable[[Path, re.Match[str]], list[Inside]]
    reach: Reach


def text_of(path: Path) -> str:
    """Return the text of a regular file, at most 1 MiB; empty if there is none."""
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        return file.read(_READ_LIMIT).decode("utf-8", "replace")


def _make(root: Path, found: re.Match[str]) -> list[Inside]:
    for name in ("GNUmakefile", "makefile", "Makefile"):
        text = text_of(root / name)
        if text:
            target = next((word for word in found.group(1).split() if _is_target(word)), "")
            return [Inside(_recipe(text, target), name)]
    return []


def _is_target(word: str) -> bool:
    return not word.startswith("-") and "=" not in word


_DEEPEST = 4  # dependencies of a target that are followed


def _recipe(text: str, target: str) -> str:
    """Return the recipe of a target (or the first) and its dependencies, with variables filled in."""
    rules: dict[str, tuple[str, list[str]]] = {}
    variables: dict[str, str] = {}
    names: list[str] = []
    for line in text.splitlines():
        if line.startswith("\t"):
            for name in names:
                rules[name][1].append(line.strip().lstrip("@-+"))
        elif assigned := re.match(r"^(?:export\s+)?([\w.]+)\s*[:?+]?=\s*(.*)$", line):
            variables[assigned.group(1)] = assigned.group(2)
        elif ruled := re.match(r"^([\w./ %-]+):(?!=)([^#]*)", line):
            names = ruled.group(1).split()
            for name in names:
                rules.setdefault(name, (ruled.group(2), []))
    first = target or next((name for name in rules if not name.startswith(".")), "")

    def collect(name: str, left: int) -> list[str]:
        needs, recipe = rules.get(name, ("", []))
        before = [line for need in needs.split() if left for line in collect(need, left - 1)]
        return before + recipe

    recipe = "\n".join(collect(first, _DEEPEST))
    for _ in range(3):
        recipe = re.sub(r"\$[({](\w+)[)}]", lambda m: variables.get(m.group(1), m.group(0)), recipe)
    return recipe


_NPM_RUN = re.compile(
    r"\b(?:npm|pnpm|yarn|bun)\s+(?:-\S+\s+)*(?:run(?:-script)?\s+)?(?:-\S+\s+)*([\w:.-]+)(?:\s+--)?"
)


def count_script_words(command: Sequence[str]) -> int:
    """Return how many words of a command say which script of package.json it runs; 0 where it runs none."""
    line = " ".join(command)
    found = _NPM_RUN.match(line)
    return len(line[: found.end(1)].split()) if found else 0


def _scripts(root: Path, found: re.Match[str]) -> list[Inside]:
    """Return a script of package.json, last, and what npm runs before and after it."""
    text = text_of(root / "package.json")
    try:
        scripts = json.loads(text).get("scripts", {}) if text else {}
        texts = {name: run for name, run in scripts.items() if isinstance(run, str)}
    except (ValueError, AttributeError):
        return []
    name = found.group(1)
    order = (f"pre{name}", f"post{name}", name) if name in texts else ()
    return [Inside(_expanded(one, texts, {name}), "package.json") for one in order if one in texts]


def _expanded(name: str, scripts: Mapping[str, str], seen: Set[str]) -> str:
    """Return the text of a script, with the scripts that it runs, and what npm runs around those, filled in."""

    def inside(found: re.Match[str]) -> str:
        other = found[1]
        if other not in scripts or other in seen:
            return found[0]
        around = [one for one in (f"pre{other}", other, f"post{other}") if one in scripts]
        return " && ".join(_expanded(one, scripts, {*seen, other}) for one in around)

    return _NPM_RUN.sub(inside, scripts[name])


def _just(root: Path, found: re.Match[str]) -> list[Inside]:
    for name in ("justfile", "Justfile", ".justfile"):
        text = text_of(root / name)
        if text:
            body = re.search(
                rf"(?m)^@?{re.escape(found.group(1))}\b[^\n:]*:[^\n]*\n((?:[ \t]+[^\n]*\n?|\n)*)", text
            )
            return [Inside(body.group(1) if body else text, name)]
    return []


def _files(*names: str) -> Callable[[Path, re.Match[str]], list[Inside]]:
    def inside(root: Path, found: re.Match[str]) -> list[Inside]:
        texts = [(name, text_of(root / name)) for name in names]
        return [Inside(text, name) for name, text in texts if text]

    return inside


def _tox(root: Path, found: re.Match[str]) -> list[Inside]:
    known = (("tox.ini", r"(?m)^commands\s*=((?:[^\n]*\n?)(?:[ \t]+[^\n]*\n?)*)"),
             ("tox.toml", r"(?s)commands\s*=\s*(\[.*?\]\s*\])"),
             ("pyproject.toml", r"(?s)commands\s*=\s*(\[.*?\]\s*\]|\".*?\"|'.*?')"),
             ("setup.cfg", r"(?m)^commands\s*=((?:[^\n]*\n?)(?:[ \t]+[^\n]*\n?)*)"))  # fmt: skip
    bodies = [(name, re.findall(pattern, text_of(root / name))) for name, pattern in known]
    return [Inside(_unquoted("\n".join(body)), name) for name, body in bodies if body]


def _nox(root: Path, found: re.Match[str]) -> list[Inside]:
    runs = re.findall(r"\.run\(([^)]*)\)", text_of(root / "noxfile.py"))
    return [Inside(_unquoted("\n".join(runs)), "noxfile.py")] if runs else []


def _unquoted(text: str) -> str:
    """Return ``'pytest', '-q'`` or ``[["pytest"]]`` as words of a command line."""
    return re.sub(r"[\[\]\"',]+", " ", text)


_SCRIPT_FILE = "shell script"
_HEAD = r"(?:^|[;&|]\s*|\s)"
WRAPPERS = (
    Wrapper("docker", re.compile(_HEAD + r"(?:docker[ -]compose|docker|podman)\s+(.*)"),
            _files("docker-compose.yml", "docker-compose.yaml", "compose.yml", "compose.yaml", "Dockerfile"),
            Reach.OPAQUE),
    Wrapper("tox", re.compile(_HEAD + r"(?:python\S*\s+-m\s+)?tox\b(.*)"), _tox, Reach.OPAQUE),
    Wrapper("nox", re.compile(_HEAD + r"(?:python\S*\s+-m\s+)?nox\b(.*)"), _nox, Reach.WRAPPER),
    Wrapper("make", re.compile(_HEAD + r"g?make\b(.*)"), _make, Reach.WRAPPER),
    Wrapper("just", re.compile(_HEAD + r"just\s+(?:-\S+\s+)*([\w-]+)"), _just, Reach.WRAPPER),
    Wrapper("task", re.compile(_HEAD + r"task\s+(\S+)"), _files("Taskfile.yml", "Taskfile.yaml"),
        Reach.WRAPPER),
    Wrapper("script", re.compile(
            _HEAD + r"(?:npm|pnpm|yarn|bun)\s+(?:-\S+\s+)*(?:run(?:-script)?\s+)?(?:-\S+\s+)*"
                                 r"(?!exec\b|dlx\b|x\b|node\b)([\w:.-]+)"), _scripts, Reach.SCRIPT),
    Wrapper(_SCRIPT_FILE, re.compile(r"^(?:(?:ba|z|da)?sh\s+)?(?:-\w+\s+)*(\.?/?[\w./-]+(?:\.sh)?)(?:\s|$)"),
            lambda root, found: _shell(root, found), Reach.WRAPPER),
)  # fmt: skip


def _shell(root: Path, found: re.Match[str]) -> list[Inside]:
    """Return the text of the repository's shell script that begins the command."""
    name = found.group(1)
    if name.startswith("/") or ("/" not in name and not name.endswith(".sh")):
        return []
    text = text_of(root / name)
    first = text.split("\n", 1)[0]
    is_shell = name.endswith((".sh", ".bash")) or (
        first.startswith("#!") and re.search(r"\b(?:ba|da|z|k)?sh\b", first)
    )
    return [Inside(text, name)] if text and is_shell else []


def unwrap(command: str, root: Path) -> tuple[Wrapper, list[Inside]] | None:
    """Return the wrapper that a command names and the commands it runs; None for no wrapper."""
    for wrapper in WRAPPERS:
        found = wrapper.words.search(command)
        if found and (inside := wrapper.inside(root, found)):
            return wrapper, inside
    return None


def names_runner(text: str, words: Sequence[str]) -> bool:
    return any(re.search(pattern, text, re.MULTILINE) for pattern in words)


def reach(command: Sequence[str], root: Path, words: Sequence[str]) -> Reach:
    """Return what passes to a runner whose command lines match ``words``: arguments, environment, neither."""
    line = shlex.join(command)
    if len(command) > 1 and command[0].rsplit("/", 1)[-1] in _SHELLS:
        return Reach.OPAQUE if re.search(r"\b(?:docker|podman|tox)\b", line) else Reach.WRAPPER
    found = unwrap(line, root)
    if found is None:
        return Reach.DIRECT if names_runner(line, words) else Reach.WRAPPER
    wrapper, inside = found
    if wrapper.name == _SCRIPT_FILE and names_runner(line, words):
        return Reach.DIRECT  # ./gradlew and the like: the runner's own launcher
    if wrapper.reach is not Reach.SCRIPT:
        return wrapper.reach
    last = re.split(r"&&|;|\|", inside[-1].text)[-1]
    return Reach.SCRIPT if names_runner(last.strip(), words) else Reach.WRAPPER


_MAX_DEPTH = 4  # scripts that start scripts
_INTERPRETERS = frozenset({
    "sh", "bash", "zsh", "dash", "node", "tsx", "ts-node", "bun", "deno", "python", "python3", "ruby", "perl",
    "php", "lua", "tclsh", "Rscript", "source", ".", "env", "time", "exec", "npx", "uv", "poetry", "bundle",
    "run",
})  # fmt: skip
_VERSION = re.compile(r"(?<=python)\d[\d.]*$")
_SCRIPT_NAME = re.compile(
    r"(?:^|[/_.-])(?:scripts?|tools?|ci|tests?|checks?|verify|run|all|spec)(?:[/_.-]|$)", re.IGNORECASE
)
"""Only files named like scripts count: a command may also start the program under test."""
_INCLUDED = {
    "make": re.compile(r"(?m)^ *[-s]?include[ \t]+([^#\n]+)"),
    "just": re.compile(r"(?m)^import\??[ \t]+(['\"][^'\"\n]+['\"])"),
    "task": re.compile(r"(?m)^[ \t]+\w+:[ \t]*(['\"]?\./[^\s'\"]+)"),
}
"""How a wrapper's file includes another file."""
_SOURCED = re.compile(
    r"(?m)(?:^|[;&|({]|\bthen|\bdo|\belse)[ \t]*(?:\.|source)[ \t]+([^\s;&|#]+(?:[ \t]+\"\$0\"\)[^\s;&|#]*)?)"
)
_SHELLS = frozenset({"sh", "bash", "zsh", "dash"})
_SHARED = frozenset({"package.json", "pyproject.toml", "setup.cfg"})
"""Files of which a wrapper reads some keys; the guard compares those (``config_keys``)."""
_IMPORTED = re.compile(r"(?m)^(?:from|import)[ \t]+(\w+)")
_BETWEEN = re.compile(r"&&|\|\||[;|\n]")


def scripts_behind(command: Sequence[str], root: Path, cwd: str = "", words: Sequence[str] = ()) -> set[str]:
    """Return paths of scripts that the command starts, directly, through wrappers or each other.

    Included files count too; files that are only arguments do not. ``words``: patterns of the runner's
    command lines; a script without one may source the code under test, which does not count.
    """
    found: set[str] = set()
    texts = [command[2] if _is_shell(command) else shlex.join(command)]
    for _ in range(_MAX_DEPTH):
        texts = list(_next(texts, root / cwd, found, words))
    return {os.path.normpath(os.path.join(cwd, path)) for path in found}


def _is_shell(command: Sequence[str]) -> bool:
    return len(command) == 3 and command[0].rsplit("/", 1)[-1] in _SHELLS and command[1] == "-c"


def _next(texts: Sequence[str], folder: Path, found: set[str], words: Sequence[str]) -> Iterator[str]:
    for text in texts:
        for wrapper, insides in filter(None, (unwrap(one, folder) for one in _BETWEEN.split(text))):
            yield from (inside.text for inside in insides)
            found.update({inside.by for inside in insides} - _SHARED if wrapper.name != _SCRIPT_FILE else ())
            for inside in insides if wrapper.name in _INCLUDED else ():
                _include(folder, inside.by, _INCLUDED[wrapper.name], found)
        for path in _started(text, folder):
            if path not in found:
                found.add(path)
                script = text_of(folder / path)
                _read_in(folder, path, script, found, words)
                yield script


def _read_in(folder: Path, path: str, script: str, found: set[str], words: Sequence[str]) -> None:
    """Add the files that a script reads: shell scripts before the runner starts, Python modules beside it."""
    if path.endswith(".py"):
        beside = os.path.dirname(path)
        modules = (f"{beside}/{name}.py" for name in _IMPORTED.findall(script) if beside)
        found.update(one for one in modules if (folder / one).is_file())
    elif names_runner(script, words):
        _include(folder, path, _SOURCED, found)


def _include(folder: Path, path: str, named: re.Pattern[str], found: set[str]) -> None:
    """Add the files that a file includes, and those that they include."""
    waiting, seen = [path], {path}
    while waiting:
        one = waiting.pop()
        for words in named.findall(text_of(folder / one)):
            for word in words.split():
                fresh = {*_places(folder, os.path.dirname(one), word)} - seen
                seen |= fresh
                found |= fresh
                waiting += fresh


def _places(folder: Path, beside: str, word: str) -> Iterator[str]:
    """Yield the files that a word may mean, from the command's folder or the naming file's.

    A variable may stand for either folder.
    """
    tail = (
        re.split(r"\$\w+|[)}\"'`]", word.strip("\"'`"))[-1].lstrip("/") if "$" in word else word.strip("\"'")
    )
    for place in (tail, os.path.join(beside, tail)):
        pattern = os.path.normpath(place.replace("**", "*"))
        if tail and pattern != "." and not pattern.startswith(("/", "..")):
            there = (path for path in folder.glob(pattern) if path.is_file())
            yield from (path.relative_to(folder).as_posix() for path in there)


def _started(text: str, folder: Path) -> Iterator[str]:
    """Yield the file that each command starts: its first word, or the first after an interpreter."""
    for one in _BETWEEN.split(text):
        for word in one.split():
            if (
                "=" in word
                or word.startswith("-")
                or _VERSION.sub("", os.path.basename(word)) in _INTERPRETERS
            ):
                continue
            path = word.strip("\"'").removeprefix("./")
            inside = path and not path.startswith(("/", "..")) and ("/" in word or "." in word)
            if inside and _SCRIPT_NAME.search(path) and (folder / path).is_file():
                yield path
            break
