"""Build the command for a run: with a report request, and for chosen tests if possible."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from tdd_orchestrator.model.report import Case
from tdd_orchestrator.runners.framework import Framework, Select
from tdd_orchestrator.runners.wrappers import Reach, count_script_words, text_of


def add_report_arguments(
    framework: Framework, command: Sequence[str], how: Reach, values: Mapping[str, str]
) -> list[str]:
    """Append the row's arguments for a report and for running all tests."""
    wanted = [*framework.extra_argv]
    if not any(word.split("=")[0] in framework.ask.unless for word in command):
        wanted += [_fill(word, values) for word in framework.ask.argv]
    return append_arguments(command, wanted, how, after=framework.ask.after)


def append_arguments(command: Sequence[str], more: Sequence[str], how: Reach, after: str = "") -> list[str]:
    """Append ``more`` (or insert it after a word), if arguments reach the runner."""
    words = [word for word in more if word not in command or not word.startswith("-")]
    if not words or how not in (Reach.DIRECT, Reach.SCRIPT):
        return list(command)
    if how is Reach.SCRIPT:
        if after:  # they belong inside a command that is not ours
            return list(command)
        needs = command[0].rsplit("/", 1)[-1] == "npm" and "--" not in command
        return [*command, *(["--"] if needs else []), *words]
    at = next((i + 1 for i, word in enumerate(command) if after and word.rsplit("/", 1)[-1] == after), -1)
    if at < 0:
        at = list(command).index("--") if "--" in command else len(command)
    return [*command[:at], *words, *command[at:]]


def select_cases(
    framework: Framework,
    command: Sequence[str],
    how: Reach,
    cases: Sequence[Case],
    cwd: Path,
) -> list[str] | None:
    """Return the command for ``cases``, with files relative to ``cwd``; None if impossible."""
    select = framework.select
    if select is None or how not in (Reach.DIRECT, Reach.SCRIPT):
        return None
    if "--" in select.flag and "--" in command:
        return None
    of_cases = {_file_of(case, cwd) for case in cases}
    if select.files and "" in of_cases:
        return None
    files = sorted(of_cases - {""})
    words = list(command)
    if select.files:
        words = drop_paths(framework, words, cwd)
    more: list[str] = []
    if select.flag:
        more += _flags(select, [_leaf(select, case) for case in cases])
    if select.files:
        more += files
    return append_arguments(words, more, how)


def select_by_variables(
    framework: Framework, how: Reach, cases: Sequence[Case], cwd: Path, env: Mapping[str, str]
) -> dict[str, str]:
    """Return the variables that choose ``cases`` where no arguments reach the runner; none if impossible."""
    select = framework.select
    files = sorted({_file_of(case, cwd) for case in cases})
    if select is None or how is Reach.OPAQUE or (select.files and "" in files):
        return {}
    values = {
        "files": shlex.join(files),
        "names": select.join.join(_quoted(select, [_leaf(select, case) for case in cases])),
    }
    return {name: _fill(text, {**values, "before": env.get(name, "")}).strip() for name, text in select.env}


def _file_of(case: Case, cwd: Path) -> str:
    """Return the file that runs a case: the one in its id, since the place that a runner reports is where the code
    stands, which code under test can set."""
    named, separator, _ = case.id.partition("::")
    return named if separator and (cwd / named).is_file() else case.file


def _leaf(select: Select, case: Case) -> str:
    found = re.search(select.leaf, case.id if select.by_id else case.name) if select.leaf else None
    return next((group for group in found.groups() if group), case.name) if found else case.name


def _quoted(select: Select, names: Sequence[str]) -> list[str]:
    return [re.escape(name) if select.regex else name for name in dict.fromkeys(names)]


def _flags(select: Select, names: Sequence[str]) -> list[str]:
    quoted = _quoted(select, names)
    if select.each:
        return [_fill(word, {"names": name}) for name in quoted for word in select.flag]
    joined = select.join.join(quoted)
    return [
        part
        for word in select.flag
        for part in (quoted if word == "{each}" else [_fill(word, {"names": joined})])
    ]


def drop_paths(framework: Framework, command: Sequence[str], cwd: Path) -> list[str]:
    """Return the command without test files and folders, so that chosen ones can be added."""
    named = max((i for i, word in enumerate(command) if _names(framework, command, i)), default=0) + 1
    begin = max(named, count_script_words(command))  # `npm test` beside a folder named test
    remaining = list(command[:begin])
    for before, word in zip(command[begin - 1 :], command[begin:], strict=False):
        value = before.startswith("--") and "=" not in before and before in _TAKE_PATHS
        bare = word.split("::")[0]
        if not value and not word.startswith("-") and (cwd / bare).exists() and bare:
            continue
        remaining.append(word)
    return remaining


_TAKE_PATHS = frozenset({
    "--rootdir", "--config", "--config-file", "--confcutdir", "--ignore", "--cov", "--cov-config",
    "--basetemp",
    "--require", "--import", "--project", "--dir", "--root", "--configuration", "--bootstrap", "--setup",
})  # fmt: skip


def _names(framework: Framework, command: Sequence[str], index: int) -> bool:
    """Whether the words up to ``index`` are the first that name the runner."""
    line, shorter = " ".join(command[: index + 1]), " ".join(command[:index])
    return any(re.search(p, line) and not re.search(p, shorter) for p in framework.signs.words)


def parallel(framework: Framework, root: Path) -> list[str]:
    """Return the arguments for the runner's parallel mode, if the project's manifests show it."""
    found = any(re.search(pattern, text_of(root / name)) for name, pattern in framework.parallel_if)
    return list(framework.parallel) if found else []


def _fill(text: str, values: Mapping[str, str]) -> str:
    for name, value in values.items():
        text = text.replace("{" + name + "}", value)
    return text
