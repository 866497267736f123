"""Every check of `tdd doctor`, by name, in the order in which they are made."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from tdd_orchestrator.app.health import needs, trees
from tdd_orchestrator.app.health.findings import Finding, Remedy

if TYPE_CHECKING:
    from tdd_orchestrator.app.open_repository import OpenRepository

Check = Callable[["OpenRepository"], Iterator[Finding]]

_LITTLE_ROOM = 10 << 20  # bytes; the first cycle of a small project takes some 2 MB


def configuration(repository: OpenRepository) -> Iterator[Finding]:
    from tdd_orchestrator.workspace.survey import ignored_of

    if repository.loaded.file is None:
        yield Finding("configuration", "There is no tdd.toml; `tdd init` writes one.")
        return
    name = repository.loaded.file.name
    if ignored_of(repository.git, [name]):
        what = f"git ignores {name}, so other clones and CI do not have it: git add -f {name}"
        yield Finding("configuration", what, stops=False)


def state(repository: OpenRepository) -> Iterator[Finding]:
    from tdd_orchestrator.app.context import fit_to_work

    fit_to_work(repository)
    found = repository.state
    if found.index_lock:
        lock = repository.git.git_dir / "index.lock"
        yield Finding("repository", f"{lock} exists; remove it if no git command is running.")
    if found.shallow:
        yield Finding(
            "repository",
            (
                "This is a shallow clone: the last known-good commit may lie beyond its edge (git "
                "fetch --unshallow)."
            ),
            stops=False,
        )
    if found.submodules:
        yield Finding(
            "repository",
            "Submodules are not filled in the work trees; set workspace.setup to a command that does it.",
            stops=False,
        )


def opened(repository: OpenRepository) -> Iterator[Finding]:
    """GitPython, which reads remotes and settings for us, opens the repository that git found."""
    seen, found = Path(repository.git.repo.common_dir), repository.found.common_dir
    if seen.resolve() != found.resolve():
        yield Finding("git", f"GitPython opens another repository than git: {seen}, not {found}.")


def git(repository: OpenRepository) -> Iterator[Finding]:
    from tdd_orchestrator.repo.git import OLDEST_GIT

    words = repository.git.line("version").split()
    numbers = re.findall(r"\d+", words[2] if len(words) > 2 else "")
    if tuple(map(int, numbers[:2])) < OLDEST_GIT:
        oldest = ".".join(map(str, OLDEST_GIT))
        yield Finding(
            "git",
            f"git {words[2]} is older than {oldest}: a cycle cannot be put on top of a branch that moved.",
        )


def disk(repository: OpenRepository) -> Iterator[Finding]:
    """Return a finding for each disk that the next cycle would fill: that of the repository, that of the work trees."""
    root = repository.places.root
    there = next(path for path in (root, *root.parents) if path.exists())
    folders = {os.stat(path).st_dev: path for path in (there, repository.found.common_dir)}
    for path in folders.values():
        free = shutil.disk_usage(path).free
        if free < _LITTLE_ROOM:
            yield Finding("disk", f"{free >> 10} kB are free on the disk of {path}: make room.")


def command(repository: OpenRepository) -> Iterator[Finding]:
    """The test command: is it there, has it its runner, is it one command, is its output known?"""
    from tdd_orchestrator.runners.command_parts import runs_a_linter
    from tdd_orchestrator.runners.neutral import neutral_env
    from tdd_orchestrator.workspace.survey import module_missing, not_there, packages_missing

    yield from _several(repository)
    yield from _left_out(repository)
    root = repository.found.work_tree
    path = neutral_env(root, os.environ)["PATH"]
    for suite in repository.suites:
        missing = not_there(suite.command, root / suite.cwd, path)
        if not missing and not repository.config.workspace.setup:
            missing = packages_missing(root / suite.cwd, suite.framework.language, suite.command)
        if any("test.command" in one.remedy.settings for one in trees.not_ignored(repository) if one.remedy):
            pass  # the project has an environment of its own, and that finding sets the command
        elif lacking := missing or module_missing(root, suite.framework.language, suite.command):
            yield next(trees.in_environment(repository, suite.command), Finding("tests", lacking))
        if suite.framework.name == "unknown" and not runs_a_linter(shlex.join(suite.command)):
            whose = f" of the suite {suite.name}" if repository.config.test.suite else ""
            yield Finding(
                "tests",
                f"The test framework{whose} is not known: tests are read by exit code and text alone; set "
                f"{'its framework' if whose else 'test.framework'}.",
                stops=False,
            )


def _several(repository: OpenRepository) -> Iterator[Finding]:
    """Return a finding where the test command is several commands: suites say it better, and shell
    operators do not run."""
    from tdd_orchestrator.runners.command_parts import operators, parts_of

    test = repository.config.test
    if test.suite or not test.command:
        return
    text = test.command if isinstance(test.command, str) else shlex.join(test.command)
    parts = parts_of(text, repository.found.work_tree)
    shell_only = isinstance(test.command, str) and not test.shell and operators(text)
    if parts:
        suites = [{"name": _name(part), "command": part} for part in parts]
        yield Finding(
            "tests",
            f"The test command runs {len(parts)} commands ({'; '.join(parts)}). Write each as a "
            "[[test.suite]] of its own, "
            "so that each is read and judged by itself.",
            Remedy(f"Write the {len(parts)} commands as [[test.suite]] tables?", {"test.suite": suites}),
            stops=shell_only,
        )
    elif shell_only:
        yield Finding(
            "tests",
            f"The test command needs a shell ({text}), and test.shell is not set.",
            Remedy("Run the test command in a shell (test.shell)?", {"test.shell": True}),
        )


def _left_out(repository: OpenRepository) -> Iterator[Finding]:
    """Return a finding for tests in another language, with a manifest of their own, that the test command,
    one runner's, does not run."""
    from tdd_orchestrator.runners.detect import suites_beside
    from tdd_orchestrator.runners.wrappers import Reach, reach
    from tdd_orchestrator.workspace.survey import packages_missing

    test, root = repository.test_config.test, repository.found.work_tree
    if test.suite or not isinstance(test.command, str):
        return
    suite = repository.suites[0]
    if reach(suite.command, root, suite.framework.signs.words) not in (Reach.DIRECT, Reach.SCRIPT):
        return
    others = suites_beside(root, suite.framework.language)
    if not others:
        return
    ready = not any(packages_missing(root / one.folder, one.framework.language) for one in others)
    mine = {"name": suite.framework.language, "command": test.command}
    tables = [
        {"name": one.framework.language, "command": shlex.join(one.command), "cwd": one.folder or "."}
        for one in others
    ]
    where = ", ".join(f"{one.framework.name} in {one.folder or 'the same folder'}" for one in others)
    yield Finding(
        "tests",
        f"There are more tests, which the test command does not run: {where}. "
        "Nothing that they check is proven.",
        Remedy("Run them as well, as [[test.suite]] tables?", {"test.suite": [mine, *tables]})
        if ready
        else None,
        stops=False,
    )


def _name(part: str) -> str:
    words = [word for word in shlex.split(part) if not word.startswith("-")]
    known = [
        word for word in words if word not in ("python", "python3", "npx", "run", "exec", "uv", "poetry")
    ]
    return (known or words)[0].rsplit("/", 1)[-1]


def plan(repository: OpenRepository) -> Iterator[Finding]:
    repository.plan_repository.plan()
    yield from ()


def prompts(repository: OpenRepository) -> Iterator[Finding]:
    from tdd_orchestrator.model.errors import BadConfig
    from tdd_orchestrator.prompting.compose import check_own
    from tdd_orchestrator.prompting.templates import ROLES, own_files

    root = repository.found.work_tree
    for path in own_files(root):
        if path.stem not in ROLES:
            yield Finding(
                "prompts", f"{path} is the prompt of no role; roles: {', '.join(ROLES)}.", stops=False
            )
    try:
        check_own(root)
    except BadConfig as error:
        yield Finding("prompts", f"{error.what} {error.todo}".strip())


def sandbox(repository: OpenRepository) -> Iterator[Finding]:
    from tdd_orchestrator.agents.sandbox import available

    reason = available()
    if reason and repository.config.workspace.sandbox != "none":
        yield Finding(
            "sandbox",
            (
                f"No sandbox: {reason} Agents could write outside their tree; it would be noticed, not "
                "prevented."
            ),
            stops=repository.config.workspace.sandbox == "bubblewrap",
        )


def trail(repository: OpenRepository) -> Iterator[Finding]:
    from tdd_orchestrator.notes.repair import check

    check(repository.objects, repository.store, deep=True)
    yield from ()


def rewrites(repository: OpenRepository) -> Iterator[Finding]:
    """Return findings about records that a rewrite left behind; certain ones are re-attached at once."""
    from tdd_orchestrator.audit.reattach import orphans, reattach

    if not repository.state.head:
        return
    unknown: list[str] = []
    for orphan in orphans(repository.git, repository.objects, repository.store, repository.state.head):
        short = orphan.commit[:12]
        if orphan.certain and reattach(repository.store, orphan):
            text = (
                f"{short} had lost its records in a rewrite; they were found by its {orphan.how} and "
                "are re-attached."
            )
        elif len(orphan.sources) > 1:
            some = ", ".join(source[:12] for source in orphan.sources[:3])
            text = (
                f"{short} has lost its records, and several fit by its {orphan.how} ({some}): nothing "
                "was guessed."
            )
        else:
            unknown.append(short)
            continue
        yield Finding("rewrites", text, stops=False)
    if unknown:
        first, more = unknown[0], len(unknown) - 1
        who = f"{first} and {more} more say that they belong" if more else f"{first} says that it belongs"
        text = f"{who} to a cycle, and no record of {'them' if more else 'it'} is here; `tdd sync` may bring "
        yield Finding("rewrites", f"{text}{'them' if more else 'it'}.", stops=False)


CHECKS: tuple[tuple[str, Check], ...] = (
    ("configuration", configuration),
    ("repository", state),
    ("git", git),
    ("git", opened),
    ("disk", disk),
    ("tests", command),
    ("settings", needs.settings_needs),
    ("trees", trees.not_ignored),
    ("trees", trees.trees),
    ("agents", needs.agents),
    ("versions", needs.versions),
    ("prompts", prompts),
    ("sandbox", sandbox),
    ("plan", plan),
    ("trail", trail),
    ("rewrites", rewrites),
)
"""What starts none of the tests; see :func:`tdd_orchestrator.app.health.suite.baseline_standing` for
those."""

BEFORE_A_CYCLE = ("configuration", "repository", "disk", "tests", "settings", "trees", "agents", "plan")
"""What `tdd init` looks at."""
