"""Build the suites and the guard's rules, from the configuration or by detection."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path

from tdd_orchestrator.agents import sandbox
from tdd_orchestrator.config.load import words
from tdd_orchestrator.config.schema import Config
from tdd_orchestrator.languages import language_of, source
from tdd_orchestrator.languages.functions import changed_functions
from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.runners.detect import Detected, detect
from tdd_orchestrator.runners.framework import Framework
from tdd_orchestrator.runners.reason_owners import FOREIGN
from tdd_orchestrator.runners.run import Suite
from tdd_orchestrator.runners.table import by_name
from tdd_orchestrator.runners.wrappers import scripts_behind, unwrap
from tdd_orchestrator.workspace.denied_paths import HOOK_NAMES
from tdd_orchestrator.workspace.guard import Rules
from tdd_orchestrator.workspace.project import declared_dependencies, installed
from tdd_orchestrator.workspace.project_modules import text_of
from tdd_orchestrator.workspace.pytest_settings import pytest_settings
from tdd_orchestrator.workspace.services import Service
from tdd_orchestrator.workspace.shared import Shared


@dataclass(frozen=True, slots=True)
class FoundTests:
    """How a repository is tested, found out: the command ("" where none was found), whether a shell runs
    it, and what untracked folders it needs in each work tree."""

    detected: Detected
    command: str
    shell: bool
    links: tuple[str, ...]

    @property
    def framework(self) -> str:
        """The value of ``test.framework``."""
        name = self.detected.framework.name
        return "auto" if name == "unknown" else name


def find_tests(root: Path, git: Git, command: str = "") -> FoundTests:
    """Return what `tdd init` writes. A ``command`` that is given stays as it is."""
    from tdd_orchestrator.workspace.survey import linkable

    detected = detect(root, command)
    links = linkable(root, git)
    chosen = _runnable(detected, root)
    shell = not command and chosen[:2] == ("sh", "-c")
    found = command or (chosen[2] if shell else _with_python(shlex.join(chosen), root, links))
    return FoundTests(detected, found, shell, links)


def _with_python(words: str, root: Path, links: tuple[str, ...]) -> str:
    """The command with the Python of the project's environment; without one, with the Python that is
    there."""
    if not words.startswith("python "):
        return words
    for name in (".venv", "venv"):
        if name in links and (root / name / "bin" / "python").exists():
            return words.replace("python ", f"{name}/bin/python ", 1)
    return words if shutil.which("python") or not shutil.which("python3") else f"python3{words[6:]}"


def _runnable(detected: Detected, root: Path) -> tuple[str, ...]:
    """The command, without the runner's parallel mode where its interpreter has not what that needs."""
    from tdd_orchestrator.workspace.survey import missing_runner

    row = detected.framework
    chosen = bool(row.parallel) and detected.command[-len(row.parallel) :] == row.parallel
    if chosen and row.parallel_module and missing_runner(root, detected.command, row.parallel_module):
        return detected.command[: -len(row.parallel)]
    return detected.command


def suites_of(config: Config, root: Path, instead: tuple[str, ...] = ()) -> tuple[Suite, ...]:
    """Return the suites, configured or detected. Raises Refused where there is no test command."""
    test = config.test
    if instead:
        return (
            Suite("tests", instead, _framework("auto", root, instead), "", test.timeout, tuple(test.files)),
        )
    if test.suite:
        return tuple(
            Suite(one.name, words(one.command), _framework(one.framework, root / one.cwd, words(one.command)),
                  "" if one.cwd == "." else one.cwd.rstrip("/"), one.timeout, tuple(one.files))
            for one in test.suite
        )  # fmt: skip
    command = words(test.command, shell=test.shell) if test.command else ()
    framework = _framework(test.framework, root, command)
    command = command or framework.command
    if not command:
        raise Refused(
            "No test command is known for this repository.",
            "Run `tdd init`, or set test.command in tdd.toml.",
        )
    return (Suite("tests", tuple(command), framework, "", test.timeout, tuple(test.files)),)


def _framework(name: str, root: Path, command: tuple[str, ...]) -> Framework:
    if name not in ("", "auto"):
        return by_name(name)
    return detect(root, shlex.join(command)).framework


def rules_of(config: Config, suites: tuple[Suite, ...], root: Path, hooks: str = "") -> Rules:
    """The guard's rules, of all suites together; ``root`` is where scripts behind their commands are looked
    up, ``hooks`` the repository's core.hooksPath."""
    rows = [suite.framework for suite in suites]
    named = {
        word.removeprefix("./") for suite in suites for word in suite.command if "/" in word or "." in word
    }
    for suite in suites:
        named |= scripts_behind(suite.command, root, suite.cwd, suite.framework.signs.words)
    with_tests = [path for path in (*named, *_named_modules(suites)) if _holds_tests(root, path)]
    return Rules(
        test_files=(
            *(p for row in rows for p in row.test_files),
            *(g for s in suites for g in s.test_globs),
            *config.test.files,
            *_named_by_pytest(suites, root),
            *(path for path in with_tests if not _holds_code(root, path)),
        ),
        support_files=tuple(p for row in rows for p in row.support_files),
        config_files=tuple(p for row in rows for p in row.config_files),
        config_marks=tuple(mark for row in rows for mark in row.config_marks),
        config_keys={name: keys for row in rows for name, keys in row.config_keys},
        runner_modules=tuple(name for row in rows for name in row.runner_modules),
        packages=_packages(config, suites, root),
        protect=tuple(config.test.protect),
        command_paths=tuple(sorted({*named, *with_tests})),
        hooks=_hooks(hooks, root),
        refactor_tests=config.proof.refactor_tests,
        doctests=_doctests(suites, root),
    )


def _named_modules(suites: tuple[Suite, ...]) -> set[str]:
    """Return the files of the modules that Python commands name, as in `python -m unittest test`."""
    python = [suite.command for suite in suites if suite.framework.language == "python"]
    return {f"{word.replace('.', '/')}.py" for words in python for word in words if _MODULE.fullmatch(word)}


_MODULE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")


def _holds_tests(root: Path, path: str) -> bool:
    """Return whether a file of the project that the command names holds tests, as in `python test.py`."""
    return bool(source.find_tests(_own_text(root, path), path))


def _holds_code(root: Path, path: str) -> bool:
    """Return whether a file is the code beside its tests: it has functions of its own and imports nothing of
    the project."""
    text, language = _own_text(root, path), language_of(path)
    if language is None or not language.in_file:
        return False
    alone = changed_functions("", source.production_part(text, path), path)
    return bool(alone) and not any(_is_of_project(root, one.module) for one in source.imports(text, path))


def _own_text(root: Path, path: str) -> str:
    return "" if os.path.isabs(path) else text_of(root / path)


def _is_of_project(root: Path, module: str) -> bool:
    top = module.partition(".")[0]
    places = (root / base / name for base in ("", "src", "lib") for name in (top, f"{top}.py"))
    return not top or any(place.exists() for place in places)


def _named_by_pytest(suites: tuple[Suite, ...], root: Path) -> tuple[str, ...]:
    """Return the globs of test files that pytest's own settings name (``python_files``), but for those that any code
    fits (``*.py``)."""
    at = [root / suite.cwd for suite in suites if suite.framework.name == "pytest"]
    names = (name for folder in at for name in pytest_settings(folder, "python_files"))
    return tuple(dict.fromkeys(f"**/{name}" for name in names if not _ANY_CODE.fullmatch(name)))


_ANY_CODE = re.compile(r"(?:[^A-Za-z0-9]|\[[^\]]*\])*(?:\.py)?")


def _doctests(suites: tuple[Suite, ...], root: Path) -> tuple[str, ...]:
    """Return patterns of files with doctests: Python's where a test command, what it starts or pytest's settings
    ask for them, and those that they name."""
    texts = [" ".join(suite.command) for suite in suites]
    for suite in suites:
        texts += [inside.text for inside in (unwrap(shlex.join(suite.command), root) or ("", []))[1]]
    texts += [text_of(root / name) for name in ("pytest.ini", "pyproject.toml", "setup.cfg")]
    texts += _PYTEST_SECTION.findall(text_of(root / "tox.ini"))  # its other sections are tox's own commands
    asked = [text for text in texts if _RUNS_DOCTESTS.search(text)]
    return tuple(dict.fromkeys(("*.py", *_DOCTEST_GLOB.findall("\n".join(asked))))) if asked else ()


_RUNS_DOCTESTS = re.compile(
    r"--doctest-|--(?:with-)?x?doctest\b|\bdoctest_plus\s*=\s*enabled|-m x?doctest\b|\btestmod\("
)
_PYTEST_SECTION = re.compile(r"(?ms)^\[pytest\]$(.*?)(?=^\[|\Z)")
_DOCTEST_GLOB = re.compile(r"--doctest-glob[=\s]+[\"'\\]*([^\s\"',\\\]]+)")


def _hooks(chosen: str, root: Path) -> tuple[str, ...]:
    """Return globs of the hooks that the user's git takes from the tree itself: the resolved path, and
    as written."""
    if not chosen:
        return ()
    top = os.path.realpath(root)
    written = os.path.join(top, os.path.expanduser(chosen))
    found: list[str] = []
    for place in (os.path.normpath(written), os.path.realpath(written)):
        folder = os.path.relpath(place, top)
        if folder.endswith("/_"):  # husky's: its scripts lie beside
            folder = os.path.dirname(folder)
        if folder == ".":
            found += HOOK_NAMES
        elif not folder.startswith(".."):
            found.append(f"{folder}/**")
    return tuple(dict.fromkeys(found))


def _packages(config: Config, suites: tuple[Suite, ...], root: Path) -> frozenset[str]:
    """Return foreign Python modules: declared ones, and well-known ones that are installed where the
    tests run. Others may be names of the project's own modules."""
    environments = (*(root / name for name in config.workspace.link), *_environments(suites))
    there = frozenset[str]().union(*map(installed, environments))
    return frozenset(declared_dependencies(root)) | there & FOREIGN["python"]


def services_of(config: Config) -> tuple[Service, ...]:
    """Return the services of the trees. Refused where the tests' sandbox keeps them from the network."""
    space = config.workspace
    if space.services and not space.test_network and sandbox.choose(space.sandbox) != "none":
        raise Refused(
            "workspace.services are reached over the network, and the sandbox gives tests none.",
            "Set it: tdd config set workspace.test_network true",
        )
    return tuple(
        Service(name, words(one.command), words(one.ready), tuple(one.env.items()))
        for name, one in space.services.items()
    )


def shared_of(config: Config, root: Path, suites: tuple[Suite, ...]) -> Shared:
    setup = words(config.workspace.setup, shell=True) if config.workspace.setup else ()
    return Shared(
        root,
        tuple(name.strip("/") for name in config.workspace.link),
        setup,
        extra_python=tuple(config.workspace.python_path),
        environments=_environments(suites),
    )


def _environments(suites: tuple[Suite, ...]) -> tuple[Path, ...]:
    """Python environments outside the checkout that the command would use: the active one, or its
    program's."""
    found = []
    if os.environ.get("VIRTUAL_ENV"):
        found.append(Path(os.environ["VIRTUAL_ENV"]))
    for suite in suites:
        program = shutil.which(suite.command[0])
        if suite.framework.language == "python" and program:
            found.append(Path(program).parent.parent)
    return tuple(dict.fromkeys(found))
